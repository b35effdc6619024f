#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// Damped least squares with priorities: each priority is served with what the ones above it leave
/// free, and the posture comes last. One iteration is one step of the linearised problem. NOTES.md
/// has the formulas.
struct Dls {
  static constexpr SolverInfo info{
      .name = "dls",
      .source = "Maciejewski & Klein 1985, 1988; Baerlocher & Boulic 2004",
      .summary =
          "damped least squares by priority, the posture as the last; steady at singularities",
      .priorities = true,
      .keeps_posture = true,
  };

  Real damping = 0;
  Real max_turn = 1;
  Real max_error = 10;
  bool limits_in_step = true;
  bool caution = true;
  bool posture_skips_twisters = true;
  bool polish = true;
  int patience = 20;

  template <class F>
  static void fields(F&& f) {
    f("damping", &Dls::damping, Range{0, 1e3},
      "constant damping of every task; 0 takes Maciejewski's, only as much as max_turn asks for");
    f("max_turn", &Dls::max_turn, Range{1e-3, 1e3},
      "length of the step (radians, metres) that Maciejewski's damping keeps each task below");
    f("max_error", &Dls::max_error, Range{1e-3, 1e6},
      "a goal farther away than this (radians, metres) pulls as if it were this far");
    f("limits_in_step", &Dls::limits_in_step, Range{0, 1},
      "fix joints that would leave their limits and solve the step again, instead of clamping");
    f("caution", &Dls::caution, Range{0, 1},
      "shorten the steps of lower priorities and the posture while they make higher ones worse");
    f("posture_skips_twisters", &Dls::posture_skips_twisters, Range{0, 1},
      "leave out of the posture the first and last hinges that turn about their own bone");
    f("polish", &Dls::polish, Range{0, 1},
      "go on for the posture when the goals are met, instead of stopping there");
    f("patience", &Dls::patience, Range{0, 1e6},
      "iterations without progress before giving up; 0 for never");
  }

  /// As the ERIK paper compares it (Algorithm 1 and Eq 25), with 100, 200 or 400 iterations.
  static constexpr Dls of_erik_paper() noexcept {
    return {.limits_in_step = false, .caution = false, .polish = false, .patience = 0};
  }
};

std::size_t scratch_bytes(const Dls&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Dls&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
