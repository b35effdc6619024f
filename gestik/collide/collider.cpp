#include "gestik/collide/collider.h"

#include <algorithm>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

using Kind = Part::Kind;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string where_is(const std::string& name) {
  return "solid '" + name + "'";
}

Pose sound(const Pose& pose) {
  return {normalized_or_identity(pose.q), pose.p};
}

Result<Part> part_from(const Sphere& sphere) {
  if (auto fault = fault_of(sphere)) return Error{*fault, ""};
  return Part{
      .kind = Kind::capsule, .axis = {sphere.center, sphere.center}, .radius = sphere.radius};
}

Result<Part> part_from(const Capsule& capsule) {
  if (auto fault = fault_of(capsule)) return Error{*fault, ""};
  return Part{.kind = Kind::capsule, .axis = {capsule.a, capsule.b}, .radius = capsule.radius};
}

Result<Part> part_from(const Cuboid& box) {
  if (auto fault = fault_of(box)) return Error{*fault, ""};
  return Part{.kind = Kind::box, .pose = sound(box.pose), .half = box.half};
}

Result<Part> part_from(const MeshBody& body) {
  if (auto fault = fault_of(Cuboid{body.pose, Vec3::Ones()})) return Error{*fault, ""};
  if (auto fault = check(body.mesh)) return Error{to_string(*fault), ""};
  return Part{.kind = Kind::mesh,
              .pose = sound(body.pose),
              .tree = std::make_shared<const MeshTree>(body.mesh)};
}

Result<Part> part_from(const Solid& solid, int joint_count) {
  if (solid.name.empty()) return Error{"every solid needs a name", ""};
  if (solid.joint != no_joint && (solid.joint < 0 || solid.joint >= joint_count))
    return Error{"its joint does not exist", where_is(solid.name)};
  Result<Part> part = std::visit([](const auto& form) { return part_from(form); }, solid.form);
  if (!part) return Error{to_string(part.error()), where_is(solid.name)};
  part->joint = solid.joint;
  return part;
}

bool is_general(const Part& a, const Part& b) {
  return a.kind != Kind::capsule && b.kind != Kind::capsule;
}

/// The capsule first; of two, the order stays.
Pair ordered(std::span<const Part> parts, Pair pair) {
  if (parts[at(pair.a)].kind != Kind::capsule) std::swap(pair.a, pair.b);
  return pair;
}

std::optional<Error> check_rest(const Skeleton& skeleton, std::span<const Real> rest) {
  if (rest.empty()) return std::nullopt;
  if (static_cast<int>(rest.size()) != skeleton.q_size())
    return Error{"the rest pose has " + std::to_string(rest.size()) +
                     " numbers, the skeleton needs " + std::to_string(skeleton.q_size()),
                 ""};
  for (const Real x : rest)
    if (!is_bounded(x)) return Error{"the rest pose is not finite", ""};
  return std::nullopt;
}

Placed placed(const Part& part, const Pose& world_from_joint) {
  if (part.kind != Kind::capsule) return {{}, world_from_joint * part.pose};
  return {{world_from_joint * part.axis.a, world_from_joint * part.axis.b}, {}};
}

/// A capsule's axis in the frame of a box or mesh.
Segment seen_from(const Pose& world_from_part, const Segment& axis) {
  const Quat back = world_from_part.q.conjugate();
  return {back * (axis.a - world_from_part.p), back * (axis.b - world_from_part.p)};
}

}  // namespace

ColliderDraft collider_draft(const Character& character) {
  ColliderDraft draft;
  for (const Shape& shape : character.shapes)
    std::visit(
        [&](const auto& v) {
          draft.solids.push_back({shape.name, shape.joint, v});
        },
        shape.volume);
  draft.may_touch = character.may_touch;
  return draft;
}

int Collider::find(std::string_view name) const noexcept {
  const auto it = std::find(names_.begin(), names_.end(), name);
  return it == names_.end() ? -1 : static_cast<int>(it - names_.begin());
}

Result<Collider> build(const Skeleton& skeleton, const ColliderDraft& draft,
                       MakeGeneralPairs make_general) {
  Collider result;
  for (const Solid& solid : draft.solids) {
    Result<Part> part = part_from(solid, skeleton.joint_count());
    if (!part) return part.error();
    if (result.find(solid.name) >= 0)
      return Error{"two have this name; rename one", where_is(solid.name)};
    result.names_.push_back(solid.name);
    result.parts_.push_back(*std::move(part));
  }
  std::vector<Pair> named;
  for (const MayTouch& pair : draft.may_touch) {
    const Pair ids{result.find(pair[0]), result.find(pair[1])};
    for (const auto& [id, name] : {std::pair{ids.a, pair[0]}, std::pair{ids.b, pair[1]}})
      if (id < 0) {
        const std::vector<std::string_view> names(result.names_.begin(), result.names_.end());
        return Error{"a pair that may touch names the solid '" + name + "', which is not there" +
                         did_you_mean(name, names),
                     ""};
      }
    if (ids.a == ids.b)
      return Error{"a pair that may touch names it twice; name two solids", where_is(pair[0])};
    named.push_back(ordered(result.parts_, ids));
    named.push_back({named.back().b, named.back().a});
  }
  if (auto fault = check_rest(skeleton, draft.rest)) return *fault;
  if (make_general) result.general_ = make_general(result.parts_);

  std::vector<Real> rest(skeleton.neutral().begin(), skeleton.neutral().end());
  if (!draft.rest.empty()) rest = draft.rest;
  std::vector<Pose> world(at(skeleton.joint_count()));
  forward(skeleton, rest, world);
  Placement at_rest = placement_for(result);
  place(result, world, at_rest);

  for (int i = 0; i < result.solid_count(); ++i)
    for (int j = i + 1; j < result.solid_count(); ++j) {
      if (result.joint(i) == result.joint(j)) continue;
      const Pair pair = ordered(result.parts_, {i, j});
      if (std::find(named.begin(), named.end(), pair) != named.end()) continue;
      if (is_general(result.parts_[at(i)], result.parts_[at(j)]) && !result.general_.overlap)
        return Error{
            "this and '" + result.name(j) +
                "' are boxes or meshes both: that needs FCL (build with GESTIK_FCL=ON, see "
                "gestik/collide/fcl.h), or capsules for one of them, or the pair among "
                "those that may touch",
            where_is(result.name(i))};
      const bool both_move = result.joint(i) != no_joint && result.joint(j) != no_joint;
      const bool touch = both_move && overlap(result, pair, at_rest);
      (touch ? result.touching_at_rest_ : result.pairs_).push_back(pair);
    }
  return result;
}

