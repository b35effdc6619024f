#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// Levenberg-Marquardt for any goals on any tree: every iteration solves the damped linear problem
/// of all goals at once, with joints that would leave their limits stopped there and the others
/// solved again. Where the seed leads nowhere it starts again, from the posture and then from poses
/// spread over the limits. One iteration is one step of one start. NOTES.md derives it.
struct Lm {
  static constexpr SolverInfo info{
      .name = "lm",
      .source = "Levenberg 1944, Marquardt 1963",
      .summary = "all goals at once, fast and precise, restarts: the one to try first for a robot",
      .iterations = 8000,
  };

  Real damping = 0.05;
  Real max_step = 1.7;
  int starts = 2500;
  int draws = 4;

  template <class F>
  static void fields(F&& f) {
    f("damping", &Lm::damping, Range{1e-6, 10},
      "damping per squared error: more is slower and steadier");
    f("max_step", &Lm::max_step, Range{1e-3, 3},
      "most that any part of the body turns or slides in one iteration, radians or metres");
    f("starts", &Lm::starts, Range{1, 1e6},
      "where the seed leads nowhere, start again up to this often; 1 never leaves the seed's side");
    f("draws", &Lm::draws, Range{1, 1000}, "poses looked at to pick the best one to start from");
  }
};

std::size_t scratch_bytes(const Lm&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Lm&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
