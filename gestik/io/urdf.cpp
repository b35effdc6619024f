#include "gestik/io/urdf.h"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <exception>
#include <mutex>

#include "gestik/io/text.h"
#include "gestik/io/urdf_outline.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

/// Keeps what urdfdom says instead of letting it go to standard error.
class Listener final : public console_bridge::OutputHandler {
 public:
  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override {
    said_ += said_.empty() ? text : "; " + text;
  }
  std::string take() { return std::exchange(said_, {}); }

 private:
  std::string said_;
};

/// Runs urdfdom. console_bridge has one handler for the whole program and remembers the last one,
/// so the listener is never destroyed and one reader at a time uses it.
Result<urdf::ModelInterfaceSharedPtr> parse_quietly(const std::string& text,
                                                    std::string_view file) {
  static std::mutex mutex;
  static Listener& listener = *new Listener;
  const std::lock_guard lock(mutex);
  console_bridge::OutputHandler* before = console_bridge::getOutputHandler();
  console_bridge::useOutputHandler(&listener);
  urdf::ModelInterfaceSharedPtr model;
  std::string fault;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& caught) {
    fault = caught.what();
  }
  console_bridge::useOutputHandler(before);
  const std::string said = listener.take();
  if (model) return model;
  return Error{"urdfdom refuses it: " + shortened(fault.empty() ? said : fault), std::string(file)};
}

/// Lets go of a model without recursion: its links own their children, and a long chain would
/// destroy itself one stack frame per link.
void take_apart(urdf::ModelInterface& model) {
  for (auto& [name, link] : model.links_) {
    link->child_links.clear();
    link->child_joints.clear();
  }
}

