#include "gestik/model/joint_ops.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/ellipse.h"

namespace gestik {
namespace {

Real finite_or_bound(Real x, const Limits& limits) noexcept {
  if (std::isnan(x)) return 0;
  if (std::isinf(x)) {
    const Real bound = x > 0 ? limits.hi : limits.lo;
    return std::isinf(bound) ? 0 : bound;
  }
  return x;
}

Real clamp_scalar(Real x, const Limits& limits) noexcept {
  return std::clamp(finite_or_bound(x, limits), limits.lo, limits.hi);
}

bool scalar_inside(Real x, const Limits& limits, Real slack) noexcept {
  return x >= limits.lo - slack && x <= limits.hi + slack;  // false for NaN
}

AtLimit scalar_at_limit(Real x, const Limits& limits, Real slack) noexcept {
  if (x <= limits.lo + slack) return AtLimit::lo;
  if (x >= limits.hi - slack) return AtLimit::hi;
  return AtLimit::none;
}

bool any_swing(const Limits& limits) noexcept {
  return limits.swing_x >= pi && limits.swing_y >= pi;
}

/// How far beyond (above zero) or within (below zero) the swing ellipse: to first order, in
/// radians.
Real swing_excess(const BallAngles& angles, const Limits& limits) noexcept {
  const Real level =
      ellipse_level({angles.swing_x, angles.swing_y}, limits.swing_x, limits.swing_y);
  return (std::sqrt(level) - 1) * std::min(limits.swing_x, limits.swing_y);
}

/// A twist t and t +- 2 pi are the same turn: the nearest way into the range decides.
Real clamp_twist(Real twist, const Limits& limits) noexcept {
  if (scalar_inside(twist, limits, limit_slack)) return twist;
  for (Real turned : {twist - 2 * pi, twist + 2 * pi})
    if (scalar_inside(turned, limits, limit_slack)) return turned;
  const Real from_lo = std::abs(wrap_angle(twist - limits.lo));
  const Real from_hi = std::abs(wrap_angle(twist - limits.hi));
  return from_lo < from_hi ? limits.lo : limits.hi;
}

bool twist_inside(Real twist, const Limits& limits, Real slack) noexcept {
  return scalar_inside(twist, limits, slack) || scalar_inside(twist - 2 * pi, limits, slack) ||
         scalar_inside(twist + 2 * pi, limits, slack);
}

Quat clamp_ball(const Skeleton& skeleton, JointId j, const Quat& q) noexcept {
  const Limits& limits = skeleton.limits(j);
  BallAngles angles = ball_angles(skeleton, j, q);
  const bool swing_fits = any_swing(limits) || swing_excess(angles, limits) <= limit_slack;
  const bool twist_fits = twist_inside(angles.twist, limits, limit_slack);
  if (swing_fits && twist_fits) return q;
  if (!swing_fits) {
    const Vec2 nearest =
        nearest_on_ellipse({angles.swing_x, angles.swing_y}, limits.swing_x, limits.swing_y);
    angles.swing_x = nearest.x();
    angles.swing_y = nearest.y();
  }
  angles.twist = clamp_twist(angles.twist, limits);
  return ball_from_angles(skeleton, j, angles);
}

}  // namespace

std::string_view to_string(AtLimit at) noexcept {
  switch (at) {
    case AtLimit::none:
      return "none";
    case AtLimit::lo:
      return "lo";
    case AtLimit::hi:
      return "hi";
    case AtLimit::swing:
      return "swing";
  }
  return "";
}

// The swing carries z of the limit frame; in that frame its quaternion has no z part, so its
// rotation vector is (x, y).
BallAngles ball_angles(const Skeleton& skeleton, JointId j, const Quat& q) noexcept {
  const Quat& joint_from_limit = skeleton.joint_from_limit(j);
  const SwingTwist parts = split_swing_twist(q, skeleton.axis(j));
  const Vec3 swing = joint_from_limit.conjugate() * log(parts.swing);
  return {swing.x(), swing.y(), parts.twist};
}

Quat ball_from_angles(const Skeleton& skeleton, JointId j, const BallAngles& angles) noexcept {
  const Vec3 swing = skeleton.joint_from_limit(j) * Vec3(angles.swing_x, angles.swing_y, 0);
  return normalized_or_identity(exp(swing) * axis_angle(skeleton.axis(j), angles.twist));
}

Pose joint_motion(const Skeleton& skeleton, JointId j, const Real* q) noexcept {
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return {};
    case JointType::hinge:
      return {axis_angle(skeleton.axis(j), q[0]), Vec3::Zero()};
    case JointType::slider:
      return {Quat::Identity(), q[0] * skeleton.axis(j)};
    case JointType::ball:
      return {load_quat(q), Vec3::Zero()};
  }
  return {};
}

