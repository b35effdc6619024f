#include "gestik/solve/line_search/line_search.h"

#include <gtest/gtest.h>

#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

// What it shares with other descents is in solve/descent_test.cpp.

namespace gestik {
namespace {

using namespace test;

Outcome solve_with_line_search(const LineSearch& settings, const Problem& problem) {
  return outcome_of(settings, problem);
}

// One slider, weight w: the gradient is w x, so a fixed step t multiplies the distance by 1 - t w.
TEST(LineSearch, AFixedStepIsTheTransposedJacobianTimesTheError) {
  const Skeleton rail =
      std::move(*build({{{.name = "rail", .type = JointType::slider, .axis = {1, 0, 0}}}}));
  const std::vector<Goal> goals{Reach{.joint = 0, .target = {1, 0, 0}, .weight = 2}};
  const auto at_after = [&](Real step, int iterations) {
    return solve_with_line_search(
               {.fixed_step = step},
               {.skeleton = rail, .goals = goals, .budget = {.iterations = iterations}})
        .q[0];
  };
  EXPECT_DOUBLE_EQ(at_after(0.125, 1), 0.25);
  EXPECT_DOUBLE_EQ(at_after(0.125, 2), 0.25 + 0.75 * 0.25);
  EXPECT_EQ(at_after(1.5, 20), 0) << "too long a step diverges: the seed stays the best";
}

TEST(LineSearch, TheSearchIsNotLedAstrayByAStepThatIsTooLong) {
  const Skeleton rail =
      std::move(*build({{{.name = "rail", .type = JointType::slider, .axis = {1, 0, 0}}}}));
  const std::vector<Goal> goals{Reach{.joint = 0, .target = {1, 0, 0}, .weight = 2}};
  const Outcome outcome =
      solve_with_line_search({.first_step = 1.5}, {.skeleton = rail, .goals = goals});
  EXPECT_EQ(outcome.report.status, Status::reached);
  EXPECT_GT(outcome.report.passes, outcome.report.iterations + 1) << "some steps were cut";
}

struct Tally {
  int reached = 0, iterations = 0;
};

Tally on_all_bodies(const LineSearch& settings) {
  Tally tally;
  for (const Body& body : all_bodies()) {
    Random random(17);
    for (int i = 0; i < 30; ++i) {
      const std::vector<Real> seed = random_pose(body.skeleton, random);
      const std::vector<Goal> goals{
          goal_met_by(i % 2 == 0 ? GoalKind::reach : GoalKind::orient, body.ends[0],
                      poses(body.skeleton, random_pose(body.skeleton, random)), random)};
      const Report report = solve_with_line_search(
                                settings, {.skeleton = body.skeleton, .goals = goals, .seed = seed})
                                .report;
      tally.reached += report.status == Status::reached;
      tally.iterations += report.iterations;
    }
  }
  return tally;
}

TEST(LineSearch, MeetsMoreThanAFixedStepInFewerIterations) {
  const Tally searched = on_all_bodies({}), fixed = on_all_bodies({.fixed_step = 0.1});
  EXPECT_GT(searched.reached, fixed.reached);
  EXPECT_LT(4 * searched.iterations, fixed.iterations);
}

TEST(LineSearch, ALearntFirstStepSavesIterations) {
  EXPECT_LT(2 * on_all_bodies({}).iterations, on_all_bodies({.first_step = 1}).iterations);
}

TEST(LineSearch, EachRuleStopsIt) {
  const Skeleton chain = hinge_chain("ZXZ");
  const std::vector<Goal> goals{Reach{.joint = 2, .target = {9, 1, 2}}};
  const auto iterations = [&](LineSearch settings) {
    settings.kick = 0;
    const Report report =
        solve_with_line_search(settings, {.skeleton = chain, .goals = goals}).report;
    EXPECT_EQ(report.status, Status::stalled);
    return report.iterations;
  };
  const LineSearch never{.relative = 0};
  const int longest = iterations(never);
  EXPECT_LT(iterations({.absolute = 0.1, .relative = 0}), longest);
  EXPECT_LT(iterations({.relative = 0.01, .patience = 1}), longest);
  EXPECT_LT(iterations({.relative = 0, .stagnation = 0.01}), longest);
}

}  // namespace
}  // namespace gestik
