#include "gestik/solve/limb/bend.h"

#include <algorithm>

#include "gestik/math/arc_tangent.h"

namespace gestik {

Bend::Bend(const Vec3& u, const Vec3& a, const Vec3& p) noexcept
    : upper(u), axis(a), along(a * a.dot(p)), across(p - along), beside(a.cross(p)) {
  const Real x = u.dot(across), y = u.dot(beside);
  middle = u.squaredNorm() + p.squaredNorm() + 2 * u.dot(along);
  reach = std::sqrt(x * x + y * y);
  farthest = std::sqrt(middle + 2 * reach);
  nearest = std::sqrt(std::max<Real>(0, middle - 2 * reach));
  planar = std::abs(u.dot(a)) + std::abs(a.dot(p)) < 1e-15 * farthest;
  if (reach == 0) return;
  inverse = 1 / (2 * reach);
  // Half the angle of (x, y): axis_turn() has the formula and why it is safe.
  const Quat half = axis_turn(Vec3::UnitX(), x, y, reach);
  half_straight = {half.w(), half.x()};
  straight = y == 0 && x > 0 ? 0 : arc_tangent(y, x);
}

}  // namespace gestik
