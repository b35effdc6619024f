#pragma once

#include "bench/iiwa14.h"
#include "evaluation/draw.h"

namespace gestik::bench {

/// The arm in poses that come round again and again, the same for everyone who is measured.
class ArmPoses {
 public:
  ArmPoses() {
    evaluation::Draw draw(1);
    for (std::vector<Real>& q : poses_) q = draw.pose(arm_);
  }

  const Skeleton& arm() const { return arm_; }
  JointId flange() const { return arm_.joint_count() - 1; }
  const std::vector<std::vector<Real>>& all() const { return poses_; }
  const std::vector<Real>& next() { return poses_[next_++ % poses_.size()]; }

 private:
  Skeleton arm_ = iiwa14();
  std::vector<std::vector<Real>> poses_{64};
  std::size_t next_ = 0;
};

}  // namespace gestik::bench
