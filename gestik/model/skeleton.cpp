#include "gestik/model/skeleton.h"

#include <algorithm>
#include <cmath>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

Error refuse(const JointDraft& joint, std::string what) {
  return {std::move(what), "joint '" + joint.name + "'"};
}

/// Indices of the draft's joints sorted by name, the first of equal names first.
std::vector<int> sorted_by_name(const std::vector<JointDraft>& joints) {
  std::vector<int> order(joints.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return joints[a].name < joints[b].name; });
  return order;
}

int find_by_name(const std::vector<JointDraft>& joints, const std::vector<int>& sorted,
                 const std::string& name) {
  const auto it =
      std::lower_bound(sorted.begin(), sorted.end(), name,
                       [&](int i, const std::string& wanted) { return joints[i].name < wanted; });
  return it != sorted.end() && joints[*it].name == name ? *it : no_joint;
}

/// What is wrong with one joint on its own, or an empty text.
std::string fault_in_numbers(const JointDraft& joint) {
  const Limits& limits = joint.limits;
  if (!is_finite(joint.parent_from_joint.p)) return "its position is not finite";
  if (!is_bounded(joint.parent_from_joint.p)) return "its position is farther than 1e30";
  if (!is_finite(joint.parent_from_joint.q)) return "its rest orientation is not finite";
  if (joint.parent_from_joint.q.coeffs().isZero(0))
    return "its rest orientation is a zero quaternion";
  if (!is_finite(joint.axis)) return "its axis is not finite";
  if (std::isnan(limits.lo) || std::isnan(limits.hi)) return "a limit is NaN";
  if (std::isnan(limits.swing_x) || std::isnan(limits.swing_y)) return "a swing limit is NaN";
  if (joint.type == JointType::fixed) return {};  // it uses neither, but NaN is never meant
  if (joint.axis.isZero(0)) return "its axis is zero; give it a direction such as 0, 1, 0";
  if (limits.lo > limits.hi) return "its lower limit is above its upper one; swap them";
  if (limits.lo == infinity || limits.hi == -infinity) return "its limits leave no value at all";
  if (joint.type == JointType::ball) {
    const auto fits = [](Real swing) { return swing > 0 && swing <= pi; };
    if (std::isinf(limits.lo) != std::isinf(limits.hi))
      return "its twist range has one end only; a turn goes round, so give both or none";
    if (!fits(limits.swing_x) || !fits(limits.swing_y))
      return "its swing ellipse has no area or is too large; both half axes must be in (0, pi]";
  }
  return {};
}

}  // namespace

std::string_view to_string(JointType type) noexcept {
  switch (type) {
    case JointType::fixed:
      return "fixed";
    case JointType::hinge:
      return "hinge";
    case JointType::slider:
      return "slider";
    case JointType::ball:
      return "ball";
  }
  return "";
}

