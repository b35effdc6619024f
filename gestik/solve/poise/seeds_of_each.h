// The best start of each of eight askers: the same closed form, choices and scores as in seeds.h,
// but the lanes are askers. What is decided by weights is decided for all of them at once, so these
// have to be the same in all lanes.

namespace gestik::poise::GESTIK_POISE_PATH {

class SeedingOfEach {
 public:
  SeedingOfEach(const Form<Float8>& form, const Ask<Float8>& ask)
      : asked_(form, ask, 1), inner_(asked_.inner) {}

  /// Bit i of what it returns: asker i has a start.
  unsigned run(bool perfect_ones, Float8* angles, Float8* work) {
    Mask upright = asked_.targets[0].upright;
    if (asked_.twins) upright = upright | asked_.targets[1].upright;
    upright_ = !asked_.twins && bits(upright) == 255;
    find_roles();
    if (entries_needed() > each_entries) return 0;
    choose();
    begin_tables(reinterpret_cast<Entry*>(work));
    const int pivots = perfect_ones ? 1 : pivots_;
    search(0, pivots);
    if (asked_.twins && !perfect_ones) search(1, pivots);
    write(angles);
    Mask found = perfect_ones ? best_.score == Lanes(0) : best_.score < Lanes(no_cost);
    if (!upright_) found = found & ~upright;
    return bits(found);
  }

 private:
  struct EachChoices {
    Float8 angle[lanes], cosine[lanes], sine[lanes], cost[lanes];
    Asked::Role role;
    int size() const { return 1 << role.power; }
  };

  /// Of each asker.
  struct Best {
    Lanes score = no_cost, pivot_cos = 1, pivot_sin = 0;
    RawInt code{};
  };

  void find_roles() {
    for (int k = 1; k <= inner_; ++k) choices_[k].role = asked_.role(k);
  }

  int grown(int power, int k) const { return asked_.grown(power, choices_[k].role); }
  int entries_needed() const {
    int sum = 0;
    for (int k = 1, power = 0; k <= inner_; power = grown(power, k++)) sum += 1 << power;
    for (int k = inner_, power = 0; k >= 1; power = grown(power, k--)) sum += 1 << power;
    return sum;
  }

  void choose() {
    const Ask<Float8>& ask = asked_.ask;
    for (int k = 0; k < asked_.form.links; ++k) {
      const Lanes lo = load(ask.links[k].lo), hi = load(ask.links[k].hi);
      range_of(Lanes(0.5f) * (lo + hi), Lanes(0.5f) * (hi - lo), asked_.middle_cos[k],
               asked_.middle_sin[k], asked_.half_cos[k]);
    }
    for (int k = 1; k <= inner_; ++k) {
      EachChoices& c = choices_[k];
      const Judge judge = asked_.judge(k);
      Lanes angles[lanes];
      asked_.list(ask.links[k].weight.at[0] == 0, load(ask.links[k].lo), load(ask.links[k].hi),
                  load(ask.links[k].posture), load(ask.links[k].straight), angles);
      for (int i = 0; i < c.size(); ++i) {
        Lanes sine, cosine;
        sincos(angles[i], sine, cosine);
        store(angles[i], c.angle[i]);
        store(sine, c.sine[i]);
        store(cosine, c.cosine[i]);
        Lanes cost = deviation(asked_.form.measure, judge, cosine, sine);
        for (int j = 0; j < i; ++j)
          cost = select(abs(angles[i] - angles[j]) < Lanes(1e-2f), Lanes(10 * no_cost), cost);
        store(cost, c.cost[i]);
      }
    }
  }

  void begin_tables(Entry* room) {
    room_ = room;
    pivots_ = asked_.order_of_pivots(choices_, order_);
    last_matters_ = upright_ || (!asked_.aim && asked_.matters(asked_.form.links - 1));
    first_matters_ = upright_ || asked_.matters(0);
    begin(before_[1], asked_.root());
    begin(after_[inner_], asked_.tip());
    before_known_ = 1;
    after_known_ = inner_;
  }
  void begin(Table& table, const Matrix<Lanes>& m) {
    table = {room_++, 0};
    store(m, *table.entries);
    store(Lanes(0), table.entries->cost);
  }

  void grow_tables(int pivot) {
    while (before_known_ < pivot) {
      const int j = ++before_known_;
      const Lanes tc = asked_.tilt_cos(j), ts = asked_.tilt_sin(j);
      grow(before_[j - 1], j - 1, before_[j], [&](const Entry& from, Lanes c, Lanes s, Entry& to) {
        grow_before(from, c, s, tc, ts, first_matters_, to);
      });
    }
    while (after_known_ > pivot) {
      const int j = --after_known_;
      const Lanes tc = asked_.tilt_cos(j + 1), ts = asked_.tilt_sin(j + 1);
      grow(after_[j + 1], j + 1, after_[j], [&](const Entry& from, Lanes c, Lanes s, Entry& to) {
        grow_after(from, c, s, tc, ts, last_matters_, to);
      });
    }
  }

