#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gestik/body/body_motion.h"
#include "gestik/motion/reaching.h"
#include "tools/gestik/output.h"
#include "tools/gestik/surroundings.h"

namespace gestik::tool {

/// Where a hand shall be and, if that was asked for, how it is turned.
struct PlaceAndTurn {
  Vec3 place;
  std::optional<Quat> turn;
};

/// One hand's errand and what came of it.
struct Errand {
  Frame hand;
  PlaceAndTurn target;
  Limb limb;
  Reach reach = {};
  std::optional<Orient> orient = {};
  LimbReport report = {};
  std::optional<HandWay> way = {};
};

/// What came of all errands together.
struct ReachOutcome {
  std::vector<Real> q;
  Pose world_from_body = {};
  std::optional<BodyReport> body = {};  ///< with a behaviour
  std::optional<Clip> clip = {};
  std::vector<Pose> on_the_way = {};  ///< where the body stands in each frame, if it moves
  ClashOnTheWay clash = {};
};

/// What everybody needs who solves the errands.
struct ReachScene {
  const Character& character;
  std::vector<Real> start;
  Reaching settings;
  std::optional<Behaviour> behaviour = {};
  std::optional<Surroundings> surroundings = {};  ///< with a behaviour or obstacles

  const Skeleton& skeleton() const { return character.skeleton; }
  const Collider* collider() const { return surroundings ? &surroundings->collider : nullptr; }
};

/// Whether every hand is where it should be, and the body as well.
bool all_reached(std::span<const Errand>, const ReachOutcome&);

Json report_json(const ReachScene&, std::span<const Errand>, const ReachOutcome&, bool degrees);
std::string report_text(const ReachScene&, std::span<const Errand>, const ReachOutcome&);

}  // namespace gestik::tool
