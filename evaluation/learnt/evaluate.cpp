#include "evaluation/learnt/evaluate.h"

#include <algorithm>
#include <chrono>

#include "evaluation/parallel.h"

namespace gestik::evaluation::learnt {
namespace {

using Clock = std::chrono::steady_clock;

Real microseconds_since(Clock::time_point start) {
  return std::chrono::duration<Real, std::micro>(Clock::now() - start).count();
}

/// Blocks of 0.2 s by turns: true for those that are held out.
bool is_held_out(std::size_t frame, Real rate) {
  const auto length =
      std::max<std::size_t>(1, static_cast<std::size_t>(block_seconds * rate + 0.5));
  return frame / length % 2 == 1;
}

std::vector<learn::Take> blocks_kept(const learn::Chain& chain, const Motion& motion) {
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  std::vector<learn::Take> takes;
  for (std::size_t f = 0; f < motion.frame_count(); ++f) {
    if (is_held_out(f, motion.take.rate)) continue;
    if (f == 0 || is_held_out(f - 1, motion.take.rate))
      takes.push_back({.style = motion.take.style, .rate = motion.take.rate, .q = {}});
    const auto at = motion.take.q.begin() + static_cast<std::ptrdiff_t>(f * width);
    takes.back().q.insert(takes.back().q.end(), at, at + static_cast<std::ptrdiff_t>(width));
  }
  return takes;
}

bool is_test(const Plan& plan, const Motion& motion) {
  return motion.file == plan.request.test;
}

std::vector<learn::Take> takes_for(const Plan& plan, HoldOut hold_out) {
  std::vector<learn::Take> takes;
  for (const Motion& motion : plan.motions.train) {
    if (!is_test(plan, motion) || hold_out == HoldOut::none) {
      takes.push_back(motion.take);
    } else if (hold_out == HoldOut::blocks) {
      for (learn::Take& take : blocks_kept(plan.motions.chain, motion))
        takes.push_back(std::move(take));
    }
  }
  return takes;
}

/// One section: a model, and every method on the test's path.
class Bench {
 public:
  Bench(const Plan& plan, const Control& control, HoldOut hold_out, learn::Model model)
      : plan_(plan),
        control_(control),
        chain_(plan.motions.chain),
        test_(plan.motions.test),
        model_(std::move(model)),
        counted_(test_.frame_count(), true) {
    section_.hold_out = hold_out;
    section_.trained_frames = model_.frame_count();
    section_.trained_bytes = model_.bytes();
    if (hold_out == HoldOut::blocks)
      for (std::size_t f = 0; f < counted_.size(); ++f)
        counted_[f] = is_held_out(f, test_.take.rate);
  }

  std::optional<Section> run() {
    add_dls();
    add_nearest("nearest", 0);
    add_nearest("nearest_velocity", Learnt{}.time);
    add_passes("learnt", Learnt{.model = &model_}, true);
    if (control_.stop()) return std::nullopt;
    add_passes("printed", Learnt{.printed = true, .model = &model_}, false);
    for (const NamedSolver& named : plan_.solvers) {
      if (control_.stop()) return std::nullopt;
      add_passes(named.name, named.solver, false);
    }
    for (int depth = 0; depth <= plan_.request.most_depth; ++depth) {
      if (control_.stop()) return std::nullopt;
      add_depth(depth);
    }
    for (Row& row : section_.rows) count_missed(row);
    return std::move(section_);
  }

 private:
  std::size_t width() const { return static_cast<std::size_t>(chain_.skeleton.q_size()); }

  void add_row(std::string method, std::vector<Real> q, Real microseconds) {
    section_.rows.push_back({.method = std::move(method),
                             .score = score_of(chain_, test_, q, counted_),
                             .us_per_frame = microseconds / static_cast<Real>(test_.frame_count()),
                             .q = std::move(q)});
  }

