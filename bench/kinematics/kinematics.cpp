#include <benchmark/benchmark.h>

#include "bench/kinematics/arm_poses.h"
#include "gestik/model/kinematics.h"

// Forward kinematics and Jacobian of the iiwa 14: the poses of all joints.

namespace gestik::bench {
namespace {

void forward_gestik(benchmark::State& state) {
  ArmPoses poses;
  std::vector<Pose> world_from_joint(static_cast<std::size_t>(poses.arm().joint_count()));
  for (auto _ : state) {
    forward(poses.arm(), poses.next(), world_from_joint);
    benchmark::DoNotOptimize(world_from_joint.data());
    benchmark::ClobberMemory();
  }
}

void jacobian_gestik(benchmark::State& state) {
  ArmPoses poses;
  std::vector<Pose> world_from_joint(static_cast<std::size_t>(poses.arm().joint_count()));
  Jacobian out(6, poses.arm().v_size());
  for (auto _ : state) {
    forward(poses.arm(), poses.next(), world_from_joint);
    jacobian(poses.arm(), world_from_joint, poses.flange(), world_from_joint[poses.flange()].p,
             out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(forward_gestik)->Name("forward/gestik");
BENCHMARK(jacobian_gestik)->Name("jacobian/gestik");

}  // namespace
}  // namespace gestik::bench
