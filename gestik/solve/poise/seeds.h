// Where to start: the closed form (pivot.h) with the other links at a few angles each: where
// the posture has them, there mirrored, on either limit. A table for each pivot holds P for all of
// these choices of the links before it, another S. The lanes are combinations of choices.

namespace gestik::poise::GESTIK_POISE_PATH {

struct Entry {  // eight entries of a table, or one of each of eight askers'
  Float8 m[9];
  Float8 cost;
};
static_assert(sizeof(Entry) == 10 * sizeof(Float8));

GESTIK_INLINE Matrix<Lanes> load(const Entry& e) {
  return {load(e.m[0]), load(e.m[1]), load(e.m[2]), load(e.m[3]), load(e.m[4]),
          load(e.m[5]), load(e.m[6]), load(e.m[7]), load(e.m[8])};
}
GESTIK_INLINE Matrix<Lanes> load_one(const Entry& e, int i) {
  return {Lanes(e.m[0].at[i]), Lanes(e.m[1].at[i]), Lanes(e.m[2].at[i]),
          Lanes(e.m[3].at[i]), Lanes(e.m[4].at[i]), Lanes(e.m[5].at[i]),
          Lanes(e.m[6].at[i]), Lanes(e.m[7].at[i]), Lanes(e.m[8].at[i])};
}
GESTIK_INLINE Row last_row(const Entry& e) {
  return {load(e.m[6]), load(e.m[7]), load(e.m[8])};
}
GESTIK_INLINE Column last_column(const Entry& e) {
  return {load(e.m[2]), load(e.m[5]), load(e.m[8])};
}
GESTIK_INLINE void store(const Matrix<Lanes>& m, Entry& e) {
  store(m.xx, e.m[0]);
  store(m.xy, e.m[1]);
  store(m.xz, e.m[2]);
  store(m.yx, e.m[3]);
  store(m.yy, e.m[4]);
  store(m.yz, e.m[5]);
  store(m.zx, e.m[6]);
  store(m.zy, e.m[7]);
  store(m.zz, e.m[8]);
}

// A table's entry with one more link. Of P the last row is needed, of S the last column, and the
// rest only where the first or the last link matters.
GESTIK_INLINE void grow_before(const Entry& from, Lanes c, Lanes s, Lanes tilt_cos, Lanes tilt_sin,
                               bool first_matters, Entry& to) {
  if (first_matters) return store(then_tilt(then_turn(load(from), c, s), tilt_cos, tilt_sin), to);
  const Row row = then_tilt(then_turn(last_row(from), c, s), tilt_cos, tilt_sin);
  store(row.x, to.m[6]);
  store(row.y, to.m[7]);
  store(row.z, to.m[8]);
}
GESTIK_INLINE void grow_after(const Entry& from, Lanes c, Lanes s, Lanes tilt_cos, Lanes tilt_sin,
                              bool last_matters, Entry& to) {
  if (last_matters) return store(tilt_first(turn_first(load(from), c, s), tilt_cos, tilt_sin), to);
  const Column column = tilt_first(turn_first(last_column(from), c, s), tilt_cos, tilt_sin);
  store(column.x, to.m[2]);
  store(column.y, to.m[5]);
  store(column.z, to.m[8]);
}

/// The angles a link is tried at, and what they cost.
struct Choices {
  Float8 angle, cosine, sine, cost;
  Asked::Role role;
};

/// A table of rotations, one for each combination of choices. Below eight they repeat.
struct Table {
  Entry* entries;
  int power;  // of two: how many there are
  int size() const { return 1 << power; }
  int groups() const { return size() < lanes ? 1 : size() / lanes; }
};

/// Which choice an entry of the later table takes for the link that it has more.
GESTIK_INLINE int digit(int entry, const Table& table, const Table& next) {
  return entry >> table.power & ((1 << (next.power - table.power)) - 1);
}

GESTIK_INLINE RawInt digits(RawInt entries, const Table& table, const Table& next) {
  return entries >> table.power & ((1 << (next.power - table.power)) - 1);
}

/// A cost that no start has: of choices that are there twice, and of starts not found.
inline constexpr float no_cost = 1e8f;
/// Starts this close in score, with the same pivot, are mirror images: one of them is enough.
inline constexpr float same_score = 1e-4f;
/// Starts that score more than so many times the best one's never end better.
inline constexpr float worth_a_try = 3;
/// Starts that score less leave nothing to be improved: they count as 0.
inline constexpr float perfect = 1e-6f;

/// A start, packed: its pivot, its entries in the tables before and after it, which of the two
/// answers, and whether the target is the twin.
struct Start {
  int pivot, before, after, answer, twin;
  int packed() const { return (((pivot * 128 + before) * 128 + after) * 2 + answer) * 2 + twin; }
  static constexpr int entries_shift = 16;  // what is above is the pivot
};
GESTIK_INLINE Start unpacked(int code) {
  return {code >> Start::entries_shift, code >> 9 & 127, code >> 2 & 127, code >> 1 & 1, code & 1};
}

/// The best starts, best first. Of two that score the same the lower code is the better.
struct Ranking {
  explicit Ranking(int most) : most_(most) {}
  Lanes score = no_cost;
  RawInt code{};

