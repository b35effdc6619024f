#include "gestik/solve/lm/lm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/spread.h"
#include "gestik/solve/kick.h"
#include "gestik/solve/lm/system.h"

namespace gestik::lm {
namespace {

/// The search: starts, and what to make of them.
class Search {
 public:
  Search(const Lm&, const Problem&, Scratch&) noexcept;
  static std::size_t bytes(const Skeleton&, std::size_t goals) noexcept;
  Report run(Q out) noexcept;

 private:
  enum class End : std::uint8_t { reached, spent, stuck };
  static constexpr int few = 10;
  struct Rule {
    Real fall;     ///< share to which the squared error must fall ...
    int patience;  ///< ... in this many iterations ...
    int most;      ///< ... of at most so many
  };

  void measure_reach() noexcept;
  void scale_for_search() noexcept;
  void scale_for_closeness() noexcept;
  void evaluate(bool chords = true) noexcept;
  bool budget_left() const noexcept { return report_.iterations < problem_.budget.iterations; }
  End descend(const Rule&) noexcept;
  End polish(int most) noexcept;
  End start_from(Q whole, const Rule&) noexcept;
  End draw_and_descend() noexcept;
  void write_best(Q out) const noexcept;

  const Lm& settings_;
  const Problem& problem_;
  const Reduced body_;
  System system_;
  std::span<Real> q_, other_, best_;
  bool beyond_reach_ = false;
  Real reach_ = 0;
  std::uint32_t drawn_ = 0;
  Real lacking_ = infinity;   ///< of the best pose: its goal_error, squared
  Real polished_ = infinity;  ///< what that was when it was last polished
  Report report_;
};

std::size_t Search::bytes(const Skeleton& skeleton, std::size_t goals) noexcept {
  return reduced_bytes(skeleton, goals) + System::bytes(skeleton, goals) +
         Scratch::bytes_for<Real>(3 * static_cast<std::size_t>(skeleton.q_size()));
}

Search::Search(const Lm& settings, const Problem& problem, Scratch& scratch) noexcept
    : settings_(settings),
      problem_(problem),
      body_(reduce(problem, scratch)),
      system_(settings, problem, body_, scratch),
      q_(scratch.take<Real>(static_cast<std::size_t>(body_.q_size))),
      other_(scratch.take<Real>(q_.size())),
      best_(scratch.take<Real>(q_.size())) {
  measure_reach();
}

/// How far the longest way from a root joint to a goal stretches.
void Search::measure_reach() noexcept {
  for (std::size_t g = 0; g < body_.goals.size(); ++g) {
    const Goal& goal = body_.goals[g];
    const Reach* const reach = std::get_if<Reach>(&goal);
    Real length = reach ? reach->point_in_joint.norm() : 0, slide = 0;
    JointId k = system_.tasks()[g].joint;
    for (;; k = body_.joints[k].parent) {
      if (body_.joints[k].type == JointType::slider) {
        const Limits& limits = problem_.skeleton.limits(body_.source[k]);
        slide += std::max(std::abs(limits.lo), std::abs(limits.hi));
      }
      if (body_.joints[k].parent == no_joint) break;
      length += body_.joints[k].offset.norm();
    }
    reach_ = std::max(reach_, length + std::min(slide, length));
    if (reach)
      beyond_reach_ |=
          (reach->target - body_.joints[k].offset).norm() > length + slide + reach->tolerance;
  }
}

void Search::scale_for_search() noexcept {
  for (Task& task : system_.tasks())
    task.scale = task.kind == Task::Kind::reach && reach_ > 0 ? 4 / reach_ : 1;
}

void Search::scale_for_closeness() noexcept {
  Real heaviest = 0;
  for (const Task& task : system_.tasks()) heaviest = std::max(heaviest, task.weight);
  for (Task& task : system_.tasks()) task.scale = std::sqrt(task.weight / heaviest);
}

void Search::evaluate(bool chords) noexcept {
  system_.evaluate(q_, chords);
  ++report_.passes;
  if (const Real lacking = system_.lacking(); lacking < (1 - 1e-9) * lacking_) {
    lacking_ = lacking;
    std::copy(q_.begin(), q_.end(), best_.begin());
  }
}

Search::End Search::descend(const Rule& rule) noexcept {
  Real mark = system_.squared();
  int idle = 0;
  for (int n = 0;; ++n) {
    if (lacking_ == 0) return End::reached;
    if (!budget_left()) return End::spent;
    if (n >= rule.most || idle >= rule.patience) return End::stuck;
    const Real damping = std::min(settings_.damping * system_.squared(), 0.5) + 1e-9;
    system_.linearize();
    const Real largest = system_.step(q_, damping, other_);
    ++report_.iterations;
    if (largest < 1e-24) return End::stuck;
    std::swap(q_, other_);
    evaluate();
    ++idle;
    if (system_.squared() < rule.fall * mark) {
      mark = system_.squared();
      idle = 0;
    }
  }
}

Search::End Search::polish(int most) noexcept {
  constexpr Real worthwhile = 1e-6;
  if (lacking_ == polished_) return End::stuck;
  scale_for_closeness();
  std::copy(best_.begin(), best_.end(), q_.begin());
  evaluate(false);
  Real damping = 1e-3;
  int idle = 0;
  for (; budget_left() && most > 0 && idle < 8; --most) {
    const Real before = system_.squared();
    system_.linearize();
    const Real largest = system_.step(q_, damping * std::max(system_.stiffness(), 1e-30), other_);
    ++report_.iterations;
    if (largest < 1e-24) break;
    std::swap(q_, other_);
    evaluate(false);
    if (lacking_ == 0) return End::reached;
    if (system_.squared() < before) {
      damping = std::max(damping / 4, 1e-9);
      idle = system_.squared() < (1 - worthwhile) * before ? 0 : idle + 1;
    } else {
      std::swap(q_, other_);
      evaluate(false);
      damping *= 8;
      ++idle;
    }
  }
  if (most > 0) polished_ = lacking_;
  scale_for_search();
  return budget_left() ? End::stuck : End::spent;
}

/// A start from a pose inside the limits, which is lost on the way. A chain stretched out towards
/// its target can't see which way to fold: it is bent a little then (the bends of many joints add
/// up), and starts again, with time to come back from a first step that is far too long.
Search::End Search::start_from(Q whole, const Rule& rule) noexcept {
  gather(body_, problem_.skeleton, whole, q_);
  evaluate();
  const End end = descend(rule);
  if (end != End::stuck) return end;
  system_.linearize();
  if (!system_.flat()) return end;
  scatter(body_, problem_.skeleton, q_, whole);
  kick(problem_, 0.3 / std::sqrt(static_cast<Real>(body_.joints.size())), 1, whole);
  gather(body_, problem_.skeleton, whole, q_);
  evaluate();
  return descend({.fall = rule.fall, .patience = 2 * rule.patience, .most = rule.most});
}

/// A start from the best of the next few spread poses.
Search::End Search::draw_and_descend() noexcept {
  system_.allow_leaps(true);
  Real least = infinity;
  for (int n = 0; n < settings_.draws; ++n) {
    for (std::size_t k = 0; k < body_.joints.size(); ++k)
      spread_joint(problem_.skeleton, body_.source[k], drawn_,
                   q_.data() + body_.joints[k].q_offset);
    ++drawn_;
    ++report_.passes;
    system_.evaluate(q_, true);
    if (system_.squared() < least) {
      least = system_.squared();
      std::swap(q_, other_);
    }
  }
  std::swap(q_, other_);
  evaluate();
  return descend({.fall = 0.4, .patience = 2, .most = 30});
}

/// The best pose; of a hinge that can turn right round, the turn that is nearest to the seed's.
void Search::write_best(Q out) const noexcept {
  std::copy(problem_.seed.begin(), problem_.seed.end(), out.begin());
  scatter(body_, problem_.skeleton, best_, out);
  for (const JointId j : body_.source) {
    const Limits& limits = problem_.skeleton.limits(j);
    if (problem_.skeleton.type(j) != JointType::hinge || limits.hi - limits.lo < 2 * pi) continue;
    Real& angle = out[problem_.skeleton.q_offset(j)];
    const Real seed = problem_.seed[problem_.skeleton.q_offset(j)];
    if (std::abs(angle - seed) <= pi) continue;
    angle = turned_inside(seed + wrap_angle(angle - seed), limits.lo, limits.hi);
  }
}

Report Search::run(Q out) noexcept {
  constexpr Rule patient{.fall = 0.7, .patience = 3, .most = 40};
  std::copy(problem_.seed.begin(), problem_.seed.end(), out.begin());
  if (body_.goals.empty())  // nothing that moves
    return {.status = Status::stalled, .error = std::sqrt(body_.unmovable)};
  scale_for_search();
  End end = start_from(out, patient);
  int start = 1;
  if (end == End::stuck && !problem_.intent.posture.empty() && settings_.starts > 1) {
    std::copy(problem_.intent.posture.begin(), problem_.intent.posture.end(), out.begin());
    clamp_to_limits(problem_.skeleton, out);
    end = start_from(out, patient);
    ++start;
  }
  // The best of a few starts is brought near, in case there is nothing to be met; a better one
  // found later, again. Where the target is too far away for all, a few starts must do.
  constexpr int a_while = 200;
  const int starts = beyond_reach_ ? std::min(settings_.starts, few) : settings_.starts;
  for (; end == End::stuck && start < starts; ++start) {
    end = draw_and_descend();
    if (end == End::stuck && (start == few || start == 10 * few || start == 100 * few))
      end = polish(a_while);
  }
  if (end == End::stuck) end = polish(problem_.budget.iterations);
  report_.status = end == End::reached ? Status::reached
                   : end == End::spent ? Status::out_of_budget
                                       : Status::stalled;
  report_.error = std::sqrt(lacking_);
  write_best(out);
  return report_;
}

}  // namespace
}  // namespace gestik::lm

namespace gestik {

std::size_t scratch_bytes(const Lm&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return lm::Search::bytes(skeleton, goals);
}

Report solve(const Lm& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  return lm::Search(settings, problem, scratch).run(out);
}

}  // namespace gestik