  /// Damped least squares frame by frame: dls1 from the rest pose each time, dls2 from the frame
  /// before.
  void add_dls() {
    const AnySolver solver = Dls{};
    Scratch scratch(scratch_bytes(solver, chain_.skeleton, 1));
    for (const bool from_previous : {false, true}) {
      std::vector<Real> q(test_.frame_count() * width());
      const Clock::time_point start = Clock::now();
      for (std::size_t f = 0; f < test_.frame_count(); ++f) {
        const Goal goal = Reach{.joint = chain_.end(),
                                .point_in_joint = chain_.point,
                                .target = test_.path[f],
                                .tolerance = plan_.request.passes.tolerance};
        const ConstQ seed = from_previous && f > 0 ? ConstQ(q).subspan((f - 1) * width(), width())
                                                   : chain_.skeleton.neutral();
        (void)gestik::run(solver, {.skeleton = chain_.skeleton, .goals = {&goal, 1}, .seed = seed},
                          scratch, Q(q).subspan(f * width(), width()));
      }
      add_row(from_previous ? "dls2" : "dls1", std::move(q), microseconds_since(start));
    }
  }

  /// The captured pose whose end was nearest, with no solving at all.
  void add_nearest(std::string method, Real time) {
    std::vector<Real> q(test_.frame_count() * width());
    const Clock::time_point start = Clock::now();
    for (std::size_t f = 0; f < test_.frame_count(); ++f) {
      const Vec3 velocity =
          learn::path_velocity(f, test_.frame_count(), test_.take.rate,
                               [&](std::size_t at) -> const Vec3& { return test_.path[at]; });
      const learn::Style& style = model_.styles.front();
      learn::Octree::Neighbour nearest{};
      (void)style.tree.nearest(style.sightings, test_.path[f], velocity, time, {&nearest, 1});
      model_.pose(style, nearest.point, Q(q).subspan(f * width(), width()));
    }
    add_row(std::move(method), std::move(q), microseconds_since(start));
  }

  PassTask task_for(const AnySolver& solver) const {
    return {.solver = solver,
            .skeleton = chain_.skeleton,
            .joint = chain_.end(),
            .point = chain_.point,
            .rate = test_.take.rate,
            .settings = plan_.request.passes};
  }

  std::vector<Real> timed_passes(const std::string& method, const AnySolver& solver, int threads,
                                 PassTimes& times, bool draw) {
    times = {.method = method, .threads = threads};
    Clock::time_point start = Clock::now();
    const auto hear = [&](const Pass& pass, std::span<const Real> q) {
      Real& part = pass.kind == PassKind::crude      ? times.crude
                   : pass.kind == PassKind::align    ? times.align
                   : pass.kind == PassKind::retarget ? times.retarget
                   : pass.kind == PassKind::correct  ? times.correct
                                                     : times.close;
      part += microseconds_since(start) / 1000;
      const bool drawn =
          pass.kind != PassKind::correct && (pass.kind != PassKind::close || pass.last);
      if (draw && drawn)
        section_.smoothness.push_back(
            {std::string(to_string(pass.kind)), angles_of(chain_, chain_.end(), q)});
      start = Clock::now();
    };
    // make_plan() has refused whatever follow_path refuses.
    return *follow_path(task_for(solver), test_.path, blocks_on(threads), hear);
  }

  void add_passes(const std::string& method, const AnySolver& solver, bool draw) {
    PassTimes alone, together;
    std::vector<Real> q = timed_passes(method, solver, 1, alone, draw);
    (void)timed_passes(method, solver, control_.threads, together, false);
    if (draw)
      section_.smoothness.push_back({"captured", angles_of(chain_, chain_.end(), test_.take.q)});
    section_.times.push_back(alone);
    section_.times.push_back(together);
    add_row(method, std::move(q), alone.sum() * 1000);
  }

  void add_depth(int depth) {
    PassTimes times;
    const std::vector<Real> q = timed_passes(
        "printed", Learnt{.printed = true, .depth = depth, .model = &model_}, 1, times, false);
    section_.depths.push_back({.depth = depth,
                               .score = score_of(chain_, test_, q, counted_),
                               .milliseconds = times.sum(),
                               .errors = frame_errors(chain_, test_, q)});
  }

