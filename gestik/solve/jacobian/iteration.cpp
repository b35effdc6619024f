#include "gestik/solve/jacobian/iteration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik::linear {
namespace {

using Eigen::Index;

/// A priority counts this much beside the one above it, when poses are compared.
constexpr Real lower_counts = 1e-3;
/// Progress is to fall below this share of the last mark.
constexpr Real worthwhile = 1 - 1e-4;
/// Coordinates that change by less than this do not move any more ...
constexpr Real standing = 1e-12;
/// ... and by this, with the goals met, they have settled near the posture.
constexpr Real settled = 1e-5;
/// How often one step is solved again for limits. Joints that leave after that are clamped.
constexpr int most_rounds = 8;
/// A clamp that takes back less than this share of a joint's move is left at that.
constexpr Real negligible = 1e-3;

Vec3 clamp_magnitude(const Vec3& v, Real most) noexcept {
  const Real length = v.norm();
  return length > most ? Vec3(most / length * v) : v;
}

/// Takes the direction `out` away from a joint, which from now on moves along it as `applied` does.
/// False where it had lost that direction before.
bool narrow(Freedom& freedom, const Vec3& out, const Vec3& applied) noexcept {
  const Mat3& basis = freedom.basis;
  Vec3 direction = Vec3::Zero();  // the part of `out` that the joint is free in
  const Real length = basis.col(0).norm();
  for (int k = 0; k < freedom.size; ++k) {
    const Vec3 unit = basis.col(k) / length;
    direction += unit * unit.dot(out);
  }
  if (!(direction.norm() > negligible * applied.norm()) || direction.isZero(0)) return false;
  direction = normalized_or_zero(direction);
  const Vec3 side = freedom.size == 3   ? any_perpendicular(direction)
                    : freedom.size == 2 ? normalized_or_zero(basis.col(0).cross(basis.col(1)))
                                        : Vec3(Vec3::Zero());
  freedom.fixed += direction * direction.dot(applied - freedom.fixed);
  freedom.basis.col(0) = length * side.cross(direction);
  freedom.basis.col(1) = length * side;
  --freedom.size;
  return true;
}

}  // namespace

// The joints a hinge carries directly, with nothing but fixed joints between, tell where its bones
// lead. The hinge turns about its bone if all of them lie on its axis. The last hinge of a limb may
// carry none: its bone is then taken to go on in the direction of the one that leads to it.
bool is_end_twister(const Skeleton& skeleton, JointId j) noexcept {
  if (skeleton.type(j) != JointType::hinge) return false;
  constexpr Real in_line = 1e-6;
  const auto along = [](const Vec3& bone, const Vec3& axis) {
    return axis.cross(bone).norm() <= in_line * bone.norm();
  };
  bool last = true, has_bone = false, turns_about_it = true;
  for (JointId k = j + 1; k < skeleton.joint_count(); ++k) {
    Vec3 place = skeleton.parent_from_joint(k).p;
    JointId at = skeleton.parent(k);
    for (; at > j && skeleton.type(at) == JointType::fixed; at = skeleton.parent(at))
      place = skeleton.parent_from_joint(at) * place;
    if (at != j) continue;
    last = last && skeleton.type(k) == JointType::fixed;
    has_bone = has_bone || !place.isZero(0);
    turns_about_it = turns_about_it && along(place, skeleton.axis(j));
  }
  bool first = true;
  for (JointId at = skeleton.parent(j); first && at != no_joint; at = skeleton.parent(at))
    first = skeleton.type(at) == JointType::fixed;
  if (has_bone) return (first || last) && turns_about_it;
  if (!last || skeleton.parent(j) == no_joint) return false;
  const Pose& rest = skeleton.parent_from_joint(j);
  return !rest.p.isZero(0) && along(rest.p, rest.q * skeleton.axis(j));
}

Index most_rows(const Skeleton& skeleton, std::size_t goals) noexcept {
  return std::max(static_cast<Index>(3 * goals), static_cast<Index>(skeleton.v_size()));
}

