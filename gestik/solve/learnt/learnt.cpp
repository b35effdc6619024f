#include "gestik/solve/learnt/learnt.h"

#include <algorithm>
#include <cmath>

#include "gestik/goal/objective.h"
#include "gestik/math/ldlt.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/learnt/prior.h"

namespace gestik {
namespace {

using Eigen::Index;
using learnt::Prior;

constexpr Real longest_step = 1;     // radians, metres: beyond, the linear model says little
constexpr int steps_as_learnt = 12;  // then the goal counts for more than the prior
constexpr int most_rounds = 4;       // of a step, each with more joints stopped at their limits
constexpr Real damping_factor = 8;   // up after a step that failed, down after one that helped
constexpr Real most_damping = 1e12;
constexpr int patience = 20;           // plain steps without progress before giving up
constexpr Real worthwhile = 1 - 1e-4;  // progress: to fall below this share of the last mark

/// What the limits leave of a joint's tangent space in a step.
struct Freedom {
  Mat3 open;   ///< projects onto the directions that are left
  Vec3 fixed;  ///< how far it goes along the others
};

/// One solve. `Rows` is 3 for a single goal, so that loops unroll, else Eigen::Dynamic.
template <int Rows>
class Walk {
 public:
  Walk(const Problem& problem, Scratch& scratch, Q out) noexcept
      : problem_(problem),
        skeleton_(problem.skeleton),
        rows_(static_cast<Index>(3 * problem.goals.size())),
        q_(scratch.take<Real>(problem.seed.size())),
        next_(scratch.take<Real>(problem.seed.size())),
        best_(out),
        poses_(scratch.take<Pose>(static_cast<std::size_t>(skeleton_.joint_count()))),
        freedoms_(scratch.take<Freedom>(static_cast<std::size_t>(skeleton_.joint_count()))),
        work_(take_matrix(scratch, 6, skeleton_.v_size())),
        jacobian_(scratch.take<Real>(size(rows_)).data(), rows_, skeleton_.v_size()),
        open_(scratch.take<Real>(size(rows_)).data(), rows_, skeleton_.v_size()),
        spread_(scratch.take<Real>(size(rows_)).data(), rows_, skeleton_.v_size()),
        residual_(take_vector(scratch, rows_)),
        pulls_(take_vector(scratch, rows_)),
        shares_(take_vector(scratch, rows_)),
        system_(scratch.take<Real>(static_cast<std::size_t>(rows_ * rows_))),
        pull_(take_vector(scratch, skeleton_.v_size())),
        step_(take_vector(scratch, skeleton_.v_size())) {
    Real heaviest = 0;
    for (const Goal& goal : problem.goals) heaviest = std::max(heaviest, weight_of(goal));
    scale_ = heaviest > 0 ? 1 / std::sqrt(heaviest) : 1;
    start_at(problem.seed);
  }

  static std::size_t bytes(const Skeleton& skeleton, std::size_t goals) noexcept {
    const auto v = static_cast<std::size_t>(skeleton.v_size());
    const auto q = static_cast<std::size_t>(skeleton.q_size());
    const auto joints = static_cast<std::size_t>(skeleton.joint_count());
    return 2 * Scratch::bytes_for<Real>(q) + Scratch::bytes_for<Pose>(joints) +
           Scratch::bytes_for<Freedom>(joints) + Scratch::bytes_for<Real>(6 * v) +
           3 * Scratch::bytes_for<Real>(3 * goals * v) + 3 * Scratch::bytes_for<Real>(3 * goals) +
           Scratch::bytes_for<Real>(9 * goals * goals) + 2 * Scratch::bytes_for<Real>(v);
  }

  bool met() const noexcept { return report_.error == 0; }
  bool spent() const noexcept { return report_.iterations == problem_.budget.iterations; }
  Report& report() noexcept { return report_; }

  void start_at(ConstQ q) noexcept {
    std::copy(q.begin(), q.end(), q_.begin());
    measure();
  }

