#pragma once

#include "gestik/goal/goal.h"
#include "gestik/math/rotation.h"
#include "gestik/model/character.h"

namespace gestik {

// Goals for a named place of a character (an end-point, a link) instead of a joint. The rest of the
// goal has its defaults and can be set afterwards:
//
//     Aim look = aim(head, {0.4, 0.3, 0.5});
//     look.tolerance = 0.01;

/// Bring the place to a point.
inline Reach reach(const Frame& frame, const Vec3& target) {
  return {.joint = frame.joint, .point_in_joint = frame.joint_from_frame.p, .target = target};
}

/// Bring the place's own frame to an orientation in the world. Its half turn, if `symmetric` is set
/// afterwards, is about the direction in which it looks.
inline Orient orient(const Frame& frame, const Quat& world_from_frame) {
  const Quat joint_from_frame = normalized_or_identity(frame.joint_from_frame.q);
  return {.joint = frame.joint,
          .target = world_from_frame * joint_from_frame.conjugate(),
          .symmetry_axis = joint_from_frame * normalized_or_zero(frame.aim)};
}

/// Turn the direction in which the place looks (Frame::aim), seen from the place, to a point.
inline Aim aim(const Frame& frame, const Vec3& target) {
  return {.joint = frame.joint,
          .axis_in_joint =
              normalized_or_identity(frame.joint_from_frame.q) * normalized_or_zero(frame.aim),
          .point_in_joint = frame.joint_from_frame.p,
          .target = target};
}

}  // namespace gestik
