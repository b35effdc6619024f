#include "gestik/solve/erik/erik.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/measure/erik_error.h"
#include "gestik/solve/erik/closing_turn.h"
#include "gestik/solve/erik/coordinate_descent.h"
#include "gestik/solve/erik/phases.h"

namespace gestik {
namespace {

using namespace erik;

bool is_symmetric(const Goal& goal) noexcept {
  const Orient* orient = std::get_if<Orient>(&goal);
  return orient && orient->symmetric;
}

/// The whole turns of a joint that can make them are those nearest to the posture.
Real turned_to(Real posture, const Link& link, Real angle) noexcept {
  const Real turned = nearest_turn(angle, posture);
  return turned >= link.lo && turned <= link.hi ? turned : angle;
}

/// The largest combined error there is: added to that of a candidate which does not meet the goal,
/// so that one which does is always better.
Real largest_error(const Wish& wish) noexcept {
  return wish.orientation_weight + wish.posture_weight;
}

/// Nothing on the way to the end moves: it stands where it stands.
Report report_of_nothing(const Wish& wish, const Pose& end) noexcept {
  const Real angle = residual(wish.goal, end);
  if (angle <= tolerance_of(wish.goal)) return {.status = Status::reached, .error = 0};
  return {.status = Status::stalled,
          .error = largest_error(wish) + wish.orientation_weight * orientation_error(angle)};
}

/// The candidates of one solve and the best of them.
class Search {
 public:
  Search(const Erik& settings, const Chain& chain, const Wish& wish, Scratch& scratch) noexcept
      : settings_(settings),
        chain_(chain),
        wish_(wish),
        descent_{settings.max_ccd_iterations, settings.ccd_precision,
                 std::holds_alternative<Aim>(wish.goal), is_symmetric(wish.goal)},
        working_(take_candidate(scratch, chain.size())),
        best_(take_candidate(scratch, chain.size())),
        warped_(take_candidate(scratch, chain.size())),
        bases_(scratch.take<Quat>(chain.links.size() + 1)),
        rolls_(scratch.take<Quat>(chain.links.size())),
        bends_(scratch.take<Real>(chain.links.size())),
        chosen_(scratch.take<bool>(chain.links.size())),
        closing_{scratch.take<Vec3>(chain.links.size()), scratch.take<Real>(chain.links.size()),
                 scratch.take<Real>(chain.links.size()), take_candidate(scratch, chain.size())} {
    std::fill(chosen_.begin(), chosen_.end(), false);
  }

  static std::size_t bytes(std::size_t links) noexcept {
    return 7 * Scratch::bytes_for<Real>(links) + 5 * Scratch::bytes_for<Quat>(links) +
           Scratch::bytes_for<Quat>(links + 1) + Scratch::bytes_for<Vec3>(links) +
           Scratch::bytes_for<bool>(links);
  }

  Real error() const noexcept { return best_error_; }
  /// Candidates since the last one that was better by more than rounding and noise.
  int idle() const noexcept { return idle_; }
  bool meets_the_goal() const noexcept { return best_error_ < largest_error(wish_); }
  std::span<const Real> angles() const noexcept { return best_.angles; }

  /// Algorithm 2: the seed is the first best.
  void start_from(ConstQ seed) noexcept {
    for (int k = 0; k < chain_.size(); ++k) working_.angles[k] = seed[chain_.links[k].q_index];
    if (std::ranges::equal(working_.angles, wish_.posture.angles))
      copy(wish_.posture, working_);
    else
      apply_forward(chain_, working_);
    consider(residual_of(chain_, working_, wish_.goal).norm());
  }

  // Each of the following makes a candidate and is true when it is good enough to stop.

  /// Algorithm 3, lines 3 to 18: the posture is warped towards the target, then made possible.
  /// `offset`: the offset trick, with a target a little beside the real one.
  bool by_phases(bool offset) noexcept {
    copy(wish_.posture, warped_);
    Quat target = wanted_frame(chain_, warped_, wish_.goal);
    if (offset) target = disturbance(0) * disturbance(1) * target;
    warp_posture(chain_, warped_, target, descent_);
    const Real edge = settings_.avoid_edges ? settings_.disturbance : 0;
    if (edge > 0) leave_edges(warped_, edge);
    if (!offset) target = wanted_frame(chain_, warped_, wish_.goal);
    forward_phase(chain_, warped_, target, edge, bases_, rolls_);
    backward_phase(chain_, bases_, descent_.symmetric, working_);
    descend_from_root(chain_, working_, wanted_frame(chain_, working_, wish_.goal), descent_);
    return finish();
  }

