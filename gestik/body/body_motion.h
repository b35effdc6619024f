#pragma once

#include "gestik/body/whole_body.h"
#include "gestik/motion/reaching.h"

/// The way to a reach of the whole body, as a clip.
namespace gestik {

struct BodyReached {
  BodyReport report = {};                                 ///< of the targets themselves
  Clip clip = {};                                         ///< the first frame is the start
  std::vector<Pose> world_from_body = {};                 ///< where the body stands, in each frame
  std::array<HandWay, Behaviour::most_limbs> hands = {};  ///< of arms with a target
  int feet_missed = 0;  ///< frames in which a foot can't stay where it was
  int first_feet_missed = -1;
};

/// The body goes from its start to the pose that reach_with_body finds, with a bell-shaped speed,
/// while the hands go straight and the feet stay where they are. `settings.search` is not looked
/// at: the swivels go to where the pose has them. Arms look at what they might meet; the trunk on
/// its way doesn't: first_clash tells.
BodyReached reach_motion(const Reaching& settings, const Behaviour&, const Skeleton&,
                         const BodyProblem&, BodyClash*);

/// What meets on a way, and in which of its frames first.
struct ClashOnTheWay {
  int frames = 0;  ///< in so many
  int first = -1;
  Pair pair = {};  ///< in the first
};
/// `world_from_body`: one for each frame, or none where it always is the world. The clip must fit
/// the skeleton.
ClashOnTheWay first_clash(const Collider&, const Skeleton&, const Clip&,
                          std::span<const Pose> world_from_body = {});

/// The same character with a root that moves: three sliders and a ball above it all ("body.x",
/// "body.y", "body.z", "body"), so that a clip can say where the body stands.
Character with_free_root(const Character&);
/// The clip for it.
Clip with_free_root(const Clip&, const Character& freed, std::span<const Pose> world_from_body);

}  // namespace gestik
