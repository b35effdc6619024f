#include "gestik/solve/kick.h"

#include <array>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// Evenly spread numbers in [-1, 1): multiples of an irrational number.
Real spread(int index, Real irrational) noexcept {
  const Real x = (index + 1) * irrational;
  return 2 * (x - std::floor(x)) - 1;
}

}  // namespace

void kick(const Problem& problem, Real angle, int round, Q q) noexcept {
  constexpr Real golden = 0.6180339887498949, plastic = 0.7548776662466927;
  const Skeleton& skeleton = problem.skeleton;
  for (const Goal& goal : problem.goals) {
    int index = 0;
    for (JointId j = joint_of(goal); j != no_joint; j = skeleton.parent(j)) {
      const JointType type = skeleton.type(j);
      if (!may_move(problem, j) || type == JointType::slider) continue;
      const Real side = round == 0 ? (index % 2 == 0 ? 1 : -1) : spread(index * round, golden);
      const Real about = round == 0 ? 0 : pi * spread(index * round, plastic);
      const Vec3& axis = skeleton.axis(j);
      const Vec3 bend = angle * side * (axis_angle(axis, about) * any_perpendicular(axis));
      const std::array<Real, 3> v = type == JointType::hinge
                                        ? std::array<Real, 3>{angle * side, 0, 0}
                                        : std::array<Real, 3>{bend.x(), bend.y(), bend.z()};
      Real* const value = q.data() + skeleton.q_offset(j);
      integrate_joint(type, value, v.data(), value);
      clamp_joint(skeleton, j, value);
      ++index;
    }
  }
}

}  // namespace gestik
