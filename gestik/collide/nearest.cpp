#include "gestik/collide/nearest.h"

namespace gestik {
namespace {

/// The point goes to the nearest point of the segment.
Real squared_distance(const Vec3& point, const Vec3& a, const Vec3& b) noexcept {
  const Vec3 u = b - a, w = point - a;
  const Real uu = u.dot(u);
  return (w - (uu > 0 ? clamp01(u.dot(w) / uu) : 0) * u).squaredNorm();
}

/// How far a point is outside the box along each axis, with the sign of the side.
Vec3 beyond(const Vec3& p, const Vec3& half) noexcept {
  Vec3 out;
  for (int k = 0; k < 3; ++k) out[k] = p[k] - std::clamp(p[k], -half[k], half[k]);
  return out;
}

}  // namespace

Real squared_distance(const Vec3& point, const Triangle& t) noexcept {
  const Vec3 ab = t.b - t.a, bc = t.c - t.b, ca = t.a - t.c;
  const Vec3 normal = ab.cross(-ca);
  const Vec3 ap = point - t.a, bp = point - t.b, cp = point - t.c;
  const bool over = ab.cross(ap).dot(normal) >= 0 && bc.cross(bp).dot(normal) >= 0 &&
                    ca.cross(cp).dot(normal) >= 0;
  const Real size = normal.squaredNorm();
  if (over && size > 0) {
    const Real height = ap.dot(normal);
    return height * height / size;
  }
  return std::min({squared_distance(point, t.a, t.b), squared_distance(point, t.b, t.c),
                   squared_distance(point, t.c, t.a)});
}

// If they do not cross, the nearest points are an end of the segment and a point of the triangle,
// or a point of the segment and one of an edge.
Real squared_distance(const Segment& s, const Triangle& t) noexcept {
  const Vec3 ab = t.b - t.a, ac = t.c - t.a;
  const Vec3 normal = ab.cross(ac);
  const Vec3 from_a = s.a - t.a, along = s.b - s.a;
  const Real size = normal.squaredNorm();
  const Real height_a = from_a.dot(normal), slope = along.dot(normal);
  const Real height_b = height_a + slope;

  // Over the triangle? The foot of a point p in the plane has the weights of b and c that the
  // areas give; `inside` wants them and their rest not below zero.
  const auto inside = [&](const Vec3& from) {
    const Real weight_c = ab.cross(from).dot(normal), weight_b = from.cross(ac).dot(normal);
    return weight_b >= 0 && weight_c >= 0 && weight_b + weight_c <= size;
  };
  Real nearest = infinity;
  if (size > 0) {
    const bool crosses_plane = (height_a > 0) != (height_b > 0) || height_a == 0 || height_b == 0;
    if (crosses_plane && slope != 0 && inside(from_a - (height_a / slope) * along)) return 0;
    if (inside(from_a)) nearest = height_a * height_a / size;
    if (inside(from_a + along)) nearest = std::min(nearest, height_b * height_b / size);
  }
  return std::min({nearest, squared_distance(s, Segment{t.a, t.b}),
                   squared_distance(s, Segment{t.b, t.c}), squared_distance(s, Segment{t.c, t.a})});
}

// Of most triangles a tree offers, the plane is already too far: both ends on one side of it. Where
// the triangle is too thin for its plane to be known (its sine below 1e-6), that says nothing.
bool within(const Segment& s, const Triangle& t, Real squared) noexcept {
  const Vec3 ab = t.b - t.a, ac = t.c - t.a;
  const Vec3 normal = ab.cross(ac);
  const Real height_a = (s.a - t.a).dot(normal), height_b = (s.b - t.a).dot(normal);
  const Real nearer = std::min(std::abs(height_a), std::abs(height_b));
  const Real size = normal.squaredNorm();
  if (height_a * height_b > 0 && nearer * nearer > (1 + 1e-9) * squared * size &&
      size > 1e-12 * ab.squaredNorm() * ac.squaredNorm())
    return false;
  return squared_distance(s, t) <= squared;
}

// Along the segment, the squared distance to the box is convex and between the places where a
// coordinate crosses a face it is a parabola. Its slope, 2 beyond(p) . direction, grows all the
// way: the least distance is where the slope goes through zero, in the piece whose ends have slopes
// of different signs.
Real squared_distance_to_box(const Segment& s, const Vec3& half) noexcept {
  const Vec3 direction = s.b - s.a;
  const auto at = [&](Real t) { return beyond(s.a + t * direction, half); };
  const auto slope = [&](Real t) { return at(t).dot(direction); };

  Real lo = 0, hi = 1;
  if (slope(lo) >= 0) return at(lo).squaredNorm();
  if (slope(hi) <= 0) return at(hi).squaredNorm();
  for (int k = 0; k < 3; ++k) {
    if (direction[k] == 0) continue;
    for (const Real face : {-half[k], half[k]}) {
      const Real t = (face - s.a[k]) / direction[k];
      if (!(t > lo && t < hi)) continue;
      (slope(t) < 0 ? lo : hi) = t;
    }
  }
  const Real slope_lo = slope(lo), slope_hi = slope(hi);
  const Real t = slope_hi > slope_lo ? lo + (hi - lo) * (-slope_lo / (slope_hi - slope_lo)) : lo;
  return std::min({at(t).squaredNorm(), at(lo).squaredNorm(), at(hi).squaredNorm()});
}

}  // namespace gestik
