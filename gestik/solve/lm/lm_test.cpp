#include "gestik/solve/lm/lm.h"

#include <gtest/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/lm/system.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

Outcome solve_with(const Lm& settings, const Problem& problem) {
  return outcome_of(settings, problem);
}

std::vector<Goal> pose_of(JointId joint, const Pose& pose, Real tolerance) {
  return {Reach{.joint = joint, .target = pose.p, .tolerance = tolerance},
          Orient{.joint = joint, .target = pose.q, .tolerance = tolerance}};
}

TEST(Lm, ConvergesInAFewStepsFromNearby) {
  const Skeleton robot = rail_robot();
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Real> solution = random_pose(robot, random);
    std::vector<Real> seed = solution;
    for (Real& x : seed) x += random.uniform(-0.1, 0.1);
    const std::vector<Goal> goals = pose_of(6, poses(robot, solution)[6], 1e-9);
    const Outcome outcome = solve_with({}, {.skeleton = robot, .goals = goals, .seed = seed});
    EXPECT_EQ(outcome.report.status, Status::reached) << i;
    EXPECT_LE(outcome.report.passes, 30) << i;
  }
}

TEST(Lm, FindsEveryPoseOfARobotFromAnySeed) {
  const Skeleton robot = rail_robot();
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<Goal> goals = pose_of(6, poses(robot, random_pose(robot, random))[6], 1e-6);
    const std::vector<Real> seed = random_pose(robot, random);
    const Outcome outcome = solve_with({}, {.skeleton = robot, .goals = goals, .seed = seed});
    EXPECT_EQ(outcome.report.status, Status::reached) << i;
  }
}

TEST(Lm, ManyGoalsOfAllKindsOnATree) {
  const Body body = mixed_tree_body();
  Random random(5);
  int reached = 0;
  constexpr int tries = 200;
  for (int i = 0; i < tries; ++i) {
    const std::vector<Goal> goals = hands_and_head(body, random);
    const Outcome outcome = solve_with({}, {.skeleton = body.skeleton, .goals = goals});
    reached += outcome.report.status == Status::reached;
  }
  EXPECT_EQ(reached, tries);
}

TEST(Lm, MoreGoalsThanJointsIsWeighed) {
  const Skeleton ball = ball_chain(1);
  const Vec3 one(1, 0, 0), other(0, 0, 1);
  const std::vector<Goal> goals{Reach{.joint = 1, .target = one, .weight = 3, .tolerance = 0},
                                Reach{.joint = 1, .target = other, .weight = 1, .tolerance = 0}};
  const Outcome outcome = solve_with({}, {.skeleton = ball, .goals = goals});
  const Vec3 tip = poses(ball, outcome.q)[1].p;
  EXPECT_EQ(outcome.report.status, Status::stalled);
  EXPECT_LT((tip - Vec3(3, 0, 1).normalized()).norm(), 1e-4);
}

TEST(Lm, AJointAtItsLimitLeavesTheWorkToTheOthers) {
  // The elbow would have to bend backwards: shoulder and wrist must do without it.
  const Skeleton arm = *build({{{.name = "shoulder",
                                 .type = JointType::hinge,
                                 .axis = Vec3::UnitZ(),
                                 .limits = {.lo = -3, .hi = 3}},
                                {.name = "elbow",
                                 .parent = "shoulder",
                                 .type = JointType::hinge,
                                 .parent_from_joint = {Quat::Identity(), Vec3::UnitY()},
                                 .axis = Vec3::UnitZ(),
                                 .limits = {.lo = 0, .hi = 2}},
                                {.name = "wrist",
                                 .parent = "elbow",
                                 .type = JointType::hinge,
                                 .parent_from_joint = {Quat::Identity(), Vec3::UnitY()},
                                 .axis = Vec3::UnitZ(),
                                 .limits = {.lo = -2, .hi = 2}}}});
  const std::vector<Real> solution{1.0, 0.0, -1.5};
  const Vec3 point(0, 1, 0);
  const Pose end = poses(arm, solution)[2];
  const std::vector<Goal> goals{
      Reach{.joint = 2, .point_in_joint = point, .target = end * point, .tolerance = 1e-9}};
  const std::vector<Real> seed{0.2, 0.4, -0.6};
  const Outcome outcome =
      solve_with({.starts = 1}, {.skeleton = arm, .goals = goals, .seed = seed});
  EXPECT_EQ(outcome.report.status, Status::reached);
}

