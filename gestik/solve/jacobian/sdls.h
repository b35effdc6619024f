#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// Selectively damped least squares: each singular direction is damped by how far it would throw
/// the joints for what it brings the goals. NOTES.md has the formulas.
struct Sdls {
  static constexpr SolverInfo info{
      .name = "sdls",
      .source = "Buss & Kim 2005",
      .summary = "damps each singular direction by itself; smooth, without a constant to tune",
  };

  Real max_turn = pi / 4;
  Real max_error = 10;
  bool limits_in_step = true;
  int patience = 20;

  template <class F>
  static void fields(F&& f) {
    f("max_turn", &Sdls::max_turn, Range{1e-3, 6.3},
      "gamma_max: largest move of a coordinate in one iteration (radians, metres)");
    f("max_error", &Sdls::max_error, Range{1e-3, 1e6},
      "a goal farther away than this (radians, metres) pulls as if it were this far");
    f("limits_in_step", &Sdls::limits_in_step, Range{0, 1},
      "fix joints that would leave their limits and solve the step again, instead of clamping");
    f("patience", &Sdls::patience, Range{0, 1e6},
      "iterations without progress before giving up; 0 for never");
  }
};

std::size_t scratch_bytes(const Sdls&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Sdls&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
