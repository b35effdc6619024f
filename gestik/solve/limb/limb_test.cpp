#include "gestik/solve/limb/limb.h"

#include <gtest/gtest.h>

#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/limb/limbs_for_test.h"
#include "gestik/solve/limb/reach.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

TEST(LimbSolver, TurnsAwayWhatIsNoLimb) {
  const Skeleton arm = human_arm();
  const JointId hand = arm.find("hand"), elbow = arm.find("elbow");
  const Goal reach = Reach{.joint = hand, .target = {0, 1, 0.3}};
  const Goal orient = Orient{.joint = hand}, elsewhere = Orient{.joint = elbow};
  const auto fault_of = [&](std::vector<Goal> goals, std::vector<std::uint8_t> held = {}) {
    const Outcome outcome =
        outcome_of(LimbSolver{}, {.skeleton = arm, .goals = goals, .held = held});
    return outcome.report.fault;
  };
  EXPECT_EQ(fault_of({orient}), Fault::chain_shape);
  EXPECT_EQ(fault_of({reach, reach}), Fault::chain_shape);
  EXPECT_EQ(fault_of({reach, elsewhere}), Fault::chain_shape);
  EXPECT_EQ(fault_of({reach, orient, orient}), Fault::chain_shape);
  EXPECT_EQ(fault_of({reach}, {0, 1, 0, 0, 0}), Fault::chain_shape);
  EXPECT_EQ(fault_of({reach}, {0, 0, 1, 1, 0}), Fault::none);
  EXPECT_EQ(fault_of({reach, orient}, {0, 0, 1, 0, 0}), Fault::chain_shape);
}

TEST(LimbSolver, TakesThePosturesSwivel) {
  const Skeleton arm = human_arm();
  const JointId hand = arm.find("hand");
  const Limb limb = limb_at(arm, hand).limb;
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const std::vector<Real> q = random_pose(arm, random), seed = random_pose(arm, random);
    const std::vector<Pose> world = poses(arm, q);
    const Goal goals[] = {Reach{.joint = hand, .target = world[hand].p, .tolerance = 1e-9},
                          Orient{.joint = hand, .target = world[hand].q, .tolerance = 1e-9}};
    const Outcome outcome = outcome_of(
        LimbSolver{}, {.skeleton = arm, .goals = goals, .intent = {.posture = q}, .seed = seed});
    EXPECT_EQ(outcome.report.status, Status::reached);
    EXPECT_LE(outcome.report.iterations, 2);
    EXPECT_NEAR(wrap_angle(swivel_of(limb, arm, outcome.q) - swivel_of(limb, arm, q)), 0, 1e-7);
  }
}

TEST(LimbSolver, ComesAsNearAsItsLengthAllows) {
  const Skeleton leg = human_leg();
  const JointId ankle = leg.find("ankle");
  const Goal goals[] = {Reach{.joint = ankle, .target = {0.09, -2, 0.1}, .tolerance = 0}};
  const Outcome outcome = outcome_of(LimbSolver{}, {.skeleton = leg, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::stalled);
  const Vec3 hip = leg.parent_from_joint(0).p;
  EXPECT_NEAR(outcome.report.error, (Vec3(0.09, -2, 0.1) - hip).norm() - 0.86, 1e-9);
}

}  // namespace
}  // namespace gestik
