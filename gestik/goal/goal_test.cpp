#include "gestik/goal/goal.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

Pose at(const Quat& q, const Vec3& p = Vec3::Zero()) {
  return {q, p};
}

Pose random_pose(Random& random) {
  const Quat q = random.rotation();
  return {q, random.vector(2)};
}

TEST(Goal, SharedPartsAreReadFromAnyKind) {
  const Goal goals[] = {Reach{.joint = 3, .weight = 2, .tolerance = 0.1},
                        Orient{.joint = 4, .weight = 3, .tolerance = 0.2},
                        Aim{.joint = 5, .weight = 4, .tolerance = 0.3}};
  const std::string_view kinds[] = {"reach", "orient", "aim"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(joint_of(goals[i]), 3 + i);
    EXPECT_EQ(weight_of(goals[i]), 2 + i);
    EXPECT_DOUBLE_EQ(tolerance_of(goals[i]), 0.1 * (i + 1));
    EXPECT_EQ(kind_of(goals[i]), kinds[i]);
  }
}

TEST(Goal, AnEndLooksAlongTheGoalsAxis) {
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY();
  EXPECT_EQ(direction_of_end(Aim{.axis_in_joint = x}), x);
  EXPECT_EQ(direction_of_end(Orient{.symmetry_axis = x}), x);
  EXPECT_EQ(direction_of_end(Orient{.symmetry_axis = Vec3::Zero()}), y);
  EXPECT_EQ(direction_of_end(Reach{}), y);
}

TEST(ReachResidual, IsTheWayFromThePointToTheTarget) {
  const Goal goal = Reach{.point_in_joint = Vec3(1, 0, 0), .target = Vec3(0, 5, 1)};
  // A quarter turn about z takes the point to (0, 1, 0), then up by 1 along z.
  const Pose pose = at(axis_angle(Vec3::UnitZ(), pi / 2), Vec3::UnitZ());
  EXPECT_LT((residual_vector(goal, pose) - Vec3(0, 4, 0)).norm(), 1e-15);
  EXPECT_NEAR(residual(goal, pose), 4, 1e-15);
}

TEST(OrientResidual, IsTheTurnStillNeededInWorldAxes) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Quat target = random.rotation();
    const Pose pose = random_pose(random);
    const Goal goal = Orient{.target = target};
    const Vec3 turn = residual_vector(goal, pose);
    EXPECT_LT(angle_between(exp(turn) * pose.q, target), 1e-14);
    EXPECT_NEAR(residual(goal, pose), angle_between(pose.q, target), 1e-14);
    EXPECT_LE(residual(goal, pose), pi * (1 + 1e-15));
  }
  const Quat target = axis_angle(Vec3::UnitX(), 0.3);
  Quat twin = target;
  twin.coeffs() *= -1;
  EXPECT_NEAR(residual(Goal(Orient{.target = target}), at(twin)), 0, 1e-15);
}

TEST(OrientResidual, OfASymmetricEndTakesTheNearerWayUp) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Quat target = random.rotation();
    const Vec3 axis = random.direction();
    const Pose pose = random_pose(random);
    const Orient goal{.target = target, .symmetric = true, .symmetry_axis = axis};
    const Quat turned = target * axis_angle(axis, pi);
    const Real wanted = std::min(angle_between(pose.q, target), angle_between(pose.q, turned));
    EXPECT_NEAR(residual(goal, pose), wanted, 1e-14);
    EXPECT_LT(
        angle_between(exp(residual_vector(goal, pose)) * pose.q, nearest_target(goal, pose.q)),
        1e-14);
    EXPECT_LT(residual(goal, at(turned)), 1e-14);
    EXPECT_LE(residual(goal, pose), pi * (1 + 1e-15));
  }
  Orient plain{.target = Quat(0, 0, 1, 0), .symmetric = false};
  EXPECT_NEAR(residual(plain, at(Quat::Identity())), pi, 1e-15);
  plain.symmetric = true;
  EXPECT_NEAR(residual(plain, at(Quat::Identity())), 0, 1e-15);
}

TEST(AimResidual, IsTheAngleBetweenTheDirectionAndTheLineToTheTarget) {
  // The eye sits at (0, 1, 0) of a joint at (1, 0, 0) and looks along x; the target is straight up.
  const Aim goal{
      .axis_in_joint = Vec3::UnitX(), .point_in_joint = Vec3::UnitY(), .target = Vec3(1, 7, 0)};
  const Pose pose = at(Quat::Identity(), Vec3::UnitX());
  EXPECT_NEAR(residual(goal, pose), pi / 2, 1e-15);
  EXPECT_LT((residual_vector(goal, pose) - Vec3(0, 0, pi / 2)).norm(), 1e-15);
  EXPECT_EQ(wanted_direction(goal, pose), Vec3::UnitY());

  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Aim any{.axis_in_joint = random.direction(),
                  .point_in_joint = random.vector(1),
                  .target = random.vector(3)};
    const Pose here = random_pose(random);
    const Vec3 looks = here.q * any.axis_in_joint;
    const Vec3 wanted = (any.target - here * any.point_in_joint).normalized();
    const Vec3 turn = residual_vector(any, here);
    EXPECT_NEAR(residual(any, here), std::acos(std::clamp(looks.dot(wanted), -1.0, 1.0)), 1e-7);
    EXPECT_LT((exp(turn) * looks - wanted).norm(), 1e-14);  // it would meet the goal ...
    EXPECT_NEAR(turn.dot(looks), 0, 1e-14);                 // ... without rolling
  }
}

