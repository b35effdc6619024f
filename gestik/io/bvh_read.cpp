#include <algorithm>
#include <cmath>

#include "gestik/base/suggest.h"
#include "gestik/io/bvh.h"
#include "gestik/io/bvh_parse.h"
#include "gestik/io/names.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

constexpr Real radians_per_degree = pi / 180;

/// Where the coordinates of one joint of the skeleton come from.
struct Source {
  JointType type = JointType::fixed;
  std::vector<BvhChannel> channels;  ///< one, or a ball's three in the order they compose
};

class Maker {
 public:
  Maker(const BvhFile& bvh, std::string_view file, const BvhOptions& options)
      : bvh_(bvh), file_(file), options_(options) {}

  Result<Loaded> make() {
    if (!(options_.unit > 0) || std::isinf(options_.unit))
      return Error{"the unit must be a number of metres above zero", std::string(file_)};
    if (auto fault = check_hinges()) return *fault;
    name_joints();
    for (std::size_t i = 0; i < bvh_.joints.size(); ++i) add_joint(i);
    Result<Skeleton> skeleton = build(draft_);
    if (!skeleton) return with_line(skeleton.error());

    Loaded loaded{
        .character = {.name = stem_of(file_), .up = UpAxis::y, .skeleton = *std::move(skeleton)},
        .warnings = std::move(warnings_)};
    add_ends(loaded.character);
    if (auto fault = check(loaded.character)) return Error{to_string(*fault), std::string(file_)};
    if (auto fault = add_clip(loaded)) return *fault;
    return loaded;
  }

 private:
  std::optional<Error> check_hinges() const {
    std::vector<std::string_view> names;
    for (const BvhJoint& joint : bvh_.joints) names.push_back(joint.name);
    for (const std::string& wanted : options_.hinges)
      if (wanted != "*" && std::find(names.begin(), names.end(), wanted) == names.end())
        return Error{"there is no joint " + quoted(wanted) + " to make hinges of" +
                         did_you_mean(wanted, names),
                     std::string(file_)};
    return std::nullopt;
  }

  bool wants_hinges(const std::string& joint) const {
    const auto chosen = [&](const std::string& name) { return name == "*" || name == joint; };
    return std::any_of(options_.hinges.begin(), options_.hinges.end(), chosen);
  }

  /// Whole joints first: their parts ("Hips.x") make way for them.
  void name_joints() {
    for (const BvhJoint& joint : bvh_.joints) {
      plain_names_.push_back(names_.unique(joint.name));
      if (plain_names_.back() != joint.name)
        warnings_.push_back("line " + std::to_string(joint.line) + ": a joint called " +
                            quoted(joint.name) + " is there already; this one is now " +
                            quoted(plain_names_.back()));
    }
  }

  /// A joint moves first, whatever the order of its channels, then turns.
  std::vector<Source> sources_of(const BvhJoint& joint) const {
    std::vector<Source> sources;
    std::vector<BvhChannel> turns;
    for (const BvhChannel& channel : joint.channels) {
      if (channel.rotates)
        turns.push_back(channel);
      else
        sources.push_back({JointType::slider, {channel}});
    }
    if (turns.size() == 3 && !wants_hinges(joint.name)) {
      sources.push_back({JointType::ball, turns});
    } else {
      for (const BvhChannel& turn : turns) sources.push_back({JointType::hinge, {turn}});
    }
    if (sources.empty()) sources.push_back({JointType::fixed, {}});
    return sources;
  }

  void add_joint(std::size_t index) {
    const BvhJoint& joint = bvh_.joints[index];
    std::string parent = joint.parent < 0 ? std::string() : plain_names_[joint.parent];
    Vec3 offset = joint.offset * options_.unit;
    std::vector<Source> sources = sources_of(joint);
    for (const Source& source : sources) {
      const bool is_last = &source == &sources.back();
      const std::string name = is_last ? plain_names_[index] : part_name(index, source.channels[0]);
      draft_.joints.push_back({.name = name,
                               .parent = parent,
                               .type = source.type,
                               .parent_from_joint = {Quat::Identity(), offset},
                               .axis = axis_of(source, joint),
                               .limits = {}});
      parent = name;
      offset.setZero();
    }
    std::move(sources.begin(), sources.end(), std::back_inserter(sources_));
    last_parts_.push_back(static_cast<JointId>(sources_.size()) - 1);
  }

