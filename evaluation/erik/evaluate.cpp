#include "evaluation/erik/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "evaluation/erik/measured_solve.h"
#include "evaluation/erik/paper.h"
#include "evaluation/parallel.h"
#include "evaluation/progress.h"

namespace gestik::evaluation::erik {
namespace {

namespace fs = std::filesystem;

std::vector<Tally::Shape> shape_of(const Plan& plan) {
  std::vector<Tally::Shape> shape;
  for (const Part& part : plan.parts)
    shape.push_back({part.sweep.task_count(), part.contenders.size(), part.filter.has_value(),
                     part.sweep.lines.size(), Sweep::problems_per_task});
  return shape;
}

struct TaskId {
  std::size_t part, task;
};

/// Every task of the plan, those of all parts mixed evenly: so the time left can be told from what
/// is done, though skeletons and solvers differ in speed.
std::vector<TaskId> all_tasks(const Plan& plan) {
  std::vector<TaskId> tasks;
  for (std::size_t p = 0; p < plan.parts.size(); ++p)
    for (std::size_t t = 0; t < plan.parts[p].sweep.task_count(); ++t) tasks.push_back({p, t});
  const auto share = [&](const TaskId& id) {
    return static_cast<double>(id.task) /
           static_cast<double>(plan.parts[id.part].sweep.task_count());
  };
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](const TaskId& a, const TaskId& b) { return share(a) < share(b); });
  return tasks;
}

/// The tasks of every skeleton are dealt out to the ranks in turn.
bool is_mine(const TaskId& id, const Ranks& ranks) {
  return (id.task + id.part) % static_cast<std::size_t>(ranks.count()) ==
         static_cast<std::size_t>(ranks.rank());
}

std::uint64_t samples_of(const Plan& plan, const TaskId& id) {
  return plan.parts[id.part].sweep.task(id.task).samples;
}

/// One task's rows; nothing if it was stopped.
std::optional<PartTally> work(const Part& part, std::size_t task, PartTally rows,
                              MeasuredSolve& solve, const std::function<bool()>& stop) {
  constexpr std::size_t samples_at_once = 64;
  const Sweep::Task span = part.sweep.task(task);
  const std::size_t contenders = part.contenders.size();
  std::vector<Sample> samples;
  for (std::size_t first = 0; first < span.samples; first += samples_at_once) {
    if (stop()) return std::nullopt;
    samples.clear();
    for (std::size_t i = first; i < std::min(first + samples_at_once, span.samples); ++i)
      samples.push_back(part.sweep.sample(span, i));
    const std::span<const Outcome> all = solve(samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::span<const Outcome> outcomes = all.subspan(i * contenders, contenders);
      for (std::size_t c = 0; c < contenders; ++c) rows.all[c].add(outcomes[c]);
      if (part.sweep.paired)
        rows.outcomes.insert(rows.outcomes.end(), outcomes.begin(), outcomes.end());
      if (!part.filter || outcomes[*part.filter].orientation > paper::filter) continue;
      for (std::size_t c = 0; c < contenders; ++c) rows.filtered[c].add(outcomes[c]);
    }
  }
  return rows;
}

// ---- Checkpoints: one file per rank, "checkpoint.0" that of the first --------------------------

constexpr std::string_view checkpoint_stem = "checkpoint.";

std::string checkpoint_path(const std::string& folder, int rank) {
  return (fs::path(folder) / fmt::format("{}{}", checkpoint_stem, rank)).string();
}

/// Those in the folder, the first rank's first.
std::vector<std::string> checkpoints_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault)) {
    const std::string name = entry.path().filename().string();
    const std::string_view number = name.starts_with(checkpoint_stem)
                                        ? std::string_view(name).substr(checkpoint_stem.size())
                                        : std::string_view();
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos)
      paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::optional<Error> save(const Plan& plan, const Tally& tally, const std::string& folder,
                          int rank) {
  return write_checkpoint(checkpoint_path(folder, rank), {plan.options, tally.words()});
}

/// Merges what all ranks of a stopped run left behind into the first's file: the run may go on with
/// another number of ranks. Stopped in the middle of this, the others' files hold nothing new.
std::optional<Error> collect(const Plan& plan, const std::string& folder, Tally& tally) {
  const std::vector<std::string> paths = checkpoints_in(folder);
  for (const std::string& path : paths) {
    const Result<Checkpoint> checkpoint = read_checkpoint(path, plan.options);
    if (!checkpoint) return checkpoint.error();
    Tally theirs(shape_of(plan));
    if (!theirs.take(checkpoint->words))
      return Error{"this checkpoint is damaged; remove it to start from the beginning", path};
    if (!tally.merge(theirs))
      return Error{"this checkpoint and another one hold the same work; remove one of them", path};
  }
  if (paths.size() < 2) return std::nullopt;
  if (std::optional<Error> fault = save(plan, tally, folder, 0)) return fault;
  std::error_code ignored;
  for (const std::string& path : paths)
    if (path != checkpoint_path(folder, 0)) fs::remove(path, ignored);
  return std::nullopt;
}

