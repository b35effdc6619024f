#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/peers/peers.h"
#include "evaluation/control.h"

namespace gestik::bench {

/// What is asked for, in the words of the command line.
struct Request {
  std::optional<std::vector<std::string>> solvers = std::nullopt;  ///< and peers; else all
  std::optional<std::vector<std::string>> scenes = std::nullopt;   ///< else all
  std::optional<std::vector<int>> sizes =
      std::nullopt;  ///< of scenes that have any; else the usual
  int repeat = 5;    ///< every task is solved so often and its shortest time counts
  std::optional<int> tasks = std::nullopt;  ///< at most, of each scene; else all
  Real seconds = 1.5;  ///< after this long a solver takes no further tasks of a scene
};

/// A request, checked.
struct Plan {
  struct Entry {
    const SceneKind* kind;
    int size;  ///< 0 where the kind has none
  };
  Request request;
  std::vector<Entry> scenes;
  std::vector<evaluation::NamedSolver> solvers;
  std::vector<Peer> peers;
};
Result<Plan> make_plan(const Request&);

/// How one contender did in one scene.
struct Row {
  std::string solver;
  bool peer = false;
  int solves = 0;         ///< tasks it had the time for
  int solved = 0;         ///< of them, by forward kinematics: goals met and inside the limits
  int limits_broken = 0;  ///< answers outside the limits
  Real mean_us = 0, median_us = 0, p99_us = 0;
  Real forwards = 0;                ///< mean_us in forward passes of the scene's skeleton
  Real iterations = 0, passes = 0;  ///< on the mean, as it says; 0 where it doesn't
  std::optional<Real> allocations = std::nullopt;  ///< per solve; nothing where none can count
  /// Mean distance from the posture, where there is one: of all coordinates, and of the shape as
  /// the ERIK paper measures it, from 0 to 1.
  struct FromPosture {
    Real angles, shape;
  };
  std::optional<FromPosture> from_posture = std::nullopt;

  Real success() const noexcept { return solves > 0 ? static_cast<Real>(solved) / solves : 0; }
};

struct SceneResult {
  std::string scene;
  int size = 0;
  int joints = 0, dofs = 0, tasks = 0;
  Real forward_us = 0;  ///< one forward pass
  std::vector<Row> rows = {};

  const Row* find(std::string_view solver) const noexcept;
};

/// How a solver's time grows with a scene's size: as size^exponent.
struct Growth {
  std::string scene, solver;
  Real exponent;
  int from, to;
};

struct Measured {
  int repeat = 0;
  std::vector<SceneResult> scenes = {};
  bool stopped = false;  ///< by the control; there are no scenes then
};

/// Scenes that none of the contenders takes are left out. On this thread alone; contenders take
/// turns every few tasks, so that a busy moment of the machine hits all alike.
Measured measure(const Plan&, const evaluation::Control&);

/// Of every solver with two sizes of a scene or more: the slope of log time over log size.
std::vector<Growth> growth_of(const Measured&);

/// Where one of our solvers does worse than in an earlier run: its mean time, in forward passes, is
/// more than `factor` times the earlier, or it solves fewer of the same tasks, by a hundredth or
/// more.
struct Worse {
  std::string scene;
  int size;
  std::string solver;
  Real forwards_before, forwards_now;
  Real success_before, success_now;
};
struct Comparison {
  int compared = 0;  ///< rows that both runs have
  std::vector<Worse> worse = {};
};
Comparison compare(const Measured& now, const Measured& before, Real factor);

}  // namespace gestik::bench
