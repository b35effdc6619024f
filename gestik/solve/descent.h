#pragma once

#include "gestik/goal/objective.h"
#include "gestik/solve/solver.h"

namespace gestik {

/// How a descent searches and when it ends.
struct DescentHabits {
  Real decrease = 1e-4;  ///< share of the gain promised by the slope that a step must keep
  Real reduction = 0.5;  ///< what a step that does not is multiplied by
  Real max_turn = 1;     ///< no joint turns farther in one step, radians
  Real absolute = 0;     ///< it ends where the slope is at most this long,
  Real relative = 1e-4;  ///< or where `patience` steps changed the objective by this share or less
  Real stagnation = 0;   ///< each, or where a step moved no coordinate by more than this
  int patience = 10;
  Real kick = 0;  ///< at the first end, bend by this and begin anew; 0: don't
};

/// The objective brought down inside the limits, one projected step after the other. A method only
/// says which way to go:
///
///     Descent descent(habits, problem, scratch, out);
///     while (descent.begin()) descent.search(direction, step);
///     return descent.report();
///
/// `out` becomes the pose with the least goal_error on the way. Vectors have one number per tangent
/// coordinate. line_search/NOTES.md has the derivations.
class Descent {
 public:
  Descent(const DescentHabits&, const Problem&, Scratch&, Q out) noexcept;
  static std::size_t bytes(const Skeleton&) noexcept;

  /// Looks around at the pose reached; false when this is the end. Each true is one iteration.
  bool begin() noexcept;

  /// The negative gradient, without what held joints and limits don't let happen.
  const VectorMap& slope() const noexcept { return slope_; }
  /// No step leads here: this is the seed, or a kick's work.
  bool fresh() const noexcept { return fresh_; }
  /// The step that leads here, and by how much the gradient grew along it.
  const VectorMap& move() const noexcept { return move_; }
  const VectorMap& growth() const noexcept { return growth_; }

  /// Takes from a vector what the slope was without.
  void keep_open(VectorMap) const noexcept;
  /// 1 / max(1, per_joint), 0 for a held joint: how willingly each coordinate moves.
  const VectorMap& ease() const noexcept { return ease_; }
  /// The slope as seen by joints of different ease: the steepest way down.
  void steepest(VectorMap direction) const noexcept;
  /// The step to where the objective would be zero, were it a parabola that touches zero.
  Real optimistic_step(const VectorMap& direction) const noexcept;

  /// Takes the longest of `step`, step * reduction, step * reduction^2, ... that brings enough;
  /// false when none does, and the pose stays.
  bool search(const VectorMap& direction, Real step) noexcept;
  /// Takes the step without asking what it brings.
  void go(const VectorMap& direction, Real step) noexcept;

  const Report& report() const noexcept { return report_; }

 private:
  struct ClosedWay {
    int at;  ///< the ball's first tangent coordinate
    Vec3 out;
  };

  void set_ease() noexcept;
  void start() noexcept;
  void look() noexcept;
  void close_ways() noexcept;
  bool at_an_end() const noexcept;
  Real set_way(const VectorMap& direction, Real step) noexcept;
  void propose(Real step) noexcept;
  void evaluate() noexcept;
  void accept() noexcept;

  const DescentHabits habits_;
  const Problem& problem_;
  const Skeleton& skeleton_;
  const Q best_;
  const Eigen::Index size_;
  Report report_;

  Q q_, next_;  ///< here, and where a step would lead
  std::span<Pose> poses_, next_poses_;
  Real value_ = infinity, next_value_ = infinity;  ///< of the objective
  std::span<Wrench> wrenches_;
  std::span<std::uint8_t> met_limit_;   ///< per joint, 0 for those that have stayed clear of theirs
  std::span<ClosedWay> closed_memory_;  ///< of balls, the first `closed_` in use
  std::size_t closed_ = 0;
  VectorMap ease_;
  VectorMap open_;     ///< 0 for hinges and sliders that a limit keeps from going down, else 1
  VectorMap descent_;  ///< the negative gradient, limits or not
  VectorMap slope_, growth_, move_;
  VectorMap way_;  ///< the direction searched along
  int idle_ = 0;
  bool stuck_ = false, fresh_ = true, kicked_;
};

}  // namespace gestik
