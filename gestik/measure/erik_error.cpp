#include "gestik/measure/erik_error.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"

namespace gestik {
namespace {

Real quaternion_distance(const Quat& a, const Quat& b) noexcept {
  const Real apart = (a.coeffs() - b.coeffs()).norm();
  const Real apart_from_twin = (a.coeffs() + b.coeffs()).norm();
  return std::min(apart, apart_from_twin) / std::sqrt(2.0);
}

constexpr Real shortest_segment = 1e-9;

/// A hinge that turns about its own segment changes no shape: the paper's twister.
bool is_twister(const Skeleton& skeleton, JointId j, const Vec3& segment_in_joint) noexcept {
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return true;
    case JointType::slider:
      return true;
    case JointType::ball:
      return false;
    case JointType::hinge:
      return skeleton.axis(j).cross(segment_in_joint).norm() < 1e-6 * segment_in_joint.norm();
  }
  return true;
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

// Walks from the end to the root, so aggravation^i is built from the other side: with m bending
// joints, the one met k-th from the end has i = m - 1 - k. Dividing sum and norm alike by
// aggravation^(m - 1) leaves weights of aggravation^-k, which need no m and can't overflow.
Real posture_error(const Skeleton& skeleton, JointId end, const Vec3& end_point,
                   std::span<const Pose> solution, std::span<const Pose> posture,
                   Real aggravation) noexcept {
  struct Segment {
    Vec3 solution, posture;
  };
  const auto direction = [](const Vec3& from, const Vec3& to) -> Vec3 {
    return normalized_or_zero(to - from);
  };

  Real sum = 0, norm = 0, weight = 1;
  Vec3 tip_in_joint = end_point;
  JointId tip = no_joint;  // the segment of joint j ends at joint `tip`, or at the end-point
  bool have_after = false;
  Segment after{};
  const auto meet = [&](const Segment& before) {
    sum += weight *
           std::abs(bend(before.posture, after.posture) - bend(before.solution, after.solution));
    norm += weight;
    weight /= aggravation;
  };

  for (JointId j = end; j != no_joint; tip = j, j = skeleton.parent(j)) {
    if (tip != no_joint) tip_in_joint = skeleton.parent_from_joint(tip).p;
    if (tip_in_joint.norm() < shortest_segment || is_twister(skeleton, j, tip_in_joint)) continue;
    const Vec3 solution_tip = tip == no_joint ? Vec3(solution[j] * end_point) : solution[tip].p;
    const Vec3 posture_tip = tip == no_joint ? Vec3(posture[j] * end_point) : posture[tip].p;
    const Segment segment{direction(solution[j].p, solution_tip),
                          direction(posture[j].p, posture_tip)};
    if (have_after) meet(segment);
    after = segment;
    have_after = true;
  }
  if (!have_after) return 0;

  // The first bend is measured against the root's own segment: where it points when nothing is
  // bent. World is the frame of the root's rest pose, and so is its segment's direction.
  JointId root = end;
  JointId next = no_joint;
  while (skeleton.parent(root) != no_joint) {
    next = root;
    root = skeleton.parent(root);
  }
  Vec3 root_segment = next == no_joint ? end_point : skeleton.parent_from_joint(next).p;
  if (root_segment.norm() < shortest_segment) root_segment = Vec3::UnitY();
  const Vec3 rest = normalized_or_zero(skeleton.parent_from_joint(root).q * root_segment);
  meet({rest, rest});
  return sum / norm;
}

}  // namespace gestik
