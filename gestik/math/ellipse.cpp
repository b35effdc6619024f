#include "gestik/math/ellipse.h"

#include <algorithm>
#include <cmath>

namespace gestik {

Real ellipse_level(const Vec2& p, Real a, Real b) noexcept {
  const Real x = p.x() / a, y = p.y() / b;
  return x * x + y * y;
}

// The nearest point is (a^2 x/(t + a^2), b^2 y/(t + b^2)) with t the largest root of
//   g(t) = (a x/(t + a^2))^2 + (b y/(t + b^2))^2 - 1.
// For a point outside, g(0) > 0 and g is convex and falling on t >= 0, so Newton climbs to the root
// from the left without ever passing it: no bracket is needed. Either square alone is at most 1 at
// the root, so the root is at least a x - a^2 and b y - b^2. Starting there, with g at most 1,
// takes a handful of steps however flat the ellipse and however far the point; from t = 0 the first
// steps would only double t.
Vec2 nearest_on_ellipse(const Vec2& p, Real a, Real b) noexcept {
  const Real x = std::abs(p.x()), y = std::abs(p.y());
  Real t = std::max({0.0, a * (x - a), b * (y - b)});
  for (int i = 0; i < 64; ++i) {
    const Real u = a * x / (t + a * a), v = b * y / (t + b * b);
    const Real g = u * u + v * v - 1;
    const Real slope = -2 * (u * u / (t + a * a) + v * v / (t + b * b));
    if (!(g > 0) || slope == 0) break;
    const Real next = t - g / slope;
    if (next <= t) break;
    t = next;
  }
  Vec2 nearest(a * a * x / (t + a * a), b * b * y / (t + b * b));
  nearest /= std::sqrt(ellipse_level(nearest, a, b));  // from within rounding of the edge onto it
  return {std::copysign(nearest.x(), p.x()), std::copysign(nearest.y(), p.y())};
}

}  // namespace gestik
