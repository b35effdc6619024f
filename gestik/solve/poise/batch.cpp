#include "gestik/solve/poise/batch.h"

#include <algorithm>
#include <array>

#include "gestik/model/joint_ops.h"
#include "gestik/solve/poise/search.h"

namespace gestik {
namespace {

using namespace poise;

int target_rows(const Goal& goal) noexcept {
  return std::holds_alternative<Orient>(goal) ? 4 : 3;
}

/// A character's column.
void gather(std::span<const Real> rows, std::size_t count, std::size_t c, Q out) noexcept {
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = rows[r * count + c];
}

bool all_bounded(ConstQ numbers) noexcept {
  return std::all_of(numbers.begin(), numbers.end(), [](Real x) { return is_bounded(x); });
}

/// False where the target makes no sense.
bool set_target(Goal& goal, ConstQ numbers) noexcept {
  if (!all_bounded(numbers)) return false;
  const bool zero = std::all_of(numbers.begin(), numbers.end(), [](Real x) { return x == 0; });
  if (Orient* orient = std::get_if<Orient>(&goal)) {
    orient->target = Quat(numbers[0], numbers[1], numbers[2], numbers[3]);
    goal = normalized(goal);
    return !zero;
  }
  Aim& aim = *std::get_if<Aim>(&goal);
  aim.target = Vec3(numbers[0], numbers[1], numbers[2]);
  goal = normalized(goal);
  return !(zero && aim.at_infinity);
}

bool has_size(std::span<const Real> rows, std::size_t wanted) noexcept {
  return rows.empty() || rows.size() == wanted;
}

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
  const std::size_t q = static_cast<std::size_t>(batch.skeleton.q_size());
  const std::size_t joints = static_cast<std::size_t>(batch.skeleton.joint_count());
  return scratch_bytes(Poise{}, batch.skeleton, 1) + 3 * Scratch::bytes_for<Real>(q) +
         Scratch::bytes_for<Pose>(joints);
}

void solve_block(const Poise& settings, const PoiseBatch& batch, std::size_t first,
                 std::size_t some, Scratch& scratch, std::span<Real> out,
                 std::span<Status> status) noexcept {
  const Scratch::Frame frame(scratch);
  const Skeleton& skeleton = batch.skeleton;
  const std::size_t size = static_cast<std::size_t>(skeleton.q_size());
  const Q posture = scratch.take<Real>(batch.postures.empty() ? 0 : size);
  const Q seed = scratch.take<Real>(size), answer = scratch.take<Real>(size);
  const auto poses = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
  std::copy(skeleton.neutral().begin(), skeleton.neutral().end(), seed.begin());
  Goal goal = normalized(batch.goal);
  const Problem problem{skeleton, {&goal, 1}, {posture, 1, batch.per_joint}, seed};
  const auto links = scratch.take<Link>(static_cast<std::size_t>(movable_joints(problem)));
  const Chain chain = read_chain(problem, weights_of(settings), links);

  for (std::size_t c = first; c < first + some; ++c) {
    const Scratch::Frame own(scratch);
    if (!posture.empty()) gather(batch.postures, batch.count, c, posture);
    if (!batch.seeds.empty())
      gather(batch.seeds, batch.count, c, seed);
    else if (!posture.empty())
      std::copy(posture.begin(), posture.end(), seed.begin());
    std::array<Real, 4> target{};
    const Q numbers = Q(target).first(static_cast<std::size_t>(target_rows(goal)));
    gather(batch.targets, batch.count, c, numbers);
    const bool sound = all_bounded(seed) && all_bounded(posture) && set_target(goal, numbers);
    clamp_to_limits(skeleton, seed);
    std::copy(seed.begin(), seed.end(), answer.begin());
    const auto met = [&](ConstQ q) {
      forward(skeleton, q, poses);
      return all_met(problem.goals, poses);
    };
    if (!sound) {
      status[c] = Status::bad_problem;
    } else if (links.empty() || (posture.empty() && met(seed))) {
      status[c] = met(seed) ? Status::reached : Status::stalled;
    } else {
      Search search(settings, problem, chain, scratch);
      status[c] = run_rounds(search, Budget::recommended).status;
      search.write(answer);
      clamp_to_limits(skeleton, answer);
      if (met(answer))
        status[c] = Status::reached;
      else if (status[c] == Status::reached)
        status[c] = Status::stalled;
    }
    for (std::size_t r = 0; r < size; ++r) out[r * batch.count + c] = answer[r];
  }
}

}  // namespace gestik
