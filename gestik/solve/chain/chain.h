#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// A chain of balls without limits that reaches for a point: a rope, a tentacle, a spine of a
/// thousand bones. The unknowns are the bones' directions, which makes an iteration a handful of
/// operations per bone and their number independent of how many there are. One iteration is one
/// damped least-squares step over the whole chain. NOTES.md derives it.
struct Chain {
  static constexpr SolverInfo info{
      .name = "chain",
      .source = "Levenberg 1944, Marquardt 1963",
      .summary = "free ball joints reaching for one point: very fast, linear in their number",
      .orient = false,
      .aim = false,
      .hinge = false,
      .slider = false,
      .many_goals = false,
  };

  Real damping = 1e-3;

  template <class F>
  static void fields(F&& f) {
    f("damping", &Chain::damping, Range{1e-9, 10},
      "damping of the first iteration, beside the bones' squared lengths; it adapts from there");
  }
};

std::size_t scratch_bytes(const Chain&, const Skeleton&, std::size_t goals) noexcept;

/// A ball with limits on the way to the goal is Fault::chain_shape.
Report solve(const Chain&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
