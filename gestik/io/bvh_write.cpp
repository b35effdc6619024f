#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "gestik/io/bvh.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

constexpr Real degrees_per_radian = 180 / pi;

/// A channel that holds one coordinate as it is.
struct PlainChannel {
  int axis = 0;  ///< 0, 1, 2 for x, y, z
  bool rotates = false;
  int coordinate = 0;
};

/// One joint of the file: a joint of the skeleton, or the parts that read_bvh made of one.
struct Group {
  std::string_view name;
  JointId first = 0, last = 0;
  std::vector<PlainChannel> plain;
  bool folds_position = false;  ///< the last joint's motion as X, Y, Z
  bool folds_rotation = false;  ///< the last joint's rest and motion as Z, Y, X
};

struct Euler {
  Real z = 0, y = 0, x = 0;
};

// q = qz * qy * qx. With c, s the cosine and sine of half of y, the product's terms pair up:
//   w + y = (c + s) cos((x - z) / 2),   x - z = (c + s) sin((x - z) / 2)
//   w - y = (c - s) cos((x + z) / 2),   x + z = (c - s) sin((x + z) / 2)
// (left the quaternion's parts, right the angles). Where c = s or c = -s (gimbal lock) one pair
// vanishes, its half angle does not matter and atan2(0, 0) makes it zero; near there it is badly
// known, but the rotation depends on it as little. c + s and c - s give y.
Euler euler_zyx(const Quat& q) noexcept {
  const Real half_difference = std::atan2(q.x() - q.z(), q.w() + q.y());
  const Real half_sum = std::atan2(q.x() + q.z(), q.w() - q.y());
  const Real sum = std::hypot(q.w() + q.y(), q.x() - q.z());
  const Real difference = std::hypot(q.w() - q.y(), q.x() + q.z());
  return {half_sum - half_difference, 2 * std::atan2(sum, difference) - pi / 2,
          half_sum + half_difference};
}

/// Of the two ways to write a rotation, each up to full turns, the one nearest to the frame before.
Euler nearest_euler(const Euler& e, const Euler& before) noexcept {
  const auto turned = [&](Real z, Real y, Real x) {
    return Euler{before.z + wrap_angle(z - before.z), before.y + wrap_angle(y - before.y),
                 before.x + wrap_angle(x - before.x)};
  };
  const auto distance = [&](const Euler& a) {
    return std::abs(a.z - before.z) + std::abs(a.y - before.y) + std::abs(a.x - before.x);
  };
  const Euler one = turned(e.z, e.y, e.x), other = turned(e.z + pi, pi - e.y, e.x + pi);
  return distance(other) < distance(one) ? other : one;
}

bool has_identity_rest(const Skeleton& skeleton, JointId j) {
  return skeleton.parent_from_joint(j).q.vec().isZero(0);
}

/// The coordinate axis a hinge or slider moves along, if it does.
std::optional<PlainChannel> plain_channel(const Skeleton& skeleton, JointId j) {
  const JointType type = skeleton.type(j);
  if (type != JointType::hinge && type != JointType::slider) return std::nullopt;
  if (!has_identity_rest(skeleton, j)) return std::nullopt;
  for (int axis = 0; axis < 3; ++axis)
    if (skeleton.axis(j) == Vec3::Unit(axis))
      return PlainChannel{axis, type == JointType::hinge, skeleton.q_offset(j)};
  return std::nullopt;
}

std::string part_suffix(const PlainChannel& channel) {
  return (channel.rotates ? ".r" : ".") + std::string(1, "xyz"[channel.axis]);
}

class Writer {
 public:
  Writer(const Character& character, const Clip& clip, Real unit)
      : character_(character), skeleton_(character.skeleton), clip_(clip), unit_(unit) {}

  Result<std::string> write() {
    index();
    out_ = "HIERARCHY\n";
    if (!write_hierarchy() || !write_motion()) return *fault_;
    return std::move(out_);
  }

 private:
  bool refuse(std::string what, std::string where) {
    fault_ = Error{std::move(what), std::move(where)};
    return false;
  }

  void index() {
    children_.resize(static_cast<std::size_t>(skeleton_.joint_count()));
    ends_.resize(children_.size());
    for (JointId j = 1; j < skeleton_.joint_count(); ++j)
      children_[skeleton_.parent(j)].push_back(j);
    for (const Frame& end : character_.ends) ends_[end.joint].push_back(&end);
  }

