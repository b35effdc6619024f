#include "gestik/model/character.h"

#include <algorithm>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

std::optional<Error> check_frame(const Frame& frame, const std::string& kind, int joint_count) {
  const std::string where = kind + " '" + frame.name + "'";
  if (frame.joint < 0 || frame.joint >= joint_count)
    return Error{"its joint does not exist", where};
  const Pose& pose = frame.joint_from_frame;
  if (!is_finite(pose.p) || !is_finite(pose.q)) return Error{"its place is not finite", where};
  if (pose.q.coeffs().isZero(0)) return Error{"its orientation is a zero quaternion", where};
  if (!is_finite(frame.aim) || frame.aim.isZero(0))
    return Error{"its aim must be a direction, such as 0, 1, 0", where};
  return std::nullopt;
}

/// The first name that is empty or comes twice.
template <class Named>
std::optional<Error> check_names(const std::vector<Named>& things, const std::string& kind) {
  std::vector<std::string_view> names;
  for (const Named& thing : things) names.push_back(thing.name);
  std::sort(names.begin(), names.end());
  if (!names.empty() && names.front().empty()) return Error{"every " + kind + " needs a name", ""};
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end())
    return Error{"two have this name; rename one", kind + " '" + std::string(*twin) + "'"};
  return std::nullopt;
}

std::optional<Error> check_posture(const Posture& posture, const Skeleton& skeleton) {
  const std::string where = "posture '" + posture.name + "'";
  if (static_cast<int>(posture.q.size()) != skeleton.q_size())
    return Error{"it has " + std::to_string(posture.q.size()) + " numbers, the skeleton needs " +
                     std::to_string(skeleton.q_size()),
                 where};
  for (int i = 0; i < skeleton.q_size(); ++i)
    if (!is_finite(posture.q[i]))
      return Error{"the value of " + skeleton.coordinate_name(i) + " is not finite", where};
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    if (joint.type != JointType::ball) continue;
    const auto first = posture.q.begin() + joint.q_offset;
    if (std::all_of(first, first + 4, [](Real x) { return x == 0; }))
      return Error{"the value of " + skeleton.coordinate_name(joint.q_offset) +
                       " and its fellows is a zero quaternion",
                   where};
  }
  return std::nullopt;
}

std::optional<Error> check_motion(const std::vector<MotionLimits>& motion,
                                  const Skeleton& skeleton) {
  if (motion.empty()) return std::nullopt;
  if (static_cast<int>(motion.size()) != skeleton.joint_count())
    return Error{"there are motion limits for " + std::to_string(motion.size()) +
                     " joints, the skeleton has " + std::to_string(skeleton.joint_count()),
                 ""};
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (const std::string_view field = unsound_field(motion[static_cast<std::size_t>(j)]);
        !field.empty())
      return Error{"its '" + std::string(field) + "' limit must be a number above zero",
                   "joint '" + skeleton.name(j) + "'"};
  return std::nullopt;
}

}  // namespace

std::string_view to_string(UpAxis up) noexcept {
  switch (up) {
    case UpAxis::x:
      return "x";
    case UpAxis::y:
      return "y";
    case UpAxis::z:
      return "z";
  }
  return "";
}

std::optional<Error> check(const Character& character) {
  const int joints = character.skeleton.joint_count();
  if (auto fault = check_names(character.ends, "end-point")) return fault;
  if (auto fault = check_names(character.links, "link")) return fault;
  if (auto fault = check_names(character.postures, "posture")) return fault;
  for (const Frame& end : character.ends)
    if (auto fault = check_frame(end, "end-point", joints)) return fault;
  for (const Frame& link : character.links)
    if (auto fault = check_frame(link, "link", joints)) return fault;
  for (const Posture& posture : character.postures)
    if (auto fault = check_posture(posture, character.skeleton)) return fault;
  for (const Mimic& mimic : character.mimics) {
    const auto exists = [&](JointId j) { return j >= 0 && j < joints; };
    if (!exists(mimic.joint) || !exists(mimic.source))
      return Error{"a joint it names does not exist", "mimic"};
    if (!is_finite(mimic.multiplier) || !is_finite(mimic.offset))
      return Error{"its numbers are not finite",
                   "mimic of joint '" + character.skeleton.name(mimic.joint) + "'"};
  }
  if (auto fault = check(character.shapes, character.may_touch, character.skeleton)) return fault;
  return check_motion(character.motion, character.skeleton);
}

std::vector<MotionLimits> motion_limits(const Character& character) {
  if (!character.motion.empty()) return character.motion;
  std::vector<MotionLimits> usual;
  for (const Skeleton::Joint& joint : character.skeleton.joints())
    usual.push_back(motion_limits(joint.type));
  return usual;
}

const Posture* find_posture(const Character& character, std::string_view name) noexcept {
  for (const Posture& posture : character.postures)
    if (posture.name == name) return &posture;
  return nullptr;
}

Result<Frame> find_frame(const Character& character, std::string_view name) {
  for (const auto* frames : {&character.ends, &character.links})
    for (const Frame& frame : *frames)
      if (frame.name == name) return frame;
  const JointId joint = character.skeleton.find(name);
  if (joint != no_joint)
    return Frame{.name = std::string(name), .joint = joint, .joint_from_frame = {}};

  std::vector<std::string_view> names;
  for (const auto* frames : {&character.ends, &character.links})
    for (const Frame& frame : *frames) names.push_back(frame.name);
  for (JointId j = 0; j < character.skeleton.joint_count(); ++j)
    names.push_back(character.skeleton.name(j));
  return Error{"no joint, link or end-point is called '" + std::string(name) + "'" +
                   did_you_mean(name, names),
               ""};
}

}  // namespace gestik
