#pragma once

#include "gestik/motion/filter.h"

namespace gestik {

/// The Nutty Motion Filter of the ERIK paper (section 3.7, equation 23), for comparison. It shapes
/// motion and looks good, but limits are what it leans towards, not what it keeps: nutty.cpp says
/// how we read the equation, NOTES.md what it does. Do not drive a robot with it.
struct Nutty {
  Real responsiveness = 0.5;
  Real smoothness = 0.5;
  Real beta = 1;

  template <class F>
  static void fields(F&& f) {
    f("responsiveness", &Nutty::responsiveness, Range{0, 0.99},
      "rho: how early the easing gives way, more is faster");
    f("smoothness", &Nutty::smoothness, Range{0, 1},
      "sigma: how much the end of a motion is eased");
    f("beta", &Nutty::beta, Range{0.5, 100},
      "how close to the ends of the range before it slows down, more is closer");
  }
};

/// The paper's history of outputs: all it looks at is the last place and two differences.
struct NuttyState {
  Real x = 0, v = 0, a = 0;
};

/// Moves on by `seconds` (above zero) and gives back the new place. All input must be finite.
Real step(const Nutty&, const AxisLimits&, Real target, Real seconds, NuttyState&) noexcept;

}  // namespace gestik