  GESTIK_INLINE float best() const { return score.raw[0]; }
  GESTIK_INLINE float worst() const { return score.raw[most_ - 1]; }

  /// Those that are worse move on by one and the start takes the first one's place, without a
  /// branch: where a lane is not worse it stays, else it takes the later of the start and the one
  /// before.
  GESTIK_INLINE void add(float start_score, int start_code) {
    const Lanes s = start_score;
    const RawInt c = start_code - RawInt{};
    const RawInt same_pivot = (code >> Start::entries_shift) == (c >> Start::entries_shift);
    if (most_ > 1 && any((abs(score - s) < Lanes(same_score)) & Mask{same_pivot})) return;
    const RawInt stays = (score.raw < s.raw) | ((score.raw == s.raw) & (code <= c));
    const RawInt before_stays = turned_on(stays) | RawInt{-1, 0, 0, 0, 0, 0, 0, 0};
    const Mask stay{stays}, first_worse{before_stays};
    score = select(stay, score, select(first_worse, s, turned_on(score.raw)));
    code = (RawInt)select(stay, (Raw)code, select(first_worse, (Raw)c, (Raw)turned_on(code))).raw;
    if (most_ == lanes) return;
    const RawInt place{0, 1, 2, 3, 4, 5, 6, 7};
    score = select(Mask{place < most_}, score, Lanes(no_cost));
  }

 private:
  int most_;
};

class Seeding {
 public:
  /// The question is the same in all lanes.
  Seeding(const Form<Float8>& form, const Ask<Float8>& ask, int starts)
      : asked_(form, ask, starts), inner_(asked_.inner), starts_(starts), ranking_(starts) {}

  void run(Float8* angles, Float8& scores, Float8* work) {
    find_middles();
    choose();
    find_what_matters();
    begin_tables(reinterpret_cast<Entry*>(work));
    search(0);
    if (asked_.twins) search(1);
    write(angles, scores);
  }

 private:
  void choose() {
    const Ask<Float8>& ask = asked_.ask;
    for (int k = 1; k <= inner_; ++k) {
      Choices& c = choices_[k];
      c.role = asked_.role(k);
      asked_.list(ask.links[k].weight.at[0] == 0, ask.links[k].lo.at[0], ask.links[k].hi.at[0],
                  ask.links[k].posture.at[0], ask.links[k].straight.at[0], c.angle.at);
      Lanes sine, cosine;
      sincos(load(c.angle), sine, cosine);
      store(sine, c.sine);
      store(cosine, c.cosine);
      Lanes cost = deviation(asked_.form.measure, asked_.judge(k), cosine, sine);
      const Lanes place = Raw{0, 1, 2, 3, 4, 5, 6, 7};
      for (int i = 0; i + 1 < 1 << c.role.power; ++i) {
        const Mask twin = abs(load(c.angle) - Lanes(c.angle.at[i])) < Lanes(1e-2f);
        cost = select(twin & (place > Lanes(static_cast<float>(i))), Lanes(10 * no_cost), cost);
      }
      store(cost, c.cost);
    }
    pivots_ = asked_.order_of_pivots(choices_, order_);
  }

