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

Excess scalar_excess(Real x, const Limits& limits) noexcept {
  const Real below = limits.lo - x, above = x - limits.hi;
  if (std::max(below, above) == -infinity) return {};
  return below > above ? Excess{below, AtLimit::lo} : Excess{above, AtLimit::hi};
}

bool any_swing(const Limits& limits) noexcept {
  return limits.swing_x >= pi && limits.swing_y >= pi;
}

/// Half axes of the swing ellipse. Below the slack one can't tell how narrow it is, so none is
/// taken for narrower, and no square here comes near underflow.
Vec2 swing_axes(const Limits& limits) noexcept {
  return {std::max(limits.swing_x, limit_slack), std::max(limits.swing_y, limit_slack)};
}

/// How far beyond (above zero) or within (below zero) the swing ellipse, in radians, to first
/// order: with f = sqrt(level), the distance to the edge f = 1 is (f - 1) / |grad f|.
Real swing_excess(const BallAngles& angles, const Limits& limits) noexcept {
  const Vec2 axes = swing_axes(limits);
  const Real u = angles.swing_x / axes.x(), v = angles.swing_y / axes.y();
  const Real f = Vec2(u, v).norm();
  if (f == 0) return -axes.minCoeff();
  return (f - 1) * f / Vec2(u / axes.x(), v / axes.y()).norm();
}

/// The twist range on the circle, where t and t +- 2 pi are the same turn: a middle in [-pi, pi]
/// and how far to either side. A whole turn, or more, is no limit.
struct TwistRange {
  Real middle, half;
  explicit TwistRange(const Limits& limits) noexcept
      : middle(0), half(limits.hi / 2 - limits.lo / 2) {
    if (limited()) middle = wrap_angle(limits.lo + half);
  }
  bool limited() const noexcept { return half < pi; }
  Real from_middle(Real twist) const noexcept { return wrap_angle(twist - middle); }
};

Real twist_excess(Real twist, const Limits& limits) noexcept {
  const TwistRange range(limits);
  return range.limited() ? std::abs(range.from_middle(twist)) - range.half : -infinity;
}

/// The nearest bound, the shorter way round.
Real clamp_twist(Real twist, const Limits& limits) noexcept {
  const TwistRange range(limits);
  return range.middle + std::copysign(range.half, range.from_middle(twist));
}

AtLimit twist_at_limit(Real twist, const Limits& limits, Real slack) noexcept {
  const TwistRange range(limits);
  if (!range.limited()) return AtLimit::none;
  return scalar_at_limit(range.from_middle(twist), {.lo = -range.half, .hi = range.half}, slack);
}

/// The slack for angles that were read from a quaternion. Its parts that tell the twist, and with
/// it the swing's direction, fade as cos(swing/2): near a swing of pi a turn of `slack` moves them
/// by this much, and at pi they mean nothing.
Real reading_slack(const BallAngles& angles, Real slack) noexcept {
  const Real left = std::abs(std::cos(std::hypot(angles.swing_x, angles.swing_y) / 2));
  return slack / std::max(left, 1e-16);
}

bool fits(const BallAngles& angles, const Limits& limits, Real slack) noexcept {
  const Real swing = any_swing(limits) ? -infinity : swing_excess(angles, limits);
  const Real most = std::max(swing, twist_excess(angles.twist, limits));
  // How far it swings is told at pi as well as anywhere: no slack excuses more than the long axis.
  if (swing > slack &&
      std::hypot(angles.swing_x, angles.swing_y) > swing_axes(limits).maxCoeff() + slack)
    return false;
  return most <= 0 || most <= reading_slack(angles, slack);
}

/// Whether a ball is so plainly inside that no angle has to be computed: with t the tangent of half
/// an angle, 2 t (15 + 4 t^2) / (15 + 9 t^2) is never below the angle, and by less than a hundredth
/// above it up to a right angle. Most poses of most joints end here. It is clear of its limits by
/// `margin` then. In plain numbers, which stay in registers.
inline bool plainly_inside(const Skeleton& skeleton, JointId j, const Quat& q,
                           Real margin = 0) noexcept {
  const Limits& limits = skeleton.limits(j);
  const Vec3& axis = skeleton.axis(j);
  const Real along = q.x() * axis.x() + q.y() * axis.y() + q.z() * axis.z();
  const Real a2 = along * along, w2 = q.w() * q.w();
  const Real upright = w2 + a2;  // squared cosine of half the swing
  const Real lying = q.x() * q.x() + q.y() * q.y() + q.z() * q.z() - a2;
  const Real narrowest =
      std::max<Real>(0.999999 * std::min(limits.swing_x, limits.swing_y) - margin, 0);
  const Real swing = 2 * (15 * upright + 4 * lying),
             allowed = narrowest * (15 * upright + 9 * lying);
  const Real twist = 2 * along * (15 * w2 + 4 * a2) / (q.w() * (15 * w2 + 9 * a2));
  return (any_swing(limits) || lying * swing * swing <= upright * allowed * allowed) &&
         limits.lo <= 0 && limits.hi >= 0 && twist >= 0.999999 * limits.lo + margin &&
         twist <= 0.999999 * limits.hi - margin;
}

