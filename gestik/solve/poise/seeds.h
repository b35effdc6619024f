// Where to start, in closed form.
//
// With the links in between at fixed angles, the first link, one pivot j and the last link take any
// orientation T they can reach:
//     T = Z(first) P Z(pivot) S Z(last),   P, S the rotations before and after the pivot.
// The corner of T that neither end changes fixes the pivot: with l the last row of P and v the last
// column of S,
//     (l_x v_x + l_y v_y) cos + (l_y v_x - l_x v_y) sin = T_zz - l_z v_z,
// two answers. The last column and the last row of T then give the ends' angles. An aim has no last
// link to solve for: its last column is all there is.
//
// The others are tried at a few angles each: where the posture has them, there mirrored, on either
// limit. A table for each pivot holds P for all of these choices of the links before it, another S.

namespace gestik::poise::GESTIK_POISE_PATH {

template <class V>
struct Matrix {
  V xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

/// a * X(tilt), the tilt's whole angle given.
template <class V>
GESTIK_INLINE Matrix<V> then_tilt(const Matrix<V>& a, V c, V s) {
  return {a.xx, a.xy * c + a.xz * s, a.xz * c - a.xy * s,
          a.yx, a.yy * c + a.yz * s, a.yz * c - a.yy * s,
          a.zx, a.zy * c + a.zz * s, a.zz * c - a.zy * s};
}
/// a * Z(angle).
template <class V>
GESTIK_INLINE Matrix<V> then_turn(const Matrix<V>& a, V c, V s) {
  return {a.xx * c + a.xy * s, a.xy * c - a.xx * s, a.xz,
          a.yx * c + a.yy * s, a.yy * c - a.yx * s, a.yz,
          a.zx * c + a.zy * s, a.zy * c - a.zx * s, a.zz};
}
/// X(tilt) * a.
template <class V>
GESTIK_INLINE Matrix<V> tilt_first(const Matrix<V>& a, V c, V s) {
  return {a.xx,
          a.xy,
          a.xz,
          a.yx * c - a.zx * s,
          a.yy * c - a.zy * s,
          a.yz * c - a.zz * s,
          a.yx * s + a.zx * c,
          a.yy * s + a.zy * c,
          a.yz * s + a.zz * c};
}
/// Z(angle) * a.
template <class V>
GESTIK_INLINE Matrix<V> turn_first(const Matrix<V>& a, V c, V s) {
  return {a.xx * c - a.yx * s,
          a.xy * c - a.yy * s,
          a.xz * c - a.yz * s,
          a.xx * s + a.yx * c,
          a.xy * s + a.yy * c,
          a.xz * s + a.yz * c,
          a.zx,
          a.zy,
          a.zz};
}

struct Entry {  // eight entries of a table
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

/// The angles a link is tried at, and what they cost.
struct Choices {
  Float8 angle, cosine, sine, cost;
  int power;   // of two: how many count
  bool pivot;  // whether the link may be the pivot
};

/// A link's limits and measure, for angles known by cosine and sine.
struct Judge {
  Lanes middle_cos, middle_sin, half_cos;  // inside: cos(angle - middle) >= half_cos
  Lanes mark_cos, mark_sin, bend, weight;
};

/// A table of rotations, one for each combination of choices. Below eight they repeat.
struct Table {
  Entry* entries;
  int power;  // of two: how many there are
  int size() const { return 1 << power; }
  int groups() const { return size() < lanes ? 1 : size() / lanes; }
};

/// A cost that no start has: of choices that are there twice, and of starts not found.
inline constexpr float no_cost = 1e8f;
/// Starts this close in score, with the same pivot, are mirror images: one of them is enough.
inline constexpr float same_score = 1e-4f;
/// Starts that score more than so many times the best one's never end better.
inline constexpr float worth_a_try = 3;
/// The score of a start that leaves nothing to be improved.
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

/// The eight best starts, best first.
struct Ranking {
  Lanes score = no_cost;
  RawInt code{};

  GESTIK_INLINE float best() const { return score.raw[0]; }
  GESTIK_INLINE float worst() const { return score.raw[lanes - 1]; }

