#include "gestik/solve/ccd/ccd.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/kick.h"
#include "gestik/solve/overreach.h"
#include "gestik/solve/turn.h"

namespace gestik {
namespace {

/// A goal during a sweep: where its joint stands after the moves made so far, and the next joint on
/// its way to the root.
struct Effector {
  Pose world;
  JointId next;
};

/// How boldly joints move.
struct Pace {
  Real share;  ///< of its best move that each joint makes
  Real ease;   ///< how much a turn is minded
};

/// How many joints can move on the longest way from a goal to the root.
int longest_way(const Problem& problem) noexcept {
  int longest = 0;
  for (const Goal& goal : problem.goals) {
    int way = 0;
    for (JointId j = joint_of(goal); j != no_joint; j = problem.skeleton.parent(j))
      way += may_move(problem, j);
    longest = std::max(longest, way);
  }
  return longest;
}

// On a long way every joint by itself could close the gap, and a thousand of them do so a thousand
// times over: the end coils up. So no more than `spread` whole moves are made in a sweep, and the
// joints near the end, whose large turns bring little, mind turning.
Pace pace_of(const Ccd& settings, const Problem& problem) noexcept {
  constexpr Real ease_of_long_ways = 0.3;
  const Real even = std::min<Real>(1, settings.spread / std::max(1, longest_way(problem)));
  return {(1 - settings.damping) * even, std::max(settings.ease, ease_of_long_ways * (1 - even))};
}

/// One sweep's view of everything.
struct Sweep {
  const Ccd& settings;
  const Problem& problem;
  Pace pace;
  std::span<const Goal> goals;  ///< the problem's, pulled beyond their targets
  std::span<const Pose> world_from_joint;
  std::span<Effector> effectors;
  Q q;

  /// Visits joints children first; a goal waits at the joint it has come to. Returns the largest
  /// move.
  Real run() noexcept {
    const Skeleton& skeleton = problem.skeleton;
    for (std::size_t g = 0; g < effectors.size(); ++g) {
      const JointId joint = joint_of(problem.goals[g]);
      effectors[g] = {world_from_joint[joint], joint};
    }
    Real largest = 0;
    while (true) {
      JointId j = no_joint;
      for (const Effector& effector : effectors) j = std::max(j, effector.next);
      if (j == no_joint) return largest;
      largest = std::max(largest, move(j));
      for (Effector& effector : effectors)
        if (effector.next == j) effector.next = skeleton.parent(j);
    }
  }

  Real move(JointId j) noexcept {
    if (!may_move(problem, j)) return 0;
    const Skeleton& skeleton = problem.skeleton;
    const std::span<const Real> per_joint = problem.intent.per_joint;
    const Real hold = per_joint.empty() ? 1 : std::max(1.0, per_joint[j]);
    const Real share = pace.share / hold;
    const Pose& world = world_from_joint[j];
    Real* const value = q.data() + skeleton.q_offset(j);
    switch (skeleton.type(j)) {
      case JointType::fixed:
        return 0;
      case JointType::hinge: {
        const Vec3 axis = world.q * skeleton.axis(j);
        const Real next =
            best_hinge(wish(j), axis, *value, skeleton.limits(j), share, settings.max_step);
        const Real step = next - *value;
        *value = next;
        if (step != 0) turn(j, axis_angle(axis, step));
        return std::abs(step);
      }
      case JointType::slider: {
        const Vec3 axis = world.q * skeleton.axis(j);
        const Real wanted = *value + share * slide_wish(j, axis).best();
        const Real next = std::clamp(wanted, skeleton.limits(j).lo, skeleton.limits(j).hi);
        const Real step = next - *value;
        *value = next;
        for (Effector& effector : effectors)
          if (effector.next == j) effector.world.p += step * axis;
        return std::abs(step);
      }
      case JointType::ball: {
        const Quat applied =
            turn_ball(wish(j), skeleton, j, world.q, value, share, settings.max_step);
        turn(j, applied);
        return log(applied).norm();
      }
    }
    return 0;
  }

