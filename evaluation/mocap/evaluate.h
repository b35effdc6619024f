#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/control.h"
#include "evaluation/mocap/capture.h"
#include "evaluation/solvers.h"

/// The experiment of Engell-Noerregaard & Erleben, "A projected back-tracking line-search for
/// constrained interactive inverse kinematics" (2011), section 5: a body follows the hands, feet,
/// pelvis and head of a captured exercise that is sampled more and more coarsely, and every solver
/// has the same time for each pose.
namespace gestik::evaluation::mocap {

/// How many iterations a solver may take.
struct Iterations {
  std::string solver;  ///< empty: all that are not named
  int count;
};

/// What is asked for, in the words of the command line.
struct Request {
  CaptureOptions capture;
  std::vector<Real> intervals = {0.05, 0.7, 1.0};  ///< between samples, seconds; the paper's
  Real tolerance = 0.01;                           ///< of each goal, metres; the paper's
  /// Time for one pose. Each solver gets the most iterations that fit into it, as measured before
  /// the run: the numbers depend on the machine.
  Real slot_us = 250;
  /// Instead of the slot: the same numbers on every run.
  std::vector<Iterations> iterations = {};
  /// Names of the registry and variants(); else those of the paper and all that are able.
  std::optional<std::vector<std::string>> solvers = std::nullopt;
};

/// As the paper's text has them: "fixed_transpose", the Jacobian transpose with a fixed step, and
/// "clamped_pinv", the pseudo-inverse whose steps are clamped to the limits afterwards.
std::vector<NamedSolver> variants();

/// A request, checked: nothing is left that a run could refuse.
struct Plan {
  Request request;
  Capture capture;
  std::vector<NamedSolver> solvers;
  std::vector<std::size_t> strides;  ///< frames from sample to sample, per interval
  /// Per solver where the request gives them, else to be found for the slot.
  std::vector<std::optional<int>> budgets;
};
Result<Plan> make_plan(const Request&);

/// What one pose came to.
struct Sample {
  Real error = 0;     ///< squared distances of all goals, summed: square metres
  Real distance = 0;  ///< mean distance of joints and end sites from the captured ones, metres
  int iterations = 0;
  Real microseconds = 0;
  bool reached = false, used_up = false, inside_limits = true;
};

/// A budget that was tried while looking for the one that fits the slot.
struct Trial {
  int iterations;
  Real microseconds;  ///< median of the solves that used it up; of all where none did
  Real error;         ///< median
};

struct SolverRun {
  int iterations = 0;
  std::vector<Trial> trials;                 ///< at the longest interval; none with given budgets
  std::vector<std::vector<Sample>> samples;  ///< by interval
};

struct Evaluated {
  std::vector<SolverRun> solvers;
  bool stopped = false;
};

/// With an interval of n frames there are n runs through the clip, one from each of the first n
/// frames, so every frame but those is a sample. A run starts from the captured pose; from there
/// on each solve starts from the pose that the one before it returned.
Evaluated evaluate(const Plan&, const Control&);

}  // namespace gestik::evaluation::mocap
