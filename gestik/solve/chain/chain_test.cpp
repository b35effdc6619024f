#include "gestik/solve/chain/chain.h"

#include <gtest/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

Outcome solve_with_chain(const Chain& settings, const Problem& problem) {
  return outcome_of(settings, problem);
}

std::vector<Goal> tip_at(const Skeleton& chain, const Vec3& target, Real tolerance = 1e-3) {
  return {Reach{.joint = chain.joint_count() - 1, .target = target, .tolerance = tolerance}};
}

Vec3 tip_of(const Skeleton& chain, ConstQ q) {
  return poses(chain, q).back().p;
}

TEST(Chain, ReachesEverywhereInAFewIterationsHoweverManyBonesAndHoweverStraight) {
  for (const Real bend : {0.0, 0.003, 0.03, 0.2})
    for (const int bones : {10, 100, 1000}) {
      const Skeleton chain = ball_chain(bones);
      Random random(3);
      int most = 0;
      for (int i = 0; i < 50; ++i) {
        std::vector<Real> seed(chain.neutral().begin(), chain.neutral().end());
        for (int k = 0; k < bones; ++k) store_quat(exp(random.vector(bend)), &seed[4 * k]);
        const std::vector<Goal> goals =
            tip_at(chain, 0.95 * std::cbrt(random.share()) * random.direction());
        const Outcome outcome =
            solve_with_chain({}, {.skeleton = chain, .goals = goals, .seed = seed});
        EXPECT_EQ(outcome.report.status, Status::reached) << bones << " bones, bent by " << bend;
        most = std::max(most, outcome.report.iterations);
      }
      EXPECT_LE(most, 15) << bones << " bones, bent by " << bend;
    }
}

TEST(Chain, AStraightChainFoldsTowardsATargetOnItsOwnLine) {
  for (const int bones : {2, 10, 100})
    for (const Real y : {0.99, 0.5, 0.01, -0.3, -0.9}) {
      const Skeleton chain = ball_chain(bones);
      const std::vector<Goal> goals = tip_at(chain, {0, y, 0});
      const Outcome outcome = solve_with_chain({}, {.skeleton = chain, .goals = goals});
      EXPECT_EQ(outcome.report.status, Status::reached) << bones << " bones, " << y;
    }
}

TEST(Chain, TooFarItStretchesStraightAtTheTarget) {
  const Skeleton chain = ball_chain(20);
  const Vec3 target(3, 4, 0);
  const std::vector<Goal> goals = tip_at(chain, target, 0);
  const Outcome outcome = solve_with_chain({}, {.skeleton = chain, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::stalled);
  EXPECT_NEAR(outcome.report.error, 4, 1e-12);
  EXPECT_LT((tip_of(chain, outcome.q) - target / 5).norm(), 1e-12);
}

TEST(Chain, TooNearTheLongestBoneCountsAgainstTheOthers) {
  SkeletonDraft draft;
  draft.joints.push_back({.name = "long", .type = JointType::ball});
  draft.joints.push_back({.name = "short",
                          .parent = "long",
                          .type = JointType::ball,
                          .parent_from_joint = {Quat::Identity(), {0, 1, 0}}});
  draft.joints.push_back(
      {.name = "tip", .parent = "short", .parent_from_joint = {Quat::Identity(), {0, 0.3, 0}}});
  const Skeleton chain = *build(draft);
  const std::vector<Goal> goals = tip_at(chain, {0.2, 0, 0}, 0);
  const Outcome outcome = solve_with_chain({}, {.skeleton = chain, .goals = goals});
  EXPECT_NEAR(outcome.report.error, 0.5, 1e-12);
  EXPECT_LT((tip_of(chain, outcome.q) - Vec3(0.7, 0, 0)).norm(), 1e-12);
}

TEST(Chain, ABallBehindFixedAndHeldJointsTurnsThemAlong) {
  SkeletonDraft draft;
  Random random(8);
  for (int i = 0; i < 12; ++i)
    draft.joints.push_back({.name = numbered("j", i),
                            .parent = i == 0 ? "" : numbered("j", i - 1),
                            .type = i % 3 == 1 ? JointType::fixed : JointType::ball,
                            .parent_from_joint = {random.rotation(), random.vector(0.5)}});
  const Skeleton chain = *build(draft);
  std::vector<std::uint8_t> held(12, 0);
  held[3] = held[8] = 1;
  for (int i = 0; i < 50; ++i) {
    const std::vector<Real> seed = random_q_outside(random, chain);
    std::vector<Real> solution = random_q_outside(random, chain);
    for (const JointId j : {3, 8})
      std::copy_n(&seed[chain.q_offset(j)], 4, &solution[chain.q_offset(j)]);
    const std::vector<Goal> goals = tip_at(chain, tip_of(chain, solution), 1e-9);
    const Outcome outcome =
        solve_with_chain({}, {.skeleton = chain, .goals = goals, .seed = seed, .held = held});
    EXPECT_EQ(outcome.report.status, Status::reached) << i;
  }
}

TEST(Chain, ABoneThatHoldsHarderTurnsLess) {
  const Skeleton chain = ball_chain(3);
  std::vector<Real> seed(chain.neutral().begin(), chain.neutral().end());
  for (int k = 0; k < 3; ++k) store_quat(axis_angle(Vec3::UnitZ(), 0.5), &seed[4 * k]);
  const std::vector<Goal> goals = tip_at(chain, tip_of(chain, seed) + Vec3(0.2, 0, 0.1));
  const std::vector<Real> even(4, 1.0), stiff{50, 1, 1, 1};
  const auto root_turn = [&](const std::vector<Real>& per_joint) {
    const Outcome outcome = solve_with_chain(
        {}, {.skeleton = chain, .goals = goals, .intent = {.per_joint = per_joint}, .seed = seed});
    EXPECT_EQ(outcome.report.status, Status::reached);
    return angle_between(load_quat(outcome.q.data()), load_quat(seed.data()));
  };
  EXPECT_LT(root_turn(stiff), 0.3 * root_turn(even));
}

TEST(Chain, TurnsAwayBallsWithLimits) {
  const Skeleton chain = ball_chain(4, 1, 1);
  const std::vector<Goal> goals = tip_at(chain, {0.5, 0.5, 0});
  const Outcome outcome = solve_with_chain({}, {.skeleton = chain, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::unsupported);
  EXPECT_EQ(outcome.report.fault, Fault::chain_shape);
}

}  // namespace
}  // namespace gestik
