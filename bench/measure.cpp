#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <deque>
#include <map>

#include "evaluation/progress.h"
#include "gestik/base/suggest.h"
#include "gestik/measure/allocations.h"
#include "gestik/measure/erik_error.h"
#include "gestik/measure/statistics.h"

namespace gestik::bench {
namespace {

/// Microseconds of this thread. The clock on the wall is quick to read but also runs while others
/// have the core; the thread's own stands still then but takes as long to read as a short solve.
/// The lesser of the two is right for both.
class Stopwatch {
 public:
  Real microseconds() const {
    const Real wall = std::chrono::duration<Real, std::micro>(Clock::now() - wall_).count();
    return std::min(wall, thread_microseconds() - thread_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static Real thread_microseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<Real>(now.tv_sec) + 1e-3 * static_cast<Real>(now.tv_nsec);
  }

  Real thread_ = thread_microseconds();
  Clock::time_point wall_ = Clock::now();  // the last thing to start and the first to stop
};

// ---- The plan ----------------------------------------------------------------------------------

Error unknown(std::string_view what, std::string_view name,
              const std::vector<std::string_view>& names) {
  return {fmt::format("no {} is called '{}'{} (there is {})", what, name, did_you_mean(name, names),
                      fmt::join(names, ", ")),
          ""};
}

std::vector<std::string_view> contender_names() {
  std::vector<std::string_view> names;
  for (const AnySolver& solver : all_solvers()) names.push_back(info_of(solver).name);
  for (const Peer& peer : all_peers()) names.push_back(peer.name);
  return names;
}

std::optional<Error> choose_contenders(Plan& plan) {
  const std::vector<std::string_view> all = contender_names();
  const auto names =
      plan.request.solvers.value_or(std::vector<std::string>(all.begin(), all.end()));
  for (const std::string& name : names) {
    const auto is_it = [&](const auto& known) { return known.name == name; };
    const auto peer = std::find_if(all_peers().begin(), all_peers().end(), is_it);
    const std::optional<AnySolver> solver = find_solver(name);
    if (solver && std::none_of(plan.solvers.begin(), plan.solvers.end(), is_it))
      plan.solvers.push_back({name, *solver});
    if (peer != all_peers().end() && std::none_of(plan.peers.begin(), plan.peers.end(), is_it))
      plan.peers.push_back(*peer);
    if (solver || peer != all_peers().end()) continue;
    Error error = unknown("solver", name, all);
    if (all_peers().empty()) error.what += "; peers need a build with -DGESTIK_PEERS=ON";
    return error;
  }
  return std::nullopt;
}

std::optional<Error> choose_scenes(Plan& plan) {
  std::vector<std::string_view> all;
  for (const SceneKind& kind : all_scenes()) all.push_back(kind.name);
  const auto names = plan.request.scenes.value_or(std::vector<std::string>(all.begin(), all.end()));
  for (const std::string& name : names) {
    const auto kind = std::find_if(all_scenes().begin(), all_scenes().end(),
                                   [&](const SceneKind& known) { return known.name == name; });
    if (kind == all_scenes().end()) return unknown("scene", name, all);
    std::vector<int> sizes =
        kind->sizes.empty() ? std::vector<int>{0} : plan.request.sizes.value_or(kind->sizes);
    for (const int size : sizes) plan.scenes.push_back({&*kind, size});
  }
  return std::nullopt;
}

// ---- One scene ---------------------------------------------------------------------------------

/// What one contender's solve of one task came to.
struct Sample {
  Real microseconds = infinity;  ///< the shortest so far
  long allocations = 0;
  Effort effort = {};
  bool solved = false, inside = false;
  Row::FromPosture from_posture = {0, 0};
};

/// Everyone who takes part in a scene, and what they did so far.
class Contest {
 public:
  Contest(Scene scene, const Plan& plan)
      : scene_(std::move(scene)),
        world_from_joint_(static_cast<std::size_t>(scene_.skeleton.joint_count())) {
    const auto add = [&](std::optional<Contender> contender) {
      if (contender) entries_.push_back({*std::move(contender), {}, scene_.tasks.front().seed});
    };
    for (const evaluation::NamedSolver& solver : plan.solvers) add(enter(solver, scene_));
    for (const Peer& peer : plan.peers) add(peer.enter(scene_));
  }
  // Contenders hold on to the scene.
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  bool has_contenders() const { return !entries_.empty(); }

  /// All tasks once. The first round finds out how many there is time for, and judges the answers.
  void run_round(bool first_round, Real allowed_microseconds, const evaluation::Control& control) {
    const std::size_t tasks = scene_.tasks.size();
    for (std::size_t first = 0; first < tasks; first += block)
      for (Entry& entry : entries_) {
        if (control.stop()) return;
        time_forward();
        take_turn(entry, {first, std::min(first + block, tasks), first_round, allowed_microseconds},
                  control);
      }
  }