TEST(AimResidual, AtInfinityDoesNotCareWhereTheEyeIs) {
  const Aim goal{.axis_in_joint = Vec3::UnitY(),
                 .point_in_joint = Vec3(5, 5, 5),
                 .target = Vec3(0, 0, 1e-200),
                 .at_infinity = true};
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1e6, -3, 2)}) {
    EXPECT_NEAR(residual(goal, at(Quat::Identity(), p)), pi / 2, 1e-15);
    EXPECT_EQ(wanted_direction(goal, at(Quat::Identity(), p)), Vec3::UnitZ());
  }
}

TEST(AimResidual, OfTheOppositeDirectionIsAHalfTurn) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Quat q = random.rotation();
    const Vec3 looks = q * Vec3::UnitY();
    const Aim goal{.target = -3 * looks, .at_infinity = true};
    const Vec3 turn = residual_vector(goal, at(q));
    EXPECT_NEAR(turn.norm(), pi, 1e-7);
    EXPECT_NEAR(residual(goal, at(q)), pi, 1e-7);
    EXPECT_LT((exp(turn) * looks + looks).norm(), 1e-7);
  }
  const Vec3 exact = residual_vector(Aim{.target = -Vec3::UnitY(), .at_infinity = true}, Pose{});
  EXPECT_NEAR(exact.norm(), pi, 1e-15);
}

TEST(AimResidual, IsPreciseWhenSmall) {
  for (const Real tiny : {1e-14, 1e-12, 1e-9, 1e-6, 1e-3}) {
    const Aim goal{.target = Vec3(std::sin(tiny), std::cos(tiny), 0), .at_infinity = true};
    EXPECT_NEAR(residual(goal, Pose{}), tiny, 1e-3 * tiny);
  }
}

TEST(AimResidual, OfAnEyeOnItsTargetIsTheLargest) {
  const Aim goal{.point_in_joint = Vec3(0, 1, 0), .target = Vec3(0, 1, 0)};
  EXPECT_EQ(wanted_direction(goal, Pose{}), Vec3::Zero());
  EXPECT_NEAR(residual(goal, Pose{}), pi, 1e-15);
}

// ---- The residuals' Jacobians ------------------------------------------------------------------

Goal random_goal(Random& random, int kind, JointId joint, const Pose& now, Real off) {
  // A target that the joint misses by about `off`.
  const Vec3 axis = random.direction(), point = random.vector(0.5);
  const Quat nearly = exp(off * random.direction()) * now.q;
  switch (kind) {
    case 0:
      return Reach{.joint = joint, .point_in_joint = point, .target = random.vector(2)};
    case 1:
      return Orient{
          .joint = joint, .target = nearly, .symmetric = random.chance(0.5), .symmetry_axis = axis};
    case 2:
      return Aim{.joint = joint,
                 .axis_in_joint = axis,
                 .point_in_joint = point,
                 .target = now * point + random.uniform(0.5, 3) * (nearly * axis)};
    default:
      return Aim{
          .joint = joint, .axis_in_joint = axis, .target = nearly * axis, .at_infinity = true};
  }
}

/// The largest difference between the analytic Jacobian and central differences of the residual, in
/// units of the cube of how many radians (or metres) one unit of v can do: the differences' own
/// error grows so, and a long arm that aims at a near target does many.
Real jacobian_error(Random& random, const Skeleton& skeleton, int kind, Real off) {
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Pose> world = poses(skeleton, q);
  const JointId joint = random.index(skeleton.joint_count());
  const Goal goal = random_goal(random, kind, joint, world[joint], off);
  const int n = skeleton.v_size();
  Jacobian work(6, n);
  ResidualJacobian fast = ResidualJacobian::Constant(3, n, 99);
  residual_jacobian(goal, skeleton, world, work, fast);

  const Real step = 1e-5;
  std::vector<Real> v(static_cast<std::size_t>(n)), moved(q.size());
  Real worst = 0;
  for (int k = 0; k < n; ++k) {
    Vec3 side[2];
    for (const int s : {0, 1}) {
      v[k] = s ? step : -step;
      integrate(skeleton, q, v, moved);
      side[s] = residual_vector(goal, poses(skeleton, moved)[joint]);
    }
    v[k] = 0;
    const Vec3 slow = -(side[1] - side[0]) / (2 * step);
    worst = std::max(worst, (fast.col(k) - slow).norm());
  }
  const Real nearest_target = 0.5;  // of random_goal
  const Real size = n > 0 ? std::max(1.0, work.colwise().norm().maxCoeff() / nearest_target) : 1;
  return worst / (size * size * size);
}

