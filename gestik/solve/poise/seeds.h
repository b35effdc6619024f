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
  float angle[8], cosine[8], sine[8], cost[8];
};

/// A link's limits and measure, for angles known by cosine and sine.
struct Judge {
  Lanes middle_cos, middle_sin, half_cos;  // inside: cos(angle - middle) >= half_cos
  Lanes mark_cos, mark_sin, bend, weight;
};

/// A start as the search finds it.
struct Found {
  float score;
  float pivot_cos, pivot_sin, first_cos, first_sin, last_cos, last_sin;
  int pivot, before, after;
};

/// How many entries the tables of a chain with `inner` links between the ends have, at most: a
/// power of two.
#ifndef RAD3
#define RAD3 \
  { 8, 4, 2, 2, 2, 2, 2, 2 }
#define RAD4 \
  { 8, 8, 2, 2, 2, 2, 2, 2 }
#define RAD5 \
  { 2, 2, 2, 2, 2, 2, 2, 2 }
#define RT 8
#define PIV5 2
#define DUP 1e-4f
#endif
#ifndef PRUNE
#define PRUNE 7
#endif
GESTIK_INLINE int groups(int size) {
  return size < lanes ? 1 : size / lanes;
}

struct Seeding {
  Seeding(const Form<Float8>& f, const Ask<Float8>& a, int l) : form(f), ask(a), lane(l) {}

  void run(Float8* angles, Float8& scores, Float8* work) {
    for (Found& f : found) f = {1e8f, 1, 0, 1, 0, 1, 0, 1, 0, 0};
    choose();
    rank();
    tabulate(reinterpret_cast<Entry*>(work));
    Target t = target(aim ? 4 : 0);
    t.either_way = form.symmetric && form.aligned;
    search(t);
    if (form.symmetric && !form.aligned) search(target(4));
    write(angles, scores);
  }

  const Form<Float8>& form;
  const Ask<Float8>& ask;
  const int lane;
  const bool aim = form.wish != Wish::orientation;
  const int inner = form.links - (aim ? 1 : 2);  // links 1 .. inner may be the pivot
  Choices choices[most_links];
  Float8 middle_cos[most_links / lanes], middle_sin[most_links / lanes],
      half_cos[most_links / lanes];
  int before_size[most_links], after_size[most_links];
  Entry* before[most_links];  // [j]: the rotations P of pivot j
  Entry* after[most_links];   // [j]: S
  Found found[lanes];

  int radices[most_links];
  bool pivots[most_links];
  GESTIK_INLINE int radix(int k, int size) const {
    const int most = inner <= 7 ? 128 : 4;
    return size * radices[k] <= most ? radices[k] : 1;
  }
  void rank() {
    constexpr int r3[8] = RAD3, r4[8] = RAD4, r5[8] = RAD5;
    const int* r = inner <= 3 ? r3 : inner == 4 ? r4 : r5;
    for (int k = 1; k <= inner; ++k) {
      const float w = ask.weight[k].at[lane];
      int below = 0;
      for (int i = 1; i <= inner; ++i) {
        const float other = ask.weight[i].at[lane];
        below += other > 0 && (other < w || (other == w && i < k));
      }
      radices[k] = w == 0 ? RT : below < 8 ? r[below] : 1;
      pivots[k] = inner <= 4 || w == 0 || below < PIV5;
    }
  }

  GESTIK_INLINE float cost(int k, float cosine, float sine) const {
    const float c = cosine * ask.mark_cos[k].at[lane] + sine * ask.mark_sin[k].at[lane];
    const float w = ask.weight[k].at[lane];
    if (form.measure == Measure::signed_angle) return w * (1 - c);
    const float off = c - ask.bend[k].at[lane];
    return w * (off < 0 ? -off : off);
  }