  /// Chooses the link to bend next: of those that bend and were not chosen before, the one that
  /// keeps the posture least in the best candidate. False if there is none.
  bool choose_bend() noexcept {
    latitudes_of(chain_, best_, bends_);
    Real most = -1;
    for (int k = 0; k < chain_.size(); ++k) {
      const Link& link = chain_.links[k];
      const Real off = link.weight * std::abs(bends_[k] - wish_.latitudes[k]);
      if (link.twister || chosen_[k] || off <= most) continue;
      most = off;
      bend_ = k;
    }
    if (most < 0) return false;
    chosen_[bend_] = true;
    return true;
  }

  /// The best candidate with the chosen link bent like the posture's mirror image, which the
  /// posture error can't tell from the posture; then descent.
  bool by_bend() noexcept {
    copy(best_, working_);
    const Link& link = chain_.links[bend_];
    const Real bent = safe_angle(link, 2 * link.latitude_top - wish_.posture.angles[bend_]);
    if (std::abs(bent - working_.angles[bend_]) < settings_.disturbance) return false;
    working_.angles[bend_] = bent;
    apply_forward(chain_, working_, bend_);
    Descent others = descent_;
    others.held = bend_;
    descend_from_root(chain_, working_, wanted_frame(chain_, working_, wish_.goal), others);
    return finish();
  }

  /// The CCD trick: from the best candidate, or from the zero pose.
  bool by_ccd(bool from_zero) noexcept {
    copy(best_, working_);
    if (from_zero) {
      for (int k = 0; k < chain_.size(); ++k)
        working_.angles[k] = std::clamp(0.0, chain_.links[k].lo, chain_.links[k].hi);
      apply_forward(chain_, working_);
    }
    descend_from_end(chain_, working_, wanted_frame(chain_, working_, wish_.goal), descent_,
                     settings_.avoid_edges ? settings_.disturbance : 0);
    return finish();
  }

 private:
  bool finish() noexcept {
    return consider(settings_.closing_turn
                        ? close_in(chain_, working_, wish_, best_error_, closing_)
                        : residual_of(chain_, working_, wish_.goal).norm());
  }

  /// AvoidPostureJointEdges.
  void leave_edges(const Candidate& candidate, Real edge) noexcept {
    int first = chain_.size();
    for (int k = chain_.size() - 1; k >= 0; --k) {
      const Real moved = off_the_edge(chain_.links[k], candidate.angles[k], edge);
      if (moved != candidate.angles[k]) first = k;
      candidate.angles[k] = moved;
    }
    if (first < chain_.size()) apply_forward(chain_, candidate, first);
  }

  /// Algorithm 7. A candidate that meets the goal is always better than one that does not.
  bool consider(Real residual) noexcept {
    const Errors errors = errors_of(chain_, working_, wish_, residual, bends_);
    const bool met = residual <= tolerance_of(wish_.goal);
    const Real error = met ? errors.combined : largest_error(wish_) + errors.combined;
    constexpr Real worthwhile = 1e-4;
    idle_ = error < best_error_ - worthwhile ? 0 : idle_ + 1;
    if (error < best_error_) {
      best_error_ = error;
      copy(working_, best_);
    }
    return met && errors.combined <= settings_.threshold;
  }

  /// A small turn about a joint of the best candidate, away from its nearer limit.
  Quat disturbance(int k) const noexcept {
    if (k >= chain_.size()) return Quat::Identity();
    const Link& link = chain_.links[k];
    const bool near_high = link.hi - best_.angles[k] < best_.angles[k] - link.lo;
    return axis_angle(best_.basis(chain_, k) * link.axis,
                      near_high ? -settings_.disturbance : settings_.disturbance);
  }

