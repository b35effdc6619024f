#pragma once

#include <cmath>

#include "gestik/learn/model.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

/// A small arm and motions that it makes.
namespace gestik::test {

/// Trunk, shoulder and elbow as balls, a wrist as hinge on a body that is not at the origin, with a
/// second arm that no chain of it needs.
inline Skeleton small_body(Real forearm = 0.25) {
  SkeletonDraft draft;
  const auto add = [&](const char* name, const char* parent, JointType type, const Vec3& offset) {
    draft.joints.push_back({.name = name,
                            .parent = parent,
                            .type = type,
                            .parent_from_joint = {Quat::Identity(), offset}});
  };
  add("hips", "", JointType::ball, {0.1, 0.9, 0});
  add("trunk", "hips", JointType::ball, {0, 0.1, 0});
  add("shoulder", "trunk", JointType::ball, {-0.2, 0.4, 0});
  add("elbow", "shoulder", JointType::ball, {-0.3, 0, 0});
  add("wrist", "elbow", JointType::hinge, {-forearm, 0, 0});
  add("other", "trunk", JointType::ball, {0.2, 0.4, 0});
  return *build(draft);
}

inline learn::Chain small_chain() {
  return *learn::chain_between(small_body(), "trunk", "elbow");
}

/// A smooth motion of all joints; another phase is another motion.
inline learn::Take small_take(const learn::Chain& chain, int frames, Real phase = 0,
                              std::string style = "") {
  learn::Take take{.style = std::move(style), .rate = 120, .q = {}};
  for (int f = 0; f < frames; ++f) {
    const Real t = f / 120.0;
    for (JointId j = 0; j < chain.skeleton.joint_count(); ++j) {
      const Vec3 turn(0.3 * std::sin(2 * t + j + phase), 0.5 * std::sin(3 * t + 2 * j),
                      0.7 * std::cos(2.5 * t + phase * j) * (j == 0 ? 0.3 : 1));
      if (chain.skeleton.type(j) == JointType::ball) {
        const Quat q = exp(turn);
        take.q.insert(take.q.end(), {q.w(), q.x(), q.y(), q.z()});
      } else if (chain.skeleton.type(j) == JointType::hinge) {
        take.q.push_back(turn.x());
      }
    }
  }
  return take;
}

inline std::vector<Vec3> path_of(const learn::Chain& chain, std::span<const Real> q) {
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  std::vector<Pose> poses(static_cast<std::size_t>(chain.skeleton.joint_count()));
  std::vector<Vec3> path;
  for (std::size_t f = 0; f < q.size() / width; ++f)
    path.push_back(learn::end_point(chain, q.subspan(f * width, width), poses));
  return path;
}

}  // namespace gestik::test
