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

constexpr int configurations = 64;

/// Spread over the limits, the same every time.
std::vector<std::vector<Real>> spread_poses(const Skeleton& skeleton) {
  std::vector<std::vector<Real>> poses(configurations);
  for (int i = 0; i < configurations; ++i) {
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      if (skeleton.type(j) != JointType::hinge) continue;
      const Real step = 0.618033988749895 * (j + 1) * (i + 1);
      const Real share = step - static_cast<int>(step);
      const Limits& limits = skeleton.limits(j);
      poses[i].push_back(limits.lo + share * (limits.hi - limits.lo));
    }
  }
  return poses;
}

struct Ours {
  Skeleton skeleton = iiwa14();
  std::vector<std::vector<Real>> q = spread_poses(skeleton);
  std::vector<Pose> world_from_joint{static_cast<std::size_t>(skeleton.joint_count())};
  JointId flange = skeleton.joint_count() - 1;
};

struct Theirs {
  Ours same;
  KDL::Chain chain = kdl_chain(same.skeleton, same.flange);
  std::vector<KDL::JntArray> q;
  Theirs() {
    for (const std::vector<Real>& values : same.q) {
      KDL::JntArray array(static_cast<unsigned>(values.size()));
      for (unsigned k = 0; k < values.size(); ++k) array(k) = values[k];
      q.push_back(array);
    }
  }
};

void forward_gestik(benchmark::State& state) {
  Ours ours;
  int i = 0;
  for (auto _ : state) {
    forward(ours.skeleton, ours.q[i++ % configurations], ours.world_from_joint);
    benchmark::DoNotOptimize(ours.world_from_joint.data());
    benchmark::ClobberMemory();
  }
}

void forward_kdl(benchmark::State& state) {
  Theirs theirs;
  KDL::ChainFkSolverPos_recursive solver(theirs.chain);
  KDL::Frame flange;
  int i = 0;
  for (auto _ : state) {
    solver.JntToCart(theirs.q[i++ % configurations], flange);
    benchmark::DoNotOptimize(flange);
  }
}

void jacobian_gestik(benchmark::State& state) {
  Ours ours;
  Jacobian out(6, ours.skeleton.v_size());
  int i = 0;
  for (auto _ : state) {
    forward(ours.skeleton, ours.q[i++ % configurations], ours.world_from_joint);
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
  int i = 0;
  for (auto _ : state) {
    solver.JntToJac(theirs.q[i++ % configurations], out);
    benchmark::DoNotOptimize(out.data.data());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(forward_gestik);
BENCHMARK(forward_kdl);
BENCHMARK(jacobian_gestik);
BENCHMARK(jacobian_kdl);

}  // namespace

BENCHMARK_MAIN();
