#include "gestik/motion/warp.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"
#include "gestik/motion/check.h"
#include "gestik/solve/bodies_for_test.h"

namespace gestik {
namespace {

using namespace test;

/// A nod: the hinges go to and fro.
Clip nodding(const Skeleton& skeleton, int frames) {
  Clip clip = clip_for(skeleton, "nod", 60);
  for (int f = 0; f < frames; ++f)
    for (int k = 0; k < skeleton.q_size(); ++k) clip.values.push_back(0.4 * std::sin(0.05 * f + k));
  return clip;
}

std::vector<Goal> aims(const Skeleton& skeleton, int frames) {
  std::vector<Goal> goals;
  for (int f = 0; f < frames; ++f)
    goals.push_back(Aim{.joint = skeleton.joint_count() - 1,
                        .axis_in_joint = Vec3::UnitY(),
                        .target = {5 * std::cos(0.01 * f), 3, 5 * std::sin(0.01 * f)}});
  return goals;
}

TEST(Warp, LooksAtAMovingPointAndKeepsTheMotion) {
  const Skeleton skeleton = hinge_chain("YXZXZY", pi / 2);
  const Clip clip = nodding(skeleton, 300);
  const std::vector<Goal> goals = aims(skeleton, 300);
  const Warped warped = warp({}, skeleton, clip, *hinges_below(skeleton, 5), goals);
  EXPECT_FALSE(check(warped.clip, skeleton));
  EXPECT_EQ(warped.clip.frame_count(), 300);
  EXPECT_GE(warped.met, 285);
  for (int f = 0; f < 300; ++f) {
    EXPECT_TRUE(inside_limits(skeleton, warped.clip.frame(f)));
    if (f == 0) continue;
    for (int k = 0; k < skeleton.q_size(); ++k)
      EXPECT_LE(std::abs(warped.clip.frame(f)[k] - warped.clip.frame(f - 1)[k]),
                Tracker{}.speed / 60 + 1e-12);
  }
}

TEST(Warp, LeavesAClipThatAlreadyLooksThere) {
  const Skeleton skeleton = hinge_chain("YXXZY", pi / 2);
  const Clip clip = nodding(skeleton, 100);
  std::vector<Goal> goals;
  for (int f = 0; f < 100; ++f) {
    const std::vector<Pose> world = poses(skeleton, clip.frame(f));
    goals.push_back(Orient{.joint = 4, .target = world.back().q, .tolerance = 1e-5});
  }
  const Warped warped = warp({}, skeleton, clip, *hinges_below(skeleton, 4), goals);
  EXPECT_EQ(warped.met, 100);
  EXPECT_EQ(warped.reposes, 0);
  for (std::size_t i = 0; i < clip.values.size(); ++i)
    EXPECT_NEAR(warped.clip.values[i], clip.values[i], 2e-3);
}

TEST(Warp, JointsBesideTheChainDoWhatTheyDoInTheClip) {
  const Skeleton skeleton = hinge_torso();
  const Clip clip = nodding(skeleton, 50);
  const JointId end = skeleton.joint_count() - 1, first = skeleton.parent(skeleton.parent(end));
  const std::vector<Goal> goals(50,
                                Aim{.joint = end, .axis_in_joint = {0, 1, 0}, .target = {2, 2, 2}});
  const Warped warped = warp({}, skeleton, clip, {first, end}, goals);
  std::vector<Real> legal(static_cast<std::size_t>(skeleton.q_size()));
  for (int f = 0; f < 50; ++f) {
    std::copy(clip.frame(f).begin(), clip.frame(f).end(), legal.begin());
    clamp_to_limits(skeleton, legal);
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      if (j == first || j == skeleton.parent(end) || j == end ||
          skeleton.type(j) == JointType::fixed)
        continue;
      EXPECT_EQ(warped.clip.frame(f)[skeleton.q_offset(j)], legal[skeleton.q_offset(j)]);
    }
  }
}

TEST(Warp, OneSpeedPerJointHolds) {
  const Skeleton skeleton = hinge_chain("YXZXZY", pi / 2);
  const Clip clip = nodding(skeleton, 200);
  const std::vector<Goal> goals = aims(skeleton, 200);
  std::vector<MotionLimits> limits;
  for (const Real speed : {0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) limits.push_back({.velocity = speed});
  const Warped warped = warp({}, skeleton, clip, *hinges_below(skeleton, 5), goals, limits);
  for (int f = 1; f < 200; ++f)
    for (std::size_t k = 0; k < limits.size(); ++k)
      EXPECT_LE(std::abs(warped.clip.frame(f)[k] - warped.clip.frame(f - 1)[k]),
                limits[k].velocity / 60 + 1e-12);
}

TEST(Warp, TheFilterHoldsEveryLimitAndSaysWhatItCosts) {
  const Skeleton skeleton = hinge_chain("YXZXZY", pi / 2);
  const Clip clip = nodding(skeleton, 300);
  const std::vector<Goal> goals = aims(skeleton, 300);
  const std::vector<MotionLimits> limits(6, {.velocity = 1, .acceleration = 5, .jerk = 50});
  const Warped warped =
      warp({.filter = MotionFilter{}}, skeleton, clip, *hinges_below(skeleton, 5), goals, limits);
  EXPECT_TRUE(check_motion(warped.clip, skeleton, limits).breaches.empty());
  int met = 0;
  for (int f = 0; f < 300; ++f) {
    const std::vector<Pose> world = poses(skeleton, warped.clip.frame(f));
    met += all_met(std::span(goals).subspan(static_cast<std::size_t>(f), 1), world);
  }
  EXPECT_EQ(warped.met, met);
}

// Poise takes no balls: lm meets the goal, and the posture still pulls.
TEST(Warp, KeepsTheMotionOfAChainWithBalls) {
  const Skeleton skeleton = ball_chain(4, 2, 2);
  Clip clip = clip_for(skeleton, "wave", 60);
  std::vector<Goal> goals;
  for (int f = 0; f < 120; ++f) {
    for (int j = 0; j < 4; ++j) {
      const Quat q = axis_angle(Vec3::UnitX(), 0.4 * std::sin(0.05 * f + j));
      for (const Real x : {q.w(), q.x(), q.y(), q.z()}) clip.values.push_back(x);
    }
    goals.push_back(Aim{.joint = 3, .axis_in_joint = {0, 1, 0}, .target = {2, 3, 1}});
  }
  const Warped warped = warp({}, skeleton, clip, {0, skeleton.joint_count() - 1}, goals);
  EXPECT_GE(warped.met, 100);
  Real moved = 0;
  for (int f = 1; f < 120; ++f)
    moved += angle_between(load_quat(warped.clip.frame(f).data()),
                           load_quat(warped.clip.frame(f - 1).data()));
  EXPECT_GT(moved, 0.5);
}

}  // namespace
}  // namespace gestik