  /// The middles and halves of the links' ranges, as cosines and sines, eight links at a time.
  void find_middles() {
    const int n = asked_.form.links;
    for (int k = 0; k < n; k += lanes) {
      Float8 middle, half, cell[3];
      for (int i = 0; i < lanes; ++i) {
        const int link = k + i < n ? k + i : 0;
        const float lo = asked_.ask.links[link].lo.at[0], hi = asked_.ask.links[link].hi.at[0];
        middle.at[i] = 0.5f * (lo + hi);
        half.at[i] = 0.5f * (hi - lo);
      }
      range_of(load(middle), load(half), cell[0], cell[1], cell[2]);
      for (int i = 0; i < lanes && k + i < n; ++i) {
        store(Lanes(cell[0].at[i]), asked_.middle_cos[k + i]);
        store(Lanes(cell[1].at[i]), asked_.middle_sin[k + i]);
        store(Lanes(cell[2].at[i]), asked_.half_cos[k + i]);
      }
    }
  }

  /// The tables of the links next to the ends; the others grow from them when a pivot asks for
  /// them.
  void begin_tables(Entry* room) {
    room_ = room;
    begin(before_[1], asked_.root());
    begin(after_[inner_], asked_.tip());
    before_known_ = 1;
    after_known_ = inner_;
  }

  void grow_tables(int pivot) {
    while (before_known_ < pivot) {
      const int j = ++before_known_;
      const Lanes tilt_cos = asked_.tilt_cos(j), tilt_sin = asked_.tilt_sin(j);
      grow(before_[j - 1], choices_[j - 1], before_[j],
           [&](const Entry& from, Lanes c, Lanes s, Entry& to) {
             grow_before(from, c, s, tilt_cos, tilt_sin, first_matters_, to);
           });
    }
    while (after_known_ > pivot) {
      const int j = --after_known_;
      const Lanes tilt_cos = asked_.tilt_cos(j + 1), tilt_sin = asked_.tilt_sin(j + 1);
      grow(after_[j + 1], choices_[j + 1], after_[j],
           [&](const Entry& from, Lanes c, Lanes s, Entry& to) {
             grow_after(from, c, s, tilt_cos, tilt_sin, last_matters_, to);
           });
    }
  }

  void begin(Table& table, const Matrix<Lanes>& m) {
    table = {room_++, 0};
    store(m, *table.entries);
    store(Lanes(0), table.entries->cost);
  }

  /// A table with one more link: entry i has the parent i % size and the choice i / size. What
  /// costs more than the best start is left out but for its cost, by which everyone passes over it.
  template <class F>
  void grow(const Table& from, const Choices& choices, Table& to, F&& move) {
    to = {room_, asked_.grown(from.power, choices.role)};
    const int power = to.power - from.power;
    for (int g = 0; g < to.groups(); ++g, ++room_) {
      const Entry& parent = from.entries[g & (from.groups() - 1)];
      Lanes cosine, sine, cost;
      if (from.power == 0 && power == 3) {
        cosine = load(choices.cosine), sine = load(choices.sine), cost = load(choices.cost);
      } else if (from.size() >= lanes) {
        const int choice = g * lanes >> from.power;
        cosine = Lanes(choices.cosine.at[choice]);
        sine = Lanes(choices.sine.at[choice]);
        cost = Lanes(choices.cost.at[choice]);
      } else {
        Float8 cells[3];
        for (int i = 0; i < lanes; ++i) {
          const int choice = (g * lanes + i) >> from.power & ((1 << power) - 1);
          cells[0].at[i] = choices.cosine.at[choice];
          cells[1].at[i] = choices.sine.at[choice];
          cells[2].at[i] = choices.cost.at[choice];
        }
        cosine = load(cells[0]), sine = load(cells[1]), cost = load(cells[2]);
      }
      cost = cost + load(parent.cost);
      store(cost, room_->cost);
      if (is_worth_it(cost)) move(parent, cosine, sine, *room_);
    }
  }

  /// Whether some combinations cost no more than the best start, or nothing: of perfect ones the
  /// lowest code is wanted.
  bool is_worth_it(Lanes cost) const {
    return any(cost <= max(Lanes(ranking_.best()), Lanes(perfect)));
  }