bool surely_inside(const Skeleton& skeleton, JointId j, const Quat& q) noexcept {
  return is_free_ball(skeleton.limits(j)) || plainly_inside(skeleton, j, q);
}

Quat clamp_ball(const Skeleton& skeleton, JointId j, const Quat& q) noexcept {
  const Limits& limits = skeleton.limits(j);
  if (surely_inside(skeleton, j, q)) return q;
  BallAngles angles = ball_angles(skeleton, j, q);
  if (fits(angles, limits, limit_slack)) return q;
  // Once it must be rebuilt, both go inside without slack: the new quaternion then reads back
  // inside whatever its own rounding does.
  if (!any_swing(limits) && swing_excess(angles, limits) > 0) {
    const Vec2 axes = swing_axes(limits);
    const Vec2 nearest = nearest_on_ellipse({angles.swing_x, angles.swing_y}, axes.x(), axes.y());
    angles.swing_x = nearest.x();
    angles.swing_y = nearest.y();
  }
  if (twist_excess(angles.twist, limits) > 0) angles.twist = clamp_twist(angles.twist, limits);
  return ball_from_angles(skeleton, j, angles);
}

// How swing and twist change when a ball turns in its own frame, q exp(w) with q = S T:
//
// S T exp(w) = S exp(w') T with w' = T w. With the axis a, the swing's direction s, its angle f and
// u = a x s, the right Jacobian of the rotation vector f s gives, to first order in w',
//
//     d twist = w' . (a + tan(f/2) u)
//     d swing = s (s . w') + u (u . w') f / sin f     (the axis moves on a sphere: a step along a
//                                                      circle of latitude is f / sin f steps here)
//
// so the limits' gradients in w are these, turned back by T. Both are scaled by a cosine or sine
// here: what matters is the direction, and at a swing of pi the tangent has no end.
struct BallFrame {
  Vec3 a, s, u;  ///< already turned back by T
  Real angle;    ///< of the swing
  Vec2 direction;
};

BallFrame ball_frame(const Skeleton& skeleton, JointId j, const BallAngles& angles) noexcept {
  const Vec2 swing(angles.swing_x, angles.swing_y);
  const Real angle = swing.norm();
  const Vec2 direction = angle > 0 ? Vec2(swing / angle) : Vec2::UnitX();
  const Quat body_from_limit =
      axis_angle(skeleton.axis(j), -angles.twist) * skeleton.joint_from_limit(j);
  return {body_from_limit * Vec3::UnitZ(), body_from_limit * Vec3(direction.x(), direction.y(), 0),
          body_from_limit * Vec3(-direction.y(), direction.x(), 0), angle, direction};
}

Vec3 out_of_twist(const BallFrame& frame) noexcept {
  return std::cos(frame.angle / 2) * frame.a + std::sin(frame.angle / 2) * frame.u;
}

Vec3 out_of_swing(const BallFrame& frame, const BallAngles& angles, const Limits& limits) noexcept {
  const Vec2 axes = swing_axes(limits);
  const Vec2 normal =
      Vec2(angles.swing_x / (axes.x() * axes.x()), angles.swing_y / (axes.y() * axes.y()))
          .normalized();
  const Real along = normal.dot(frame.direction);
  const Real across = normal.dot(Vec2(-frame.direction.y(), frame.direction.x()));
  const Real stretch = frame.angle > 1e-8 ? std::sin(frame.angle) / frame.angle : 1;
  return (stretch * along * frame.s + across * frame.u).normalized();
}

