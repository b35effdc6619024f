// The refinement, for any type of number: eight floats for the search, one double for the last
// polish.
//
// Wanted is the least posture error f(theta) = sum f_k(theta_k) such that the end is turned by the
// rotation vector phi that the goal still asks for: A dtheta = phi, with the hinges' axes as the
// columns of A, and limits. With D_k > 0 in place of f_k'' and g_k = f_k', the step that makes
// 1/2 dtheta^T D dtheta + g^T dtheta least is
//     dtheta = D^-1 (A^T y - g),   (A D^-1 A^T) y = phi + A D^-1 g,
// a 3x3 system. A link that would pass a limit goes to it, takes its share out of phi and itself
// out of the system, and the rest is solved again.

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

/// The work of a refinement, one cell per link each.
template <class Cell>
struct Links {
  Cell *cosine, *sine;    // of half the angle, then of the whole less the mark
  Cell *x, *y, *z;        // the axis: a column of A
  Cell *slope, *freedom;  // g and 1/D
  Cell* move;             // dtheta
  Cell *px, *py, *pz;     // the link's place, for an aim at a point

  Links(Cell* work, int n)
      : cosine(work),
        sine(work + n),
        x(work + 2 * n),
        y(work + 3 * n),
        z(work + 4 * n),
        slope(work + 5 * n),
        freedom(work + 6 * n),
        move(work + 7 * n),
        px(work + 8 * n),
        py(work + 9 * n),
        pz(work + 10 * n) {}
};

template <class V, class Cell>
struct Refinement {
  Refinement(const Form<Cell>& f, const Ask<Cell>& a, const State<Cell>& s, Cell* work)
      : form(f), ask(a), state(s), links(work, f.links) {}

  const Form<Cell>& form;
  const Ask<Cell>& ask;
  const State<Cell>& state;
  Links<Cell> links;

  Rotation<V> end;                        // the last frame
  Vector<V> eye{V(0), V(0), V(0)}, axis;  // of an aim
  Vector<V> wanted;                       // the direction an aim should have
  V nearness;                             // 1 / distance of an aim's target
  Rotation<V> rest;                       // the rotation that is still asked for, w >= 0
  V posture;                              // its error

  /// Frames, axes and places from the angles; the posture's error on the way.
  GESTIK_INLINE void forward() {
    const int n = form.links;
    sincos_of_halves(state.angles, n, links.sine, links.cosine);
    const bool places = form.wish == Wish::point;
    Rotation<V> q;
    Vector<V> place{V(0), V(0), V(0)};
    posture = V(0);
    for (int k = 0; k < n; ++k) {
      const V sine = load(links.sine[k]), cosine = load(links.cosine[k]);
      if (k == 0) {
        q = {cosine, V(0), V(0), sine};
        store(V(0), links.x[0]);
        store(V(0), links.y[0]);
        store(V(1), links.z[0]);
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
        store(t.z * x2 + t.w * y2, links.x[k]);
        store(t.z * y2 - t.w * x2, links.y[k]);
        store(V(1) - (t.x * x2 + t.y * y2), links.z[k]);
        q = {t.w * cosine - t.z * sine, t.x * cosine + t.y * sine, t.y * cosine - t.x * sine,
             t.w * sine + t.z * cosine};
      }
      if (places) {
        store(place.x, links.px[k]);
        store(place.y, links.py[k]);
        store(place.z, links.pz[k]);
      }
      // Of the whole angle, relative to the mark.
      const V twice = sine + sine;
      const V c1 = V(1) - twice * sine, s1 = twice * cosine;
      const V mc = load(ask.mark_cos[k]), ms = load(ask.mark_sin[k]);
      const V c = c1 * mc + s1 * ms;
      store(c, links.cosine[k]);
      store(s1 * mc - c1 * ms, links.sine[k]);
      const V off = form.measure == Measure::bend ? abs(c - load(ask.bend[k])) : V(1) - c;
      posture = posture + load(ask.weight[k]) * off;
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
      const V c = load(links.cosine[k]), s = load(links.sine[k]), w = load(ask.weight[k]);
      if (form.measure == Measure::bend) {
        const V off = c - load(ask.bend[k]);
        const V pull = w / max(abs(off), soft);
        store(-(pull * off * s), links.slope[k]);
        const V curve = pull * s * s + max(V(0), -(off * pull * c)) + V(0.01f) * w + V(1e-4f);
        store(select(w > V(0), V(1) / curve, V(1e3f)), links.freedom[k]);
      } else {
        store(w * s, links.slope[k]);
        store(V(1) / (w * max(c, V(0.1f)) + V(1e-3f)), links.freedom[k]);
      }
    }
  }

