#include <benchmark/benchmark.h>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "bench/kinematics/arm_poses.h"
#include "bench/kinematics/limb_tasks.h"
#include "bench/peers/kdl_chain.h"

// Orocos KDL on the same poses in the same run. It gives the pose of the flange only.

namespace gestik::bench {
namespace {

class KdlPoses {
 public:
  KdlPoses() {
    for (const std::vector<Real>& q : ours_.all()) {
      angles_.emplace_back(chain_.joint_count());
      chain_.to_angles(q, angles_.back());
    }
  }

  const KDL::Chain& chain() const { return chain_.chain(); }
  const KDL::JntArray& next() { return angles_[next_++ % angles_.size()]; }

 private:
  ArmPoses ours_;
  KdlChain chain_{ours_.arm(), ours_.flange(), Vec3::Zero()};
  std::vector<KDL::JntArray> angles_;
  std::size_t next_ = 0;
};

void forward_kdl(benchmark::State& state) {
  KdlPoses poses;
  KDL::ChainFkSolverPos_recursive solver(poses.chain());
  KDL::Frame flange;
  for (auto _ : state) {
    solver.JntToCart(poses.next(), flange);
    benchmark::DoNotOptimize(flange);
  }
}

void jacobian_kdl(benchmark::State& state) {
  KdlPoses poses;
  KDL::ChainJntToJacSolver solver(poses.chain());
  KDL::Jacobian out(poses.chain().getNrOfJoints());
  for (auto _ : state) {
    solver.JntToJac(poses.next(), out);
    benchmark::DoNotOptimize(out.data.data());
    benchmark::ClobberMemory();
  }
}

/// The robot's poses again, each from the one before; once, without a look at limits.
void lma_kdl(benchmark::State& state) {
  LimbTasks tasks(robot_alone());
  const KdlChain chain(tasks.body(), tasks.limb().joint, Vec3::Zero());
  KDL::ChainIkSolverPos_LMA solver(chain.chain(), Eigen::Matrix<double, 6, 1>::Ones(), 1e-6);
  KDL::JntArray seed(chain.joint_count()), found(chain.joint_count());
  int failed = 0, all = 0;
  for (auto _ : state) {
    const LimbTask& task = tasks.next();
    chain.to_angles(tasks.before(), seed);
    failed += solver.CartToJnt(seed, kdl_frame({task.orient.target, task.reach.target}), found) < 0;
    ++all;
    benchmark::DoNotOptimize(found.data.data());
  }
  state.counters["failed"] = static_cast<double>(failed) / all;
}

BENCHMARK(forward_kdl)->Name("forward/kdl");
BENCHMARK(jacobian_kdl)->Name("jacobian/kdl");
BENCHMARK(lma_kdl)->Name("robot/kdl_lma");

}  // namespace
}  // namespace gestik::bench