RC_GTEST_PROP(ResidualJacobianOf, AReachIsExact, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  RC_ASSERT(jacobian_error(random, skeleton, 0, 0) < 2e-9);
}

RC_GTEST_PROP(ResidualJacobianOf, OrientAndAimIsExactWhereTheGoalIsMet,
              (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  for (const int kind : {1, 2, 3}) RC_ASSERT(jacobian_error(random, skeleton, kind, 0) < 1e-9);
}

/// The largest difference between J^T residual and central differences of residual^2 / 2, in the
/// units of jacobian_error.
Real descent_error(Random& random, const Skeleton& skeleton, int kind, Real off) {
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Pose> world = poses(skeleton, q);
  const JointId joint = random.index(skeleton.joint_count());
  const Goal goal = random_goal(random, kind, joint, world[joint], off);
  const int n = skeleton.v_size();
  Jacobian work(6, n);
  ResidualJacobian rows(3, n);
  residual_jacobian(goal, skeleton, world, work, rows);
  const Eigen::VectorXd fast = rows.transpose() * residual_vector(goal, world[joint]);

  const Real step = 1e-5;
  std::vector<Real> v(static_cast<std::size_t>(n)), moved(q.size());
  const auto half_square = [&](int k, Real by) {
    v[k] = by;
    integrate(skeleton, q, v, moved);
    v[k] = 0;
    const Real r = residual(goal, poses(skeleton, moved)[joint]);
    return r * r / 2;
  };
  Real worst = 0;
  for (int k = 0; k < n; ++k)
    worst = std::max(
        worst, std::abs(fast[k] + (half_square(k, step) - half_square(k, -step)) / (2 * step)));
  const Real nearest_target = 0.5;
  const Real size = n > 0 ? std::max(1.0, work.colwise().norm().maxCoeff() / nearest_target) : 1;
  return worst / (size * size * size);
}

RC_GTEST_PROP(ResidualJacobianOf, EveryGoalGivesTheGradientAnywhere, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const Real off = random.uniform(0.01, 2.5);
  for (const int kind : {0, 1, 2, 3}) RC_ASSERT(descent_error(random, skeleton, kind, off) < 1e-7);
}

TEST(ResidualJacobianOf, AnEyeOnItsTargetIsFinite) {
  Random random(5);
  const Skeleton skeleton = random_skeleton(random, 10);
  const std::vector<Pose> world = poses(skeleton, skeleton.neutral());
  const Goal goal = Aim{.joint = 9, .target = world[9].p};
  Jacobian work(6, skeleton.v_size());
  ResidualJacobian out(3, skeleton.v_size());
  residual_jacobian(goal, skeleton, world, work, out);
  EXPECT_TRUE(out.allFinite());
}

// ---- All goals together ------------------------------------------------------------------------

TEST(AllMet, MeansEveryGoalWithinItsOwnTolerance) {
  const std::vector<Pose> world{Pose{}, at(axis_angle(Vec3::UnitX(), 0.1), Vec3(0, 0, 0.5))};
  std::vector<Goal> goals{
      Reach{.joint = 1, .target = Vec3(0, 0, 0.75), .weight = 2, .tolerance = 0.25},
      Orient{.joint = 1, .weight = 5, .tolerance = 0.101},
      Aim{.joint = 0, .target = Vec3(0, 9, 0), .tolerance = 0},
  };
  EXPECT_TRUE(all_met(goals, world));
  EXPECT_EQ(goal_error(goals, world), 0);
  std::get<Orient>(goals[1]).tolerance = 0.09;
  EXPECT_FALSE(all_met(goals, world));
  EXPECT_NEAR(goal_error(goals, world), std::sqrt(5.0) * 0.01, 1e-15);
  std::get<Orient>(goals[1]).tolerance = 0.101;
  std::get<Reach>(goals[0]).tolerance = 0.2499999;
  EXPECT_FALSE(all_met(goals, world));
}

TEST(AllMet, FailsWithTheErrorHoweverSmallItsSquareIs) {
  const std::vector<Pose> world{Pose{}};
  const std::vector<Goal> goals{
      Reach{.joint = 0, .target = Vec3(1e-155, 0, 0), .weight = 1e-30, .tolerance = 0}};
  EXPECT_FALSE(all_met(goals, world));
  EXPECT_GT(goal_error(goals, world), 0);
}

TEST(AllMet, OfNoGoalsIsTrueAndOfNaNIsFalse) {
  EXPECT_TRUE(all_met({}, {}));
  EXPECT_EQ(goal_error({}, {}), 0);
  const std::vector<Pose> world{at(Quat::Identity(), Vec3(std::nan(""), 0, 0))};
  const std::vector<Goal> goals{Reach{.tolerance = 1e9}};
  EXPECT_FALSE(all_met(goals, world));
  EXPECT_NE(goal_error(goals, world), 0);
}

}  // namespace
}  // namespace gestik