  /// A target about whose line both ends turn needs both, whatever they cost.
  void find_what_matters() {
    const bool upright =
        any(asked_.targets[0].upright) || (asked_.twins && any(asked_.targets[1].upright));
    first_matters_ = upright || asked_.matters(0);
    last_matters_ = upright || (!asked_.aim && asked_.matters(asked_.form.links - 1));
  }

  void search(int twin) {
    for (int i = 0; i < pivots_; ++i) {
      if (ranking_.best() == 0) return;
      grow_tables(order_[i]);
      try_pivot(order_[i], twin);
    }
  }

  /// Some pairs of a group of the larger table and an entry of the smaller, and their scores: eight
  /// of each answer. They are scored without a branch, one pair beside the next, and ranked after.
  struct Pairs {
    static constexpr int most = 16;
    int count = 0;
    int group[most], one[most];
    Float8 score[most][2];
  };

  /// What a pivot is tried with.
  struct Trial {
    int pivot, twin;
    bool many_before;  // the table before the pivot is the larger one
    const Table &many, &few;
  };

  void try_pivot(int j, int twin) {
    const bool many_before = before_[j].power > after_[j].power;
    const Trial trial{j, twin, many_before, many_before ? before_[j] : after_[j],
                      many_before ? after_[j] : before_[j]};
    Pairs pairs;
    for (int one = 0; one < trial.few.size(); ++one) {
      const float single_cost = trial.few.entries[one / lanes].cost.at[one % lanes];
      for (int g = 0; g < trial.many.groups(); ++g) {
        const Lanes cost = Lanes(single_cost) + load(trial.many.entries[g].cost);
        if (!is_worth_it(cost)) continue;
        pairs.group[pairs.count] = g;
        pairs.one[pairs.count] = one;
        if (++pairs.count == Pairs::most) rank(trial, pairs);
      }
    }
    if (pairs.count > 0) rank(trial, pairs);
  }

  void rank(const Trial& trial, Pairs& pairs) {
    const float best = score(trial, pairs);
    const float limit = worth_a_try * (best < ranking_.best() ? best : ranking_.best());
    const unsigned all = trial.many.size() < lanes ? (1u << trial.many.size()) - 1 : 255u;
    for (int pair = 0; pair < pairs.count; ++pair)
      for (int answer = 0; answer < 2; ++answer) {
        const Float8& scores = pairs.score[pair][answer];
        const float worst = ranking_.worst() < limit ? ranking_.worst() : limit;
        const Lanes score = load(scores);
        unsigned good = all & bits(score <= Lanes(worst));
        for (; good != 0; good &= good - 1) {
          const int i = __builtin_ctz(good), other = pairs.group[pair] * lanes + i;
          const int one = pairs.one[pair];
          const Start start{trial.pivot, trial.many_before ? other : one,
                            trial.many_before ? one : other, answer, trial.twin};
          ranking_.add(scores.at[i], start.packed());
        }
      }
    pairs.count = 0;
  }

  /// Returns the lowest.
  float score(const Trial& trial, Pairs& pairs) const {
    const bool upright = any(asked_.targets[trial.twin].upright);
    return with_judged(upright, first_matters_, last_matters_,
                       [&]<Judged which>(Which<which>) { return score_with<which>(trial, pairs); });
  }

  template <Judged which>
  float score_with(const Trial& trial, Pairs& pairs) const {
    const Target& t = asked_.targets[trial.twin];
    const Measure measure = asked_.form.measure;
    const Judge pivot = asked_.judge(trial.pivot), first = asked_.judge(0);
    const Judge last = asked_.judge(asked_.form.links - 1);
    Lanes least = no_cost;
    for (int pair = 0; pair < pairs.count; ++pair) {
      const int one = pairs.one[pair];
      const Entry& single = trial.few.entries[one / lanes];
      const Entry& many = trial.many.entries[pairs.group[pair]];
      const Matrix<Lanes> single_matrix = load_one(single, one % lanes), group = load(many);
      const Matrix<Lanes>& p = trial.many_before ? group : single_matrix;
      const Matrix<Lanes>& s = trial.many_before ? single_matrix : group;
      const Pivot answers({p.zx, p.zy, p.zz}, {s.xz, s.yz, s.zz}, t.z);
      const Lanes base = (Lanes(single.cost.at[one % lanes]) + load(many.cost)) + answers.missed;
      for (int answer = 0; answer < 2; ++answer) {
        Lanes c, sn;
        answers.turn(answer, pivot, c, sn);
        Lanes sum = base + judged(measure, pivot, c, sn) +
                    cost_of_ends<which>(measure, t, p, s, c, sn, first, last);
        if (answer == 1) sum = select(answers.root > Lanes(1e-2f), sum, Lanes(no_cost));
        sum = select(sum < Lanes(perfect), Lanes(0), sum);
        store(sum, pairs.score[pair][answer]);
        least = min(sum, least);
      }
    }
    Float8 cell;
    store(least, cell);
    return lowest(cell);
  }