std::size_t Iteration::bytes(const Skeleton& skeleton, std::size_t goals) noexcept {
  const auto joints = static_cast<std::size_t>(skeleton.joint_count());
  const auto q = static_cast<std::size_t>(skeleton.q_size());
  const auto v = static_cast<std::size_t>(skeleton.v_size());
  const std::size_t rows = 3 * goals;
  return Scratch::bytes_for<Goal>(goals) + Scratch::bytes_for<int>(goals) +
         Scratch::bytes_for<Pose>(joints) + Scratch::bytes_for<Vec3>(goals) +
         Scratch::bytes_for<Freedom>(joints) + 2 * Scratch::bytes_for<Real>(q) +
         Scratch::bytes_for<Real>(6 * v) + Scratch::bytes_for<Real>(rows * v) +
         Scratch::bytes_for<Real>(rows) + 4 * Scratch::bytes_for<Real>(v) +
         Scratch::bytes_for<Real>(rows * (v + 1)) + Scratch::bytes_for<Real>(v * (v + 1)) +
         Scratch::bytes_for<Task>(goals + 1);
}

Iteration::Iteration(const Habits& habits, const Problem& problem, Scratch& scratch, Q out) noexcept
    : habits_(habits),
      problem_(problem),
      skeleton_(problem.skeleton),
      best_(out),
      goals_(scratch.take<Goal>(problem.goals.size())),
      level_end_(scratch.take<int>(problem.goals.size())),
      poses_(scratch.take<Pose>(static_cast<std::size_t>(skeleton_.joint_count()))),
      residuals_(scratch.take<Vec3>(problem.goals.size())),
      freedoms_(scratch.take<Freedom>(static_cast<std::size_t>(skeleton_.joint_count()))),
      q_(scratch.take<Real>(problem.seed.size())),
      next_(scratch.take<Real>(problem.seed.size())),
      velocity_(take_matrix(scratch, 6, skeleton_.v_size())),
      jacobian_(take_matrix(scratch, static_cast<Index>(3 * goals_.size()), skeleton_.v_size())),
      error_(take_vector(scratch, static_cast<Index>(3 * goals_.size()))),
      posture_error_(take_vector(scratch, skeleton_.v_size())),
      posture_weight_(take_vector(scratch, skeleton_.v_size())),
      step_(take_vector(scratch, skeleton_.v_size())),
      motion_(take_vector(scratch, skeleton_.v_size())) {
  const auto v = static_cast<std::size_t>(skeleton_.v_size());
  sort_goals();
  weigh_posture();
  task_memory_ = scratch.take<Real>(3 * goals_.size() * (v + 1));
  posture_memory_ = scratch.take<Real>(static_cast<std::size_t>(posture_rows_) * (v + 1));
  tasks_ = scratch.take<Task>(level_end_.size() + (posture_rows_ > 0 ? 1 : 0));
  std::copy(problem.seed.begin(), problem.seed.end(), q_.begin());
  std::copy(problem.seed.begin(), problem.seed.end(), next_.begin());
  measure();
}

/// By insertion: goals are few, and those of one priority keep their order.
void Iteration::sort_goals() noexcept {
  std::copy(problem_.goals.begin(), problem_.goals.end(), goals_.begin());
  std::size_t levels = 0;
  if (habits_.priorities)
    for (std::size_t g = 1; g < goals_.size(); ++g)
      for (std::size_t k = g; k > 0 && priority_of(goals_[k]) < priority_of(goals_[k - 1]); --k)
        std::swap(goals_[k], goals_[k - 1]);
  for (std::size_t g = 0; g < goals_.size(); ++g) {
    const bool last_of_level =
        g + 1 == goals_.size() ||
        (habits_.priorities && priority_of(goals_[g]) != priority_of(goals_[g + 1]));
    if (last_of_level) level_end_[levels++] = static_cast<int>(g + 1);
  }
  level_end_ = level_end_.first(levels);
}

