#include "gestik/solve/reduced.h"

#include <algorithm>

#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// What carries a joint: the nearest joint of the reduced list at or above it, and where the joint
/// stands in that one's frame.
struct Carrier {
  JointId at;
  bool needed;
  Pose at_from_joint;
};

Goal restated(const Goal& goal, const Carrier& carrier) noexcept {
  Goal result = goal;
  const Pose& at_from_joint = carrier.at_from_joint;
  if (Reach* reach = std::get_if<Reach>(&result)) {
    reach->joint = carrier.at;
    reach->point_in_joint = at_from_joint * reach->point_in_joint;
  } else if (Aim* aim = std::get_if<Aim>(&result)) {
    aim->joint = carrier.at;
    aim->point_in_joint = at_from_joint * aim->point_in_joint;
    aim->axis_in_joint = at_from_joint.q * aim->axis_in_joint;
  } else if (Orient* orient = std::get_if<Orient>(&result)) {
    orient->joint = carrier.at;
    orient->target = orient->target * at_from_joint.q.conjugate();
    orient->symmetry_axis = at_from_joint.q * orient->symmetry_axis;
  }
  return result;
}

/// A joint as seen from another frame than its parent's.
void carry(const Pose& at_from_parent, Skeleton::Joint& joint) noexcept {
  joint.rest = at_from_parent.q * joint.rest;
  joint.rest_axis = at_from_parent.q * joint.rest_axis;
  joint.offset = at_from_parent * joint.offset;
  joint.slide = at_from_parent.q * joint.slide;
}

Real squared_error(const Goal& goal, const Pose& world) noexcept {
  const Real beyond = std::max(0.0, residual(goal, world) - tolerance_of(goal));
  return weight_of(goal) * beyond * beyond;
}

}  // namespace

std::size_t reduced_bytes(const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t count = static_cast<std::size_t>(skeleton.joint_count());
  return Scratch::bytes_for<Carrier>(count) + Scratch::bytes_for<Skeleton::Joint>(count) +
         Scratch::bytes_for<JointId>(count) + Scratch::bytes_for<Goal>(goals);
}

Reduced reduce(const Problem& problem, Scratch& scratch) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const std::span<const Skeleton::Joint> joints = skeleton.joints();
  const std::span<Carrier> carriers = scratch.take<Carrier>(joints.size());
  Reduced reduced{.joints = scratch.take<Skeleton::Joint>(joints.size()),
                  .source = scratch.take<JointId>(joints.size()),
                  .goals = scratch.take<Goal>(problem.goals.size())};

  for (Carrier& carrier : carriers) carrier.needed = false;
  for (const Goal& goal : problem.goals)
    for (JointId j = joint_of(goal); j != no_joint && !carriers[j].needed; j = joints[j].parent)
      carriers[j].needed = true;

  JointId count = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (!carriers[j].needed) continue;
    const JointId parent = joints[j].parent;
    const JointId at = parent == no_joint ? no_joint : carriers[parent].at;
    const bool parent_moves = parent != no_joint && at != no_joint && reduced.source[at] == parent;
    const Pose at_from_parent =
        parent == no_joint || parent_moves ? Pose{} : carriers[parent].at_from_joint;
    if (!may_move(problem, j)) {
      carriers[j].at = at;
      carriers[j].at_from_joint = at_from_parent * skeleton.parent_from_joint(j);
      if (joints[j].type != JointType::fixed)
        carriers[j].at_from_joint =
            carriers[j].at_from_joint *
            joint_motion(skeleton, j, problem.seed.data() + joints[j].q_offset);
      continue;
    }
    Skeleton::Joint& joint = reduced.joints[count] = joints[j];
    if (!parent_moves) carry(at_from_parent, joint);
    joint.parent = at;
    joint.q_offset = reduced.q_size;
    joint.v_offset = reduced.v_size;
    reduced.q_size += q_size(joint.type);
    reduced.v_size += v_size(joint.type);
    reduced.source[count] = j;
    carriers[j].at = count++;
    carriers[j].at_from_joint = Pose{};
  }
  reduced.joints = reduced.joints.first(count);
  reduced.source = reduced.source.first(count);

  std::size_t movable = 0;
  for (const Goal& goal : problem.goals) {
    const Carrier& carrier = carriers[joint_of(goal)];
    if (carrier.at == no_joint)
      reduced.unmovable += squared_error(goal, carrier.at_from_joint);
    else
      reduced.goals[movable++] = restated(goal, carrier);
  }
  reduced.goals = reduced.goals.first(movable);
  return reduced;
}

void gather(const Reduced& reduced, const Skeleton& skeleton, ConstQ whole, Q part) noexcept {
  for (std::size_t k = 0; k < reduced.joints.size(); ++k)
    std::copy_n(whole.data() + skeleton.q_offset(reduced.source[k]), q_size(reduced.joints[k].type),
                part.data() + reduced.joints[k].q_offset);
}

void scatter(const Reduced& reduced, const Skeleton& skeleton, ConstQ part, Q whole) noexcept {
  for (std::size_t k = 0; k < reduced.joints.size(); ++k)
    std::copy_n(part.data() + reduced.joints[k].q_offset, q_size(reduced.joints[k].type),
                whole.data() + skeleton.q_offset(reduced.source[k]));
}

}  // namespace gestik
