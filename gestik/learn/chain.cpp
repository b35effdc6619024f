#include "gestik/learn/chain.h"

#include <algorithm>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik::learn {
namespace {

constexpr Real same_place = 1e-9;

std::string in_quotes(std::string_view name) {
  std::string text = "'";
  text += name;
  text += "'";
  return text;
}

Result<JointId> joint_named(const Skeleton& skeleton, std::string_view name) {
  const JointId found = skeleton.find(name);
  if (found != no_joint) return found;
  std::vector<std::string_view> names;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) names.push_back(skeleton.name(j));
  return Error{"there is no joint " + in_quotes(name) + did_you_mean(name, names), ""};
}

/// "Hips.x" is a part of "Hips": what the BVH reader makes of one joint is one joint here.
bool is_part_of(const std::string& part, const std::string& joint) {
  return part.size() > joint.size() + 1 && part.starts_with(joint) && part[joint.size()] == '.';
}

std::optional<Vec3> first_child_place(const Skeleton& skeleton, JointId end) {
  for (JointId j = end + 1; j < skeleton.joint_count(); ++j)
    if (skeleton.parent(j) == end) return skeleton.parent_from_joint(j).p;
  return std::nullopt;
}

bool same_turn(const Quat& a, const Quat& b) noexcept {
  return 1 - std::abs(a.dot(b)) < same_place * same_place;
}

enum class Bones { same, any };

Result<std::vector<JointId>> find(const Chain& chain, const Skeleton& body, Bones bones) {
  std::vector<JointId> joints;
  for (JointId j = 0; j < chain.skeleton.joint_count(); ++j) {
    const std::string& name = chain.skeleton.name(j);
    const std::string where = "joint " + in_quotes(name);
    const Result<JointId> found = joint_named(body, name);
    if (!found) return Error{"the body does not fit what was learnt: " + found.error().what, ""};
    if (j > 0 && body.parent(*found) != joints.back())
      return Error{"the body does not fit what was learnt: its parent is not " +
                       in_quotes(chain.skeleton.name(j - 1)),
                   where};
    if (body.type(*found) != chain.skeleton.type(j))
      return Error{"the body does not fit what was learnt: it is a " +
                       std::string(to_string(body.type(*found))) + ", not a " +
                       std::string(to_string(chain.skeleton.type(j))),
                   where};
    if (bones == Bones::same && !same_joint(chain.skeleton, j, body, *found))
      return Error{"the body does not fit what was learnt: its offset, rest pose or axis differs",
                   where};
    joints.push_back(*found);
  }
  return joints;
}

}  // namespace

bool same_joint(const Skeleton& a, JointId i, const Skeleton& b, JointId j) noexcept {
  const Pose &p = a.parent_from_joint(i), &q = b.parent_from_joint(j);
  return a.type(i) == b.type(j) && (p.p - q.p).lpNorm<Eigen::Infinity>() <= same_place &&
         same_turn(p.q, q.q) && (a.axis(i) - b.axis(j)).lpNorm<Eigen::Infinity>() <= same_place;
}

Result<Chain> chain_between(const Skeleton& skeleton, std::string_view root, std::string_view end,
                            std::optional<Vec3> tip) {
  const Result<JointId> first = joint_named(skeleton, root);
  if (!first) return first.error();
  const Result<JointId> last = joint_named(skeleton, end);
  if (!last) return last.error();
  std::vector<JointId> joints{*last};
  while (joints.back() != *first && skeleton.parent(joints.back()) != no_joint)
    joints.push_back(skeleton.parent(joints.back()));
  if (joints.back() != *first)
    return Error{"it is not below " + in_quotes(root), "joint " + in_quotes(end)};
  for (JointId above = skeleton.parent(*first);
       above != no_joint && is_part_of(skeleton.name(above), skeleton.name(*first));
       above = skeleton.parent(above))
    joints.push_back(above);
  std::reverse(joints.begin(), joints.end());
  if (static_cast<int>(joints.size()) > most_joints)
    return Error{"a chain has at most " + std::to_string(most_joints) + " joints", ""};

  if (!tip) tip = first_child_place(skeleton, *last);
  if (!tip)
    return Error{"nothing is attached to it that could follow a path", "joint " + in_quotes(end)};
  if (!is_bounded(*tip)) return Error{"the place of its end is not a number", ""};
  const SkeletonDraft whole = draft_of(skeleton);
  SkeletonDraft draft;
  for (const JointId j : joints) {
    draft.joints.push_back(whole.joints[static_cast<std::size_t>(j)]);
    if (draft.joints.size() == 1) draft.joints.back().parent.clear();
  }
  Result<Skeleton> built = build(draft);
  if (!built) return built.error();
  if (built->v_size() == 0)
    return Error{"nothing moves between " + in_quotes(root) + " and " + in_quotes(end), ""};
  return Chain{*std::move(built), *tip};
}

Result<std::vector<JointId>> find_chain(const Chain& chain, const Skeleton& body) {
  return find(chain, body, Bones::same);
}

Result<std::vector<JointId>> find_alike(const Chain& chain, const Skeleton& body) {
  return find(chain, body, Bones::any);
}

std::vector<Real> frames_of(const Chain& chain, std::span<const JointId> joints,
                            const Skeleton& body, const Clip& clip, int first_frame) {
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  std::vector<Real> frames;
  frames.reserve(width * static_cast<std::size_t>(std::max(0, clip.frame_count() - first_frame)));
  for (int f = first_frame; f < clip.frame_count(); ++f)
    for (const JointId j : joints) {
      const Real* const q = clip.frame(f).data() + body.q_offset(j);
      frames.insert(frames.end(), q, q + q_size(body.type(j)));
    }
  return frames;
}

Vec3 end_point(const Chain& chain, ConstQ q, std::span<Pose> poses) noexcept {
  forward(chain.skeleton, q, poses);
  return poses[static_cast<std::size_t>(chain.end())] * chain.point;
}

bool starts_with_rest_pose(const Skeleton& skeleton, const Clip& clip) noexcept {
  if (clip.frame_count() < 3) return false;
  int turned = 0, from_rest = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const JointType type = skeleton.type(j);
    if (type != JointType::hinge && type != JointType::ball) continue;
    const int at = skeleton.q_offset(j);
    const auto rests = [&](int f) {
      const Real* const q = clip.frame(f).data() + at;
      return type == JointType::hinge ? q[0] == 0 : std::abs(q[0]) == 1;
    };
    if (rests(1)) continue;
    ++turned;
    from_rest += rests(0);
  }
  return 2 * from_rest > turned;
}

}  // namespace gestik::learn