Vec3 to_vec3(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

Pose to_pose(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {Quat(r.w, r.x, r.y, r.z), to_vec3(pose.position)};
}

Limits to_limits(const urdf::JointLimitsSharedPtr& limits) {
  Limits out;
  if (limits) {
    out.lo = limits->lower;
    out.hi = limits->upper;
  }
  return out;
}

/// Sliders that come before a joint of several degrees of freedom. The first stands at the joint's
/// origin; the joint itself, last, carries the name.
void add_sliders(const JointDraft& joint, std::initializer_list<Vec3> axes, SkeletonDraft& draft) {
  const char* suffix = "xyz";
  JointDraft slider = joint;
  slider.type = JointType::slider;
  for (const Vec3& axis : axes) {
    slider.name = joint.name + "." + *suffix++;
    slider.axis = axis;
    draft.joints.push_back(slider);
    slider.parent = slider.name;
    slider.parent_from_joint = {};
  }
}

void add_joint(const urdf::Joint& joint, std::string parent, SkeletonDraft& draft) {
  JointDraft added{.name = joint.name,
                   .parent = std::move(parent),
                   .type = JointType::fixed,
                   .parent_from_joint = to_pose(joint.parent_to_joint_origin_transform),
                   .axis = Vec3::UnitZ(),
                   .limits = {}};
  const auto follow_sliders = [&](JointType type) {
    added.type = type;
    added.parent = draft.joints.back().name;
    added.parent_from_joint = {};
  };
  switch (joint.type) {
    case urdf::Joint::UNKNOWN:
    case urdf::Joint::FIXED:
      break;
    case urdf::Joint::REVOLUTE:
      added.type = JointType::hinge;
      added.axis = to_vec3(joint.axis);
      added.limits = to_limits(joint.limits);
      break;
    case urdf::Joint::CONTINUOUS:
      added.type = JointType::hinge;
      added.axis = to_vec3(joint.axis);
      break;
    case urdf::Joint::PRISMATIC:
      added.type = JointType::slider;
      added.axis = to_vec3(joint.axis);
      added.limits = to_limits(joint.limits);
      break;
    case urdf::Joint::FLOATING:
      add_sliders(added, {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, draft);
      follow_sliders(JointType::ball);
      break;
    case urdf::Joint::PLANAR: {
      const Quat turn = shortest_rotation(Vec3::UnitZ(), normalized_or_zero(to_vec3(joint.axis)));
      add_sliders(added, {turn * Vec3::UnitX(), turn * Vec3::UnitY()}, draft);
      follow_sliders(JointType::hinge);
      added.axis = to_vec3(joint.axis);
      break;
    }
  }
  draft.joints.push_back(std::move(added));
}

/// Joints and links have names of their own in a URDF; the root link becomes a joint and must step
/// aside where a joint has its name.
std::string root_name(const UrdfOutline& outline) {
  std::string name = outline.links[outline.root].name;
  while (outline.joint_by_name.contains(name)) name += " (root)";
  return name;
}

/// Each link is the frame of the joint that carries it.
void add_links(const UrdfOutline& outline, JointId root, Character& character) {
  for (const UrdfLink& link : outline.links) {
    const JointId joint = link.parent_joint < 0
                              ? root
                              : character.skeleton.find(outline.joints[link.parent_joint].name);
    character.links.push_back(
        {.name = link.name, .joint = joint, .joint_from_frame = {}, .aim = Vec3::UnitZ()});
    if (link.is_leaf) character.ends.push_back(character.links.back());
  }
}

/// Why a mimic can't be kept, or an empty text. Robots in the field mimic joints that were cut off.
std::string fault_in_mimic(const Skeleton& skeleton, JointId joint, JointId source) {
  const auto is_single = [&](JointId j) {
    return skeleton.type(j) == JointType::hinge || skeleton.type(j) == JointType::slider;
  };
  if (source == no_joint) return "there is no such joint";
  if (source == joint) return "it would follow itself";
  if (!is_single(joint) || !is_single(source)) return "both must have one degree of freedom";
  return {};
}

void add_mimics(const UrdfOutline& outline, const urdf::ModelInterface& model, Loaded& loaded) {
  const Skeleton& skeleton = loaded.character.skeleton;
  std::string kept;
  for (const UrdfJoint& outlined : outline.joints) {
    const urdf::JointMimicSharedPtr mimic = model.getJoint(outlined.name)->mimic;
    if (!mimic) continue;
    const bool exists = outline.joint_by_name.contains(mimic->joint_name);
    const JointId joint = skeleton.find(outlined.name);
    const JointId source = exists ? skeleton.find(mimic->joint_name) : no_joint;
    const std::string fault = fault_in_mimic(skeleton, joint, source);
    if (!fault.empty()) {
      loaded.warnings.push_back("joint " + quoted(outlined.name) + " mimics " +
                                quoted(mimic->joint_name) + ", which is passed over: " + fault);
      continue;
    }
    loaded.character.mimics.push_back({joint, source, mimic->multiplier, mimic->offset});
    kept += (kept.empty() ? "" : ", ") + outlined.name + " follows " + mimic->joint_name;
  }
  if (!kept.empty())
    loaded.warnings.push_back("mimic joints are kept as data and move freely: " + kept);
}

/// Speeds come from the outline: urdfdom drops those of continuous joints.
void add_motion(const UrdfOutline& outline, Loaded& loaded) {
  Character& character = loaded.character;
  std::vector<MotionLimits> motion = motion_limits(character);
  bool any = false;
  for (const UrdfJoint& outlined : outline.joints) {
    const std::optional<Real> velocity = parse_real(outlined.velocity);
    if (!velocity || *velocity == 0) continue;
    const JointId j = character.skeleton.find(outlined.name);
    const MotionLimits limits = motion_limits(character.skeleton.type(j), {.velocity = *velocity});
    if (!unsound_field(limits).empty()) {
      loaded.warnings.push_back("joint " + quoted(outlined.name) + " has the velocity limit " +
                                outlined.velocity +
                                ", which is passed over: it must be above zero");
      continue;
    }
    motion[static_cast<std::size_t>(j)] = limits;
    any = true;
  }
  if (any) character.motion = std::move(motion);
}

/// An error of build() names a joint; we also know its line.
Error with_line(Error error, const UrdfOutline& outline, std::string_view file) {
  for (const UrdfJoint& joint : outline.joints)
    if (error.where == "joint '" + joint.name + "'")
      return error_at(file, joint.line, error.where + ": " + error.what);
  error.where = std::string(file) + (error.where.empty() ? "" : ": " + error.where);
  return error;
}

Result<Loaded> assemble(const UrdfOutline& outline, const urdf::ModelInterface& model,
                        std::string_view file) {
  SkeletonDraft draft;
  const std::string root = root_name(outline);
  draft.joints.emplace_back().name = root;
  for (const UrdfJoint& joint : outline.joints) {
    const int carrier = outline.links[joint.parent].parent_joint;
    const urdf::JointConstSharedPtr parsed = model.getJoint(joint.name);
    if (!parsed)
      return error_at(
          file, joint.line,
          "urdfdom does not find joint " + quoted(joint.name) + "; give it a plainer name");
    add_joint(*parsed, carrier < 0 ? root : outline.joints[carrier].name, draft);
  }
  Result<Skeleton> skeleton = build(draft);
  if (!skeleton) return with_line(skeleton.error(), outline, file);

  Loaded loaded{
      .character = {.name = outline.name, .up = UpAxis::z, .skeleton = *std::move(skeleton)}};
  add_links(outline, loaded.character.skeleton.find(root), loaded.character);
  add_mimics(outline, model, loaded);
  add_motion(outline, loaded);
  return loaded;
}

}  // namespace

Result<Loaded> read_urdf(std::string_view text, std::string_view file) {
  Result<UrdfOutline> outline = outline_urdf(text, file);
  if (!outline) return outline.error();
  Result<urdf::ModelInterfaceSharedPtr> model = parse_quietly(kinematics_of(*outline), file);
  if (!model) return model.error();
  take_apart(**model);
  return assemble(*outline, **model, file);
}

}  // namespace gestik