  /// The starts that were found, in whichever tables they are; the best stands in for the rest.
  void write(Float8* angles, Float8& scores) const {
    store(ranking_.score, scores);
    const Mask known = ranking_.score < Lanes(no_cost);
    const int best = any(known) ? ranking_.code[0] : Start{order_[0], 0, 0, 0, 0}.packed();
    const RawInt code = (RawInt)select(known, (Raw)ranking_.code, (Raw)(best - RawInt{})).raw;
    Float8 row[3], column[3], mark_cos, mark_sin;
    for (int i = 0; i < lanes; ++i) {
      const Start f = unpacked(code[i]);
      const Entry& before = before_[f.pivot].entries[f.before / lanes];
      const Entry& after = after_[f.pivot].entries[f.after / lanes];
      for (int m = 0; m < 3; ++m) {
        row[m].at[i] = before.m[6 + m].at[f.before % lanes];
        column[m].at[i] = after.m[2 + 3 * m].at[f.after % lanes];
      }
      mark_cos.at[i] = asked_.ask.links[f.pivot].mark_cos.at[0];
      mark_sin.at[i] = asked_.ask.links[f.pivot].mark_sin.at[0];
    }
    Target t = asked_.targets[0];
    if (asked_.twins) t = select(Mask{(code & 1) != 0}, asked_.targets[1], t);
    const Pivot answers({load(row[0]), load(row[1]), load(row[2])},
                        {load(column[0]), load(column[1]), load(column[2])}, t.z);
    Judge mark{};
    mark.mark_cos = load(mark_cos);
    mark.mark_sin = load(mark_sin);
    Lanes c[2], sn[2];
    for (int i = 0; i < 2; ++i) answers.turn(i, mark, c[i], sn[i]);
    const Mask second{(code & 2) != 0};
    const Lanes turned = atan2(select(second, sn[1], sn[0]), select(second, c[1], c[0]));
    const RawInt pivot = code >> Start::entries_shift;
    for (int k = 1; k <= inner_; ++k) {
      RawInt choice{};
      if (k < before_known_)
        choice |= (pivot > k) & digits(code >> 9 & 127, before_[k], before_[k + 1]);
      if (k > after_known_)
        choice |= (pivot < k) & digits(code >> 2 & 127, after_[k], after_[k - 1]);
      const Lanes chosen = permuted(load(choices_[k].angle), choice);
      store(select(Mask{pivot == k}, turned, chosen), angles[k]);
    }
    asked_.close(t, angles);
    // Without kinks the way from the posture itself often ends best.
    if (asked_.form.measure == Measure::signed_angle && starts_ == lanes)
      for (int k = 0; k < asked_.form.links; ++k) {
        Float8 posture = asked_.ask.links[k].posture;
        asked_.bring_inside(k, posture);
        angles[k].at[lanes - 1] = posture.at[0];
      }
  }

  Asked asked_;
  const int inner_;
  const int starts_;
  bool first_matters_, last_matters_;
  int order_[most_links], pivots_;  // in which order they are tried
  Entry* room_;
  int before_known_, after_known_;  // up and down to which pivot there are tables
  Choices choices_[most_links];
  Table before_[most_links], after_[most_links];  // [j]: P and S of pivot j
  Ranking ranking_;
};

}  // namespace gestik::poise::GESTIK_POISE_PATH