  /// The angles worth trying, the likeliest first.
  void list(int k, float* angles) const {
    const float lo = ask.lo[k].at[lane], hi = ask.hi[k].at[lane];
    const float posture = ask.posture[k].at[lane], straight = ask.straight[k].at[lane];
    const auto inside = [&](float a) { return a < lo ? lo : a > hi ? hi : a; };
    angles[0] = inside(posture);
    if (ask.weight[k].at[lane] == 0) {
      for (int i = 1; i < lanes; ++i) angles[i] = lo + static_cast<float>(i - 1) * (hi - lo) / 6;
      return;
    }
    if (form.measure == Measure::signed_angle) {
      angles[1] = inside(posture + 0.6f);
      angles[2] = inside(posture - 0.6f);
      angles[3] = inside(2 * straight - posture);
      angles[4] = inside(posture + 1.2f);
      angles[5] = inside(posture - 1.2f);
      angles[6] = lo;
      angles[7] = hi;
      return;
    }
    const bool near_lo = posture - lo < hi - posture;
    angles[1] = inside(2 * straight - posture);
    angles[2] = inside(straight);
    angles[3] = near_lo ? lo : hi;
    angles[4] = near_lo ? hi : lo;
    angles[5] = inside(0.5f * (lo + straight));
    angles[6] = inside(0.5f * (hi + straight));
    angles[7] = inside(0.5f * (posture + straight));
  }

  void choose() {
    Float8 cells[4];
    for (int k = 0; k < form.links; k += lanes) {
      for (int i = 0; i < lanes; ++i) {
        const int link = k + i < form.links ? k + i : 0;
        const float lo = ask.lo[link].at[lane], hi = ask.hi[link].at[lane];
        const float half = 0.5f * (hi - lo);
        cells[0].at[i] = 0.5f * (lo + hi);
        cells[1].at[i] = half < 3.1415f ? half : 3.1415f;
      }
      Lanes s, c;
      sincos(load(cells[0]), s, c);
      store(s, middle_sin[k / lanes]);
      store(c, middle_cos[k / lanes]);
      sincos(load(cells[1]), s, c);
      store(c - Lanes(1e-6f), half_cos[k / lanes]);
    }
    for (int k = 1; k <= inner; ++k) {
      list(k, cells[0].at);
      Lanes s, c;
      sincos(load(cells[0]), s, c);
      store(s, cells[1]);
      store(c, cells[2]);
      Choices& choice = choices[k];
      for (int i = 0; i < lanes; ++i) {
        choice.angle[i] = cells[0].at[i];
        choice.sine[i] = cells[1].at[i];
        choice.cosine[i] = cells[2].at[i];
        choice.cost[i] = cost(k, cells[2].at[i], cells[1].at[i]);
        for (int twin = 0; twin < i; ++twin) {
          const float apart = choice.angle[i] - choice.angle[twin];
          if (apart * apart < 1e-4f) choice.cost[i] = 1e9f;
        }
      }
    }
  }

  /// Eight entries from eight parents: entry i has parent i % size and choice i / size.
  GESTIK_INLINE void spread_choices(const Choices& c, int first, int size, int times, Lanes& cosine,
                                    Lanes& sine, Lanes& cost) {
    Float8 cells[3];
    for (int i = 0; i < lanes; ++i) {
      const int at = ((first + i) / size) % times;
      cells[0].at[i] = c.cosine[at];
      cells[1].at[i] = c.sine[at];
      cells[2].at[i] = c.cost[at];
    }
    cosine = load(cells[0]);
    sine = load(cells[1]);
    cost = load(cells[2]);
  }

  Lanes tilt_cos(int k) const { return Lanes(1 - 2 * form.tilt_sin[k] * form.tilt_sin[k]); }
  Lanes tilt_sin(int k) const { return Lanes(2 * form.tilt_sin[k] * form.tilt_cos[k]); }