  /// From the mean towards the goal, for as many steps as the prior is worth: each one counts.
  void follow(const Prior& prior) noexcept {
    ++report_.iterations;
    start_at(prior.mean);
    for (int i = 0; i < steps_as_learnt && !met() && !spent(); ++i) {
      ++report_.iterations;
      linearise();
      if (!find_step(prior, 1)) return;
      std::copy(next_.begin(), next_.end(), q_.begin());
      measure();
    }
  }

  /// Damped steps from where it stands, until the goals are met or nothing helps.
  void descend(const Prior& plain) noexcept {
    report_.status = Status::out_of_budget;
    Real factor = 1, mark = infinity;
    int idle = 0;
    bool fresh = true;
    while (!met() && !spent()) {
      ++report_.iterations;
      if (fresh) linearise();
      const Real before = objective_;
      bool better = find_step(plain, factor);
      if (better) {
        q_.swap_with(next_);
        measure();
        better = objective_ < before;
        if (!better) {
          q_.swap_with(next_);
          forward(skeleton_, q_.span(), poses_);
          ++report_.passes;
          objective_ = before;
        }
      }
      fresh = better;
      factor = better ? std::max<Real>(1, factor / damping_factor) : factor * damping_factor;
      idle = objective_ < worthwhile * mark ? 0 : idle + 1;
      if (idle == 0) mark = objective_;
      if (factor > most_damping || idle >= patience) {
        report_.status = Status::stalled;
        return;
      }
    }
  }

 private:
  /// A pose in one of two places in the scratch.
  class Row {
   public:
    explicit Row(Q memory) noexcept : q_(memory) {}
    Q span() const noexcept { return q_; }
    Real* begin() const noexcept { return q_.data(); }
    Real* end() const noexcept { return q_.data() + q_.size(); }
    Real* at(int offset) const noexcept { return q_.data() + offset; }
    void swap_with(Row& other) noexcept { std::swap(q_, other.q_); }

   private:
    Q q_;
  };

  using Wide = Eigen::Map<Eigen::Matrix<Real, Rows, Eigen::Dynamic>>;
  std::size_t size(Index rows) const noexcept {
    return static_cast<std::size_t>(rows * skeleton_.v_size());
  }

  void measure() noexcept {
    forward(skeleton_, q_.span(), poses_);
    ++report_.passes;
    objective_ = objective(problem_.goals, poses_);
    const Real error = goal_error(problem_.goals, poses_);
    if (!(error < report_.error)) return;
    report_.error = error;
    std::copy(q_.begin(), q_.end(), best_.begin());
  }

  void linearise() noexcept {
    stacked_residual(problem_.goals, poses_, residual_);
    stacked_jacobian(problem_.goals, skeleton_, poses_,
                     Eigen::Map<Jacobian>(work_.data(), 6, work_.cols()),
                     MatrixMap(jacobian_.data(), rows_, jacobian_.cols()));
    residual_ *= scale_;
    jacobian_ *= scale_;
  }

  // With the prior N(m, W) of the step and the goal's J v = e, known up to a noise s, the likeliest
  // step is
  //   v = m + W J^T (J W J^T + s I)^-1 (e - J m),
  // a system of three rows for one goal, however many joints there are. Where limits stop joints,
  // v = f + P (m + ...) with W replaced by P W P and e by e - J f: P takes away the directions
  // stopped, f is how far the joints get along them.
  bool find_step(const Prior& prior, Real factor) noexcept {
    for (Freedom& freedom : freedoms_) freedom = {Mat3::Identity(), Vec3::Zero()};
    find_pull(prior);
    open_ = jacobian_;
    pulls_ = residual_;
    if (prior.about_mean) add_columns(jacobian_, pull_, -1, pulls_);
    for (int round = 0;; ++round) {
      spread_out(prior);
      if (round > 0)
        for_each_block([&](JointId j, Index at, Index n) { project(freedoms_[j].open, at, n); });
      solve_system(prior.noise * factor);
      for (Index i = 0; i < step_.size(); ++i) step_[i] = pull_[i] + spread_.col(i).dot(shares_);
      if (round > 0)
        for_each_block([&](JointId j, Index at, Index n) {
          step_.segment(at, n) += freedoms_[j].fixed.head(n);
        });
      if (!step_.allFinite()) return false;
      const Real longest = step_.template lpNorm<Eigen::Infinity>();
      if (longest > longest_step) step_ *= longest_step / longest;
      if (!take_step(prior, round < most_rounds)) return true;
      open_up(prior);
    }
  }

