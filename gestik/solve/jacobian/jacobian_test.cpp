#include <gtest/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

// What all Jacobian methods have in common, and what sets them apart.

namespace gestik {
namespace {

using namespace test;

class JacobianFamily : public testing::TestWithParam<AnySolver> {};

TEST_P(JacobianFamily, BothHandsAndTheHeadOfATree) {
  const Body body = mixed_tree_body();
  int reached = 0;
  Random random(5);
  constexpr int tries = 200;
  for (int i = 0; i < tries; ++i) {
    const std::vector<Goal> goals = hands_and_head(body, random);
    reached +=
        outcome_of(GetParam(),
                   {.skeleton = body.skeleton, .goals = goals, .budget = {.iterations = 2000}})
            .report.status == Status::reached;
  }
  RecordProperty("reached_percent", 100 * reached / tries);
  EXPECT_GE(reached, tries / 2);
}

TEST_P(JacobianFamily, AJointThatHoldsHarderMovesLess) {
  EXPECT_LT(bend_when_held(GetParam(), 2, 10), bend_when_held(GetParam(), 2, 1));
}

TEST_P(JacobianFamily, AJointAtItsLimitLeavesTheWorkToTheOthers) {
  // The elbow can't bend that way; the shoulder alone can aim the arm.
  SkeletonDraft draft = draft_of(hinge_chain("ZZ", 3));
  draft.joints[1].limits = {.lo = 0, .hi = 3};
  const Skeleton arm = std::move(*build(draft));
  const std::vector<Goal> goals{Aim{.joint = 1,
                                    .axis_in_joint = Vec3::UnitY(),
                                    .target = axis_angle(Vec3::UnitZ(), -1) * Vec3(0, 1, 0),
                                    .at_infinity = true,
                                    .tolerance = 1e-6}};
  const Outcome outcome = outcome_of(GetParam(), {.skeleton = arm, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  EXPECT_NEAR(outcome.q[0] + outcome.q[1], -1, 1e-6);
}

TEST_P(JacobianFamily, AnUnreachableTargetIsApproachedAsNearAsCanBe) {
  const Skeleton chain = hinge_chain("ZZZ", 3);
  const std::vector<Goal> goals{
      Reach{.joint = 2, .point_in_joint = Vec3::UnitY(), .target = {-4, 3, 0}, .tolerance = 0}};
  const Outcome outcome =
      outcome_of(GetParam(), {.skeleton = chain, .goals = goals, .budget = {.iterations = 1000}});
  EXPECT_NE(outcome.report.status, Status::reached);
  EXPECT_NEAR(outcome.report.error, 2, 0.05) << "five metres away, an arm of three";
}

INSTANTIATE_TEST_SUITE_P(Every, JacobianFamily,
                         testing::Values(AnySolver(Dls{}), AnySolver(Pinv{}), AnySolver(Sdls{}),
                                         AnySolver(Transpose{})),
                         [](const auto& param) { return std::string(info_of(param.param).name); });

/// Angles after one iteration of a two-hinge arm in the plane.
Vec2 first_step(const AnySolver& solver, Real elbow, const Vec3& target) {
  const Skeleton arm = hinge_chain("ZZ", 3);
  const std::vector<Real> seed{0, elbow};
  const std::vector<Goal> goals{
      Reach{.joint = 1, .point_in_joint = Vec3::UnitY(), .target = target, .tolerance = 0}};
  const Outcome outcome = outcome_of(
      solver, {.skeleton = arm, .goals = goals, .seed = seed, .budget = {.iterations = 1}});
  return Vec2(outcome.q[0], outcome.q[1] - elbow);
}

/// The arm's tip, bent by a right angle, is at (-1, 1): J = [-1 0; -1 -1] for the two angles.
TEST(Pinv, TheStepSolvesTheLinearProblem) {
  const Vec2 step = first_step(Pinv{}, pi / 2, {-1.01, 1.02, 0});
  EXPECT_NEAR(step[0], 0.01, 1e-9);
  EXPECT_NEAR(step[1], -0.03, 1e-9);
}

TEST(Transpose, TheStepIsBussOwn) {
  const Vec2 step = first_step(Transpose{}, pi / 2, {-1.01, 1.02, 0});
  // e = (-.01, .02), J^T e = (-.01, -.02), J J^T e = (.01, .03), a = (e . JJ^Te) / |JJ^Te|^2 = .5
  EXPECT_NEAR(step[0], -0.005, 1e-9);
  EXPECT_NEAR(step[1], -0.01, 1e-9);
}

TEST(Sdls, ASmallErrorIsSolvedAndALargeOneIsBoundedPerCoordinate) {
  const Vec2 small = first_step(Sdls{}, pi / 2, {-1.01, 1.02, 0});
  EXPECT_NEAR(small[0], 0.01, 1e-9);
  EXPECT_NEAR(small[1], -0.03, 1e-9);
  for (const Real elbow : {1e-7, 0.01, 0.5}) {
    const Vec2 step = first_step(Sdls{.max_turn = 0.2}, elbow, {0, 0.2, 0});
    EXPECT_LE(step.lpNorm<Eigen::Infinity>(), 0.2 + 1e-12);
  }
}

TEST(Sdls, ADirectionThatThrowsTheJointsForLittleIsDamped) {
  // Nearly straight, the tip comes nearer to the root only by folding the whole arm: a full step
  // throws it far away, and the seed stays the best pose.
  const Vec3 target(0, 1.9, 0);
  EXPECT_EQ(first_step(Pinv{.rank_cut = 0, .max_step = 6.3}, 1e-3, target).norm(), 0);
  EXPECT_GT(first_step(Sdls{}, 1e-3, target).norm(), 0);
}

}  // namespace
}  // namespace gestik
