#include "gestik/solve/poise/batch.h"

#include <algorithm>
#include <array>
#include <optional>

#include "gestik/solve/poise/crowd.h"

namespace gestik {
namespace {

using namespace poise;

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
    Eight eight;
    for (std::size_t c = first; c < first + some; ++c) {
      eight.add(c);
      if (eight.count < lanes && c + 1 < first + some) continue;
      solve_at_first(eight);
      for (Queue& queue : queues_)
        if (queue.count >= lanes) solve_waiting(queue);
    }
    for (Queue& queue : queues_)
      while (queue.count > 0) solve_waiting(queue);
  }

 private:
  template <std::size_t most>
  struct Some {
    std::array<std::size_t, most> characters;
    std::size_t count = 0;
    void add(std::size_t c) noexcept { characters[count++] = c; }
  };
  using Eight = Some<lanes>;
  using Queue = Some<2 * lanes>;

  /// Who can't be served beside the others waits for seven like him.
  void solve_at_first(Eight& eight) noexcept {
    const bool easy_ones = crowd_ && crowd_->has_easy_ones();
    read(eight, easy_ones);
    for (int lane = 0; lane < static_cast<int>(eight.count); ++lane) {
      const std::size_t c = eight.characters[static_cast<std::size_t>(lane)];
      if (crowd_ && !crowd_->found(lane) && (easy_ones || crowd_->upright(lane)))
        queues_[crowd_->upright(lane) ? 1 : 0].add(c);
      else
        finish(static_cast<std::size_t>(lane), c);
    }
    eight.count = 0;
  }
  void solve_waiting(Queue& queue) noexcept {
    Eight eight;
    while (queue.count > 0 && eight.count < lanes) eight.add(queue.characters[--queue.count]);
    read(eight, false);
    for (std::size_t lane = 0; lane < eight.count; ++lane) finish(lane, eight.characters[lane]);
  }

  void read(Eight& eight, bool easy_ones) noexcept {
    // A lane without a character of its own does what the first one does.
    std::fill(eight.characters.begin() + static_cast<std::ptrdiff_t>(eight.count),
              eight.characters.end(), eight.characters[0]);
    octet_.read(eight.characters);
    if (crowd_) crowd_->solve(octet_, easy_ones);
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
  std::array<Queue, 2> queues_;  ///< for what is not easy, and for what is upright
};

}  // namespace

bool batch_fits(const PoiseBatch& batch) noexcept {
  const std::size_t q = static_cast<std::size_t>(batch.skeleton.q_size());
  const JointId joint = joint_of(batch.goal);
  if (std::holds_alternative<Reach>(batch.goal) || joint < 0 ||
      joint >= batch.skeleton.joint_count())
    return false;
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
