#include "gestik/goal/objective.h"

#include <cmath>

namespace gestik {
namespace {

// residual_jacobian() is linear in the joint's velocity, so its transpose takes the residual r to a
// wrench: J^T r per coordinate is that wrench's work on the coordinate's motion.
Wrench pull(const Reach& goal, const Pose& world, const Vec3& r) noexcept {
  return {r, (world.q * goal.point_in_joint).cross(r)};
}

Wrench pull(const Orient&, const Pose&, const Vec3& r) noexcept {
  return {Vec3::Zero(), r};
}

// Rows: what of turn + w x v / L is across the axis, with v the eye's velocity. r is across axis
// and w, and r . (w x v) = v . (r x w).
Wrench pull(const Aim& goal, const Pose& world, const Vec3& r) noexcept {
  const Vec3 arm = world.q * goal.point_in_joint;
  const Vec3 axis = world.q * goal.axis_in_joint;
  const Vec3 turn = r - axis * axis.dot(r);
  const Real distance = goal.at_infinity ? infinity : (goal.target - world.p - arm).norm();
  if (!(distance > 0)) return {Vec3::Zero(), turn};
  const Vec3 force = r.cross(wanted_direction(goal, world)) / distance;
  return {force, turn + arm.cross(force)};
}

}  // namespace

Real objective(std::span<const Goal> goals, std::span<const Pose> world_from_joint) noexcept {
  Real sum = 0;
  for (const Goal& goal : goals)
    sum += weight_of(goal) * residual_vector(goal, world_from_joint[joint_of(goal)]).squaredNorm();
  return sum / 2;
}

void steepest_descent(std::span<const Goal> goals, const Skeleton& skeleton,
                      std::span<const Pose> world_from_joint, std::span<Wrench> work,
                      V out) noexcept {
  for (Wrench& wrench : work) wrench = {Vec3::Zero(), Vec3::Zero()};
  for (const Goal& goal : goals) {
    const JointId joint = joint_of(goal);
    const Pose& world = world_from_joint[joint];
    const Vec3 r = weight_of(goal) * residual_vector(goal, world);
    const Wrench wrench = std::visit([&](const auto& g) { return pull(g, world, r); }, goal);
    work[joint].force += wrench.force;
    work[joint].torque += wrench.torque;
  }
  const std::span<const Skeleton::Joint> joints = skeleton.joints();
  for (JointId j = skeleton.joint_count() - 1; j >= 0; --j) {
    const Skeleton::Joint& joint = joints[j];
    const Pose& world = world_from_joint[j];
    const Wrench& wrench = work[j];
    Real* const v = out.data() + joint.v_offset;
    switch (joint.type) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        *v = (world.q * joint.axis).dot(wrench.torque);
        break;
      case JointType::slider:
        *v = (world.q * joint.axis).dot(wrench.force);
        break;
      case JointType::ball:
        Eigen::Map<Vec3>{v} = world.q.conjugate() * wrench.torque;
        break;
    }
    if (joint.parent == no_joint) continue;
    Wrench& below = work[joint.parent];
    below.force += wrench.force;
    below.torque +=
        wrench.torque + (world.p - world_from_joint[joint.parent].p).cross(wrench.force);
  }
}

void stacked_residual(std::span<const Goal> goals, std::span<const Pose> world_from_joint,
                      Eigen::Ref<Vector> out) noexcept {
  Eigen::Index row = 0;
  for (const Goal& goal : goals) {
    out.segment<3>(row) =
        std::sqrt(weight_of(goal)) * residual_vector(goal, world_from_joint[joint_of(goal)]);
    row += 3;
  }
}

void stacked_jacobian(std::span<const Goal> goals, const Skeleton& skeleton,
                      std::span<const Pose> world_from_joint, Eigen::Ref<Jacobian> work,
                      Eigen::Ref<Matrix> out) noexcept {
  Eigen::Index row = 0;
  for (const Goal& goal : goals) {
    Eigen::Map<ResidualJacobian, 0, Eigen::OuterStride<>> rows(
        out.data() + row, 3, out.cols(), Eigen::OuterStride<>(out.outerStride()));
    residual_jacobian(goal, skeleton, world_from_joint, work, rows);
    rows *= std::sqrt(weight_of(goal));
    row += 3;
  }
}

}  // namespace gestik
