#include "gestik/solve/fabrik/fabrik.h"

#include <gtest/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

Outcome solve_with_fabrik(const Fabrik& settings, const Problem& problem) {
  return outcome_of(settings, problem);
}

/// A chain of joints along +Y, each at a given distance from the one before.
Skeleton chain_of(JointType type, const std::vector<Real>& lengths) {
  SkeletonDraft draft;
  Vec3 place = Vec3::Zero();
  std::string parent;
  for (std::size_t i = 0; i <= lengths.size(); ++i) {
    const std::string name = numbered("b", static_cast<int>(i));
    draft.joints.push_back({.name = name,
                            .parent = parent,
                            .type = i < lengths.size() ? type : JointType::fixed,
                            .parent_from_joint = {Quat::Identity(), place}});
    if (i < lengths.size()) place = lengths[i] * Vec3::UnitY();
    parent = name;
  }
  return std::move(*build(draft));
}

/// A place anywhere inside a ball of radius 0.98 round the origin.
Vec3 place_within_reach(Random& random) {
  return 0.98 * std::cbrt(random.share()) * random.direction();
}

TEST(Fabrik, OneBallTurnsStraightToItsTarget) {
  const Skeleton arm = ball_chain(1);
  const std::vector<Goal> goals{Reach{.joint = 1, .target = {1, 0, 0}, .tolerance = 1e-12}};
  const Outcome outcome = solve_with_fabrik({}, {.skeleton = arm, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  EXPECT_EQ(outcome.report.iterations, 1);
  EXPECT_NEAR(outcome.q[0], std::sqrt(0.5), 1e-12);   // a quarter turn ...
  EXPECT_NEAR(outcome.q[3], -std::sqrt(0.5), 1e-12);  // ... about -Z, without twist
}

TEST(Fabrik, LongChainsOfBallsReachInAFewIterations) {
  for (const int joints : {10, 50, 100, 1000}) {
    const Skeleton chain = ball_chain(joints);
    Random random(3);
    int iterations = 0;
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
      const std::vector<Goal> goals{
          Reach{.joint = joints, .target = place_within_reach(random), .tolerance = 1e-3}};
      const Outcome outcome = solve_with_fabrik({}, {.skeleton = chain, .goals = goals});
      EXPECT_EQ(outcome.report.status, Status::reached) << joints << " joints, target " << i;
      iterations += outcome.report.iterations;
    }
    EXPECT_LT(iterations, 10 * tries) << joints << " joints";
  }
}

TEST(Fabrik, OverreachSavesIterations) {
  const Skeleton chain = ball_chain(100);
  const std::vector<Goal> goals{Reach{.joint = 100, .target = {0.5, 0.2, -0.1}}};
  const Outcome plain = solve_with_fabrik({.overreach = 1}, {.skeleton = chain, .goals = goals});
  const Outcome ours = solve_with_fabrik({}, {.skeleton = chain, .goals = goals});
  EXPECT_EQ(plain.report.status, Status::reached);
  EXPECT_EQ(ours.report.status, Status::reached);
  EXPECT_LT(3 * ours.report.iterations, plain.report.iterations);
}

TEST(Fabrik, ATargetTooFarGetsAStraightLineAtOnce) {
  const Skeleton chain = ball_chain(20);
  const std::vector<Goal> goals{Reach{.joint = 20, .target = {3, 4, 0}, .tolerance = 1e-3}};
  const Outcome outcome = solve_with_fabrik({}, {.skeleton = chain, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::stalled);
  EXPECT_EQ(outcome.report.iterations, 1);
  EXPECT_NEAR(outcome.report.error, 4 - 1e-3, 1e-12);
}

TEST(Fabrik, ATargetTooNearGetsTheFoldedLineAtOnce) {
  for (const Vec3& target : {Vec3(0.1, 0, 0.2), Vec3(0, 0, 0), Vec3(0, -0.3, 0)}) {
    for (const std::vector<Real>& lengths :
         {std::vector<Real>{2, 0.5, 0.25}, std::vector<Real>{0.5, 2, 0.25}}) {
      const Skeleton chain = chain_of(JointType::ball, lengths);
      const std::vector<Goal> goals{Reach{.joint = 3, .target = target, .tolerance = 1e-3}};
      const Outcome outcome = solve_with_fabrik({}, {.skeleton = chain, .goals = goals});
      EXPECT_EQ(outcome.report.status, Status::stalled);
      EXPECT_EQ(outcome.report.iterations, 1);
      EXPECT_NEAR(outcome.report.error, 1.25 - target.norm() - 1e-3, 1e-12);
    }
  }
}

TEST(Fabrik, OutOfReachWithLimitsGetsNearAndEnds) {
  const Skeleton chain = ball_chain(6, 0.7, 0.4);
  const std::vector<Goal> goals{Reach{.joint = 6, .target = {5, 0, 0}}};
  const Outcome outcome = solve_with_fabrik({}, {.skeleton = chain, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::stalled);
  EXPECT_LT(outcome.report.iterations, 50);
  EXPECT_LT(outcome.report.error, 4.3) << "4 if it could be straight at once, 5.1 at the start";
}

TEST(Fabrik, AStretchedChainFoldsTowardsATargetOnItsOwnLine) {
  const Skeleton chain = ball_chain(10);
  for (const Real height : {0.95, 0.5, -0.5}) {
    const std::vector<Goal> goals{Reach{.joint = 10, .target = {0, height, 0}}};
    EXPECT_EQ(solve_with_fabrik({}, {.skeleton = chain, .goals = goals}).report.status,
              Status::reached)
        << height;
  }
}

/// Of random problems with a solution, how many of a hundred are solved.
int solved_percent(const Skeleton& skeleton, std::span<const JointId> ends,
                   std::span<const GoalKind> kinds) {
  Random random(5);
  int reached = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> seed = random_pose(skeleton, random);
    const std::vector<Pose> world = poses(skeleton, random_pose(skeleton, random));
    std::vector<Goal> goals;
    for (const JointId end : ends)
      for (const GoalKind kind : kinds) goals.push_back(goal_met_by(kind, end, world, random));
    const Outcome outcome =
        solve_with_fabrik({}, {.skeleton = skeleton, .goals = goals, .seed = seed});
    EXPECT_TRUE(inside_limits(skeleton, outcome.q));
    reached += outcome.report.status == Status::reached;
  }
  return reached;
}

constexpr GoalKind place_only[] = {GoalKind::reach};
constexpr GoalKind place_and_frame[] = {GoalKind::reach, GoalKind::orient};

TEST(Fabrik, LimitedBallsTakePlaceAndOrientation) {
  const Skeleton chain = ball_chain(6, 0.7, 0.4);
  EXPECT_EQ(solved_percent(chain, {{6}}, place_only), 100);
  EXPECT_GE(solved_percent(chain, {{6}}, place_and_frame), 98);
}

TEST(Fabrik, EveryEndOfATree) {
  const Body body = mixed_tree_body();
  EXPECT_GE(solved_percent(body.skeleton, body.ends, place_only), 80);
}

TEST(Fabrik, SeveralHingesInOnePlaceActAsABall) {
  // Three hinges in the shoulder, one in the elbow, three in the wrist.
  SkeletonDraft draft;
  std::string parent;
  const auto add = [&](std::string name, JointType type, Real up, Vec3 axis) {
    draft.joints.push_back({.name = name,
                            .parent = std::exchange(parent, name),
                            .type = type,
                            .parent_from_joint = {Quat::Identity(), {0, up, 0}},
                            .axis = axis,
                            .limits = {.lo = -2.5, .hi = 2.5}});
  };
  for (const std::string at : {"shoulder_", "wrist_"}) {
    add(at + "x", JointType::hinge, at[0] == 'w' ? 1 : 0, Vec3::UnitX());
    add(at + "y", JointType::hinge, 0, Vec3::UnitY());
    add(at + "z", JointType::hinge, 0, Vec3::UnitZ());
    if (at[0] == 's') add("elbow", JointType::hinge, 1, Vec3::UnitX());
  }
  add("hand", JointType::fixed, 0.2, Vec3::UnitY());
  const Skeleton arm = std::move(*build(draft));
  EXPECT_GE(solved_percent(arm, {{arm.find("hand")}}, place_only), 95);
}

TEST(Fabrik, ZeroLengthBonesAndFixedJointsInsideBones) {
  const Skeleton zeros = chain_of(JointType::ball, {0, 0.3, 0, 0, 0.4, 0.3, 0});
  const JointId tip[] = {7};
  EXPECT_EQ(solved_percent(zeros, tip, place_only), 100);

  // The same chain with each bone cut in two by a fixed joint gives the same pose.
  const Skeleton whole = ball_chain(4);
  SkeletonDraft draft;
  for (JointDraft joint : draft_of(whole).joints) {
    const Vec3 half = joint.parent_from_joint.p / 2;
    const std::string cut = joint.name + "_cut";
    draft.joints.push_back(
        {.name = cut, .parent = joint.parent, .parent_from_joint = {Quat::Identity(), half}});
    joint.parent = cut;
    joint.parent_from_joint.p = half;
    draft.joints.push_back(joint);
  }
  const Skeleton halves = std::move(*build(draft));
  const auto solved = [](const Skeleton& skeleton) {
    const std::vector<Goal> goals{Reach{.joint = skeleton.find("tip"), .target = {0.3, 0.2, 0.1}}};
    return solve_with_fabrik({}, {.skeleton = skeleton, .goals = goals});
  };
  const Outcome a = solved(whole), b = solved(halves);
  EXPECT_EQ(a.report.status, Status::reached);
  EXPECT_EQ(a.report.iterations, b.report.iterations);
  for (std::size_t k = 0; k < a.q.size(); ++k) EXPECT_NEAR(a.q[k], b.q[k], 1e-9);
}

TEST(Fabrik, ASliderExtendsTheReach) {
  SkeletonDraft draft = draft_of(ball_chain(4));
  draft.joints[0].parent = "rail";
  draft.joints.push_back({.name = "rail",
                          .type = JointType::slider,
                          .axis = {1, 0, 0},
                          .limits = {.lo = -2, .hi = 2}});
  const Skeleton robot = std::move(*build(draft));
  const std::vector<Goal> goals{Reach{.joint = robot.find("tip"), .target = {2.5, 0.2, 0.3}}};
  const Outcome outcome = solve_with_fabrik({}, {.skeleton = robot, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  EXPECT_GT(outcome.q[0], 1.5);
}

TEST(Fabrik, TwoEndsWithOneTargetCloseALoop) {
  SkeletonDraft draft{{{.name = "chest"}}};
  for (const Real side : {-0.3, 0.3})
    for (JointDraft joint : draft_of(ball_chain(4, 1.2)).joints) {
      const std::string arm = side < 0 ? "left_" : "right_";
      const bool shoulder = joint.parent.empty();
      if (shoulder) joint.parent_from_joint.p.x() = side;
      joint.name = arm + joint.name;
      joint.parent = shoulder ? std::string("chest") : arm + joint.parent;
      draft.joints.push_back(joint);
    }
  const Skeleton body = std::move(*build(draft));
  const JointId left = body.find("left_tip"), right = body.find("right_tip");
  const Vec3 meeting(0, 0.3, 0.4);
  const std::vector<Goal> goals{Reach{.joint = left, .target = meeting},
                                Reach{.joint = right, .target = meeting}};
  const Outcome outcome = solve_with_fabrik({}, {.skeleton = body, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  const std::vector<Pose> world = poses(body, outcome.q);
  EXPECT_LT((world[left].p - world[right].p).norm(), 2e-4);
}

TEST(Fabrik, AJointThatHoldsHarderMovesLess) {
  EXPECT_LT(bend_when_held(Fabrik{}, 0, 10), 0.5 * bend_when_held(Fabrik{}, 0, 1));
}

TEST(Fabrik, SpreadsTheMotionEvenly) {
  const Skeleton chain = ball_chain(20);
  const std::vector<Goal> goals{Reach{.joint = 20, .target = {0.4, 0.7, 0}}};
  const Outcome outcome = solve_with_fabrik({}, {.skeleton = chain, .goals = goals});
  ASSERT_EQ(outcome.report.status, Status::reached);
  for (std::size_t k = 4; k < outcome.q.size(); k += 4)
    EXPECT_LT(
        angle_between(Quat(outcome.q[k], outcome.q[k + 1], outcome.q[k + 2], outcome.q[k + 3]),
                      Quat::Identity()),
        1);
}

}  // namespace
}  // namespace gestik
