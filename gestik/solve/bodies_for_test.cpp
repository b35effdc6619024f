#include "gestik/solve/bodies_for_test.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/limb/limbs_for_test.h"

namespace gestik::test {
namespace {

Skeleton built(const SkeletonDraft& draft) {
  return std::move(*build(draft));
}

Vec3 axis_named(char name) {
  return name == 'X' ? Vec3::UnitX() : name == 'Y' ? Vec3::UnitY() : Vec3::UnitZ();
}

}  // namespace

Skeleton hinge_chain(std::string_view axes, Real range) {
  SkeletonDraft draft;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Vec3 place = i == 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::UnitY());
    draft.joints.push_back({.name = numbered("j", static_cast<int>(i)),
                            .parent = i == 0 ? "" : numbered("j", static_cast<int>(i) - 1),
                            .type = JointType::hinge,
                            .parent_from_joint = {Quat::Identity(), place},
                            .axis = axis_named(axes[i]),
                            .limits = {.lo = -range, .hi = range}});
  }
  return built(draft);
}

Skeleton ball_chain(int joints, Real swing, Real twist) {
  SkeletonDraft draft;
  for (int i = 0; i < joints; ++i) {
    const Vec3 place = i == 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::UnitY() / joints);
    draft.joints.push_back(
        {.name = numbered("b", i),
         .parent = i == 0 ? "" : numbered("b", i - 1),
         .type = JointType::ball,
         .parent_from_joint = {Quat::Identity(), place},
         .limits = {.lo = -twist, .hi = twist, .swing_x = swing, .swing_y = swing}});
  }
  draft.joints.push_back({.name = "tip",
                          .parent = numbered("b", joints - 1),
                          .parent_from_joint = {Quat::Identity(), Vec3::UnitY() / joints}});
  return built(draft);
}

Skeleton rail_robot() {
  const auto joint = [](std::string name, std::string parent, JointType type, Vec3 place, Vec3 axis,
                        Real lo, Real hi) {
    return JointDraft{std::move(name),
                      std::move(parent),
                      type,
                      {exp(Vec3(0.3 * place.y(), -place.x(), 0.7 * place.z())), place},
                      axis,
                      {.lo = lo, .hi = hi}};
  };
  return built({{
      joint("rail", "", JointType::slider, {0, 0, 0.1}, {1, 0, 0}, -0.5, 0.5),
      joint("waist", "rail", JointType::hinge, {0, 0.3, 0}, {0, 1, 0}, -2.9, 2.9),
      joint("shoulder", "waist", JointType::hinge, {0.1, 0.2, 0}, {1, 0, 0.2}, -2, 2),
      joint("elbow", "shoulder", JointType::hinge, {0, 0.4, 0.02}, {1, 0, 0}, -0.2, 2.5),
      joint("forearm", "elbow", JointType::hinge, {0.03, 0.2, 0}, {0, 1, 0}, -infinity, infinity),
      joint("wrist", "forearm", JointType::hinge, {0, 0.2, 0}, {0, 0.3, 1}, -2, 2),
      joint("tool", "wrist", JointType::fixed, {0, 0.1, 0.05}, {0, 1, 0}, 0, 0),
  }});
}

Skeleton mixed_tree() {
  SkeletonDraft draft;
  const auto add = [&](std::string name, std::string parent, JointType type, Vec3 place, Vec3 axis,
                       Limits limits) {
    draft.joints.push_back(
        {std::move(name), std::move(parent), type, {Quat::Identity(), place}, axis, limits});
  };
  const Limits swing{.lo = -0.8, .hi = 0.8, .swing_x = 1.4, .swing_y = 0.9};
  add("pelvis", "", JointType::fixed, {0, 1, 0}, {0, 1, 0}, {});
  add("lift", "pelvis", JointType::slider, {0, 0, 0}, {0, 1, 0}, {.lo = -0.1, .hi = 0.1});
  add("spine", "lift", JointType::ball, {0, 0.1, 0}, {0, 1, 0},
      {.lo = -0.5, .hi = 0.5, .swing_x = 0.6, .swing_y = 0.4});
  add("chest", "spine", JointType::fixed, {0, 0.3, 0}, {0, 1, 0}, {});
  for (const Real side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "left_" : "right_";
    add(s + "shoulder", "chest", JointType::ball, {side * 0.2, 0.1, 0}, {side, 0, 0}, swing);
    add(s + "elbow", s + "shoulder", JointType::hinge, {side * 0.3, 0, 0}, {0, -side, 0},
        {.lo = 0, .hi = 2.5});
    add(s + "twist", s + "elbow", JointType::hinge, {side * 0.1, 0, 0}, {side, 0, 0},
        {.lo = -1.5, .hi = 1.5});
    add(s + "hand", s + "twist", JointType::fixed, {side * 0.15, 0, 0}, {side, 0, 0}, {});
  }
  add("neck", "chest", JointType::hinge, {0, 0.2, 0}, {0, 1, 0}, {.lo = -1.3, .hi = 1.3});
  add("head", "neck", JointType::hinge, {0, 0.1, 0}, {1, 0, 0}, {.lo = -0.7, .hi = 0.9});
  return built(draft);
}

