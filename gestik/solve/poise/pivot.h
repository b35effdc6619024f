// The closed form that starts are found by.
//
// With the links in between at fixed angles, the first link, one pivot j and the last link take any
// orientation T they can reach:
//     T = Z(first) P Z(pivot) S Z(last),   P, S the rotations before and after the pivot.
// The corner of T that neither end changes fixes the pivot: with l the last row of P and v the last
// column of S,
//     (l_x v_x + l_y v_y) cos + (l_y v_x - l_x v_y) sin = T_zz - l_z v_z,
// two answers. The last column and the last row of T then give the ends' angles. An aim has no last
// link to solve for: its last column is all there is.

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

struct Column {
  Lanes x, y, z;
};
struct Row {
  Lanes x, y, z;
};

/// X(tilt) * a and Z(angle) * a.
GESTIK_INLINE Column tilt_first(const Column& a, Lanes c, Lanes s) {
  return {a.x, a.y * c - a.z * s, a.y * s + a.z * c};
}
GESTIK_INLINE Column turn_first(const Column& a, Lanes c, Lanes s) {
  return {a.x * c - a.y * s, a.x * s + a.y * c, a.z};
}
/// a * X(tilt) and a * Z(angle).
GESTIK_INLINE Row then_tilt(const Row& a, Lanes c, Lanes s) {
  return {a.x, a.y * c + a.z * s, a.z * c - a.y * s};
}
GESTIK_INLINE Row then_turn(const Row& a, Lanes c, Lanes s) {
  return {a.x * c + a.y * s, a.y * c - a.x * s, a.z};
}

/// A link's limits and measure, for angles known by cosine and sine.
struct Judge {
  Lanes middle_cos, middle_sin, half_cos;  // inside: cos(angle - middle) >= half_cos
  Lanes mark_cos, mark_sin, bend, weight;
};

/// A range's middle and half, as a judge has them.
GESTIK_INLINE void range_of(Lanes middle, Lanes half, Float8& middle_cos, Float8& middle_sin,
                            Float8& half_cos) {
  Lanes sine, cosine;
  sincos(middle, sine, cosine);
  store(sine, middle_sin);
  store(cosine, middle_cos);
  sincos(min(half, Lanes(3.1415f)), sine, cosine);
  store(cosine - Lanes(1e-6f), half_cos);
}

/// Never below zero, though the cosine and sine of an end that can't be turned right are of no
/// angle: together they may be longer than 1.
GESTIK_INLINE Lanes deviation(Measure measure, const Judge& j, Lanes cosine, Lanes sine) {
  const Lanes mark = cosine * j.mark_cos + sine * j.mark_sin;
  return j.weight *
         (measure == Measure::signed_angle ? max(Lanes(1) - mark, Lanes(0)) : abs(mark - j.bend));
}

/// What an angle costs: its deviation, and what it is beyond the limits.
GESTIK_INLINE Lanes judged(Measure measure, const Judge& j, Lanes cosine, Lanes sine) {
  const Lanes beyond = j.half_cos - (cosine * j.middle_cos + sine * j.middle_sin);
  return deviation(measure, j, cosine, sine) +
         select(beyond > Lanes(0), Lanes(0.1f) + Lanes(0.5f) * beyond, Lanes(0));
}

/// Of the target's matrix, what is needed.
struct Target {
  Lanes x, y, z;       // the last column
  Lanes row_x, row_y;  // of the last row
  Lanes xx, yx;        // of the first column
  Lanes scale;         // 1 / (x^2 + y^2)
  Mask upright;  // x = y = 0: the ends turn about one line, only their sum or difference counts
  bool either_way = false;  // turned half round about the last axis it is the same
};

/// A target from its cells in a question: a rotation's w, x, y, z, or a direction.
GESTIK_INLINE Target read_target(bool aim, const Float8* cells) {
  const Lanes w = load(cells[0]), x = load(cells[1]), y = load(cells[2]), z = load(cells[3]);
  const Lanes two = Lanes(2), one = Lanes(1);
  const Lanes tx = aim ? w : two * (x * z + w * y), ty = aim ? x : two * (y * z - w * x);
  const Lanes tz = aim ? y : one - two * (x * x + y * y);
  const Lanes across = tx * tx + ty * ty;
  return {tx,
          ty,
          tz,
          two * (x * z - w * y),
          two * (y * z + w * x),
          one - two * (y * y + z * z),
          two * (x * y + w * z),
          one / max(across, Lanes(1e-9f)),
          across < Lanes(aim ? 0.0f : 1e-7f)};
}

