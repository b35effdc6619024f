#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// L-BFGS inside the limits: as line_search, but the direction is Newton's, by what the last steps
/// taught of the curvature. One iteration is one step. NOTES.md has the formulas.
struct QuasiNewton {
  static constexpr SolverInfo info{
      .name = "quasi_newton",
      .source = "Nocedal 1980; Bertsekas 1982; Zhao & Badler 1994",
      .summary = "L-BFGS on all goals at once, limits inside the step; linear in the joints",
  };

  int memory = 8;
  Real decrease = 1e-4;
  Real reduction = 0.5;
  Real max_turn = 1;
  Real relative = 1e-4;
  int patience = 10;
  Real kick = 0.1;

  template <class F>
  static void fields(F&& f) {
    f("memory", &QuasiNewton::memory, Range{1, 50},
      "how many of the last steps the curvature is learnt from");
    f("decrease", &QuasiNewton::decrease, Range{0, 0.5},
      "share of the gain promised by the gradient that a step must keep (Armijo's alpha)");
    f("reduction", &QuasiNewton::reduction, Range{0.05, 0.95},
      "what a step that brings too little is multiplied by (beta)");
    f("max_turn", &QuasiNewton::max_turn, Range{1e-3, 3},
      "largest turn of a joint in one step, radians");
    f("relative", &QuasiNewton::relative, Range{0, 1},
      "stop where `patience` steps in a row change the objective by this share or less");
    f("patience", &QuasiNewton::patience, Range{1, 1e6}, "see `relative`");
    f("kick", &QuasiNewton::kick, Range{0, 1},
      "bend, in radians, given once to a body that has stopped short of its goals; 0 for none");
  }
};

std::size_t scratch_bytes(const QuasiNewton&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const QuasiNewton&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
