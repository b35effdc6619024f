#include <benchmark/benchmark.h>

#include "bench/kinematics/limb_tasks.h"
#include "gestik/model/kinematics.h"

// The closed form of a limb beside one forward pass over the same joints, which stands first in
// each group as "gestik": an arm of balls and hinges and a robot's of seven hinges, by themselves.

namespace gestik::bench {
namespace {

using Body = Skeleton (*)();

void forward_pass(benchmark::State& state, Body body) {
  LimbTasks tasks(body());
  for (auto _ : state) {
    forward(tasks.body(), tasks.next().q, tasks.world());
    benchmark::DoNotOptimize(tasks.world().data());
    benchmark::ClobberMemory();
  }
}

void fixed_swivel(benchmark::State& state, Body body) {
  LimbTasks tasks(body());
  std::vector<Real> q(static_cast<std::size_t>(tasks.body().q_size()));
  for (auto _ : state) {
    const LimbTask& task = tasks.next();
    LimbAtTarget at(tasks.limb(), tasks.body(), tasks.before(), task.target, tasks.limb().lower);
    at.choose(0);
    const HalfTurn turn = half_turn(at.angle_of(task.swivel));
    Verdict verdict = at.verdict(turn);
    benchmark::DoNotOptimize(verdict);
    at.write(turn, q);
    benchmark::DoNotOptimize(q.data());
    benchmark::ClobberMemory();
  }
}

void thirty_tests(benchmark::State& state, Body body) {
  LimbTasks tasks(body());
  std::vector<Real> q(static_cast<std::size_t>(tasks.body().q_size()));
  for (auto _ : state) {
    const LimbTask& task = tasks.next();
    LimbAtTarget at(tasks.limb(), tasks.body(), tasks.before(), task.target, tasks.limb().lower);
    at.choose(0);
    HalfTurn turn = half_turn(at.angle_of(task.swivel));
    const HalfTurn step = half_turn(0.2);
    for (int i = 0; i < 30; ++i) {
      turn = turn * step;
      Verdict verdict = at.verdict(turn);
      benchmark::DoNotOptimize(verdict);
    }
    at.write(turn, q);
    benchmark::DoNotOptimize(q.data());
    benchmark::ClobberMemory();
  }
}

void two_bones(benchmark::State& state, Body body) {
  LimbTasks tasks(body());
  std::vector<Real> q(static_cast<std::size_t>(tasks.body().q_size()));
  for (auto _ : state) {
    two_bone(tasks.limb(), tasks.body(), tasks.next().target.place, Vec3(0.1, -1, 0.2),
             tasks.before(), q);
    benchmark::DoNotOptimize(q.data());
    benchmark::ClobberMemory();
  }
}

void whole_reach(benchmark::State& state, Body body) {
  LimbTasks tasks(body());
  std::vector<Real> q;
  Scratch scratch(reach_scratch_bytes(tasks.body()));
  for (auto _ : state) {
    const LimbTask& task = tasks.next();
    q = tasks.before();
    LimbReport report = reach_with_limb(tasks.limb(), tasks.body(), task.reach, &task.orient,
                                        {.preferred = task.swivel + 0.5}, {}, scratch, q);
    benchmark::DoNotOptimize(report);
    benchmark::ClobberMemory();
  }
}

BENCHMARK_CAPTURE(forward_pass, arm, arm_alone)->Name("arm/gestik");
BENCHMARK_CAPTURE(fixed_swivel, arm, arm_alone)->Name("arm/limb_fixed_swivel");
BENCHMARK_CAPTURE(thirty_tests, arm, arm_alone)->Name("arm/limb_30_tests");
BENCHMARK_CAPTURE(two_bones, arm, arm_alone)->Name("arm/limb_two_bone");
BENCHMARK_CAPTURE(whole_reach, arm, arm_alone)->Name("arm/limb_reach_with_search");
BENCHMARK_CAPTURE(forward_pass, robot, robot_alone)->Name("robot/gestik");
BENCHMARK_CAPTURE(fixed_swivel, robot, robot_alone)->Name("robot/limb_fixed_swivel");
BENCHMARK_CAPTURE(thirty_tests, robot, robot_alone)->Name("robot/limb_30_tests");
BENCHMARK_CAPTURE(two_bones, robot, robot_alone)->Name("robot/limb_two_bone");
BENCHMARK_CAPTURE(whole_reach, robot, robot_alone)->Name("robot/limb_reach_with_search");

}  // namespace
}  // namespace gestik::bench
