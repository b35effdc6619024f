#pragma once

#include <optional>
#include <string_view>

#include "gestik/model/clip.h"
#include "gestik/model/skeleton.h"

namespace gestik::learn {

/// The part of a body that something is learnt about: the joints from a root to an end, one the
/// parent of the next, and the point of the end that follows paths. Places are given in the chain's
/// base frame, that of the root's parent: how the rest of the body stands does not matter.
///
/// It is a Skeleton of its own, whose world is the base frame; its joints' names, types, rest poses
/// and limits are the signature that a body must have for the chain to fit it.
struct Chain {
  Skeleton skeleton;
  Vec3 point = Vec3::Zero();  ///< in the last joint

  JointId end() const noexcept { return skeleton.joint_count() - 1; }
};

/// The chain between two joints of a body. A root of several parts (a BVH joint read as hinges)
/// begins at its first part. The point is where the end's first child sits; an end without children
/// needs one (`tip`). Refuses, by name: joints that are not there, an end not below the root, more
/// than most_joints, a chain that nothing moves.
Result<Chain> chain_between(const Skeleton&, std::string_view root, std::string_view end,
                            std::optional<Vec3> tip = std::nullopt);
inline constexpr int most_joints = 256;

/// Which joints of this body the chain's are, in its order, or what differs first, by the joint's
/// name. Limits may differ: they are the body's own. Rest poses are compared to a nanometre.
Result<std::vector<JointId>> find_chain(const Chain&, const Skeleton&);

/// As find_chain, but bones may be of other lengths: for motion captured from somebody else.
Result<std::vector<JointId>> find_alike(const Chain&, const Skeleton&);

/// The chain's own coordinates of every frame, one after the other. The clip must fit the body.
std::vector<Real> frames_of(const Chain&, std::span<const JointId> joints, const Skeleton& body,
                            const Clip&, int first_frame = 0);

/// Whether two joints are the same but for their names and limits; find_chain's measure.
bool same_joint(const Skeleton&, JointId, const Skeleton&, JointId) noexcept;

/// Where the chain's point is in its base frame. `poses` has room for every joint.
Vec3 end_point(const Chain&, ConstQ, std::span<Pose> poses) noexcept;

/// No sensor says exactly zero for most of what it sees turned a moment later: such a first frame
/// is the rest pose that converters put before a motion, and no part of it.
bool starts_with_rest_pose(const Skeleton&, const Clip&) noexcept;

}  // namespace gestik::learn
