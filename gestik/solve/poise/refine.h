// The refinement, for any type of number: eight floats for the search, one double for the last
// polish.
//
// Wanted is the least posture error f(theta) = sum f_k(theta_k) such that the end is turned by the
// rotation vector phi that the goal still asks for: A dtheta = phi, with the hinges' axes as the
// columns of A, and limits. With D_k > 0 in place of f_k'' and g_k = f_k', the step that makes
// 1/2 dtheta^T D dtheta + g^T dtheta least is
//     dtheta = D^-1 (A^T y - g),   (A D^-1 A^T) y = phi + A D^-1 g,
// a 3x3 system; for an aim, which may turn about its own axis, a 2x2 one. A link that would pass a
// limit goes to it, takes its share out of phi and itself out of the system, and the rest is solved
// again.

namespace gestik::poise::GESTIK_POISE_PATH {

template <class V>
struct Rotation {
  V w, x, y, z;
};

template <class V>
struct Vector {
  V x, y, z;
};

template <class V>
GESTIK_INLINE V dot(const Vector<V>& a, const Vector<V>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class V>
GESTIK_INLINE Vector<V> cross(const Vector<V>& a, const Vector<V>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class V>
GESTIK_INLINE Rotation<V> product(const Rotation<V>& a, const Rotation<V>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class V>
GESTIK_INLINE Rotation<V> inverse(const Rotation<V>& a) {
  return {a.w, -a.x, -a.y, -a.z};
}
template <class V>
GESTIK_INLINE Vector<V> rotated(const Rotation<V>& q, const Vector<V>& a) {
  const Vector<V> u{q.x, q.y, q.z};
  Vector<V> t = cross(u, a);
  t = {t.x + t.x, t.y + t.y, t.z + t.z};
  const Vector<V> s = cross(u, t);
  return {a.x + q.w * t.x + s.x, a.y + q.w * t.y + s.y, a.z + q.w * t.z + s.z};
}

/// The work of a refinement, for each link.
template <class Cell>
struct LinkWork {
  Cell cosine, sine;    // of half the angle, then of the whole less the mark
  Cell x, y, z;         // the axis: a column of A
  Cell slope, freedom;  // g and 1/D
  Cell move;            // dtheta
  Cell px, py, pz;      // the link's place, for an aim at a point
};
static_assert(sizeof(LinkWork<Float8>) == refine_cells(1) * sizeof(Float8));
static_assert(sizeof(LinkWork<Double1>) == refine_cells(1) * sizeof(Double1));

template <class V, class Cell>
struct Refinement {
  Refinement(const Form<Cell>& f, const Ask<Cell>& a, const State<Cell>& s, Cell* work)
      : form(f), ask(a), state(s), links(reinterpret_cast<LinkWork<Cell>*>(work)) {}

  const Form<Cell>& form;
  const Ask<Cell> ask;
  const State<Cell> state;
  LinkWork<Cell>* const links;

  Rotation<V> end;                        // the last frame
  Vector<V> eye{V(0), V(0), V(0)}, axis;  // of an aim
  Vector<V> wanted;                       // the direction an aim should have
  V nearness;                             // 1 / distance of an aim's target
  Rotation<V> rest;                       // the rotation that is still asked for, w >= 0
  V posture;                              // its error

  /// Frames, axes and places from the angles; the posture's error on the way.
  GESTIK_INLINE void forward() {
    const int n = form.links;
    sincos_of_halves(state.angles, n, links);
    const bool places = form.wish == Wish::point;
    Rotation<V> q;
    Vector<V> place{V(0), V(0), V(0)};
    posture = V(0);
    for (int k = 0; k < n; ++k) {
      const V sine = load(links[k].sine), cosine = load(links[k].cosine);
      if (k == 0) {
        q = {cosine, V(0), V(0), sine};
        store(V(0), links[0].x);
        store(V(0), links[0].y);
        store(V(1), links[0].z);
      } else {
        if (places) {
          const Vector<V> step = rotated(
              q, Vector<V>{V(form.offset[k][0]), V(form.offset[k][1]), V(form.offset[k][2])});
          place = {place.x + step.x, place.y + step.y, place.z + step.z};
        }
        const V c = V(form.tilt_cos[k]), s = V(form.tilt_sin[k]);
        const Rotation<V> t{q.w * c - q.x * s, q.w * s + q.x * c, q.y * c + q.z * s,
                            q.z * c - q.y * s};
        const V x2 = t.x + t.x, y2 = t.y + t.y;
        store(t.z * x2 + t.w * y2, links[k].x);
        store(t.z * y2 - t.w * x2, links[k].y);
        store(V(1) - (t.x * x2 + t.y * y2), links[k].z);
        q = {t.w * cosine - t.z * sine, t.x * cosine + t.y * sine, t.y * cosine - t.x * sine,
             t.w * sine + t.z * cosine};
      }
      if (places) {
        store(place.x, links[k].px);
        store(place.y, links[k].py);
        store(place.z, links[k].pz);
      }
      // Of the whole angle, relative to the mark.
      const V twice = sine + sine;
      const V c1 = V(1) - twice * sine, s1 = twice * cosine;
      const V mc = load(ask.links[k].mark_cos), ms = load(ask.links[k].mark_sin);
      const V c = c1 * mc + s1 * ms;
      store(c, links[k].cosine);
      store(s1 * mc - c1 * ms, links[k].sine);
      const V off = form.measure == Measure::bend ? abs(c - load(ask.links[k].bend)) : V(1) - c;
      posture = posture + load(ask.links[k].weight) * off;
    }
    end = q;
    if (form.wish == Wish::orientation) {
      look_at_orientation();
    } else {
      if (places) {
        const Vector<V> step =
            rotated(q, Vector<V>{V(form.eye[0]), V(form.eye[1]), V(form.eye[2])});
        eye = {place.x + step.x, place.y + step.y, place.z + step.z};
      }
      look_at_aim();
    }
  }

  GESTIK_INLINE void look_at_orientation() {
    const Rotation<V> target{load(ask.target[0]), load(ask.target[1]), load(ask.target[2]),
                             load(ask.target[3])};
    rest = product(target, inverse(end));
    if (form.symmetric) {
      const Rotation<V> other{load(ask.target[4]), load(ask.target[5]), load(ask.target[6]),
                              load(ask.target[7])};
      const Rotation<V> twin = product(other, inverse(end));
      const auto nearer = abs(rest.w) < abs(twin.w);
      rest = {select(nearer, twin.w, rest.w), select(nearer, twin.x, rest.x),
              select(nearer, twin.y, rest.y), select(nearer, twin.z, rest.z)};
    }
    rest = {abs(rest.w), with_turned_sign(rest.x, rest.w), with_turned_sign(rest.y, rest.w),
            with_turned_sign(rest.z, rest.w)};
  }

  // The smallest rotation from the axis to the wanted direction, at the angle a:
  // w = cos(a/2) = sqrt((1 + cos a)/2), vector = axis x wanted / (2 w).
  GESTIK_INLINE void look_at_aim() {
    const Vector<V> target{load(ask.target[0]), load(ask.target[1]), load(ask.target[2])};
    axis = rotated(end, Vector<V>{V(form.axis[0]), V(form.axis[1]), V(form.axis[2])});
    wanted = target;
    if (form.wish == Wish::point) {
      const Vector<V> line{target.x - eye.x, target.y - eye.y, target.z - eye.z};
      nearness = V(1) / sqrt(max(dot(line, line), V(1e-20f)));
      wanted = {line.x * nearness, line.y * nearness, line.z * nearness};
    }
    const V w = sqrt(max(V(0.5f) + V(0.5f) * dot(axis, wanted), V(1e-6f)));
    const V scale = V(0.5f) / w;
    const Vector<V> turn = cross(axis, wanted);
    rest = {w, turn.x * scale, turn.y * scale, turn.z * scale};
  }

  GESTIK_INLINE V error() const {
    const V v2 = rest.x * rest.x + rest.y * rest.y + rest.z * rest.z;
    return sqrt(v2 / (V(1) + rest.w)) + V(form.posture_weight) * posture;
  }

  /// The angle that is still asked for (of a single number).
  double angle() const {
    return 2 * std::atan2(sqrt(rest.x * rest.x + rest.y * rest.y + rest.z * rest.z), rest.w);
  }

  template <class Mask>
  GESTIK_INLINE void remember_best(Mask counts) {
    const V e = error(), least = load(*state.error);
    const auto better = counts & (e < least);
    if (!any(better)) return;
    store(select(better, e, least), *state.error);
    for (int k = 0; k < form.links; ++k)
      store(select(better, load(state.angles[k]), load(state.best[k])), state.best[k]);
  }

  // g and 1/D. The bend's kink at c = cos(angle) - bend = 0 is rounded off: |c| is c^2/m with
  // m = max(|c|, soft).
  GESTIK_INLINE void weigh(V soft) {
    for (int k = 0; k < form.links; ++k) {
      const V c = load(links[k].cosine), s = load(links[k].sine), w = load(ask.links[k].weight);
      if (form.measure == Measure::bend) {
        const V off = c - load(ask.links[k].bend);
        const V pull = w / max(abs(off), soft);
        store(-(pull * off * s), links[k].slope);
        const V curve = pull * s * s + max(V(0), -(off * pull * c)) + V(0.01f) * w + V(1e-4f);
        store(select(w > V(0), V(1) / curve, V(1e3f)), links[k].freedom);
      } else {
        store(w * s, links[k].slope);
        store(V(1) / (w * max(c, V(0.1f)) + V(1e-3f)), links[k].freedom);
      }
    }
  }

  /// A link that moves the eye turns the wanted direction as well, by -(wanted x velocity) /
  /// distance.
  GESTIK_INLINE void let_the_eye_move() {
    for (int k = 0; k < form.links; ++k) {
      const Vector<V> a{load(links[k].x), load(links[k].y), load(links[k].z)};
      const Vector<V> arm{eye.x - load(links[k].px), eye.y - load(links[k].py),
                          eye.z - load(links[k].pz)};
      const Vector<V> drift = cross(wanted, cross(a, arm));
      store(a.x + drift.x * nearness, links[k].x);
      store(a.y + drift.y * nearness, links[k].y);
      store(a.z + drift.z * nearness, links[k].z);
    }
  }

  /// The turn of an aim about its own axis is free: only what is across it counts. Leaves the
  /// columns' two numbers and returns phi's. (The two directions across: Duff et al. 2017.)
  GESTIK_INLINE Vector<V> look_across(const Vector<V>& phi) {
    const V sign = with_sign_of(V(1), axis.z);
    const V a = V(-1) / (sign + axis.z), b = axis.x * axis.y * a;
    const Vector<V> one{V(1) + sign * axis.x * axis.x * a, sign * b, -(sign * axis.x)};
    const Vector<V> two{b, sign + axis.y * axis.y * a, -axis.y};
    for (int k = 0; k < form.links; ++k) {
      const Vector<V> c{load(links[k].x), load(links[k].y), load(links[k].z)};
      store(dot(c, one), links[k].x);
      store(dot(c, two), links[k].y);
    }
    return {dot(phi, one), dot(phi, two), V(0)};
  }

  /// y of (A D^-1 A^T) y = phi + A D^-1 g, with as many rows as count.
  template <int rows>
  GESTIK_INLINE Vector<V> solved(const Vector<V>& phi) const {
    V xx = V(1e-5f), xy = V(0), xz = V(0), yy = V(1e-5f), yz = V(0), zz = V(1e-5f);
    Vector<V> r = phi;
    for (int k = 0; k < form.links; ++k) {
      const V f = load(links[k].freedom), g = load(links[k].slope);
      const V ax = load(links[k].x), ay = load(links[k].y);
      const V fx = f * ax, fy = f * ay;
      xx = xx + fx * ax;
      xy = xy + fx * ay;
      yy = yy + fy * ay;
      r.x = r.x + fx * g;
      r.y = r.y + fy * g;
      if constexpr (rows == 3) {
        const V az = load(links[k].z), fz = f * az;
        xz = xz + fx * az;
        yz = yz + fy * az;
        zz = zz + fz * az;
        r.z = r.z + fz * g;
      }
    }
    // L D L^T.
    const V d1 = V(1) / xx, l21 = xy * d1;
    const V b2 = r.y - l21 * r.x;
    if constexpr (rows == 2) {
      const V y2 = b2 / max(yy - l21 * xy, V(1e-6f));
      return {r.x * d1 - l21 * y2, y2, V(0)};
    } else {
      const V l31 = xz * d1;
      const V d2 = V(1) / (yy - l21 * xy), e32 = yz - l31 * xy, l32 = e32 * d2;
      const V d3 = V(1) / max((zz - l31 * xz) - l32 * e32, V(1e-6f));
      const V b3 = (r.z - l31 * r.x) - l32 * b2;
      const V y3 = b3 * d3, y2 = b2 * d2 - l32 * y3;
      return {(r.x * d1 - l21 * y2) - l31 * y3, y2, y3};
    }
  }

  /// `closing`: to the goal only, the shortest way.
  GESTIK_INLINE void step(V soft, bool closing = false) {
    if (form.wish == Wish::orientation)
      step_in<3>(soft, closing);
    else
      step_in<2>(soft, closing);
  }

  template <int rows>
  GESTIK_INLINE void step_in(V soft, bool closing) {
    constexpr int rounds = 3;
    const int n = form.links;
    weigh(soft);
    if (closing)
      for (int k = 0; k < n; ++k) store(V(0), links[k].slope);
    // The angle is 2 asin(s), here to the fifth power of s = |vector|.
    const V s2 = rest.x * rest.x + rest.y * rest.y + rest.z * rest.z;
    const V long_way = V(2) + s2 * (V(0.33333333f) + s2 * V(0.15f));
    Vector<V> phi{rest.x * long_way, rest.y * long_way, rest.z * long_way};
    if (form.wish == Wish::point) let_the_eye_move();
    if constexpr (rows == 2) phi = look_across(phi);
    for (int round = 0; round < rounds; ++round) {
      const Vector<V> y = solved<rows>(phi);
      auto stopped = V(0) > V(1);
      for (int k = 0; k < n; ++k) {
        const V f = load(links[k].freedom);
        const V ax = load(links[k].x), ay = load(links[k].y);
        const V az = rows == 3 ? load(links[k].z) : V(0);
        const V at = load(state.angles[k]);
        const V along = rows == 3 ? (ax * y.x + ay * y.y) + az * y.z : ax * y.x + ay * y.y;
        const V move = f * (along - load(links[k].slope));
        const V inside = min(max(at + move, load(ask.links[k].lo)), load(ask.links[k].hi)) - at;
        const auto open = f > V(0);
        const auto stops = open & (abs(inside - move) > V(1e-6f));
        const V taken =
            select(open, select(stops, inside, move), round == 0 ? V(0) : load(links[k].move));
        store(taken, links[k].move);
        store(select(stops, V(0), f), links[k].freedom);
        const V lost = select(stops, taken, V(0));
        phi = {phi.x - ax * lost, phi.y - ay * lost, rows == 3 ? phi.z - az * lost : phi.z};
        stopped = stopped | stops;
      }
      if (!any(stopped)) break;
    }
    V largest = V(0.7f);
    for (int k = 0; k < n; ++k) largest = max(abs(load(links[k].move)), largest);
    const V scale = V(0.7f) / largest;
    for (int k = 0; k < n; ++k)
      store(min(max(load(state.angles[k]) + scale * load(links[k].move), load(ask.links[k].lo)),
                load(ask.links[k].hi)),
            state.angles[k]);
  }

  /// Up to so many steps; fewer where the best of all candidates gains less than `gain`, as a
  /// share, in two of them. Returns how many were made.
  int run(int steps, double gain) {
    using Number = typename Cell::Number;
    Number soft = Number(0.03f), before = Number(1e9f);
    for (int i = 0;; ++i) {
      forward();
      remember_best(V(0) < V(1));
      if (i == steps) return i;
      const Number least = lowest(*state.error);
      if (gain >= 0 && least < Number(1e-5f)) return i;
      if (i % 2 == 1) {
        if (least > before * Number(1 - gain)) return i;
        before = least;
      }
      step(max(V(soft), V(1e-4f)));
      soft *= Number(0.4f);
    }
  }

  /// The same for each of some lanes as if it were all eight: one that has come to its end keeps
  /// what it had then.
  template <class Mask>
  void run_each(Mask goes_on, int steps, double gain) {
    using Number = typename Cell::Number;
    Number soft = Number(0.03f);
    V before = V(Number(1e9f));
    for (int i = 0;; ++i) {
      forward();
      remember_best(goes_on);
      if (i == steps) return;
      const V least = load(*state.error);
      goes_on = goes_on & ~(least < V(Number(1e-5f)));
      if (i % 2 == 1) {
        goes_on = goes_on & ~(least > before * V(Number(1 - gain)));
        before = least;
      }
      if (!any(goes_on)) return;
      step(max(V(soft), V(1e-4f)));
      soft *= Number(0.4f);
    }
  }
};

}  // namespace gestik::poise::GESTIK_POISE_PATH
