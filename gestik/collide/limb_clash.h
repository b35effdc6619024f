#pragma once

#include "gestik/collide/collider.h"
#include "gestik/goal/pose_condition.h"

namespace gestik {

/// Whether a limb meets anything, as the search for its swivel asks: a PoseTest over a Collider.
/// While the limb swivels about its end, `limb` moves and `end` (a hand, a foot) does not. The
/// numbers of a Clash are those of the Collider's solids.
///
///     LimbClash arm = limb_clash(collider, placement, joints_of_arm, joints_of_hand);
///     settle(arm, world_from_joint);        // whenever the rest of the body has moved
///     reach_with_limb(..., with_still_end(arm), ...);
///
/// Made once; asked without allocating. One thread at a time.
struct LimbClash {
  const Collider* collider = nullptr;
  Placement* placement = nullptr;  ///< may be shared between those that take turns
  PairSet limb = {};
  PairSet end = {};
  /// Where the body stands, for poses that are given in its own frame; none: they are the world's.
  const Pose* world_from_body = nullptr;
};

/// Joints that carry no solids may be among them.
LimbClash limb_clash(const Collider&, Placement&, std::span<const JointId> limb,
                     std::span<const JointId> end);

/// The same for everything but these joints: a body without its arms.
LimbClash rest_clash(const Collider&, Placement&, std::span<const JointId> except);

/// Places every solid.
void settle(LimbClash&, std::span<const Pose> world_from_joint) noexcept;

/// For a search that turns the end as asked, so that it stays while the limb swivels: the end is
/// looked at once.
PoseTest with_still_end(LimbClash&) noexcept;

/// For a search that lets the end move along: everything is looked at each time.
PoseTest with_moving_end(LimbClash&) noexcept;

}  // namespace gestik
