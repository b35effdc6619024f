#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// Cyclic coordinate descent: from the tips to the root, each joint in turn makes the move that
/// serves all goals beyond it best, inside its own limits. One iteration is one sweep over all
/// joints, linear in their number. NOTES.md derives the moves.
struct Ccd {
  static constexpr SolverInfo info{
      .name = "ccd",
      .source = "Wang & Chen 1991",
      .summary = "each joint in turn does its best; cheap, robust, moves the tip most",
  };

  Real damping = 0;
  Real spread = 20;
  Real ease = 0;
  Real overreach = 20;
  Real max_step = 6.3;
  Real kick = 0.1;

  template <class F>
  static void fields(F&& f) {
    f("damping", &Ccd::damping, Range{0, 0.99},
      "share of each joint's best move that is left out: 0 is plain CCD, more spreads the motion");
    f("spread", &Ccd::spread, Range{1, 1e6},
      "how many whole moves a sweep may come to: on a longer way each joint makes its share");
    f("ease", &Ccd::ease, Range{0, 100},
      "how much a turn is minded beside what it brings: more keeps the joints near an end from "
      "turning for little");
    f("overreach", &Ccd::overreach, Range{1, 100},
      "how many times its error an end may be pulled, when pulling once falls short: 1 is plain "
      "CCD");
    f("max_step", &Ccd::max_step, Range{1e-3, 6.3},
      "largest turn of a joint in one sweep, radians");
    f("kick", &Ccd::kick, Range{0, 1},
      "bend, in radians, given to a chain that is stuck stretched out; 0 for none");
  }
};

std::size_t scratch_bytes(const Ccd&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Ccd&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
