#include "gestik/model/motion_limits.h"

namespace gestik {

MotionLimits motion_limits(JointType type, const MotionLimitsDraft& draft) noexcept {
  constexpr Real usual_turn = 3, usual_slide = 0.5;
  constexpr Real acceleration_per_velocity = 10, jerk_per_acceleration = 20;
  MotionLimits limits;
  limits.velocity = draft.velocity.value_or(type == JointType::slider ? usual_slide : usual_turn);
  limits.acceleration = draft.acceleration.value_or(acceleration_per_velocity * limits.velocity);
  limits.jerk = draft.jerk.value_or(jerk_per_acceleration * limits.acceleration);
  return limits;
}

std::string_view unsound_field(const MotionLimits& limits) noexcept {
  const auto sound = [](Real x) { return x > 0 && x <= largest_number; };
  if (!sound(limits.velocity)) return "velocity";
  if (!sound(limits.acceleration)) return "acceleration";
  if (!sound(limits.jerk)) return "jerk";
  return {};
}

}  // namespace gestik
