#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gestik/model/clip.h"
#include "gestik/model/motion_limits.h"

namespace gestik {

enum class MotionLimit : std::uint8_t { range, velocity, acceleration, jerk };
std::string_view to_string(MotionLimit) noexcept;

/// Where a clip asks more of a joint than it can do.
struct Breach {
  int frame = 0;  ///< the last of the frames that show it: one for a range, two for a velocity, ...
  JointId joint = 0;
  MotionLimit limit = MotionLimit::range;
  Real value = 0;  ///< what it comes to; of a range, how far outside it is (a ball: the angle)
  Real most = 0;   ///< what it may be; 0 of a range
};

struct MotionCheck {
  std::vector<Breach> breaches;  ///< in the order of frames, then of joints
  Real stretch =
      1;  ///< the least factor on the clip's time that leaves only breaches of range: slowed
          ///< down s times, velocities fall by s, accelerations by s^2, jerks by s^3
  bool range_kept = true;  ///< if not, no stretch will mend it
};

/// Differences between frames, which are averages of what happens between them: a clip that passes
/// may still be rough inside a frame, if something else than a smooth curve is played between them.
/// A ball's velocity is its rotation vector from frame to frame over the time of a frame, the rest
/// differences of that; what counts is the length. A hinge without limits goes the shorter way
/// round: captured angles jump from one end of the circle to the other. What is before the first
/// frame and after the last nobody knows, and nothing is said of it. The clip must fit the skeleton
/// (check(clip, skeleton)); limits are in joint order.
MotionCheck check_motion(const Clip&, const Skeleton&, std::span<const MotionLimits>);

}  // namespace gestik
