#include "gestik/solve/jacobian/dls.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "gestik/goal/objective.h"
#include "gestik/math/rotation.h"
#include "gestik/math/svd.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/jacobian/iteration.h"
#include "gestik/solve/jacobian/priorities.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;
using Eigen::Index;

Outcome solve_with_dls(const Dls& settings, const Problem& problem) {
  return outcome_of(settings, problem);
}

/// Tasks with memory of their own.
struct Tasks {
  std::vector<Matrix> jacobians;
  std::vector<Vector> errors;

  Vector serve(std::size_t count, const linear::Damping& damping = {}) {
    const Index motions = jacobians[0].cols();
    Index rows = 0;
    std::vector<linear::Task> tasks;
    for (std::size_t i = 0; i < count; ++i) {
      rows = std::max(rows, jacobians[i].rows());
      tasks.push_back({MatrixMap(jacobians[i].data(), jacobians[i].rows(), motions),
                       VectorMap(errors[i].data(), errors[i].size())});
    }
    Scratch scratch(linear::serve_in_order_bytes(rows, motions));
    Vector u(motions);
    linear::serve_in_order(damping, tasks, scratch, VectorMap(u.data(), motions));
    return u;
  }
};

Real smallest_singular_value(const Matrix& a) {
  if (a.rows() > a.cols()) return 0;
  Scratch scratch(svd_bytes(a.rows(), a.cols()));
  return svd(a, 0, scratch).sigma[a.rows() - 1];
}

Matrix jacobian_of(const Goal& goal, const Skeleton& skeleton, std::span<const Pose> world) {
  Jacobian work(6, skeleton.v_size());
  Matrix rows(3, skeleton.v_size());
  stacked_jacobian({&goal, 1}, skeleton, world, work, rows);
  return rows;
}

Goal random_goal(Random& random, const Skeleton& skeleton) {
  const JointId joint = random.index(skeleton.joint_count());
  if (random.chance(0.5)) return Orient{.joint = joint, .target = random.rotation()};
  return Reach{.joint = joint, .point_in_joint = random.vector(1), .target = random.vector(2)};
}

/// One to four random goals of a random skeleton, each its own priority, then the posture.
Tasks random_tasks(Random& random, const Skeleton& skeleton) {
  const std::vector<Pose> world = poses(skeleton, random_q_inside(random, skeleton));
  Tasks tasks;
  const int goals = 1 + random.index(4);
  for (int i = 0; i < goals; ++i) {
    const Goal goal = random_goal(random, skeleton);
    tasks.jacobians.push_back(jacobian_of(goal, skeleton, world));
    tasks.errors.push_back(residual_vector(goal, world[joint_of(goal)]));
  }
  const Index n = skeleton.v_size();
  tasks.jacobians.push_back(Matrix::Identity(n, n));
  tasks.errors.push_back(Vector::Zero(n));
  for (Real& x : tasks.errors.back()) x = random.uniform(-1, 1);
  return tasks;
}

RC_GTEST_PROP(Priorities, ALowerTaskNeverDisturbsAHigherOneOfFullRank, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  RC_PRE(skeleton.v_size() > 0);
  Tasks tasks = random_tasks(random, skeleton);
  Vector before = tasks.serve(1);
  for (std::size_t count = 2; count <= tasks.jacobians.size(); ++count) {
    const Vector after = tasks.serve(count);
    for (std::size_t i = 0; i + 1 < count; ++i)
      if (smallest_singular_value(tasks.jacobians[i]) > 1e-3)
        RC_ASSERT((tasks.jacobians[i] * (after - before)).norm() < 1e-6);
    before = after;
  }
}

RC_GTEST_PROP(Priorities, SingularAndConflictingTasksStayBounded, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  RC_PRE(skeleton.v_size() > 0);
  Tasks tasks = random_tasks(random, skeleton);
  tasks.jacobians.insert(tasks.jacobians.begin() + 1, tasks.jacobians[0]);  // the same, elsewhere
  tasks.errors.insert(tasks.errors.begin() + 1, -3 * tasks.errors[0]);
  const Real max_turn = std::abs(random.any_size(1e-2, 1e2));
  Vector before = Vector::Zero(skeleton.v_size());
  for (std::size_t count = 1; count <= tasks.jacobians.size(); ++count) {
    const Vector after = tasks.serve(count, {.max_turn = max_turn});
    RC_ASSERT((after - before).norm() <= max_turn * (1 + 1e-9));
    before = after;
  }
}

