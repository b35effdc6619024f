#include "gestik/solve/descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gestik/math/svd.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/kick.h"

namespace gestik {
namespace {

/// A limit nearer than this counts as touched: a rim that is reached a little less with every step
/// would make the steps ever shorter.
constexpr Real touch = 1e-9;

Real largest(const VectorMap& v) noexcept {
  Real most = 0;
  for (const Real x : v) most = std::max(most, std::abs(x));
  return most;
}

Real product(const VectorMap& a, const VectorMap& b) noexcept {
  return dot(a.data(), b.data(), a.size());
}

std::size_t joints_of(const Skeleton& skeleton) noexcept {
  return static_cast<std::size_t>(skeleton.joint_count());
}

}  // namespace

Descent::Descent(const DescentHabits& habits, const Problem& problem, Scratch& scratch,
                 Q out) noexcept
    : habits_(habits),
      problem_(problem),
      skeleton_(problem.skeleton),
      best_(out),
      size_(skeleton_.v_size()),
      report_{.status = Status::out_of_budget},
      q_(scratch.take<Real>(out.size())),
      next_(scratch.take<Real>(out.size())),
      poses_(scratch.take<Pose>(joints_of(skeleton_))),
      next_poses_(scratch.take<Pose>(joints_of(skeleton_))),
      wrenches_(scratch.take<Wrench>(joints_of(skeleton_))),
      met_limit_(scratch.take<std::uint8_t>(joints_of(skeleton_))),
      closed_memory_(scratch.take<ClosedWay>(2 * joints_of(skeleton_))),
      ease_(take_vector(scratch, size_)),
      open_(take_vector(scratch, size_)),
      descent_(take_vector(scratch, size_)),
      slope_(take_vector(scratch, size_)),
      growth_(take_vector(scratch, size_)),
      move_(take_vector(scratch, size_)),
      way_(take_vector(scratch, size_)),
      kicked_(habits.kick == 0) {
  set_ease();
  descent_.setZero();
  std::copy(problem.seed.begin(), problem.seed.end(), next_.begin());
  start();
}

std::size_t Descent::bytes(const Skeleton& skeleton) noexcept {
  const std::size_t joints = joints_of(skeleton);
  return 2 * Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size())) +
         2 * Scratch::bytes_for<Pose>(joints) + Scratch::bytes_for<Wrench>(joints) +
         Scratch::bytes_for<std::uint8_t>(joints) + Scratch::bytes_for<ClosedWay>(2 * joints) +
         7 * Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.v_size()));
}

void Descent::set_ease() noexcept {
  const std::span<const Real> per_joint = problem_.intent.per_joint;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const Real hold = per_joint.empty() ? 1 : std::max<Real>(1, per_joint[j]);
    ease_.segment(skeleton_.v_offset(j), v_size(skeleton_.type(j)))
        .setConstant(may_move(problem_, j) ? 1 / hold : 0);
  }
}

/// From the pose in next_, as if nothing had been before.
void Descent::start() noexcept {
  evaluate();
  accept();
  for (JointId j = 0; j < skeleton_.joint_count(); ++j)
    met_limit_[j] =
        joint_at_limit(skeleton_, j, q_.data() + skeleton_.q_offset(j), touch) != AtLimit::none;
  idle_ = 0;
  stuck_ = false;
  fresh_ = true;
}

bool Descent::begin() noexcept {
  if (report_.error == 0) {
    report_.status = Status::reached;
    return false;
  }
  if (report_.iterations >= problem_.budget.iterations) return false;
  look();
  if (at_an_end()) {
    if (kicked_) {
      report_.status = Status::stalled;
      return false;
    }
    kicked_ = true;
    std::copy(q_.begin(), q_.end(), next_.begin());
    kick(problem_, habits_.kick, 0, next_);
    start();
    look();
  }
  ++report_.iterations;
  return true;
}

bool Descent::at_an_end() const noexcept {
  return stuck_ || idle_ >= habits_.patience || largest(slope_) <= habits_.absolute ||
         (!fresh_ && largest(move_) <= habits_.stagnation);
}

void Descent::look() noexcept {
  growth_ = descent_;
  steepest_descent(problem_.goals, skeleton_, poses_, wrenches_,
                   {descent_.data(), static_cast<std::size_t>(size_)});
  for (Eigen::Index i = 0; i < size_; ++i)
    if (ease_[i] == 0) descent_[i] = 0;
  growth_ -= descent_;
  close_ways();
  slope_ = descent_;
  keep_open(slope_);
}

