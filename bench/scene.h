#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/goal/goal.h"

/// What `gestik bench` measures, and how.
namespace gestik::bench {

/// One thing to solve.
struct Task {
  std::vector<Goal> goals;
  std::vector<Real> seed;
  std::vector<Real> posture = {};  ///< to keep; empty: none
};

/// Tasks on one body, the same on every run. All ask the same of the same joints and differ in
/// numbers only; each can be solved inside the limits.
struct Scene {
  std::string name = {};
  int size = 0;  ///< joints of a body that comes in sizes, 0 of others
  Skeleton skeleton;
  std::vector<Task> tasks = {};
  Vec3 tip = Vec3::Zero();  ///< where the body's last segment ends, in the first goal's joint
  /// Frames of a motion: a solve starts where the one before it ended, not at its task's seed.
  bool in_a_row = false;
};

/// A kind of scene.
struct SceneKind {
  std::string_view name;
  std::string_view summary;
  std::vector<int> sizes;    ///< the usual ones; none where the body has one size
  Scene (*tasks)(int size);  ///< without name and size; make_scene() adds them
};

std::span<const SceneKind> all_scenes();

/// `size` is ignored by a kind without sizes.
Scene make_scene(const SceneKind&, int size);

}  // namespace gestik::bench