  /// spread = spread * open, for the columns of one joint.
  void project(const Mat3& open, Index at, Index n) noexcept {
    for (Index r = 0; r < rows_; ++r) {
      Vec3 row = Vec3::Zero();
      for (Index i = 0; i < n; ++i) row[i] = spread_(r, at + i);
      row = (open * row).eval();
      for (Index i = 0; i < n; ++i) spread_(r, at + i) = row[i];
    }
  }

  /// Where the mean is from here.
  void find_pull(const Prior& prior) noexcept {
    pull_.setZero();
    if (!prior.about_mean) return;
    for_each_block([&](JointId j, Index at, Index) {
      difference_joint(skeleton_.type(j), q_.at(skeleton_.q_offset(j)),
                       &prior.mean[static_cast<std::size_t>(skeleton_.q_offset(j))], &pull_[at]);
    });
  }

  /// out += sign * columns * v
  static void add_columns(const Wide& columns, const VectorMap& v, Real sign,
                          VectorMap& out) noexcept {
    for (Index i = 0; i < v.size(); ++i) out += (sign * v[i]) * columns.col(i);
  }

  /// spread = (W open^T)^T: the diagonal, then each neighbour's deviation.
  void spread_out(const Prior& prior) noexcept {
    for (Index i = 0; i < spread_.cols(); ++i) spread_.col(i) = prior.diagonal[i] * open_.col(i);
    if constexpr (Rows == 3)
      for (Index k = 0; k < prior.columns; ++k) {
        const auto deviation = prior.deviations.col(k);
        Vec3 along = Vec3::Zero();  // only one goal has neighbours
        for (Index i = 0; i < open_.cols(); ++i) along += deviation[i] * open_.col(i);
        for (Index i = 0; i < spread_.cols(); ++i) spread_.col(i) += deviation[i] * along;
      }
  }

  void solve_system(Real noise) noexcept {
    Eigen::Map<Eigen::Matrix<Real, Rows, Rows>> system(system_.data(), rows_, rows_);
    system.setZero();
    for (Index i = 0; i < open_.cols(); ++i)
      for (Index r = 0; r < rows_; ++r) system.col(r) += open_(r, i) * spread_.col(i);
    for (Index r = 0; r < rows_; ++r) system(r, r) += noise;
    shares_ = pulls_;
    solve_ldlt<Rows == 3 ? 3 : 0>(system_.data(), shares_.data(), static_cast<int>(rows_));
  }

  template <class F>
  void for_each_block(F&& f) noexcept {
    for (JointId j = 0; j < skeleton_.joint_count(); ++j)
      if (may_move(problem_, j))
        f(j, static_cast<Index>(skeleton_.v_offset(j)), Index{v_size(skeleton_.type(j))});
  }

  /// Moves every joint, inside its limits. True where some were stopped and another round may help.
  bool take_step(const Prior& prior, bool may_narrow) noexcept {
    bool stopped = false;
    std::copy(q_.begin(), q_.end(), next_.begin());
    for_each_block([&](JointId j, Index at, Index n) {
      const JointType type = skeleton_.type(j);
      const int place = skeleton_.q_offset(j);
      Real* const next = next_.at(place);
      if (step_.segment(at, n).isZero(0)) return;
      integrate_joint(type, q_.at(place), &step_[at], next);
      bool stops = prior.boxed && keep_in_box(prior, j, next);
      if (!joint_inside_limits(skeleton_, j, next)) {
        clamp_joint(skeleton_, j, next);
        stops = true;
      }
      if (stops && may_narrow) stopped = narrow(j, at, n) || stopped;
    });
    return stopped;
  }