GESTIK_INLINE float select(bool m, float yes, float no) {
  return m ? yes : no;
}
GESTIK_INLINE Target select(Mask m, const Target& a, const Target& b) {
  return {select(m, a.x, b.x),
          select(m, a.y, b.y),
          select(m, a.z, b.z),
          select(m, a.row_x, b.row_x),
          select(m, a.row_y, b.row_y),
          select(m, a.xx, b.xx),
          select(m, a.yx, b.yx),
          select(m, a.scale, b.scale),
          (m & a.upright) | (~m & b.upright),
          a.either_way};
}

/// The pivot's two answers.
struct Pivot {
  Lanes ad, bd, ar, br, root, over_h;
  Lanes missed;  // how far what is wanted is out of reach
  Mask level;    // the pivot turns about the very line

  GESTIK_INLINE Pivot(const Row& p, const Column& s, Lanes z) {
    const Lanes a = p.x * s.x + p.y * s.y;
    const Lanes b = p.y * s.x - p.x * s.y;
    const Lanes h = max(a * a + b * b, Lanes(1e-12f)), size = sqrt(h);
    const Lanes wanted = z - p.z * s.z;
    const Lanes d = min(max(wanted, -size), size);
    root = sqrt(max(h - d * d, Lanes(0)));
    ad = a * d, bd = b * d, ar = a * root, br = b * root;
    over_h = Lanes(1) / h;
    missed = abs(wanted - d);
    level = h < Lanes(1e-8f);
  }
  /// Its cosine and sine by the first answer, or by the second.
  GESTIK_INLINE void turn(int answer, const Judge& pivot, Lanes& c, Lanes& sn) const {
    c = select(level, pivot.mark_cos, (answer == 0 ? ad - br : ad + br) * over_h);
    sn = select(level, pivot.mark_sin, (answer == 0 ? bd + ar : bd - ar) * over_h);
  }
};

struct Ends {
  Lanes first_cos = 1, first_sin = 0, last_cos = 1, last_sin = 0;
};

/// The first link's angle; mx and my are of the last column of all that is between the ends.
GESTIK_INLINE void solve_first(const Target& t, Lanes mx, Lanes my, Ends& e) {
  e.first_cos = (mx * t.x + my * t.y) * t.scale;
  e.first_sin = (mx * t.y - my * t.x) * t.scale;
}

/// The last link's; rx and ry are of the last row.
GESTIK_INLINE void solve_last(const Target& t, Lanes rx, Lanes ry, const Judge& last, Ends& e) {
  e.last_cos = (rx * t.row_x + ry * t.row_y) * t.scale;
  e.last_sin = (ry * t.row_x - rx * t.row_y) * t.scale;
  if (!t.either_way) return;
  const Lanes side = e.last_cos * last.middle_cos + e.last_sin * last.middle_sin;
  e.last_cos = with_turned_sign(e.last_cos, side);
  e.last_sin = with_turned_sign(e.last_sin, side);
}

