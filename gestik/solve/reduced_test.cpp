#include "gestik/solve/reduced.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "gestik/solve/bodies_for_test.h"

namespace gestik {
namespace {

using namespace test;

Goal random_goal(const Skeleton& skeleton, Random& random) {
  const JointId joint = random.index(skeleton.joint_count());
  switch (random.index(3)) {
    case 0:
      return Reach{.joint = joint, .point_in_joint = random.vector(1), .target = random.vector(1)};
    case 1:
      return Orient{.joint = joint,
                    .target = random.rotation(),
                    .symmetric = random.chance(0.5),
                    .symmetry_axis = random.direction()};
    default:
      return Aim{.joint = joint,
                 .axis_in_joint = random.direction(),
                 .point_in_joint = random.vector(1),
                 .target = random.vector(3)};
  }
}

/// A random tree with some joints held, and goals on it.
struct ReducedCase {
  Skeleton skeleton;
  std::vector<Real> seed;
  std::vector<std::uint8_t> held;
  std::vector<Goal> goals;

  explicit ReducedCase(Random& random, int joints)
      : skeleton(random_skeleton(random, joints)), seed(random_q_inside(random, skeleton)) {
    for (int j = 0; j < joints; ++j) held.push_back(random.chance(0.3));
    for (int g = 0; g < 4; ++g) goals.push_back(random_goal(skeleton, random));
  }
  Problem problem() const {
    return {.skeleton = skeleton, .goals = goals, .seed = seed, .held = held};
  }
};

RC_GTEST_PROP(Reduced, SeesTheGoalsAsTheWholeSkeletonDoes, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const ReducedCase c(random, seed.joints);
  Scratch scratch(reduced_bytes(c.skeleton, c.goals.size()));
  const Problem problem = c.problem();
  const Reduced reduced = reduce(problem, scratch);

  // Any pose of what moves, the rest as in the seed.
  std::vector<Real> whole = random_q_outside(random, c.skeleton);
  for (JointId j = 0; j < c.skeleton.joint_count(); ++j)
    if (!may_move(problem, j))
      std::copy_n(c.seed.data() + c.skeleton.q_offset(j), q_size(c.skeleton.type(j)),
                  whole.data() + c.skeleton.q_offset(j));
  std::vector<Real> part(static_cast<std::size_t>(reduced.q_size));
  gather(reduced, c.skeleton, whole, part);
  std::vector<Real> back = whole;
  scatter(reduced, c.skeleton, part, back);
  RC_ASSERT(same_bits(back, whole));

  const std::vector<Pose> world = poses(c.skeleton, whole);
  std::vector<Pose> own(reduced.joints.size());
  forward(reduced.joints, part, own);
  for (std::size_t k = 0; k < own.size(); ++k) {
    const Pose& same = world[reduced.source[k]];
    RC_ASSERT((own[k].p - same.p).norm() < 1e-9);
    RC_ASSERT(angle_between(own[k].q, same.q) < 1e-9);
    RC_ASSERT(may_move(problem, reduced.source[k]));
  }
  const Real error = goal_error(c.goals, world);
  const Real movable = goal_error(reduced.goals, own);
  RC_ASSERT(std::abs(std::sqrt(movable * movable + reduced.unmovable) - error) < 1e-6);
}

TEST(Reduced, AnArmOfATreeIsAChainOfItsOwnJoints) {
  const Skeleton tree = mixed_tree();
  const std::vector<Goal> goals{Reach{.joint = tree.find("left_hand")}};
  Scratch scratch(reduced_bytes(tree, 1));
  const Reduced arm = reduce({.skeleton = tree, .goals = goals, .seed = tree.neutral()}, scratch);
  std::vector<std::string> names;
  for (const JointId j : arm.source) names.push_back(tree.name(j));
  EXPECT_EQ(names, (std::vector<std::string>{"lift", "spine", "left_shoulder", "left_elbow",
                                             "left_twist"}));
  EXPECT_EQ(arm.v_size, 9);
  EXPECT_EQ(arm.q_size, 11);
}

}  // namespace
}  // namespace gestik
