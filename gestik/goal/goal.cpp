#include "gestik/goal/goal.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gestik/math/rotation.h"

namespace gestik {
namespace {

bool is_direction(const Vec3& v) noexcept {
  return is_finite(v) && !v.isZero(0);
}

bool sound(const Reach& goal) noexcept {
  return is_bounded(goal.point_in_joint) && is_bounded(goal.target);
}
bool sound(const Orient& goal) noexcept {
  return is_finite(goal.target) && !goal.target.coeffs().isZero(0) &&
         (!goal.symmetric || is_direction(goal.symmetry_axis));
}
bool sound(const Aim& goal) noexcept {
  return is_direction(goal.axis_in_joint) && is_bounded(goal.point_in_joint) &&
         (goal.at_infinity ? is_direction(goal.target) : is_bounded(goal.target));
}

Vec3 residual_of(const Reach& goal, const Pose& world_from_joint) noexcept {
  return goal.target - world_from_joint * goal.point_in_joint;
}

Vec3 residual_of(const Orient& goal, const Pose& world_from_joint) noexcept {
  return log(nearest_target(goal, world_from_joint.q) * world_from_joint.q.conjugate());
}

Vec3 residual_of(const Aim& goal, const Pose& world_from_joint) noexcept {
  const Vec3 wanted = wanted_direction(goal, world_from_joint);
  const Vec3 axis = world_from_joint.q * goal.axis_in_joint;
  if (wanted.isZero(0)) return pi * any_perpendicular(axis);
  const Vec3 turn = axis.cross(wanted);
  const Real angle = angle_between(axis, wanted);
  const Real s = turn.norm();
  if (s > 1e-12) return angle / s * turn;
  return angle < 1 ? turn : Vec3(pi * any_perpendicular(axis));  // the same, or opposite
}

}  // namespace

JointId joint_of(const Goal& goal) noexcept {
  return std::visit([](const auto& g) { return g.joint; }, goal);
}

Real weight_of(const Goal& goal) noexcept {
  return std::visit([](const auto& g) { return g.weight; }, goal);
}

Real tolerance_of(const Goal& goal) noexcept {
  return std::visit([](const auto& g) { return g.tolerance; }, goal);
}

int priority_of(const Goal& goal) noexcept {
  return std::visit([](const auto& g) { return g.priority; }, goal);
}

bool is_sound(const Goal& goal) noexcept {
  return std::visit([](const auto& g) { return sound(g); }, goal);
}

Goal normalized(Goal goal) noexcept {
  if (Orient* orient = std::get_if<Orient>(&goal)) {
    orient->target = normalized_or_identity(orient->target);
    orient->symmetry_axis = normalized_or_zero(orient->symmetry_axis);
  } else if (Aim* aim = std::get_if<Aim>(&goal)) {
    aim->axis_in_joint = normalized_or_zero(aim->axis_in_joint);
    if (aim->at_infinity) aim->target = normalized_or_zero(aim->target);
  }
  return goal;
}

std::string_view kind_of(const Goal& goal) noexcept {
  switch (goal.index()) {
    case 0:
      return "reach";
    case 1:
      return "orient";
    case 2:
      return "aim";
    default:
      return "";
  }
}

Vec3 direction_of_end(const Goal& goal) noexcept {
  if (const Aim* aim = std::get_if<Aim>(&goal)) return aim->axis_in_joint;
  const Orient* orient = std::get_if<Orient>(&goal);
  return orient && !orient->symmetry_axis.isZero(0) ? orient->symmetry_axis : Vec3(Vec3::UnitY());
}

Quat nearest_target(const Orient& goal, const Quat& world_from_joint) noexcept {
  if (!goal.symmetric) return goal.target;
  const Vec3& a = goal.symmetry_axis;
  const Quat twin = goal.target * Quat(0, a.x(), a.y(), a.z());
  const auto closeness = [&](const Quat& target) {
    return std::abs(target.coeffs().dot(world_from_joint.coeffs()));
  };
  return closeness(goal.target) >= closeness(twin) ? goal.target : twin;
}

Vec3 wanted_direction(const Aim& goal, const Pose& world_from_joint) noexcept {
  if (goal.at_infinity) return normalized_or_zero(goal.target);
  return normalized_or_zero(goal.target - world_from_joint * goal.point_in_joint);
}

Vec3 residual_vector(const Goal& goal, const Pose& world_from_joint) noexcept {
  return std::visit([&](const auto& g) { return residual_of(g, world_from_joint); }, goal);
}

Real residual(const Goal& goal, const Pose& world_from_joint) noexcept {
  return residual_vector(goal, world_from_joint).norm();
}

// Reach: the point's velocity. Orient: the angular velocity. Aim: the angular velocity, plus what
// the eye's own motion p' does: with w the wanted direction and L the distance, w turns at
// -(w x p')/L. With n = axis x w / sin(angle), the angle falls at n . (turn + w x p'/L), so J^T
// residual is its exact gradient. Of both only the part across the axis counts: an aim asks for two
// of the three directions, and must not take the third from other goals.
void residual_jacobian(const Goal& goal, const Skeleton& skeleton,
                       std::span<const Pose> world_from_joint, Eigen::Ref<Jacobian> work,
                       Eigen::Ref<ResidualJacobian> out) noexcept {
  const JointId joint = joint_of(goal);
  const Pose& pose = world_from_joint[joint];
  if (const Reach* reach = std::get_if<Reach>(&goal)) {
    jacobian(skeleton, world_from_joint, joint, pose * reach->point_in_joint, work);
    out = work.topRows<3>();
  } else if (const Aim* aim = std::get_if<Aim>(&goal)) {
    const Vec3 eye = pose * aim->point_in_joint;
    const Vec3 axis = pose.q * aim->axis_in_joint;
    jacobian(skeleton, world_from_joint, joint, eye, work);
    const Vec3 wanted = wanted_direction(*aim, pose);
    const Real distance = aim->at_infinity ? infinity : (aim->target - eye).norm();
    for (Eigen::Index k = 0; k < out.cols(); ++k) {
      Vec3 turn = work.col(k).tail<3>();
      if (distance > 0) turn += wanted.cross(Vec3(work.col(k).head<3>())) / distance;
      out.col(k) = turn - axis * axis.dot(turn);
    }
  } else {
    jacobian(skeleton, world_from_joint, joint, pose.p, work);
    out = work.bottomRows<3>();
  }
}

bool all_met(std::span<const Goal> goals, std::span<const Pose> world_from_joint) noexcept {
  return std::all_of(goals.begin(), goals.end(), [&](const Goal& goal) {
    return residual(goal, world_from_joint[joint_of(goal)]) <= tolerance_of(goal);
  });
}

Real goal_error(std::span<const Goal> goals, std::span<const Pose> world_from_joint) noexcept {
  Real sum = 0;
  bool met = true;
  for (const Goal& goal : goals) {
    const Real beyond = residual(goal, world_from_joint[joint_of(goal)]) - tolerance_of(goal);
    if (beyond <= 0) continue;
    met = false;
    sum += weight_of(goal) * beyond * beyond;
  }
  if (met) return 0;
  return sum == 0 ? std::numeric_limits<Real>::min() : std::sqrt(sum);  // a square may vanish
}

}  // namespace gestik