PairSet pairs_of(const Collider& collider, std::span<const JointId> moving,
                 std::span<const JointId> except) {
  const auto among = [&](std::span<const JointId> joints, int solid) {
    return std::find(joints.begin(), joints.end(), collider.joint(solid)) != joints.end();
  };
  PairSet set;
  for (const Pair& pair : collider.pairs())
    if ((among(moving, pair.a) || among(moving, pair.b)) && !among(except, pair.a) &&
        !among(except, pair.b))
      set.pairs.push_back(pair);
  for (int i = 0; i < collider.solid_count(); ++i)
    if (among(moving, i)) set.moving.push_back(i);
  return set;
}

Placement placement_for(const Collider& collider) {
  Placement placement;
  for (const Part& part : collider.parts()) placement.solids.push_back(placed(part, Pose{}));
  return placement;
}

void place(const Collider& collider, std::span<const Pose> from_joint, Placement& placement,
           const Pose* world_from_body) noexcept {
  for (int i = 0; i < collider.solid_count(); ++i)
    if (collider.joint(i) != no_joint)
      place(collider, from_joint, std::span(&i, 1), placement, world_from_body);
}

void place(const Collider& collider, std::span<const Pose> from_joint, std::span<const int> solids,
           Placement& placement, const Pose* world_from_body) noexcept {
  for (const int i : solids) {
    const Part& part = collider.parts()[at(i)];
    const Pose& pose = from_joint[at(part.joint)];
    placement.solids[at(i)] = placed(part, world_from_body ? *world_from_body * pose : pose);
  }
}

bool overlap(const Collider& collider, Pair pair, const Placement& placement) noexcept {
  const Part &a = collider.parts()[at(pair.a)], &b = collider.parts()[at(pair.b)];
  const Placed &pa = placement.solids[at(pair.a)], &pb = placement.solids[at(pair.b)];
  if (a.kind != Kind::capsule) {
    const GeneralPairs& general = collider.general();
    return general.overlap(general.self.get(), pair, pa.world_from_part, pb.world_from_part);
  }
  switch (b.kind) {
    case Kind::capsule: {
      const Real reach = a.radius + b.radius;
      return squared_distance(pa.axis, pb.axis) <= reach * reach;
    }
    case Kind::box:
      return squared_distance_to_box(seen_from(pb.world_from_part, pa.axis), b.half) <=
             a.radius * a.radius;
    case Kind::mesh:
      return b.tree->overlaps(seen_from(pb.world_from_part, pa.axis), a.radius);
  }
  return false;
}

Real distance(const Collider& collider, Pair pair, const Placement& placement, Real far) noexcept {
  const Part &a = collider.parts()[at(pair.a)], &b = collider.parts()[at(pair.b)];
  const Placed &pa = placement.solids[at(pair.a)], &pb = placement.solids[at(pair.b)];
  if (a.kind != Kind::capsule) {
    const GeneralPairs& general = collider.general();
    return general.distance(general.self.get(), pair, pa.world_from_part, pb.world_from_part);
  }
  const auto between = [&]() -> Real {
    switch (b.kind) {
      case Kind::capsule:
        return std::sqrt(squared_distance(pa.axis, pb.axis)) - b.radius;
      case Kind::box:
        return std::sqrt(squared_distance_to_box(seen_from(pb.world_from_part, pa.axis), b.half));
      case Kind::mesh: {
        const Segment axis = seen_from(pb.world_from_part, pa.axis);
        return b.tree->overlaps(axis, a.radius) ? 0 : b.tree->distance(axis, far + a.radius);
      }
    }
    return infinity;
  };
  return std::max(Real{0}, between() - a.radius);
}

std::optional<Pair> first_overlap(const Collider& collider, std::span<const Pair> pairs,
                                  const Placement& placement) noexcept {
  for (const Pair& pair : pairs)
    if (overlap(collider, pair, placement)) return pair;
  return std::nullopt;
}

Nearest nearest(const Collider& collider, std::span<const Pair> pairs,
                const Placement& placement) noexcept {
  Nearest best;
  for (const Pair& pair : pairs) {
    const Real d = distance(collider, pair, placement, best.distance);
    if (d < best.distance) best = {pair, d};
    if (best.distance == 0) break;
  }
  return best;
}

}  // namespace gestik
