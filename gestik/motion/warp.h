#pragma once

#include <optional>

#include "gestik/model/clip.h"
#include "gestik/model/motion_limits.h"
#include "gestik/motion/filter.h"
#include "gestik/motion/tracker.h"

/// Warping: a clip keeps its expression while the end of a chain aims somewhere else. Every frame
/// of the clip is the posture that the tracker keeps in that frame.
namespace gestik {

struct Warp {
  Tracker tracker = {};
  Real look_ahead = 0.5;  ///< seconds: in a clip the future is known
  /// Sends the chain's joints through the motion filter: acceleration and jerk hold as well, and
  /// what trails behind its target no longer meets it.
  std::optional<MotionFilter> filter = {};
};

/// The joints of the skeleton that a warp turns: from `first` to `end`, which must be below it.
/// All others do what they do in the clip.
struct WarpChain {
  JointId first, end;
};

/// The longest chain of hinges (and fixed joints) that ends at a joint; without a hinge, nothing.
std::optional<WarpChain> hinges_below(const Skeleton&, JointId end) noexcept;

struct Warped {
  Clip clip;
  int met = 0;      ///< frames that meet their goal
  int reposes = 0;  ///< transitions that the way of the target made necessary
};

/// One goal for each frame, all of them the chain's end's and of one kind. The clip must fit the
/// skeleton (check(clip, skeleton)). Limits of motion, in joint order, bound the tracker's speed
/// further and are the filter's; empty: the tracker's speed alone does, and the filter takes what
/// motion_limits() has for a joint's type. The first frame is met from the clip's own, without a
/// limit on speed. Frames of the clip that are outside their ranges are brought inside.
Warped warp(const Warp&, const Skeleton&, const Clip&, const WarpChain&,
            std::span<const Goal> goals, std::span<const MotionLimits> limits = {});

}  // namespace gestik
