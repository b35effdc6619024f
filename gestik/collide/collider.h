#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gestik/collide/mesh_tree.h"
#include "gestik/model/character.h"

/// Which parts of a body meet each other or the world.
///
///     Result<Collider> collider = build(skeleton, draft);         // once; the draft is in words
///     const PairSet arm = pairs_of(*collider, joints_of_the_arm);  // once for each moving part
///     Placement placed = placement_for(*collider);                 // once for each thread
///     place(*collider, world_from_joint, placed);                  // each frame: all solids ...
///     place(*collider, world_from_joint, arm.moving, placed);      // ... or those that moved
///     if (auto pair = first_overlap(*collider, arm.pairs, placed)) ...
///
/// From `place` on nothing allocates.
namespace gestik {

/// A mesh as a solid: its surface and, when that is closed, what is inside.
struct MeshBody {
  Pose pose = {};
  Mesh mesh = {};
};

/// Something that takes up room, on a joint or in the world.
struct Solid {
  std::string name = {};
  JointId joint = no_joint;  ///< no_joint: it stands in the world
  std::variant<Sphere, Capsule, Cuboid, MeshBody> form = {};
};

struct ColliderDraft {
  std::vector<Solid> solids = {};
  std::vector<MayTouch> may_touch = {};
  /// Where parts of the body that touch each other may always touch; empty: the neutral pose.
  std::vector<Real> rest = {};
};

/// The shapes of a character, and the pairs of them that may touch.
ColliderDraft collider_draft(const Character&);

/// Two solids by number; `a` is a sphere or capsule unless both are boxes or meshes.
struct Pair {
  int a = 0;
  int b = 0;
  bool operator==(const Pair&) const = default;
};

/// A solid as the tests know it, in its joint's frame.
struct Part {
  enum class Kind : std::uint8_t { capsule, box, mesh };  ///< a sphere is a capsule of no length
  Kind kind = Kind::capsule;
  JointId joint = no_joint;
  Segment axis = {};  ///< capsule
  Real radius = 0;    ///< capsule
  Pose pose = {};     ///< box, mesh
  Vec3 half = Vec3::Zero();
  std::shared_ptr<const MeshTree> tree = nullptr;
};

/// Where a part is in the world.
struct Placed {
  Segment axis = {};
  Pose world_from_part = {};
};

/// Pairs of boxes and meshes with each other are not ours: somebody else answers for them
/// (collide/fcl.h). Default-made, nobody does.
struct GeneralPairs {
  std::shared_ptr<const void> self = nullptr;
  /// How far the two are apart, 0 when they meet.
  Real (*distance)(const void* self, Pair, const Pose& world_from_a,
                   const Pose& world_from_b) noexcept = nullptr;
  bool (*overlap)(const void* self, Pair, const Pose& world_from_a,
                  const Pose& world_from_b) noexcept = nullptr;
};
using MakeGeneralPairs = GeneralPairs (*)(std::span<const Part>);

/// All solids and the pairs of them that are tested. Immutable: share it as you like.
class Collider {
 public:
  int solid_count() const noexcept { return static_cast<int>(parts_.size()); }
  const std::string& name(int solid) const noexcept { return names_[solid]; }
  JointId joint(int solid) const noexcept { return parts_[solid].joint; }
  int find(std::string_view name) const noexcept;  ///< -1 where there is none

  /// Every pair that is tested: none of one joint, none of two solids of the world.
  std::span<const Pair> pairs() const noexcept { return pairs_; }
  /// Pairs that are not tested because they touch at rest, and those that the draft names.
  std::span<const Pair> touching_at_rest() const noexcept { return touching_at_rest_; }

  std::span<const Part> parts() const noexcept { return parts_; }
  const GeneralPairs& general() const noexcept { return general_; }

 private:
  friend Result<Collider> build(const Skeleton&, const ColliderDraft&, MakeGeneralPairs);
  Collider() = default;

  std::vector<std::string> names_;
  std::vector<Part> parts_;
  std::vector<Pair> pairs_;
  std::vector<Pair> touching_at_rest_;
  GeneralPairs general_;
};

/// The only door to a Collider. Parts of one body that touch at rest are left out, obstacles never
/// unless they are named: what stands in the way at rest stands in the way. Refuses, naming the
/// solid: names that are empty or come twice, joints that do not exist, what fault_of and check of
/// its form refuse, `may_touch` that names no solid, a rest pose of the wrong size, and pairs of
/// boxes and meshes when nobody answers for them.
Result<Collider> build(const Skeleton&, const ColliderDraft&, MakeGeneralPairs = nullptr);

/// Some of the pairs, and the solids to place for them.
struct PairSet {
  std::vector<Pair> pairs = {};
  std::vector<int> moving = {};
};

/// All pairs with at least one solid on these joints, and none on those of `except`. A swivel moves
/// upper arm and forearm but not the hand: test pairs_of(hand, except the arm) once and
/// pairs_of(arm) with every swivel.
PairSet pairs_of(const Collider&, std::span<const JointId> moving,
                 std::span<const JointId> except = {});

/// Memory for where the solids are. Those of the world are placed already.
struct Placement {
  std::vector<Placed> solids = {};
};
Placement placement_for(const Collider&);

/// All solids, or some. `world_from_body`: where the frame stands in which the joints' poses are
/// given, if that is not the world.
void place(const Collider&, std::span<const Pose> from_joint, Placement&,
           const Pose* world_from_body = nullptr) noexcept;
void place(const Collider&, std::span<const Pose> from_joint, std::span<const int> solids,
           Placement&, const Pose* world_from_body = nullptr) noexcept;

bool overlap(const Collider&, Pair, const Placement&) noexcept;

/// How far two solids are apart, 0 when they meet; any number of at least `far` where they are not
/// nearer than that.
Real distance(const Collider&, Pair, const Placement&, Real far = infinity) noexcept;

/// The first of the pairs that meets.
std::optional<Pair> first_overlap(const Collider&, std::span<const Pair>,
                                  const Placement&) noexcept;

/// The nearest pair and its distance; with no pairs at all, infinity.
struct Nearest {
  Pair pair;
  Real distance = infinity;
};
Nearest nearest(const Collider&, std::span<const Pair>, const Placement&) noexcept;

}  // namespace gestik
