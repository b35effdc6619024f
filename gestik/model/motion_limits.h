#pragma once

#include <optional>
#include <string_view>

#include "gestik/model/skeleton.h"

namespace gestik {

/// How fast a joint may move, each above zero and finite: speed, its change, and the change of that
/// (radians or metres, per second, second squared and second cubed). Of a ball they bound the
/// length of its angular velocity, of that vector's derivative and of its second derivative, all in
/// the joint's own moved frame (where `v` lives): no axis is preferred. How far a joint may move is
/// the Skeleton's affair (Limits).
struct MotionLimits {
  Real velocity = 3;
  Real acceleration = 30;
  Real jerk = 600;
};

/// What holds where nobody said anything: 3 rad/s for hinges and balls, 0.5 m/s for sliders; full
/// speed takes a tenth of a second (acceleration = 10/s * velocity), full acceleration a twentieth
/// (jerk = 20/s * acceleration). A draft may give some of the three: the others follow from those.
struct MotionLimitsDraft {
  std::optional<Real> velocity = {}, acceleration = {}, jerk = {};
};
MotionLimits motion_limits(JointType, const MotionLimitsDraft& = {}) noexcept;

/// "velocity", "acceleration" or "jerk": the first that is not above zero and within
/// largest_number; empty when all are sound.
std::string_view unsound_field(const MotionLimits&) noexcept;

}  // namespace gestik