  void tabulate(Entry* room) {
    const Matrix<Lanes> one{1, 0, 0, 0, 1, 0, 0, 0, 1};
    before[1] = room++;
    before_size[1] = 1;
    store(then_tilt(one, tilt_cos(1), tilt_sin(1)), *before[1]);
    store(Lanes(0), before[1]->cost);
    for (int j = 2; j <= inner; ++j) {
      const int size = before_size[j - 1], times = radix(j - 1, size);
      before_size[j] = size * times;
      before[j] = room;
      for (int g = 0; g < groups(size * times); ++g, ++room) {
        const Entry& parent = before[j - 1][g % groups(size)];
        Lanes c, s, cost;
        spread_choices(choices[j - 1], times == 1 ? 0 : g * lanes, times == 1 ? lanes : size, times,
                       c, s, cost);
        store(then_tilt(then_turn(load(parent), c, s), tilt_cos(j), tilt_sin(j)), *room);
        store(load(parent.cost) + cost, room->cost);
      }
    }
    Matrix<Lanes> tip = one;
    if (aim) {
      tip.xz = Lanes(form.axis[0]);
      tip.yz = Lanes(form.axis[1]);
      tip.zz = Lanes(form.axis[2]);
    } else {
      tip = tilt_first(one, tilt_cos(inner + 1), tilt_sin(inner + 1));
    }
    after[inner] = room++;
    after_size[inner] = 1;
    store(tip, *after[inner]);
    store(Lanes(0), after[inner]->cost);
    for (int j = inner - 1; j >= 1; --j) {
      const int size = after_size[j + 1], times = radix(j + 1, size);
      after_size[j] = size * times;
      after[j] = room;
      for (int g = 0; g < groups(size * times); ++g, ++room) {
        const Entry& parent = after[j + 1][g % groups(size)];
        Lanes c, s, cost;
        spread_choices(choices[j + 1], times == 1 ? 0 : g * lanes, times == 1 ? lanes : size, times,
                       c, s, cost);
        store(tilt_first(turn_first(load(parent), c, s), tilt_cos(j + 1), tilt_sin(j + 1)), *room);
        store(load(parent.cost) + cost, room->cost);
      }
    }
  }

  Judge judge(int k) const {
    const int g = k / lanes, i = k % lanes;
    return {Lanes(middle_cos[g].at[i]),      Lanes(middle_sin[g].at[i]),
            Lanes(half_cos[g].at[i]),        Lanes(ask.mark_cos[k].at[lane]),
            Lanes(ask.mark_sin[k].at[lane]), Lanes(ask.bend[k].at[lane]),
            Lanes(ask.weight[k].at[lane])};
  }

  /// What an angle costs: its deviation, and what it is beyond the limits.
  GESTIK_INLINE Lanes judged(const Judge& j, Lanes c, Lanes s) const {
    const Lanes inside = c * j.middle_cos + s * j.middle_sin;
    const Lanes beyond = j.half_cos - inside;
    const Lanes mark = c * j.mark_cos + s * j.mark_sin;
    const Lanes off = form.measure == Measure::signed_angle ? Lanes(1) - mark : abs(mark - j.bend);
    return j.weight * off + select(beyond > Lanes(0), Lanes(0.1f) + Lanes(0.5f) * beyond, Lanes(0));
  }

  struct Target {
    Lanes x, y, z, row_x, row_y, scale;
    Lanes xx, yx;  // of the first column, where the last one is upright
    bool upright;  // the ends turn about one line, and only their sum or difference counts
    bool either_way;
  };

  /// Of the target's matrix: the last column, the last row, and 1 over what is left of either
  /// beside zz.
  Target target(int first) const {
    const Lanes w = Lanes(ask.target[first].at[lane]), x = Lanes(ask.target[first + 1].at[lane]),
                y = Lanes(ask.target[first + 2].at[lane]),
                z = Lanes(ask.target[first + 3].at[lane]);
    Target t;
    if (aim) {
      t.x = w, t.y = x, t.z = y;
      t.row_x = t.row_y = Lanes(0);
    } else {
      const Lanes x2 = x + x, y2 = y + y, z2 = z + z;
      t.x = x2 * z + w * y2;
      t.y = y2 * z - w * x2;
      t.z = Lanes(1) - (x2 * x + y2 * y);
      t.row_x = x * z2 - w * y2;
      t.row_y = y * z2 + w * x2;
      t.xx = Lanes(1) - (y2 * y + z2 * z);
      t.yx = x * y2 + w * z2;
    }
    const float zz = aim ? ask.target[first + 2].at[lane] : 0;
    (void)zz;
    Float8 cell;
    store(t.x * t.x + t.y * t.y, cell);
    t.upright = !aim && cell.at[0] < 1e-7f;
    t.scale = Lanes(1) / max(t.x * t.x + t.y * t.y, Lanes(1e-9f));
    t.either_way = false;
    return t;
  }

