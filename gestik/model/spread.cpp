#include "gestik/model/spread.h"

#include <algorithm>
#include <cmath>

#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// A number in [0, 1) for every dimension and index: a rotation of the circle, i times an
/// irrational step (Weyl), which fills it evenly. The steps of the dimensions must not resemble
/// each other; multiplying by odd constants scatters them (splitmix64), however many there are.
/// Whole numbers throughout: the same bits everywhere.
Real share(int dimension, std::uint32_t index) noexcept {
  std::uint64_t step = 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(dimension) + 1);
  step = (step ^ (step >> 30)) * 0xbf58476d1ce4e5b9u;
  step = (step ^ (step >> 27)) * 0x94d049bb133111ebu;
  step ^= step >> 31;
  return static_cast<Real>(((index + std::uint64_t{1}) * step) >> 11) * 0x1p-53;
}

/// The part of a range to spread over, when one or both of its ends are missing.
Limits bounded(Limits limits, Real length) noexcept {
  const bool below = std::isfinite(limits.lo), above = std::isfinite(limits.hi);
  if (!below && !above) return {.lo = -length / 2, .hi = length / 2};
  if (!below) limits.lo = limits.hi - length;
  if (!above) limits.hi = limits.lo + length;
  return limits;
}

Real within(const Limits& limits, Real share) noexcept {
  return std::clamp(limits.lo + share * (limits.hi - limits.lo), limits.lo, limits.hi);
}

// Even over the ellipse (the square root makes up for the wider outer rings) and over the twist.
Quat spread_ball(const Skeleton& skeleton, JointId j, std::uint32_t index) noexcept {
  const Limits& limits = skeleton.limits(j);
  const int dimension = skeleton.v_offset(j);
  const Real radius = std::sqrt(share(dimension, index));
  const Real around = 2 * pi * share(dimension + 1, index);
  const Real twist = within(bounded(limits, 2 * pi), share(dimension + 2, index));
  return ball_from_angles(skeleton, j,
                          {limits.swing_x * radius * std::cos(around),
                           limits.swing_y * radius * std::sin(around), twist});
}

}  // namespace

void spread_joint(const Skeleton& skeleton, JointId j, std::uint32_t index, Real* q) noexcept {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return;
    case JointType::hinge:
      *q = within(bounded(limits, 2 * pi), share(skeleton.v_offset(j), index));
      return;
    case JointType::slider:
      *q = within(bounded(limits, 2), share(skeleton.v_offset(j), index));
      return;
    case JointType::ball:
      store_quat(spread_ball(skeleton, j, index), q);
      clamp_joint(skeleton, j, q);
      return;
  }
}

void spread_pose(const Skeleton& skeleton, std::uint32_t index, Q q) noexcept {
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    spread_joint(skeleton, j, index, q.data() + skeleton.q_offset(j));
}

}  // namespace gestik
