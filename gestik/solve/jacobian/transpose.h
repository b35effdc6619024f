#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// The Jacobian transpose: steepest descent with the step that would be best were the goals linear.
/// The cheapest step there is, and the slowest to arrive. NOTES.md has the formulas.
struct Transpose {
  static constexpr SolverInfo info{
      .name = "transpose",
      .source = "Wolovich & Elliott 1984; Buss 2004",
      .summary = "steepest descent with Buss' step; cheap, smooth, slow to arrive",
  };

  Real max_error = 10;
  Real max_step = 0.5;
  bool limits_in_step = true;
  int patience = 50;

  template <class F>
  static void fields(F&& f) {
    f("max_error", &Transpose::max_error, Range{1e-3, 1e6},
      "a goal farther away than this (radians, metres) pulls as if it were this far");
    f("max_step", &Transpose::max_step, Range{1e-3, 6.3},
      "largest move of a coordinate in one iteration (radians, metres)");
    f("limits_in_step", &Transpose::limits_in_step, Range{0, 1},
      "fix joints that would leave their limits and solve the step again, instead of clamping");
    f("patience", &Transpose::patience, Range{0, 1e6},
      "iterations without progress before giving up; 0 for never");
  }
};

std::size_t scratch_bytes(const Transpose&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Transpose&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
