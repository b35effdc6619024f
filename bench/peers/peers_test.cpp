#include <gtest/gtest.h>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "bench/iiwa14.h"
#include "bench/peers/kdl_chain.h"
#include "bench/peers/peers.h"
#include "evaluation/draw.h"
#include "gestik/model/kinematics.h"

// What is compared must be the same thing.

namespace gestik::bench {
namespace {

const SceneKind& kind_of_scene(std::string_view name) {
  return *std::find_if(all_scenes().begin(), all_scenes().end(),
                       [&](const SceneKind& kind) { return kind.name == name; });
}

TEST(Kdl, AgreesOnPosesAndJacobians) {
  const Skeleton arm = iiwa14();
  const JointId flange = arm.joint_count() - 1;
  const KdlChain chain(arm, flange, Vec3::Zero());
  KDL::ChainFkSolverPos_recursive forward_solver(chain.chain());
  KDL::ChainJntToJacSolver jacobian_solver(chain.chain());
  Jacobian ours(6, arm.v_size());
  KDL::JntArray angles(chain.joint_count());
  evaluation::Draw draw(1);
  for (int i = 0; i < 500; ++i) {
    const std::vector<Real> q = draw.pose(arm);
    const std::vector<Pose> world = poses(arm, q);
    jacobian(arm, world, flange, world[flange].p, ours);

    chain.to_angles(q, angles);
    KDL::Frame frame;
    KDL::Jacobian theirs(chain.joint_count());
    ASSERT_EQ(forward_solver.JntToCart(angles, frame), 0);
    ASSERT_EQ(jacobian_solver.JntToJac(angles, theirs), 0);
    const Mat3 rotation = world[flange].q.toRotationMatrix();
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(world[flange].p[r], frame.p[r], 1e-13);
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(rotation(r, c), frame.M(r, c), 1e-13);
    }
    EXPECT_LT((ours - theirs.data).cwiseAbs().maxCoeff(), 1e-13);
  }
}

TEST(Kdl, TurnsBallsIntoThreeHingesAndBack) {
  const Scene scene = make_scene(kind_of_scene("ball_chain"), 6);
  const Reach& goal = std::get<Reach>(scene.tasks.front().goals.front());
  const KdlChain chain(scene.skeleton, goal.joint, goal.point_in_joint);
  EXPECT_EQ(chain.joint_count(), 18u);
  KDL::ChainFkSolverPos_recursive forward_solver(chain.chain());
  KDL::JntArray angles(chain.joint_count());
  evaluation::Draw draw(2);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> q = draw.pose(scene.skeleton);
    chain.to_angles(q, angles);
    KDL::Frame tip;
    ASSERT_EQ(forward_solver.JntToCart(angles, tip), 0);
    std::vector<Real> back(q.size());
    chain.from_angles(angles, back);
    for (const std::vector<Real>& pose : {q, back}) {
      const Vec3 ours = poses(scene.skeleton, pose)[goal.joint] * goal.point_in_joint;
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(ours[k], tip.p[k], 1e-12);
    }
  }
}

/// Peers that fit a scene solve most of it, inside the limits, the same way every time.
TEST(Peers, SolveTheScenesTheyFit) {
  const std::vector<std::pair<std::string_view, int>> scenes{
      {"robot_pose", 0}, {"robot_near", 0}, {"orient_C", 0}, {"hinge_chain", 6}, {"ball_chain", 5}};
  for (const Peer& peer : all_peers()) {
    int entered = 0;
    for (const auto& [name, size] : scenes) {
      SCOPED_TRACE(std::string(peer.name) + " on " + std::string(name));
      const Scene scene = make_scene(kind_of_scene(name), size);
      const std::optional<Contender> contender = peer.enter(scene);
      if (!contender) continue;
      ++entered;
      EXPECT_EQ(contender->name, peer.name);
      constexpr int tasks = 20;
      int solved = 0;
      for (int i = 0; i < tasks; ++i) {
        const Task& task = scene.tasks[i];
        std::vector<Real> q(task.seed.size()), again(task.seed.size());
        (void)contender->solve(task, task.seed, q);
        (void)contender->solve(task, task.seed, again);
        EXPECT_EQ(q, again);
        solved += inside_limits(scene.skeleton, q) && all_met(task.goals, poses(scene.skeleton, q));
      }
      EXPECT_GE(solved, tasks * 8 / 10);
    }
    EXPECT_GT(entered, 0) << peer.name;
  }
}

TEST(Peers, StayAwayFromWhatTheyCantDo) {
  const Scene lamp = make_scene(kind_of_scene("lamp_aim"), 0);
  const Scene body = make_scene(kind_of_scene("humanoid"), 0);
  for (const Peer& peer : all_peers()) {
    EXPECT_FALSE(peer.enter(lamp)) << peer.name;
    EXPECT_FALSE(peer.enter(body)) << peer.name;
  }
}

}  // namespace
}  // namespace gestik::bench