ClosedWays scalar_closed(Real x, Real v, const Limits& limits, Real slack) noexcept {
  ClosedWays closed;
  if ((v < 0 && x <= limits.lo + slack) || (v > 0 && x >= limits.hi - slack))
    closed.out[closed.count++] = Vec3::UnitX();
  return closed;
}

void close(const Vec3& way, ClosedWays& closed) noexcept {
  const Vec3 rest = closed.count == 0 ? way : Vec3(way - closed.out[0] * closed.out[0].dot(way));
  const Real length = rest.norm();
  if (length > 1e-9) closed.out[closed.count++] = rest / length;
}

/// The nearest place to v behind two walls, given by their outward normals (zero: no wall): v
/// itself, its shadow on one wall or, where neither shadow will do, on the edge between them.
ClosedWays behind_walls(const Vec3& first, const Vec3& second, const Vec3& v) noexcept {
  ClosedWays closed;
  const Real beyond_first = v.dot(first), beyond_second = v.dot(second), both = first.dot(second);
  if (beyond_first <= 0 && beyond_second <= 0) return closed;
  const bool first_will_do = beyond_first > 0 && beyond_second <= beyond_first * both;
  const bool second_will_do = beyond_second > 0 && beyond_first <= beyond_second * both;
  if (!second_will_do) close(first, closed);
  if (!first_will_do) close(second, closed);
  return closed;
}

ClosedWays ball_closed(const Skeleton& skeleton, JointId j, const Quat& q, const Vec3& v,
                       Real slack) noexcept {
  if (plainly_inside(skeleton, j, q, slack)) return {};
  const Limits& limits = skeleton.limits(j);
  const BallAngles angles = ball_angles(skeleton, j, q);
  const TwistRange range(limits);
  const Real from_middle = range.from_middle(angles.twist);
  const bool at_lo = range.limited() && -from_middle >= range.half - slack;
  const bool at_hi = range.limited() && from_middle >= range.half - slack;
  const bool at_swing = !any_swing(limits) && swing_excess(angles, limits) >= -slack;
  if (!at_lo && !at_hi && !at_swing) return {};

  const BallFrame frame = ball_frame(skeleton, j, angles);
  const Vec3 more_twist = out_of_twist(frame);
  const Vec3 swing = at_swing ? out_of_swing(frame, angles, limits) : Vec3(Vec3::Zero());
  if (!(at_lo && at_hi)) return behind_walls((at_hi - at_lo) * more_twist, swing, v);
  ClosedWays closed;  // no room to twist at all
  close(more_twist, closed);
  if (swing.dot(v - more_twist * more_twist.dot(v)) > 0) close(swing, closed);
  return closed;
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
    case JointType::ball: {
      const Quat value = load_quat(q);
      if (is_unit(value) && surely_inside(skeleton, j, value)) return;
      store_quat(clamp_ball(skeleton, j, normalized_or_identity(value)), q);
      return;
    }
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
      if (surely_inside(skeleton, j, value)) return true;
      const BallAngles angles = ball_angles(skeleton, j, value);
      return fits(angles, limits, slack);
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
      return twist_at_limit(angles.twist, limits, slack);
    }
  }
  return AtLimit::none;
}

Excess joint_excess(const Skeleton& skeleton, JointId j, const Real* q) noexcept {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return {};
    case JointType::hinge:
      return scalar_excess(q[0], limits);
    case JointType::slider:
      return scalar_excess(q[0], limits);
    case JointType::ball: {
      const BallAngles angles = ball_angles(skeleton, j, load_quat(q));
      const Real swing = any_swing(limits) ? -infinity : swing_excess(angles, limits);
      const TwistRange range(limits);
      if (!range.limited()) return {swing, swing > -infinity ? AtLimit::swing : AtLimit::none};
      const Real from_middle = range.from_middle(angles.twist);
      const Real twist = std::abs(from_middle) - range.half;
      if (swing >= twist) return {swing, AtLimit::swing};
      return {twist, from_middle < 0 ? AtLimit::lo : AtLimit::hi};
    }
  }
  return {};
}

ClosedWays closed_ways(const Skeleton& skeleton, JointId j, const Real* q, const Real* v,
                       Real slack) noexcept {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return {};
    case JointType::hinge:
      return scalar_closed(q[0], v[0], limits, slack);
    case JointType::slider:
      return scalar_closed(q[0], v[0], limits, slack);
    case JointType::ball:
      return ball_closed(skeleton, j, load_quat(q), {v[0], v[1], v[2]}, slack);
  }
  return {};
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
