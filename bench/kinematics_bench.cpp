#include <benchmark/benchmark.h>

#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <vector>

#include "bench/iiwa14.h"
#include "bench/kdl_chain.h"
#include "gestik/model/kinematics.h"

// Forward kinematics and Jacobian of the iiwa 14, ours and Orocos KDL's on the same configurations
// in the same run. Ours gives the poses of all joints, KDL's that of the flange.

namespace {

using namespace gestik;

/// Our side of a comparison.
struct Ours {
  Skeleton skeleton = iiwa14();
  std::vector<std::vector<Real>> q = spread_poses(skeleton, 64);
  std::vector<Pose> world_from_joint{static_cast<std::size_t>(skeleton.joint_count())};
  JointId flange = skeleton.joint_count() - 1;
  std::size_t next = 0;

  const std::vector<Real>& next_q() { return q[next++ % q.size()]; }
};

/// KDL's side, on the same configurations.
struct Theirs {
  KDL::Chain chain;
  std::vector<KDL::JntArray> q;
  std::size_t next = 0;

  Theirs() {
    const Ours ours;
    chain = kdl_chain(ours.skeleton, ours.flange);
    for (const std::vector<Real>& values : ours.q) q.push_back(kdl_array(values));
  }
  const KDL::JntArray& next_q() { return q[next++ % q.size()]; }
};

void forward_gestik(benchmark::State& state) {
  Ours ours;
  for (auto _ : state) {
    forward(ours.skeleton, ours.next_q(), ours.world_from_joint);
    benchmark::DoNotOptimize(ours.world_from_joint.data());
    benchmark::ClobberMemory();
  }
}

void forward_kdl(benchmark::State& state) {
  Theirs theirs;
  KDL::ChainFkSolverPos_recursive solver(theirs.chain);
  KDL::Frame flange;
  for (auto _ : state) {
    solver.JntToCart(theirs.next_q(), flange);
    benchmark::DoNotOptimize(flange);
  }
}

void jacobian_gestik(benchmark::State& state) {
  Ours ours;
  Jacobian out(6, ours.skeleton.v_size());
  for (auto _ : state) {
    forward(ours.skeleton, ours.next_q(), ours.world_from_joint);
    jacobian(ours.skeleton, ours.world_from_joint, ours.flange,
             ours.world_from_joint[ours.flange].p, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

void jacobian_kdl(benchmark::State& state) {
  Theirs theirs;
  KDL::ChainJntToJacSolver solver(theirs.chain);
  KDL::Jacobian out(theirs.chain.getNrOfJoints());
  for (auto _ : state) {
    solver.JntToJac(theirs.next_q(), out);
    benchmark::DoNotOptimize(out.data.data());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(forward_gestik)->Name("forward/gestik");
BENCHMARK(forward_kdl)->Name("forward/kdl");
BENCHMARK(jacobian_gestik)->Name("jacobian/gestik");
BENCHMARK(jacobian_kdl)->Name("jacobian/kdl");

}  // namespace
