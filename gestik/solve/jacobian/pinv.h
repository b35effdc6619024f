#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// The pseudo-inverse: the shortest step that brings the linearised goals as near as can be. Near a
/// singularity it wants far too much; singular values below `rank_cut` are left out and steps are
/// cut short. NOTES.md has the formulas.
struct Pinv {
  static constexpr SolverInfo info{
      .name = "pinv",
      .source = "Whitney 1969",
      .summary =
          "pseudo-inverse of the Jacobian; quick where all is well, jerky near singularities",
  };

  Real rank_cut = 0.01;
  Real max_error = 10;
  Real max_step = 0.5;
  bool limits_in_step = true;
  int patience = 20;

  template <class F>
  static void fields(F&& f) {
    f("rank_cut", &Pinv::rank_cut, Range{0, 1},
      "singular values below this share of the largest count as zero");
    f("max_error", &Pinv::max_error, Range{1e-3, 1e6},
      "a goal farther away than this (radians, metres) pulls as if it were this far");
    f("max_step", &Pinv::max_step, Range{1e-3, 6.3},
      "largest move of a coordinate in one iteration (radians, metres)");
    f("limits_in_step", &Pinv::limits_in_step, Range{0, 1},
      "fix joints that would leave their limits and solve the step again, instead of clamping");
    f("patience", &Pinv::patience, Range{0, 1e6},
      "iterations without progress before giving up; 0 for never");
  }
};

std::size_t scratch_bytes(const Pinv&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Pinv&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