  /// Those that are worse move on by one and the start takes the first one's place, without a
  /// branch: where a lane is not worse it stays, else it takes the later of the start and the one
  /// before.
  GESTIK_INLINE void add(float start_score, int start_code) {
    const Lanes s = start_score;
    const RawInt c = start_code - RawInt{};
    const RawInt same_pivot = (code >> Start::entries_shift) == (c >> Start::entries_shift);
    if (any((abs(score - s) < Lanes(same_score)) & Mask{same_pivot})) return;
    const RawInt stays = score.raw <= s.raw;
    const RawInt before_stays = turned_on(stays) | RawInt{-1, 0, 0, 0, 0, 0, 0, 0};
    const Mask stay{stays}, first_worse{before_stays};
    score = select(stay, score, select(first_worse, s, turned_on(score.raw)));
    code = (RawInt)select(stay, (Raw)code, select(first_worse, (Raw)c, (Raw)turned_on(code))).raw;
  }
};

class Seeding {
 public:
  Seeding(const Form<Float8>& form, const Ask<Float8>& ask, int lane)
      : form_(form),
        ask_(ask),
        lane_(lane),
        aim_(form.wish != Wish::orientation),
        twins_(form.symmetric && !form.aligned),
        inner_(form.links - (aim_ ? 1 : 2)) {}

  void run(Float8* angles, Float8& scores, Float8* work) {
    find_middles();
    choose();
    begin_tables(reinterpret_cast<Entry*>(work));
    targets_[0] = read_target(aim_ ? 4 : 0);
    targets_[0].either_way = form_.symmetric && form_.aligned;
    search(0);
    if (twins_) {
      targets_[1] = read_target(4);
      search(1);
    }
    write(angles, scores);
  }

 private:
  // The lighter a link, the likelier it is that the best pose bends it otherwise: the lightest are
  // tried at eight angles, the heaviest as in the posture and mirrored. In long chains there are
  // enough of them to give way without; there only the lightest may be pivots. Links that cost
  // nothing are always tried all over their range. The signed measure has no kinks for its best
  // poses to sit on: there all links give way a little.
  void choose() {
    constexpr int short_chain = 4, long_chain = 7;
    for (int k = 1; k <= inner_; ++k) {
      const float weight = ask_.weight[k].at[lane_];
      int lighter = 0;
      for (int i = 1; i <= inner_; ++i) {
        const float other = ask_.weight[i].at[lane_];
        lighter += other > 0 && (other < weight || (other == weight && i < k));
      }
      Choices& c = choices_[k];
      const bool kinks = form_.measure == Measure::bend;
      c.power = weight == 0            ? 3
                : inner_ > short_chain ? (kinks || lighter > 1 ? 1 : 2)
                : !kinks               ? (lighter == 0 && inner_ < short_chain ? 3 : 2)
                : lighter == 0         ? 3
                : lighter == 1         ? (inner_ == short_chain ? 1 : 2)
                                       : 1;
      c.pivot = inner_ <= short_chain || weight == 0 || lighter < (kinks ? 2 : 6);
      list(k, c.angle.at);
      Lanes sine, cosine;
      sincos(load(c.angle), sine, cosine);
      store(sine, c.sine);
      store(cosine, c.cosine);
      Lanes cost = deviation(measure(k), cosine, sine);
      const Lanes place = Raw{0, 1, 2, 3, 4, 5, 6, 7};
      for (int i = 0; i + 1 < 1 << c.power; ++i) {
        const Mask twin = abs(load(c.angle) - Lanes(c.angle.at[i])) < Lanes(1e-2f);
        cost = select(twin & (place > Lanes(static_cast<float>(i))), Lanes(10 * no_cost), cost);
      }
      store(cost, c.cost);
    }
    most_power_ = inner_ <= long_chain ? 7 : 2;
  }

