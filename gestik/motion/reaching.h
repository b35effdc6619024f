#pragma once

#include <vector>

#include "gestik/model/clip.h"
#include "gestik/solve/limb/reach.h"

/// Reaching: the hand goes straight to its target, slow at both ends and fastest half way, and the
/// limb is solved in every frame.
namespace gestik {

struct Reaching {
  Real seconds = 0;  ///< how long it takes; 0: as long as people take for that way, see duration()
  Real rate = 60;    ///< frames per second
  SwivelSearch search = {};
  Real swivel_speed = 3;  ///< radians per second towards the preferred swivel
};

/// The share of the way that is done after a share of the time: 10 t^3 - 15 t^4 + 6 t^5, the path
/// of least jerk. Its speed is a bell, zero at both ends and 15/8 of the mean half way.
Real bell_share(Real time_share) noexcept;

/// Half a second, and more the longer the way is beside the limb: about what an arm takes.
Real duration(Real way, Real limb_length) noexcept;

/// A frame in which the limb had to take another pose altogether.
struct SwivelJump {
  int frame = 0;
  Real from = 0, to = 0;  ///< swivels
};

struct Reached {
  Clip clip;  ///< the first frame is the start, the last the target
  std::vector<SwivelJump> jumps = {};
  /// Frames that the limb can't have, and why the first of them; it stands still in them.
  int missed = 0;
  int first_missed = -1;
  LimbReport why = {};
  LimbReport last = {};  ///< what became of the target itself
};

/// From `start`, a pose of the whole body inside its limits, to a target as reach_with_limb takes
/// it. Only the limb moves. The place goes straight, the orientation the shortest way.
Reached reach_motion(const Reaching&, const Limb&, const Skeleton&, const Reach&,
                     const Orient* orient, const PoseTest&, ConstQ start);

}  // namespace gestik
