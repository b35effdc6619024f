#include "gestik/solve/ccd/ccd.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/eigen4.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// A share of the whole below which a difference is rounding, whatever the goals' weights and
/// units.
constexpr Real negligible = 1e-12;

/// A goal during a sweep: where its joint stands after the moves made so far, and the next joint on
/// its way to the root.
struct Effector {
  Pose world;
  JointId next;
};

/// What one joint can do for one goal, as a vector to be turned (or slid) onto another. Turning r
/// onto d about the joint's origin brings the goal's squared error down by 2 * weight * d . (R r -
/// r); an orientation is three such pairs, its axes, at half the weight.
struct VectorPair {
  Vec3 r, d;
  Real weight;
};

/// Aiming from p along u at t, turned about o: the point of the line of sight that lies as far from
/// o as the target does can be turned onto it exactly. Divided by the squared distance, the error
/// is an angle's.
VectorPair aim_pair(const Aim& goal, const Pose& world, const Vec3& o) noexcept {
  const Vec3 u = world.q * goal.axis_in_joint;
  if (goal.at_infinity) return {u, goal.target, goal.weight};
  const Vec3 p = world * goal.point_in_joint - o;
  const Vec3 d = goal.target - o;
  const Real distance = (d - p).norm();
  if (distance == 0) return {u, u, 0};
  // |p + s u|^2 = |d|^2, the root that lies ahead if there is one.
  const Real half_b = p.dot(u);
  const Real discriminant = half_b * half_b - (p.squaredNorm() - d.squaredNorm());
  const Real ahead = discriminant > 0 ? -half_b + std::sqrt(discriminant) : -1;
  const Real s = ahead > 0 ? ahead : distance;
  return {p + s * u, d, goal.weight / (distance * distance)};
}

/// All goals a joint can serve, gathered: turning by R is worth trace(R N), by an angle about a
/// fixed axis cos * along + sin * across.
struct Wish {
  Mat3 n = Mat3::Zero();
  VectorPair only{};  ///< the pair, when there is just one
  int pairs = 0;

  void add(const VectorPair& pair) noexcept {
    n += pair.weight * pair.r * pair.d.transpose();
    only = pair;
    ++pairs;
  }
};

void gather(const Goal& goal, const Pose& world, const Vec3& o, Wish& wish) noexcept {
  if (const Reach* reach = std::get_if<Reach>(&goal)) {
    wish.add({world * reach->point_in_joint - o, reach->target - o, reach->weight});
  } else if (const Aim* aim = std::get_if<Aim>(&goal)) {
    wish.add(aim_pair(*aim, world, o));
  } else {
    const Orient& orient = *std::get_if<Orient>(&goal);
    const Quat target = nearest_target(orient, world.q);
    wish.n += orient.weight / 2 * (world.q * target.conjugate()).toRotationMatrix();
    wish.pairs += 2;  // never a single pair
  }
}

// With R = cos I + sin [a]x + (1 - cos) a a^T: trace(R N) = cos (trace N - a.Na) + sin (a . z) +
// const.
Vec3 axial(const Mat3& n) noexcept {
  return {n(1, 2) - n(2, 1), n(2, 0) - n(0, 2), n(0, 1) - n(1, 0)};
}

/// The coordinate a hinge should take: the best angle inside the limits, no farther than `cap`.
Real best_hinge(const Wish& wish, const Vec3& axis, Real q, const Limits& limits, Real share,
                Real cap) noexcept {
  const Real along = wish.n.trace() - axis.dot(wish.n * axis);
  const Real across = axis.dot(axial(wish.n));
  const Real size = std::hypot(along, across);
  if (size <= negligible * wish.n.norm()) return q;
  const auto worth = [&](Real turn) { return std::cos(turn) * along + std::sin(turn) * across; };
  const Real best = std::atan2(across, along);
  const Real step = std::clamp(share * best, -cap, cap);
  const Real straight = std::clamp(q + step, limits.lo, limits.hi);
  if (straight == q + step) return straight;

  // The limits are in the way: the same place from the other side, or the other limit, may be
  // better.
  Real chosen = straight;
  const Real round = best > 0 ? best - 2 * pi : best + 2 * pi;
  const Real far = std::clamp(q + round, limits.lo, limits.hi);
  if (std::abs(far - q) <= cap && worth(far - q) > worth(straight - q) + negligible * size)
    chosen = far;
  return chosen;
}