  /// The parts of one joint from its first one on, or just the joint itself.
  Group group_from(JointId first) const {
    const std::string_view name = skeleton_.name(first);
    const std::optional<PlainChannel> channel = plain_channel(skeleton_, first);
    if (channel && name.ends_with(part_suffix(*channel))) {
      Group group;
      group.name = name.substr(0, name.size() - part_suffix(*channel).size());
      group.first = first;
      if (gather_parts(group)) return group;
    }
    Group group{.name = name, .first = first, .last = first, .plain = {}};
    if (channel)
      group.plain.push_back(*channel);
    else
      fold_last(group);
    return group;
  }

  /// Follows the parts down to the joint of the group's name; false where they are not what
  /// read_bvh makes.
  bool gather_parts(Group& group) const {
    for (JointId j = group.first;; j = children_[j][0]) {
      const bool is_last = skeleton_.name(j) == group.name;
      if (!has_identity_rest(skeleton_, j)) return false;
      if (j != group.first && !skeleton_.parent_from_joint(j).p.isZero(0)) return false;
      if (is_last && skeleton_.type(j) == JointType::ball) {
        group.last = j;
        fold_last(group);
        return std::none_of(group.plain.begin(), group.plain.end(),
                            [](const PlainChannel& channel) { return channel.rotates; });
      }
      const std::optional<PlainChannel> channel = plain_channel(skeleton_, j);
      if (!channel || !fits(*channel, group.plain)) return false;
      group.plain.push_back(*channel);
      if (is_last) {
        group.last = j;
        return true;
      }
      const std::string wanted = std::string(group.name) + part_suffix(*channel);
      if (skeleton_.name(j) != wanted || children_[j].size() != 1 || !ends_[j].empty())
        return false;
    }
  }

  /// Positions before rotations, and no channel twice.
  static bool fits(const PlainChannel& channel, const std::vector<PlainChannel>& before) {
    return std::none_of(before.begin(), before.end(), [&](const PlainChannel& other) {
      return (other.rotates && !channel.rotates) ||
             (other.rotates == channel.rotates && other.axis == channel.axis);
    });
  }

  void fold_last(Group& group) const {
    switch (skeleton_.type(group.last)) {
      case JointType::fixed:
        group.folds_rotation = !has_identity_rest(skeleton_, group.last);
        break;
      case JointType::slider:
        group.folds_position = true;
        group.folds_rotation = !has_identity_rest(skeleton_, group.last);
        break;
      case JointType::hinge:
      case JointType::ball:
        group.folds_rotation = true;
        break;
    }
  }

  /// Depth first with a stack of our own; a negative entry closes a brace.
  bool write_hierarchy() {
    constexpr JointId closing = -1;
    std::vector<JointId> stack{0};
    for (depth_ = 0; !stack.empty();) {
      const JointId j = stack.back();
      stack.pop_back();
      if (j == closing) {
        --depth_;
        line("}");
        continue;
      }
      groups_.push_back(group_from(j));
      const Group& group = groups_.back();
      if (!write_joint(group)) return false;
      const std::vector<JointId>& below = children_[group.last];
      stack.push_back(closing);
      stack.insert(stack.end(), below.rbegin(), below.rend());
    }
    return true;
  }

  bool write_joint(const Group& group) {
    const std::string where = "joint " + quoted(group.name);
    if (trimmed(group.name) != group.name || group.name.find_first_of("{\n\r") != group.name.npos ||
        check_text(group.name, ""))
      return refuse("BVH can't hold this name (blanks at its ends, a brace or a line break)",
                    where);
    line((groups_.size() == 1 ? "ROOT " : "JOINT ") + std::string(group.name));
    line("{");
    ++depth_;
    if (!write_offset(skeleton_.parent_from_joint(group.first).p, where)) return false;
    line(channels_line(group));
    for (const Frame* end : ends_[group.last])
      if (!write_end(end->joint_from_frame.p, where)) return false;
    const bool is_bare = children_[group.last].empty() && ends_[group.last].empty();
    return !is_bare || write_end(Vec3::Zero(), where);  // most programs want every chain ended
  }

  bool write_end(const Vec3& offset, const std::string& where) {
    line("End Site");
    line("{");
    ++depth_;
    if (!write_offset(offset, where)) return false;
    --depth_;
    line("}");
    return true;
  }