std::optional<Error> begin(const Plan& plan, const RunControl& control, Tally& tally) {
  if (control.folder.empty()) return std::nullopt;
  const std::vector<std::string> left = checkpoints_in(control.folder);
  if (control.resume && left.empty())
    control.say(fmt::format("no checkpoint in {}: starting from the beginning", control.folder));
  if (control.resume) return collect(plan, control.folder, tally);
  if (left.empty()) return std::nullopt;
  return Error{"a run that was stopped left this; go on with --resume, or remove it", left.front()};
}

/// Saves a rank's work now and then. That it can't is said once, until it can again.
class Saver {
 public:
  Saver(const Plan& plan, const RunControl& control, int rank, Progress& progress)
      : plan_(plan), control_(control), rank_(rank), progress_(progress) {}

  bool is_due() const {
    return !control_.folder.empty() && Clock::now() - tried_ >= control_.between_checkpoints;
  }

  /// False where there is a folder but nothing could be written there.
  bool operator()(const Tally& tally) {
    if (control_.folder.empty()) return true;
    const std::optional<Error> fault = save(plan_, tally, control_.folder, rank_);
    if (fault && !failed_) {
      progress_.wipe();
      control_.say(fmt::format("no checkpoint written: {}", to_string(*fault)));
    }
    failed_ = fault.has_value();
    tried_ = Clock::now();
    return !failed_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Plan& plan_;
  const RunControl& control_;
  int rank_;
  Progress& progress_;
  bool failed_ = false;
  Clock::time_point tried_ = Clock::now();
};

}  // namespace

Result<Evaluated> evaluate(const Plan& plan, const RunControl& control, const Ranks& ranks) {
  Evaluated run{.tally = Tally(shape_of(plan))};
  std::optional<Error> fault;
  if (ranks.first()) fault = begin(plan, control, run.tally);
  if (ranks.any(fault.has_value())) return fault.value_or(Error{});
  Tally before(shape_of(plan));
  before.take(ranks.from_first(run.tally.words()));

  std::vector<TaskId> tasks = all_tasks(plan);
  std::erase_if(tasks, [&](const TaskId& id) {
    if (before.done(id.part, id.task)) run.samples += samples_of(plan, id);
    run.of += samples_of(plan, id);
    return before.done(id.part, id.task) || !is_mine(id, ranks);
  });
  std::uint64_t mine = 0;
  for (const TaskId& id : tasks) mine += samples_of(plan, id);

  // Ranks get about the same, so the first one's bar stands for all.
  const std::uint64_t before_us = run.samples, ranks_in_all = static_cast<unsigned>(ranks.count());
  Progress progress(run.of, before_us);
  Saver save_now(plan, control, ranks.rank(), progress);
  std::uint64_t done = 0;
  std::mutex finishing;
  const auto threads = static_cast<std::size_t>(control.threads);
  std::vector<std::vector<std::optional<MeasuredSolve>>> solves(threads);
  for (auto& own : solves) own.resize(plan.parts.size());

  for_each_task(tasks.size(), control.threads, [&](std::size_t i, std::size_t worker) {
    if (control.stop()) return;
    const TaskId id = tasks[i];
    const Part& part = plan.parts[id.part];
    std::optional<MeasuredSolve>& solve = solves[worker][id.part];
    if (!solve) solve.emplace(part);
    const std::optional<PartTally> rows =
        work(part, id.task, before.empty_part(id.part), *solve, control.stop);
    if (!rows) return;

    const std::lock_guard lock(finishing);
    run.tally.finish(id.part, id.task, *rows);
    done += samples_of(plan, id);
    if (ranks.first()) progress.show(before_us + done * ranks_in_all);
    if (save_now.is_due()) (void)save_now(run.tally);
    control.after_task();
  });

  run.samples += done;
  run.saved = !ranks.any(!save_now(run.tally));
  run.stopped = ranks.any(done < mine);
  if (run.stopped) return run;
  const std::vector<Words> all = ranks.gather(run.tally.words());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    Tally theirs(shape_of(plan));
    if (!theirs.take(all[rank]) || !run.tally.merge(theirs))
      return Error{fmt::format("what rank {} sent does not fit; is it the same program?", rank),
                   ""};
  }
  return run;
}

void remove_checkpoints(const std::string& folder) {
  std::error_code ignored;
  for (const std::string& path : checkpoints_in(folder)) fs::remove(path, ignored);
}

}  // namespace gestik::evaluation::erik