Skeleton hinge_torso() {
  SkeletonDraft draft;
  const auto add = [&](std::string name, std::string parent, const Vec3& at, const Vec3& axis,
                       Real lo, Real hi) {
    draft.joints.push_back({.name = std::move(name),
                            .parent = std::move(parent),
                            .type = JointType::hinge,
                            .parent_from_joint = {exp(0.3 * at), at},
                            .axis = axis,
                            .limits = {.lo = lo, .hi = hi}});
  };
  add("waist", "", {0, 0, 0}, {0, 1, 0}, -2, 2);
  add("lean", "waist", {0, 0.2, 0.05}, {1, 0, 0.1}, -0.5, 1);
  for (const Real side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "left_" : "right_";
    // Shoulder and wrist: three hinges in one place, as robots have them.
    add(s + "raise", "lean", {side * 0.2, 0.3, 0}, {1, 0, 0}, -3, 3);
    add(s + "spread", s + "raise", {0, 0, 0}, {0, 0, side}, -0.3, 2);
    add(s + "turn", s + "spread", {0, 0, 0}, {0, 1, 0}, -1.6, 1.6);
    add(s + "elbow", s + "turn", {0, -0.3, 0}, {1, 0, 0}, -2.4, 0);
    add(s + "twist", s + "elbow", {0, -0.25, 0}, {0, 1, 0}, -1.6, 1.6);
    add(s + "nod", s + "twist", {0, 0, 0}, {1, 0, 0}, -1, 1);
    add(s + "hand", s + "nod", {0, -0.1, 0}, {0, 0, 1}, -0.5, 0.5);
  }
  return built(draft);
}

Body mixed_tree_body() {
  Skeleton tree = mixed_tree();
  const std::vector<JointId> ends{tree.find("left_hand"), tree.find("right_hand"),
                                  tree.find("head")};
  return {"mixed tree", std::move(tree), ends};
}

std::vector<Body> all_bodies() {
  std::vector<Body> bodies;
  bodies.push_back({"one hinge", hinge_chain("X"), {0}});
  bodies.push_back({"C", hinge_chain("YXXZY"), {4}});
  bodies.push_back({"G", hinge_chain("YXZXYXZY"), {7}});
  Skeleton torso = hinge_torso();
  const std::vector<JointId> hands{torso.find("left_hand"), torso.find("right_hand")};
  bodies.push_back({"hinge torso", std::move(torso), hands});
  bodies.push_back({"balls", ball_chain(6), {6}});
  bodies.push_back({"stiff balls", ball_chain(6, 0.7, 0.4), {6}});
  bodies.push_back({"rail robot", rail_robot(), {6}});
  bodies.push_back(mixed_tree_body());
  // The last joint twice: a reach and an orient of one end.
  Skeleton arm = human_arm();
  const JointId hand = arm.find("hand");
  bodies.push_back({"arm", std::move(arm), {hand, hand}});
  Skeleton robot = seven_hinges();
  const JointId flange = robot.find("flange");
  bodies.push_back({"seven hinges", std::move(robot), {flange, flange}});
  return bodies;
}

std::vector<Real> random_pose(const Skeleton& skeleton, Random& random) {
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    Real* const value = q.data() + skeleton.q_offset(j);
    const Limits& limits = skeleton.limits(j);
    switch (skeleton.type(j)) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        *value = random.uniform(std::max(limits.lo, -pi), std::min(limits.hi, pi));
        break;
      case JointType::slider:
        *value = random.uniform(std::max(limits.lo, -1.0), std::min(limits.hi, 1.0));
        break;
      case JointType::ball: {
        const Real angle = random.uniform(-pi, pi), share = std::sqrt(random.share());
        const BallAngles angles{limits.swing_x * share * std::cos(angle),
                                limits.swing_y * share * std::sin(angle),
                                random.uniform(std::max(limits.lo, -pi), std::min(limits.hi, pi))};
        store_quat(ball_from_angles(skeleton, j, angles), value);
        break;
      }
    }
    clamp_joint(skeleton, j, value);
  }
  return q;
}

Goal goal_met_by(GoalKind kind, JointId joint, std::span<const Pose> world_from_joint,
                 Random& random) {
  const Pose& pose = world_from_joint[joint];
  const Vec3 point = 0.1 * random.direction();
  const Vec3 axis = random.direction();
  switch (kind) {
    case GoalKind::reach:
      return Reach{.joint = joint, .point_in_joint = point, .target = pose * point};
    case GoalKind::orient:
      return Orient{.joint = joint, .target = pose.q};
    case GoalKind::aim:
      return Aim{.joint = joint,
                 .axis_in_joint = axis,
                 .point_in_joint = point,
                 .target = pose * Vec3(point + random.uniform(0.2, 3) * axis)};
    case GoalKind::aim_direction:
      return Aim{
          .joint = joint, .axis_in_joint = axis, .target = pose.q * axis, .at_infinity = true};
  }
  return Reach{};
}

std::vector<Goal> hands_and_head(const Body& body, Random& random) {
  const std::vector<Pose> world = poses(body.skeleton, random_pose(body.skeleton, random));
  std::vector<Goal> goals;
  for (const JointId end : body.ends)
    goals.push_back(
        goal_met_by(end == body.ends[2] ? GoalKind::aim : GoalKind::reach, end, world, random));
  return goals;
}

}  // namespace gestik::test
