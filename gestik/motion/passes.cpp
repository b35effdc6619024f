#include "gestik/motion/passes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gestik/learn/blend.h"
#include "gestik/learn/model.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

constexpr std::size_t block_frames = 32;
constexpr std::size_t endless = std::numeric_limits<std::size_t>::max();

/// Frames by number, of which the newest `kept` are there.
struct PoseRows {
  const Real* values;
  std::size_t width, kept;
  ConstQ operator[](std::size_t frame) const noexcept {
    return {values + frame % kept * width, width};
  }
};
struct PathRows {
  const Vec3* values;
  std::size_t kept;
  const Vec3& operator[](std::size_t frame) const noexcept { return values[frame % kept]; }
};

// Wendland's kernel of Eq 15, with its support as the unit.
Real wendland(Real d) noexcept {
  if (d >= 1) return 0;
  const Real rest = 1 - d;
  return rest * rest * rest * rest * (4 * d + 1);
}

/// One frame of one pass. Everything it needs is in its arguments: it may run anywhere.
class FramePass {
 public:
  FramePass(const PassTask& task, PathRows path, std::size_t frames, Scratch& scratch) noexcept
      : task_(task), path_(path), frames_(frames), scratch_(scratch) {}

  static std::size_t bytes(const PassTask& task) noexcept {
    return scratch_bytes(task.solver, task.skeleton, 1) +
           Scratch::bytes_for<Real>(static_cast<std::size_t>(task.skeleton.q_size())) +
           Scratch::bytes_for<Pose>(static_cast<std::size_t>(task.skeleton.joint_count()));
  }

  void run(const Pass& pass, const PoseRows& in, std::size_t frame, Q out) noexcept {
    switch (pass.kind) {
      case PassKind::crude:
        return crude(frame, out);
      case PassKind::align:
        return align(in, pass.radius, frame, out);
      case PassKind::retarget:
        return retarget(in, frame, out);
      case PassKind::correct:
        return correct(in, pass.radius, frame, out);
      case PassKind::close:
        return close(in, pass.last, frame, out);
    }
  }

 private:
  void solve_from(const AnySolver& solver, ConstQ seed, std::size_t frame, Real tolerance,
                  Budget budget, Q out) noexcept {
    const Goal goal = Reach{.joint = task_.joint,
                            .point_in_joint = task_.point,
                            .target = path_[frame],
                            .tolerance = tolerance};
    report_ = gestik::run(
        solver, {.skeleton = task_.skeleton, .goals = {&goal, 1}, .seed = seed, .budget = budget},
        scratch_, out);
  }

  /// `learnt` starts from what it knows in the first pass, and from the pose at hand later on.
  AnySolver later_solver() const noexcept {
    AnySolver solver = task_.solver;
    if (Learnt* const learnt = std::get_if<Learnt>(&solver)) learnt->from_seed = true;
    return solver;
  }

  void crude(std::size_t frame, Q out) noexcept {
    AnySolver solver = task_.solver;
    if (Learnt* const learnt = std::get_if<Learnt>(&solver)) {
      const Vec3 velocity =
          task_.base_from_world *
          learn::path_velocity(frame, frames_, task_.rate,
                               [&](std::size_t f) -> const Vec3& { return path_[f]; });
      learnt->velocity = {velocity.x(), velocity.y(), velocity.z()};
      learnt->has_velocity = true;
    }
    solve_from(solver, task_.skeleton.neutral(), frame, task_.settings.tolerance, {}, out);
  }

  /// As far to either side as the path goes, and no farther to one than to the other: a window that
  /// leaned to one side would pull the ends of a motion inwards.
  std::size_t radius_at(std::size_t frame, int radius) const noexcept {
    const std::size_t after = frames_ == endless ? endless : frames_ - 1 - frame;
    return std::min({static_cast<std::size_t>(radius), frame, after});
  }

  template <class Weight>
  void blend(const PoseRows& in, std::size_t frame, int radius, Weight&& weight, Q out) noexcept {
    const Scratch::Frame memory(scratch_);
    const Q sum = scratch_.take<Real>(out.size());
    std::fill(sum.begin(), sum.end(), 0);
    const std::size_t reach = radius_at(frame, radius);
    Real weights = 0;
    for (std::size_t f = frame - reach; f <= frame + reach; ++f) {
      const Real share = weight(f);
      if (share <= 0) continue;
      learn::add_to_blend(task_.skeleton, in[frame], in[f], share, sum);
      weights += share;
    }
    learn::finish_blend(task_.skeleton, in[frame], sum, weights, out);
    clamp_to_limits(task_.skeleton, out);
  }

  // Eq 13, divided by how many frames there are.
  void align(const PoseRows& in, int radius, std::size_t frame, Q out) noexcept {
    blend(
        in, frame, radius, [](std::size_t) { return 1.0; }, out);
  }

