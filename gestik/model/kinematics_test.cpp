#include "gestik/model/kinematics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

using Mat4 = Eigen::Matrix<Real, 4, 4>;

Mat4 matrix_of(const Pose& pose) {
  Mat4 m = Mat4::Identity();
  m.topLeftCorner<3, 3>() = pose.q.normalized().toRotationMatrix();
  m.topRightCorner<3, 1>() = pose.p;
  return m;
}

/// Forward kinematics as a textbook has it: walk up the parents and multiply 4x4 matrices.
Mat4 slow_forward(const Skeleton& skeleton, ConstQ q, JointId j) {
  Mat4 world = Mat4::Identity();
  for (; j != no_joint; j = skeleton.parent(j))
    world = (matrix_of(skeleton.parent_from_joint(j)) *
             matrix_of(joint_motion(skeleton, j, q.data() + skeleton.q_offset(j))) * world)
                .eval();
  return world;
}

RC_GTEST_PROP(Forward, AgreesWithMatricesAndStaysUnit, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Pose> world = poses(skeleton, q);
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    RC_ASSERT((matrix_of(world[j]) - slow_forward(skeleton, q, j)).cwiseAbs().maxCoeff() < 5e-13);
    RC_ASSERT(std::abs(world[j].q.norm() - 1) < 2e-14);
  }
}

TEST(Forward, OfAPlanarArmIsSchoolGeometry) {
  SkeletonDraft draft;
  for (int i = 0; i < 3; ++i) {
    JointDraft joint;
    joint.name = numbered("j", i);
    if (i > 0) joint.parent = numbered("j", i - 1);
    if (i > 0) joint.parent_from_joint.p = Vec3(1, 0, 0);
    joint.type = JointType::hinge;
    joint.axis = Vec3::UnitZ();
    draft.joints.push_back(joint);
  }
  const Skeleton skeleton = *build(draft);
  const Real a = 0.3, b = -1.1, c = 0.5;
  const std::vector<Real> q{a, b, c};
  const Vec3 tip = poses(skeleton, q)[2] * Vec3(1, 0, 0);
  EXPECT_NEAR(tip.x(), std::cos(a) + std::cos(a + b) + std::cos(a + b + c), 1e-15);
  EXPECT_NEAR(tip.y(), std::sin(a) + std::sin(a + b) + std::sin(a + b + c), 1e-15);
  EXPECT_EQ(tip.z(), 0);
}

TEST(Forward, ChainsLongerThanABlockKeepCountOfTheirHinges) {
  // Blocks of 32 joints share one batch of sines: mix types so that hinges and joints differ.
  Random random(3);
  for (const int joints : {31, 32, 33, 63, 64, 65, 200}) {
    const Skeleton skeleton = random_skeleton(random, joints);
    const std::vector<Real> q = random_q_outside(random, skeleton);
    const std::vector<Pose> world = poses(skeleton, q);
    for (JointId j = 0; j < joints; ++j)
      ASSERT_LT((matrix_of(world[j]) - slow_forward(skeleton, q, j)).cwiseAbs().maxCoeff(), 1e-11);
  }
}

// ---- Jacobian ----------------------------------------------------------------------------------

RC_GTEST_PROP(Forward, OfTheNeededJointsGivesTheSameBitsAndLeavesTheOthers,
              (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  std::vector<std::uint8_t> needed(static_cast<std::size_t>(skeleton.joint_count()), 0);
  for (int n = 0; n < 3; ++n)
    for (JointId j = random.index(skeleton.joint_count()); j != no_joint; j = skeleton.parent(j))
      needed[j] = 1;
  const std::vector<Pose> all = poses(skeleton, q);
  const Pose mark{Quat(0, 1, 0, 0), Vec3(9, 9, 9)};
  std::vector<Pose> some(all.size(), mark);
  forward(skeleton.joints(), q, some, needed);
  for (std::size_t j = 0; j < all.size(); ++j)
    RC_ASSERT(same_bits(some[j], needed[j] ? all[j] : mark));
}

TEST(Forward, TakesAListWithSeveralRoots) {
  Random random(3);
  const Skeleton skeleton = random_skeleton(random, 12);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  std::vector<Skeleton::Joint> twice(skeleton.joints().begin(), skeleton.joints().end());
  const int count = skeleton.joint_count();
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    twice.push_back(joint);
    if (joint.parent != no_joint) twice.back().parent += count;
  }
  std::vector<Pose> world(twice.size());
  forward(twice, q, world);
  for (int j = 0; j < count; ++j) EXPECT_TRUE(same_bits(world[j], world[j + count])) << j;
}

