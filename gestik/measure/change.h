#pragma once

#include "gestik/model/kinematics.h"

/// How far a pose is from the posture it was to keep, as people see it.
namespace gestik {

/// How far a joint went: radians, or metres of a slider; signed where one number says it, so not of
/// a ball.
Real change_of(const Skeleton&, JointId, ConstQ from, ConstQ to) noexcept;

/// Whether a viewer would notice: not at all, beside the drawing, or clearly (from 5 degrees or 10
/// mm).
enum class Loss : std::uint8_t { none, slight, clear };
std::string_view to_string(Loss) noexcept;
Loss loss_of(JointType, Real change) noexcept;

}  // namespace gestik
