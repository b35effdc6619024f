#include "evaluation/mocap/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "evaluation/parallel.h"
#include "evaluation/progress.h"
#include "gestik/goal/at_frame.h"
#include "gestik/measure/statistics.h"

namespace gestik::evaluation::mocap {
namespace {

Vec3 place_of(const Frame& frame, std::span<const Pose> world_from_joint) {
  return world_from_joint[static_cast<std::size_t>(frame.joint)] * frame.joint_from_frame.p;
}

/// One run through the clip, pose after pose. One for each thread.
class Follower {
 public:
  Follower(const Capture& capture, std::span<const NamedSolver> solvers, Real tolerance)
      : capture_(capture),
        scratch_(most_scratch(solvers, capture.skeleton, capture.goals.size())),
        goals_(capture.goals.size()),
        q_(capture.q_size()),
        seed_(capture.q_size()),
        wanted_(static_cast<std::size_t>(capture.skeleton.joint_count())),
        found_(wanted_.size()),
        tolerance_(tolerance) {}

  void start_at(std::size_t frame) {
    const ConstQ captured = capture_.frame(frame);
    std::copy(captured.begin(), captured.end(), q_.begin());
  }

  /// Only asks: the next solve starts where the last one ended.
  Timed ask(const AnySolver& solver, Budget budget, std::size_t frame) {
    forward(capture_.skeleton, capture_.frame(frame), wanted_);
    for (std::size_t i = 0; i < goals_.size(); ++i) {
      Reach follow = reach(capture_.goals[i], place_of(capture_.goals[i], wanted_));
      follow.tolerance = tolerance_;
      goals_[i] = follow;
    }
    seed_ = q_;
    return timed_run(
        solver, {.skeleton = capture_.skeleton, .goals = goals_, .seed = seed_, .budget = budget},
        scratch_, q_);
  }

  Sample follow(const AnySolver& solver, Budget budget, std::size_t frame) {
    const auto [report, microseconds] = ask(solver, budget, frame);
    forward(capture_.skeleton, q_, found_);
    Sample sample{.iterations = report.iterations,
                  .microseconds = microseconds,
                  .reached = report.status == Status::reached,
                  .used_up = report.status == Status::out_of_budget,
                  .inside_limits = inside_limits(capture_.skeleton, q_)};
    for (const Frame& goal : capture_.goals)
      sample.error += (place_of(goal, found_) - place_of(goal, wanted_)).squaredNorm();
    for (const Frame& place : capture_.places)
      sample.distance += (place_of(place, found_) - place_of(place, wanted_)).norm();
    sample.distance /= static_cast<Real>(std::max<std::size_t>(capture_.places.size(), 1));
    return sample;
  }

 private:
  const Capture& capture_;
  Scratch scratch_;
  std::vector<Goal> goals_;
  std::vector<Real> q_, seed_;
  std::vector<Pose> wanted_, found_;
  Real tolerance_;
};

std::vector<std::string> able_solvers(const Skeleton& skeleton) {
  std::vector<std::string> names = solvers_that([&](const SolverInfo& info) {
    return info.reach && info.many_goals && moves_joints_of(info, skeleton);
  });
  for (const NamedSolver& variant : variants()) names.push_back(variant.name);
  return names;
}

Result<std::vector<std::size_t>> strides_of(const Request& request, const Capture& capture) {
  std::vector<std::size_t> strides;
  for (const Real interval : request.intervals) {
    const Real frames = std::max(1.0, std::round(interval * capture.rate));
    if (!(frames < static_cast<Real>(capture.frame_count())))
      return Error{fmt::format("{} frames at {:.4g} per second hold no two samples {} s apart",
                               capture.frame_count(), capture.rate, interval),
                   request.capture.clip};
    strides.push_back(static_cast<std::size_t>(frames));
  }
  return strides;
}

Result<std::vector<std::optional<int>>> budgets_of(const Request& request,
                                                   std::span<const NamedSolver> solvers) {
  std::vector<std::optional<int>> budgets(solvers.size());
  for (const auto& [name, count] : request.iterations) {
    bool known = name.empty();
    for (std::size_t s = 0; s < solvers.size(); ++s) {
      if (solvers[s].name == name || (name.empty() && !budgets[s])) budgets[s] = count;
      known |= solvers[s].name == name;
    }
    if (!known) return Error{fmt::format("iterations for '{}', which takes no part", name), ""};
  }
  return budgets;
}

/// Whether every solver takes the body and its goals.
std::optional<Error> try_out(const Plan& plan) {
  Follower follower(plan.capture, plan.solvers, plan.request.tolerance);
  for (const NamedSolver& named : plan.solvers) {
    follower.start_at(0);
    const Report report = follower.ask(named.solver, {1}, 1).report;
    if (report.status == Status::unsupported || report.status == Status::bad_problem)
      return Error{std::string(to_string(report.fault)),
                   fmt::format("{} on '{}'", named.name, plan.capture.name)};
  }
  return std::nullopt;
}

class Experiment {
 public:
  Experiment(const Plan& plan, const Control& control) : plan_(plan), control_(control) {
    for (int i = 0; i < control.threads; ++i)
      followers_.emplace_back(plan.capture, plan.solvers, plan.request.tolerance);
  }

