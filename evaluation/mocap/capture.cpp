#include "evaluation/mocap/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gestik/io/bvh.h"
#include "gestik/math/rotation.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::mocap {
namespace {

Result<Loaded> read_hinges(const std::string& file, const std::string& text, Real unit) {
  Result<Loaded> loaded = read_bvh(text, file, {.unit = unit, .hinges = {"*"}});
  if (loaded && loaded->clips.empty()) return Error{"there is no motion in this file", file};
  return loaded;
}

/// From the lowest to the highest joint or end site at rest.
Real height_of(const Character& character) {
  const std::vector<Pose> world = poses(character.skeleton, character.skeleton.neutral());
  Real low = infinity, high = -infinity;
  const auto take = [&](const Vec3& place) {
    low = std::min(low, place.y());
    high = std::max(high, place.y());
  };
  for (const Pose& pose : world) take(pose.p);
  for (const Frame& end : character.ends)
    take(world[static_cast<std::size_t>(end.joint)] * end.joint_from_frame.p);
  return high - low;
}

/// No sensor says exactly zero for most of what it sees turned a moment later.
bool starts_with_rest_pose(const Skeleton& skeleton, const Clip& clip) {
  if (clip.frame_count() < 3) return false;
  int turned = 0, from_zero = 0;
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    if (joint.type != JointType::hinge || clip.frame(1)[joint.q_offset] == 0) continue;
    ++turned;
    from_zero += clip.frame(0)[joint.q_offset] == 0;
  }
  return 2 * from_zero > turned;
}

/// Frame after frame, every hinge by the turn that brings it nearest to where it was.
std::vector<Real> unrolled(const Skeleton& skeleton, const Clip& clip) {
  const int first = starts_with_rest_pose(skeleton, clip) ? 1 : 0;
  std::vector<Real> q(clip.frame(first).data(), clip.values.data() + clip.values.size());
  const std::size_t width = clip.columns.size();
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    if (joint.type != JointType::hinge) continue;
    for (std::size_t at = static_cast<std::size_t>(joint.q_offset) + width; at < q.size();
         at += width)
      q[at] = nearest_turn(q[at], q[at - width]);
  }
  return q;
}

/// The file's root is the skeleton's first joints, "Hips.x" and so on, up to "Hips" itself.
JointId root_of_file(const Skeleton& skeleton) {
  for (JointId j = 1; j < skeleton.joint_count(); ++j)
    if (skeleton.name(0).starts_with(skeleton.name(j) + ".")) return j;
  return 0;
}

/// The same skeleton with the limits that a motion implies, from this joint on.
Result<Skeleton> limited(const Skeleton& skeleton, const std::vector<Real>& motion, JointId first) {
  SkeletonDraft draft = draft_of(skeleton);
  const std::size_t width = static_cast<std::size_t>(skeleton.q_size());
  for (JointId j = first; j < skeleton.joint_count(); ++j) {
    if (skeleton.type(j) == JointType::fixed) continue;
    Real low = infinity, high = -infinity;
    for (std::size_t at = static_cast<std::size_t>(skeleton.q_offset(j)); at < motion.size();
         at += width) {
      low = std::min(low, motion[at]);
      high = std::max(high, motion[at]);
    }
    const Real more = Capture::margin / 2 * (high - low);
    draft.joints[static_cast<std::size_t>(j)].limits = {.lo = low - more, .hi = high + more};
  }
  return build(draft);
}

int movable_in(const Skeleton& skeleton) {
  int count = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    count += skeleton.type(j) != JointType::fixed && skeleton.limits(j).lo < skeleton.limits(j).hi;
  return count;
}

/// A joint that turns where its parent stands is in no place of its own; one behind a slider is.
std::vector<Frame> places_of(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<Frame> places;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const JointId parent = skeleton.parent(j);
    const bool slid = parent != no_joint && skeleton.type(parent) == JointType::slider;
    const bool apart = parent != no_joint && !skeleton.parent_from_joint(j).p.isZero(0);
    if (skeleton.type(j) != JointType::slider && (slid || apart))
      places.push_back({.name = skeleton.name(j), .joint = j});
  }
  for (const Frame& end : character.ends)
    if (!end.joint_from_frame.p.isZero(0)) places.push_back(end);
  return places;
}

Result<std::vector<Frame>> find_goals(const Character& character, const CaptureOptions& options) {
  std::vector<Frame> goals;
  for (const std::string& name : options.goals.empty() ? default_goals() : options.goals) {
    Result<Frame> frame = find_frame(character, name);
    if (!frame) return Error{frame.error().what + "; --goal names what to follow", options.clip};
    goals.push_back(*std::move(frame));
  }
  return goals;
}

}  // namespace

std::vector<std::string> default_goals() {
  return {"LeftHand", "RightHand", "LeftFoot", "RightFoot", "Hips", "Head"};
}

Result<Capture> read_capture(const CaptureOptions& options) {
  const Result<std::string> text = read_file(options.clip);
  if (!text) return text.error();
  Real unit = options.unit.value_or(1);
  Result<Loaded> loaded = read_hinges(options.clip, *text, unit);
  if (!loaded) return loaded.error();
  if (!options.unit) {
    const Real height = height_of(loaded->character);
    if (!(height > 0)) return Error{"the body has no height at rest: give its unit", options.clip};
    unit = body_height / height;
    loaded = read_hinges(options.clip, *text, unit);
    if (!loaded) return loaded.error();
  }
  const Character& character = loaded->character;
  const Clip& clip = loaded->clips.front();
  Result<std::vector<Frame>> goals = find_goals(character, options);
  if (!goals) return goals.error();
  std::vector<Real> q = unrolled(character.skeleton, clip);
  const JointId first_limited = options.free_root ? root_of_file(character.skeleton) + 1 : 0;
  Result<Skeleton> skeleton = limited(character.skeleton, q, first_limited);
  if (!skeleton) return Error{to_string(skeleton.error()), options.clip};
  const int movable = movable_in(*skeleton);
  return Capture{.name = character.name,
                 .skeleton = *std::move(skeleton),
                 .goals = *std::move(goals),
                 .places = places_of(character),
                 .rate = clip.rate,
                 .q = std::move(q),
                 .movable = movable,
                 .unit = unit,
                 .warnings = std::move(loaded->warnings)};
}

}  // namespace gestik::evaluation::mocap