// Maximises trace(R N) = q^T K q over unit quaternions q: the eigenvector of K's largest eigenvalue
// (Davenport). A touch of the identity in N picks the smallest of equally good turns.
Quat best_turn(const Wish& wish) noexcept {
  if (wish.pairs == 1) {
    const Vec3 r = normalized_or_zero(wish.only.r), d = normalized_or_zero(wish.only.d);
    if (r.isZero(0) || d.isZero(0)) return Quat::Identity();
    return shortest_rotation(r, d);
  }
  const Mat3 n = wish.n + 1e-9 * wish.n.norm() * Mat3::Identity();
  const Vec3 z = axial(n);
  Mat4 k;
  k(0, 0) = n.trace();
  k.block<1, 3>(0, 1) = z.transpose();
  k.block<3, 1>(1, 0) = z;
  k.block<3, 3>(1, 1) = n + n.transpose() - n.trace() * Mat3::Identity();
  const Vec4 top = top_eigenvector(k);
  return normalized_or_identity({top[0], top[1], top[2], top[3]});
}

/// Turns a ball as far as the limits let it: if the clamped turn helps less than staying, half of
/// it is tried, and so on.
Quat turn_ball(const Wish& wish, const Skeleton& skeleton, JointId j, const Quat& world, Real* q,
               Real share, Real cap) noexcept {
  const Quat before = load_quat(q);
  const auto worth = [&](const Quat& turn) { return (turn.toRotationMatrix() * wish.n).trace(); };
  const Real staying = wish.n.trace();
  Vec3 turn = share * log(best_turn(wish));
  if (const Real angle = turn.norm(); angle > cap) turn *= cap / angle;
  for (int halvings = 0; halvings < 4; ++halvings, turn /= 2) {
    std::array<Real, 4> moved;
    store_quat(before * (world.conjugate() * exp(turn) * world), moved.data());
    clamp_joint(skeleton, j, moved.data());
    const Quat applied = world * before.conjugate() * load_quat(moved.data()) * world.conjugate();
    if (worth(applied) > staying) {
      std::copy(moved.begin(), moved.end(), q);
      return applied;
    }
  }
  return Quat::Identity();
}

/// Least squares along one direction. A reach counts whole, an aim by its part across the line of
/// sight.
Real best_slide(std::span<const Goal> goals, std::span<const Effector> effectors, JointId j,
                const Vec3& axis) noexcept {
  Real push = 0, hold = 0;
  Real most = 0;  // what `hold` could be at most
  for (std::size_t g = 0; g < goals.size(); ++g) {
    if (effectors[g].next != j) continue;
    const Pose& world = effectors[g].world;
    if (const Reach* reach = std::get_if<Reach>(&goals[g])) {
      push += reach->weight * axis.dot(reach->target - world * reach->point_in_joint);
      hold += reach->weight;
      most += reach->weight;
    } else if (const Aim* aim = std::get_if<Aim>(&goals[g]); aim && !aim->at_infinity) {
      const Vec3 u = world.q * aim->axis_in_joint;
      const Vec3 to_target = aim->target - world * aim->point_in_joint;
      const Vec3 across = axis - axis.dot(u) * u;
      const Real distance2 = to_target.squaredNorm();
      if (distance2 == 0) continue;
      const Real scale = aim->weight / distance2;
      push += scale * across.dot(to_target);
      hold += scale * across.squaredNorm();
      most += scale;
    }
  }
  return hold > negligible * most ? push / hold : 0;
}

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
        const Real wanted = *value + share * best_slide(problem.goals, effectors, j, axis);
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
        gather(problem.goals[g], effectors[g].world, world_from_joint[j].p, wish);
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

/// Bends every turning joint on the way to a goal, to alternate sides: a chain stretched out
/// towards its target can't see which way to fold.
void kick(const Problem& problem, Real angle, Q q) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  for (const Goal& goal : problem.goals) {
    Real side = angle;
    for (JointId j = joint_of(goal); j != no_joint; j = skeleton.parent(j)) {
      const JointType type = skeleton.type(j);
      if (!may_move(problem, j) || type == JointType::slider) continue;
      const Vec3 bend = side * any_perpendicular(skeleton.axis(j));
      const std::array<Real, 3> v = type == JointType::hinge
                                        ? std::array<Real, 3>{side, 0, 0}
                                        : std::array<Real, 3>{bend.x(), bend.y(), bend.z()};
      Real* const value = q.data() + skeleton.q_offset(j);
      integrate_joint(type, value, v.data(), value);
      clamp_joint(skeleton, j, value);
      side = -side;
    }
  }
}

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
      kick(problem, settings.kick, q);
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