TEST(Priorities, ATaskThatCanBeMetIsMetInOneLinearStep) {
  Tasks tasks{{Matrix{{1, 1, 0}}, Matrix{{0, 1, 1}}, Matrix::Identity(3, 3)},
              {Vector{{0.1}}, Vector{{0.2}}, Vector{{0.5, 0, 0}}}};
  const Vector u = tasks.serve(3, {.max_turn = 1e3});
  EXPECT_NEAR(u[0] + u[1], 0.1, 1e-12);
  EXPECT_NEAR(u[1] + u[2], 0.2, 1e-12);
  EXPECT_NEAR(u.dot(Vector{{1, -1, 1}}), 0.5, 1e-12) << "the posture has the one direction left";
}

TEST(Priorities, ConstantDampingIsTheTextbooksFormula) {
  Random random(1);
  Tasks tasks{{Matrix(3, 5)}, {Vector(3)}};
  for (Real& x : tasks.jacobians[0].reshaped()) x = random.uniform(-1, 1);
  for (Real& x : tasks.errors[0]) x = random.uniform(-1, 1);
  const Matrix& j = tasks.jacobians[0];
  const Matrix damped = j * j.transpose() + 0.3 * 0.3 * Matrix::Identity(3, 3);
  const Vector expected = j.transpose() * damped.inverse() * tasks.errors[0];
  EXPECT_LT((tasks.serve(1, {.constant = 0.3}) - expected).norm(), 1e-12);
}

TEST(Dls, AHigherPriorityIsMetHoweverTheLowerOnesPull) {
  const Skeleton chain = hinge_chain("ZZZZ", 3);
  const Vec3 tip = Vec3::UnitY();
  const std::vector<Goal> goals{
      Reach{.joint = 3, .point_in_joint = tip, .target = {-3, 1, 0}, .weight = 100, .priority = 7},
      Reach{.joint = 3, .point_in_joint = tip, .target = {2, 1, 0}, .priority = 2},
      Orient{.joint = 1, .target = axis_angle(Vec3::UnitZ(), -0.5), .priority = 4}};
  const Outcome outcome = solve_with_dls({}, {.skeleton = chain, .goals = goals});
  const std::vector<Pose> world = poses(chain, outcome.q);
  EXPECT_LE(residual(goals[1], world[3]), 1e-4);
  EXPECT_LE(residual(goals[2], world[1]), 1e-3);
  EXPECT_NEAR(residual(goals[0], world[3]), 5, 1e-3);
}

/// How far the tip of a hinge chain in the plane could still come nearer to the posture without
/// leaving its target: the length of the weighted wish along the null space.
Real left_to_gain(const Skeleton& chain, const Goal& goal, ConstQ q, ConstQ posture,
                  std::span<const Real> weights) {
  const Matrix rows = jacobian_of(goal, chain, poses(chain, q)).topRows(2);
  Vector wish(chain.v_size());
  for (int i = 0; i < chain.v_size(); ++i) wish[i] = weights[i] * (posture[i] - q[i]);
  const Vector in_rows = rows.transpose() * (rows * rows.transpose()).inverse() * rows * wish;
  return (wish - in_rows).norm();
}

TEST(Dls, ThePostureIsTakenAsFarAsTheGoalsAllow) {
  const Skeleton chain = hinge_chain("ZZZZ", 3);
  const std::vector<Real> posture{0.9, -0.7, 0.6, 0.3}, seed{-0.3, 0.4, 0.2, 0.8};
  const Vec3 target = poses(chain, posture)[3] * Vec3(0, 1, 0) + Vec3(0.1, -0.1, 0);
  const std::vector<Goal> goals{
      Reach{.joint = 3, .point_in_joint = Vec3::UnitY(), .target = target, .tolerance = 1e-6}};
  const std::vector<Real> even(4, 1.0), stiff_root{5, 1, 1, 1};
  std::vector<Real> root_change;
  for (const std::vector<Real>& per_joint : {even, stiff_root}) {
    const Problem problem{.skeleton = chain,
                          .goals = goals,
                          .intent = {.posture = posture, .per_joint = per_joint},
                          .seed = seed};
    const Outcome outcome = solve_with_dls({}, problem);
    EXPECT_EQ(outcome.report.status, Status::reached);
    EXPECT_LT(left_to_gain(chain, goals[0], outcome.q, posture, per_joint), 1e-3);
    root_change.push_back(std::abs(outcome.q[0] - posture[0]));

    const Outcome early = solve_with_dls({.polish = false}, problem);
    EXPECT_EQ(early.report.status, Status::reached);
    EXPECT_LT(early.report.iterations, outcome.report.iterations);
  }
  EXPECT_LT(root_change[1], root_change[0]) << "a joint that holds harder keeps more";
}

