#include "gestik/solve/fabrik/bones.h"

#include <algorithm>
#include <utility>

#include "gestik/model/joint_ops.h"

namespace gestik::fabrik {
namespace {

/// Where a joint sits on the bone that carries it.
struct Seat {
  int bone = none;  ///< none: on the world
  Pose bone_from_joint = {};
};

Goal on_bone(Goal goal, const Seat& seat) noexcept {
  const Pose& pose = seat.bone_from_joint;
  std::visit([&](auto& g) { g.joint = seat.bone; }, goal);
  if (Reach* reach = std::get_if<Reach>(&goal)) {
    reach->point_in_joint = pose * reach->point_in_joint;
  } else if (Orient* orient = std::get_if<Orient>(&goal)) {
    orient->target = orient->target * pose.q.conjugate();
    orient->symmetry_axis = pose.q * orient->symmetry_axis;
  } else if (Aim* aim = std::get_if<Aim>(&goal)) {
    aim->axis_in_joint = pose.q * aim->axis_in_joint;
    aim->point_in_joint = pose * aim->point_in_joint;
  }
  return goal;
}

bool any_orientation(const Limits& limits) noexcept {
  return limits.swing_x >= pi && limits.swing_y >= pi && limits.hi - limits.lo >= 2 * pi;
}

Bone bone_of(const Problem& problem, JointId j, int parent, const Pose& rest) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const Real hold = problem.intent.per_joint.empty() ? 1 : problem.intent.per_joint[j];
  const JointType type = skeleton.type(j);
  return {.joint = j,
          .type = type,
          .parent = parent,
          .rest = rest,
          .axis = skeleton.axis(j),
          .share = 1 / std::max<Real>(1, hold),
          .free = type == JointType::ball && hold <= 1 && any_orientation(skeleton.limits(j))};
}

/// Marks the joints on the way from the goals to the root.
void mark_used(const Problem& problem, std::span<bool> used) noexcept {
  std::fill(used.begin(), used.end(), false);
  for (const Goal& goal : problem.goals)
    for (JointId j = joint_of(goal); j != no_joint && !used[j]; j = problem.skeleton.parent(j))
      used[j] = true;
}

/// Makes the bones and seats every used joint on one; returns how many bones there are.
std::size_t make_bones(const Problem& problem, std::span<const bool> used, std::span<Seat> seats,
                       std::span<Bone> bones) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  std::size_t count = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (!used[j]) continue;
    const JointId up = skeleton.parent(j);
    const Seat seat = up == no_joint ? Seat{} : seats[up];
    const Pose rest = seat.bone_from_joint * skeleton.parent_from_joint(j);
    if (!may_move(problem, j)) {
      const Real* const q = problem.seed.data() + skeleton.q_offset(j);
      seats[j] = {seat.bone, rest * joint_motion(skeleton, j, q)};
      continue;
    }
    const int index = static_cast<int>(count++);
    seats[j] = {index, {}};
    bones[index] = bone_of(problem, j, seat.bone, rest);
    if (seat.bone != none)
      bones[index].next_sibling = std::exchange(bones[seat.bone].first_child, index);
  }
  return count;
}

/// Hangs the goals on their bones; returns how many found one.
std::size_t hang_goals(const Problem& problem, std::span<const Seat> seats, Bones& bones) noexcept {
  std::size_t count = 0;
  for (const Goal& goal : problem.goals) {
    const Seat& seat = seats[joint_of(goal)];
    if (seat.bone == none) continue;
    Bone& bone = bones.all[seat.bone];
    bones.goals[count] = on_bone(goal, seat);
    bones.leads[count] = {};
    bones.next_goal[count] = std::exchange(bone.first_goal, static_cast<int>(count));
    if (const Reach* reach = std::get_if<Reach>(&bones.goals[count])) {
      bone.place_weight += reach->weight;
      bone.reach = std::max(bone.reach, reach->point_in_joint.norm());
    } else {
      bone.turn_weight += weight_of(goal);
    }
    ++count;
  }
  return count;
}

// A joint's place matters for the reaches beyond it, a bone's orientation for the orientations.
// Each also matters a little for the other: how a bone is turned says how the hinges and limits
// beyond it will lie, and where a joint is, what those beyond it have to turn. The body's own
// lengths take metres to radians.
void weigh(std::span<Bone> bones) noexcept {
  constexpr Real frame_for_place = 0.1;
  for (std::size_t i = bones.size(); i-- > 0;) {
    const Bone& bone = bones[i];
    if (bone.parent == none) continue;
    Bone& parent = bones[bone.parent];
    parent.place_weight += bone.place_weight;
    parent.turn_weight += bone.turn_weight;
    parent.reach = std::max(parent.reach, bone.rest.p.norm() + bone.reach);
  }
  Real size = 0;
  for (const Bone& bone : bones) size = std::max(size, bone.reach);
  if (size == 0) size = 1;
  for (Bone& bone : bones) {
    bone.frame_weight =
        bone.turn_weight + frame_for_place * bone.place_weight * bone.reach * bone.reach;
    bone.place_weight += bone.turn_weight / (size * size);
  }
}

void find_plain(const Bones& bones) noexcept {
  for (std::size_t i = bones.all.size(); i-- > 0;) {
    Bone& bone = bones.all[i];
    if (!bone.free) continue;
    if (bone.first_child != none) {
      const Bone& child = bones.all[bone.first_child];
      bone.plain = child.plain && child.next_sibling == none && bone.first_goal == none;
      bone.arm = child.rest.p;
    } else if (const Reach* reach = std::get_if<Reach>(&bones.goals[bone.first_goal])) {
      bone.plain = bones.next_goal[bone.first_goal] == none;
      bone.arm = reach->point_in_joint;
    }
    bone.length = bone.arm.norm();
  }
}

}  // namespace

std::size_t bytes_of_bones(const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
  return Scratch::bytes_for<bool>(joints) + Scratch::bytes_for<Seat>(joints) +
         Scratch::bytes_for<Bone>(joints) + Scratch::bytes_for<Pose>(joints) +
         2 * Scratch::bytes_for<Goal>(goals) + Scratch::bytes_for<Lead>(goals) +
         Scratch::bytes_for<int>(goals);
}

Bones take_bones(const Problem& problem, Scratch& scratch) noexcept {
  const std::size_t joints = static_cast<std::size_t>(problem.skeleton.joint_count());
  const std::size_t goals = problem.goals.size();
  const auto used = scratch.take<bool>(joints);
  const auto seats = scratch.take<Seat>(joints);
  Bones bones{scratch.take<Bone>(joints), scratch.take<Goal>(goals), scratch.take<Goal>(goals),
              scratch.take<Lead>(goals),  scratch.take<int>(goals),  scratch.take<Pose>(joints)};
  mark_used(problem, used);
  const std::size_t count = make_bones(problem, used, seats, bones.all);
  bones.all = bones.all.first(count);
  bones.world = bones.world.first(count);
  const std::size_t hung = hang_goals(problem, seats, bones);
  bones.goals = bones.goals.first(hung);
  bones.pulled = bones.pulled.first(hung);
  bones.leads = bones.leads.first(hung);
  std::copy(bones.goals.begin(), bones.goals.end(), bones.pulled.begin());
  weigh(bones.all);
  find_plain(bones);
  return bones;
}

}  // namespace gestik::fabrik
