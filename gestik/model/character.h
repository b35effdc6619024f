#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/model/motion_limits.h"
#include "gestik/model/shape.h"
#include "gestik/model/skeleton.h"

namespace gestik {

/// The axis a character's file calls up. Nothing is turned to suit it: only a view turns.
enum class UpAxis : std::uint8_t { x, y, z };
std::string_view to_string(UpAxis) noexcept;

/// A named place on a joint: an end-point, a robot's link, a tool tip.
struct Frame {
  std::string name = {};
  JointId joint = 0;
  Pose joint_from_frame = {};
  /// The direction that looks or points, in this frame: what an Aim goal turns towards its target.
  Vec3 aim = Vec3::UnitY();
};

/// A pose an animator gave a name to.
struct Posture {
  std::string name = {};
  std::vector<Real> q = {};
};

/// A joint that its maker says follows another: q = multiplier * source + offset. Kept as data; the
/// skeleton treats the joint as free.
struct Mimic {
  JointId joint = 0;
  JointId source = 0;
  Real multiplier = 1;
  Real offset = 0;
};

/// A skeleton and what people say about it. Plain data; check() tells whether it hangs together.
struct Character {
  std::string name = {};
  UpAxis up = UpAxis::y;
  Skeleton skeleton;
  std::vector<Frame> ends = {};   ///< what can look, point or reach; the first is the default
  std::vector<Frame> links = {};  ///< other names for places on joints, such as a URDF's links
  std::vector<Posture> postures = {};
  std::vector<Mimic> mimics = {};
  /// How fast each joint may move, in joint order; empty: as motion_limits() has it for its type.
  std::vector<MotionLimits> motion = {};
  std::vector<Shape> shapes = {};  ///< its flesh, for collisions
  std::vector<MayTouch> may_touch = {};
};

/// What is wrong with it, or nothing: names that are empty or used twice among ends (or postures,
/// or links), joints out of range, postures of the wrong size, numbers that are not finite, a zero
/// aim or quaternion, motion limits that are not above zero or not one per joint, shapes that
/// shape.h refuses. Postures may lie outside the limits: they are wishes.
std::optional<Error> check(const Character&);

/// The motion limits of all joints, in joint order, whether or not the character names any.
std::vector<MotionLimits> motion_limits(const Character&);

const Posture* find_posture(const Character&, std::string_view name) noexcept;

/// A place by any of its names: an end-point, then a link, then a joint (with its own frame and
/// the default aim). The error lists what was probably meant.
Result<Frame> find_frame(const Character&, std::string_view name);

}  // namespace gestik