  void count_missed(Row& row) const {
    const std::vector<Vec3> mine = path_of(chain_, row.q),
                            reached = path_of(chain_, find_row(section_, "dls1")->q);
    const Real tolerance = plan_.request.passes.tolerance;
    for (std::size_t f = 0; f < mine.size(); ++f)
      row.missed += (reached[f] - test_.path[f]).norm() <= tolerance &&
                    (mine[f] - test_.path[f]).norm() > tolerance;
  }

  const Plan& plan_;
  const Control& control_;
  const learn::Chain& chain_;
  const Motion& test_;
  learn::Model model_;
  std::vector<bool> counted_;
  Section section_;
};

}  // namespace

std::string_view to_string(HoldOut hold_out) noexcept {
  switch (hold_out) {
    case HoldOut::none:
      return "none";
    case HoldOut::blocks:
      return "blocks";
    case HoldOut::others:
      return "others";
  }
  return "";
}

BlockRunner blocks_on(int threads) {
  if (threads <= 1) return run_in_order;
  return [threads](std::size_t blocks, const std::function<void(std::size_t)>& body) {
    for_each_task(blocks, threads, [&](std::size_t block, std::size_t) { body(block); });
  };
}

const Row* find_row(const Section& section, std::string_view method) {
  for (const Row& row : section.rows)
    if (row.method == method) return &row;
  return nullptr;
}

Result<Plan> make_plan(const Request& request) {
  if (request.train.empty()) return Error{"there is no clip to learn from", ""};
  Result<std::vector<NamedSolver>> solvers = find_solvers(request.solvers);
  if (!solvers) return solvers.error();
  Result<Motions> motions = read_motions(request.test, request.train, request.chain);
  if (!motions) return motions.error();
  Plan plan{request, *std::move(motions), {}, *std::move(solvers)};

  const auto is_the_test = [&](const Motion& motion) { return is_test(plan, motion); };
  const std::vector<Motion>& train = plan.motions.train;
  const bool has_test = std::any_of(train.begin(), train.end(), is_the_test);
  const bool has_others = !std::all_of(train.begin(), train.end(), is_the_test);
  if (request.hold_out == HoldOut::blocks && !has_test)
    return Error{"to hold out blocks of the test clip it has to be among those to learn from", ""};
  if (request.hold_out == HoldOut::others && !has_others)
    return Error{"besides the test clip there is none to learn from", ""};
  if (request.hold_out) {
    plan.hold_outs = {*request.hold_out};
  } else {
    if (has_test) plan.hold_outs = {HoldOut::none, HoldOut::blocks};
    if (has_others) plan.hold_outs.push_back(HoldOut::others);
  }
  for (const HoldOut hold_out : plan.hold_outs) {
    const Result<learn::Model> model = learn::learn(plan.motions.chain, takes_for(plan, hold_out));
    if (!model) return model.error();
  }
  // What the passes would refuse, they refuse of the first frame as well.
  std::vector<NamedSolver> all = plan.solvers;
  all.push_back({"learnt", Learnt{}});
  for (const NamedSolver& named : all) {
    const PassTask task{.solver = named.solver,
                        .skeleton = plan.motions.chain.skeleton,
                        .joint = plan.motions.chain.end(),
                        .point = plan.motions.chain.point,
                        .rate = plan.motions.test.take.rate,
                        .settings = request.passes};
    const auto first = follow_path(task, std::span(plan.motions.test.path).first(1));
    if (!first) return first.error();
  }
  return plan;
}

Evaluated evaluate(const Plan& plan, const Control& control) {
  Evaluated run;
  for (const HoldOut hold_out : plan.hold_outs) {
    Result<learn::Model> model = learn::learn(plan.motions.chain, takes_for(plan, hold_out));
    std::optional<Section> section = Bench(plan, control, hold_out, *std::move(model)).run();
    if (!section) {
      run.stopped = true;
      return run;
    }
    run.sections.push_back(*std::move(section));
  }
  return run;
}

}  // namespace gestik::evaluation::learnt