  /// The angles worth trying, the likeliest first.
  void list(int k, float* angles) const {
    const float lo = ask_.lo[k].at[lane_], hi = ask_.hi[k].at[lane_];
    const float posture = ask_.posture[k].at[lane_], straight = ask_.straight[k].at[lane_];
    const auto inside = [&](float a) { return a < lo ? lo : a > hi ? hi : a; };
    const bool near_lo = posture - lo < hi - posture;
    angles[0] = inside(posture);
    if (ask_.weight[k].at[lane_] == 0) {
      for (int i = 1; i < lanes; ++i) angles[i] = lo + static_cast<float>(i - 1) * (hi - lo) / 6;
    } else if (form_.measure == Measure::signed_angle) {
      angles[1] = inside(posture + 0.6f);
      angles[2] = inside(posture - 0.6f);
      angles[3] = inside(2 * straight - posture);
      angles[4] = inside(posture + 1.2f);
      angles[5] = inside(posture - 1.2f);
      angles[6] = near_lo ? lo : hi;
      angles[7] = near_lo ? hi : lo;
    } else {
      angles[1] = inside(2 * straight - posture);
      angles[2] = inside(straight);
      angles[3] = near_lo ? lo : hi;
      angles[4] = near_lo ? hi : lo;
      angles[5] = inside(0.5f * (lo + straight));
      angles[6] = inside(0.5f * (hi + straight));
      angles[7] = inside(0.5f * (posture + straight));
    }
  }

  /// The middles and halves of the links' ranges, as cosines and sines.
  void find_middles() {
    for (int k = 0; k < form_.links; k += lanes) {
      Float8 middle, half;
      for (int i = 0; i < lanes; ++i) {
        const int link = k + i < form_.links ? k + i : 0;
        const float lo = ask_.lo[link].at[lane_], hi = ask_.hi[link].at[lane_];
        middle.at[i] = 0.5f * (lo + hi);
        half.at[i] = 0.5f * (hi - lo) < 3.1415f ? 0.5f * (hi - lo) : 3.1415f;
      }
      Lanes sine, cosine;
      sincos(load(middle), sine, cosine);
      store(sine, middle_sin_[k / lanes]);
      store(cosine, middle_cos_[k / lanes]);
      sincos(load(half), sine, cosine);
      store(cosine - Lanes(1e-6f), half_cos_[k / lanes]);
    }
  }

  Judge measure(int k) const {
    const int g = k / lanes, i = k % lanes;
    return {Lanes(middle_cos_[g].at[i]),       Lanes(middle_sin_[g].at[i]),
            Lanes(half_cos_[g].at[i]),         Lanes(ask_.mark_cos[k].at[lane_]),
            Lanes(ask_.mark_sin[k].at[lane_]), Lanes(ask_.bend[k].at[lane_]),
            Lanes(ask_.weight[k].at[lane_])};
  }

  GESTIK_INLINE Lanes deviation(const Judge& j, Lanes cosine, Lanes sine) const {
    const Lanes mark = cosine * j.mark_cos + sine * j.mark_sin;
    return j.weight *
           (form_.measure == Measure::signed_angle ? Lanes(1) - mark : abs(mark - j.bend));
  }

  /// What an angle costs: its deviation, and what it is beyond the limits.
  GESTIK_INLINE Lanes judged(const Judge& j, Lanes cosine, Lanes sine) const {
    const Lanes beyond = j.half_cos - (cosine * j.middle_cos + sine * j.middle_sin);
    return deviation(j, cosine, sine) +
           select(beyond > Lanes(0), Lanes(0.1f) + Lanes(0.5f) * beyond, Lanes(0));
  }

  Lanes tilt_cos(int k) const { return Lanes(1 - 2 * form_.tilt_sin[k] * form_.tilt_sin[k]); }
  Lanes tilt_sin(int k) const { return Lanes(2 * form_.tilt_sin[k] * form_.tilt_cos[k]); }

  /// The tables of the links next to the ends; the others grow from them when a pivot asks for
  /// them.
  void begin_tables(Entry* room) {
    room_ = room;
    first_pivot_ = 1;
    while (!choices_[first_pivot_].pivot) ++first_pivot_;
    const Matrix<Lanes> one{1, 0, 0, 0, 1, 0, 0, 0, 1};
    begin(before_[1], then_tilt(one, tilt_cos(1), tilt_sin(1)));
    Matrix<Lanes> tip = one;
    if (aim_) {
      tip.xz = Lanes(form_.axis[0]);
      tip.yz = Lanes(form_.axis[1]);
      tip.zz = Lanes(form_.axis[2]);
    } else {
      tip = tilt_first(one, tilt_cos(inner_ + 1), tilt_sin(inner_ + 1));
    }
    begin(after_[inner_], tip);
    before_known_ = 1;
    after_known_ = inner_;
  }

