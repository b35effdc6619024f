#include "bench/contender.h"

#include <memory>

namespace gestik::bench {

std::optional<Contender> enter(const evaluation::NamedSolver& named, const Scene& scene) {
  const Task& first = scene.tasks.front();
  const auto scratch =
      std::make_shared<Scratch>(scratch_bytes(named.solver, scene.skeleton, first.goals.size()));
  const auto solve = [&skeleton = scene.skeleton, solver = named.solver, scratch](
                         const Task& task, ConstQ seed, Q out) {
    return run(solver,
               {.skeleton = skeleton,
                .goals = task.goals,
                .intent = {.posture = task.posture},
                .seed = seed},
               *scratch, out);
  };
  std::vector<Real> q(first.seed.size());
  if (solve(first, first.seed, q).status == Status::unsupported) return std::nullopt;
  return Contender{.name = named.name, .solve = [solve](const Task& task, ConstQ seed, Q out) {
                     const Report report = solve(task, seed, out);
                     return Effort{report.iterations, report.passes};
                   }};
}

}  // namespace gestik::bench
