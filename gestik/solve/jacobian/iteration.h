#pragma once

#include <type_traits>

#include "gestik/goal/objective.h"
#include "gestik/solve/solver.h"

/// What the Jacobian methods share: Algorithm 1 of the ERIK paper with limits, weights per joint
/// and priorities. A method adds one thing, how a linear system becomes a step; see iterate().
namespace gestik::linear {

/// The settings of an iteration, as a method's own settings give them.
struct Habits {
  Real max_error = 1;  ///< a goal's residual counts as at most this long: ClampMag with D_max
  Real max_step = pi;  ///< no coordinate moves farther in one iteration (radians, metres)
  bool limits_in_step = true;  ///< fix joints that would leave and solve again; false: clamp only
  int patience = 20;           ///< iterations without progress before giving up; 0: never
  bool priorities = false;     ///< one task per priority; false: all goals are one
  bool caution = false;  ///< shorten the steps of lower tasks while they make higher ones worse
  bool posture = false;  ///< the posture, where there is one, as the last task
  bool polish = false;   ///< with the goals met, go on for the posture; false: stop at once
  bool skip_twisters = false;  ///< leave joints out of the posture that do not change the shape
};

/// One thing to bring about: jacobian * u = error, for the motions u that are free.
struct Task {
  MatrixMap jacobian{nullptr, 0, 0};
  VectorMap error{nullptr, 0};
  Real share = 1;  ///< of the step it would take, as much as it may
};

/// What a joint may still do in this step: its tangent move is fixed + basis * u. A joint that
/// would leave its limits loses the direction that leads out; a hinge has no other, a ball keeps
/// two.
struct Freedom {
  Mat3 basis;  ///< the first `size` columns: perpendicular, as long as the joint is willing
  Vec3 fixed;
  int size;
};

class Iteration {
 public:
  Iteration(const Habits&, const Problem&, Scratch&, Q out) noexcept;
  /// What the constructor takes; `posture`: whether the habits ever will.
  static std::size_t bytes(const Skeleton&, std::size_t goals, bool posture) noexcept;

  /// Linearises at the pose reached; false when there is nothing more to do.
  bool begin_step() noexcept;
  /// Highest priority first, the posture last.
  std::span<const Task> tasks() const noexcept { return tasks_.first(served_); }
  /// For the method to fill.
  VectorMap motion() noexcept { return {motion_.data(), free_}; }
  /// Whether the motion ran into limits; the tasks are stated anew without the joints that did.
  bool limits_are_in_the_way() noexcept;
  /// Goes there, inside the limits, and keeps the best pose.
  void finish_step() noexcept;

  const Report& report() const noexcept { return report_; }

 private:
  void sort_goals() noexcept;
  void weigh_posture() noexcept;
  void free_joints() noexcept;
  void state_tasks() noexcept;
  void move() noexcept;
  bool fix_leavers(bool standing) noexcept;
  void measure() noexcept;

  const Habits habits_;
  const Problem& problem_;
  const Skeleton& skeleton_;
  const Q best_;  ///< the best pose so far, where the answer belongs
  Report report_;

  std::span<Goal> goals_;     ///< by priority
  std::span<int> level_end_;  ///< one past the last goal of each task
  std::span<Pose> poses_;
  std::span<Vec3> residuals_;
  std::span<Freedom> freedoms_;
  Q q_, wished_, next_;                    ///< here; there; there inside the limits
  MatrixMap velocity_;                     ///< work of the Jacobian
  MatrixMap jacobian_;                     ///< of all goals, all coordinates
  VectorMap error_;                        ///< of all goals, clamped and weighted
  VectorMap posture_error_;                ///< from here to the posture, per tangent coordinate
  VectorMap posture_weight_;               ///< square roots; 0 for coordinates that don't count
  VectorMap step_, higher_step_, motion_;  ///< per tangent coordinate, per free motion
  std::span<Real> task_memory_, posture_memory_;
  std::span<Task> tasks_;
  std::size_t served_ = 0;
  Eigen::Index free_ = 0;
  int posture_rows_ = 0;

  Real merit_ = infinity, distance_ = infinity;      ///< here
  Real best_distance_ = infinity;                    ///< of the best pose from the posture
  Real mark_ = infinity, distance_mark_ = infinity;  ///< at the last progress
  Real moved_ = infinity;                            ///< largest move of the last step
  Real trust_ = 1;                                   ///< in the lower tasks' steps
  int idle_ = 0, rounds_ = 0;
};

/// Runs a method: step(tasks, scratch, u) fills u, the motion it proposes for these tasks; or
/// step(task, scratch, u), for methods that know no priorities.
template <class Step>
Report iterate(const Habits& habits, const Problem& problem, Scratch& scratch, Q out,
               Step&& step) noexcept {
  Iteration iteration(habits, problem, scratch, out);
  while (iteration.begin_step()) {
    do {
      const Scratch::Frame frame(scratch);
      if constexpr (std::is_invocable_v<Step, const Task&, Scratch&, VectorMap>)
        step(iteration.tasks().front(), scratch, iteration.motion());
      else
        step(iteration.tasks(), scratch, iteration.motion());
    } while (iteration.limits_are_in_the_way());
    iteration.finish_step();
  }
  return iteration.report();
}

/// The rows of the largest task, for a method's own memory.
Eigen::Index most_rows(const Skeleton&, std::size_t goals) noexcept;

/// A hinge at either end of the body that turns about the bone it sits on: it changes no shape.
bool is_end_twister(const Skeleton&, JointId) noexcept;

}  // namespace gestik::linear
