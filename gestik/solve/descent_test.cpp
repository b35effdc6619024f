#include "gestik/solve/descent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gestik/model/joint_ops.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

// What both solvers that descend promise, seen from outside. The path does not depend on the
// budget, so the pose after k iterations is what a budget of k gives; with tolerances of zero the
// error is sqrt(2 objective), so the best pose is the last one.

namespace gestik {
namespace {

using namespace test;

struct Task {
  const Body* body;
  std::vector<Goal> goals;
  std::vector<Real> seed, per_joint;

  Problem problem(int iterations) const {
    return {.skeleton = body->skeleton,
            .goals = goals,
            .intent = {.per_joint = per_joint},
            .seed = seed,
            .budget = {.iterations = iterations}};
  }
};

Real value(const Task& task, ConstQ q) {
  return objective(task.goals, poses(task.body->skeleton, q));
}

std::vector<Real> descent_at(const Task& task, ConstQ q) {
  const Skeleton& skeleton = task.body->skeleton;
  std::vector<Wrench> work(static_cast<std::size_t>(skeleton.joint_count()));
  std::vector<Real> out(static_cast<std::size_t>(skeleton.v_size()));
  steepest_descent(task.goals, skeleton, poses(skeleton, q), work, out);
  return out;
}

/// What of the steepest descent the limits don't forbid, the largest coordinate.
Real open_slope(const Task& task, ConstQ q) {
  const Skeleton& skeleton = task.body->skeleton;
  std::vector<Real> v = descent_at(task, q);
  Real most = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const int size = v_size(skeleton.type(j));
    Eigen::Map<Vector> part(v.data() + skeleton.v_offset(j), size);
    const ClosedWays closed =
        closed_ways(skeleton, j, q.data() + skeleton.q_offset(j), part.data(), 1e-9);
    for (int k = 0; k < closed.count; ++k)
      part -= closed.out[k].head(size) * closed.out[k].head(size).dot(part);
    if (size > 0) most = std::max(most, part.cwiseAbs().maxCoeff());
  }
  return most;
}

/// A goal of each kind in turn for every end, to be met exactly; some joints hold on harder.
template <class F>
void for_random_tasks(int per_body, F&& f) {
  constexpr GoalKind kinds[] = {GoalKind::reach, GoalKind::orient, GoalKind::aim,
                                GoalKind::aim_direction};
  const std::vector<Body> bodies = all_bodies();
  for (const Body& body : bodies) {
    Random random(5);
    for (int i = 0; i < per_body; ++i) {
      Task task{
          .body = &body, .goals = {}, .seed = random_pose(body.skeleton, random), .per_joint = {}};
      const std::vector<Pose> world = poses(body.skeleton, random_pose(body.skeleton, random));
      for (const JointId end : body.ends) {
        task.goals.push_back(goal_met_by(kinds[i % 4], end, world, random));
        std::visit([](auto& goal) { goal.tolerance = 0; }, task.goals.back());
      }
      if (i % 3 == 0)
        for (JointId j = 0; j < body.skeleton.joint_count(); ++j)
          task.per_joint.push_back(random.uniform(0, 5));
      SCOPED_TRACE(body.name + ", task " + std::to_string(i));
      f(task);
    }
  }
}

class Descending : public testing::TestWithParam<AnySolver> {};

TEST_P(Descending, EveryStepKeepsEnoughOfWhatTheGradientPromises) {
  AnySolver solver = GetParam();
  constexpr Real alpha = 0.1;
  ASSERT_EQ(set_field(solver, "decrease", alpha), SetResult::done);
  ASSERT_EQ(set_field(solver, "kick", 0), SetResult::done);
  int steps = 0;
  for_random_tasks(12, [&](const Task& task) {
    const Skeleton& skeleton = task.body->skeleton;
    std::vector<Real> last = task.seed, move(static_cast<std::size_t>(skeleton.v_size()));
    for (int k = 1; k <= 25; ++k) {
      const Outcome outcome = outcome_of(solver, task.problem(k));
      if (outcome.report.iterations < k || same_bits(outcome.q, last)) break;
      difference(skeleton, last, outcome.q, move);
      const std::vector<Real> descent = descent_at(task, last);
      Real promised = 0;
      for (std::size_t i = 0; i < move.size(); ++i) promised += descent[i] * move[i];
      const Real before = value(task, last), after = value(task, outcome.q);
      EXPECT_GT(promised, 0);
      constexpr Real rounding = 1e-28;  // squares of residuals of 1e-14
      EXPECT_LE(after, before - alpha * promised + 1e-12 * before + rounding);
      EXPECT_TRUE(inside_limits(skeleton, outcome.q));
      last = outcome.q;
      ++steps;
    }
  });
  EXPECT_GT(steps, 500);
}

TEST_P(Descending, EndsWhereNoOpenWayLeadsDown) {
  AnySolver solver = GetParam();
  ASSERT_EQ(set_field(solver, "kick", 0), SetResult::done);
  ASSERT_EQ(set_field(solver, "relative", 0), SetResult::done);
  for_random_tasks(12, [&](Task task) {
    task.per_joint.clear();
    for (Goal& goal : task.goals)  // out of reach: the limits and the goals pull at each other
      if (Reach* reach = std::get_if<Reach>(&goal)) reach->target *= 1.7;
    const Real at_first = open_slope(task, task.seed);
    const Outcome outcome = outcome_of(solver, task.problem(5000));
    EXPECT_LE(open_slope(task, outcome.q), 1e-6 * (1 + at_first))
        << to_string(outcome.report.status) << " after " << outcome.report.iterations;
  });
}

TEST_P(Descending, AStraightChainFoldsAfterAKick) {
  const Skeleton chain = ball_chain(10);
  const std::vector<Goal> goals{Reach{.joint = 10, .target = {0, 0.9, 0}}};
  const Problem problem{.skeleton = chain, .goals = goals};
  EXPECT_EQ(outcome_of(GetParam(), problem).report.status, Status::reached);
  AnySolver without = GetParam();
  ASSERT_EQ(set_field(without, "kick", 0), SetResult::done);
  EXPECT_EQ(outcome_of(without, problem).report.status, Status::stalled);
}

TEST_P(Descending, AJointThatHoldsHarderMovesLess) {
  EXPECT_LT(bend_when_held(GetParam(), 2, 10), 0.5 * bend_when_held(GetParam(), 2, 1));
}

INSTANTIATE_TEST_SUITE_P(Every, Descending, testing::Values(LineSearch{}, QuasiNewton{}),
                         [](const auto& param) { return std::string(info_of(param.param).name); });

}  // namespace
}  // namespace gestik
