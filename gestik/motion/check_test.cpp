#include "gestik/motion/check.h"

#include <gtest/gtest.h>

#include "gestik/math/random_for_test.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/random_skeleton_for_test.h"
#include "gestik/motion/filter.h"

namespace gestik {
namespace {

Skeleton hinge_and_ball() {
  JointDraft hinge{.name = "hinge", .type = JointType::hinge, .axis = Vec3::UnitX()};
  hinge.limits = {.lo = -1, .hi = 1};
  JointDraft ball{.name = "ball", .parent = "hinge", .type = JointType::ball};
  ball.limits.swing_x = ball.limits.swing_y = 0.5;
  return *build({.joints = {hinge, ball}});
}

Clip clip_of(const Skeleton& skeleton, const std::vector<std::pair<Real, Quat>>& frames,
             Real rate) {
  Clip clip = clip_for(skeleton, "test", rate);
  for (const auto& [angle, turn] : frames)
    clip.values.insert(clip.values.end(), {angle, turn.w(), turn.x(), turn.y(), turn.z()});
  return clip;
}

const std::vector<MotionLimits> limits{{.velocity = 2, .acceleration = 20, .jerk = 200},
                                       {.velocity = 2, .acceleration = 20, .jerk = 200}};

TEST(CheckMotion, finds_each_kind_of_breach_and_its_frame) {
  const Skeleton skeleton = hinge_and_ball();
  const Quat none = Quat::Identity(), half = exp(Vec3(0.1, 0, 0));
  // 0.25 in a tenth of a second is 2.5; the jump makes accelerations of 25 and jerks of 250, 500.
  const Clip clip = clip_of(
      skeleton, {{0, none}, {0, none}, {0, none}, {0.25, none}, {0.25, none}, {0.25, half}}, 10);
  const MotionCheck found = check_motion(clip, skeleton, limits);
  EXPECT_TRUE(found.range_kept);
  ASSERT_EQ(found.breaches.size(), 6u);
  const auto expect = [&](std::size_t i, int frame, MotionLimit limit, Real value) {
    EXPECT_EQ(found.breaches[i].frame, frame) << i;
    EXPECT_EQ(found.breaches[i].limit, limit) << i;
    EXPECT_NEAR(found.breaches[i].value, value, 1e-9) << i;
  };
  expect(0, 3, MotionLimit::velocity, 2.5);
  expect(1, 3, MotionLimit::acceleration, 25);
  expect(2, 3, MotionLimit::jerk, 250);
  expect(3, 4, MotionLimit::acceleration, 25);
  expect(4, 4, MotionLimit::jerk, 500);
  expect(5, 5, MotionLimit::jerk, 250);  // the ball's 1, 10 and 100 are all right
  EXPECT_NEAR(found.stretch, std::cbrt(2.5), 1e-6);
}

TEST(CheckMotion, stretching_mends_all_but_the_range) {
  Random random(1);
  for (int run = 0; run < 200; ++run) {
    const Skeleton skeleton = hinge_and_ball();
    std::vector<std::pair<Real, Quat>> frames;
    for (int i = 0; i < 20; ++i)
      frames.emplace_back(random.uniform(-1.2, 1.2), exp(random.vector(0.4)));
    Clip clip = clip_of(skeleton, frames, random.uniform(10, 200));
    const MotionCheck found = check_motion(clip, skeleton, limits);
    ASSERT_GT(found.stretch, 1);
    clip.rate /= found.stretch;
    const MotionCheck mended = check_motion(clip, skeleton, limits);
    EXPECT_EQ(mended.stretch, 1);
    EXPECT_EQ(mended.range_kept, found.range_kept);
    for (const Breach& breach : mended.breaches) EXPECT_EQ(breach.limit, MotionLimit::range);
    clip.rate *= 1.001;  // and less would not have done
    EXPECT_GT(check_motion(clip, skeleton, limits).stretch, 1);
  }
}

TEST(CheckMotion, says_how_far_outside_its_range_a_joint_is) {
  const Skeleton skeleton = hinge_and_ball();
  const Quat wide = ball_from_angles(skeleton, 1, {0.6, 0, 0});
  const MotionCheck found = check_motion(clip_of(skeleton, {{1.25, wide}}, 30), skeleton, limits);
  ASSERT_EQ(found.breaches.size(), 2u);
  EXPECT_FALSE(found.range_kept);
  EXPECT_EQ(found.stretch, 1);
  EXPECT_NEAR(found.breaches[0].value, 0.25, 1e-12);
  EXPECT_NEAR(found.breaches[1].value, 0.1, 1e-12);
}

/// What the filter lets through, the check lets through.
TEST(CheckMotion, passes_what_comes_out_of_the_filter) {
  Random random(2);
  for (int run = 0; run < 20; ++run) {
    const Skeleton skeleton = hinge_and_ball();
    Clip clip = clip_for(skeleton, "filtered", random.uniform(30, 300));
    FilterState state = start(skeleton, skeleton.neutral());
    std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end()), target = q;
    for (int i = 0; i < 500; ++i) {
      if (i % 40 == 0) target = random_q_outside(random, skeleton);
      step({.smoothness = 0}, skeleton, limits, target, 1 / clip.rate, state, q);
      clip.values.insert(clip.values.end(), q.begin(), q.end());
    }
    EXPECT_FALSE(check(clip, skeleton));
    EXPECT_TRUE(check_motion(clip, skeleton, limits).breaches.empty());
  }
}

}  // namespace
}  // namespace gestik
