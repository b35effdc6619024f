#include "gestik/model/spread.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

constexpr std::array<std::uint8_t, 32> primes{2,  3,  5,  7,   11,  13,  17,  19,  23,  29, 31,
                                              37, 41, 43, 47,  53,  59,  61,  67,  71,  73, 79,
                                              83, 89, 97, 101, 103, 107, 109, 113, 127, 131};

/// Any number in [0, 1), always the same for the same dimension and index (splitmix64).
Real scattered(int dimension, std::uint32_t index) noexcept {
  std::uint64_t z = (static_cast<std::uint64_t>(dimension) << 32 | index) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return static_cast<Real>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// A number in [0, 1) for every dimension and index: steps of the square root of a prime round a
/// circle of length 1 (Weyl). They fill the circle evenly, and, the roots being independent of each
/// other, the space of all dimensions too. In very many dimensions no sequence fills anything, and
/// any numbers will do.
Real share(int dimension, std::uint32_t index) noexcept {
  const std::size_t k = static_cast<std::size_t>(dimension);
  if (k >= primes.size()) return scattered(dimension, index);
  const Real way = 0.5 + (index + Real{1}) * std::sqrt(static_cast<Real>(primes[k]));
  return way - std::floor(way);
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