void Iteration::weigh_posture() noexcept {
  const Intent& intent = problem_.intent;
  posture_weight_.setZero();
  posture_rows_ = 0;
  if (!habits_.posture || intent.posture.empty() || intent.weight == 0) return;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const Real weight = intent.per_joint.empty() ? 1 : intent.per_joint[j];
    if (weight == 0 || !may_move(problem_, j)) continue;
    if (habits_.skip_twisters && is_end_twister(skeleton_, j)) continue;
    const int size = v_size(skeleton_.type(j));
    posture_weight_.segment(skeleton_.v_offset(j), size).setConstant(std::sqrt(weight));
    posture_rows_ += size;
  }
}

// The least-norm step weighs joints by W = diag(hold): with v = W^(-1/2) u it is plain least norm
// in u, so a joint's basis is as long as 1 / sqrt(hold), and its share in the step falls with
// 1 / hold.
void Iteration::free_joints() noexcept {
  const std::span<const Real> per_joint = problem_.intent.per_joint;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const Real hold = per_joint.empty() ? 1 : std::max(1.0, per_joint[j]);
    freedoms_[j] = {Mat3::Identity() / std::sqrt(hold), Vec3::Zero(),
                    may_move(problem_, j) ? v_size(skeleton_.type(j)) : 0};
  }
}

bool Iteration::begin_step() noexcept {
  const bool polishing = habits_.polish && posture_rows_ > 0;
  if (report_.error == 0 && !polishing) {
    report_.status = Status::reached;
    return false;
  }
  const bool still = moved_ <= standing || (polishing && merit_ == 0 && moved_ <= settled);
  if (habits_.patience > 0 && (still || idle_ >= habits_.patience)) {
    report_.status = Status::stalled;
    return false;
  }
  if (report_.iterations == problem_.budget.iterations) {
    report_.status = Status::out_of_budget;
    return false;
  }
  ++report_.iterations;
  rounds_ = 0;
  stacked_jacobian(goals_, skeleton_, poses_,
                   Eigen::Map<Jacobian>(velocity_.data(), 6, velocity_.cols()), jacobian_);
  for (std::size_t g = 0; g < goals_.size(); ++g)
    error_.segment<3>(static_cast<Index>(3 * g)) =
        std::sqrt(weight_of(goals_[g])) * clamp_magnitude(residuals_[g], habits_.max_error);
  free_joints();
  state_tasks();
  return true;
}

// Of J v = e, with v = fixed + B u, remains (J B) u = e - J fixed.
void Iteration::state_tasks() noexcept {
  free_ = 0;
  for (const Freedom& freedom : freedoms_) free_ += freedom.size;
  Real* memory = task_memory_.data();
  std::size_t first = 0;
  for (std::size_t level = 0; level < level_end_.size(); ++level) {
    const auto row = static_cast<Index>(3 * first);
    const Index rows = 3 * level_end_[level] - row;
    MatrixMap matrix(memory, rows, free_);
    VectorMap error(memory + rows * free_, rows);
    memory += rows * (free_ + 1);
    first = static_cast<std::size_t>(level_end_[level]);
    error = error_.segment(row, rows);
    Index col = 0;
    for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
      const Freedom& freedom = freedoms_[j];
      const int at = skeleton_.v_offset(j), size = v_size(skeleton_.type(j));
      for (int i = 0; i < size; ++i)
        if (freedom.fixed[i] != 0)
          error -= freedom.fixed[i] * jacobian_.col(at + i).segment(row, rows);
      for (int k = 0; k < freedom.size; ++k, ++col) {
        matrix.col(col) = freedom.basis(0, k) * jacobian_.col(at).segment(row, rows);
        for (int i = 1; i < size; ++i)
          matrix.col(col) += freedom.basis(i, k) * jacobian_.col(at + i).segment(row, rows);
      }
    }
    std::construct_at(&tasks_[level], Task{matrix, error});
  }
  if (posture_rows_ == 0) return;
  MatrixMap matrix(posture_memory_.data(), posture_rows_, free_);
  VectorMap error(posture_memory_.data() + posture_rows_ * free_, posture_rows_);
  matrix.setZero();
  Index row = 0, col = 0;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const Freedom& freedom = freedoms_[j];
    const int at = skeleton_.v_offset(j), size = v_size(skeleton_.type(j));
    for (int i = 0; i < size && posture_weight_[at] != 0; ++i, ++row) {
      for (int k = 0; k < freedom.size; ++k)
        matrix(row, col + k) = posture_weight_[at] * freedom.basis(i, k);
      error[row] = posture_weight_[at] * (posture_error_[at + i] - freedom.fixed[i]);
    }
    col += freedom.size;
  }
  std::construct_at(&tasks_[level_end_.size()], Task{matrix, error});
}