  const Erik& settings_;
  const Chain& chain_;
  const Wish& wish_;
  Descent descent_;
  Candidate working_, best_, warped_;
  Bases bases_;
  std::span<Quat> rolls_;
  std::span<Real> bends_;  ///< cosines of them
  std::span<bool> chosen_;
  int bend_ = 0;
  ClosingWork closing_;
  Real best_error_ = infinity;
  int idle_ = 0;
};

/// The plan of Algorithm 3. One call makes one candidate: the phases first; then each bending joint
/// in turn, the one farthest from the posture first, to the mirrored side; then, or as soon as
/// errors no longer fall (NonConversionDetected), the tricks.
class Plan {
 public:
  explicit Plan(const Erik& settings) noexcept : settings_(settings) {}

  bool exhausted(const Search& search) const noexcept {
    return step_ == Step::end || (step_ >= Step::offset && search.meets_the_goal());
  }

  bool next(Search& search) noexcept {
    switch (step_) {
      case Step::phases: {
        step_ = Step::bends;
        const bool good = search.by_phases(false);
        if (!good && !search.choose_bend()) leave_bends();
        return good;
      }
      case Step::bends: {
        const bool good = search.by_bend();
        if (!good && (search.idle() >= settings_.patience || !search.choose_bend())) leave_bends();
        return good;
      }
      case Step::offset:
        step_ = settings_.ccd_trick ? Step::ccd : Step::end;
        return search.by_phases(true);
      case Step::ccd:
        step_ = Step::ccd_from_zero;
        return search.by_ccd(false);
      case Step::ccd_from_zero:
        step_ = Step::end;
        return search.by_ccd(true);
      case Step::end:
        break;
    }
    return false;
  }

 private:
  enum class Step : std::uint8_t { phases, bends, offset, ccd, ccd_from_zero, end };

  void leave_bends() noexcept {
    step_ = settings_.offset_trick ? Step::offset : settings_.ccd_trick ? Step::ccd : Step::end;
  }

  const Erik& settings_;
  Step step_ = Step::phases;
};

}  // namespace

std::size_t scratch_bytes(const Erik&, const Skeleton& skeleton, std::size_t) noexcept {
  const std::size_t n = static_cast<std::size_t>(skeleton.joint_count());
  return Scratch::bytes_for<Link>(n) + 2 * Scratch::bytes_for<Real>(n) +
         Scratch::bytes_for<Quat>(n) + Search::bytes(n);
}

Report solve(const Erik& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
  if (problem.goals.empty()) return {.status = Status::reached, .error = 0};
  const Goal& goal = problem.goals.front();
  const JointId end = joint_of(goal);
  const auto links =
      scratch.take<Link>(static_cast<std::size_t>(chain_joints(problem.skeleton, end)));
  int passes = 0;
  const Chain chain =
      read_chain(problem, end, direction_of_end(goal), settings.aggravation, links, passes);
  const bool has_posture = !problem.intent.posture.empty();
  const ConstQ shape = has_posture ? problem.intent.posture : problem.seed;
  const Candidate posture = take_candidate(scratch, chain.size());
  for (int k = 0; k < chain.size(); ++k) posture.angles[k] = shape[chain.links[k].q_index];
  apply_forward(chain, posture);
  const auto latitudes = scratch.take<Real>(chain.links.size());
  latitudes_of(chain, posture, latitudes);
  const Wish wish{goal, posture, latitudes, settings.orientation_weight,
                  settings.posture_weight * problem.intent.weight};
  if (chain.size() == 0) return report_of_nothing(wish, {chain.base, chain.base_origin});

  Search search(settings, chain, wish, scratch);
  search.start_from(problem.seed);
  Plan plan(settings);
  Report report{.status = Status::out_of_budget};
  const int most = std::min(problem.budget.iterations, settings.max_iterations);
  while (report.iterations < most && report.status == Status::out_of_budget) {
    ++report.iterations;
    if (plan.next(search))
      report.status = Status::reached;
    else if (plan.exhausted(search) || report.iterations == settings.max_iterations)
      report.status = Status::stalled;
  }
  report.error = search.error();
  report.passes = passes;
  for (int k = 0; k < chain.size(); ++k)
    out[chain.links[k].q_index] = turned_to(posture.angles[k], chain.links[k], search.angles()[k]);
  return report;
}

}  // namespace gestik