  /// A tenth of the tolerance: where a frame stops within it must not show in the motion.
  void retarget(const PoseRows& in, std::size_t frame, Q out) noexcept {
    solve_from(later_solver(), in[frame], frame, task_.settings.tolerance / 10, {}, out);
  }

  // Eq 14: neighbours count by how near they are in time and how near their ends are to their
  // targets. Where none counts the frame stays.
  void correct(const PoseRows& in, int radius, std::size_t frame, Q out) noexcept {
    const Real support = task_.settings.correct;
    blend(
        in, frame, radius,
        [&](std::size_t f) {
          const Real apart = f > frame ? Real(f - frame) : Real(frame - f);
          return wendland(apart / support) * wendland(miss(in[f], f) / task_.settings.trust);
        },
        out);
  }

  Real miss(ConstQ q, std::size_t frame) noexcept {
    const Scratch::Frame memory(scratch_);
    const auto poses = scratch_.take<Pose>(static_cast<std::size_t>(task_.skeleton.joint_count()));
    forward(task_.skeleton, q, poses);
    return (poses[static_cast<std::size_t>(task_.joint)] * task_.point - path_[frame]).norm();
  }

  // So many steps whether or not the frame is in place already: a step left out here and taken
  // there would show. What is not in place after the last of them is solved for, from here or else
  // anew.
  void close(const PoseRows& in, bool last, std::size_t frame, Q out) noexcept {
    const AnySolver solver = later_solver();
    solve_from(solver, in[frame], frame, 0, {task_.settings.closing}, out);
    if (!last || miss(out, frame) <= task_.settings.tolerance) return;
    const Scratch::Frame memory(scratch_);
    const Q from = scratch_.take<Real>(out.size());
    std::copy(out.begin(), out.end(), from.begin());
    solve_from(solver, from, frame, task_.settings.tolerance, {}, out);
    if (report_.status == Status::reached) return;
    solve_from(solver, task_.skeleton.neutral(), frame, task_.settings.tolerance, {}, out);
    if (report_.status == Status::reached) return;
    solve_from(solver, from, frame, task_.settings.tolerance, {}, out);
  }

  const PassTask& task_;
  PathRows path_;
  std::size_t frames_;  ///< in all, or endless
  Scratch& scratch_;
  Report report_;
};

std::optional<Error> check(const PassTask& task) {
  std::optional<Error> fault;
  visit_fields(task.settings,
               [&](std::string_view name, const auto& value, Range range, std::string_view) {
                 const Real number = static_cast<Real>(value);
                 if (!(number >= range.lo && number <= range.hi) && !fault)
                   fault = Error{"the setting '" + std::string(name) + "' is out of its range", ""};
               });
  if (fault) return fault;
  if (task.joint < 0 || task.joint >= task.skeleton.joint_count())
    return Error{"there is no joint of number " + std::to_string(task.joint), ""};
  if (!(task.rate > 0) || !is_bounded(task.rate))
    return Error{"the rate must be a number of frames per second above zero", ""};
  if (!is_bounded(task.point)) return Error{"the point that follows the path is not a number", ""};
  const Goal goal = Reach{.joint = task.joint, .point_in_joint = task.point, .target = {0, 0, 0}};
  Scratch scratch(scratch_bytes(task.solver, task.skeleton, 1));
  std::vector<Real> q(static_cast<std::size_t>(task.skeleton.q_size()));
  const Report report =
      run(task.solver, {.skeleton = task.skeleton, .goals = {&goal, 1}, .budget = {0}}, scratch, q);
  if (report.fault != Fault::none)
    return Error{"the solver '" + std::string(info_of(task.solver).name) +
                     "' can't follow this path: " + std::string(to_string(report.fault)),
                 ""};
  return std::nullopt;
}

}  // namespace

std::string_view to_string(PassKind kind) noexcept {
  switch (kind) {
    case PassKind::crude:
      return "crude";
    case PassKind::align:
      return "align";
    case PassKind::retarget:
      return "retarget";
    case PassKind::correct:
      return "correct";
    case PassKind::close:
      return "close";
  }
  return "";
}

std::vector<Pass> passes_of(const PassSettings& settings) {
  std::vector<Pass> passes{
      {PassKind::crude, 1}, {PassKind::align, settings.align}, {PassKind::retarget, 0}};
  for (int round = 0; round < settings.rounds; ++round) {
    passes.push_back({PassKind::correct, settings.correct - 1});  // the outermost weighs nothing
    passes.push_back({PassKind::close, 0});
  }
  if (settings.rounds == 0) passes.push_back({PassKind::close, 0});
  passes.back().last = true;
  return passes;
}

int latency_of(const PassSettings& settings) {
  int frames = 0;
  for (const Pass& pass : passes_of(settings)) frames += pass.radius;
  return frames;
}

void run_in_order(std::size_t blocks, const std::function<void(std::size_t block)>& body) {
  for (std::size_t block = 0; block < blocks; ++block) body(block);
}

