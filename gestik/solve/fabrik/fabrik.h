#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// Forward and backward reaching: pull the ends to their targets and let the bones follow, one by
/// one, down to the root; put the root back and let the bones follow out to the ends. Limits hold
/// in both passes. One iteration is one pass inwards and one outwards, linear in the number of
/// joints. NOTES.md derives the steps.
struct Fabrik {
  static constexpr SolverInfo info{
      .name = "fabrik",
      .source = "Aristidou & Lasenby 2011; Aristidou, Chrysanthou & Lasenby 2016",
      .summary = "bones follow their ends, in and out again; for long chains and ball joints",
  };

  Real overreach = 20;
  Real kick = 1.5;
  int kicks = 10;

  template <class F>
  static void fields(F&& f) {
    f("overreach", &Fabrik::overreach, Range{1, 100},
      "how many times its error an end may be pulled, when pulling once falls short: 1 is plain "
      "FABRIK");
    f("kick", &Fabrik::kick, Range{0, 1.5},
      "largest bend, in radians, given to the joints of a chain that is stuck; 0 for none");
    f("kicks", &Fabrik::kicks, Range{0, 100}, "how many times a stuck chain is kicked");
  }
};

std::size_t scratch_bytes(const Fabrik&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Fabrik&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
