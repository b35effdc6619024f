#include "gestik/solve/erik/joint_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik::erik {
namespace {

/// Segments shorter than this have no direction of their own.
constexpr Real shortest_segment = 1e-9;

void finish(Link& link, const Quat& rest, const Vec3& axis_in_frame,
            const Limits& limits) noexcept {
  link.rest = rest;
  link.axis_in_frame = axis_in_frame;
  link.rest_axis = rest * Quat(0, axis_in_frame.x(), axis_in_frame.y(), axis_in_frame.z());
  link.axis = rest * axis_in_frame;
  const Vec3 segment = y_axis(rest);
  link.twister = Vec2(axis_in_frame.x(), axis_in_frame.z()).squaredNorm() < 1e-12;
  link.hemisphere = Vec3(-link.axis.z(), 0, link.axis.x());
  if (link.hemisphere.squaredNorm() < 1e-18) link.hemisphere = any_perpendicular(link.axis);

  link.lo = limits.lo;
  link.hi = limits.hi;
  const bool bounded = is_finite(limits.lo) && is_finite(limits.hi);
  link.middle =
      bounded ? limits.lo + (limits.hi - limits.lo) / 2 : std::clamp(0.0, limits.lo, limits.hi);

  link.latitude_mean = 1;
  link.latitude_range = link.latitude_top = 0;
  if (link.twister) return;
  // R(axis, t) segment, its Y: along the axis it stays, across it it turns.
  const Real along = link.axis.dot(segment);
  const Real cosine = segment.y() - along * link.axis.y();
  const Real sine = link.axis.cross(segment).y();
  link.latitude_mean = along * link.axis.y();
  link.latitude_range = std::sqrt(cosine * cosine + sine * sine);
  link.latitude_top = std::atan2(sine, cosine);
}

/// From a frame whose Y is the segment.
Quat frame_along(const Vec3& segment) noexcept {
  if (segment == Vec3::UnitY()) return Quat::Identity();  // as most skeletons have it
  return shortest_rotation(Vec3::UnitY(), segment);
}

}  // namespace

int chain_joints(const Skeleton& skeleton, JointId end) noexcept {
  int count = 0;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) ++count;
  return count;
}

Quat local_rotation(const Link& link, Real angle) noexcept {
  const Real c = std::cos(angle / 2), s = std::sin(angle / 2);
  return Quat(c * link.rest.coeffs() + s * link.rest_axis.coeffs());
}

Real safe_twist(const Link& link, Real angle) noexcept {
  const Real wrapped = wrapped_angle(link, angle);
  if (wrapped >= link.lo && wrapped <= link.hi) return wrapped;
  const Real opposite = wrapped > link.middle ? wrapped - pi : wrapped + pi;
  if (opposite >= link.lo && opposite <= link.hi) return opposite;
  return std::clamp(wrapped, link.lo, link.hi);
}

Real swing_to(const Link& link, const Vec3& direction_in_basis, bool mirrored) noexcept {
  const Real height = direction_in_basis.y() - link.latitude_mean;
  const Real range = std::max(link.latitude_range, 1e-12);
  const Real off_top = std::acos(std::clamp(height / range, -1.0, 1.0));
  const bool negative = direction_in_basis.dot(link.hemisphere) < 0;
  return link.latitude_top + (negative != mirrored ? -off_top : off_top);
}

Real off_the_edge(const Link& link, Real angle, Real by) noexcept {
  constexpr Real close = 1e-6;
  if (link.hi - link.lo < 2 * by) return angle;
  if (angle >= link.hi - close) return link.hi - by;
  if (angle <= link.lo + close) return link.lo + by;
  return angle;
}

Real twist_about_y(const Quat& q) noexcept {
  if (q.w() == 0 && q.y() == 0) return 0;
  const Real angle = 2 * std::atan2(q.y(), q.w());
  return angle > pi ? angle - 2 * pi : angle < -pi ? angle + 2 * pi : angle;
}

Real twist_angle(const Link& link, const Quat& basis_from_wanted) noexcept {
  const Real turn = twist_about_y(link.rest.conjugate() * basis_from_wanted);
  return link.axis_in_frame.y() < 0 ? -turn : turn;
}

Chain read_chain(const Problem& problem, JointId end, const Vec3& direction_in_end,
                 Real aggravation, std::span<Link> links, int& passes) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  int count = 0;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) count += may_move(problem, j);

  // From the end to the root: each moving joint's segment leads to the next moving joint's place,
  // or, where they share a place, wherever that one's segment leads when it is at zero.
  Chain chain{links.first(static_cast<std::size_t>(count)),
              Quat::Identity(),
              Vec3::Zero(),
              Quat::Identity(),
              Vec3::Zero(),
              passes};
  Pose next_from = Pose{};  // the joint we are at -> the thing above it (link or end)
  Vec3 direction_above = direction_in_end;  // in that thing's frame
  Quat frame_above = Quat::Identity();      // that thing's joint frame from its link frame
  bool above_is_link = false;
  int k = count;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) {
    if (may_move(problem, j)) {
      --k;
      Link& link = links[static_cast<std::size_t>(k)];
      const Vec3 reach = next_from.p;
      const Vec3 segment = k == count - 1 || reach.norm() < shortest_segment
                               ? Vec3(next_from.q * direction_above)
                               : normalized_or_zero(reach);
      const Quat joint_from_frame = frame_along(segment);
      const Quat frame_from_joint = joint_from_frame.conjugate();
      if (above_is_link) {
        Link& above = links[static_cast<std::size_t>(k + 1)];
        finish(above, frame_from_joint * next_from.q * frame_above,
               frame_above.conjugate() * skeleton.axis(above.joint), skeleton.limits(above.joint));
        above.offset = frame_from_joint * next_from.p;
      } else {
        chain.frame_from_end = frame_from_joint * next_from.q;
        chain.end_offset = frame_from_joint * next_from.p;
      }
      link.joint = j;
      link.q_index = skeleton.q_offset(j);
      above_is_link = true;
      direction_above = segment;
      frame_above = joint_from_frame;
      next_from = skeleton.parent_from_joint(j);
      continue;
    }
    Pose step = skeleton.parent_from_joint(j);
    if (skeleton.type(j) != JointType::fixed) {
      std::array<Real, 4> value{};
      std::copy_n(&problem.seed[skeleton.q_offset(j)], q_size(skeleton.type(j)), value.begin());
      step = step * joint_motion(skeleton, j, value.data());
    }
    next_from = step * next_from;
  }
  if (above_is_link) {
    Link& root = links[0];
    // The first bend is measured against the root's own segment as it is when nothing is bent.
    chain.base = next_from.q * frame_above;
    chain.base_origin = next_from.p;
    finish(root, Quat::Identity(), frame_above.conjugate() * skeleton.axis(root.joint),
           skeleton.limits(root.joint));
    root.offset = Vec3::Zero();
  } else {
    chain.base = next_from.q;
    chain.base_origin = next_from.p;
  }

  // From the end down, so that no power of the aggravation overflows.
  const std::span<const Real> per_joint = problem.intent.per_joint;
  Real power = 1, total = 0;
  for (int i = count - 1; i >= 0; --i) {
    Link& link = links[static_cast<std::size_t>(i)];
    link.weight = 0;
    if (link.twister) continue;
    const Real hold = per_joint.empty() ? 1 : per_joint[link.joint];
    link.weight = power * hold;
    total += link.weight;
    power /= aggravation;
  }
  if (total > 0)
    for (Link& link : links.first(static_cast<std::size_t>(count))) link.weight /= total;
  return chain;
}

}  // namespace gestik::erik
