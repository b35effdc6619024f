#pragma once

#include <string>

#include "gestik/math/rotation.h"
#include "gestik/model/skeleton.h"

/// Bodies with arms and legs, for tests.
namespace gestik::test {

inline JointDraft limb_joint(std::string name, std::string parent, JointType type,
                             const Vec3& place, const Vec3& axis, const Limits& limits = {},
                             const Quat& turn = Quat::Identity()) {
  return {std::move(name), std::move(parent), type, {turn, place}, axis, limits};
}

/// A right arm that hangs on nothing: shoulder, elbow, a forearm that twists, a wrist that twists a
/// little too.
inline Skeleton human_arm() {
  return std::move(*build({{
      limb_joint("shoulder", "", JointType::ball, {-0.15, 1.4, 0}, {-1, 0, 0},
                 {.lo = -1.5, .hi = 1.5, .swing_x = 1.6, .swing_y = 1.5}, exp({0.1, 0.7, 0.25})),
      limb_joint("elbow", "shoulder", JointType::hinge, {-0.29, 0, 0}, {0, 1, 0},
                 {.lo = 0, .hi = 2.5}),
      limb_joint("forearm", "elbow", JointType::hinge, {-0.13, 0, 0}, {1, 0, 0},
                 {.lo = -1.4, .hi = 1.4}),
      limb_joint("wrist", "forearm", JointType::ball, {-0.13, 0, 0}, {-1, 0, 0},
                 {.lo = -0.1, .hi = 0.1, .swing_x = 1.2, .swing_y = 0.5}),
      limb_joint("hand", "wrist", JointType::fixed, {-0.09, 0, 0}, {1, 0, 0}),
  }}));
}

/// A leg without a twist at the knee.
inline Skeleton human_leg() {
  return std::move(*build({{
      limb_joint("hip", "", JointType::ball, {0.09, 0.93, 0}, {0, -1, 0},
                 {.lo = -0.8, .hi = 0.8, .swing_x = 1.15, .swing_y = 0.75}, exp({-0.7, 0, 0})),
      limb_joint("knee", "hip", JointType::hinge, {0, -0.43, 0}, {1, 0, 0}, {.lo = -0.7, .hi = 1.7},
                 exp({0.7, 0, 0})),
      limb_joint("ankle", "knee", JointType::ball, {0, -0.43, 0}, {0, -1, 0},
                 {.lo = -0.4, .hi = 0.4, .swing_x = 0.7, .swing_y = 0.4}),
  }}));
}

/// A robot of seven hinges, three that meet in the shoulder, one in the elbow, three that meet in
/// the wrist; with `wrist_offset` above zero the last ones miss each other by that much.
inline Skeleton seven_hinges(Real wrist_offset = 0) {
  const auto hinge = [](std::string name, std::string parent, const Vec3& place, const Vec3& axis,
                        Real range) {
    return limb_joint(std::move(name), std::move(parent), JointType::hinge, place, axis,
                      {.lo = -range, .hi = range});
  };
  return std::move(*build({{
      hinge("a1", "", {0, 0, 0.16}, {0, 0, 1}, 2.9),
      hinge("a2", "a1", {0, 0, 0.2}, {0, 1, 0}, 2.0),
      hinge("a3", "a2", {0, 0, 0.21}, {0, 0, 1}, 2.9),
      hinge("a4", "a3", {0, 0, 0.21}, {0, -1, 0}, 2.0),
      hinge("a5", "a4", {0, 0, 0.19}, {0, 0, 1}, 2.9),
      hinge("a6", "a5", {0, 0, 0.21}, {0, 1, 0}, 2.0),
      hinge("a7", "a6", {wrist_offset, 0, 0.08}, {0, 0, 1}, 3.0),
      limb_joint("flange", "a7", JointType::fixed, {0, 0, 0.045}, {0, 0, 1}),
  }}));
}

/// As motion capture has it: balls without limits from head to toe, named as is usual.
inline Skeleton capture_rig() {
  SkeletonDraft draft;
  const auto ball = [&](std::string name, std::string parent, const Vec3& place) {
    draft.joints.push_back(
        limb_joint(std::move(name), std::move(parent), JointType::ball, place, {0, 1, 0}));
  };
  ball("Hips", "", {0, 0.9, 0});
  ball("Spine", "Hips", {0, 0.1, 0});
  ball("Spine1", "Spine", {0, 0.2, 0});
  ball("Neck", "Spine1", {0, 0.2, 0});
  ball("Neck1", "Neck", {0, 0.08, 0});
  ball("Head", "Neck1", {0, 0.08, 0.01});
  for (const Real side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "Left" : "Right";
    ball(s + "Shoulder", "Spine1", {side * 0.02, 0.15, 0});
    ball(s + "Arm", s + "Shoulder", {side * 0.3, 0, 0});
    ball(s + "ForeArm", s + "Arm", {side * 0.29, 0, 0});
    ball(s + "Hand", s + "ForeArm", {side * 0.25, 0, 0});
    ball(s + "HandIndex1", s + "Hand", {side * 0.08, 0, 0});
    ball(s + "UpLeg", "Hips", {side * 0.1, -0.05, 0});
    ball(s + "Leg", s + "UpLeg", {0, -0.42, 0});
    ball(s + "Foot", s + "Leg", {0, -0.4, 0});
    ball(s + "ToeBase", s + "Foot", {0, -0.05, 0.14});
  }
  return std::move(*build(draft));
}

}  // namespace gestik::test
