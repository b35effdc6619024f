#pragma once

#include <variant>

#include "gestik/model/kinematics.h"

namespace gestik {

/// Bring a point of a joint to a place. Residual: metres of distance.
struct Reach {
  JointId joint = 0;
  Vec3 point_in_joint = Vec3::Zero();
  Vec3 target = Vec3::Zero();
  Real weight = 1;
  Real tolerance = 1e-4;
  int priority = 0;
};

/// Bring a joint's frame to an orientation. Residual: radians of the rotation between them.
struct Orient {
  JointId joint = 0;
  Quat target = Quat::Identity();
  /// The end looks the same turned half round `symmetry_axis`: either way up will do.
  bool symmetric = false;
  Vec3 symmetry_axis = Vec3::UnitY();
  Real weight = 1;
  Real tolerance = 1e-3;
  int priority = 0;
};

/// Point a direction of a joint, as seen from a point of it, at a target. Residual: radians between
/// the direction and the line to the target.
struct Aim {
  JointId joint = 0;
  Vec3 axis_in_joint = Vec3::UnitY();
  Vec3 point_in_joint = Vec3::Zero();
  Vec3 target = Vec3::Zero();
  /// `target` is a direction, not a place: aim at a point infinitely far that way.
  bool at_infinity = false;
  Real weight = 1;
  Real tolerance = 1e-3;
  int priority = 0;
};

/// weight: how much this goal counts beside the others, above zero. priority: 0 is served first, by
/// solvers that know priorities. tolerance: the goal is met when its residual is at most this.
using Goal = std::variant<Reach, Orient, Aim>;

/// The expression to keep.
struct Intent {
  ConstQ posture = {};  ///< empty: none
  Real weight = 1;      ///< beside the goals' weights
  /// How strongly each joint holds on, one number per joint: 1 is normal, 0 is free, more holds
  /// harder. Empty: all 1. Solvers that keep no posture still move a joint above 1 less.
  std::span<const Real> per_joint = {};
};

JointId joint_of(const Goal&) noexcept;
Real weight_of(const Goal&) noexcept;
Real tolerance_of(const Goal&) noexcept;
int priority_of(const Goal&) noexcept;
std::string_view kind_of(const Goal&) noexcept;  ///< "reach", "orient", "aim"

/// What looks or points, in the frame of the goal's joint: an aim's axis, an orientation's axis of
/// symmetry. Y where the goal names none.
Vec3 direction_of_end(const Goal&) noexcept;

/// Whether its numbers are finite and its directions longer than zero.
bool is_sound(const Goal&) noexcept;

/// The same goal with its quaternion, axes and direction of unit length, as everything below takes
/// it.
Goal normalized(Goal) noexcept;

/// How far the goal is from being met, in its own unit, when its joint stands at this pose.
Real residual(const Goal&, const Pose& world_from_joint) noexcept;

/// The residual as a vector to be brought to zero: three metres for a reach, three radians for an
/// orient or an aim (rotation vector in world axes that would meet the goal). Its length is
/// residual().
Vec3 residual_vector(const Goal&, const Pose& world_from_joint) noexcept;

/// How fast the residual vector shrinks per tangent coordinate: residual(q (+) v) = residual(q) - J
/// v to first order, exact for a reach and at zero residual for the others. At every residual, J^T
/// residual is the steepest descent of residual^2 / 2. `work` holds the joint's Jacobian.
using ResidualJacobian = Eigen::Matrix<Real, 3, Eigen::Dynamic>;
void residual_jacobian(const Goal&, const Skeleton&, std::span<const Pose> world_from_joint,
                       Eigen::Ref<Jacobian> work, Eigen::Ref<ResidualJacobian> out) noexcept;

/// The goal's target orientation, or its symmetric twin if that is nearer.
Quat nearest_target(const Orient&, const Quat& world_from_joint) noexcept;

/// Where an Aim's joint should look from here: the unit vector to its target, or zero when it sits
/// on it.
Vec3 wanted_direction(const Aim&, const Pose& world_from_joint) noexcept;

/// Whether every goal is within its tolerance: the one meaning of "reached".
bool all_met(std::span<const Goal>, std::span<const Pose> world_from_joint) noexcept;

/// sqrt(sum of weight * (residual beyond the tolerance)^2): how far the goals are from being met.
/// Zero exactly when all_met().
Real goal_error(std::span<const Goal>, std::span<const Pose> world_from_joint) noexcept;

}  // namespace gestik
