#include "tools/gestik/surroundings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gestik/io/behaviour_json.h"
#include "gestik/io/obj.h"
#include "gestik/model/kinematics.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

bool holds(std::span<const JointId> joints, JointId joint) {
  return std::find(joints.begin(), joints.end(), joint) != joints.end();
}

Collider build_or_refuse(const Skeleton& skeleton, const ColliderDraft& draft) {
  Result<Collider> collider = build(skeleton, draft);
  if (!collider) throw BadInput(to_string(collider.error()));
  return *std::move(collider);
}

/// All that a limb moves: its joints, those that are fixed between them, and what its end carries.
std::vector<JointId> all_of(const Limb& limb, const Skeleton& skeleton) {
  return with_all_below(skeleton, limb.moved().first(1));
}

void refuse_without_shapes(const Character& character, std::span<const Limb> limbs) {
  for (const Limb& limb : limbs) {
    const std::vector<JointId> joints = all_of(limb, character.skeleton);
    if (std::none_of(character.shapes.begin(), character.shapes.end(),
                     [&](const Shape& shape) { return holds(joints, shape.joint); }))
      throw BadInput(fmt::format(
          "--obstacles: the limb of '{}' has no shapes that could meet them; a character's file "
          "gives them as \"shapes\" (docs/FORMAT.md)",
          character.skeleton.name(limb.joint)));
  }
}

/// Obstacles and what of the body meets them at the start, but for the limbs that reach.
std::vector<MayTouch> touching(const Collider& collider, const Skeleton& skeleton, ConstQ start,
                               std::span<const Limb> limbs) {
  std::vector<JointId> reaching;
  for (const Limb& limb : limbs)
    for (const JointId j : all_of(limb, skeleton)) reaching.push_back(j);
  std::vector<Pose> joints(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, start, joints);
  Placement placement = placement_for(collider);
  place(collider, joints, placement);
  std::vector<MayTouch> out;
  for (const Pair pair : collider.pairs()) {
    const JointId a = collider.joint(pair.a), b = collider.joint(pair.b);
    const bool with_world = a == no_joint || b == no_joint;
    if (with_world && !holds(reaching, a) && !holds(reaching, b) &&
        overlap(collider, pair, placement))
      out.push_back({collider.name(pair.a), collider.name(pair.b)});
  }
  return out;
}

}  // namespace

Behaviour parse_behaviour(const std::string& text, const Character& character) {
  const std::vector<std::string_view> bundled = bundled_behaviour_names();
  const bool is_bundled = std::find(bundled.begin(), bundled.end(), text) != bundled.end();
  const bool is_path =
      text.find('/') != std::string::npos || ends_with_ignoring_case(text, ".json");
  const Result<BehaviourDraft> draft = !is_bundled && is_path
                                           ? read_behaviour_file(text, character.skeleton)
                                           : bundled_behaviour(text, character.skeleton);
  if (!draft) throw BadInput(fmt::format("--behaviour: {}", to_string(draft.error())));
  Result<Behaviour> behaviour = build(character, *draft);
  if (!behaviour)
    throw BadInput(fmt::format("--behaviour {}: {}", text, to_string(behaviour.error())));
  return *std::move(behaviour);
}

Surroundings parse_surroundings(const OptionText& obstacles, const Character& character,
                                ConstQ start, std::span<const Limb> limbs) {
  ColliderDraft draft = collider_draft(character);
  if (!obstacles) return {build_or_refuse(character.skeleton, draft)};
  refuse_without_shapes(character, limbs);
  Result<LoadedMesh> mesh = read_mesh_file(*obstacles);
  if (!mesh) throw BadInput(fmt::format("--obstacles: {}", to_string(mesh.error())));
  draft.solids.push_back({.name = printable(std::filesystem::path(*obstacles).filename().string()),
                          .form = MeshBody{.mesh = std::move(mesh->mesh)}});
  Collider collider = build_or_refuse(character.skeleton, draft);
  const std::vector<MayTouch> touched = touching(collider, character.skeleton, start, limbs);
  if (touched.empty()) return {std::move(collider), mesh->warnings};
  draft.may_touch.insert(draft.may_touch.end(), touched.begin(), touched.end());
  return {build_or_refuse(character.skeleton, draft), mesh->warnings};
}

std::string words_of(const LimbReport& report, const Skeleton& skeleton, const Collider* collider) {
  if (report.fault != LimbFault::clash || report.cut_short || !collider)
    return describe(skeleton, report);
  return fmt::format("{} would meet {}", collider->name(report.clash.a),
                     collider->name(report.clash.b));
}

LimbClash clash_of(const Limb& limb, const Skeleton& skeleton, const Collider& collider,
                   Placement& placement, std::span<const JointId> except) {
  const std::vector<JointId> end = with_all_below(skeleton, limb.moved().last(1));
  std::vector<JointId> moving;
  for (const JointId j : all_of(limb, skeleton))
    if (!holds(end, j)) moving.push_back(j);
  std::vector<JointId> end_except = with_all_below(skeleton, except);
  const PairSet pairs = pairs_of(collider, moving, end_except);
  end_except.insert(end_except.end(), moving.begin(), moving.end());
  return {&collider, &placement, pairs, pairs_of(collider, end, end_except), nullptr};
}

std::vector<JointId> with_all_below(const Skeleton& skeleton, std::span<const JointId> joints) {
  std::vector<JointId> out;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (holds(joints, j) || (skeleton.parent(j) != no_joint && holds(out, skeleton.parent(j))))
      out.push_back(j);
  return out;
}

}  // namespace gestik::tool
