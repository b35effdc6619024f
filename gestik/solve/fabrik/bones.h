#pragma once

#include "gestik/base/scratch.h"
#include "gestik/solve/overreach.h"
#include "gestik/solve/problem.h"

/// A body as FABRIK sees it: rigid bones that hang on each other at moving joints, with the goals
/// on them.
namespace gestik::fabrik {

inline constexpr int none = -1;

/// What one moving joint carries up to the next ones: fixed and held joints, and all that sit
/// in one rigid piece, are part of it. Only bones on the way to a goal are kept, parents first.
struct Bone {
  JointId joint = no_joint;
  JointType type = JointType::fixed;
  int parent = none;
  int first_child = none, next_sibling = none, first_goal = none;
  Pose rest = {};            ///< parent bone (or world) from this one when its q is zero
  Vec3 axis = Vec3::Zero();  ///< the joint's, in this bone's frame
  Real share = 1;            ///< of each best turn that the joint takes
  bool free = false;         ///< a ball without limits that takes its whole turn

  /// A free bone that nothing but free bones, one after the other, and a reach hang on: its
  /// direction is all that matters, and the passes leave its orientation for later.
  bool plain = false;
  Vec3 arm = Vec3::Zero();  ///< of a plain bone: where the next one, or the reach, takes hold
  Real length = 0;          ///< of the arm

  Real reach = 0;         ///< to the farthest reach beyond, stretched out
  Real turn_weight = 0;   ///< of orientations and aims beyond, per square radian
  Real place_weight = 0;  ///< of where the bone's joint is, per square metre
  Real frame_weight = 0;  ///< of how the bone is turned, per square radian

  // What the passes leave for each other.
  Pose wanted = {};            ///< inwards: where the bone should be
  Pose parent_wanted = {};     ///< inwards: where it would have its parent
  Vec3 anchor = Vec3::Zero();  ///< inwards: where it would have its seat, a point of the parent
  Vec3 tip = Vec3::Zero();     ///< outwards: where a plain bone's arm ends
};

struct Bones {
  std::span<Bone> all;
  std::span<Goal> goals;   ///< as seen from the bones: a goal's joint is the index of its bone
  std::span<Goal> pulled;  ///< the same, with reaches pulled beyond their targets
  std::span<Lead> leads;
  std::span<int> next_goal;  ///< on the same bone
  std::span<Pose> world;     ///< of the bones, after the last pass outwards
};

std::size_t bytes_of_bones(const Skeleton&, std::size_t goals) noexcept;

/// Takes the body apart, linear in joints and goals. Goals that no moving joint carries are left
/// out. `world` is not set yet.
Bones take_bones(const Problem&, Scratch&) noexcept;

}  // namespace gestik::fabrik