  bool keep_in_box(const Prior& prior, JointId j, Real* q) noexcept {
    const JointType type = skeleton_.type(j);
    const Real* const mean = &prior.mean[static_cast<std::size_t>(skeleton_.q_offset(j))];
    Vec3 offset = Vec3::Zero();
    difference_joint(type, mean, q, offset.data());
    bool changed = false;
    for (int k = 0; k < v_size(type); ++k) {
      const Index i = skeleton_.v_offset(j) + k;
      const Real inside = std::clamp(offset[k], prior.lo[i], prior.hi[i]);
      changed = changed || inside != offset[k];
      offset[k] = inside;
    }
    if (changed) integrate_joint(type, mean, offset.data(), q);
    return changed;
  }

  /// Takes the direction that a joint was stopped in away from it.
  bool narrow(JointId j, Index at, Index n) noexcept {
    constexpr Real negligible = 1e-9;
    Vec3 applied = Vec3::Zero(), wanted = Vec3::Zero();
    difference_joint(skeleton_.type(j), q_.at(skeleton_.q_offset(j)),
                     next_.at(skeleton_.q_offset(j)), applied.data());
    wanted.head(n) = step_.segment(at, n);
    Freedom& freedom = freedoms_[j];
    const Vec3 out = freedom.open * (wanted - applied);
    if (!(out.norm() > negligible)) return false;
    const Vec3 direction = out.normalized();
    freedom.open -= direction * direction.transpose();
    freedom.fixed += direction.dot(applied) * direction;
    return true;
  }

  /// The Jacobian, the pull and the residual that the joints stopped so far leave.
  void open_up(const Prior& prior) noexcept {
    find_pull(prior);
    pulls_ = residual_;
    for_each_block([&](JointId j, Index at, Index n) {
      const Freedom& freedom = freedoms_[j];
      const Mat3& open = freedom.open;
      Vec3 pull = Vec3::Zero();
      for (Index i = 0; i < n; ++i) pull[i] = pull_[at + i];
      pull = (open * pull).eval();
      for (Index i = 0; i < n; ++i) pull_[at + i] = pull[i];
      for (Index i = 0; i < n; ++i) {
        open_.col(at + i).setZero();
        for (Index k = 0; k < n; ++k) open_.col(at + i) += open(k, i) * jacobian_.col(at + k);
        pulls_ -= (freedom.fixed[i] + pull_[at + i]) * jacobian_.col(at + i);
      }
    });
  }

  const Problem& problem_;
  const Skeleton& skeleton_;
  Index rows_;
  Row q_, next_;
  Q best_;
  std::span<Pose> poses_;
  std::span<Freedom> freedoms_;
  MatrixMap work_;
  Wide jacobian_, open_, spread_;
  VectorMap residual_, pulls_, shares_;
  std::span<Real> system_;
  VectorMap pull_, step_;
  Real scale_ = 1;
  Real objective_ = infinity;
  Report report_{.status = Status::out_of_budget};
};

template <int Rows>
Report walk(const Learnt& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  Walk<Rows> walk(problem, scratch, out);
  Prior prior = Prior::take(settings, problem.skeleton, scratch);
  // First without the joints that never moved in a capture, then, where that is not enough, with
  // them.
  const auto descend = [&] {
    set_plain(settings, problem, prior);
    const bool held = hold_still(settings, problem, scratch, prior);
    walk.descend(prior);
    if (!held || walk.met() || walk.spent()) return;
    set_plain(settings, problem, prior);
    walk.descend(prior);
  };
  if (!walk.spent() && set_learnt(settings, problem, scratch, prior)) {
    walk.follow(prior);
    descend();
    if (walk.met() || walk.spent()) return walk.report();
    walk.start_at(problem.seed);
  }
  descend();
  return walk.report();
}

}  // namespace

std::size_t scratch_bytes(const Learnt& settings, const Skeleton& skeleton,
                          std::size_t goals) noexcept {
  return Walk<Eigen::Dynamic>::bytes(skeleton, goals) + Prior::bytes(settings, skeleton) +
         learnt::set_learnt_bytes(settings, skeleton);
}

Report solve(const Learnt& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  return problem.goals.size() == 1 ? walk<3>(settings, problem, scratch, out)
                                   : walk<Eigen::Dynamic>(settings, problem, scratch, out);
}

}  // namespace gestik