Result<Skeleton> build(const SkeletonDraft& draft) {
  const std::vector<JointDraft>& drafts = draft.joints;
  const int count = static_cast<int>(drafts.size());
  if (drafts.empty()) return Error{"a skeleton needs at least one joint", ""};

  const std::vector<int> sorted = sorted_by_name(drafts);
  for (int i = 0; i < count; ++i) {
    const JointDraft& joint = drafts[sorted[i]];
    if (joint.name.empty())
      return Error{"every joint needs a name", "joint number " + std::to_string(sorted[i] + 1)};
    if (i > 0 && joint.name == drafts[sorted[i - 1]].name)
      return refuse(joint, "two joints have this name; rename one");
  }

  std::vector<int> parent(drafts.size(), no_joint);
  int root = no_joint;
  for (int i = 0; i < count; ++i) {
    const JointDraft& joint = drafts[i];
    if (std::string what = fault_in_numbers(joint); !what.empty()) return refuse(joint, what);
    if (joint.parent.empty()) {
      if (root != no_joint)
        return refuse(joint, "it has no parent, but '" + drafts[root].name +
                                 "' is the root already; a skeleton has one root");
      root = i;
      continue;
    }
    parent[i] = find_by_name(drafts, sorted, joint.parent);
    if (parent[i] == no_joint) {
      std::vector<std::string_view> names;
      for (const JointDraft& other : drafts) names.push_back(other.name);
      return refuse(joint,
                    "unknown parent '" + joint.parent + "'" + did_you_mean(joint.parent, names));
    }
  }

  // Parents first, the draft's order otherwise: each joint waits for the line of ancestors that are
  // not placed yet. A line that comes back to a joint of its own is a cycle; every joint is climbed
  // past once.
  constexpr int unseen = -1, waiting = -2;
  std::vector<int> placed(drafts.size(), unseen), order, line;
  order.reserve(drafts.size());
  for (int i = 0; i < count; ++i) {
    line.clear();
    int j = i;
    for (; j != no_joint && placed[j] == unseen; j = parent[j]) {
      placed[j] = waiting;
      line.push_back(j);
    }
    if (j != no_joint && placed[j] == waiting)
      return refuse(drafts[j], "it is its own ancestor: the parents form a cycle");
    for (auto it = line.rbegin(); it != line.rend(); ++it) {
      placed[*it] = static_cast<int>(order.size());
      order.push_back(*it);
    }
  }

  Skeleton skeleton;
  skeleton.joints_.reserve(drafts.size());
  for (int i : order) {
    const JointDraft& d = drafts[i];
    const Quat rest = normalized_or_identity(d.parent_from_joint.q);
    const Vec3 axis =
        d.type == JointType::fixed ? Vec3(Vec3::UnitY()) : Vec3(normalized_or_zero(d.axis));
    skeleton.joints_.push_back({
        .parent = parent[i] == no_joint ? no_joint : placed[parent[i]],
        .type = d.type,
        .q_offset = skeleton.q_size_,
        .v_offset = skeleton.v_size_,
        .rest = rest,
        .rest_axis = rest * Quat(0, axis.x(), axis.y(), axis.z()),
        .offset = d.parent_from_joint.p,
        .slide = rest * axis,
        .axis = axis,
    });
    skeleton.names_.push_back(d.name);
    skeleton.rest_.push_back({rest, d.parent_from_joint.p});
    skeleton.limits_.push_back(d.type == JointType::fixed ? Limits{} : d.limits);
    skeleton.joint_from_limit_.push_back(shortest_rotation(Vec3::UnitZ(), axis));
    skeleton.q_size_ += q_size(d.type);
    skeleton.v_size_ += v_size(d.type);
  }
  for (int i : sorted) skeleton.by_name_.push_back(placed[i]);
  skeleton.neutral_.resize(static_cast<std::size_t>(skeleton.q_size_));
  for (JointId j = 0; j < count; ++j)
    set_zero(skeleton, j, skeleton.neutral_.data() + skeleton.q_offset(j));
  clamp_to_limits(skeleton, skeleton.neutral_);
  return skeleton;
}

JointId Skeleton::find(std::string_view name) const noexcept {
  const auto it =
      std::lower_bound(by_name_.begin(), by_name_.end(), name,
                       [&](JointId j, std::string_view wanted) { return names_[j] < wanted; });
  return it != by_name_.end() && names_[*it] == name ? *it : no_joint;
}

JointId Skeleton::joint_of_coordinate(int q_index) const noexcept {
  const auto after =
      std::upper_bound(joints_.begin(), joints_.end(), q_index,
                       [](int index, const Joint& joint) { return index < joint.q_offset; });
  // Fixed joints share the offset of the joint after them: step back over them.
  auto it = after - 1;
  while (gestik::q_size(it->type) == 0) --it;
  return static_cast<JointId>(it - joints_.begin());
}

std::string Skeleton::coordinate_name(int q_index) const {
  const JointId j = joint_of_coordinate(q_index);
  if (type(j) != JointType::ball) return name(j);
  return name(j) + "." + "wxyz"[q_index - q_offset(j)];
}

SkeletonDraft draft_of(const Skeleton& skeleton) {
  SkeletonDraft draft;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const JointId parent = skeleton.parent(j);
    draft.joints.push_back({
        .name = skeleton.name(j),
        .parent = parent == no_joint ? std::string() : skeleton.name(parent),
        .type = skeleton.type(j),
        .parent_from_joint = skeleton.parent_from_joint(j),
        .axis = skeleton.axis(j),
        .limits = skeleton.limits(j),
    });
  }
  return draft;
}

}  // namespace gestik
