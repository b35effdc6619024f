#include "gestik/solve/poise/batch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "gestik/solve/poise/crowd.h"

namespace gestik {
namespace {

using namespace poise;

/// But for its target.
bool makes_sense(Goal goal) noexcept {
  const std::array<Real, 4> any_target{1, 0, 0, 0};
  return !std::holds_alternative<Reach>(goal) &&
         set_target(goal, ConstQ(any_target).first(static_cast<std::size_t>(target_rows(goal)))) &&
         is_sound(goal) && is_finite(tolerance_of(goal)) && tolerance_of(goal) >= 0;
}

bool has_size(std::span<const Real> rows, std::size_t wanted) noexcept {
  return rows.empty() || rows.size() == wanted;
}

/// Solves a block of a batch, eight characters at a time.
class Block {
 public:
  Block(const Poise& settings, const PoiseBatch& batch, Scratch& scratch, std::span<Real> out,
        std::span<Status> status) noexcept
      : settings_(settings),
        batch_(batch),
        scratch_(scratch),
        out_(out),
        status_(status),
        size_(static_cast<std::size_t>(batch.skeleton.q_size())),
        octet_(batch, scratch),
        seed_(scratch.take<Real>(size_)),
        posture_(scratch.take<Real>(batch.postures.empty() ? 0 : size_)),
        answer_(scratch.take<Real>(size_)),
        poses_(scratch.take<Pose>(static_cast<std::size_t>(batch.skeleton.joint_count()))) {
    std::copy(batch.skeleton.neutral().begin(), batch.skeleton.neutral().end(), seed_.begin());
    const Goal goal = normalized(batch.goal);
    const Problem like = problem(goal);
    chain_ = read_chain(like, weights_of(settings),
                        scratch.take<Link>(static_cast<std::size_t>(movable_joints(like))));
    if (Crowd::takes(settings, chain_, !posture_.empty()))
      crowd_.emplace(settings, chain_, scratch);
  }

  static std::size_t bytes(const Skeleton& skeleton) noexcept {
    const std::size_t q = static_cast<std::size_t>(skeleton.q_size());
    const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
    return scratch_bytes(Poise{}, skeleton, 1) + Octet::bytes(q) + 3 * Scratch::bytes_for<Real>(q) +
           Scratch::bytes_for<Pose>(joints) +
           Crowd::bytes(std::min<std::size_t>(joints, each_links));
  }

  void solve(std::size_t first, std::size_t some) noexcept {
    for (std::size_t c = first; c < first + some; ++c) {
      add(c, is_upright(c) ? upright_ : at_first_);
      for (Queue* queue : {&at_first_, &later_, &upright_})
        if (queue->count >= lanes) solve(*queue);
    }
    for (Queue* queue : {&at_first_, &later_, &upright_})
      while (queue->count > 0) solve(*queue);
  }

 private:
  /// Characters that wait for others like them.
  struct Queue {
    std::array<std::size_t, 2 * lanes> characters;
    std::size_t count = 0;
  };
  static void add(std::size_t c, Queue& queue) noexcept { queue.characters[queue.count++] = c; }

  bool is_upright(std::size_t c) const noexcept {
    if (!crowd_ || !std::holds_alternative<Orient>(batch_.goal)) return false;
    const auto number = [&](std::size_t r) { return batch_.targets[r * batch_.count + c]; };
    return crowd_->is_upright({number(0), number(1), number(2), number(3)});
  }

  /// Eight of them, or the last.
  void solve(Queue& queue) noexcept {
    const std::size_t count = std::min<std::size_t>(queue.count, lanes);
    queue.count -= count;
    std::array<std::size_t, lanes> eight;
    // A lane without a character of its own does what the first one does.
    for (std::size_t lane = 0; lane < lanes; ++lane)
      eight[lane] = queue.characters[queue.count + (lane < count ? lane : 0)];
    octet_.read(eight);
    const bool easy_ones = crowd_ && &queue == &at_first_ && crowd_->has_easy_ones();
    if (crowd_) crowd_->solve(octet_, easy_ones);
    for (std::size_t lane = 0; lane < count; ++lane)
      if (easy_ones && !crowd_->found(static_cast<int>(lane)))
        add(eight[lane], later_);
      else
        finish(lane, eight[lane]);
  }