TEST(Dls, JointsAtTheirLimitsHandTheStepToTheOthers) {
  Random random(3);
  const Skeleton chain = hinge_chain("YXXZY");
  int inside = 0, after = 0;
  for (int i = 0; i < 300; ++i) {
    const std::vector<Pose> world = poses(chain, random_pose(chain, random));
    const std::vector<Real> posture = random_pose(chain, random);
    const std::vector<Goal> goals{Orient{.joint = 4, .target = world[4].q}};
    const Problem problem{.skeleton = chain, .goals = goals, .intent = {.posture = posture}};
    inside += solve_with_dls({}, problem).report.status == Status::reached;
    after += solve_with_dls({.limits_in_step = false}, problem).report.status == Status::reached;
  }
  EXPECT_GT(inside, after);
}

TEST(Dls, ABallSlidesAlongTheEdgeOfItsSwing) {
  const Skeleton arm = ball_chain(1, 0.5, 0.5);
  const auto swung = [](Real x, Real z) { return exp({x, 0, z}) * Vec3(0, 1, 0); };
  const std::vector<Goal> goals{Reach{.joint = 1, .target = swung(0.1, -0.8)}};
  const Outcome outcome = solve_with_dls({}, {.skeleton = arm, .goals = goals});
  // The swing nearest to the target, on the rim; not the first point of the rim it came to.
  const Real distance = (poses(arm, outcome.q)[1].p - std::get<Reach>(goals[0]).target).norm();
  Real nearest = infinity;
  for (Real angle = 0; angle < 2 * pi; angle += 1e-4)
    nearest = std::min(nearest, (swung(0.5 * std::cos(angle), 0.5 * std::sin(angle)) -
                                 std::get<Reach>(goals[0]).target)
                                    .norm());
  EXPECT_NEAR(distance, nearest, 1e-5);
}

TEST(Dls, TheFirstAndLastHingeAboutTheirBoneAreLeftOutOfThePosture) {
  const Skeleton chain = hinge_chain("YXYZY");
  const std::vector<bool> expected{true, false, false, false, true};
  for (JointId j = 0; j < 5; ++j) EXPECT_EQ(linear::is_end_twister(chain, j), expected[j]) << j;
  EXPECT_FALSE(linear::is_end_twister(hinge_chain("XZ"), 1));
  EXPECT_FALSE(linear::is_end_twister(hinge_chain("Y"), 0)) << "a bone must be there";

  const std::vector<Real> posture{0.4, 0.3, 0.2, 0.1, 0.5};
  const Problem problem{.skeleton = chain, .intent = {.posture = posture}};
  const std::vector<Real> skipped = solve_with_dls({}, problem).q;
  EXPECT_EQ(skipped[0], 0);
  EXPECT_NEAR(skipped[2], 0.2, 1e-4);
  EXPECT_EQ(skipped[4], 0);
  const std::vector<Real> all = solve_with_dls({.posture_skips_twisters = false}, problem).q;
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(all[i], posture[i], 1e-4);
}

TEST(Dls, AStepIsNoLongerThanItsBound) {
  const Skeleton chain = hinge_chain("ZZ", 3);
  const std::vector<Real> almost_straight{0, 1e-9};
  const std::vector<Goal> goals{
      Reach{.joint = 1, .point_in_joint = Vec3::UnitY(), .target = {0, 0.3, 0}}};
  for (const Real max_turn : {0.01, 0.1, 1.0}) {
    const Outcome outcome = solve_with_dls(
        {.max_turn = max_turn},
        {.skeleton = chain, .goals = goals, .seed = almost_straight, .budget = {.iterations = 1}});
    EXPECT_LE(std::hypot(outcome.q[0], outcome.q[1]), max_turn * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace gestik
