#include "gestik/goal/at_frame.h"

#include <gtest/gtest.h>

#include "gestik/math/rotation.h"

namespace gestik {
namespace {

const Frame tip{.name = "tip",
                .joint = 3,
                .joint_from_frame = {axis_angle(Vec3::UnitX(), 0.7), {0.1, -0.2, 0.3}},
                .aim = Vec3::UnitZ()};
const Pose world_from_joint{axis_angle(Vec3::UnitY(), -1.1), {1, 2, 3}};
const Pose world_from_tip = world_from_joint * tip.joint_from_frame;

// Each goal is met when the place, not its joint, is where it should be.

TEST(AtFrame, ReachBringsThePlace) {
  EXPECT_EQ(reach(tip, Vec3::Zero()).joint, 3);
  EXPECT_NEAR(residual(reach(tip, world_from_tip.p), world_from_joint), 0, 1e-15);
  EXPECT_NEAR(residual(reach(tip, world_from_tip * Vec3(0, 0.5, 0)), world_from_joint), 0.5, 1e-15);
}

TEST(AtFrame, OrientTurnsThePlace) {
  EXPECT_EQ(orient(tip, Quat::Identity()).joint, 3);
  EXPECT_NEAR(residual(orient(tip, world_from_tip.q), world_from_joint), 0, 1e-15);
  const Quat half_round = world_from_tip.q * axis_angle(tip.aim, pi);
  Orient goal = orient(tip, half_round);
  EXPECT_NEAR(residual(goal, world_from_joint), pi, 1e-12);
  goal.symmetric = true;
  EXPECT_NEAR(residual(goal, world_from_joint), 0, 1e-12);
}

TEST(AtFrame, AimLooksFromThePlace) {
  EXPECT_EQ(aim(tip, Vec3::Zero()).joint, 3);
  EXPECT_NEAR(residual(aim(tip, world_from_tip * Vec3(0, 0, 2)), world_from_joint), 0, 1e-15);
  EXPECT_NEAR(residual(aim(tip, world_from_tip * Vec3(0, 2, 0)), world_from_joint), pi / 2, 1e-14);
}

}  // namespace
}  // namespace gestik
