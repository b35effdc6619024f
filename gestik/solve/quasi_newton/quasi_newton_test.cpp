#include "gestik/solve/quasi_newton/quasi_newton.h"

#include <gtest/gtest.h>

#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/run.h"

// What it shares with other descents is in solve/descent_test.cpp.

namespace gestik {
namespace {

using namespace test;

struct Tally {
  int reached = 0, iterations = 0;
};

/// On every end of a body, reaches that some pose meets.
Tally reaches_on(const Body& body, const AnySolver& solver) {
  Tally tally;
  Random random(23);
  Scratch scratch(scratch_bytes(solver, body.skeleton, body.ends.size()));
  std::vector<Real> q(static_cast<std::size_t>(body.skeleton.q_size()));
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> seed = random_pose(body.skeleton, random);
    const std::vector<Pose> world = poses(body.skeleton, random_pose(body.skeleton, random));
    std::vector<Goal> goals;
    for (const JointId end : body.ends)
      goals.push_back(goal_met_by(GoalKind::reach, end, world, random));
    const Report report =
        run(solver, {.skeleton = body.skeleton, .goals = goals, .seed = seed}, scratch, q);
    tally.reached += report.status == Status::reached;
    tally.iterations += report.iterations;
  }
  return tally;
}

TEST(QuasiNewton, NeedsFewerIterationsThanTheSteepestDescent) {
  for (const Body& body : all_bodies()) {
    if (body.skeleton.v_size() == 1) continue;  // one number has one way down
    const Tally newton = reaches_on(body, QuasiNewton{}), steepest = reaches_on(body, LineSearch{});
    EXPECT_LT(newton.iterations, steepest.iterations) << body.name;
    EXPECT_GE(newton.reached, steepest.reached - 3) << body.name;
  }
}

TEST(QuasiNewton, AMemoryOfMoreStepsSavesSome) {
  const Body tree = mixed_tree_body();
  EXPECT_LT(reaches_on(tree, QuasiNewton{}).iterations,
            reaches_on(tree, QuasiNewton{.memory = 1}).iterations);
}

TEST(QuasiNewton, ATightToleranceCostsItLittle) {
  const Skeleton chain = hinge_chain("YXZ", 3);
  const std::vector<Real> seed{0.5, 0.8, -0.4};
  const auto iterations = [&](const AnySolver& solver, Real tolerance) {
    const std::vector<Goal> goals{Reach{.joint = 2,
                                        .point_in_joint = {0.3, 1, 0.2},
                                        .target = {1.2, 1.4, 0.3},
                                        .tolerance = tolerance}};
    Scratch scratch(scratch_bytes(solver, chain, 1));
    std::vector<Real> q(3);
    const Report report =
        run(solver, {.skeleton = chain, .goals = goals, .seed = seed}, scratch, q);
    EXPECT_EQ(report.status, Status::reached);
    return report.iterations;
  };
  const auto more = [&](const AnySolver& solver) {
    return iterations(solver, 1e-12) - iterations(solver, 1e-3);
  };
  EXPECT_LT(2 * more(QuasiNewton{}), more(LineSearch{}));
}

}  // namespace
}  // namespace gestik