bool Iteration::limits_are_in_the_way() noexcept {
  Real largest = 0;
  Index col = 0;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const Freedom& freedom = freedoms_[j];
    Vec3 v = freedom.fixed;
    for (int k = 0; k < freedom.size; ++k, ++col) v += motion_[col] * freedom.basis.col(k);
    const int size = v_size(skeleton_.type(j));
    step_.segment(skeleton_.v_offset(j), size) = v.head(size);
    largest = std::max(largest, v.head(size).lpNorm<Eigen::Infinity>());
  }
  if (largest > habits_.max_step) step_ *= habits_.max_step / largest;

  const bool may_narrow = habits_.limits_in_step && rounds_ < most_rounds;
  bool narrowed = false;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    if (!may_move(problem_, j)) continue;
    const JointType type = skeleton_.type(j);
    const Real* const here = &q_[skeleton_.q_offset(j)];
    Real* const there = &next_[skeleton_.q_offset(j)];
    std::array<Real, 4> wanted{};
    integrate_joint(type, here, &step_[skeleton_.v_offset(j)], wanted.data());
    std::copy_n(wanted.begin(), q_size(type), there);
    clamp_joint(skeleton_, j, there);
    if (!may_narrow || freedoms_[j].size == 0 ||
        std::equal(there, there + q_size(type), wanted.begin()))
      continue;
    Vec3 v = Vec3::Zero(), applied = Vec3::Zero();
    v.head(v_size(type)) = step_.segment(skeleton_.v_offset(j), v_size(type));
    difference_joint(type, here, there, applied.data());
    narrowed |= narrow(freedoms_[j], v - applied, applied);
  }
  if (!narrowed) return false;
  ++rounds_;
  state_tasks();
  return true;
}

void Iteration::finish_step() noexcept {
  moved_ = 0;
  for (std::size_t i = 0; i < q_.size(); ++i) moved_ = std::max(moved_, std::abs(next_[i] - q_[i]));
  std::copy(next_.begin(), next_.end(), q_.begin());
  measure();
}

void Iteration::measure() noexcept {
  forward(skeleton_, q_, poses_);
  ++report_.passes;
  merit_ = 0;
  Real counts = 1;
  std::size_t g = 0;
  for (const int end : level_end_) {
    Real sum = 0;
    for (; g < static_cast<std::size_t>(end); ++g) {
      residuals_[g] = residual_vector(goals_[g], poses_[joint_of(goals_[g])]);
      const Real beyond = residuals_[g].norm() - tolerance_of(goals_[g]);
      if (!(beyond <= 0)) sum += weight_of(goals_[g]) * beyond * beyond;
    }
    merit_ += counts * std::sqrt(sum);
    counts = std::max(counts * lower_counts, 1e-15);
  }
  distance_ = 0;
  if (posture_rows_ > 0) {
    difference(skeleton_, q_, problem_.intent.posture,
               {posture_error_.data(), static_cast<std::size_t>(posture_error_.size())});
    for (Index i = 0; i < posture_error_.size(); ++i) {
      const Real weighted = posture_weight_[i] * posture_error_[i];
      distance_ += weighted * weighted;
    }
  }
  if (merit_ < report_.error || (merit_ == report_.error && distance_ < best_distance_)) {
    report_.error = merit_;
    best_distance_ = distance_;
    std::copy(q_.begin(), q_.end(), best_.begin());
  }
  ++idle_;
  if (report_.error < worthwhile * mark_ ||
      (report_.error == 0 && best_distance_ < worthwhile * distance_mark_)) {
    idle_ = 0;
    mark_ = report_.error;
    distance_mark_ = best_distance_;
  }
}

}  // namespace gestik::linear