  std::string part_name(std::size_t index, const BvhChannel& channel) {
    const std::string suffix = (channel.rotates ? ".r" : ".") + std::string(1, "xyz"[channel.axis]);
    return names_.unique(plain_names_[index] + suffix);
  }

  static Vec3 direction_or_up(const Vec3& offset) {
    const Vec3 direction = normalized_or_zero(offset);
    return direction.isZero(0) ? Vec3(Vec3::UnitY()) : direction;
  }

  static Vec3 axis_of(const Source& source, const BvhJoint& joint) {
    switch (source.type) {
      case JointType::fixed:
        return Vec3::UnitY();
      case JointType::hinge:
      case JointType::slider:
        return Vec3::Unit(source.channels[0].axis);
      case JointType::ball:
        return direction_or_up(joint.towards);
    }
    return Vec3::UnitY();
  }

  Error with_line(Error error) const {
    for (std::size_t i = 0; i < plain_names_.size(); ++i) {
      const std::string owner = "joint '" + plain_names_[i];
      if (error.where == owner + "'" || error.where.starts_with(owner + "."))
        return error_at(file_, bvh_.joints[i].line, error.where + ": " + error.what);
    }
    return Error{to_string(error), std::string(file_)};
  }

  void add_ends(Character& character) {
    for (const BvhEnd& end : bvh_.ends) {
      const std::string& joint = plain_names_[end.joint];
      const Vec3 offset = end.offset * options_.unit;
      character.ends.push_back({.name = end.is_joint ? joint : names_.unique(joint + "_end"),
                                .joint = last_parts_[end.joint],
                                .joint_from_frame = {Quat::Identity(), offset},
                                .aim = direction_or_up(end.offset)});
    }
  }

  std::optional<Error> add_clip(Loaded& loaded) const {
    if (!bvh_.motion) return std::nullopt;
    const Skeleton& skeleton = loaded.character.skeleton;
    if (bvh_.motion->values.empty()) {
      loaded.warnings.push_back("the motion has no frames and is passed over");
      return std::nullopt;
    }
    Clip clip = clip_for(skeleton, loaded.character.name, 1 / bvh_.motion->frame_time);
    const std::size_t columns = static_cast<std::size_t>(bvh_.columns);
    const std::size_t frames = bvh_.motion->values.size() / columns;
    const std::size_t width = clip.columns.size();
    clip.values.resize(frames * width);
    for (std::size_t f = 0; f < frames; ++f) {
      Real* q = clip.values.data() + f * width;
      fill(skeleton, bvh_.motion->values.data() + f * columns, f > 0 ? q - width : nullptr, q);
    }
    if (auto fault = check(clip, skeleton)) return Error{to_string(*fault), std::string(file_)};
    loaded.clips.push_back(std::move(clip));
    return std::nullopt;
  }

  /// One frame from one row. Each ball takes the sign of its quaternion that is nearer to `before`.
  void fill(const Skeleton& skeleton, const Real* row, const Real* before, Real* q) const {
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      const Source& source = sources_[j];
      const int at = skeleton.q_offset(j);
      switch (source.type) {
        case JointType::fixed:
          break;
        case JointType::slider:
          q[at] = row[source.channels[0].column] * options_.unit;
          break;
        case JointType::hinge:
          q[at] = row[source.channels[0].column] * radians_per_degree;
          break;
        case JointType::ball: {
          Quat turned = Quat::Identity();
          for (const BvhChannel& channel : source.channels)
            turned = turned *
                     axis_angle(Vec3::Unit(channel.axis), row[channel.column] * radians_per_degree);
          turned = normalized_or_identity(turned);
          const Quat near = before == nullptr ? Quat(Quat::Identity()) : load_quat(before + at);
          if (turned.dot(near) < 0) turned.coeffs() = -turned.coeffs();
          store_quat(turned, q + at);
          break;
        }
      }
    }
  }

  const BvhFile& bvh_;
  std::string_view file_;
  const BvhOptions& options_;
  Names names_;
  std::vector<std::string> plain_names_;  ///< per joint of the file
  std::vector<JointId> last_parts_;       ///< per joint of the file: the part with its name
  SkeletonDraft draft_;                   ///< parents first, so build() keeps its order
  std::vector<Source> sources_;           ///< per joint of the draft
  std::vector<std::string> warnings_;
};

}  // namespace

Result<Loaded> read_bvh(std::string_view text, std::string_view file, const BvhOptions& options) {
  Result<BvhFile> bvh = parse_bvh(text, file);
  if (!bvh) return bvh.error();
  return Maker(*bvh, file, options).make();
}

}  // namespace gestik
