#pragma once

#include <array>

#include "gestik/model/motion_limits.h"

/// Motion of one number that comes to rest: what the motion filter holds on to.
namespace gestik {

/// A coordinate on its way: place, velocity, acceleration.
struct MotionState {
  Real x = 0, v = 0, a = 0;
};

/// The state `seconds` later, under a constant jerk.
inline MotionState after(const MotionState& s, Real seconds, Real jerk) noexcept {
  const Real t = seconds;
  return {s.x + t * (s.v + t * (s.a / 2 + t * jerk / 6)), s.v + t * (s.a + t * jerk / 2),
          s.a + t * jerk};
}

/// Seven stretches of constant jerk, then rest at `target`. It knows how far it has come.
struct Plan {
  static constexpr int stretches = 7;
  std::array<Real, stretches> seconds = {};
  std::array<Real, stretches> jerk = {};
  Real target = 0;

  int at = stretches;     ///< the stretch under way; `stretches` at rest
  Real into = 0;          ///< seconds into it
  MotionState from = {};  ///< where that stretch began
};

/// Rest, for ever.
Plan rest_at(Real x) noexcept;

inline bool at_rest(const Plan& plan) noexcept {
  return plan.at == Plan::stretches;
}

MotionState state_of(const Plan&) noexcept;
void advance(Plan&, Real seconds) noexcept;  ///< seconds >= 0; infinity is allowed
Real seconds_left(const Plan&) noexcept;

/// The soonest rest, wherever that is.
Plan soonest_rest(const MotionState&, const MotionLimits&) noexcept;

/// The soonest rest at `target`. A start beyond the limits of velocity or acceleration comes inside
/// them first, as fast as the jerk allows. Where the arithmetic has no answer (limits some hundred
/// orders of magnitude apart) the plan misses its target: see extremes().
Plan soonest_rest_at(Real target, const MotionState&, const MotionLimits&) noexcept;

/// All that a plan will come to from now on, exact to rounding.
struct Extremes {
  Real x_lo, x_hi;
  Real v, a, j;      ///< sizes
  MotionState miss;  ///< sizes of what is left at its end: rounding, or it is no plan at all
};
Extremes extremes(const Plan&) noexcept;

}  // namespace gestik
