#include "gestik/solve/explain.h"

#include <gtest/gtest.h>

#include "gestik/solve/bodies_for_test.h"

namespace gestik {
namespace {

using namespace test;

TEST(Explain, AGoalThatIsMetNeedsNoReason) {
  const Skeleton chain = hinge_chain("ZZZ");
  const std::vector<Goal> goals{Reach{.joint = 2, .target = {0, 2, 0}}};
  const Explanation told = explain({.skeleton = chain, .goals = goals}, chain.neutral());
  ASSERT_EQ(told.goals.size(), 1u);
  EXPECT_TRUE(told.goals[0].met);
  EXPECT_EQ(told.goals[0].kind, "reach");
  EXPECT_TRUE(told.goals[0].why.empty());
  EXPECT_TRUE(told.at_limit.empty());
}

TEST(Explain, SaysHowFarOutOfReachATargetIs) {
  const Skeleton chain = hinge_chain("ZZZ");
  const std::vector<Goal> goals{Reach{.joint = 2, .target = {0, 7, 0}}};
  const Explanation told = explain({.skeleton = chain, .goals = goals}, chain.neutral());
  EXPECT_FALSE(told.goals[0].met);
  EXPECT_NEAR(told.goals[0].residual, 5, 1e-12);
  EXPECT_EQ(told.goals[0].why,
            "out of reach: the target is 7 m from joint 'j0', the chain spans at most 2 m");
}

TEST(Explain, NamesTheLimitThatIsInTheWay) {
  const Skeleton chain = hinge_chain("ZZ", 0.5);
  const std::vector<Goal> goals{
      Reach{.joint = 1, .point_in_joint = Vec3::UnitY(), .target = {-2, 0, 0}}};
  const std::vector<Real> q{0.5, 0.5};
  const Explanation told = explain({.skeleton = chain, .goals = goals}, q);
  ASSERT_EQ(told.at_limit.size(), 2u);
  EXPECT_EQ(told.at_limit[0].at, AtLimit::hi);
  EXPECT_TRUE(told.at_limit[0].blocking);
  EXPECT_EQ(told.goals[0].why, "held by the limit of 'j1', 'j0'");
}

TEST(Explain, ALimitThatHindersNothingIsNotBlamed) {
  const Skeleton chain = hinge_chain("ZZ", 0.5);
  const std::vector<Goal> goals{
      Reach{.joint = 1, .point_in_joint = Vec3::UnitY(), .target = {2, 0, 0}}};
  const std::vector<Real> q{0.5, 0.5};
  for (const Explanation::OfJoint& joint : explain({.skeleton = chain, .goals = goals}, q).at_limit)
    EXPECT_FALSE(joint.blocking);
}

TEST(Explain, ASwingLimitBlocksOnlyOutwards) {
  const Skeleton ball = ball_chain(1, 0.5);
  Real q[4] = {std::cos(0.25), 0, 0, -std::sin(0.25)};  // leaning to +X, on the edge
  const auto blocking = [&](const Vec3& target) {
    const std::vector<Goal> goals{Reach{.joint = 1, .target = target}};
    const Explanation told = explain({.skeleton = ball, .goals = goals}, q);
    EXPECT_EQ(told.at_limit.at(0).at, AtLimit::swing);
    return told.at_limit.at(0).blocking;
  };
  EXPECT_TRUE(blocking({1, 0, 0}));
  EXPECT_FALSE(blocking({-1, 0, 0}));
}

TEST(Explain, NothingMovesAFixedBody) {
  const Skeleton statue = std::move(*build({{{.name = "statue"}}}));
  for (const Goal& goal :
       {Goal(Reach{.joint = 0, .target = {1, 0, 0}}), Goal(Aim{.joint = 0, .target = {1, 0, 0}})}) {
    const std::vector<Goal> goals{goal};
    const Explanation told = explain({.skeleton = statue, .goals = goals}, {});
    EXPECT_EQ(told.goals[0].reason, Reason::nothing_moves);
    EXPECT_EQ(told.goals[0].why, "nothing that moves carries joint 'statue'");
  }
}

TEST(Explain, TakesQuaternionsAndAxesOfAnyLength) {
  const Skeleton chain = hinge_chain("ZZ");
  const std::vector<Goal> goals{
      Orient{.joint = 1, .target = Quat(5, 0, 0, 0)},
      Aim{.joint = 1, .axis_in_joint = {0, 3, 0}, .target = {0, 7, 0}, .at_infinity = true}};
  for (const Explanation::OfGoal& goal :
       explain({.skeleton = chain, .goals = goals}, chain.neutral()).goals) {
    EXPECT_TRUE(goal.met) << goal.kind;
    EXPECT_LT(goal.residual, 1e-12) << goal.kind;
  }
}

TEST(Explain, AStretchedSliderHasNoEnd) {
  const Skeleton rail =
      std::move(*build({{{.name = "rail", .type = JointType::slider, .axis = {1, 0, 0}}}}));
  const std::vector<Goal> goals{Reach{.joint = 0, .target = {1e6, 1, 0}}};
  const std::vector<Real> q{1e6};
  EXPECT_EQ(explain({.skeleton = rail, .goals = goals}, q).goals[0].why,
            "not finished or stuck; try another seed, a larger budget or another solver");
}

}  // namespace
}  // namespace gestik
