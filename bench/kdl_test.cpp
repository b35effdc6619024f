#include <gtest/gtest.h>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "bench/iiwa14.h"
#include "bench/kdl_chain.h"
#include "gestik/model/kinematics.h"

// Orocos KDL as a second opinion: what the benchmark compares must be the same thing.

namespace gestik {
namespace {

TEST(Kdl, AgreesOnPosesAndJacobians) {
  const Skeleton arm = iiwa14();
  const JointId flange = arm.joint_count() - 1;
  const KDL::Chain chain = kdl_chain(arm, flange);
  KDL::ChainFkSolverPos_recursive forward_solver(chain);
  KDL::ChainJntToJacSolver jacobian_solver(chain);
  std::vector<Pose> poses(static_cast<std::size_t>(arm.joint_count()));
  Jacobian ours(6, arm.v_size());
  for (const std::vector<Real>& q : spread_poses(arm, 500)) {
    forward(arm, q, poses);
    jacobian(arm, poses, flange, poses[flange].p, ours);

    const KDL::JntArray array = kdl_array(q);
    KDL::Frame frame;
    KDL::Jacobian theirs(chain.getNrOfJoints());
    ASSERT_EQ(forward_solver.JntToCart(array, frame), 0);
    ASSERT_EQ(jacobian_solver.JntToJac(array, theirs), 0);
    const Mat3 rotation = poses[flange].q.toRotationMatrix();
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(poses[flange].p[i], frame.p[i], 1e-13);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(rotation(i, k), frame.M(i, k), 1e-13);
    }
    EXPECT_LT((ours - theirs.data).cwiseAbs().maxCoeff(), 1e-13);
  }
}

}  // namespace
}  // namespace gestik
