#pragma once

#include <array>

#include "gestik/math/rotation.h"
#include "gestik/model/skeleton.h"

/// Every operation that depends on a joint's type, each one switch without default: a new type that
/// is forgotten anywhere does not compile (-Werror=switch).
namespace gestik {

constexpr int q_size(JointType type) noexcept {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::hinge:
      return 1;
    case JointType::slider:
      return 1;
    case JointType::ball:
      return 4;
  }
  return 0;
}

constexpr int v_size(JointType type) noexcept {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::hinge:
      return 1;
    case JointType::slider:
      return 1;
    case JointType::ball:
      return 3;
  }
  return 0;
}

/// Whether these limits let a ball turn any way at all.
constexpr bool is_free_ball(const Limits& limits) noexcept {
  return limits.hi - limits.lo >= 2 * pi && limits.swing_x >= pi && limits.swing_y >= pi;
}

/// A ball's quaternion in q is w, x, y, z.
inline Quat load_quat(const Real* q) noexcept {
  return {q[0], q[1], q[2], q[3]};
}
inline void store_quat(const Quat& value, Real* q) noexcept {
  q[0] = value.w();
  q[1] = value.x();
  q[2] = value.y();
  q[3] = value.z();
}

/// Which bound a joint sits on.
enum class AtLimit : std::uint8_t { none, lo, hi, swing };
std::string_view to_string(AtLimit) noexcept;

/// A ball's limit counts as kept, and any joint as sitting on its limit, within this much (radians,
/// metres): a swing and a twist can't be read back from a quaternion to the last bit. Near a swing
/// of pi a quaternion tells its twist less and less, and the slack for it grows as 1/cos(swing/2).
inline constexpr Real limit_slack = 1e-12;

// All of the below take one joint's own coordinates: q is the joint's first coordinate, v its first
// tangent coordinate.

/// The joint's motion: joint frame at rest from joint frame moved.
Pose joint_motion(const Skeleton&, JointId, const Real* q) noexcept;

void set_zero(const Skeleton&, JointId, Real* q) noexcept;

/// Brings a joint inside its limits by the smallest change of the coordinate (hinge, slider) or of
/// the swing and the twist (ball, which keeps its bits when it is inside to limit_slack). Clamping
/// twice is clamping once, bit for bit. NaN becomes zero first; an infinite value goes to its bound
/// if there is one and to zero otherwise; a quaternion is normalised, one that can't be is the
/// identity.
void clamp_joint(const Skeleton&, JointId, Real* q) noexcept;

bool joint_inside_limits(const Skeleton&, JointId, const Real* q,
                         Real slack = limit_slack) noexcept;

/// The bound the joint sits on, or beyond, within `slack`.
AtLimit joint_at_limit(const Skeleton&, JointId, const Real* q, Real slack = limit_slack) noexcept;

/// How far a joint is beyond its limits in radians or metres, below zero within them, and at which
/// bound that is: the worst one. A joint without limits is infinitely far within.
struct Excess {
  Real amount = -infinity;
  AtLimit at = AtLimit::none;
};
Excess joint_excess(const Skeleton&, JointId, const Real* q) noexcept;

/// Directions a joint can't go, at right angles to each other and of unit length, as tangent
/// coordinates (a hinge or slider uses the first).
struct ClosedWays {
  std::array<Vec3, 2> out;
  int count = 0;
};

/// Where the joint sits on limits, within `slack`, and v leads out of them: take the components of
/// v along these directions away, and what is left is the move nearest to v that does not.
ClosedWays closed_ways(const Skeleton&, JointId, const Real* q, const Real* v,
                       Real slack = limit_slack) noexcept;

/// out = q (+) v. May write in place.
void integrate_joint(JointType, const Real* q, const Real* v, Real* out) noexcept;

/// v such that from (+) v = to, the shortest.
void difference_joint(JointType, const Real* from, const Real* to, Real* v) noexcept;

/// A ball's orientation in the coordinates its limits are written in.
struct BallAngles {
  Real swing_x, swing_y;  ///< the swing's rotation vector in the limit frame
  Real twist;
};
BallAngles ball_angles(const Skeleton&, JointId, const Quat&) noexcept;
Quat ball_from_angles(const Skeleton&, JointId, const BallAngles&) noexcept;

}  // namespace gestik
