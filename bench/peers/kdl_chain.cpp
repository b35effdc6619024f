#include "bench/peers/kdl_chain.h"

#include <algorithm>
#include <cmath>

#include "gestik/model/joint_ops.h"

namespace gestik::bench {
namespace {

std::vector<JointId> path_to(const Skeleton& skeleton, JointId end) {
  std::vector<JointId> path;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) path.insert(path.begin(), j);
  return path;
}

/// A hinge about a coordinate axis is KDL's faster special case.
KDL::Joint kdl_hinge(const Vec3& a) {
  if (a == Vec3::UnitX()) return KDL::Joint(KDL::Joint::RotX);
  if (a == Vec3::UnitY()) return KDL::Joint(KDL::Joint::RotY);
  if (a == Vec3::UnitZ()) return KDL::Joint(KDL::Joint::RotZ);
  return KDL::Joint(KDL::Vector::Zero(), KDL::Vector(a.x(), a.y(), a.z()), KDL::Joint::RotAxis);
}

struct Segment {
  KDL::Joint joint;
  KDL::Frame tip;
};

}  // namespace

KDL::Frame kdl_frame(const Pose& pose) {
  return {KDL::Rotation::Quaternion(pose.q.x(), pose.q.y(), pose.q.z(), pose.q.w()),
          KDL::Vector(pose.p.x(), pose.p.y(), pose.p.z())};
}

// A KDL segment turns about its joint first and then applies its constant tip frame; a joint of
// ours sits at a constant pose in its parent and then turns. So each of our joints' poses goes into
// the tip of the segment before it, and a fixed joint needs no segment.
KdlChain::KdlChain(const Skeleton& skeleton, JointId end, const Vec3& point_in_end) {
  std::vector<Segment> segments{{KDL::Joint(KDL::Joint::None), KDL::Frame::Identity()}};
  std::vector<Real> lo, hi;
  const auto add = [&](const KDL::Joint& joint, Real lowest, Real highest) {
    segments.push_back({joint, KDL::Frame::Identity()});
    lo.push_back(std::max(lowest, -pi));
    hi.push_back(std::min(highest, pi));
  };
  for (const JointId j : path_to(skeleton, end)) {
    segments.back().tip = segments.back().tip * kdl_frame(skeleton.parent_from_joint(j));
    switch (skeleton.type(j)) {
      case JointType::fixed:
      case JointType::slider:
        break;
      case JointType::hinge:
        joints_.push_back({skeleton.q_offset(j), false});
        add(kdl_hinge(skeleton.axis(j)), skeleton.limits(j).lo, skeleton.limits(j).hi);
        break;
      case JointType::ball:
        joints_.push_back({skeleton.q_offset(j), true});
        for (const auto axis : {KDL::Joint::RotX, KDL::Joint::RotY, KDL::Joint::RotZ})
          add(KDL::Joint(axis), -pi, pi);
        break;
    }
  }
  segments.back().tip = segments.back().tip * kdl_frame({Quat::Identity(), point_in_end});
  for (const Segment& segment : segments)
    chain_.addSegment(KDL::Segment(segment.joint, segment.tip));

  lowest_.resize(joint_count());
  highest_.resize(joint_count());
  for (unsigned i = 0; i < joint_count(); ++i) lowest_(i) = lo[i], highest_(i) = hi[i];
}

// R = Rx(a) Ry(b) Rz(c) has the last column (sin b, -sin a cos b, cos a cos b) and the first row
// (cos b cos c, -cos b sin c, sin b).
void KdlChain::to_angles(ConstQ q, KDL::JntArray& angles) const {
  unsigned i = 0;
  for (const Joint& joint : joints_) {
    if (!joint.ball) {
      angles(i++) = q[joint.q_offset];
      continue;
    }
    const Mat3 r = load_quat(&q[joint.q_offset]).toRotationMatrix();
    angles(i++) = std::atan2(-r(1, 2), r(2, 2));
    angles(i++) = std::asin(std::clamp(r(0, 2), -1.0, 1.0));
    angles(i++) = std::atan2(-r(0, 1), r(0, 0));
  }
}

void KdlChain::from_angles(const KDL::JntArray& angles, Q q) const {
  unsigned i = 0;
  for (const Joint& joint : joints_) {
    if (!joint.ball) {
      q[joint.q_offset] = angles(i++);
      continue;
    }
    const Quat turn = axis_angle(Vec3::UnitX(), angles(i)) *
                      axis_angle(Vec3::UnitY(), angles(i + 1)) *
                      axis_angle(Vec3::UnitZ(), angles(i + 2));
    store_quat(normalized_or_identity(turn), &q[joint.q_offset]);
    i += 3;
  }
}

}  // namespace gestik::bench
