#pragma once

#include <concepts>
#include <string_view>

#include "gestik/base/scratch.h"
#include "gestik/solve/problem.h"

namespace gestik {

/// What a solver can do. run() turns away what it can't before it is called; the command line, the
/// documentation and the law tests read it too.
struct SolverInfo {
  std::string_view name;    ///< on the command line: "ccd"
  std::string_view source;  ///< the paper
  std::string_view summary;
  bool reach = true, orient = true, aim = true;   ///< the goals it takes
  bool hinge = true, slider = true, ball = true;  ///< the joints it can move
  bool many_goals = true;
  bool priorities = false;     ///< serves lower priorities only as far as higher ones allow
  bool keeps_posture = false;  ///< brings the intent into the solution, not only into the start
  int iterations = 200;        ///< the budget when the problem names none
};

/// The values a setting may take, both ends included.
struct Range {
  Real lo = -infinity;
  Real hi = infinity;
};

/// A solver is an aggregate of documented settings with defaults,
///
///     struct Ccd {
///       static constexpr SolverInfo info{.name = "ccd", ...};
///       Real damping = 0;
///       template <class F> static void fields(F&& f) { f("damping", &Ccd::damping, Range{0, 1},
///       "..."); }
///     };
///
/// and two free functions. `solve` gets a problem that run() has checked and cleaned: sizes fit,
/// numbers are finite, quaternions and axes are of unit length, the seed is there and inside the
/// limits, the settings are in range. It returns a pose inside the limits and never `reached` on
/// its own word: run() recomputes that. No allocation, no lock, no exception, no clock, no
/// randomness.
template <class S>
concept Solver = requires(const S& solver, const Problem& problem, Scratch& scratch, Q out) {
  { S::info } -> std::convertible_to<SolverInfo>;
  { scratch_bytes(solver, problem.skeleton, std::size_t{}) }
  noexcept->std::same_as<std::size_t>;
  { solve(solver, problem, scratch, out) }
  noexcept->std::same_as<Report>;
};

}  // namespace gestik
