#pragma once

#include <kdl/chain.hpp>
#include <kdl/frames.hpp>
#include <kdl/jntarray.hpp>
#include <vector>

#include "gestik/model/skeleton.h"

namespace gestik::bench {

/// The chain from a skeleton's root to a point of one of its joints, for Orocos KDL. Hinges stay
/// hinges; a ball becomes three of them, about its x, y and z. There must be no sliders.
class KdlChain {
 public:
  KdlChain(const Skeleton&, JointId end, const Vec3& point_in_end);

  const KDL::Chain& chain() const { return chain_; }
  unsigned joint_count() const { return chain_.getNrOfJoints(); }

  /// Our coordinates as KDL's angles, and back: joints beside the chain keep what `q` has.
  void to_angles(ConstQ q, KDL::JntArray& angles) const;
  void from_angles(const KDL::JntArray& angles, Q q) const;

  /// Of each angle; a ball's have the whole turn.
  const KDL::JntArray& lowest() const { return lowest_; }
  const KDL::JntArray& highest() const { return highest_; }

 private:
  struct Joint {
    int q_offset;
    bool ball;
  };
  KDL::Chain chain_;
  std::vector<Joint> joints_;
  KDL::JntArray lowest_, highest_;
};

KDL::Frame kdl_frame(const Pose&);

}  // namespace gestik::bench