  Wish wish(JointId j) const noexcept {
    Wish wish;
    for (std::size_t g = 0; g < effectors.size(); ++g)
      if (effectors[g].next == j)
        add_goal(goals[g], effectors[g].world, world_from_joint[j].p, wish);
    if (pace.ease > 0) wish.add_ease(pace.ease * error2(j));
    return wish;
  }

  /// What the goals beyond a joint lack, weighted and squared.
  Real error2(JointId j) const noexcept {
    Real sum = 0;
    for (std::size_t g = 0; g < effectors.size(); ++g)
      if (effectors[g].next == j)
        sum += weight_of(goals[g]) * residual_vector(goals[g], effectors[g].world).squaredNorm();
    return sum;
  }

  SlideWish slide_wish(JointId j, const Vec3& axis) const noexcept {
    SlideWish wish;
    for (std::size_t g = 0; g < effectors.size(); ++g)
      if (effectors[g].next == j) add_goal(goals[g], effectors[g].world, axis, wish);
    return wish;
  }

  void turn(JointId j, const Quat& rotation) noexcept {
    const Vec3& o = world_from_joint[j].p;
    for (Effector& effector : effectors) {
      if (effector.next != j) continue;
      effector.world.p = o + rotation * (effector.world.p - o);
      effector.world.q = rotation * effector.world.q;
    }
  }
};

}  // namespace

std::size_t scratch_bytes(const Ccd&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size())) +
         Scratch::bytes_for<Pose>(static_cast<std::size_t>(skeleton.joint_count())) +
         Scratch::bytes_for<Effector>(goals) + Scratch::bytes_for<Goal>(goals) +
         Scratch::bytes_for<Lead>(goals);
}

Report solve(const Ccd& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  constexpr int patience = 20;           // sweeps without progress before giving up
  constexpr Real worthwhile = 1 - 1e-4;  // progress: to fall below this share of the last mark
  const Skeleton& skeleton = problem.skeleton;
  const Q q = scratch.take<Real>(static_cast<std::size_t>(skeleton.q_size()));
  const auto poses = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
  const auto effectors = scratch.take<Effector>(problem.goals.size());
  const auto pulled = scratch.take<Goal>(problem.goals.size());
  const auto leads = scratch.take<Lead>(problem.goals.size());
  std::copy(problem.goals.begin(), problem.goals.end(), pulled.begin());

  std::copy(problem.seed.begin(), problem.seed.end(), q.begin());
  std::copy(q.begin(), q.end(), out.begin());
  forward(skeleton, q, poses);
  Report report{
      .status = Status::out_of_budget, .passes = 1, .error = goal_error(problem.goals, poses)};
  const Pace pace = pace_of(settings, problem);
  Real most_lead = settings.overreach;
  bool kicked = settings.kick == 0;
  int idle = 0;
  Real mark = report.error;
  while (report.iterations < problem.budget.iterations) {
    if (report.error == 0) {
      report.status = Status::reached;
      return report;
    }
    pull(problem.goals, poses, leads, pulled);
    Sweep sweep{settings, problem, pace, pulled, poses, effectors, q};
    const Real largest_move = sweep.run();
    ++report.iterations;
    if (largest_move < 1e-12 || idle >= patience) {
      idle = 0;
      if (most_lead > 1) {  // perhaps out of reach: plain sweeps end nearest
        most_lead = 1;
        std::fill(leads.begin(), leads.end(), Lead{});
        std::copy(out.begin(), out.end(), q.begin());
      } else if (!kicked) {
        kicked = true;
        most_lead = settings.overreach;
        kick(problem, settings.kick, 0, q);
      } else {
        report.status = Status::stalled;
        return report;
      }
    }
    forward(skeleton, q, poses);
    ++report.passes;
    learn(problem.goals, poses, most_lead, leads);
    const Real error = goal_error(problem.goals, poses);
    if (error < report.error) {
      report.error = error;
      std::copy(q.begin(), q.end(), out.begin());
    }
    idle = report.error < worthwhile * mark ? 0 : idle + 1;
    if (idle == 0) mark = report.error;
  }
  return report;
}

}  // namespace gestik
