#include "gestik/solve/turn.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/eigen4.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

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

// With R = cos I + sin [a]x + (1 - cos) a a^T: trace(R N) = cos (trace N - a.Na) + sin (a . z) +
// const.
Vec3 axial(const Mat3& n) noexcept {
  return {n(1, 2) - n(2, 1), n(2, 0) - n(0, 2), n(0, 1) - n(1, 0)};
}

}  // namespace

void add_goal(const Goal& goal, const Pose& world, const Vec3& o, Wish& wish) noexcept {
  if (const Reach* reach = std::get_if<Reach>(&goal))
    wish.add({world * reach->point_in_joint - o, reach->target - o, reach->weight});
  else if (const Aim* aim = std::get_if<Aim>(&goal))
    wish.add(aim_pair(*aim, world, o));
  else if (const Orient* orient = std::get_if<Orient>(&goal))
    wish.add(world.q, nearest_target(*orient, world.q), orient->weight);
}

void add_goal(const Goal& goal, const Pose& world, const Vec3& axis, SlideWish& wish) noexcept {
  if (const Reach* reach = std::get_if<Reach>(&goal)) {
    wish.add(axis.dot(reach->target - world * reach->point_in_joint), reach->weight);
  } else if (const Aim* aim = std::get_if<Aim>(&goal); aim && !aim->at_infinity) {
    const Vec3 u = world.q * aim->axis_in_joint;
    const Vec3 to_target = aim->target - world * aim->point_in_joint;
    const Vec3 across = axis - axis.dot(u) * u;
    const Real distance2 = to_target.squaredNorm();
    if (distance2 == 0) return;
    const Real scale = aim->weight / distance2;
    wish.push += scale * across.dot(to_target);
    wish.hold += scale * across.squaredNorm();
    wish.most += scale;
  }
}

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

namespace {

// About the axis square to both, the pair is worth weight * (r.d cos + |r x d| sin), not turning
// ease * cos.
Quat turn_of_one(const VectorPair& pair, Real ease) noexcept {
  const Vec3 r = normalized_or_zero(pair.r), d = normalized_or_zero(pair.d);
  if (r.isZero(0) || d.isZero(0)) return Quat::Identity();
  const Quat whole = shortest_rotation(r, d);
  if (ease == 0) return whole;
  const Real worth = pair.weight * pair.r.norm() * pair.d.norm();
  const Vec3 turn = log(whole);
  const Real angle = turn.norm();
  if (angle == 0) return whole;
  const Real eased = std::atan2(worth * std::sin(angle), worth * std::cos(angle) + ease);
  return exp(eased / angle * turn);
}

}  // namespace

// Maximises trace(R N) = q^T K q over unit quaternions q: the eigenvector of K's largest eigenvalue
// (Davenport). A touch of the identity in N picks the smallest of equally good turns.
Quat best_turn(const Wish& wish) noexcept {
  if (wish.pairs == 1) return turn_of_one(wish.only, wish.ease);
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

}  // namespace gestik