void set_zero(const Skeleton& skeleton, JointId j, Real* q) noexcept {
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return;
    case JointType::hinge:
      q[0] = 0;
      return;
    case JointType::slider:
      q[0] = 0;
      return;
    case JointType::ball:
      store_quat(Quat::Identity(), q);
      return;
  }
}

void clamp_joint(const Skeleton& skeleton, JointId j, Real* q) noexcept {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return;
    case JointType::hinge:
      q[0] = clamp_scalar(q[0], limits);
      return;
    case JointType::slider:
      q[0] = clamp_scalar(q[0], limits);
      return;
    case JointType::ball:
      store_quat(clamp_ball(skeleton, j, normalized_or_identity(load_quat(q))), q);
      return;
  }
}

bool joint_inside_limits(const Skeleton& skeleton, JointId j, const Real* q, Real slack) noexcept {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return true;
    case JointType::hinge:
      return std::isfinite(q[0]) && scalar_inside(q[0], limits, slack);
    case JointType::slider:
      return std::isfinite(q[0]) && scalar_inside(q[0], limits, slack);
    case JointType::ball: {
      const Quat value = load_quat(q);
      if (!(std::abs(value.coeffs().squaredNorm() - 1) <= 1e-9)) return false;
      const BallAngles angles = ball_angles(skeleton, j, value);
      return (any_swing(limits) || swing_excess(angles, limits) <= slack) &&
             twist_inside(angles.twist, limits, slack);
    }
  }
  return false;
}

AtLimit joint_at_limit(const Skeleton& skeleton, JointId j, const Real* q, Real slack) noexcept {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return AtLimit::none;
    case JointType::hinge:
      return scalar_at_limit(q[0], limits, slack);
    case JointType::slider:
      return scalar_at_limit(q[0], limits, slack);
    case JointType::ball: {
      const BallAngles angles = ball_angles(skeleton, j, load_quat(q));
      if (!any_swing(limits) && swing_excess(angles, limits) >= -slack) return AtLimit::swing;
      return scalar_at_limit(angles.twist, limits, slack);
    }
  }
  return AtLimit::none;
}

void integrate_joint(JointType type, const Real* q, const Real* v, Real* out) noexcept {
  switch (type) {
    case JointType::fixed:
      return;
    case JointType::hinge:
      out[0] = q[0] + v[0];
      return;
    case JointType::slider:
      out[0] = q[0] + v[0];
      return;
    case JointType::ball:
      store_quat(normalized_or_identity(load_quat(q) * exp({v[0], v[1], v[2]})), out);
      return;
  }
}

void difference_joint(JointType type, const Real* from, const Real* to, Real* v) noexcept {
  switch (type) {
    case JointType::fixed:
      return;
    case JointType::hinge:
      v[0] = to[0] - from[0];
      return;
    case JointType::slider:
      v[0] = to[0] - from[0];
      return;
    case JointType::ball: {
      const Vec3 turn = log(load_quat(from).conjugate() * load_quat(to));
      std::copy_n(turn.data(), 3, v);
      return;
    }
  }
}

}  // namespace gestik
