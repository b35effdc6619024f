#pragma once

#include <cstdint>

#include "gestik/model/skeleton.h"

namespace gestik {

// A sequence of poses spread evenly over everything the limits allow, for solvers that start again
// elsewhere. It is no random draw: the pose with an index is always the same one, and any run of
// poses covers the ranges well. A hinge without an end takes a full turn, a slider without an end a
// metre from where its limits let it start.

/// One joint of the pose with this index; q is the joint's first coordinate.
void spread_joint(const Skeleton&, JointId, std::uint32_t index, Real* q) noexcept;

void spread_pose(const Skeleton&, std::uint32_t index, Q) noexcept;

}  // namespace gestik