void Descent::close_ways() noexcept {
  closed_ = 0;
  open_.setOnes();
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    if (!met_limit_[j] || !may_move(problem_, j)) continue;
    const int at = skeleton_.v_offset(j);
    const ClosedWays closed =
        closed_ways(skeleton_, j, q_.data() + skeleton_.q_offset(j), descent_.data() + at, touch);
    if (skeleton_.type(j) != JointType::ball)
      open_[at] = closed.count == 0;
    else
      for (int k = 0; k < closed.count; ++k) closed_memory_[closed_++] = {at, closed.out[k]};
  }
}

void Descent::keep_open(VectorMap v) const noexcept {
  v.array() *= open_.array();
  for (const ClosedWay& way : closed_memory_.first(closed_)) {
    Eigen::Map<Vec3> part(&v[way.at]);
    part -= way.out * way.out.dot(part);
  }
}

void Descent::steepest(VectorMap direction) const noexcept {
  direction.array() = ease_.array() * slope_.array();
}

// Along a parabola that falls from f with slope -s and touches zero, the bottom is at 2 f / s.
Real Descent::optimistic_step(const VectorMap& direction) const noexcept {
  return 2 * value_ / product(slope_, direction);
}

/// The direction without what leads a ball out of its limits at once, and how long a step along it
/// may be.
Real Descent::set_way(const VectorMap& direction, Real step) noexcept {
  way_ = direction;
  Real turn = 0;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const JointType type = skeleton_.type(j);
    const int at = skeleton_.v_offset(j);
    if (type == JointType::hinge) turn = std::max(turn, std::abs(way_[at]));
    if (type != JointType::ball) continue;
    Eigen::Map<Vec3> part(&way_[at]);
    if (met_limit_[j] && may_move(problem_, j)) {
      const ClosedWays closed =
          closed_ways(skeleton_, j, q_.data() + skeleton_.q_offset(j), part.data(), touch);
      for (int k = 0; k < closed.count; ++k) part -= closed.out[k] * closed.out[k].dot(part);
    }
    turn = std::max(turn, part.norm());
  }
  return turn * step > habits_.max_turn ? habits_.max_turn / turn : step;
}

/// The step along the way, brought back inside the limits, and the move that is left of it.
void Descent::propose(Real step) noexcept {
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const JointType type = skeleton_.type(j);
    const int at = skeleton_.v_offset(j), size = q_size(type);
    const Real* const from = q_.data() + skeleton_.q_offset(j);
    Real* const to = next_.data() + skeleton_.q_offset(j);
    auto move = move_.segment(at, v_size(type));
    move = step * way_.segment(at, v_size(type));
    if (move.isZero(0)) {
      std::copy_n(from, size, to);
      continue;
    }
    integrate_joint(type, from, move.data(), to);
    std::array<Real, 4> meant;
    std::copy_n(to, size, meant.begin());
    clamp_joint(skeleton_, j, to);
    if (std::equal(to, to + size, meant.begin())) continue;
    met_limit_[j] = 1;
    difference_joint(type, from, to, move.data());
  }
}

// Eq 39: f(P(q (+) t d)) < f(q) + a grad f . (P(q (+) t d) (-) q).
bool Descent::search(const VectorMap& direction, Real step) noexcept {
  constexpr int most_trials = 50;
  constexpr Real rounding = 1e-16;
  step = set_way(direction, step);
  stuck_ = true;
  for (int k = 0; k < most_trials && stuck_; ++k, step *= habits_.reduction) {
    propose(step);
    const Real promised = product(descent_, move_);
    if (!(promised > 0)) continue;  // limits turned it round: a shorter step meets fewer
    if (promised <= rounding * value_) break;
    evaluate();
    stuck_ = !(next_value_ < value_ - habits_.decrease * promised);
  }
  if (!stuck_) accept();
  return !stuck_;
}

void Descent::go(const VectorMap& direction, Real step) noexcept {
  propose(set_way(direction, step));
  evaluate();
  accept();
}

void Descent::evaluate() noexcept {
  forward(skeleton_, next_, next_poses_);
  ++report_.passes;
  next_value_ = objective(problem_.goals, next_poses_);
}

void Descent::accept() noexcept {
  std::swap(q_, next_);
  std::swap(poses_, next_poses_);
  const bool idle = std::abs(value_ - next_value_) <= habits_.relative * value_;
  idle_ = idle ? idle_ + 1 : 0;
  value_ = next_value_;
  fresh_ = false;
  const Real error = goal_error(problem_.goals, poses_);
  if (!(error < report_.error)) return;
  report_.error = error;
  std::copy(q_.begin(), q_.end(), best_.begin());
}

}  // namespace gestik
