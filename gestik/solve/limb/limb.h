#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// The analytical arm and leg: a base that turns any way, an elbow or knee, an end that turns any
/// way, solved exactly. It takes a reach alone, or a reach and an orient of one joint at the end of
/// a limb; nothing above the limb moves. One iteration is one test of a swivel. NOTES.md derives
/// it; reach.h asks the same without a Problem, with collisions, and tells the reason of a failure.
struct LimbSolver {
  static constexpr SolverInfo info{
      .name = "limb",
      .source = "Kallmann 2008; Tolani, Goswami & Badler 2000",
      .summary = "one arm or leg in closed form, exactly; keeps the posture's swivel",
      .aim = false,
      .slider = false,
      .keeps_posture = true,
      .iterations = 1000,
  };

  Real step = 0.07;
  Real growth = 1.12;
  int halvings = 10;
  Real swivel_lo = -pi;
  Real swivel_hi = pi;

  template <class F>
  static void fields(F&& f) {
    f("step", &LimbSolver::step, Range{1e-3, pi},
      "first step of the search for a swivel, to both sides of the preferred one, radians");
    f("growth", &LimbSolver::growth, Range{1, 4}, "of each step beside the one before");
    f("halvings", &LimbSolver::halvings, Range{0, 50},
      "how often the edge of the swivels that will do is halved in");
    f("swivel_lo", &LimbSolver::swivel_lo, Range{-pi, pi},
      "least swivel; a range of a whole turn is the full circle");
    f("swivel_hi", &LimbSolver::swivel_hi, Range{-pi, pi}, "largest swivel");
  }
};

std::size_t scratch_bytes(const LimbSolver&, const Skeleton&, std::size_t goals) noexcept;

/// Goals that are not at the end of a limb, or more than it takes, are Fault::chain_shape.
Report solve(const LimbSolver&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
