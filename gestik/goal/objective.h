#pragma once

#include "gestik/goal/goal.h"
#include "gestik/math/matrix.h"

namespace gestik {

// All goals of a problem as one function of the pose, for solvers that need derivatives. Weights
// are inside: a goal's rows are scaled by sqrt(weight). Priorities are not looked at.

/// Half the sum of weight * residual^2.
Real objective(std::span<const Goal>, std::span<const Pose> world_from_joint) noexcept;

/// Force and torque: what a goal's residual pulls its joint with.
struct Wrench {
  Vec3 force, torque;  ///< in world axes, the torque about the joint's origin
};

/// The negative gradient of the objective per tangent coordinate, in one pass from the tips to the
/// root: linear in joints and goals. `work` holds one wrench per joint.
void steepest_descent(std::span<const Goal>, const Skeleton&,
                      std::span<const Pose> world_from_joint, std::span<Wrench> work,
                      V out) noexcept;

/// The residual vectors one below the other, three rows a goal.
void stacked_residual(std::span<const Goal>, std::span<const Pose> world_from_joint,
                      Eigen::Ref<Vector> out) noexcept;

/// Their Jacobian in the sense of residual_jacobian: 3 * goals rows, v_size columns.
void stacked_jacobian(std::span<const Goal>, const Skeleton&,
                      std::span<const Pose> world_from_joint, Eigen::Ref<Jacobian> work,
                      Eigen::Ref<Matrix> out) noexcept;

}  // namespace gestik
