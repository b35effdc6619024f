#pragma once

#include <optional>

#include "gestik/base/scratch.h"
#include "gestik/goal/goal.h"
#include "gestik/goal/pose_condition.h"
#include "gestik/solve/limb/closed_form.h"

/// Reaching with a limb: the swivel nearest to a preferred one at which limits and collisions let
/// it be, or the exact reason why there is none.
namespace gestik {

/// How the swivel is searched. Limits and a PoseTest are treated alike: the preferred swivel first,
/// then to both sides in growing steps; when a bound is hit it goes on on the other side. The edge
/// of what will do is then halved in. If the steps find nothing that the limits allow, a close look
/// follows, so that not even a narrow gap is missed.
struct SwivelSearch {
  std::optional<Real> preferred = {};  ///< none: as the start has it
  Real lo = -pi, hi = pi;              ///< a whole turn or more: the full circle
  Real step = 0.07;                    ///< the first, radians
  Real growth = 1.12;                  ///< of each step beside the one before
  int halvings = 10;
  int tests = 1000;        ///< at most, all together
  bool close_look = true;  ///< when the steps find nothing: a fine comb, then every dip
};

/// What came of it.
struct LimbReport {
  LimbFault fault = LimbFault::none;
  JointId joint = no_joint;  ///< limit: whose
  AtLimit at = AtLimit::none;
  /// Metres too far or too near; radians beyond the limit at the swivel where the limits are
  /// broken least.
  Real amount = 0;
  Clash clash = {};     ///< of the tested swivel nearest to the preferred one
  Real preferred = 0;   ///< the swivel asked for
  Real swivel = 0;      ///< the swivel found; where there is none, that of the pose written
  bool jumped = false;  ///< follow_with_limb only
  int tests = 0;
  bool cut_short = false;  ///< the tests ran out before the search was through

  bool reached() const noexcept { return fault == LimbFault::none && !cut_short; }
};

/// "too far by 0.12 m", "right_elbow would be 4.2 degrees beyond its upper limit".
std::string describe(const Skeleton&, const LimbReport&);

std::size_t reach_scratch_bytes(const Skeleton&) noexcept;

/// Brings a point of the limb's last joint, or of what it carries, to its target and, if `orient`
/// is given (of the same joint, and the limb has an end), turns that joint as asked. `q` is the
/// pose of the whole body: where to start, and the answer. Only the limb's joints are written,
/// always inside their limits; where it fails, as near as the closed form comes. `q` must be sound
/// and inside the limits. No allocation.
LimbReport reach_with_limb(const Limb&, const Skeleton&, const Reach&, const Orient* orient,
                           const SwivelSearch&, const PoseTest&, Scratch&, Q q) noexcept;

/// The same for a target that moves, frame by frame: `q` is the frame before. The swivel goes from
/// where it is towards the preferred one, at most `most_turn` in a frame, and stops before whatever
/// is in the way: the elbow does not jump to a better place as soon as there is one. Where it can't
/// stay within most_turn it takes the nearest that will do, and says `jumped`.
LimbReport follow_with_limb(const Limb&, const Skeleton&, const Reach&, const Orient* orient,
                            const SwivelSearch&, Real most_turn, const PoseTest&, Scratch&,
                            Q q) noexcept;

}  // namespace gestik
