#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gestik/model/random_skeleton_for_test.h"
#include "gestik/solve/problem.h"

/// Small bodies and random problems that every solver is tried on.
namespace gestik::test {

/// Hinges about the named axes ("YXXZY"), unit segments along +Y, all limits +-range.
Skeleton hinge_chain(std::string_view axes, Real range = pi / 2);

/// Ball joints with segments of 1/n along +Y; a swing of pi means no limit.
Skeleton ball_chain(int joints, Real swing = pi, Real twist = pi);

/// Slider, hinges about skew axes, offsets that do not line up: a robot on a rail.
Skeleton rail_robot();

/// Every joint type, two arms and a head on a trunk, fixed joints in between and at the tips.
Skeleton mixed_tree();

/// Two arms of hinges on a torso of hinges: shoulders and wrists with several joints in one place.
Skeleton hinge_torso();

struct Body {
  std::string name;
  Skeleton skeleton;
  std::vector<JointId> ends;
};
std::vector<Body> all_bodies();
Body mixed_tree_body();  ///< ends: left hand, right hand, head

/// Evenly spread inside the limits (sliders without an end: within a metre).
std::vector<Real> random_pose(const Skeleton&, Random&);

enum class GoalKind { reach, orient, aim, aim_direction };

/// A goal that the joint's pose in `world_from_joint` meets exactly.
Goal goal_met_by(GoalKind, JointId, std::span<const Pose> world_from_joint, Random&);

/// Goals that a random pose of the mixed tree meets: its hands reach, its head aims.
std::vector<Goal> hands_and_head(const Body& mixed_tree, Random&);

}  // namespace gestik::test
