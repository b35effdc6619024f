#include "gestik/solve/limb/limb.h"

#include <algorithm>

#include "gestik/solve/limb/reach.h"

namespace gestik {
namespace {

/// The one or two goals that a limb takes.
struct Wish {
  const Reach* reach = nullptr;
  const Orient* orient = nullptr;
};

Wish wish_of(std::span<const Goal> goals) noexcept {
  Wish wish;
  if (goals.size() > 2) return {};
  for (const Goal& goal : goals) {
    if (const Reach* reach = std::get_if<Reach>(&goal)) {
      if (wish.reach) return {};
      wish.reach = reach;
    } else if (const Orient* orient = std::get_if<Orient>(&goal)) {
      if (wish.orient) return {};
      wish.orient = orient;
    }
  }
  if (wish.reach && wish.orient && wish.reach->joint != wish.orient->joint) return {};
  return wish;
}

/// What may not move can't be solved for, but joints that only carry the end on may stay.
bool free_to_move(const Problem& problem, const Limb& limb, bool oriented) noexcept {
  const auto may = [&](JointId j) { return may_move(problem, j); };
  const std::span<const JointId> joints = limb.moved();
  const auto end = oriented ? joints.end() : std::find(joints.begin(), joints.end(), limb.mid) + 1;
  return std::all_of(joints.begin(), end, may);
}

/// The posture, if there is one, with what is held as the seed has it; else the seed.
void take_start(const Problem& problem, Q out) noexcept {
  std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
  if (problem.intent.posture.empty() || !(problem.intent.weight > 0)) return;
  for (JointId j = 0; j < problem.skeleton.joint_count(); ++j) {
    if (!may_move(problem, j)) continue;
    const int offset = problem.skeleton.q_offset(j);
    std::copy_n(problem.intent.posture.data() + offset, q_size(problem.skeleton.type(j)),
                out.data() + offset);
    clamp_joint(problem.skeleton, j, out.data() + offset);
  }
}

Real error_at(const Problem& problem, ConstQ q, std::span<Pose> world) noexcept {
  forward(problem.skeleton, q, world);
  return goal_error(problem.goals, world);
}

}  // namespace

std::size_t scratch_bytes(const LimbSolver&, const Skeleton& skeleton, std::size_t) noexcept {
  return reach_scratch_bytes(skeleton) +
         2 * Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size())) +
         Scratch::bytes_for<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
}

Report solve(const LimbSolver& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
  if (problem.goals.empty()) return {.status = Status::reached, .error = 0};
  const auto unsupported = [&](JointId j) {
    return Report{.status = Status::unsupported, .fault = Fault::chain_shape, .fault_index = j};
  };
  const Wish wish = wish_of(problem.goals);
  if (!wish.reach) return unsupported(joint_of(problem.goals.front()));
  const LimbOr found = limb_at(skeleton, wish.reach->joint);
  if (wish.orient ? !found.reaches_poses() : !found.reaches_places())
    return unsupported(found.where);
  if (!free_to_move(problem, found.limb, wish.orient != nullptr))
    return unsupported(found.limb.joint);

  const auto world = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
  const Q start = scratch.take<Real>(out.size()), tried = scratch.take<Real>(out.size());
  take_start(problem, start);
  std::copy(start.begin(), start.end(), out.begin());
  Report report{
      .status = Status::out_of_budget, .passes = 1, .error = error_at(problem, out, world)};
  if (problem.budget.iterations == 0) return report;

  // Where the limb fails, the best of the start, the pose at the preferred swivel and the one where
  // the search ended. A search that was cut short has ended nowhere.
  SwivelSearch search{.lo = settings.swivel_lo,
                      .hi = settings.swivel_hi,
                      .step = settings.step,
                      .growth = settings.growth,
                      .halvings = settings.halvings,
                      .tests = problem.budget.iterations};
  const auto attempt = [&] {
    std::copy(start.begin(), start.end(), tried.begin());
    const LimbReport told =
        reach_with_limb(found.limb, skeleton, *wish.reach, wish.orient, search, {}, scratch, tried);
    const Real error = error_at(problem, tried, world);
    report.passes += 2;
    if (error < report.error && (told.reached() || !told.cut_short || search.tests == 1)) {
      report.error = error;
      std::copy(tried.begin(), tried.end(), out.begin());
    }
    return told;
  };
  const LimbReport told = attempt();
  report.iterations = std::min(told.tests, problem.budget.iterations);
  if (!told.cut_short) report.status = Status::stalled;
  if (told.reached()) return report;
  search.tests = 1;
  search.close_look = false;
  (void)attempt();
  return report;
}

}  // namespace gestik
