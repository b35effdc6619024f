#pragma once

#include <vector>

#include "gestik/model/skeleton.h"

namespace gestik {

// Functions over one skeleton and one configuration. All spans must have the skeleton's sizes
// (q_size, v_size, joint_count); none of the functions but poses() allocates. q may hold any finite
// numbers; a ball's quaternion must be of unit length.

/// World poses of all joints, in joint order. "World" is the frame the root's rest pose is given
/// in.
void forward(const Skeleton&, ConstQ, std::span<Pose> world_from_joint) noexcept;

/// The same into memory of its own: for readers, writers and tests, who have the time.
std::vector<Pose> poses(const Skeleton&, ConstQ);

/// The same for any list of joints, parents first, whose `parent` is a place in the list (no_joint:
/// the world, for as many as you like) and whose `q_offset` is a place in q. `needed`, if given,
/// has a number per joint: where it is 0 the pose is left as it is. A needed joint's parent is
/// needed.
void forward(std::span<const Skeleton::Joint>, ConstQ, std::span<Pose> world_from_joint,
             std::span<const std::uint8_t> needed = {}) noexcept;

/// out = q (+) v, joint by joint. May write in place.
void integrate(const Skeleton&, ConstQ, ConstV, Q out) noexcept;

/// v such that from (+) v = to, the shortest way round for a ball, the plain difference elsewhere.
void difference(const Skeleton&, ConstQ from, ConstQ to, V out) noexcept;

/// Brings every joint inside its limits; see clamp_joint. It is safe on any input, NaN included.
void clamp_to_limits(const Skeleton&, Q) noexcept;

bool inside_limits(const Skeleton&, ConstQ) noexcept;

/// Rows 0-2: velocity of a point fixed to `joint`, at `world_point` now; rows 3-5: angular velocity
/// of `joint`; both in world axes, per tangent coordinate. Columns of joints that are no ancestor
/// of `joint` (nor itself) are zero.
using Jacobian = Eigen::Matrix<Real, 6, Eigen::Dynamic>;
void jacobian(const Skeleton&, std::span<const Pose> world_from_joint, JointId joint,
              const Vec3& world_point, Eigen::Ref<Jacobian> out) noexcept;

}  // namespace gestik
