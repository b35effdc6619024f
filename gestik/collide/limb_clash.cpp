#include "gestik/collide/limb_clash.h"

#include <algorithm>

namespace gestik {
namespace {

Clash first_clash(LimbClash& who, const PairSet& set,
                  std::span<const Pose> world_from_joint) noexcept {
  place(*who.collider, world_from_joint, set.moving, *who.placement, who.world_from_body);
  const std::optional<Pair> met = first_overlap(*who.collider, set.pairs, *who.placement);
  return met ? Clash{met->a, met->b} : Clash{};
}

Clash clash_of_limb(void* self, std::span<const Pose> world_from_joint) noexcept {
  LimbClash& who = *static_cast<LimbClash*>(self);
  return first_clash(who, who.limb, world_from_joint);
}

Clash clash_of_end(void* self, std::span<const Pose> world_from_joint) noexcept {
  LimbClash& who = *static_cast<LimbClash*>(self);
  return first_clash(who, who.end, world_from_joint);
}

Clash clash_of_both(void* self, std::span<const Pose> world_from_joint) noexcept {
  const Clash met = clash_of_end(self, world_from_joint);
  return met ? met : clash_of_limb(self, world_from_joint);
}

}  // namespace

LimbClash limb_clash(const Collider& collider, Placement& placement, std::span<const JointId> limb,
                     std::span<const JointId> end) {
  return {&collider, &placement, pairs_of(collider, limb), pairs_of(collider, end, limb), nullptr};
}

LimbClash rest_clash(const Collider& collider, Placement& placement,
                     std::span<const JointId> except) {
  std::vector<JointId> rest;
  for (const Part& part : collider.parts())
    if (part.joint != no_joint &&
        std::find(except.begin(), except.end(), part.joint) == except.end())
      rest.push_back(part.joint);
  return {&collider, &placement, pairs_of(collider, rest, except), {}, nullptr};
}

void settle(LimbClash& who, std::span<const Pose> world_from_joint) noexcept {
  place(*who.collider, world_from_joint, *who.placement, who.world_from_body);
}

PoseTest with_still_end(LimbClash& who) noexcept {
  return {&who, clash_of_limb, clash_of_end};
}

PoseTest with_moving_end(LimbClash& who) noexcept {
  return {&who, clash_of_both, nullptr};
}

}  // namespace gestik
