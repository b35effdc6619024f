#include "gestik/solve/ccd/ccd.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/kick.h"
#include "gestik/solve/turn.h"

namespace gestik {
namespace {

/// A goal during a sweep: where its joint stands after the moves made so far, and the next joint on
/// its way to the root.
struct Effector {
  Pose world;
  JointId next;
};

/// One sweep's view of everything.
struct Sweep {
  const Ccd& settings;
  const Problem& problem;
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
    const Real share = (1 - settings.damping) / hold;
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
        add_goal(problem.goals[g], effectors[g].world, world_from_joint[j].p, wish);
    return wish;
  }

  SlideWish slide_wish(JointId j, const Vec3& axis) const noexcept {
    SlideWish wish;
    for (std::size_t g = 0; g < effectors.size(); ++g)
      if (effectors[g].next == j) add_goal(problem.goals[g], effectors[g].world, axis, wish);
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
         Scratch::bytes_for<Effector>(goals);
}

Report solve(const Ccd& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  constexpr int patience = 20;           // sweeps without progress before giving up
  constexpr Real worthwhile = 1 - 1e-4;  // progress: to fall below this share of the last mark
  const Skeleton& skeleton = problem.skeleton;
  const Q q = scratch.take<Real>(static_cast<std::size_t>(skeleton.q_size()));
  const auto poses = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
  const auto effectors = scratch.take<Effector>(problem.goals.size());

  std::copy(problem.seed.begin(), problem.seed.end(), q.begin());
  std::copy(q.begin(), q.end(), out.begin());
  forward(skeleton, q, poses);
  Report report{
      .status = Status::out_of_budget, .passes = 1, .error = goal_error(problem.goals, poses)};
  bool kicked = settings.kick == 0;
  int idle = 0;
  Real mark = report.error;
  while (report.iterations < problem.budget.iterations) {
    if (report.error == 0) {
      report.status = Status::reached;
      return report;
    }
    Sweep sweep{settings, problem, poses, effectors, q};
    const Real largest_move = sweep.run();
    ++report.iterations;
    if (largest_move < 1e-12 || idle >= patience) {
      if (kicked) {
        report.status = Status::stalled;
        return report;
      }
      kicked = true;
      idle = 0;
      kick(problem, settings.kick, 0, q);
    }
    forward(skeleton, q, poses);
    ++report.passes;
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