/// From the middles of both ranges on, each end takes half of the turn; kx and ky are of the first
/// column.
GESTIK_INLINE Ends share_the_turn(const Target& t, Lanes kx, Lanes ky, const Judge& first,
                                  const Judge& last) {
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

/// The first link's angle when the pivot is turned by this much, and the last one's.
GESTIK_INLINE void first_end(const Target& t, const Matrix<Lanes>& p, const Matrix<Lanes>& s,
                             Lanes c, Lanes sn, Ends& e) {
  const Lanes vx = s.xz * c - s.yz * sn, vy = s.xz * sn + s.yz * c;
  solve_first(t, p.xx * vx + p.xy * vy + p.xz * s.zz, p.yx * vx + p.yy * vy + p.yz * s.zz, e);
}
GESTIK_INLINE void last_end(const Target& t, const Matrix<Lanes>& p, const Matrix<Lanes>& s,
                            Lanes c, Lanes sn, const Judge& last, Ends& e) {
  const Lanes ux = p.zx * c + p.zy * sn, uy = p.zy * c - p.zx * sn;
  solve_last(t, ux * s.xx + uy * s.yx + p.zz * s.zx, ux * s.xy + uy * s.yy + p.zz * s.zy, last, e);
}
GESTIK_INLINE Ends both_ends(const Target& t, const Matrix<Lanes>& p, const Matrix<Lanes>& s,
                             Lanes c, Lanes sn, const Judge& first, const Judge& last) {
  const Lanes vx = s.xx * c - s.yx * sn, vy = s.xx * sn + s.yx * c;
  return share_the_turn(t, p.xx * vx + p.xy * vy + p.xz * s.zx, p.yx * vx + p.yy * vy + p.yz * s.zx,
                        first, last);
}

/// Which ends have a say in the score; `shared`: both turn about one line.
enum class Judged { none, first, last, both, shared };
template <Judged>
struct Which {};
/// f(Which<...>()) of those that have.
template <class F>
GESTIK_INLINE auto with_judged(bool upright, bool first, bool last, F&& f) {
  if (upright) return f(Which<Judged::shared>());
  if (first && last) return f(Which<Judged::both>());
  if (first) return f(Which<Judged::first>());
  if (last) return f(Which<Judged::last>());
  return f(Which<Judged::none>());
}

/// What the ends cost when the pivot is turned by this much.
template <Judged which>
GESTIK_INLINE Lanes cost_of_ends(Measure measure, const Target& t, const Matrix<Lanes>& p,
                                 const Matrix<Lanes>& s, Lanes c, Lanes sn, const Judge& first,
                                 const Judge& last) {
  Lanes sum = 0;
  Ends ends;
  if constexpr (which == Judged::shared) ends = both_ends(t, p, s, c, sn, first, last);
  if constexpr (which == Judged::first || which == Judged::both) first_end(t, p, s, c, sn, ends);
  if constexpr (which == Judged::last || which == Judged::both)
    last_end(t, p, s, c, sn, last, ends);
  if constexpr (which != Judged::none && which != Judged::last)
    sum = judged(measure, first, ends.first_cos, ends.first_sin);
  if constexpr (which != Judged::none && which != Judged::first)
    sum = sum + judged(measure, last, ends.last_cos, ends.last_sin);
  return sum;
}

/// Of a tilt's whole angle.
GESTIK_INLINE Lanes whole_tilt_cos(const Form<Float8>& form, int k) {
  return 1 - 2 * form.tilt_sin[k] * form.tilt_sin[k];
}
GESTIK_INLINE Lanes whole_tilt_sin(const Form<Float8>& form, int k) {
  return 2 * form.tilt_sin[k] * form.tilt_cos[k];
}

/// A question as the search for starts sees it. Who fills it in says what the lanes are.
struct Asked {
  Asked(const Form<Float8>& f, const Ask<Float8>& a, int starts)
      : form(f),
        ask(a),
        one_start(starts == 1),
        aim(f.wish != Wish::orientation),
        twins(f.symmetric && !f.aligned),
        inner(f.links - (aim ? 1 : 2)) {
    targets[0] = read_target(aim, ask.target + (aim ? 4 : 0));
    targets[0].either_way = form.symmetric && form.aligned;
    if (twins) targets[1] = read_target(aim, ask.target + 4);
  }

  const Form<Float8>& form;
  const Ask<Float8>& ask;
  const bool one_start;
  const bool aim;
  const bool twins;  // the end may also take the other target
  const int inner;   // links 1 .. inner are between the ends
  Target targets[2];
  Float8 middle_cos[most_links], middle_sin[most_links], half_cos[most_links];

  Judge judge(int k) const {
    return {load(middle_cos[k]),         load(middle_sin[k]),         load(half_cos[k]),
            load(ask.links[k].mark_cos), load(ask.links[k].mark_sin), load(ask.links[k].bend),
            load(ask.links[k].weight)};
  }
  Lanes tilt_cos(int k) const { return whole_tilt_cos(form, k); }
  Lanes tilt_sin(int k) const { return whole_tilt_sin(form, k); }

  /// Whether an end's angle has a say in the score: it costs something or may be beyond a limit.
  bool matters(int k) const {
    if (k == 0 && form.mirrors) return false;
    const Lanes all = Lanes(k > 0 && targets[0].either_way ? 1.5707f : 3.1415f);
    const Lanes half = Lanes(0.5f) * (load(ask.links[k].hi) - load(ask.links[k].lo));
    return any((load(ask.links[k].weight) > Lanes(0)) | (half < all));
  }

  /// P of the first pivot there may be, and S of the last.
  Matrix<Lanes> root() const {
    return then_tilt(Matrix<Lanes>{1, 0, 0, 0, 1, 0, 0, 0, 1}, tilt_cos(1), tilt_sin(1));
  }
  Matrix<Lanes> tip() const {
    Matrix<Lanes> one{1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!aim) return tilt_first(one, tilt_cos(inner + 1), tilt_sin(inner + 1));
    one.xz = Lanes(form.axis[0]);
    one.yz = Lanes(form.axis[1]);
    one.zz = Lanes(form.axis[2]);
    return one;
  }

  // The lighter a link, the likelier it is that the best pose bends it otherwise: the lightest are
  // tried at eight angles, the heaviest as in the posture and mirrored. In long chains there are
  // enough of them to give way without; there only the lightest may be pivots. Links that cost
  // nothing are always tried all over their range. The signed measure has no kinks for its best
  // poses to sit on: there all links give way a little.
  struct Role {
    int power;   // of two: at how many angles a link is tried
    bool pivot;  // whether it may be the pivot
  };
  Role role(int k) const {
    constexpr int short_chain = 4;
    const float weight = ask.links[k].weight.at[0];
    int lighter = 0;
    for (int i = 1; i <= inner; ++i) {
      const float other = ask.links[i].weight.at[0];
      lighter += other > 0 && (other < weight || (other == weight && i < k));
    }
    const bool kinks = form.measure == Measure::bend;
    const int power = weight == 0           ? 3
                      : inner > short_chain ? (kinks || lighter > 1 ? 1 : 2)
                      : !kinks              ? (lighter == 0 && inner < short_chain ? 3 : 2)
                      : lighter == 0        ? 3
                      : lighter == 1        ? (inner == short_chain ? 1 : 2)
                                            : 1;
    // Of each chain and its mirror image one is almost enough (the angles that are tried are almost
    // the same mirrored): the heaviest link need not be tried mirrored. For eight starts of a long
    // chain it is not.
    const bool one_way = form.mirrors && form.flips[k] && (one_start || inner <= short_chain) &&
                         power == 1 && k == heaviest();
    return {one_way ? 0 : power, inner <= short_chain || weight == 0 || lighter < (kinks ? 2 : 6)};
  }

  /// Of the links in between.
  int heaviest() const {
    int found = 1;
    for (int k = 2; k <= inner; ++k)
      if (ask.links[k].weight.at[0] >= ask.links[found].weight.at[0]) found = k;
    return found;
  }

  /// Those that may be pivots, in the order in which they are tried: what costs nothing first.
  /// Returns how many there are.
  template <class Choices>
  int order_of_pivots(const Choices* choices, int* order) const {
    int count = 0;
    for (int pass = 0; pass < 2; ++pass)
      for (int j = 1; j <= inner; ++j)
        if (choices[j].role.pivot && (pass == 0) == (ask.links[j].weight.at[0] == 0))
          order[count++] = j;
    return count;
  }

  /// How many combinations a table has, as a power of two, with one more link.
  int grown(int power, const Role& role) const {
    constexpr int long_chain = 7;
    const int most = inner <= long_chain ? 7 : 2;
    return power + role.power <= most ? power + role.power : power;
  }

  /// The angles worth trying, the likeliest first: eight, of a lane or of all.
  template <class V>
  void list(bool costs_nothing, V lo, V hi, V posture, V straight, V* angles) const {
    const auto inside = [&](V a) { return select(a < lo, lo, select(a > hi, hi, a)); };
    const auto near_lo = posture - lo < hi - posture;
    angles[0] = inside(posture);
    if (costs_nothing) {
      for (int i = 1; i < lanes; ++i)
        angles[i] = lo + V(static_cast<float>(i - 1)) * (hi - lo) / V(6);
    } else if (form.measure == Measure::signed_angle) {
      angles[1] = inside(posture + V(0.6f));
      angles[2] = inside(posture - V(0.6f));
      angles[3] = inside(V(2) * straight - posture);
      angles[4] = inside(posture + V(1.2f));
      angles[5] = inside(posture - V(1.2f));
      angles[6] = select(near_lo, lo, hi);
      angles[7] = select(near_lo, hi, lo);
    } else {
      angles[1] = inside(V(2) * straight - posture);
      angles[2] = inside(straight);
      angles[3] = select(near_lo, lo, hi);
      angles[4] = select(near_lo, hi, lo);
      angles[5] = inside(V(0.5f) * (lo + straight));
      angles[6] = inside(V(0.5f) * (hi + straight));
      angles[7] = inside(V(0.5f) * (posture + straight));
    }
  }

  /// Turns the ends to the target, the links in between being at their angles, and brings all
  /// inside the limits.
  void close(const Target& t, Float8* angles) const {
    const int end = form.links - 1;
    Float8 cosines[most_links], sines[most_links];
    Row row = then_tilt(Row{0, 0, 1}, tilt_cos(1), tilt_sin(1));
    for (int k = 1; k <= inner; ++k) {
      Lanes sine, cosine;
      sincos(load(angles[k]), sine, cosine);
      store(sine, sines[k]);
      store(cosine, cosines[k]);
      row = then_turn(row, cosine, sine);
      if (k < end) row = then_tilt(row, tilt_cos(k + 1), tilt_sin(k + 1));
    }
    const auto all_of = [&](Column a) {
      if (!aim) a = tilt_first(a, tilt_cos(end), tilt_sin(end));
      for (int k = inner; k >= 1; --k)
        a = tilt_first(turn_first(a, load(cosines[k]), load(sines[k])), tilt_cos(k), tilt_sin(k));
      return a;
    };
    const Column last =
        all_of(aim ? Column{form.axis[0], form.axis[1], form.axis[2]} : Column{0, 0, 1});
    const Judge last_judge = judge(end);
    Ends ends;
    solve_first(t, last.x, last.y, ends);
    if (!aim) solve_last(t, row.x, row.y, last_judge, ends);
    if (any(t.upright)) {
      const Column first = all_of(Column{1, 0, 0});
      const Ends shared = share_the_turn(t, first.x, first.y, judge(0), last_judge);
      ends = {select(t.upright, shared.first_cos, ends.first_cos),
              select(t.upright, shared.first_sin, ends.first_sin),
              select(t.upright, shared.last_cos, ends.last_cos),
              select(t.upright, shared.last_sin, ends.last_sin)};
    }
    if (form.mirrors) mirror(ends, angles);
    store(atan2(ends.first_sin, ends.first_cos), angles[0]);
    if (!aim) store(atan2(ends.last_sin, ends.last_cos), angles[end]);
    for (int k = 0; k < form.links; ++k) bring_inside(k, angles[k]);
  }

  /// Mirrors the chain where its first link would pass a limit.
  void mirror(Ends& ends, Float8* angles) const {
    const Judge first = judge(0);
    const Mask beyond =
        ends.first_cos * first.middle_cos + ends.first_sin * first.middle_sin < first.half_cos;
    if (!any(beyond)) return;
    ends.first_cos = select(beyond, -ends.first_cos, ends.first_cos);
    ends.first_sin = select(beyond, -ends.first_sin, ends.first_sin);
    for (int k = 1; k <= inner; ++k) {
      if (!form.flips[k]) continue;
      bring_inside(k, angles[k]);
      const Lanes angle = load(angles[k]);
      store(select(beyond, Lanes(2) * load(ask.links[k].straight) - angle, angle), angles[k]);
    }
  }

  /// By whole turns where that helps, else to the nearer limit, round the circle.
  void bring_inside(int k, Float8& angles) const {
    const Lanes lo = load(ask.links[k].lo), hi = load(ask.links[k].hi);
    const Lanes turn = Lanes(6.283185307f), a = load(angles);
    const Lanes up = a + turn, down = a - turn;
    const Lanes from_below = select((lo - a) < (up - hi), lo, min(up, hi));
    const Lanes from_above = select((a - hi) < (lo - down), hi, max(down, lo));
    store(select(a < lo, from_below, select(a > hi, from_above, a)), angles);
  }
};

}  // namespace gestik::poise::GESTIK_POISE_PATH