  Problem problem(const Goal& goal) const noexcept {
    return {batch_.skeleton, {&goal, 1}, {posture_, 1, batch_.per_joint}, seed_};
  }

  bool met(const Goal& goal, ConstQ q) const noexcept {
    forward(batch_.skeleton, q, poses_);
    return all_met({&goal, 1}, poses_);
  }

  void finish(std::size_t lane, std::size_t c) noexcept {
    status_[c] = answer(lane);
    for (std::size_t r = 0; r < size_; ++r) out_[r * batch_.count + c] = answer_[r];
  }

  /// Leaves a pose in `answer_`.
  Status answer(std::size_t lane) noexcept {
    const Goal& goal = octet_.goals()[lane];
    Octet::column(octet_.seeds(), lane, answer_);
    if (!octet_.sound(lane)) return Status::bad_problem;
    if (chain_.links.empty() || (posture_.empty() && met(goal, answer_)))
      return met(goal, answer_) ? Status::reached : Status::stalled;
    const Crowd::Found found =
        crowd_ ? crowd_->write(static_cast<int>(lane), goal, answer_) : Crowd::Found::too_little;
    if (found == Crowd::Found::pose_for_sure) return Status::reached;
    const Status status = found == Crowd::Found::pose ? Status::reached : solve_alone(lane);
    clamp_to_limits(batch_.skeleton, answer_);
    if (met(goal, answer_)) return Status::reached;
    return status == Status::reached ? Status::stalled : status;
  }

  Status solve_alone(std::size_t lane) noexcept {
    const Scratch::Frame own(scratch_);
    Octet::column(octet_.seeds(), lane, seed_);
    Octet::column(octet_.postures(), lane, posture_);
    const Problem alone = problem(octet_.goals()[lane]);
    Search search(settings_, alone, chain_, scratch_);
    const int at = static_cast<int>(lane);
    const Report report = run_rounds(search, Budget::recommended, [&](Search& one) {
      if (crowd_ && crowd_->found(at))
        one.go_on_from(crowd_->refined(), at);
      else
        one.iterate(0);
    });
    search.write(answer_);
    return report.status;
  }

  const Poise& settings_;
  const PoiseBatch& batch_;
  Scratch& scratch_;
  std::span<Real> out_;
  std::span<Status> status_;
  const std::size_t size_;
  Octet octet_;
  Q seed_, posture_, answer_;
  std::span<Pose> poses_;
  Chain chain_;
  std::optional<Crowd> crowd_;
  Queue at_first_, later_, upright_;  ///< later: who is not easy
};

}  // namespace

bool batch_fits(const PoiseBatch& batch) noexcept {
  const std::size_t q = static_cast<std::size_t>(batch.skeleton.q_size());
  const JointId joint = joint_of(batch.goal);
  if (!makes_sense(batch.goal) || joint < 0 || joint >= batch.skeleton.joint_count()) return false;
  for (const Real weight : batch.per_joint)
    if (!(weight >= 0) || !is_bounded(weight)) return false;
  for (JointId j = joint; j != no_joint; j = batch.skeleton.parent(j)) {
    const JointType type = batch.skeleton.type(j);
    if (type == JointType::slider || type == JointType::ball) return false;
  }
  return poise_takes({batch.skeleton, {&batch.goal, 1}}) &&
         batch.targets.size() == static_cast<std::size_t>(target_rows(batch.goal)) * batch.count &&
         has_size(batch.postures, q * batch.count) && has_size(batch.seeds, q * batch.count) &&
         has_size(batch.per_joint, static_cast<std::size_t>(batch.skeleton.joint_count()));
}

std::size_t batch_scratch_bytes(const PoiseBatch& batch) noexcept {
  return Block::bytes(batch.skeleton);
}

void solve_block(const Poise& settings, const PoiseBatch& batch, std::size_t first,
                 std::size_t some, Scratch& scratch, std::span<Real> out,
                 std::span<Status> status) noexcept {
  const Scratch::Frame frame(scratch);
  Block(settings, batch, scratch, out, status).solve(first, some);
}

}  // namespace gestik