  // Columns of an aim: the turn about its own axis is free, and a link that moves the eye turns the
  // wanted direction as well, by -(wanted x velocity) / distance.
  GESTIK_INLINE void let_the_eye_move() {
    for (int k = 0; k < form.links; ++k) {
      Vector<V> a{load(links.x[k]), load(links.y[k]), load(links.z[k])};
      if (form.wish == Wish::point) {
        const Vector<V> arm{eye.x - load(links.px[k]), eye.y - load(links.py[k]),
                            eye.z - load(links.pz[k])};
        const Vector<V> drift = cross(wanted, cross(a, arm));
        a = {a.x + drift.x * nearness, a.y + drift.y * nearness, a.z + drift.z * nearness};
      }
      const V along = dot(axis, a);
      store(a.x - along * axis.x, links.x[k]);
      store(a.y - along * axis.y, links.y[k]);
      store(a.z - along * axis.z, links.z[k]);
    }
  }

  /// `closing`: to the goal only, the shortest way.
  GESTIK_INLINE void step(V soft, bool closing = false) {
    constexpr int rounds = 3;
    const int n = form.links;
    weigh(soft);
    if (closing)
      for (int k = 0; k < n; ++k) store(V(0), links.slope[k]);
    if (form.wish != Wish::orientation) let_the_eye_move();
    // The angle is 2 asin(s), here to the fifth power of s = |vector|.
    const V s2 = rest.x * rest.x + rest.y * rest.y + rest.z * rest.z;
    const V long_way = V(2) + s2 * (V(0.33333333f) + s2 * V(0.15f));
    Vector<V> phi{rest.x * long_way, rest.y * long_way, rest.z * long_way};
    for (int round = 0; round < rounds; ++round) {
      V xx = V(1e-5f), xy = V(0), xz = V(0), yy = V(1e-5f), yz = V(0), zz = V(1e-5f);
      Vector<V> r = phi;
      for (int k = 0; k < n; ++k) {
        const V f = load(links.freedom[k]), g = load(links.slope[k]);
        const V ax = load(links.x[k]), ay = load(links.y[k]), az = load(links.z[k]);
        const V fx = f * ax, fy = f * ay, fz = f * az;
        xx = xx + fx * ax;
        xy = xy + fx * ay;
        xz = xz + fx * az;
        yy = yy + fy * ay;
        yz = yz + fy * az;
        zz = zz + fz * az;
        r.x = r.x + fx * g;
        r.y = r.y + fy * g;
        r.z = r.z + fz * g;
      }
      // L D L^T.
      const V d1 = V(1) / xx, l21 = xy * d1, l31 = xz * d1;
      const V d2 = V(1) / (yy - l21 * xy), e32 = yz - l31 * xy, l32 = e32 * d2;
      const V d3 = V(1) / max((zz - l31 * xz) - l32 * e32, V(1e-6f));
      const V b2 = r.y - l21 * r.x, b3 = (r.z - l31 * r.x) - l32 * b2;
      const V y3 = b3 * d3, y2 = b2 * d2 - l32 * y3, y1 = (r.x * d1 - l21 * y2) - l31 * y3;
      auto stopped = V(0) > V(1);
      for (int k = 0; k < n; ++k) {
        const V f = load(links.freedom[k]);
        const V ax = load(links.x[k]), ay = load(links.y[k]), az = load(links.z[k]);
        const V at = load(state.angles[k]);
        const V move = f * (((ax * y1 + ay * y2) + az * y3) - load(links.slope[k]));
        const V inside = min(max(at + move, load(ask.lo[k])), load(ask.hi[k])) - at;
        const auto open = f > V(0);
        const auto stops = open & (abs(inside - move) > V(1e-6f));
        const V taken =
            select(open, select(stops, inside, move), round == 0 ? V(0) : load(links.move[k]));
        store(taken, links.move[k]);
        store(select(stops, V(0), f), links.freedom[k]);
        const V lost = select(stops, taken, V(0));
        phi = {phi.x - ax * lost, phi.y - ay * lost, phi.z - az * lost};
        stopped = stopped | stops;
      }
      if (!any(stopped)) break;
    }
    V largest = V(0.7f);
    for (int k = 0; k < n; ++k) largest = max(abs(load(links.move[k])), largest);
    const V scale = V(0.7f) / largest;
    for (int k = 0; k < n; ++k)
      store(min(max(load(state.angles[k]) + scale * load(links.move[k]), load(ask.lo[k])),
                load(ask.hi[k])),
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
