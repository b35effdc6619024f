// One step of the refinement, for any type of number: eight floats for the search, one double for
// the last polish.
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
struct Turns {         // per link
  V *cosine, *sine;    // of half the angle
  V *x, *y, *z;        // the axis: a column of A
  V *slope, *freedom;  // g and 1/D
  V* move;             // dtheta
  V *px, *py, *pz;     // the link's place, for an aim at a point
};

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
/// a rotated by q.
template <class V>
GESTIK_INLINE Vector<V> rotated(const Rotation<V>& q, const Vector<V>& a) {
  const Vector<V> u{q.x, q.y, q.z};
  Vector<V> t = cross(u, a);
  t = {t.x + t.x, t.y + t.y, t.z + t.z};
  const Vector<V> s = cross(u, t);
  return {a.x + q.w * t.x + s.x, a.y + q.w * t.y + s.y, a.z + q.w * t.z + s.z};
}

/// The rotation that is still asked for, as a quaternion with w >= 0.
}  // namespace gestik::poise::GESTIK_POISE_PATH