  bool write_offset(const Vec3& offset, const std::string& where) {
    indent();
    out_ += "OFFSET";
    for (int i = 0; i < 3; ++i)
      if (!number(offset[i] / unit_)) return refuse("its offset is too large to write", where);
    out_ += '\n';
    return true;
  }

  static std::string channels_line(const Group& group) {
    std::size_t count = group.plain.size();
    std::string names;
    for (const PlainChannel& channel : group.plain)
      names += std::string(" ") + "XYZ"[channel.axis] + (channel.rotates ? "rotation" : "position");
    if (group.folds_position) names += " Xposition Yposition Zposition", count += 3;
    if (group.folds_rotation) names += " Zrotation Yrotation Xrotation", count += 3;
    return "CHANNELS " + std::to_string(count) + names;
  }

  bool write_motion() {
    const Real frame_time = 1 / clip_.rate;
    if (!std::isfinite(frame_time)) return refuse("its rate is too small to write", clip_name());
    const int frames = clip_.frame_count();
    line("MOTION");
    line("Frames: " + std::to_string(std::max(frames, 1)));
    out_ += "Frame Time:";
    number(frame_time);
    out_ += '\n';
    angles_.resize(groups_.size());
    if (frames == 0) return write_frame(skeleton_.neutral(), 0);
    for (int f = 0; f < frames; ++f)
      if (!write_frame(clip_.frame(f), f)) return false;
    return true;
  }

  bool write_frame(ConstQ q, int frame) {
    const std::size_t begin = out_.size();
    bool sound = true;
    for (std::size_t i = 0; i < groups_.size(); ++i) sound = write_values(i, q) && sound;
    if (!sound)
      return refuse("frame " + std::to_string(frame + 1) + " holds a number too large to write",
                    clip_name());
    if (out_.size() > begin) out_.erase(begin, 1);  // the blank before the first number
    out_ += '\n';
    return true;
  }

  bool write_values(std::size_t index, ConstQ q) {
    const Group& group = groups_[index];
    bool sound = true;
    for (const PlainChannel& channel : group.plain) {
      const Real value = q[channel.coordinate];
      sound = number(channel.rotates ? value * degrees_per_radian : value / unit_) && sound;
    }
    if (!group.folds_position && !group.folds_rotation) return sound;
    const Quat& rest = skeleton_.parent_from_joint(group.last).q;
    const Pose motion =
        joint_motion(skeleton_, group.last, q.data() + skeleton_.q_offset(group.last));
    if (group.folds_position) {
      const Vec3 moved = rest * motion.p;
      for (int i = 0; i < 3; ++i) sound = number(moved[i] / unit_) && sound;
    }
    if (group.folds_rotation) {
      Euler& angles = angles_[index];
      angles = nearest_euler(euler_zyx(normalized_or_identity(rest * motion.q)), angles);
      for (Real angle : {angles.z, angles.y, angles.x})
        sound = number(angle * degrees_per_radian) && sound;
    }
    return sound;
  }

  std::string clip_name() const { return "clip '" + clip_.name + "'"; }

  /// Levels beyond this are not moved in further: a chain of 100,000 joints would be all tabs.
  void indent() { out_.append(std::min<std::size_t>(depth_, 40), '\t'); }

  void line(std::string_view text) {
    indent();
    out_.append(text).push_back('\n');
  }

  /// A blank and the number. Twelve digits are far beyond what is captured, and bring back the few
  /// digits of a file that went through radians. False for what is not finite.
  bool number(Real value) {
    std::array<char, 32> text;
    if (value == 0) value = 0;  // never "-0"
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 12)
            .ptr;
    out_.push_back(' ');
    out_.append(text.data(), end);
    return std::isfinite(value);
  }

  const Character& character_;
  const Skeleton& skeleton_;
  const Clip& clip_;
  Real unit_;
  std::vector<std::vector<JointId>> children_;
  std::vector<std::vector<const Frame*>> ends_;
  std::vector<Group> groups_;  ///< in the order of the file
  std::vector<Euler> angles_;  ///< per group: the last frame's, in radians
  std::size_t depth_ = 0;
  std::string out_;
  std::optional<Error> fault_;
};

}  // namespace

Result<std::string> write_bvh(const Character& character, const Clip& clip, Real unit) {
  if (!(unit > 0) || std::isinf(unit))
    return Error{"the unit must be a number of metres above zero", ""};
  if (auto fault = check(character)) return *fault;
  if (auto fault = check(clip, character.skeleton)) return *fault;
  return Writer(character, clip, unit).write();
}

}  // namespace gestik