  SceneResult result() const {
    SceneResult result{.scene = scene_.name,
                       .size = scene_.size,
                       .joints = scene_.skeleton.joint_count(),
                       .dofs = scene_.skeleton.v_size(),
                       .tasks = static_cast<int>(scene_.tasks.size()),
                       .forward_us = forward_us_};
    for (const Entry& entry : entries_) result.rows.push_back(row_of(entry, result.forward_us));
    if (scene_.tasks.front().posture.empty())
      for (Row& row : result.rows) row.from_posture.reset();
    return result;
  }

 private:
  static constexpr std::size_t block = 16;

  struct Entry {
    Contender contender;
    std::vector<Sample> samples;
    std::vector<Real> q;  ///< the last answer
    std::vector<Real> next = q;
    Real spent = 0;  ///< microseconds of the first round
  };

  /// A block of tasks.
  struct Turn {
    std::size_t first, last;
    bool first_round;
    Real allowed;
  };

  ConstQ seed_of(const Entry& entry, std::size_t task) const {
    return scene_.in_a_row && task > 0 ? ConstQ(entry.q) : ConstQ(scene_.tasks[task].seed);
  }

  void take_turn(Entry& entry, const Turn& turn, const evaluation::Control& control) {
    const auto is_over = [&](std::size_t task) {
      return turn.first_round ? entry.samples.size() < task || entry.spent > turn.allowed
                              : task >= entry.samples.size();
    };
    if (is_over(turn.first)) return;
    // Others were here in between: once for the caches, unmeasured.
    (void)entry.contender.solve(scene_.tasks[turn.first], seed_of(entry, turn.first), entry.next);
    for (std::size_t task = turn.first; task < turn.last && !is_over(task); ++task) {
      if (control.stop()) return;
      solve(entry, task, turn.first_round);
    }
  }

  void solve(Entry& entry, std::size_t task, bool first_round) {
    const ConstQ seed = seed_of(entry, task);
    const long allocations_before = allocations();
    const Stopwatch watch;
    const Effort effort = entry.contender.solve(scene_.tasks[task], seed, entry.next);
    const Real microseconds = watch.microseconds();
    const long allocated = allocations() - allocations_before;
    std::swap(entry.q, entry.next);
    if (first_round) {
      entry.samples.push_back(judged(scene_.tasks[task], entry.q));
      entry.samples.back().effort = effort;
      entry.samples.back().allocations = allocated;
      entry.spent += microseconds;
    }
    Sample& sample = entry.samples[task];
    sample.microseconds = std::min(sample.microseconds, microseconds);
  }

  Sample judged(const Task& task, ConstQ q) {
    forward(scene_.skeleton, q, world_from_joint_);
    Sample sample;
    sample.inside = inside_limits(scene_.skeleton, q);
    sample.solved = sample.inside && all_met(task.goals, world_from_joint_);
    if (!task.posture.empty()) sample.from_posture = from_posture(task, q);
    return sample;
  }

  /// Of the answer whose poses are at hand.
  Row::FromPosture from_posture(const Task& task, ConstQ q) {
    std::vector<Real> way(static_cast<std::size_t>(scene_.skeleton.v_size()));
    difference(scene_.skeleton, task.posture, q, way);
    std::vector<Pose> posture(world_from_joint_.size());
    forward(scene_.skeleton, task.posture, posture);
    return {Eigen::Map<const Eigen::VectorXd>(way.data(), std::ssize(way)).norm(),
            posture_error(scene_.skeleton, joint_of(task.goals.front()), scene_.tip,
                          world_from_joint_, posture)};
  }

  /// Passes over a block's poses, many at a time, for one is shorter than a look at the clock. They
  /// are the same work every time: the shortest time is the one that nothing disturbed.
  void time_forward() {
    const std::size_t poses = std::min(block, scene_.tasks.size()), passes = 4 * poses;
    const Stopwatch watch;
    for (std::size_t i = 0; i < passes; ++i)
      forward(scene_.skeleton, scene_.tasks[i % poses].seed, world_from_joint_);
    forward_us_ = std::min(forward_us_, watch.microseconds() / static_cast<Real>(passes));
  }

