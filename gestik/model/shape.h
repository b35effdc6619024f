#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/model/skeleton.h"

namespace gestik {

// The simple volumes a body is made of, each in the frame of what it sits on. Plain data: the room
// collide/ asks whether they meet.

struct Sphere {
  Vec3 center = Vec3::Zero();
  Real radius = 0;  ///< above zero
};

/// All points within `radius` of the line from `a` to `b`, which may be one point.
struct Capsule {
  Vec3 a = Vec3::Zero();
  Vec3 b = Vec3::Zero();
  Real radius = 0;  ///< above zero
};

struct Cuboid {
  Pose pose = {};            ///< its middle and its axes
  Vec3 half = Vec3::Zero();  ///< half of its sizes along them, each above zero
};

using Volume = std::variant<Sphere, Capsule, Cuboid>;

/// A volume that moves with a joint.
struct Shape {
  std::string name = {};
  JointId joint = 0;
  Volume volume = {};
};

/// What is wrong with a volume in words ("its radius must be above zero"), or nothing.
std::optional<std::string> fault_of(const Volume&);

/// Two shapes by name that may touch: where they meet is no collision.
using MayTouch = std::array<std::string, 2>;

/// What is wrong with these shapes, or nothing: names that are empty or come twice, joints that do
/// not exist, unsound volumes, and pairs that name no shape or one shape twice.
std::optional<Error> check(std::span<const Shape>, std::span<const MayTouch>, const Skeleton&);

}  // namespace gestik
