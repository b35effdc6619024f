#pragma once

#include "gestik/solve/lm/lm.h"
#include "gestik/solve/reduced.h"

namespace gestik::lm {

enum class Bound : std::uint8_t { none, range, ball };

/// What the linear problem knows of a joint.
struct Part {
  Bound bound;
  bool only_arms;  ///< a ball, and all goals beyond it are reaches
  bool stopped;    ///< by its limits, in this step
  int first;       ///< of the goals beyond it, in System's list ...
  int goals;       ///< ... and how many there are
  int column;      ///< where its columns start, each with three rows for every goal beyond it
  Real lo, hi;     ///< of a range
  Real share;      ///< its columns' factor: the root of how freely it moves
  Vec3 axis;       ///< in the world, now
  Vec3 turn;       ///< of the joint in the world, in this step: its own and all above it
};

/// A goal as an iteration sees it.
struct Task {
  enum class Kind : std::uint8_t { reach, orient, aim } kind;
  JointId joint;
  Real weight, tolerance;
  Real squared;   ///< residual, squared
  Real scale;     ///< of its rows
  Vec3 point;     ///< what is reached with, or looked from, now
  Vec3 axis;      ///< of an aim, now ...
  Vec3 wanted;    ///< ... and as it should be
  Real nearness;  ///< one over the distance to an aim's target
};

/// The same turn inside the limits, if there is one.
inline Real turned_inside(Real angle, Real lo, Real hi) noexcept {
  if (angle > hi && angle - 2 * pi >= lo) return angle - 2 * pi;
  if (angle < lo && angle + 2 * pi <= hi) return angle + 2 * pi;
  return angle;
}

/// The place inside the limits that is nearest round the circle.
inline Real nearest_inside(Real angle, Real lo, Real hi) noexcept {
  if (angle > hi) return lo + 2 * pi - angle < angle - hi ? lo : hi;
  if (angle < lo) return angle + 2 * pi - hi < lo - angle ? hi : lo;
  return angle;
}

/// The linear problem at a pose, and its damped, limited solution.
class System {
 public:
  System(const Lm&, const Problem&, const Reduced&, Scratch&) noexcept;
  static std::size_t bytes(const Skeleton&, std::size_t goals) noexcept;

  /// Forward pass and residuals. `chords` takes an orientation's error as 2 sin(angle / 2): cheaper
  /// and tamer far away; without, it is the angle that goal_error counts.
  void evaluate(ConstQ q, bool chords) noexcept;
  Real squared() const noexcept { return squared_; }  ///< scaled residuals, squared and summed
  Real lacking() const noexcept;                      ///< goal_error of the goals, squared

  /// The Jacobian at the q evaluated last, for the three that follow.
  void linearize() noexcept;
  /// The mean diagonal element of J J^T.
  Real stiffness() const noexcept;
  /// Whether the residuals pull at no joint, though they are there.
  bool flat() const noexcept;
  /// One step from q, which uses up the Jacobian. Returns the largest turn or slide of a joint,
  /// squared.
  Real step(ConstQ q, Real damping, Q out) noexcept;

  /// Whether a hinge that would leave its limits may take the other end of its range, where that is
  /// nearer round the circle. It is a leap: not for poses that shall stay near the seed.
  void allow_leaps(bool allow) noexcept { leaps_ = allow; }

  std::span<Task> tasks() noexcept { return tasks_; }

 private:
  Vec3 residual_of(const Goal&, Task&) noexcept;
  void add_product(std::size_t k, Real sign) noexcept;
  template <int Goals>
  void multiply(Real* matrix) const noexcept;
  template <int Goals>
  Real find_move(Real damping) noexcept;
  Real cap_move() noexcept;
  bool move_within_limits(ConstQ q, Q out) noexcept;
  void moved(std::size_t k, const Real* q, const Real* v, Real* out) const noexcept;
  void stop(std::size_t k) noexcept;

  bool few_goals() const noexcept { return dense_ && tasks_.size() <= 2; }

  const Lm& settings_;
  const Skeleton& skeleton_;
  const Reduced& body_;
  bool dense_ = true;  ///< every goal is beyond every joint
  std::span<Part> parts_;
  std::span<Task> tasks_;
  std::span<int> beyond_;
  std::span<Pose> poses_;
  std::span<Real> columns_, matrix_, factor_, error_, solution_, move_;
  bool chords_ = true;
  bool leaps_ = false;
  Real squared_ = 0;
};

}  // namespace gestik::lm
