#pragma once

#include "bench/iiwa14.h"
#include "evaluation/draw.h"
#include "gestik/io/read.h"
#include "gestik/solve/limb/reach.h"

namespace gestik::bench {

/// The humanoid's right arm alone.
inline Skeleton arm_alone() {
  const SkeletonDraft body = draft_of(bundled_character("humanoid")->character.skeleton);
  SkeletonDraft arm;
  for (const JointDraft& joint : body.joints)
    for (const char* part : {"right_shoulder", "right_elbow", "right_forearm", "right_wrist"})
      if (joint.name == part) arm.joints.push_back(joint);
  arm.joints.front().parent.clear();
  return std::move(*build(arm));
}

inline Skeleton robot_alone() {
  SkeletonDraft robot = draft_of(iiwa14());
  robot.joints.pop_back();  // the flange
  return std::move(*build(robot));
}

struct LimbTask {
  std::vector<Real> q;
  Reach reach;
  Orient orient;
  LimbTarget target;
  Real swivel;
};

/// Poses that come round again and again, and what a limb is asked to come back to them.
class LimbTasks {
 public:
  explicit LimbTasks(Skeleton body)
      : body_(std::move(body)), limb_(limb_at(body_, body_.joint_count() - 1).limb) {
    evaluation::Draw draw(1);
    world_.resize(static_cast<std::size_t>(body_.joint_count()));
    for (LimbTask& task : tasks_) {
      task.q = draw.pose(body_);
      forward(body_, task.q, world_);
      const Pose& end = world_[limb_.joint];
      task.reach = {.joint = limb_.joint, .target = end.p};
      task.orient = {.joint = limb_.joint, .target = end.q};
      const Pose in_base = inverse(world_from_base(limb_, world_)) * end;
      task.target = {in_base * limb_.end_point, in_base.q, true};
      task.swivel = swivel_of(limb_, body_, task.q);
    }
  }

  const Skeleton& body() const { return body_; }
  const Limb& limb() const { return limb_; }
  std::span<Pose> world() { return world_; }
  const LimbTask& next() { return tasks_[next_++ % tasks_.size()]; }
  /// Where a solve starts: the pose before the one asked for.
  const std::vector<Real>& before() const { return tasks_[(next_ + 62) % tasks_.size()].q; }

 private:
  Skeleton body_;
  Limb limb_;
  std::vector<LimbTask> tasks_{64};
  std::vector<Pose> world_;
  std::size_t next_ = 0;
};

}  // namespace gestik::bench