Result<std::vector<Real>> follow_path(const PassTask& task, std::span<const Vec3> path,
                                      const BlockRunner& runner, const PassListener& listener) {
  if (auto fault = check(task)) return *fault;
  for (std::size_t f = 0; f < path.size(); ++f)
    if (!is_bounded(path[f]))
      return Error{"the path's place is not a number, or too large",
                   "frame " + std::to_string(f) + " of the path"};
  const auto width = static_cast<std::size_t>(task.skeleton.q_size());
  std::vector<Real> now(path.size() * width), next(path.size() * width);
  const std::size_t blocks = (path.size() + block_frames - 1) / block_frames;
  for (const Pass& pass : passes_of(task.settings)) {
    runner(blocks, [&](std::size_t block) {
      Scratch scratch(FramePass::bytes(task));
      FramePass frame_pass(task, {path.data(), path.size()}, path.size(), scratch);
      const std::size_t first = block * block_frames;
      for (std::size_t f = first; f < std::min(first + block_frames, path.size()); ++f)
        frame_pass.run(pass, {now.data(), width, path.size()}, f, {next.data() + f * width, width});
    });
    now.swap(next);
    if (listener) listener(pass, now);
  }
  return now;
}

Result<PassStream> PassStream::make(const PassTask& task) {
  if (auto fault = check(task)) return *fault;
  return PassStream(task);
}

PassStream::PassStream(const PassTask& task)
    : task_(task),
      passes_(passes_of(task.settings)),
      scratch_(FramePass::bytes(task)),
      latency_(latency_of(task.settings)) {
  // A path's frame is needed until it leaves; a pass' frames by the one behind, to either side.
  path_.resize(static_cast<std::size_t>(latency_) + 2 +
               2 * static_cast<std::size_t>(std::max(task.settings.align, task.settings.correct)));
  const auto width = static_cast<std::size_t>(task.skeleton.q_size());
  for (std::size_t p = 0; p < passes_.size(); ++p) {
    const int radius = p + 1 < passes_.size() ? passes_[p + 1].radius : 0;
    const std::size_t kept = 2 * static_cast<std::size_t>(radius) + 1;
    rings_.push_back({std::vector<Real>(kept * width), kept});
  }
}

bool PassStream::push(const Vec3& target, Q out) noexcept {
  Vec3 place = target;
  if (!is_bounded(place)) {
    if (received_ > 0) {
      place = path_[(received_ - 1) % path_.size()];
    } else {
      const Scratch::Frame memory(scratch_);
      const auto poses =
          scratch_.take<Pose>(static_cast<std::size_t>(task_.skeleton.joint_count()));
      forward(task_.skeleton, task_.skeleton.neutral(), poses);
      place = poses[static_cast<std::size_t>(task_.joint)] * task_.point;
    }
  }
  path_[received_++ % path_.size()] = place;
  return advance(out);
}

bool PassStream::drain(Q out) noexcept {
  ended_ = true;
  return advance(out);
}

// Each pass makes the frames it can: those whose neighbours have left the pass before it, as far as
// the next pass still has room. At most one leaves the last.
bool PassStream::advance(Q out) noexcept {
  const auto width = static_cast<std::size_t>(task_.skeleton.q_size());
  const std::size_t before = rings_.back().done;
  bool moved = true;
  while (moved && rings_.back().done == before) {
    moved = false;
    for (std::size_t p = passes_.size(); p-- > 0;) {
      Ring& ring = rings_[p];
      const std::size_t ready = p == 0 ? received_ : rings_[p - 1].done;
      const auto radius = static_cast<std::size_t>(passes_[p].radius);
      const bool all_there = ended_ && ready == received_;
      const bool can = ring.done < ready && (ring.done + radius < ready || all_there);
      const std::size_t next_done = p + 1 < passes_.size() ? rings_[p + 1].done : ring.done;
      const auto next_radius =
          p + 1 < passes_.size() ? static_cast<std::size_t>(passes_[p + 1].radius) : 0;
      const bool room = ring.done <= next_done + next_radius;
      if (!can || !room) continue;
      FramePass frame_pass(task_, {path_.data(), path_.size()}, ended_ ? received_ : endless,
                           scratch_);
      const PoseRows in = p == 0 ? PoseRows{nullptr, width, 1}
                                 : PoseRows{rings_[p - 1].values.data(), width, rings_[p - 1].kept};
      frame_pass.run(passes_[p], in, ring.done,
                     {ring.values.data() + ring.done % ring.kept * width, width});
      ++ring.done;
      moved = true;
      if (p + 1 == passes_.size()) break;
    }
  }
  if (rings_.back().done == before) return false;
  std::copy_n(rings_.back().values.data() + before % rings_.back().kept * width, width,
              out.begin());
  return true;
}

}  // namespace gestik