  static Row row_of(const Entry& entry, Real forward_us) {
    Row row{.solver = entry.contender.name, .peer = entry.contender.peer};
    row.solves = static_cast<int>(entry.samples.size());
    if (row.solves == 0) return row;
    std::vector<Real> times;
    Real iterations = 0, passes = 0, allocated = 0, angles = 0, shape = 0;
    for (const Sample& sample : entry.samples) {
      times.push_back(sample.microseconds);
      row.solved += sample.solved;
      row.limits_broken += !sample.inside;
      iterations += sample.effort.iterations;
      passes += sample.effort.passes;
      allocated += static_cast<Real>(sample.allocations);
      angles += sample.from_posture.angles;
      shape += sample.from_posture.shape;
    }
    row.mean_us = summarize(times).mean;
    row.median_us = percentile(times, 0.5);
    row.p99_us = percentile(times, 0.99);
    row.forwards = row.mean_us / forward_us;
    row.iterations = iterations / row.solves;
    row.passes = passes / row.solves;
    if (can_count_allocations()) row.allocations = allocated / row.solves;
    row.from_posture = {angles / row.solves, shape / row.solves};
    return row;
  }

  const Scene scene_;
  std::vector<Entry> entries_;
  Real forward_us_ = infinity;  ///< a forward pass
  std::vector<Pose> world_from_joint_;
};

}  // namespace

Result<Plan> make_plan(const Request& request) {
  Plan plan{request, {}, {}, {}};
  if (std::optional<Error> error = choose_contenders(plan)) return *std::move(error);
  if (std::optional<Error> error = choose_scenes(plan)) return *std::move(error);
  return plan;
}

const Row* SceneResult::find(std::string_view solver) const noexcept {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.solver == solver; });
  return row == rows.end() ? nullptr : &*row;
}

// Rounds go over all scenes: a task's repeats lie far apart, and so does what disturbs one of them.
Measured measure(const Plan& plan, const evaluation::Control& control) {
  const Request& request = plan.request;
  std::deque<Contest> contests;
  for (const auto& [kind, size] : plan.scenes) {
    Scene scene = make_scene(*kind, size);
    if (request.tasks)
      scene.tasks.resize(std::min(scene.tasks.size(), static_cast<std::size_t>(*request.tasks)));
    contests.emplace_back(std::move(scene), plan);
    if (!contests.back().has_contenders()) contests.pop_back();
  }
  const std::size_t rounds = static_cast<std::size_t>(request.repeat);
  evaluation::Progress progress(rounds * contests.size());
  std::uint64_t done = 0;
  for (std::size_t round = 0; round < rounds; ++round)
    for (Contest& contest : contests) {
      contest.run_round(round == 0, 1e6 * request.seconds / request.repeat, control);
      if (control.stop()) return {.repeat = request.repeat, .scenes = {}, .stopped = true};
      progress.show(++done);
    }

  Measured run{.repeat = request.repeat};
  for (const Contest& contest : contests) run.scenes.push_back(contest.result());
  return run;
}

std::vector<Growth> growth_of(const Measured& run) {
  struct Fit {
    Real n = 0, x = 0, y = 0, xx = 0, xy = 0;
    int from = 0, to = 0;
  };
  std::map<std::pair<std::string, std::string>, Fit> fits;
  for (const SceneResult& scene : run.scenes)
    for (const Row& row : scene.rows) {
      if (scene.size == 0 || row.solves == 0) continue;
      Fit& fit = fits[{scene.scene, row.solver}];
      const Real x = std::log(static_cast<Real>(scene.size)), y = std::log(row.mean_us);
      fit.n += 1, fit.x += x, fit.y += y, fit.xx += x * x, fit.xy += x * y;
      fit.from = fit.from == 0 ? scene.size : std::min(fit.from, scene.size);
      fit.to = std::max(fit.to, scene.size);
    }
  std::vector<Growth> growths;
  for (const auto& [who, fit] : fits)
    if (fit.from < fit.to)
      growths.push_back({who.first, who.second,
                         (fit.n * fit.xy - fit.x * fit.y) / (fit.n * fit.xx - fit.x * fit.x),
                         fit.from, fit.to});
  return growths;
}

Comparison compare(const Measured& now, const Measured& before, Real factor) {
  // Shares of the same tasks only: of other tasks more may be hard.
  const auto solves_less = [](const Row& row, const Row& was) {
    constexpr Real slack = 0.01;
    return row.solves == was.solves && row.success() < was.success() - slack;
  };
  Comparison comparison;
  for (const SceneResult& scene : now.scenes) {
    const auto old = std::find_if(
        before.scenes.begin(), before.scenes.end(),
        [&](const SceneResult& s) { return s.scene == scene.scene && s.size == scene.size; });
    if (old == before.scenes.end()) continue;
    for (const Row& row : scene.rows) {
      const Row* was = old->find(row.solver);
      if (!was || row.peer || was->solves == 0 || row.solves == 0) continue;
      ++comparison.compared;
      if (row.forwards > factor * was->forwards || solves_less(row, *was))
        comparison.worse.push_back({scene.scene, scene.size, row.solver, was->forwards,
                                    row.forwards, was->success(), row.success()});
    }
  }
  return comparison;
}

}  // namespace gestik::bench
