#include "gestik/motion/reaching.h"

#include <gtest/gtest.h>

#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/limb/limbs_for_test.h"

namespace gestik {
namespace {

using namespace test;

TEST(BellShare, IsSlowAtBothEndsAndFastestHalfWay) {
  EXPECT_EQ(bell_share(0), 0);
  EXPECT_EQ(bell_share(1), 1);
  EXPECT_EQ(bell_share(0.5), 0.5);
  const auto speed = [](Real t) { return (bell_share(t + 1e-6) - bell_share(t - 1e-6)) / 2e-6; };
  EXPECT_NEAR(speed(0.5), 15.0 / 8, 1e-6);
  EXPECT_LT(speed(0.001), 1e-4);
  EXPECT_LT(speed(0.999), 1e-4);
  for (Real t = 0.05; t < 0.5; t += 0.05) {
    EXPECT_LT(speed(t - 0.01), speed(t));
    EXPECT_NEAR(speed(t), speed(1 - t), 1e-6);
  }
}

struct Arm {
  Skeleton skeleton = human_arm();
  JointId hand = skeleton.find("hand");
  Limb limb = limb_at(skeleton, hand).limb;
};

TEST(ReachMotion, GoesStraightAndEndsThere) {
  const Arm arm;
  Random random(1);
  int whole = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<Real> start = random_pose(arm.skeleton, random),
                            goal = random_pose(arm.skeleton, random);
    const std::vector<Pose> to = poses(arm.skeleton, goal);
    const Reach reach{.joint = arm.hand, .target = to[arm.hand].p};
    const Orient orient{.joint = arm.hand, .target = to[arm.hand].q};
    const Reached reached = reach_motion({}, arm.limb, arm.skeleton, reach, &orient, {}, start);
    ASSERT_FALSE(check(reached.clip, arm.skeleton).has_value());
    const int last = reached.clip.frame_count() - 1;
    EXPECT_TRUE(std::equal(start.begin(), start.end(), reached.clip.frame(0).begin()));
    EXPECT_TRUE(reached.last.reached()) << describe(arm.skeleton, reached.last);
    const Pose hand = poses(arm.skeleton, reached.clip.frame(last))[arm.hand];
    EXPECT_LT((hand.p - reach.target).norm(), 1e-9);
    if (reached.missed > 0) continue;
    ++whole;
    const Vec3 from = poses(arm.skeleton, start)[arm.hand].p;
    std::size_t jump = 0;
    Real most = 0;
    for (int f = 1; f <= last; ++f) {
      EXPECT_TRUE(inside_limits(arm.skeleton, reached.clip.frame(f)));
      const Vec3 wanted = from + bell_share(static_cast<Real>(f) / last) * (reach.target - from);
      EXPECT_LT((poses(arm.skeleton, reached.clip.frame(f))[arm.hand].p - wanted).norm(), 1e-9);
      if (jump < reached.jumps.size() && reached.jumps[jump].frame == f) {
        ++jump;
        continue;
      }
      const Real before = swivel_of(arm.limb, arm.skeleton, reached.clip.frame(f - 1)),
                 now = swivel_of(arm.limb, arm.skeleton, reached.clip.frame(f));
      most = std::max(most, std::abs(wrap_angle(now - before)));
    }
    EXPECT_LT(most, 3.0 / 60 + 1e-6) << "a jump that was not said";
  }
  EXPECT_GT(whole, 10);
}

TEST(ReachMotion, StandsStillWhereItCantGoAndSaysWhy) {
  const Arm arm;
  std::vector<Real> start(arm.skeleton.neutral().begin(), arm.skeleton.neutral().end());
  const Reach reach{.joint = arm.hand, .target = {-3, 1, 1}};
  const Reached reached =
      reach_motion({.seconds = 1}, arm.limb, arm.skeleton, reach, nullptr, {}, start);
  EXPECT_EQ(reached.clip.frame_count(), 61);
  EXPECT_GT(reached.missed, 0);
  EXPECT_EQ(reached.why.fault, LimbFault::too_far);
  EXPECT_FALSE(reached.last.reached());
}

}  // namespace
}  // namespace gestik
