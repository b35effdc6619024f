#include "gestik/motion/nutty.h"

#include <cmath>

// Equation 23 as printed does not fit together. This is the reading that does:
//  - chi adds a velocity to a place, psi an acceleration to a velocity, xi a jerk to an
//    acceleration: each needs its time step, and psi's (xi - x'(t_i-1))/dt takes an acceleration
//    for a velocity. So, innermost first,
//        xi  = a + dt lambda(((v* - v)/dt - a)/dt, J)    the acceleration that leads to v*
//        psi = v + dt lambda(xi, A)                      the velocity that follows
//        x'  = x + dt lambda(psi, V)
//  - H(v) is printed with the factor v in it and then multiplied by v again, which loses its sign:
//    v* = H(v), once.
//  - lambda(x, k) runs from -k/2 to k/2: k is from peak to peak, twice the limit.
//  - Omega compares x with half the range as if the range began at zero: it is x - P_min that
//    counts; and a power 2 beta that is no even number wants the size of its base. A joint without
//    a range has no end to slow down for.
// v and a are differences of the outputs, as the paper has them.

namespace gestik {
namespace {

/// lambda(x, 2 limit)
Real soft_clamp(Real x, Real limit) noexcept {
  return limit * std::tanh(x / limit);
}

/// Omega: less speed towards an end of the range, the nearer it is.
Real slowed_towards_ends(Real v, Real x, const AxisLimits& limits, Real beta) noexcept {
  const Real half = (limits.hi - limits.lo) / 2;
  if (!std::isfinite(half) || half == 0) return v;
  const Real from_middle = x - limits.lo - half;
  if (from_middle * v <= 0) return v;
  return v * (1 - std::pow(std::abs(from_middle / half), 2 * beta));
}

/// H: slow motion is eased, fast motion is not.
Real eased(Real v, const Nutty& nutty) noexcept {
  const Real size = std::pow(std::abs(v) / (1 - nutty.responsiveness), 1 - nutty.smoothness);
  return v / 2 * (std::tanh(size - pi) + 1);
}

}  // namespace

Real step(const Nutty& nutty, const AxisLimits& limits, Real target, Real seconds,
          NuttyState& state) noexcept {
  const auto& [x, v, a] = state;
  const Real dt = seconds;
  const MotionLimits& most = limits.motion;
  const Real wanted = eased(slowed_towards_ends((target - x) / dt, x, limits, nutty.beta), nutty);
  const Real xi = a + dt * soft_clamp(((wanted - v) / dt - a) / dt, most.jerk);
  const Real psi = v + dt * soft_clamp(xi, most.acceleration);
  const Real velocity = soft_clamp(psi, most.velocity);
  state = {x + dt * velocity, velocity, (velocity - v) / dt};
  return state.x;
}

}  // namespace gestik
