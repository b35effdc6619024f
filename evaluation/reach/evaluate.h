#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/control.h"
#include "evaluation/reach/problems.h"
#include "evaluation/solvers.h"

/// How well and how fast solvers bring a robot's end to given poses, by forward kinematics and the
/// clock, never by a solver's own word.
namespace gestik::evaluation::reach {

/// What is asked for, in the words of the command line.
struct Request {
  std::string robot;  ///< a character file
  ProblemFiles problems;
  std::optional<std::string> end = std::nullopt;  ///< a link; else the only one without children
  Real tolerance = 1e-5;                          ///< metres and radians
  /// Names of the registry; else all that take a reach and an orientation and move the joints.
  std::optional<std::vector<std::string>> solvers = std::nullopt;
  Budget budget = {};
};

/// A request, checked: nothing is left that a run could refuse.
struct Plan {
  Request request;
  Character character;
  Frame end;
  Problems problems;
  std::vector<NamedSolver> solvers;
  std::vector<std::string> warnings;  ///< the robot reader's, and what is odd about the problems
};
Result<Plan> make_plan(const Request&);

/// What one solve came to.
struct Sample {
  Status status = Status::bad_problem;
  Miss miss = {infinity, infinity};
  bool inside_limits = false;
  int iterations = 0, passes = 0;
  Real microseconds = 0;

  bool solved(Real tolerance) const noexcept {
    return inside_limits && miss.distance <= tolerance && miss.turn <= tolerance;
  }
};

struct Evaluated {
  std::vector<std::vector<Sample>> samples;  ///< by solver, then by problem
  bool stopped = false;
  std::size_t done = 0, of = 0;  ///< solves
};

/// One solver after the other, so that each finds its code and data in the caches; some solves
/// before the first measured one warm them.
Evaluated evaluate(const Plan&, const Control&);

/// One solver's samples in numbers.
struct Row {
  std::size_t problems = 0, solved = 0, reached = 0, stalled = 0, out_of_budget = 0;
  std::size_t false_reached = 0;  ///< said to be reached, but not solved; it had better be 0
  std::size_t limits_broken = 0;  ///< likewise
  Real mean_us = 0, median_us = 0, p99_us = 0, max_us = 0;
  Real mean_iterations = 0, mean_passes = 0;
  int max_iterations = 0, max_passes = 0;

  Real success() const noexcept {
    return problems == 0 ? 0 : static_cast<Real>(solved) / static_cast<Real>(problems);
  }
};
Row row_of(std::span<const Sample>, Real tolerance);

}  // namespace gestik::evaluation::reach