TEST(Lm, AHingeThatTurnsRightRoundComesBackNearestToTheSeed) {
  const Skeleton hinge = hinge_chain("Z", 2 * pi);
  for (const Real seed : {-6.0, -3.0, 0.1, 3.0, 6.0})
    for (const Real wanted : {-3.0, -1.0, 0.5, 2.0, 3.1}) {
      const std::vector<Goal> goals{
          Orient{.joint = 0, .target = axis_angle(Vec3::UnitZ(), wanted), .tolerance = 1e-9}};
      const Outcome outcome = solve_with(
          {}, {.skeleton = hinge, .goals = goals, .seed = std::span<const Real>(&seed, 1)});
      EXPECT_EQ(outcome.report.status, Status::reached);
      Real nearest = infinity;
      for (const int turns : {-1, 0, 1})
        if (const Real x = wanted + 2 * pi * turns; std::abs(x) <= 2 * pi)
          nearest = std::min(nearest, std::abs(x - seed));
      EXPECT_NEAR(std::abs(outcome.q[0] - seed), nearest, 1e-8) << seed << " to " << wanted;
    }
}

TEST(Lm, ALeapLandsOnTheEndThatIsNearerRoundTheCircle) {
  EXPECT_EQ(lm::nearest_inside(1.0, -2.5, 2.9), 1.0);
  EXPECT_EQ(lm::nearest_inside(3.0, -2.5, 2.9), 2.9);
  EXPECT_EQ(lm::nearest_inside(3.5, -2.5, 2.9), -2.5);
  EXPECT_EQ(lm::nearest_inside(-2.6, -2.5, 2.9), -2.5);
  EXPECT_EQ(lm::nearest_inside(-3.2, -2.5, 2.9), 2.9);
}

TEST(Lm, WhatNothingCanMoveIsLeftAlone) {
  const Skeleton chain = hinge_chain("ZXZ");
  const std::vector<std::uint8_t> held(3, 1);
  const std::vector<Goal> goals{
      Reach{.joint = 2, .point_in_joint = Vec3::UnitY(), .target = {1, 2, 0}}};
  const Outcome outcome = solve_with({}, {.skeleton = chain, .goals = goals, .held = held});
  EXPECT_EQ(outcome.report.status, Status::stalled);
  EXPECT_GT(outcome.report.error, 1);
}

TEST(Lm, ATargetTooFarIsPointedAt) {
  const Skeleton chain = hinge_chain("ZXZX", 3);
  const Vec3 target(30, 40, 0), point(0, 1, 0);
  const std::vector<Goal> goals{
      Reach{.joint = 3, .point_in_joint = point, .target = target, .tolerance = 1e-6}};
  const Outcome outcome = solve_with({}, {.skeleton = chain, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::stalled);
  EXPECT_LT(outcome.report.iterations, 1000);
  const Vec3 tip = poses(chain, outcome.q)[3] * point;
  EXPECT_LT((tip - 4 * target.normalized()).norm(), 1e-2);
}

TEST(Lm, OutsideTheLimitsItComesAsNearAsAnySeedDoes) {
  const Skeleton robot = rail_robot();
  Random random(4);
  for (int i = 0; i < 10; ++i) {
    std::vector<Real> beyond = random_pose(robot, random);
    beyond[2] = 2.5;   // shoulder, up to 2
    beyond[3] = -0.8;  // elbow, down to -0.2
    const std::vector<Goal> goals = pose_of(6, poses(robot, beyond)[6], 1e-6);
    const auto error_from = [&](const std::vector<Real>& seed) {
      const Outcome outcome = solve_with({}, {.skeleton = robot, .goals = goals, .seed = seed});
      EXPECT_LE(outcome.report.iterations, Lm::info.iterations);
      return outcome.report.error;
    };
    const Real first = error_from(random_pose(robot, random));
    for (int n = 0; n < 3; ++n)
      EXPECT_LT(first, error_from(random_pose(robot, random)) + 0.05) << i;
  }
}

TEST(Lm, AStraightChainFoldsTowardsATargetOnItsOwnLine) {
  for (const int bones : {2, 10, 100, 1000})
    for (const Real y : {0.95, 0.5, -0.4}) {
      const Skeleton chain = ball_chain(bones, 2.5, 2);
      const std::vector<Goal> goals{Reach{.joint = bones, .target = {0, y, 0}, .tolerance = 1e-4}};
      const Outcome outcome = solve_with({.starts = 1}, {.skeleton = chain, .goals = goals});
      EXPECT_EQ(outcome.report.status, Status::reached) << bones << " bones, " << y;
      EXPECT_LT(outcome.report.iterations, 40) << bones << " bones, " << y;
    }
}

TEST(Lm, StartsFromThePostureBeforeAnywhereElse) {
  const Skeleton robot = rail_robot();
  Random random(6);
  int kept = 0, tried = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Real> solution = random_pose(robot, random),
                            seed = random_pose(robot, random);
    const std::vector<Goal> goals = pose_of(6, poses(robot, solution)[6], 1e-6);
    const Problem alone{.skeleton = robot, .goals = goals, .seed = seed};
    if (solve_with({.starts = 1}, alone).report.status == Status::reached) continue;
    ++tried;
    Problem with_posture = alone;
    with_posture.intent = {.posture = solution};
    const Outcome outcome = solve_with({}, with_posture);
    Real farthest = 0;
    for (std::size_t k = 0; k < solution.size(); ++k)
      farthest = std::max(farthest, std::abs(wrap_angle(outcome.q[k] - solution[k])));
    kept += farthest < 1e-3;
  }
  EXPECT_GT(tried, 20);
  EXPECT_EQ(kept, tried);
}

