#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "gestik/math/rotation.h"
#include "gestik/solve/run.h"

// How the time of one ERIK solve grows with the number of hinges; the closing lines fit the
// exponent.

namespace gestik {
namespace {

/// Hinges about Y X Z X, repeated, unit segments along +Y, limits of 90 degrees.
Skeleton chain_of(int hinges) {
  const Vec3 axes[] = {Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitZ(), Vec3::UnitX()};
  SkeletonDraft draft;
  for (int i = 0; i < hinges; ++i)
    draft.joints.push_back({.name = std::to_string(i),
                            .parent = i == 0 ? "" : std::to_string(i - 1),
                            .type = JointType::hinge,
                            .parent_from_joint = {Quat::Identity(), Vec3::UnitY()},
                            .axis = axes[i % 4],
                            .limits = {.lo = -pi / 2, .hi = pi / 2}});
  return std::move(*build(draft));
}

struct Task {
  std::vector<Real> posture;
  Goal goal;
};

/// Spread over the limits and over all orientations by irrational steps: the same for every run.
std::vector<Task> tasks_for(const Skeleton& skeleton) {
  constexpr int count = 256;
  const auto share = [](int i, Real step) { return i * step - std::floor(i * step); };
  std::vector<Task> tasks;
  for (int i = 1; i <= count; ++i) {
    Task task;
    for (int k = 0; k < skeleton.q_size(); ++k)
      task.posture.push_back(0.8 * pi * (share(i, std::sqrt(k + 2.0)) - 0.5));
    const Quat target = axis_angle(Vec3::UnitY(), 2 * pi * share(i, std::sqrt(2.0))) *
                        axis_angle(Vec3::UnitX(), 2 * pi * share(i, std::sqrt(3.0))) *
                        axis_angle(Vec3::UnitY(), 2 * pi * share(i, std::sqrt(5.0)));
    task.goal = Orient{.joint = skeleton.joint_count() - 1, .target = target, .symmetric = true};
    tasks.push_back(std::move(task));
  }
  return tasks;
}

void erik_growth(benchmark::State& state) {
  const Skeleton skeleton = chain_of(static_cast<int>(state.range(0)));
  const std::vector<Task> tasks = tasks_for(skeleton);
  const AnySolver solver = Erik{};
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (auto _ : state)
    for (const Task& task : tasks)
      benchmark::DoNotOptimize(
          run(solver,
              {.skeleton = skeleton, .goals = {&task.goal, 1}, .intent = {.posture = task.posture}},
              scratch, q));
}
BENCHMARK(erik_growth)->Name("erik_growth")->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Arg(64);

}  // namespace
}  // namespace gestik