  /// Entry i has the parent i % size and the choice i / size.
  template <class F>
  void grow(const Table& from, int link, Table& to, F&& move) {
    const EachChoices& choices = choices_[link];
    to = {room_, grown(from.power, link)};
    for (int i = 0; i < to.size(); ++i, ++room_) {
      const Entry& parent = from.entries[i & (from.size() - 1)];
      const int choice = i >> from.power;
      const Lanes cost = load(choices.cost[choice]) + load(parent.cost);
      store(cost, room_->cost);
      if (any(cost <= best_.score))
        move(parent, load(choices.cosine[choice]), load(choices.sine[choice]), *room_);
    }
  }

  /// In the order of seeds.h.
  void search(int twin, int pivots) {
    for (int i = 0; i < pivots; ++i) {
      open_ = best_.score > Lanes(0);
      if (!any(open_)) return;
      grow_tables(order_[i]);
      with_judged(upright_, first_matters_, last_matters_,
                  [&]<Judged which>(Which<which>) { try_pivot<which>(order_[i], twin); });
    }
  }

  template <Judged which>
  void try_pivot(int j, int twin) {
    const Judge pivot = asked_.judge(j), first = asked_.judge(0);
    const Judge last = asked_.judge(asked_.form.links - 1);
    const Table &before = before_[j], &after = after_[j];
    const Mask open = open_;
    Best best = best_;
    for (int b = 0; b < before.size(); ++b) {
      const Matrix<Lanes> p = load(before.entries[b]);
      const Lanes cost_before = load(before.entries[b].cost);
      if (!any(open & (cost_before <= best.score))) continue;
      for (int a = 0; a < after.size(); ++a) {
        const Lanes cost = cost_before + load(after.entries[a].cost);
        const Mask considered = open & (cost <= best.score);
        if (!any(considered)) continue;
        consider<which>({j, b, a, 0, twin}, p, load(after.entries[a]), cost, considered, pivot,
                        first, last, best);
      }
    }
    best_ = best;
  }

  template <Judged which>
  GESTIK_INLINE void consider(Start start, const Matrix<Lanes>& p, const Matrix<Lanes>& s,
                              Lanes cost, Mask considered, const Judge& pivot, const Judge& first,
                              const Judge& last, Best& best) const {
    const Target& t = asked_.targets[start.twin];
    const Measure measure = asked_.form.measure;
    const Pivot answers({p.zx, p.zy, p.zz}, {s.xz, s.yz, s.zz}, t.z);
    Lanes c[2], sn[2], sum[2];
#pragma GCC unroll 2
    for (int answer = 0; answer < 2; ++answer) {
      answers.turn(answer, pivot, c[answer], sn[answer]);
      sum[answer] = (cost + answers.missed) + judged(measure, pivot, c[answer], sn[answer]);
    }
    sum[1] = select(answers.root > Lanes(1e-2f), sum[1], Lanes(no_cost));
    if (!any(considered & (min(sum[0], sum[1]) <= best.score))) return;
#pragma GCC unroll 2
    for (int answer = 0; answer < 2; ++answer) {
      Lanes score =
          sum[answer] + cost_of_ends<which>(measure, t, p, s, c[answer], sn[answer], first, last);
      score = select(score < Lanes(perfect), Lanes(0), score);
      start.answer = answer;
      const RawInt code = start.packed() - RawInt{};
      const Mask better =
          considered & ((score < best.score) | ((score == best.score) & Mask{code < best.code}));
      best.score = select(better, score, best.score);
      best.code = (RawInt)select(better, (Raw)code, (Raw)best.code).raw;
      best.pivot_cos = select(better, c[answer], best.pivot_cos);
      best.pivot_sin = select(better, sn[answer], best.pivot_sin);
    }
  }

  void write(Float8* angles) const {
    Float8 pivots, twin;
    store(atan2(best_.pivot_sin, best_.pivot_cos), pivots);
    for (int i = 0; i < lanes; ++i) {
      Start f = unpacked(best_.code[i]);
      if (f.pivot == 0) f.pivot = order_[0];  // none was found
      twin.at[i] = static_cast<float>(f.twin);
      for (int k = 1; k < f.pivot; ++k)
        angles[k].at[i] = choices_[k].angle[digit(f.before, before_[k], before_[k + 1])].at[i];
      angles[f.pivot].at[i] = pivots.at[i];
      for (int k = inner_; k > f.pivot; --k)
        angles[k].at[i] = choices_[k].angle[digit(f.after, after_[k], after_[k - 1])].at[i];
    }
    Target t = asked_.targets[0];
    if (asked_.twins) t = select(load(twin) > Lanes(0.5f), asked_.targets[1], t);
    asked_.close(t, angles);
  }

  Asked asked_;
  const int inner_;
  bool upright_;  // the ends of all askers turn about one line each
  bool first_matters_, last_matters_;
  Entry* room_;
  int order_[each_links], pivots_;
  int before_known_, after_known_;
  EachChoices choices_[each_links];
  Table before_[each_links], after_[each_links];
  Mask open_;  // who has not found a perfect start
  Best best_;
};

}  // namespace gestik::poise::GESTIK_POISE_PATH