/// Central differences through integrate() and forward(): rows as in jacobian().
Jacobian slow_jacobian(const Skeleton& skeleton, ConstQ q, JointId joint, const Vec3& in_joint) {
  const Real step = 1e-5;
  Jacobian out = Jacobian::Zero(6, skeleton.v_size());
  std::vector<Real> v(static_cast<std::size_t>(skeleton.v_size())), moved(q.size());
  const auto pose_at = [&](int k, Real by) {
    v[k] = by;
    integrate(skeleton, q, v, moved);
    v[k] = 0;
    return poses(skeleton, moved)[joint];
  };
  for (int k = 0; k < skeleton.v_size(); ++k) {
    const Pose ahead = pose_at(k, step), behind = pose_at(k, -step);
    out.col(k).head<3>() = (ahead * in_joint - behind * in_joint) / (2 * step);
    out.col(k).tail<3>() = log(ahead.q * behind.q.conjugate()) / (2 * step);
  }
  return out;
}

RC_GTEST_PROP(JacobianOf, APointAndAnOrientationAgreesWithFiniteDifferences,
              (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Pose> world = poses(skeleton, q);
  const JointId joint = random.index(skeleton.joint_count());
  const Vec3 in_joint = random.vector(1);
  Jacobian fast = Jacobian::Constant(6, skeleton.v_size(), 99);  // every column must be written
  jacobian(skeleton, world, joint, world[joint] * in_joint, fast);
  const Jacobian slow = slow_jacobian(skeleton, q, joint, in_joint);
  if (skeleton.v_size() > 0) RC_ASSERT((fast - slow).cwiseAbs().maxCoeff() < 1e-8);
}

RC_GTEST_PROP(JacobianOf, OthersThanAncestorsIsExactlyZero, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Pose> world = poses(skeleton, q);
  const JointId joint = random.index(skeleton.joint_count());
  Jacobian out = Jacobian::Constant(6, skeleton.v_size(), 99);
  jacobian(skeleton, world, joint, random.vector(1), out);
  std::vector<bool> moves(static_cast<std::size_t>(skeleton.joint_count()), false);
  for (JointId j = joint; j != no_joint; j = skeleton.parent(j)) moves[j] = true;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    for (int k = 0; k < v_size(skeleton.type(j)); ++k) {
      const auto column = out.col(skeleton.v_offset(j) + k);
      if (moves[j])
        RC_ASSERT(!column.isZero(0));
      else
        RC_ASSERT(column.isZero(0));
    }
}

// How good it is, in figures: the largest difference over many skeletons goes to the test's report.
TEST(JacobianOf, ManySkeletonsStaysNearFiniteDifferences) {
  Random random(11);
  Real worst = 0;
  for (int i = 0; i < 300; ++i) {
    const Skeleton skeleton = random_skeleton(random, 1 + random.index(40));
    if (skeleton.v_size() == 0) continue;
    const std::vector<Real> q = random_q_outside(random, skeleton);
    const std::vector<Pose> world = poses(skeleton, q);
    const JointId joint = skeleton.joint_count() - 1;
    const Vec3 in_joint = random.vector(1);
    Jacobian fast(6, skeleton.v_size());
    jacobian(skeleton, world, joint, world[joint] * in_joint, fast);
    worst =
        std::max(worst, (fast - slow_jacobian(skeleton, q, joint, in_joint)).cwiseAbs().maxCoeff());
  }
  RecordProperty("worst_difference", std::to_string(worst * 1e9) + "e-9");
  EXPECT_LT(worst, 5e-9);
  EXPECT_GT(worst, 0);
}

}  // namespace
}  // namespace gestik
