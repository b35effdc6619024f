#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/types.h"

/// How near lines, triangles and boxes come to each other. A sphere is a point with a radius and a
/// capsule a line with one, so these few squared distances decide every test with one of them. All
/// are exact to rounding for degenerate input too: a line of no length is a point.
namespace gestik {

/// A straight piece of a line.
struct Segment {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
};

struct Triangle {
  Vec3 a, b, c;
};

inline Real clamp01(Real x) noexcept {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}

/// Of two segments. The lines' common perpendicular gives s on the first; clamping s, then t for
/// it, then s for that t, leads to the nearest points because the squared distance is convex in
/// (s, t).
inline Real squared_distance(const Segment& p, const Segment& q) noexcept {
  const Vec3 u = p.b - p.a, v = q.b - q.a, w = p.a - q.a;
  const Real uu = u.dot(u), vv = v.dot(v), uw = u.dot(w), vw = v.dot(w);
  if (uu == 0 && vv == 0) return w.dot(w);
  if (uu == 0) return (w - clamp01(vw / vv) * v).squaredNorm();
  if (vv == 0) return (w + clamp01(-uw / uu) * u).squaredNorm();
  const Real uv = u.dot(v);
  const Real denominator = uu * vv - uv * uv;
  // Parallel lines: any s will do; the clamping below finds a nearest pair from it.
  Real s = denominator > 1e-14 * uu * vv ? clamp01((uv * vw - vv * uw) / denominator) : 0;
  const Real t = clamp01((uv * s + vw) / vv);
  s = clamp01((uv * t - uw) / uu);
  return (w + s * u - t * v).squaredNorm();
}

/// Of a point and a triangle: inside the prism over the triangle the plane is nearest, else an
/// edge.
Real squared_distance(const Vec3& point, const Triangle&) noexcept;

/// Of a segment and a triangle; 0 when they cross.
Real squared_distance(const Segment&, const Triangle&) noexcept;

/// Whether a segment and a triangle come as near as this squared distance: the same verdict,
/// sooner.
bool within(const Segment&, const Triangle&, Real squared_distance) noexcept;

/// Of a segment and the box of these half sizes about the origin; 0 when they meet.
Real squared_distance_to_box(const Segment&, const Vec3& half) noexcept;

}  // namespace gestik