  /// All samples of an interval with one budget, in the order of their frames.
  std::vector<Sample> samples(const AnySolver& solver, int iterations, std::size_t stride) {
    const std::size_t frames = plan_.capture.frame_count();
    std::vector<Sample> all(frames - stride);
    for_each_task(stride, control_.threads, [&](std::size_t phase, std::size_t worker) {
      Follower& follower = followers_[worker];
      follower.start_at(phase);
      for (std::size_t frame = phase + stride; frame < frames; frame += stride) {
        if (control_.stop()) return;
        all[frame - stride] = follower.follow(solver, {iterations}, frame);
      }
    });
    return all;
  }

  /// The most iterations that fit into the slot: doubled until a solve that uses them all takes
  /// longer, then on the line between the last two, for time grows evenly with iterations. One at
  /// least, and no more than solves ever use.
  int fitting(const AnySolver& solver, std::vector<Trial>& trials) {
    const std::size_t stride = *std::max_element(plan_.strides.begin(), plan_.strides.end());
    const Real slot = plan_.request.slot_us;
    constexpr int most = 1 << 20;
    for (int iterations = 1; iterations <= most; iterations *= 2) {
      bool used_up = false;
      trials.push_back(trial(solver, iterations, stride, used_up));
      if (control_.stop() || !used_up) return iterations;
      if (trials.back().microseconds <= slot) continue;
      if (trials.size() == 1) return iterations;
      const Trial& below = trials[trials.size() - 2];
      const Real share =
          (slot - below.microseconds) / (trials.back().microseconds - below.microseconds);
      return below.iterations + static_cast<int>(share * below.iterations);
    }
    return most;
  }

 private:
  Trial trial(const AnySolver& solver, int iterations, std::size_t stride, bool& used_up) {
    std::vector<Real> times, times_used_up, errors;
    for (const Sample& sample : samples(solver, iterations, stride)) {
      times.push_back(sample.microseconds);
      if (sample.used_up) times_used_up.push_back(sample.microseconds);
      errors.push_back(sample.error);
    }
    used_up = !times_used_up.empty();
    return {iterations, percentile(used_up ? times_used_up : times, 0.5), percentile(errors, 0.5)};
  }

  const Plan& plan_;
  const Control& control_;
  std::vector<Follower> followers_;
};

}  // namespace

// The paper's step of 0.005 is for units of 20 cm: 0.005 / 0.2^2 per square metre.
std::vector<NamedSolver> variants() {
  LineSearch fixed;
  fixed.fixed_step = 0.125;
  Pinv clamped;
  clamped.limits_in_step = false;
  return {{"fixed_transpose", fixed}, {"clamped_pinv", clamped}};
}

Result<Plan> make_plan(const Request& request) {
  Result<Capture> capture = read_capture(request.capture);
  if (!capture) return capture.error();
  Result<std::vector<std::size_t>> strides = strides_of(request, *capture);
  if (!strides) return strides.error();
  Result<std::vector<NamedSolver>> solvers = find_solvers(
      request.solvers ? *request.solvers : able_solvers(capture->skeleton), variants());
  if (!solvers) return solvers.error();
  Result<std::vector<std::optional<int>>> budgets = budgets_of(request, *solvers);
  if (!budgets) return budgets.error();
  Plan plan{request, *std::move(capture), *std::move(solvers), *std::move(strides),
            *std::move(budgets)};
  if (std::optional<Error> refusal = try_out(plan)) return *std::move(refusal);
  return plan;
}

Evaluated evaluate(const Plan& plan, const Control& control) {
  Experiment experiment(plan, control);
  Evaluated run;
  Progress progress(plan.solvers.size() * (1 + plan.strides.size()));
  std::uint64_t done = 0;
  for (std::size_t s = 0; s < plan.solvers.size() && !control.stop(); ++s) {
    const AnySolver& solver = plan.solvers[s].solver;
    SolverRun& own = run.solvers.emplace_back();
    progress.show(done);
    own.iterations = plan.budgets[s] ? *plan.budgets[s] : experiment.fitting(solver, own.trials);
    progress.show(++done);
    for (const std::size_t stride : plan.strides) {
      own.samples.push_back(experiment.samples(solver, own.iterations, stride));
      progress.show(++done);
    }
  }
  run.stopped = control.stop();
  return run;
}

}  // namespace gestik::evaluation::mocap
