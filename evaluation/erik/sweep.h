#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gestik/model/character.h"

namespace gestik::evaluation::erik {

/// `wanted` different points of a regular grid over the unit cube with `steps` points, two or more,
/// along each side, both ends included; all of them if there are no more. `sides` numbers each, one
/// point after the other. They lie evenly in every direction, and are the same in the same order on
/// every machine.
std::vector<Real> grid_points(std::size_t sides, std::size_t steps, std::size_t wanted);

/// One problem of a sweep: which posture, which target.
struct Sample {
  std::size_t posture, target;
};

/// The postures and targets one skeleton is put through.
struct Sweep {
  std::size_t q_size = 0;
  std::vector<Real> postures = {};  ///< q_size numbers each
  std::vector<Quat> targets = {};   ///< of the end-point, in the world
  /// Whether posture i goes with target i only (a file of problems), not with every target.
  bool paired = false;
  std::vector<int> lines = {};  ///< where each problem stands in its file

  std::size_t posture_count() const noexcept { return q_size ? postures.size() / q_size : 0; }
  ConstQ posture(std::size_t i) const noexcept { return {&postures[i * q_size], q_size}; }

  std::size_t sample_count() const noexcept {
    return paired ? targets.size() : posture_count() * targets.size();
  }

  // A sweep is worked through in tasks: one posture with all targets, or a batch of problems.
  static constexpr std::size_t problems_per_task = 256;
  std::size_t task_count() const noexcept;
  struct Task {
    Sample first;
    std::size_t samples;
  };
  Task task(std::size_t index) const noexcept;
  Sample sample(const Task& task, std::size_t i) const noexcept {
    return {paired ? task.first.posture + i : task.first.posture, task.first.target + i};
  }
};

/// The paper's procedure (section 4.0.3) on regular grids: `wanted` points, of grids at least as
/// fine as the paper's, so that a short run is a sample of the full one. Postures sweep the range
/// of every hinge on the way to the end, from limit to limit, except twisters (hinges about Y) at
/// the root and the end, which stay at zero: they change no shape. Targets sweep yaw, pitch and
/// roll over
/// [-pi, pi] in steps that divide a right angle; from 24 up they begin with the 24 orientations
/// along the axes.
std::vector<Real> posture_grid(const Skeleton&, JointId end, std::size_t wanted,
                               std::size_t finest);
std::vector<Quat> target_grid(std::size_t wanted);

/// Reads problems: a line each of the target w,x,y,z and the posture's angles, separated by commas;
/// # starts a comment. Targets become of unit length; postures may lie outside the limits.
Result<Sweep> read_problems(std::string_view text, std::string_view file, const Skeleton&);

}  // namespace gestik::evaluation::erik
