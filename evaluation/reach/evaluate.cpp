#include "evaluation/reach/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "evaluation/parallel.h"
#include "evaluation/progress.h"
#include "gestik/goal/at_frame.h"
#include "gestik/io/read.h"
#include "gestik/measure/statistics.h"

namespace gestik::evaluation::reach {
namespace {

Result<Frame> find_end(const Character& character, const std::optional<std::string>& name) {
  if (name) return find_frame(character, *name);
  if (character.ends.size() == 1) return character.ends.front();
  std::vector<std::string_view> names;
  for (const Frame& end : character.ends) names.push_back(end.name);
  return Error{
      names.empty()
          ? std::string("no link of it ends a chain; --end LINK says which one should reach")
          : fmt::format("{} links end a chain ({}); --end LINK says which one should reach",
                        names.size(), fmt::join(names, ", ")),
      fmt::format("'{}'", character.name)};
}

std::vector<std::string> able_solvers(const Skeleton& skeleton) {
  return solvers_that([&](const SolverInfo& info) {
    return info.reach && info.orient && info.many_goals && moves_joints_of(info, skeleton);
  });
}

/// Solves a plan's problems and measures what comes back. One for each thread.
class MeasuredSolve {
 public:
  explicit MeasuredSolve(const Plan& plan)
      : plan_(plan),
        scratch_(most_scratch(plan.solvers, plan.character.skeleton, goals)),
        q_(plan.problems.q_size),
        poses_(static_cast<std::size_t>(plan.character.skeleton.joint_count())) {}

  Timed run(const AnySolver& solver, std::size_t problem) {
    const Pose& target = plan_.problems.targets[problem];
    Reach place = gestik::reach(plan_.end, target.p);
    Orient turn = orient(plan_.end, target.q);
    place.tolerance = turn.tolerance = plan_.request.tolerance;
    const std::array<Goal, goals> wishes{place, turn};
    return timed_run(solver,
                     {.skeleton = plan_.character.skeleton,
                      .goals = wishes,
                      .seed = plan_.problems.seed(problem),
                      .budget = plan_.request.budget},
                     scratch_, q_);
  }

  Sample operator()(const AnySolver& solver, std::size_t problem) {
    const auto [report, microseconds] = run(solver, problem);
    forward(plan_.character.skeleton, q_, poses_);
    return {.status = report.status,
            .miss = miss_of(plan_.end, poses_, plan_.problems.targets[problem]),
            .inside_limits = inside_limits(plan_.character.skeleton, q_),
            .iterations = report.iterations,
            .passes = report.passes,
            .microseconds = microseconds};
  }

 private:
  static constexpr std::size_t goals = 2;

  const Plan& plan_;
  Scratch scratch_;
  std::vector<Real> q_;
  std::vector<Pose> poses_;
};

/// Whether every solver takes the robot and its first problem. One that was not asked for by name
/// and does not is left out: its info can't say which chains it takes.
std::optional<Error> try_out(Plan& plan) {
  MeasuredSolve solve(plan);
  std::vector<NamedSolver> able;
  for (const NamedSolver& named : plan.solvers) {
    const Report report = solve.run(named.solver, 0).report;
    const bool unsupported = report.status == Status::unsupported;
    if (report.status == Status::bad_problem || (unsupported && plan.request.solvers))
      return Error{std::string(to_string(report.fault)),
                   fmt::format("{} on '{}'", named.name, plan.character.name)};
    if (!unsupported) able.push_back(named);
  }
  plan.solvers = std::move(able);
  return std::nullopt;
}

std::string misplaced_text(const Plan& plan) {
  return fmt::format(
      "the joints given beside {} of {} targets do not take '{}' there: is it the right link?",
      plan.problems.misplaced, plan.problems.size(), plan.end.name);
}

}  // namespace

Result<Plan> make_plan(const Request& request) {
  Result<Loaded> loaded = read_character_file(request.robot);
  if (!loaded) return loaded.error();
  Plan plan{request, std::move(loaded->character), {}, {}, {}, std::move(loaded->warnings)};
  const Skeleton& skeleton = plan.character.skeleton;
  Result<Frame> end = find_end(plan.character, request.end);
  if (!end) return end.error();
  plan.end = *std::move(end);
  Result<Problems> problems = read_problems(request.problems, skeleton, plan.end);
  if (!problems) return problems.error();
  plan.problems = *std::move(problems);
  Result<std::vector<NamedSolver>> solvers =
      find_solvers(request.solvers ? *request.solvers : able_solvers(skeleton));
  if (!solvers) return solvers.error();
  plan.solvers = *std::move(solvers);
  if (std::optional<Error> refusal = try_out(plan)) return *std::move(refusal);
  if (plan.problems.misplaced > 0) plan.warnings.push_back(misplaced_text(plan));
  return plan;
}

Evaluated evaluate(const Plan& plan, const Control& control) {
  constexpr std::size_t per_task = 32, warming = 32;
  const std::size_t problems = plan.problems.size();
  Evaluated run{.samples = std::vector(plan.solvers.size(), std::vector<Sample>(problems)),
                .of = plan.solvers.size() * problems};
  std::vector<MeasuredSolve> solves;
  for (int i = 0; i < control.threads; ++i) solves.emplace_back(plan);
  Progress progress(run.of);
  std::mutex finishing;

  for (std::size_t s = 0; s < plan.solvers.size(); ++s) {
    const AnySolver& solver = plan.solvers[s].solver;
    for (std::size_t i = 0; i < std::min(warming, problems) && !control.stop(); ++i)
      (void)solves.front().run(solver, i);
    const std::size_t tasks = (problems + per_task - 1) / per_task;
    for_each_task(tasks, control.threads, [&](std::size_t task, std::size_t worker) {
      const std::size_t first = task * per_task, last = std::min(first + per_task, problems);
      for (std::size_t i = first; i < last; ++i) {
        if (control.stop()) return;
        run.samples[s][i] = solves[worker](solver, i);
      }
      const std::lock_guard lock(finishing);
      run.done += last - first;
      progress.show(run.done);
    });
  }
  run.stopped = run.done < run.of;
  return run;
}

Row row_of(std::span<const Sample> samples, Real tolerance) {
  Row row{.problems = samples.size()};
  std::vector<Real> times, iterations, passes;
  for (const Sample& sample : samples) {
    const bool solved = sample.solved(tolerance);
    row.solved += solved;
    row.reached += sample.status == Status::reached;
    row.stalled += sample.status == Status::stalled;
    row.out_of_budget += sample.status == Status::out_of_budget;
    row.false_reached += sample.status == Status::reached && !solved;
    row.limits_broken += !sample.inside_limits;
    row.max_iterations = std::max(row.max_iterations, sample.iterations);
    row.max_passes = std::max(row.max_passes, sample.passes);
    times.push_back(sample.microseconds);
    iterations.push_back(sample.iterations);
    passes.push_back(sample.passes);
  }
  const Summary time = summarize(times);
  row.mean_us = time.mean;
  row.max_us = time.max;
  row.median_us = percentile(times, 0.5);
  row.p99_us = percentile(times, 0.99);
  row.mean_iterations = summarize(iterations).mean;
  row.mean_passes = summarize(passes).mean;
  return row;
}

}  // namespace gestik::evaluation::reach
