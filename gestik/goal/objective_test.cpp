#include "gestik/goal/objective.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

std::vector<Goal> random_goals(Random& random, const Skeleton& skeleton) {
  std::vector<Goal> goals;
  const auto joint = [&] { return random.index(skeleton.joint_count()); };
  const auto weight = [&] { return random.uniform(0.1, 3); };
  for (int i = 0; i < 3; ++i) {
    goals.push_back(Reach{.joint = joint(),
                          .point_in_joint = random.direction(),
                          .target = 5 * random.direction(),
                          .weight = weight()});
    goals.push_back(Orient{.joint = joint(),
                           .target = exp(random.uniform(0, 3) * random.direction()),
                           .weight = weight()});
    goals.push_back(Aim{.joint = joint(),
                        .axis_in_joint = random.direction(),
                        .point_in_joint = random.direction(),
                        .target = 50 * random.direction(),
                        .weight = weight()});
    goals.push_back(Aim{.joint = joint(),
                        .axis_in_joint = random.direction(),
                        .target = random.direction(),
                        .at_infinity = true,
                        .weight = weight()});
  }
  return goals;
}

// residual_jacobian is checked against differences in goal_test; here the stacked and the linear
// form must say the same.
RC_GTEST_PROP(Objective, DescentIsTheStackedJacobianTimesTheResidual, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Pose> world = poses(skeleton, random_q_inside(random, skeleton));
  const std::vector<Goal> goals = random_goals(random, skeleton);
  const Eigen::Index rows = 3 * static_cast<Eigen::Index>(goals.size());

  Vector r(rows);
  Matrix j(rows, skeleton.v_size());
  Jacobian work(6, skeleton.v_size());
  stacked_residual(goals, world, r);
  stacked_jacobian(goals, skeleton, world, work, j);
  RC_ASSERT(std::abs(r.squaredNorm() / 2 - objective(goals, world)) <=
            1e-12 * (1 + r.squaredNorm()));

  std::vector<Wrench> wrenches(static_cast<std::size_t>(skeleton.joint_count()));
  Vector descent(skeleton.v_size());
  steepest_descent(goals, skeleton, world, wrenches,
                   {descent.data(), static_cast<std::size_t>(descent.size())});
  const Vector expected = j.transpose() * r;
  RC_ASSERT((descent - expected).norm() <= 1e-11 * (1 + j.norm() * r.norm()));
}

}  // namespace
}  // namespace gestik