  GESTIK_INLINE void keep(const Float8& score, const Float8* f, int pivot, int b, int a,
                          bool lanes_before, int valid) {
    for (int i = 0; i < valid; ++i) {
      if (!(score.at[i] < found[lanes - 1].score)) continue;
      int same = 0;
      for (const Found& f : found) {
        const float apart = f.score - score.at[i];
        same += apart < DUP && apart > -DUP && f.pivot == pivot;
      }
      if (same >= 1) continue;
      int at = lanes - 1;
      while (at > 0 && score.at[i] < found[at - 1].score) {
        found[at] = found[at - 1];
        --at;
      }
      found[at] = {score.at[i],
                   f[0].at[i],
                   f[1].at[i],
                   f[2].at[i],
                   f[3].at[i],
                   f[4].at[i],
                   f[5].at[i],
                   pivot,
                   lanes_before ? b + i : b,
                   lanes_before ? a : a + i};
    }
  }

  void search(const Target& t) {
    const Judge first = judge(0), last = judge(form.links - 1);
    for (int j = 1; j <= inner; ++j) {
      if (!pivots[j]) continue;
      const Judge pivot = judge(j);
      const bool lanes_before = before_size[j] > after_size[j];
      const int wide = lanes_before ? before_size[j] : after_size[j];
      const int narrow = lanes_before ? after_size[j] : before_size[j];
      for (int one = 0; one < narrow; ++one) {
        const Entry& e = (lanes_before ? after[j] : before[j])[one / lanes];
        const Matrix<Lanes> single = load_one(e, one % lanes);
        const Lanes single_cost = Lanes(e.cost.at[one % lanes]);
        for (int g = 0; g < groups(wide); ++g) {
          const Entry& many = (lanes_before ? before[j] : after[j])[g];
          const Lanes cost = single_cost + load(many.cost);
          if (!any(cost < Lanes(found[2].score))) continue;
          const Matrix<Lanes> other = load(many);
          const Matrix<Lanes>& p = lanes_before ? other : single;
          const Matrix<Lanes>& s = lanes_before ? single : other;
          const Lanes a = p.zx * s.xz + p.zy * s.yz, b = p.zy * s.xz - p.zx * s.yz;
          const Lanes h = max(a * a + b * b, Lanes(1e-12f)), size = sqrt(h);
          const Lanes wanted = t.z - p.zz * s.zz;
          const Lanes d = min(max(wanted, -size), size);
          const Lanes root = sqrt(max(h - d * d, Lanes(0)));
          const Lanes over_h = Lanes(1) / h;
          const Lanes miss = abs(wanted - d);
          const Mask level = h < Lanes(1e-8f);  // the pivot turns about the line it should turn
          for (int branch = 0; branch < 2; ++branch) {
            const Lanes r = branch == 0 ? root : -root;
            Lanes f[6];
            const Lanes c = select(level, pivot.mark_cos, (a * d - b * r) * over_h);
            const Lanes sn = select(level, pivot.mark_sin, (b * d + a * r) * over_h);
            f[0] = c, f[1] = sn;
            const Lanes wx = s.xz * c - s.yz * sn, wy = s.xz * sn + s.yz * c;
            const Lanes mx = p.xx * wx + p.xy * wy + p.xz * s.zz;
            const Lanes my = p.yx * wx + p.yy * wy + p.yz * s.zz;
            f[2] = (mx * t.x + my * t.y) * t.scale;
            f[3] = (mx * t.y - my * t.x) * t.scale;
            f[4] = Lanes(1), f[5] = Lanes(0);
            if (!aim) {
              const Lanes ux = p.zx * c + p.zy * sn, uy = p.zy * c - p.zx * sn;
              const Lanes rx = ux * s.xx + uy * s.yx + p.zz * s.zx;
              const Lanes ry = ux * s.xy + uy * s.yy + p.zz * s.zy;
              f[4] = (rx * t.row_x + ry * t.row_y) * t.scale;
              f[5] = (ry * t.row_x - rx * t.row_y) * t.scale;
              if (t.upright) {
                const Lanes vx = s.xx * c - s.yx * sn, vy = s.xx * sn + s.yx * c;
                const Lanes kx = p.xx * vx + p.xy * vy + p.xz * s.zx;
                const Lanes ky = p.yx * vx + p.yy * vy + p.yz * s.zx;
                // From the middles of both ranges on, each end takes half.
                const Lanes co0 = kx * t.xx + ky * t.yx, si0 = kx * t.yx - ky * t.xx;
                const Lanes ms = with_turned_sign(last.middle_sin, t.z);
                const Lanes mc = first.middle_cos * last.middle_cos - first.middle_sin * ms;
                const Lanes mS = first.middle_sin * last.middle_cos + first.middle_cos * ms;
                Lanes co = co0 * mc + si0 * mS, si = si0 * mc - co0 * mS;
                if (t.either_way) {
                  const Lanes sign = co;
                  co = with_turned_sign(co, sign);
                  si = with_turned_sign(si, sign);
                }
                const Lanes xc = sqrt(max(Lanes(0.5f) + Lanes(0.5f) * co, Lanes(0)));
                const Lanes xs =
                    with_sign_of(sqrt(max(Lanes(0.5f) - Lanes(0.5f) * co, Lanes(0))), si);
                const Lanes xl = with_turned_sign(xs, t.z);
                f[2] = xc * first.middle_cos - xs * first.middle_sin;
                f[3] = xs * first.middle_cos + xc * first.middle_sin;
                f[4] = xc * last.middle_cos - xl * last.middle_sin;
                f[5] = xl * last.middle_cos + xc * last.middle_sin;
              } else if (t.either_way) {
                const Lanes side = f[4] * last.middle_cos + f[5] * last.middle_sin;
                f[4] = with_turned_sign(f[4], side);
                f[5] = with_turned_sign(f[5], side);
              }
            }
            Lanes score = cost + miss + judged(pivot, c, sn) + judged(first, f[2], f[3]);
            if (!aim) score = score + judged(last, f[4], f[5]);
            if (branch == 1) score = select(root > Lanes(1e-2f), score, Lanes(1e9f));
            if (!any(score < Lanes(found[lanes - 1].score))) continue;
            Float8 cells[6], scores;
            store(score, scores);
            for (int i = 0; i < 6; ++i) store(f[i], cells[i]);
            keep(scores, cells, j, lanes_before ? g * lanes : one, lanes_before ? one : g * lanes,
                 lanes_before, wide < lanes ? wide : lanes);
          }
        }
      }
    }
  }

