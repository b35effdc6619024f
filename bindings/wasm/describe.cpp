#include "bindings/wasm/describe.h"

#include "gestik/io/bundled.h"
#include "gestik/measure/change.h"
#include "gestik/model/joint_ops.h"
#include "gestik/motion/filter.h"
#include "gestik/motion/tracker.h"
#include "gestik/solve/run.h"

namespace gestik::wasm {
namespace {

Json json_of(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

Json json_of(const Quat& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

Json json_of(const Pose& pose) {
  return {{"position", json_of(pose.p)}, {"orientation", json_of(pose.q)}};
}

Json json_of(const Frame& frame) {
  return {{"name", frame.name},
          {"joint", frame.joint},
          {"pose", json_of(frame.joint_from_frame)},
          {"aim", json_of(frame.aim)}};
}

Json json_of(const Field&);
Json json_of(const AnySolver&);
Json json_of(const FilterPreset&);
Json json_of(const Posture&);
Json json_of(const Clip&);
Json json_of(const Explanation::OfGoal&);
Json json_of(const Explanation::OfJoint&);

template <class List>
Json list_of(const List& list) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back(json_of(item));
  return json;
}

Json json_of(const Field& field) {
  return {{"name", field.name},   {"kind", to_string(field.kind)}, {"lo", field.range.lo},
          {"hi", field.range.hi}, {"default", field.value},        {"help", field.help}};
}

Json json_of(const AnySolver& solver) {
  const SolverInfo& info = info_of(solver);
  return {{"name", info.name},
          {"source", info.source},
          {"summary", info.summary},
          {"goals", {{"reach", info.reach}, {"orient", info.orient}, {"aim", info.aim}}},
          {"joints", {{"hinge", info.hinge}, {"slider", info.slider}, {"ball", info.ball}}},
          {"manyGoals", info.many_goals},
          {"priorities", info.priorities},
          {"keepsPosture", info.keeps_posture},
          {"iterations", info.iterations},
          {"fields", list_of(fields_of(solver))}};
}

Json json_of(const FilterPreset& preset) {
  Json settings = Json::object();
  for (const Field& field : fields_of(preset.filter))
    settings[std::string(field.name)] = field.value;
  return {{"name", preset.name}, {"summary", preset.summary}, {"settings", std::move(settings)}};
}

Json json_of(const Posture& posture) {
  return {{"name", posture.name}, {"q", posture.q}};
}

Json json_of(const Clip& clip) {
  return {{"name", clip.name}, {"rate", clip.rate}, {"frames", clip.frame_count()}};
}

Json joint_json(const Skeleton& skeleton, JointId j, const MotionLimits& motion) {
  const Limits& limits = skeleton.limits(j);
  return {{"name", skeleton.name(j)},
          {"parent", skeleton.parent(j)},
          {"type", to_string(skeleton.type(j))},
          {"rest", json_of(skeleton.parent_from_joint(j))},
          {"axis", json_of(skeleton.axis(j))},
          {"limits",
           {{"lo", limits.lo},
            {"hi", limits.hi},
            {"swingX", limits.swing_x},
            {"swingY", limits.swing_y}}},
          {"limitFrame", json_of(skeleton.joint_from_limit(j))},
          {"motion",
           {{"velocity", motion.velocity},
            {"acceleration", motion.acceleration},
            {"jerk", motion.jerk}}},
          {"q", skeleton.q_offset(j)},
          {"qSize", q_size(skeleton.type(j))}};
}

std::string_view name_of(Reason reason) {
  switch (reason) {
    case Reason::none:
      return "none";
    case Reason::nothing_moves:
      return "nothing_moves";
    case Reason::out_of_reach:
      return "out_of_reach";
    case Reason::limits:
      return "limits";
    case Reason::unfinished:
      return "unfinished";
  }
  return "";
}

Json json_of(const Explanation::OfGoal& goal) {
  return {{"kind", goal.kind},
          {"joint", goal.joint},
          {"residual", goal.residual},
          {"tolerance", goal.tolerance},
          {"met", goal.met},
          {"reason", name_of(goal.reason)},
          {"why", goal.why}};
}

Json json_of(const Explanation::OfJoint& joint) {
  return {{"joint", joint.joint}, {"which", to_string(joint.at)}, {"blocking", joint.blocking}};
}

Json changes_json(const Skeleton& skeleton, ConstQ posture, ConstQ q) {
  Json changes = Json::array();
  for (JointId j = 0; j < skeleton.joint_count() && !posture.empty(); ++j) {
    if (skeleton.type(j) == JointType::fixed) continue;
    const Real change = change_of(skeleton, j, posture, q);
    changes.push_back(
        {{"joint", j}, {"change", change}, {"loss", to_string(loss_of(skeleton.type(j), change))}});
  }
  return changes;
}

}  // namespace

Json library_json() {
  Json names = Json::array();
  for (const BundledFile& file : bundled_files()) names.push_back(file.name);
  return {{"version", GESTIK_VERSION},
          {"solvers", list_of(all_solvers())},
          {"tracker", list_of(fields_of(Tracker{}))},
          {"filter", list_of(fields_of(MotionFilter{}))},
          {"presets", list_of(filter_presets())},
          {"bundled", std::move(names)}};
}

Json character_json(const Loaded& loaded, std::span<const MotionLimits> motion) {
  const Character& body = loaded.character;
  Json joints = Json::array();
  for (JointId j = 0; j < body.skeleton.joint_count(); ++j)
    joints.push_back(joint_json(body.skeleton, j, motion[static_cast<std::size_t>(j)]));
  return {{"name", body.name},
          {"up", to_string(body.up)},
          {"joints", std::move(joints)},
          {"ends", list_of(body.ends)},
          {"links", list_of(body.links)},
          {"postures", list_of(body.postures)},
          {"clips", list_of(loaded.clips)},
          {"warnings", loaded.warnings},
          {"neutral", body.skeleton.neutral()}};
}

Json explanation_json(const Explanation& explanation, const Problem& problem, ConstQ q) {
  return {{"goals", list_of(explanation.goals)},
          {"atLimit", list_of(explanation.at_limit)},
          {"changes", changes_json(problem.skeleton, problem.intent.posture, q)}};
}

}  // namespace gestik::wasm
