#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "gestik/goal/goal.h"

namespace gestik {

/// How much work a solve may do. There is no clock: the same input gives the same bits.
struct Budget {
  /// As many as the solver's info recommends; run() puts that number in its place.
  static constexpr int recommended = std::numeric_limits<int>::max();

  int iterations = recommended;  ///< what one iteration is, each solver says
};

/// One thing to solve: views only, cheap to make each frame. What it points to must outlive the
/// solve.
struct Problem {
  const Skeleton& skeleton;
  std::span<const Goal> goals = {};
  Intent intent = {};
  ConstQ seed =
      {};  ///< where to start: the previous frame, or empty for the skeleton's neutral pose
  Budget budget = {};
  /// Which joints stay where the seed has them, one number per joint, 0 for those that may move.
  /// Empty: all may. A held joint may be of any type. Limits win over a seed outside them.
  std::span<const std::uint8_t> held = {};
};

/// Whether a solver may change this joint.
inline bool may_move(const Problem& problem, JointId j) noexcept {
  return problem.skeleton.type(j) != JointType::fixed && (problem.held.empty() || !problem.held[j]);
}

enum class Status : std::uint8_t {
  reached,  ///< every goal is within its tolerance, recomputed by forward kinematics (no goals:
            ///< always)
  stalled,  ///< no further progress; the pose is the best one found
  out_of_budget,  ///< still moving when the budget ended; the pose is the best one found
  unsupported,    ///< this solver can't take this problem; `fault` says what
  bad_problem,    ///< the problem makes no sense; `fault` says what
};
std::string_view to_string(Status) noexcept;

/// Why a problem was turned away.
enum class Fault : std::uint8_t {
  none,
  out_size,       ///< the output has not the skeleton's q_size
  seed_size,      ///< the seed has not the skeleton's q_size
  seed_value,     ///< NaN, beyond 1e30 or a zero quaternion in the seed
  goal_joint,     ///< a goal names a joint that is not there
  goal_value,     ///< NaN or beyond 1e30 in a goal, or a zero quaternion, axis or direction
  goal_weight,    ///< a weight outside [1e-30, 1e30], or a tolerance or priority below zero
  posture_size,   ///< the posture has not the skeleton's q_size, or per_joint not its joint_count
  held_size,      ///< `held` has not the skeleton's joint_count
  posture_value,  ///< NaN, beyond 1e30 or a zero quaternion in the posture, or a negative weight
  budget_value,   ///< fewer than 0 iterations
  setting_value,  ///< a setting of the solver outside its range
  scratch_size,   ///< the scratch is smaller than scratch_bytes says
  goal_kind,      ///< the solver does not know this kind of goal
  goal_count,     ///< the solver takes one goal only
  joint_type,     ///< the solver can't move this type of joint
  chain_shape,    ///< the solver needs a chain of another shape
};
std::string_view to_string(Fault) noexcept;  ///< a sentence's worth of words

struct [[nodiscard]] Report {
  Status status = Status::bad_problem;
  int iterations = 0;
  int passes = 0;  ///< forward passes over the chain or skeleton that the solver made
  /// What the solver brought down, at the pose it returns; never worse with more budget. It is
  /// goal_error(), zero exactly when reached, unless a solver that keeps a posture says more in its
  /// notes.
  Real error = infinity;
  Fault fault = Fault::none;
  int fault_index = -1;  ///< which goal, coordinate or joint, where that applies
};

}  // namespace gestik