  void grow_tables(int pivot) {
    while (before_known_ < pivot) {
      const int j = ++before_known_;
      grow(before_[j - 1], choices_[j - 1], before_[j], [&](const auto& m, Lanes c, Lanes s) {
        return then_tilt(then_turn(m, c, s), tilt_cos(j), tilt_sin(j));
      });
    }
    while (after_known_ > pivot) {
      const int j = --after_known_;
      grow(after_[j + 1], choices_[j + 1], after_[j], [&](const auto& m, Lanes c, Lanes s) {
        return tilt_first(turn_first(m, c, s), tilt_cos(j + 1), tilt_sin(j + 1));
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
  void grow(const Table& from, const Choices& choices, Table& to, F&& moved) {
    const int power = from.power + choices.power <= most_power_ ? choices.power : 0;
    to = {room_, from.power + power};
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
      if (any(cost < Lanes(ranking_.best()))) store(moved(load(parent), cosine, sine), *room_);
    }
  }

  /// Of the target's matrix, what the search needs.
  struct Target {
    Lanes x, y, z;       // the last column
    Lanes row_x, row_y;  // of the last row
    Lanes xx, yx;        // of the first column
    Lanes scale;         // 1 / (x^2 + y^2)
    bool upright;  // x = y = 0: the ends turn about one line, only their sum or difference counts
    bool either_way = false;  // turned half round about the last axis it is the same
  };

  Target read_target(int first) const {
    const float w = ask_.target[first].at[lane_], x = ask_.target[first + 1].at[lane_];
    const float y = ask_.target[first + 2].at[lane_], z = ask_.target[first + 3].at[lane_];
    const float tx = aim_ ? w : 2 * (x * z + w * y), ty = aim_ ? x : 2 * (y * z - w * x);
    const float tz = aim_ ? y : 1 - 2 * (x * x + y * y);
    const float across = tx * tx + ty * ty;
    return {Lanes(tx),
            Lanes(ty),
            Lanes(tz),
            Lanes(2 * (x * z - w * y)),
            Lanes(2 * (y * z + w * x)),
            Lanes(1 - 2 * (y * y + z * z)),
            Lanes(2 * (x * y + w * z)),
            Lanes(1 / (across > 1e-9f ? across : 1e-9f)),
            !aim_ && across < 1e-7f};
  }

  struct Ends {
    Lanes first_cos = 1, first_sin = 0, last_cos = 1, last_sin = 0;
  };

  /// The first link's angle when the pivot is turned by this much.
  GESTIK_INLINE void solve_first(const Target& t, const Matrix<Lanes>& p, const Matrix<Lanes>& s,
                                 Lanes c, Lanes sn, Ends& e) const {
    const Lanes vx = s.xz * c - s.yz * sn, vy = s.xz * sn + s.yz * c;
    const Lanes mx = p.xx * vx + p.xy * vy + p.xz * s.zz;
    const Lanes my = p.yx * vx + p.yy * vy + p.yz * s.zz;
    e.first_cos = (mx * t.x + my * t.y) * t.scale;
    e.first_sin = (mx * t.y - my * t.x) * t.scale;
  }

  GESTIK_INLINE void solve_last(const Target& t, const Matrix<Lanes>& p, const Matrix<Lanes>& s,
                                Lanes c, Lanes sn, const Judge& last, Ends& e) const {
    const Lanes ux = p.zx * c + p.zy * sn, uy = p.zy * c - p.zx * sn;
    const Lanes rx = ux * s.xx + uy * s.yx + p.zz * s.zx;
    const Lanes ry = ux * s.xy + uy * s.yy + p.zz * s.zy;
    e.last_cos = (rx * t.row_x + ry * t.row_y) * t.scale;
    e.last_sin = (ry * t.row_x - rx * t.row_y) * t.scale;
    if (!t.either_way) return;
    const Lanes side = e.last_cos * last.middle_cos + e.last_sin * last.middle_sin;
    e.last_cos = with_turned_sign(e.last_cos, side);
    e.last_sin = with_turned_sign(e.last_sin, side);
  }

  /// From the middles of both ranges on, each end takes half of the turn.
  Ends share_the_turn(const Target& t, const Matrix<Lanes>& p, const Matrix<Lanes>& s, Lanes c,
                      Lanes sn, const Judge& first, const Judge& last) const {
    const Lanes vx = s.xx * c - s.yx * sn, vy = s.xx * sn + s.yx * c;
    const Lanes kx = p.xx * vx + p.xy * vy + p.xz * s.zx;
    const Lanes ky = p.yx * vx + p.yy * vy + p.yz * s.zx;
    const Lanes turn_cos = kx * t.xx + ky * t.yx, turn_sin = kx * t.yx - ky * t.xx;
    const Lanes last_sin = with_turned_sign(last.middle_sin, t.z);
    const Lanes middle_cos = first.middle_cos * last.middle_cos - first.middle_sin * last_sin;
    const Lanes middle_sin = first.middle_sin * last.middle_cos + first.middle_cos * last_sin;
    Lanes rest_cos = turn_cos * middle_cos + turn_sin * middle_sin;
    Lanes rest_sin = turn_sin * middle_cos - turn_cos * middle_sin;
    if (t.either_way) {
      rest_sin = with_turned_sign(rest_sin, rest_cos);
      rest_cos = abs(rest_cos);
    }
    const Lanes half_cos = sqrt(max(Lanes(0.5f) + Lanes(0.5f) * rest_cos, Lanes(0)));
    const Lanes half_sin =
        with_sign_of(sqrt(max(Lanes(0.5f) - Lanes(0.5f) * rest_cos, Lanes(0))), rest_sin);
    const Lanes back = with_turned_sign(half_sin, t.z);
    return {half_cos * first.middle_cos - half_sin * first.middle_sin,
            half_sin * first.middle_cos + half_cos * first.middle_sin,
            half_cos * last.middle_cos - back * last.middle_sin,
            back * last.middle_cos + half_cos * last.middle_sin};
  }

  /// Whether a link's angle has a say in the score: it costs something or may be beyond a limit.
  bool matters(int k, const Target& t) const {
    const bool half_round = k > 0 && t.either_way;
    const float all = half_round ? 1.5707f : 3.1415f;
    return t.upright || ask_.weight[k].at[lane_] > 0 ||
           0.5f * (ask_.hi[k].at[lane_] - ask_.lo[k].at[lane_]) < all;
  }

  /// All pivots, those that cost nothing first.
  void search(int twin) {
    const int end = form_.links - 1;
    const Judge first = measure(0), last = measure(end);
    const bool first_matters = matters(0, targets_[twin]);
    const bool last_matters = !aim_ && matters(end, targets_[twin]);
    for (int pass = 0; pass < 2; ++pass)
      for (int j = 1; j <= inner_; ++j)
        if (choices_[j].pivot && (pass == 0) == (ask_.weight[j].at[lane_] == 0)) {
          if (ranking_.best() < perfect) return;
          grow_tables(j);
          try_pivot(j, twin, first_matters ? &first : nullptr, last_matters ? &last : nullptr);
        }
  }

  /// The pivot's two answers.
  struct Pivot {
    Lanes a, b, d, root, over_h;
    Lanes missed;  // how far what is wanted is out of reach
    Mask level;    // the pivot turns about the very line

    GESTIK_INLINE Pivot(const Matrix<Lanes>& p, const Matrix<Lanes>& s, Lanes z) {
      a = p.zx * s.xz + p.zy * s.yz;
      b = p.zy * s.xz - p.zx * s.yz;
      const Lanes h = max(a * a + b * b, Lanes(1e-12f)), size = sqrt(h);
      const Lanes wanted = z - p.zz * s.zz;
      d = min(max(wanted, -size), size);
      root = sqrt(max(h - d * d, Lanes(0)));
      over_h = Lanes(1) / h;
      missed = abs(wanted - d);
      level = h < Lanes(1e-8f);
    }
    GESTIK_INLINE void turn(Lanes r, Lanes mark_cos, Lanes mark_sin, Lanes& c, Lanes& sn) const {
      c = select(level, mark_cos, (a * d - b * r) * over_h);
      sn = select(level, mark_sin, (b * d + a * r) * over_h);
    }
  };

  /// Some pairs of a group of the larger table and an entry of the smaller, and their scores: eight
  /// of each answer. They are scored without a branch, one pair beside the next, and ranked after.
  struct Pairs {
    static constexpr int most = 16;
    int count = 0;
    int group[most], one[most];
    Float8 score[most][2];
  };

  /// What a pivot is tried with. An end is judged where it is given.
  struct Trial {
    int pivot, twin;
    const Judge *first, *last;
    bool many_before;  // the table before the pivot is the larger one
    const Table &many, &few;
  };

  void try_pivot(int j, int twin, const Judge* first, const Judge* last) {
    const bool many_before = before_[j].power > after_[j].power;
    const Trial trial{j,
                      twin,
                      first,
                      last,
                      many_before,
                      many_before ? before_[j] : after_[j],
                      many_before ? after_[j] : before_[j]};
    Pairs pairs;
    for (int one = 0; one < trial.few.size(); ++one) {
      const float single_cost = trial.few.entries[one / lanes].cost.at[one % lanes];
      for (int g = 0; g < trial.many.groups(); ++g) {
        const Lanes cost = Lanes(single_cost) + load(trial.many.entries[g].cost);
        if (!any(cost < Lanes(ranking_.best()))) continue;
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
        unsigned good = all & bits(load(scores) < Lanes(worst));
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
    const Target& t = targets_[trial.twin];
    const Judge pivot = measure(trial.pivot);
    Lanes least = no_cost;
    for (int pair = 0; pair < pairs.count; ++pair) {
      const int one = pairs.one[pair];
      const Entry& single = trial.few.entries[one / lanes];
      const Entry& many = trial.many.entries[pairs.group[pair]];
      const Matrix<Lanes> single_matrix = load_one(single, one % lanes), group = load(many);
      const Matrix<Lanes>& p = trial.many_before ? group : single_matrix;
      const Matrix<Lanes>& s = trial.many_before ? single_matrix : group;
      const Pivot answers(p, s, t.z);
      const Lanes base = (Lanes(single.cost.at[one % lanes]) + load(many.cost)) + answers.missed;
      for (int answer = 0; answer < 2; ++answer) {
        Lanes c, sn;
        answers.turn(answer == 0 ? answers.root : -answers.root, pivot.mark_cos, pivot.mark_sin, c,
                     sn);
        Lanes sum = base + judged(pivot, c, sn);
        Ends ends;
        if (t.upright) {
          ends = share_the_turn(t, p, s, c, sn, *trial.first, *trial.last);
        } else {
          if (trial.first) solve_first(t, p, s, c, sn, ends);
          if (trial.last) solve_last(t, p, s, c, sn, *trial.last, ends);
        }
        if (trial.first) sum = sum + judged(*trial.first, ends.first_cos, ends.first_sin);
        if (trial.last) sum = sum + judged(*trial.last, ends.last_cos, ends.last_sin);
        if (answer == 1) sum = select(answers.root > Lanes(1e-2f), sum, Lanes(no_cost));
        store(sum, pairs.score[pair][answer]);
        least = min(sum, least);
      }
    }
    Float8 cell;
    store(least, cell);
    return lowest(cell);
  }

  /// Both ends of the starts that were found, in whichever tables they are.
  void write(Float8* angles, Float8& scores) const {
    const int end = form_.links - 1;
    store(ranking_.score, scores);
    // Where fewer than eight were found, the best stands in for the rest.
    const unsigned known = bits(ranking_.score < Lanes(no_cost));
    const int found = known == 0 ? 1 : 32 - __builtin_clz(known);
    Start starts[lanes];
    Entry p, s;
    Float8 sign, side, mark_cos, mark_sin;
    for (int i = 0; i < found; ++i) {
      const Start f = starts[i] =
          known == 0 ? Start{first_pivot_, 0, 0, 0, 0} : unpacked(ranking_.code[i]);
      const Entry& before = before_[f.pivot].entries[f.before / lanes];
      const Entry& after = after_[f.pivot].entries[f.after / lanes];
      const auto put = [&](float x, Float8& cell) {
        if (i == 0)
          store(Lanes(x), cell);
        else
          cell.at[i] = x;
      };
      for (int m = 0; m < 9; ++m) {
        put(before.m[m].at[f.before % lanes], p.m[m]);
        put(after.m[m].at[f.after % lanes], s.m[m]);
      }
      put(f.answer == 0 ? 1.0f : -1.0f, sign);
      put(static_cast<float>(f.twin), side);
      put(ask_.mark_cos[f.pivot].at[lane_], mark_cos);
      put(ask_.mark_sin[f.pivot].at[lane_], mark_sin);
    }
    for (int i = found; i < lanes; ++i) starts[i] = starts[0];
    Lanes pivot = Lanes(0), first = Lanes(0), last = Lanes(0);
    const Judge first_judge = measure(0), last_judge = measure(end);
    for (int twin = 0; twin < (twins_ ? 2 : 1); ++twin) {
      const Target& t = targets_[twin];
      const Pivot answers(load(p), load(s), t.z);
      Lanes c, sn;
      answers.turn(answers.root * load(sign), load(mark_cos), load(mark_sin), c, sn);
      Ends ends;
      if (t.upright) {
        ends = share_the_turn(t, load(p), load(s), c, sn, first_judge, last_judge);
      } else {
        solve_first(t, load(p), load(s), c, sn, ends);
        if (!aim_) solve_last(t, load(p), load(s), c, sn, last_judge, ends);
      }
      const Mask mine = twin == 0 ? load(side) < Lanes(0.5f) : load(side) > Lanes(0.5f);
      pivot = select(mine, atan2(sn, c), pivot);
      first = select(mine, atan2(ends.first_sin, ends.first_cos), first);
      last = select(mine, atan2(ends.last_sin, ends.last_cos), last);
    }
    Float8 pivots;
    store(pivot, pivots);
    store(first, angles[0]);
    if (!aim_) store(last, angles[end]);
    for (int i = 0; i < lanes; ++i) {
      const Start& f = starts[i];
      for (int k = 1; k < f.pivot; ++k)
        angles[k].at[i] = choices_[k].angle.at[digit(f.before, before_[k], before_[k + 1])];
      angles[f.pivot].at[i] = pivots.at[i];
      for (int k = inner_; k > f.pivot; --k)
        angles[k].at[i] = choices_[k].angle.at[digit(f.after, after_[k], after_[k - 1])];
    }
    // Without kinks the way from the posture itself often ends best.
    if (form_.measure == Measure::signed_angle)
      for (int k = 0; k < form_.links; ++k) angles[k].at[lanes - 1] = ask_.posture[k].at[lane_];
    for (int k = 0; k < form_.links; ++k) bring_inside(k, angles[k]);
  }

  /// Which choice an entry of the later table takes for the link that it has more.
  static int digit(int entry, const Table& table, const Table& next) {
    return entry >> table.power & ((1 << (next.power - table.power)) - 1);
  }

  /// By whole turns where that helps, else to the nearer limit, round the circle.
  void bring_inside(int k, Float8& angles) const {
    const Lanes lo = Lanes(ask_.lo[k].at[lane_]), hi = Lanes(ask_.hi[k].at[lane_]);
    const Lanes turn = Lanes(6.283185307f), a = load(angles);
    const Lanes up = a + turn, down = a - turn;
    const Lanes from_below = select((lo - a) < (up - hi), lo, min(up, hi));
    const Lanes from_above = select((a - hi) < (lo - down), hi, max(down, lo));
    store(select(a < lo, from_below, select(a > hi, from_above, a)), angles);
  }

  const Form<Float8>& form_;
  const Ask<Float8>& ask_;
  const int lane_;
  const bool aim_;
  const bool twins_;  // the end may also take the other target
  const int inner_;   // links 1 .. inner_ are between the ends
  int most_power_;
  int first_pivot_;
  Entry* room_;
  int before_known_, after_known_;  // up and down to which pivot there are tables
  Target targets_[2];
  Choices choices_[most_links];
  Float8 middle_cos_[most_links / lanes], middle_sin_[most_links / lanes];
  Float8 half_cos_[most_links / lanes];
  Table before_[most_links], after_[most_links];  // [j]: P and S of pivot j
  Ranking ranking_;
};

}  // namespace gestik::poise::GESTIK_POISE_PATH
