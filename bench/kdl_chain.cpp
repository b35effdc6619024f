#include "bench/kdl_chain.h"

#include <vector>

namespace gestik {

// A KDL segment turns about its joint first and then applies its constant tip frame; a joint of
// ours sits at a constant pose in its parent and then turns. So each of our joints' poses is the
// tip of the segment before it, and an axis that is a coordinate axis uses KDL's faster special
// case.
KDL::Chain kdl_chain(const Skeleton& skeleton, JointId end) {
  std::vector<JointId> path;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) path.insert(path.begin(), j);

  const auto frame = [&](JointId j) {
    const Pose& pose = skeleton.parent_from_joint(j);
    return KDL::Frame(KDL::Rotation::Quaternion(pose.q.x(), pose.q.y(), pose.q.z(), pose.q.w()),
                      KDL::Vector(pose.p.x(), pose.p.y(), pose.p.z()));
  };
  const auto joint = [&](JointId j) {
    const Vec3& a = skeleton.axis(j);
    if (skeleton.type(j) == JointType::fixed) return KDL::Joint(KDL::Joint::None);
    if (a == Vec3::UnitX()) return KDL::Joint(KDL::Joint::RotX);
    if (a == Vec3::UnitY()) return KDL::Joint(KDL::Joint::RotY);
    if (a == Vec3::UnitZ()) return KDL::Joint(KDL::Joint::RotZ);
    return KDL::Joint(KDL::Vector::Zero(), KDL::Vector(a.x(), a.y(), a.z()), KDL::Joint::RotAxis);
  };

  KDL::Chain chain;
  chain.addSegment(KDL::Segment(KDL::Joint(KDL::Joint::None), frame(path.front())));
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool last = i + 1 == path.size();
    // A fixed joint of ours adds its pose to the segment before it: KDL gets no empty segment.
    if (skeleton.type(path[i]) == JointType::fixed && last) continue;
    chain.addSegment(
        KDL::Segment(joint(path[i]), last ? KDL::Frame::Identity() : frame(path[i + 1])));
  }
  return chain;
}

KDL::JntArray kdl_array(ConstQ q) {
  KDL::JntArray array(static_cast<unsigned>(q.size()));
  for (unsigned k = 0; k < q.size(); ++k) array(k) = q[k];
  return array;
}

}  // namespace gestik
