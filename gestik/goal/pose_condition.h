#pragma once

#include <span>

#include "gestik/math/types.h"

namespace gestik {

/// Two things that may not meet, by numbers that mean something to whoever tested; none by default.
struct Clash {
  int a = -1;
  int b = -1;
  explicit operator bool() const noexcept { return a >= 0; }
};

/// Whether a pose will do, asked of somebody of whom nothing else is known: a collision test, a
/// rule of the game. A plain view: `self` must outlive it, and belongs to one thread at a time.
/// Default-made, every pose will do.
struct PoseTest {
  void* self = nullptr;
  /// What meets in this pose of the whole body, in joint order.
  Clash (*clash)(void* self, std::span<const Pose> world_from_joint) noexcept = nullptr;
  /// The same for the end of a limb. Where it is turned as asked, and so stands still while the
  /// limb swivels, it is asked once for each target before all else. May be left out if `clash`
  /// looks at the end too.
  Clash (*clash_of_end)(void* self, std::span<const Pose> world_from_joint) noexcept = nullptr;
};

}  // namespace gestik