  GESTIK_INLINE int before_choice(int found_before, int pivot, int k) const {
    const int size = before_size[k], times = before_size[k + 1] / size;
    (void)pivot;
    return found_before / size % times;
  }

  void write(Float8* angles, Float8& scores) {
    Float8 cells[6];
    for (int i = 0; i < lanes; ++i) {
      const Found& f = found[i];
      scores.at[i] = f.score;
      cells[0].at[i] = f.pivot_cos, cells[1].at[i] = f.pivot_sin;
      cells[2].at[i] = f.first_cos, cells[3].at[i] = f.first_sin;
      cells[4].at[i] = f.last_cos, cells[5].at[i] = f.last_sin;
    }
    store(atan2(load(cells[1]), load(cells[0])), cells[0]);
    store(atan2(load(cells[3]), load(cells[2])), angles[0]);
    if (!aim) store(atan2(load(cells[5]), load(cells[4])), angles[form.links - 1]);
    for (int i = 0; i < lanes; ++i) {
      const Found& f = found[i];
      for (int k = 1; k < f.pivot; ++k) {
        const int size = before_size[k], times = before_size[k + 1] / size;
        angles[k].at[i] = choices[k].angle[f.before / size % times];
      }
      angles[f.pivot].at[i] = cells[0].at[i];
      for (int k = inner; k > f.pivot; --k) {
        const int size = after_size[k], times = after_size[k - 1] / size;
        angles[k].at[i] = choices[k].angle[f.after / size % times];
      }
    }
    for (int k = 0; k < form.links; ++k) {
      const Lanes lo = load(ask.lo[k]), hi = load(ask.hi[k]), turn = Lanes(6.283185307f);
      const Lanes l1 = Lanes(ask.lo[k].at[lane]), h1 = Lanes(ask.hi[k].at[lane]);
      (void)lo, (void)hi;
      Lanes a = load(angles[k]);
      const Lanes up = a + turn, down = a - turn;
      const Lanes from_below = select((l1 - a) < (up - h1), l1, min(up, h1));
      const Lanes from_above = select((a - h1) < (l1 - down), h1, max(down, l1));
      store(select(a < l1, from_below, select(a > h1, from_above, a)), angles[k]);
    }
  }
};

}  // namespace gestik::poise::GESTIK_POISE_PATH
