#include "gestik/solve/ccd/ccd.h"

#include <gtest/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

Outcome solve_with_ccd(const Ccd& settings, const Problem& problem) {
  return outcome_of(settings, problem);
}

TEST(Ccd, OneBallTurnsStraightToItsTarget) {
  const Skeleton arm = ball_chain(1);
  const std::vector<Goal> goals{Reach{.joint = 1, .target = {1, 0, 0}, .tolerance = 1e-12}};
  const Outcome outcome = solve_with_ccd({}, {.skeleton = arm, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  EXPECT_EQ(outcome.report.iterations, 1);
  EXPECT_NEAR(outcome.q[0], std::sqrt(0.5), 1e-12);   // a quarter turn ...
  EXPECT_NEAR(outcome.q[3], -std::sqrt(0.5), 1e-12);  // ... about -Z, without twist
}

TEST(Ccd, OneHingeTakesTheBestAngleItsLimitsAllow) {
  const Skeleton hinge = hinge_chain("Z", 1.0);
  const auto angle_towards = [&](const Vec3& target) {
    const std::vector<Goal> goals{
        Reach{.joint = 0, .point_in_joint = Vec3::UnitY(), .target = target}};
    return solve_with_ccd({}, {.skeleton = hinge, .goals = goals}).q[0];
  };
  EXPECT_NEAR(angle_towards({-std::sin(0.7), std::cos(0.7), 0.3}), 0.7, 1e-9);
  EXPECT_EQ(angle_towards({-1, -0.1, 0}), 1.0);
  EXPECT_EQ(angle_towards({1, -0.1, 0}), -1.0);
}

TEST(Ccd, AHingeAtItsLimitGoesRoundTheOtherWayWhenThatIsBetter) {
  const Skeleton hinge = hinge_chain("Z", 3.0);
  const Real wanted = -2.9,
             start = 2.9;  // 0.48 rad apart across the gap, 5.8 rad inside the limits
  const std::vector<Goal> goals{Reach{.joint = 0,
                                      .point_in_joint = Vec3::UnitY(),
                                      .target = {-std::sin(wanted), std::cos(wanted), 0}}};
  const auto angle_with = [&](const Ccd& settings) {
    const std::span<const Real> seed(&start, 1);
    return solve_with_ccd(settings, {.skeleton = hinge, .goals = goals, .seed = seed}).q[0];
  };
  EXPECT_NEAR(angle_with({}), wanted, 1e-9);
  EXPECT_EQ(angle_with({.max_step = 1, .kick = 0}), 3.0) << "one step can't cross the whole range";
}

TEST(Ccd, ASliderGoesToTheNearestPointOfItsRail) {
  const Skeleton rail =
      std::move(*build({{{.name = "rail", .type = JointType::slider, .axis = {1, 0, 0}}}}));
  const std::vector<Goal> goals{Reach{.joint = 0, .target = {3, 4, 0}, .tolerance = 0}};
  const Outcome outcome = solve_with_ccd({}, {.skeleton = rail, .goals = goals});
  EXPECT_NEAR(outcome.q[0], 3, 1e-12);
  EXPECT_NEAR(outcome.report.error, 4, 1e-12);
}

TEST(Ccd, TwoGoalsOnOneBallAreWeighed) {
  const Skeleton ball = ball_chain(1);
  std::vector<Goal> goals{
      Aim{.joint = 0, .axis_in_joint = Vec3::UnitX(), .target = Vec3::UnitZ(), .at_infinity = true},
      Aim{.joint = 0,
          .axis_in_joint = Vec3::UnitY(),
          .target = Vec3::UnitX(),
          .at_infinity = true}};
  const Outcome both = solve_with_ccd({}, {.skeleton = ball, .goals = goals});
  EXPECT_EQ(both.report.status, Status::reached);

  // At odds: one axis, two directions a right angle apart. The heavier one wins by its weight.
  std::get<Aim>(goals[1]).axis_in_joint = Vec3::UnitX();
  std::get<Aim>(goals[0]).weight = 3;
  const Outcome odds = solve_with_ccd({}, {.skeleton = ball, .goals = goals});
  const Vec3 axis = poses(ball, odds.q)[0].q * Vec3::UnitX();
  EXPECT_NEAR(axis.z() / axis.x(), 3, 1e-6);
}

TEST(Ccd, AimsALineOfSightThatDoesNotStartAtTheJoint) {
  const Skeleton ball = ball_chain(1);
  const Vec3 eye(0.3, 0.2, 0.1), target(1, 2, 3);
  const std::vector<Goal> goals{Aim{.joint = 0,
                                    .axis_in_joint = Vec3::UnitZ(),
                                    .point_in_joint = eye,
                                    .target = target,
                                    .tolerance = 1e-9}};
  const Outcome outcome = solve_with_ccd({}, {.skeleton = ball, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  EXPECT_LE(outcome.report.iterations, 2);
}

TEST(Ccd, AStretchedChainFoldsTowardsATargetOnItsOwnLine) {
  const Skeleton chain = ball_chain(10);
  const std::vector<Goal> goals{Reach{.joint = 10, .target = {0, 0.95, 0}}};
  EXPECT_EQ(solve_with_ccd({}, {.skeleton = chain, .goals = goals}).report.status, Status::reached);
  EXPECT_EQ(solve_with_ccd({.kick = 0}, {.skeleton = chain, .goals = goals}).report.status,
            Status::stalled);
}

TEST(Ccd, AJointThatHoldsHarderMovesLess) {
  EXPECT_LT(bend_when_held(Ccd{}, 2, 10), 0.5 * bend_when_held(Ccd{}, 2, 1));
}

TEST(Ccd, DampingSpreadsTheMotion) {
  const Skeleton chain = hinge_chain("ZZZZZZ", 3);
  const std::vector<Goal> goals{
      Reach{.joint = 5, .point_in_joint = Vec3::UnitY(), .target = {-3, 3, 0}}};
  const auto largest = [&](const Ccd& settings) {
    const Outcome outcome = solve_with_ccd(settings, {.skeleton = chain, .goals = goals});
    EXPECT_EQ(outcome.report.status, Status::reached);
    Real most = 0;
    for (const Real x : outcome.q) most = std::max(most, std::abs(x));
    return most;
  };
  EXPECT_LT(largest({.damping = 0.9}), 0.8 * largest({}));
}

Real bend(const std::vector<Real>& q, int joint) {
  const Real* const w = &q[4 * static_cast<std::size_t>(joint)];
  return angle_between(Quat(w[0], w[1], w[2], w[3]), Quat::Identity());
}

TEST(Ccd, EaseSparesTheJointsNearTheEnd) {
  const Skeleton chain = ball_chain(10);
  const std::vector<Goal> goals{Reach{.joint = 10, .target = {0.4, 0.6, 0}}};
  const auto end_bend = [&](const Ccd& settings) {
    const Outcome outcome = solve_with_ccd(settings, {.skeleton = chain, .goals = goals});
    EXPECT_EQ(outcome.report.status, Status::reached);
    return bend(outcome.q, 9);
  };
  EXPECT_LT(end_bend({.ease = 1}), 0.5 * end_bend({}));
}

TEST(Ccd, OverreachSavesSweeps) {
  const Skeleton chain = ball_chain(6, 0.7, 0.4);
  Random random(5);
  int plain = 0, ours = 0;
  for (int i = 0; i < 50; ++i) {
    const std::vector<Real> seed = random_pose(chain, random);
    const std::vector<Goal> goals{
        goal_met_by(GoalKind::reach, 6, poses(chain, random_pose(chain, random)), random)};
    const Problem problem{.skeleton = chain, .goals = goals, .seed = seed};
    plain += solve_with_ccd({.overreach = 1}, problem).report.iterations;
    ours += solve_with_ccd({}, problem).report.iterations;
  }
  EXPECT_LT(3 * ours, plain);
}

TEST(Ccd, LongChainsReachWithoutCoilingUp) {
  for (const int joints : {100, 1000}) {
    const Skeleton chain = ball_chain(joints);
    Random random(3);
    for (int i = 0; i < 5; ++i) {
      const Vec3 target = 0.9 * std::cbrt(random.share()) * random.direction();
      const std::vector<Goal> goals{Reach{.joint = joints, .target = target, .tolerance = 1e-3}};
      const Outcome outcome = solve_with_ccd({}, {.skeleton = chain, .goals = goals});
      EXPECT_EQ(outcome.report.status, Status::reached) << joints << " joints, target " << i;
      Real bends = 0;
      for (int j = 1; j < joints; ++j) bends += bend(outcome.q, j);
      EXPECT_LT(bends, 6 * pi) << "three rings";
    }
  }
}

TEST(Ccd, BothHandsAndTheHeadOfATree) {
  const Body body = mixed_tree_body();
  int reached = 0;
  Random random(5);
  constexpr int tries = 200;
  for (int i = 0; i < tries; ++i) {
    const std::vector<Goal> goals = hands_and_head(body, random);
    const Outcome outcome = solve_with_ccd({}, {.skeleton = body.skeleton, .goals = goals});
    reached += outcome.report.status == Status::reached;
  }
  EXPECT_GE(reached, tries * 3 / 4);
}

TEST(Ccd, AHundredThousandJoints) {
  const Skeleton chain = hinge_chain([] {
    std::string axes;
    for (int i = 0; i < 50000; ++i) axes += "XZ";
    return axes;
  }());
  const std::vector<Goal> goals{Reach{.joint = chain.joint_count() - 1, .target = {9e3, 5e4, 100}}};
  const Outcome outcome =
      solve_with_ccd({}, {.skeleton = chain, .goals = goals, .budget = {.iterations = 10}});
  EXPECT_TRUE(inside_limits(chain, outcome.q));
  EXPECT_LT(outcome.report.error, 1e4) << "from 5e4 at the start";
}

}  // namespace
}  // namespace gestik