TEST(Lm, AJointThatHoldsHarderMovesLess) {
  EXPECT_LT(bend_when_held(Lm{}, 2, 20), 0.5 * bend_when_held(Lm{}, 2, 1));
}

/// Twenty-two ball bones, all with limits.
Skeleton whole_body() {
  SkeletonDraft draft;
  const auto add = [&](std::string name, std::string parent, Vec3 place, Vec3 axis) {
    draft.joints.push_back({std::move(name),
                            std::move(parent),
                            JointType::ball,
                            {Quat::Identity(), place},
                            axis,
                            {.lo = -0.9, .hi = 0.9, .swing_x = 1.4, .swing_y = 1.2}});
  };
  const Vec3 up(0, 1, 0);
  add("pelvis", "", {0, 1, 0}, up);
  add("spine", "pelvis", {0, 0.1, 0}, up);
  add("waist", "spine", {0, 0.15, 0}, up);
  add("chest", "waist", {0, 0.15, 0}, up);
  add("neck", "chest", {0, 0.15, 0}, up);
  add("head", "neck", {0, 0.1, 0}, up);
  for (const Real side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "left_" : "right_";
    const Vec3 out(side, 0, 0);
    add(s + "clavicle", "chest", {side * 0.05, 0.1, 0}, out);
    add(s + "shoulder", s + "clavicle", 0.15 * out, out);
    add(s + "elbow", s + "shoulder", 0.3 * out, out);
    add(s + "wrist", s + "elbow", 0.26 * out, out);
    add(s + "hip", "pelvis", {side * 0.1, -0.05, 0}, -up);
    add(s + "knee", s + "hip", -0.42 * up, -up);
    add(s + "ankle", s + "knee", -0.42 * up, -up);
    add(s + "toe", s + "ankle", {0, -0.05, 0.12}, Vec3::UnitZ());
  }
  return *build(draft);
}

/// Every joint swings in its own rhythm; many touch their limits.
std::vector<Real> dance(const Skeleton& body, Real time) {
  std::vector<Real> q(static_cast<std::size_t>(body.q_size()));
  for (JointId j = 0; j < body.joint_count(); ++j) {
    const Vec3 turn(0.6 * std::sin(time * (1.1 + 0.13 * j) + j),
                    0.4 * std::sin(time * (0.9 + 0.07 * j) + 2 * j),
                    0.5 * std::sin(time * (1.3 + 0.05 * j) + 3 * j));
    store_quat(exp(turn), &q[body.q_offset(j)]);
  }
  clamp_to_limits(body, q);
  return q;
}

TEST(Lm, AWholeBodyFollowsFiveGoalsFrameByFrame) {
  const Skeleton body = whole_body();
  ASSERT_EQ(body.v_size(), 66);
  std::vector<Real> q = dance(body, 0);
  int iterations = 0, frames = 600;
  for (int frame = 1; frame <= frames; ++frame) {
    const std::vector<Pose> world = poses(body, dance(body, frame / 60.0));
    std::vector<Goal> goals;
    for (const char* name : {"left_wrist", "right_wrist", "left_toe", "right_toe", "head"}) {
      const JointId joint = body.find(name);
      goals.push_back(Reach{.joint = joint, .target = world[joint].p, .tolerance = 1e-3});
    }
    const Outcome outcome = solve_with({}, {.skeleton = body, .goals = goals, .seed = q});
    ASSERT_EQ(outcome.report.status, Status::reached) << frame;
    iterations += outcome.report.iterations;
    q = outcome.q;
  }
  EXPECT_LT(iterations, 2 * frames);
}

}  // namespace
}  // namespace gestik
