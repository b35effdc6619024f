#include "gestik/solve/limb/socket.h"

#include <algorithm>

#include "gestik/math/arc_tangent.h"

namespace gestik {
namespace {

/// Beyond this a hinge's whole turns are lost in rounding: none are added.
constexpr Real most_turned = 1e6;

/// Hinge angles closer to a fold than this have their outer axes all but in one line.
constexpr Real folded = 1e-20;

using Angles = std::array<Real, 3>;

/// std::floor, without a call for numbers that fit into an int.
Real floor_of(Real x) noexcept {
  if (!(std::abs(x) < 1e9)) return std::floor(x);
  const Real towards_zero = static_cast<Real>(static_cast<int>(x));
  return towards_zero > x ? towards_zero - 1 : towards_zero;
}

/// An angle of up to two turns, in [-pi, pi]; no branch, for either way is as likely.
Real within_a_turn(Real angle) noexcept {
  return angle - 2 * pi * static_cast<Real>((angle > pi) - (angle < -pi));
}

/// Half a turn on, in [-pi, pi] as well.
Real opposite(Real angle) noexcept {
  return angle - std::copysign(pi, angle);
}

struct Choice {
  Angles angles;
  Real excess = infinity;
  Real distance = infinity;

  bool better_than(const Choice& other) const noexcept {
    const bool fits = excess <= limit_slack, other_fits = other.excess <= limit_slack;
    if (fits != other_fits) return fits;
    return fits ? distance < other.distance : excess < other.excess;
  }
};

/// The three angles as near to the start as whole turns bring them, and how they do there.
Choice judged(const Socket& socket, const Skeleton& skeleton, const Angles& raw,
              const Angles& start) noexcept {
  Choice choice{.angles = {}, .excess = -infinity, .distance = 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const Limits& limits = skeleton.limits(socket.joints[i]);
    const Real angle = nearest_turn(raw[i], limits, start[i]);
    choice.angles[i] = angle;
    choice.excess = std::max({choice.excess, limits.lo - angle, angle - limits.hi});
    choice.distance += std::abs(angle - start[i]);
  }
  return choice;
}

/// The angles that make a canonical rotation, either way round. Where the outer axes fall into one
/// line only the sum of their angles is told (or the difference): they are shared out as the start
/// has them, or as the limits want it.
Angles solved(const Socket& socket, const Skeleton& skeleton, const Quat& q,
              const Angles& start) noexcept {
  const Real upright = q.w() * q.w() + q.z() * q.z(), lying = q.x() * q.x() + q.y() * q.y();
  const Real second = arc_tangent(2 * std::sqrt(upright * lying), upright - lying);
  const Real sum = arc_tangent(q.z(), q.w()), less = arc_tangent(-q.x(), q.y());
  Choice best;
  const auto consider = [&](Real half_sum, Real half_less, Real side) {
    const Real first = within_a_turn(half_sum + half_less),
               third = within_a_turn(half_sum - half_less);
    const Choice choice =
        side > 0 ? judged(socket, skeleton, {first, second - socket.bias, third}, start)
                 : judged(socket, skeleton,
                          {opposite(first), -second - socket.bias, opposite(third)}, start);
    if (choice.better_than(best)) best = choice;
  };
  const bool sum_is_free = upright < folded, less_is_free = lying < folded;
  if (!sum_is_free && !less_is_free) {
    consider(sum, less, 1);
    consider(sum, less, -1);
    return best.angles;
  }
  const Limits& first = skeleton.limits(socket.joints[0]);
  const Limits& third = skeleton.limits(socket.joints[2]);
  for (const Real side : {1.0, -1.0}) {
    const Real turned = side > 0 ? 0 : pi;
    const auto share = [&](Real wanted_first) {
      const Real free = wanted_first - turned - (sum_is_free ? less : sum);
      consider(sum_is_free ? free : sum, less_is_free ? free : less, side);
    };
    const auto share_third = [&](Real wanted_third) {
      // third = sum - less + turned, so first is what is left of the sum, or the difference more.
      share(less_is_free ? 2 * (sum + turned) - wanted_third : 2 * less + wanted_third);
    };
    share(start[0]);
    share_third(start[2]);
    for (const Real bound : {first.lo, first.hi})
      if (std::isfinite(bound)) share(bound);
    for (const Real bound : {third.lo, third.hi})
      if (std::isfinite(bound)) share_third(bound);
  }
  return best.angles;
}

/// A rotation as the one of its two quaternions that is nearer to the start. Those that come here
/// are of unit length but for rounding, which one step of Newton's takes away.
inline void store_nearest(const Quat& q, const Real* start, Real* out) noexcept {
  const Real size = (q.w() * q.w() + q.x() * q.x()) + (q.y() * q.y() + q.z() * q.z());
  const Real near = (q.w() * start[0] + q.x() * start[1]) + (q.y() * start[2] + q.z() * start[3]);
  const Real scale = std::copysign(1.5 - 0.5 * size, near);
  if (std::abs(size - 1) < 1e-8) {
    store_quat({scale * q.w(), scale * q.x(), scale * q.y(), scale * q.z()}, out);
    return;
  }
  Quat value = normalized_or_identity(q);
  if (near < 0) value.coeffs() = -value.coeffs();
  store_quat(value, out);
}

}  // namespace

CircleRange::CircleRange(Real lo, Real hi) noexcept {
  const Real half = hi / 2 - lo / 2;
  limited = half < pi;
  if (!limited) return;
  cos_middle = std::cos(lo + half);
  sin_middle = std::sin(lo + half);
  cos_half = std::cos(half);
}

Socket ball_socket(const Skeleton& skeleton, JointId j) noexcept {
  const Limits& limits = skeleton.limits(j);
  const Quat& joint_from_limit = skeleton.joint_from_limit(j);
  Socket socket{.kind = Socket::Kind::ball,
                .joints = {j, no_joint, no_joint},
                .left = joint_from_limit.conjugate(),
                .right = joint_from_limit};
  socket.ranges[0] = CircleRange(limits.lo, limits.hi);
  socket.any_swing = limits.swing_x >= pi && limits.swing_y >= pi;
  const Real a = std::max(limits.swing_x, limit_slack), b = std::max(limits.swing_y, limit_slack);
  socket.inverse_x2 = 1 / (a * a);
  socket.inverse_y2 = 1 / (b * b);
  return socket;
}

// R = R(A1, t1) R(A2, t2) R(A3, t3) Z with Z the rotation at zero. With the bias b from A1 to A3
// about A2, R(A3, t3) = R(A2, b) R(A1, t3) R(A2, -b), hence
// R Z^-1 R(A2, b) = R(A1, t1) R(A2, t2 + b) R(A1, t3). C takes z to A1 and y to A2.
Socket hinge_socket(const Skeleton& skeleton, const std::array<JointId, 3>& joints,
                    const std::array<Vec3, 3>& axes, const Quat& at_zero) noexcept {
  Mat3 columns;
  columns << axes[1].cross(axes[0]), axes[1], axes[0];
  const Quat c = normalized_or_identity(Quat(columns));
  Socket socket{.kind = Socket::Kind::hinges, .joints = joints, .left = c.conjugate()};
  socket.bias = arc_tangent(axes[1].dot(axes[0].cross(axes[2])), axes[0].dot(axes[2]));
  socket.right = at_zero.conjugate() * axis_angle(axes[1], socket.bias) * c;
  for (std::size_t i = 0; i < 3; ++i) {
    const Limits& limits = skeleton.limits(joints[i]);
    const Real more = i == 1 ? socket.bias : 0;
    socket.ranges[i] = CircleRange(limits.lo + more, limits.hi + more);
  }
  return socket;
}

Quat read(const Socket& socket, const Skeleton& skeleton, ConstQ q) noexcept {
  const auto at = [&](int i) { return q.data() + skeleton.q_offset(socket.joints[i]); };
  switch (socket.kind) {
    case Socket::Kind::none:
      return Quat::Identity();
    case Socket::Kind::ball:
      return load_quat(at(0));
    case Socket::Kind::hinges:
      return socket.left.conjugate() * axis_angle(Vec3::UnitZ(), *at(0)) *
             axis_angle(Vec3::UnitY(), *at(1) + socket.bias) * axis_angle(Vec3::UnitZ(), *at(2)) *
             socket.right.conjugate();
  }
  return Quat::Identity();
}

void write(const Socket& socket, const Skeleton& skeleton, const Quat& rotation, ConstQ start,
           Q out) noexcept {
  const auto offset = [&](int i) { return skeleton.q_offset(socket.joints[i]); };
  switch (socket.kind) {
    case Socket::Kind::none:
      return;
    case Socket::Kind::ball:
      store_nearest(rotation, start.data() + offset(0), out.data() + offset(0));
      return;
    case Socket::Kind::hinges:
      write_canonical(socket, skeleton, socket.left * rotation * socket.right, start, out);
      return;
  }
}

void write_canonical(const Socket& socket, const Skeleton& skeleton, const Quat& canonical,
                     ConstQ start, Q out) noexcept {
  const auto offset = [&](int i) { return skeleton.q_offset(socket.joints[i]); };
  if (socket.kind == Socket::Kind::none) return;
  if (socket.kind == Socket::Kind::ball) {
    // left and right undo each other: only the axis is turned.
    const Vec3 v = turned(socket.right, {canonical.x(), canonical.y(), canonical.z()});
    store_nearest({canonical.w(), v.x(), v.y(), v.z()}, start.data() + offset(0),
                  out.data() + offset(0));
    return;
  }
  const Angles before{start[offset(0)], start[offset(1)], start[offset(2)]};
  const Angles angles = solved(socket, skeleton, canonical, before);
  for (int i = 0; i < 3; ++i) out[offset(i)] = angles[i];
}

Real nearest_other_turn(Real angle, const Limits& limits, Real start) noexcept {
  constexpr Real turn = 2 * pi;
  const bool far = std::abs(start) > most_turned;
  Real nearest = far ? angle : angle + turn * floor_of((start - angle) / turn + 0.5);
  const auto excess = [&](Real x) { return std::max(limits.lo - x, x - limits.hi); };
  if (excess(nearest) <= limit_slack) return nearest;
  // Outside: the first turn that is not below lo, or the last that is not above hi.
  const Real from_below = angle - turn * floor_of((angle + limit_slack - limits.lo) / turn);
  const Real from_above = angle + turn * floor_of((limits.hi + limit_slack - angle) / turn);
  Real best = nearest;
  for (const Real other : {from_below, from_above}) {
    if (!std::isfinite(other)) continue;
    const Real more = excess(other), least = excess(best);
    const bool both_fit = more <= limit_slack && least <= limit_slack;
    if (both_fit ? std::abs(other - start) < std::abs(best - start) : more < least) best = other;
  }
  return best;
}

}  // namespace gestik
