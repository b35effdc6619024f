#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// The projected gradient with a projected Armijo search: steepest descent on all goals at once,
/// inside the limits, with steps that are as long as they bring something. One iteration is one
/// step. NOTES.md has the formulas.
struct LineSearch {
  static constexpr SolverInfo info{
      .name = "line_search",
      .source = "Engell-Noerregaard & Erleben 2011",
      .summary = "steepest descent by projected line search; every step is an improvement",
  };

  Real decrease = 1e-4;
  Real reduction = 0.5;
  Real first_step = 0;
  Real fixed_step = 0;
  Real max_turn = 1;
  Real absolute = 0;
  Real relative = 1e-4;
  Real stagnation = 0;
  int patience = 10;
  Real kick = 0.1;

  template <class F>
  static void fields(F&& f) {
    f("decrease", &LineSearch::decrease, Range{0, 0.5},
      "share of the gain promised by the gradient that a step must keep (Armijo's alpha)");
    f("reduction", &LineSearch::reduction, Range{0.05, 0.95},
      "what a step that brings too little is multiplied by (beta)");
    f("first_step", &LineSearch::first_step, Range{0, 1e6},
      "the step each search begins with; 0 learns it from the step before (Barzilai & Borwein)");
    f("fixed_step", &LineSearch::fixed_step, Range{0, 1e6},
      "every step is this one, whatever it brings: the Jacobian transpose; 0 searches");
    f("max_turn", &LineSearch::max_turn, Range{1e-3, 3},
      "largest turn of a joint in one step, radians");
    f("absolute", &LineSearch::absolute, Range{0, 1e6},
      "stop where no coordinate's share of the gradient is larger than this");
    f("relative", &LineSearch::relative, Range{0, 1},
      "stop where `patience` steps in a row change the objective by this share or less");
    f("stagnation", &LineSearch::stagnation, Range{0, 1},
      "stop where a step moves no coordinate by more than this (radians, metres)");
    f("patience", &LineSearch::patience, Range{1, 1e6}, "see `relative`");
    f("kick", &LineSearch::kick, Range{0, 1},
      "bend, in radians, given once to a body that has stopped short of its goals; 0 for none");
  }
};

std::size_t scratch_bytes(const LineSearch&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const LineSearch&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
