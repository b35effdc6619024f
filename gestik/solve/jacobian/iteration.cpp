#include "gestik/solve/jacobian/iteration.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik::linear {
namespace {

using Eigen::Index;

/// The most that all lower priorities together count beside one, when poses are compared.
constexpr Real lower_counts = 1e-6;
/// Trust in the steps of lower tasks: how it falls and grows, and where it ends.
constexpr Real trust_falls = 0.5, trust_grows = 1.2, least_trust = 1e-4;
/// Progress is to fall below this share of the last mark: the error, or the distance from the
/// posture.
constexpr Real worthwhile = 1 - 1e-4, worthwhile_distance = 1 - 1e-3;
/// Coordinates that change by less than this do not move any more ...
constexpr Real standing = 1e-12;
/// ... and by this, with the goals met, they have settled near the posture.
constexpr Real settled = 1e-4;
/// How often one step is solved again for limits. Joints that leave after that are clamped.
constexpr int most_rounds = 8;
/// A joint that gets no more of its wish than this stands at its limit.
constexpr Real standing_share = 1e-3;
/// A clamp that takes back less than this share of a joint's move is left at that.
constexpr Real negligible = 1e-3;

Vec3 clamp_magnitude(const Vec3& v, Real most) noexcept {
  const Real length = v.norm();
  return length > most ? Vec3(most / length * v) : v;
}

/// The part of a joint's wish that its limits took away, as far as the joint is free in it.
Vec3 refused(const Freedom& freedom, const Vec3& wished, const Vec3& applied) noexcept {
  Vec3 out = Vec3::Zero();
  const Real length2 = freedom.basis.col(0).squaredNorm();
  for (int k = 0; k < freedom.size; ++k)
    out += freedom.basis.col(k) * freedom.basis.col(k).dot(wished - applied) / length2;
  return out;
}

/// Takes a direction away from a joint, which from now on moves along it as `applied` does.
void narrow(Freedom& freedom, const Vec3& direction, const Vec3& applied) noexcept {
  const Mat3 basis = freedom.basis;
  const Real length = basis.col(0).norm();
  const Vec3 side = freedom.size == 3   ? any_perpendicular(direction)
                    : freedom.size == 2 ? normalized_or_zero(basis.col(0).cross(basis.col(1)))
                                        : Vec3(Vec3::Zero());
  freedom.fixed += direction * direction.dot(applied - freedom.fixed);
  freedom.basis.col(0) = length * side.cross(direction);
  freedom.basis.col(1) = length * side;
  --freedom.size;
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

std::size_t Iteration::bytes(const Skeleton& skeleton, std::size_t goals, bool posture) noexcept {
  const auto joints = static_cast<std::size_t>(skeleton.joint_count());
  const auto q = static_cast<std::size_t>(skeleton.q_size());
  const auto v = static_cast<std::size_t>(skeleton.v_size());
  const std::size_t rows = 3 * goals;
  return Scratch::bytes_for<Goal>(goals) + Scratch::bytes_for<int>(goals) +
         Scratch::bytes_for<Pose>(joints) + Scratch::bytes_for<Vec3>(goals) +
         Scratch::bytes_for<Freedom>(joints) + 3 * Scratch::bytes_for<Real>(q) +
         Scratch::bytes_for<Real>(6 * v) + Scratch::bytes_for<Real>(rows * v) +
         Scratch::bytes_for<Real>(rows) + 5 * Scratch::bytes_for<Real>(v) +
         Scratch::bytes_for<Real>(rows * (v + 1)) +
         Scratch::bytes_for<Real>(posture ? v * (v + 1) : 0) + Scratch::bytes_for<Task>(goals + 1);
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
      wished_(scratch.take<Real>(problem.seed.size())),
      next_(scratch.take<Real>(problem.seed.size())),
      velocity_(take_matrix(scratch, 6, skeleton_.v_size())),
      jacobian_(take_matrix(scratch, static_cast<Index>(3 * goals_.size()), skeleton_.v_size())),
      error_(take_vector(scratch, static_cast<Index>(3 * goals_.size()))),
      posture_error_(take_vector(scratch, skeleton_.v_size())),
      posture_weight_(take_vector(scratch, skeleton_.v_size())),
      step_(take_vector(scratch, skeleton_.v_size())),
      higher_step_(take_vector(scratch, skeleton_.v_size())),
      motion_(take_vector(scratch, skeleton_.v_size())) {
  const auto v = static_cast<std::size_t>(skeleton_.v_size());
  sort_goals();
  weigh_posture();
  task_memory_ = scratch.take<Real>(3 * goals_.size() * (v + 1));
  posture_memory_ = scratch.take<Real>(static_cast<std::size_t>(posture_rows_) * (v + 1));
  tasks_ = scratch.take<Task>(level_end_.size() + (posture_rows_ > 0 ? 1 : 0));
  std::copy(problem.seed.begin(), problem.seed.end(), q_.begin());
  std::copy(problem.seed.begin(), problem.seed.end(), wished_.begin());
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
  const int patience = report_.error == 0 ? (habits_.patience + 3) / 4 : habits_.patience;
  if (habits_.patience > 0 && (still || idle_ >= patience)) {
    report_.status = Status::stalled;
    return false;
  }
  if (report_.iterations == problem_.budget.iterations) {
    report_.status = Status::out_of_budget;
    return false;
  }
  ++report_.iterations;
  rounds_ = 0;
  served_ = tasks_.size();
  higher_step_.setZero();
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
    std::construct_at(&tasks_[level], Task{matrix, error, level == 0 ? 1 : trust_});
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
  std::construct_at(&tasks_.back(), Task{matrix, error, level_end_.empty() ? 1 : trust_});
}

void Iteration::move() noexcept {
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
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    if (!may_move(problem_, j)) continue;
    const int at = skeleton_.q_offset(j);
    integrate_joint(skeleton_.type(j), &q_[at], &step_[skeleton_.v_offset(j)], &wished_[at]);
    std::copy_n(&wished_[at], q_size(skeleton_.type(j)), &next_[at]);
    clamp_joint(skeleton_, j, &next_[at]);
  }
}

bool Iteration::fix_leavers(bool standing) noexcept {
  bool any = false;
  for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
    const JointType type = skeleton_.type(j);
    const int at = skeleton_.q_offset(j), size = v_size(type);
    if (freedoms_[j].size == 0 || std::equal(&next_[at], &next_[at] + q_size(type), &wished_[at]))
      continue;
    Vec3 wished = Vec3::Zero(), applied = Vec3::Zero(), higher = Vec3::Zero();
    wished.head(size) = step_.segment(skeleton_.v_offset(j), size);
    higher.head(size) = higher_step_.segment(skeleton_.v_offset(j), size);
    difference_joint(type, &q_[at], &next_[at], applied.data());
    const Vec3 out = refused(freedoms_[j], wished, applied);
    if (out.norm() <= negligible * applied.norm()) continue;
    const Vec3 direction = normalized_or_zero(out);
    const bool stands = direction.dot(applied) <= standing_share * direction.dot(wished);
    if (standing && !stands) continue;
    narrow(freedoms_[j], direction, stands ? higher : applied);
    any = true;
  }
  return any;
}

// The tasks are served all at once if the limits allow it, else one after the other, each with the
// joints that those before it have left: a joint that stands at its limit and that a task would
// push out moves as the tasks before wanted it to, which leaves them undisturbed.
//
// Joints that stand at their limits are fixed first, by themselves: once they are, the others may
// not want to leave at all. Fixed together, those would be sent to their limits each time the first
// push outwards, and a pose at rest against some limits would never come to rest.
bool Iteration::limits_are_in_the_way() noexcept {
  move();
  if (!habits_.limits_in_step) return false;
  const bool all_at_once = rounds_ == 0 && served_ == tasks_.size();
  if (all_at_once && served_ > 1 && std::equal(next_.begin(), next_.end(), wished_.begin()))
    return false;
  if (all_at_once && served_ > 1) {
    served_ = 1;
    return true;
  }
  if (rounds_ < most_rounds && (fix_leavers(true) || fix_leavers(false))) {
    ++rounds_;
    state_tasks();
    return true;
  }
  if (served_ == tasks_.size()) return false;
  higher_step_ = step_;
  rounds_ = 1;
  ++served_;
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
  const Real merit_before = std::exchange(merit_, 0);
  std::size_t g = goals_.size();
  for (std::size_t level = level_end_.size(); level-- > 0;) {
    const auto first = static_cast<std::size_t>(level == 0 ? 0 : level_end_[level - 1]);
    Real sum = 0;
    while (g > first) {
      --g;
      residuals_[g] = residual_vector(goals_[g], poses_[joint_of(goals_[g])]);
      const Real beyond = residuals_[g].norm() - tolerance_of(goals_[g]);
      if (!(beyond <= 0)) sum += weight_of(goals_[g]) * beyond * beyond;
    }
    merit_ = std::sqrt(sum) + lower_counts * merit_ / (1 + merit_);
  }
  if (habits_.caution)
    trust_ = merit_ > merit_before ? std::max(trust_falls * trust_, least_trust)
                                   : std::min(trust_grows * trust_, 1.0);
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
  if (report_.error < worthwhile * mark_ || distance_ < worthwhile_distance * distance_mark_) {
    idle_ = 0;
    mark_ = std::min(mark_, report_.error);
    distance_mark_ = std::min(distance_mark_, distance_);
  }
}

}  // namespace gestik::linear
