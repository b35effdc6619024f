#include "gestik/measure/erik_error.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"

namespace gestik {
namespace {

Real quaternion_distance(const Quat& a, const Quat& b) noexcept {
  const Real apart = (a.coeffs() - b.coeffs()).norm();
  const Real apart_from_twin = (a.coeffs() + b.coeffs()).norm();
  return std::min(std::min(apart, apart_from_twin) / std::sqrt(2.0), 1.0);
}

constexpr Real shortest_segment = 1e-9;

/// Whether a joint can turn a segment that starts where it sits. A hinge about the segment itself
/// changes no shape: the paper's twister.
bool bends(const Skeleton& skeleton, JointId j, const Vec3& segment_in_joint) noexcept {
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return false;
    case JointType::slider:
      return false;
    case JointType::ball:
      return true;
    case JointType::hinge:
      return skeleton.axis(j).cross(segment_in_joint).norm() >= 1e-6 * segment_in_joint.norm();
  }
  return false;
}

/// 1 - (1 + cos)/2 of the bend between two directions.
Real bend(const Vec3& before, const Vec3& after) noexcept {
  return (1 - before.dot(after)) / 2;
}

}  // namespace

Real orientation_error(const Quat& a, const Quat& b, bool symmetric) noexcept {
  const Real plain = quaternion_distance(a, b);
  if (!symmetric) return plain;
  const Quat half_turn_about_y(0, 0, 1, 0);
  return std::min(plain, quaternion_distance(a, b * half_turn_about_y));
}

// Quaternions an angle apart are |2 sin(angle/4)| apart as 4-vectors.
Real orientation_error(Real angle) noexcept {
  return std::sqrt(2.0) * std::abs(std::sin(angle / 4));
}

// The paper's joints each carry a segment of some length. Real skeletons also have several joints
// in one place (a shoulder that pitches, then rolls) and fixed joints in the middle of a bone, so
// the chain is read as places: moving joints that sit together at rest, followed by the segment to
// the next place. A place bends if one of its joints bends that segment; on the paper's skeletons
// every joint is a place of its own and this is Algorithm 6.
//
// It walks from the end to the root, so aggravation^i is built from the other side: with m bending
// places, the one met k-th from the end has i = m - 1 - k. Dividing sum and norm alike by
// aggravation^(m - 1) leaves weights of aggravation^-k, which need no m and, from 1 up, can't
// overflow.
Real posture_error(const Skeleton& skeleton, JointId end, const Vec3& end_point,
                   std::span<const Pose> solution, std::span<const Pose> posture,
                   Real aggravation) noexcept {
  struct Point {
    Vec3 solution, posture;  // in the world
    Vec3 rest;               // in the frame of the joint we are at, all joints below it at zero
  };
  struct Segment {
    Vec3 solution, posture;
  };

  Real sum = 0, norm = 0, weight = 1;
  Segment after{Vec3::Zero(), Vec3::Zero()};
  bool have_after = false;
  const auto meet = [&](const Segment& before) {
    if (have_after) {
      sum += weight *
             std::abs(bend(before.posture, after.posture) - bend(before.solution, after.solution));
      norm += weight;
      weight /= aggravation;
    }
    after = before;
    have_after = true;
  };

  Point place{solution[end] * end_point, posture[end] * end_point, end_point};
  Point tip = place;
  bool place_bends = false;
  const auto segment = [&]() -> Segment {
    return {normalized_or_zero(tip.solution - place.solution),
            normalized_or_zero(tip.posture - place.posture)};
  };
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) {
    if (skeleton.type(j) != JointType::fixed) {
      if (place.rest.norm() >= shortest_segment) {
        if (place_bends) meet(segment());
        tip = place;
        place = {solution[j].p, posture[j].p, Vec3::Zero()};
        place_bends = false;
      }
      const Vec3 reach = tip.rest - place.rest;
      place_bends |= reach.norm() >= shortest_segment && bends(skeleton, j, reach);
    }
    const Pose& parent_from_joint = skeleton.parent_from_joint(j);
    place.rest = parent_from_joint * place.rest;
    tip.rest = parent_from_joint * tip.rest;
  }
  if (place_bends) meet(segment());
  if (!have_after) return 0;

  // The first bend is measured against the root's own segment where it points when nothing is bent:
  // the rest points have come to the world by now.
  const Vec3 rest = normalized_or_zero(tip.rest - place.rest);
  meet({rest, rest});
  return std::min(sum / norm, 1.0);
}

ErikErrors erik_errors(const Skeleton& skeleton, std::span<const Goal> goals, JointId end,
                       const Vec3& end_point, ConstQ q, ConstQ posture,
                       const ErikMeasure& measure) {
  const auto poses_of = [&](ConstQ coordinates) {
    std::vector<Pose> poses(static_cast<std::size_t>(skeleton.joint_count()));
    forward(skeleton, coordinates, poses);
    return poses;
  };
  const std::vector<Pose> poses = poses_of(q);
  ErikErrors errors;
  for (const Goal& goal : goals) {
    const bool orients = std::holds_alternative<Orient>(goal);
    if (!orients && !std::holds_alternative<Aim>(goal)) continue;
    errors.orientation = orientation_error(residual(goal, poses[end]));
    if (orients) break;
  }
  if (!posture.empty())
    errors.posture =
        posture_error(skeleton, end, end_point, poses, poses_of(posture), measure.aggravation);
  if (errors.orientation)
    errors.combined = measure.orientation_weight * *errors.orientation +
                      measure.posture_weight * errors.posture.value_or(0);
  return errors;
}

}  // namespace gestik
