#include <algorithm>
#include <cmath>

#include "gestik/io/gltf.h"
#include "gestik/io/gltf_parse.h"
#include "gestik/io/names.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// Clips are sampled at a steady rate, so a short file can ask for very many numbers: this many, to
/// be worked out and to be kept, in all clips.
constexpr Real most_clip_numbers = 1 << 23;

/// A place, a rotation and what scales and shears on the way. Rotations are multiplied by
/// themselves: a scale that differs from axis to axis does not turn a joint.
struct Placed {
  Mat3 linear = Mat3::Identity();
  Quat rotation = Quat::Identity();
  Vec3 position = Vec3::Zero();
};

Placed operator*(const Placed& parent, const GltfNode& node) {
  const Mat3 turn = node.rotation.toRotationMatrix();
  return {parent.linear * turn * node.scale.asDiagonal(), parent.rotation * node.rotation,
          parent.position + parent.linear * node.translation};
}

Vec3 direction_or_up(const Vec3& offset) {
  const Vec3 direction = normalized_or_zero(offset);
  return direction.isZero(0) ? Vec3(Vec3::UnitY()) : direction;
}

/// A rotation track at a time; before its first key and after its last it stands still.
class RotationSampler {
 public:
  explicit RotationSampler(const GltfTrack& track) : track_(track) {}

  /// Times must not fall from one call to the next.
  Quat at(Real time) {
    const std::vector<Real>& times = track_.times;
    constexpr Real blur = 1e-6;  // seconds: files keep their times as floats, 0.1 is a bit late
    while (key_ + 1 < times.size() && times[key_ + 1] <= time + blur) ++key_;
    if (time <= times[key_] || key_ + 1 == times.size() || track_.step == GltfStep::step)
      return value(key_);
    const Real span = times[key_ + 1] - times[key_], s = (time - times[key_]) / span;
    if (track_.step == GltfStep::linear)
      return normalized_or_identity(value(key_).slerp(s, value(key_ + 1)));
    // Hermite's cubic, as glTF has it: tangents are per second.
    const Real s2 = s * s, s3 = s2 * s;
    const Eigen::Vector4d mixed =
        (2 * s3 - 3 * s2 + 1) * part(key_, 1) + span * (s3 - 2 * s2 + s) * part(key_, 2) +
        (3 * s2 - 2 * s3) * part(key_ + 1, 1) + span * (s3 - s2) * part(key_ + 1, 0);
    return quat(mixed);
  }

 private:
  static Quat quat(const Eigen::Vector4d& xyzw) {
    return normalized_or_identity(Quat(xyzw[3], xyzw[0], xyzw[1], xyzw[2]));
  }

  /// Of a cubic track: 0 the tangent before the key, 1 its value, 2 the tangent after it.
  Eigen::Vector4d part(std::size_t key, std::size_t which) const {
    const std::size_t each = track_.step == GltfStep::cubic ? 3 : 1;
    return Eigen::Map<const Eigen::Vector4d>(track_.values.data() + 4 * (each * key + which));
  }
  Quat value(std::size_t key) const { return quat(part(key, track_.step == GltfStep::cubic)); }

  const GltfTrack& track_;
  std::size_t key_ = 0;
};

class GltfMaker {
 public:
  GltfMaker(GltfFile gltf, std::string_view file) : gltf_(std::move(gltf)), file_(file) {}

  Result<Loaded> make() {
    place_nodes();
    draft_joints();
    Result<Skeleton> skeleton = build(draft_);
    if (!skeleton) return Error{to_string(skeleton.error()), std::string(file_)};
    Loaded loaded{.character = {.name = stem_of(file_),
                                .up = UpAxis::y,
                                .skeleton = *std::move(skeleton),
                                .ends = std::move(ends_),
                                .links = {},
                                .postures = {},
                                .mimics = {},
                                .motion = {}},
                  .clips = {},
                  .warnings = std::move(gltf_.warnings)};
    if (auto fault = check(loaded.character)) return Error{to_string(*fault), std::string(file_)};
    Names clip_names;
    for (std::size_t i = 0; i < gltf_.animations.size(); ++i)
      if (auto fault = add_clip(gltf_.animations[i], i, clip_names, loaded)) return *fault;
    return loaded;
  }

 private:
  const GltfNode& node(int i) const { return gltf_.nodes[static_cast<std::size_t>(i)]; }
  const Placed& placed(int i) const { return placed_[static_cast<std::size_t>(i)]; }

  /// All nodes, parents first, whatever the depth; a joint's nearest ancestor that is one as well.
  void place_nodes() {
    placed_.resize(gltf_.nodes.size());
    joint_above_.resize(gltf_.nodes.size(), -1);
    std::vector<bool> is_joint(gltf_.nodes.size());
    for (const int joint : gltf_.joints) is_joint[static_cast<std::size_t>(joint)] = true;

    std::vector<int> waiting;
    for (std::size_t i = gltf_.nodes.size(); i-- > 0;)
      if (gltf_.nodes[i].parent < 0) waiting.push_back(static_cast<int>(i));
    while (!waiting.empty()) {
      const int at = waiting.back();
      waiting.pop_back();
      const auto i = static_cast<std::size_t>(at);
      const int parent = node(at).parent;
      placed_[i] = (parent < 0 ? Placed{} : placed(parent)) * node(at);
      if (parent >= 0)
        joint_above_[i] = is_joint[static_cast<std::size_t>(parent)]
                              ? parent
                              : joint_above_[static_cast<std::size_t>(parent)];
      if (is_joint[i]) order_.push_back(at);
      waiting.insert(waiting.end(), node(at).children.rbegin(), node(at).children.rend());
    }
  }

  /// A joint's frame in that of the joint above it, or in the world.
  Pose rest_of(int joint) const {
    const Placed& own = placed(joint);
    const int above = joint_above_[static_cast<std::size_t>(joint)];
    if (above < 0) return {own.rotation, own.position};
    const Quat above_from_world = placed(above).rotation.conjugate();
    return {above_from_world * own.rotation,
            above_from_world * Vec3(own.position - placed(above).position)};
  }

  void draft_joints() {
    const auto roots = std::count_if(order_.begin(), order_.end(), [&](int joint) {
      return joint_above_[static_cast<std::size_t>(joint)] < 0;
    });
    Names names;
    std::string root;
    if (roots > 1) {
      root = names.unique("root");
      draft_.joints.push_back({.name = root});
    }
    joint_of_node_.resize(gltf_.nodes.size(), no_joint);
    for (const int joint : order_) {
      const auto i = static_cast<std::size_t>(joint);
      const std::string& own = node(joint).name;
      const std::string wanted = own.empty() ? "node " + std::to_string(joint) : own;
      const std::string name = names.unique(wanted);
      if (name != wanted)
        gltf_.warnings.push_back("a joint called " + quoted(wanted) +
                                 " is there already; this one is now " + quoted(name));
      const int above = joint_above_[i];
      joint_of_node_[i] = static_cast<JointId>(draft_.joints.size());
      draft_.joints.push_back({.name = name,
                               .parent = above < 0 ? root : name_of(above),
                               .type = JointType::ball,
                               .parent_from_joint = rest_of(joint)});
    }
    point_joints();
  }

  const std::string& name_of(int joint) const {
    return draft_.joints[static_cast<std::size_t>(joint_of_node_[static_cast<std::size_t>(joint)])]
        .name;
  }

  /// Twist axes towards the first child; end-points where there is none.
  void point_joints() {
    std::vector<bool> has_child(gltf_.nodes.size());
    for (const int joint : order_) {
      const int above = joint_above_[static_cast<std::size_t>(joint)];
      if (above < 0 || has_child[static_cast<std::size_t>(above)]) continue;
      has_child[static_cast<std::size_t>(above)] = true;
      JointDraft& parent =
          draft_.joints[static_cast<std::size_t>(joint_of_node_[static_cast<std::size_t>(above)])];
      parent.axis = direction_or_up(rest_of(joint).p);
    }
    for (const int joint : order_) {
      if (has_child[static_cast<std::size_t>(joint)]) continue;
      const JointId j = joint_of_node_[static_cast<std::size_t>(joint)];
      JointDraft& draft = draft_.joints[static_cast<std::size_t>(j)];
      const Pose& rest = draft.parent_from_joint;
      draft.axis = direction_or_up(rest.q.conjugate() * rest.p);
      ends_.push_back({.name = draft.name, .joint = j, .joint_from_frame = {}, .aim = draft.axis});
    }
  }

  // --- clips ---

  std::optional<Error> add_clip(const GltfAnimation& animation, std::size_t index, Names& names,
                                Loaded& loaded) {
    const Skeleton& skeleton = loaded.character.skeleton;
    const std::string name = names.unique(
        animation.name.empty() ? "animation " + std::to_string(index) : animation.name);
    std::vector<const GltfTrack*> turns;
    for (const GltfTrack& track : animation.tracks)
      if (track.path == GltfPath::rotation && joint_of(track) != no_joint) turns.push_back(&track);
    warn_of_the_rest(animation, name, loaded.warnings);
    if (turns.empty()) {
      loaded.warnings.push_back("animation " + quoted(name) + " turns no joint and is left out");
      return std::nullopt;
    }

    Real first = infinity, last = -infinity, closest = infinity;
    for (const GltfTrack* track : turns) {
      first = std::min(first, track->times.front());
      last = std::max(last, track->times.back());
      for (std::size_t k = 1; k < track->times.size(); ++k)
        closest = std::min(closest, track->times[k] - track->times[k - 1]);
    }
    const Real rate = rate_for(closest);
    const Real frames = std::floor((last - first) * rate + 1e-3) + 1;
    clip_numbers_ += frames * (skeleton.q_size() + 4 * static_cast<Real>(turns.size()));
    if (!(clip_numbers_ <= most_clip_numbers))
      return Error{"animation " + quoted(name) + " is too long, with those before it: " +
                       std::to_string(last - first) + " seconds; split the file",
                   std::string(file_)};
    loaded.clips.push_back(sampled(turns, skeleton, name, rate, first, static_cast<int>(frames)));
    if (auto fault = check(loaded.clips.back(), skeleton))
      return Error{to_string(*fault), std::string(file_)};
    return std::nullopt;
  }

  /// Frames per second: whole where the keys are almost so, since files keep their times as floats.
  static Real rate_for(Real closest) {
    const Real rate = std::clamp(1 / closest, 1.0, 120.0);
    return std::abs(rate - std::round(rate)) < 0.01 * rate ? std::round(rate) : rate;
  }

  Clip sampled(const std::vector<const GltfTrack*>& turns, const Skeleton& skeleton,
               const std::string& name, Real rate, Real first, int frames) const {
    Clip clip = clip_for(skeleton, name, rate);
    const ConstQ neutral = skeleton.neutral();
    const std::size_t width = neutral.size();
    for (int f = 0; f < frames; ++f)
      clip.values.insert(clip.values.end(), neutral.begin(), neutral.end());
    for (const GltfTrack* track : turns) {
      RotationSampler sampler(*track);
      const Quat rest = node(track->node).rotation.conjugate();
      Quat before = Quat::Identity();
      for (int f = 0; f < frames; ++f) {
        // What stands between this joint and the one above it cancels out.
        Quat turn = normalized_or_identity(rest * sampler.at(first + f / rate));
        if (turn.dot(before) < 0) turn.coeffs() = -turn.coeffs();
        before = turn;
        store_quat(turn, clip.values.data() + static_cast<std::size_t>(f) * width +
                             skeleton.q_offset(joint_of(*track)));
      }
    }
    return clip;
  }

  JointId joint_of(const GltfTrack& track) const {
    return joint_of_node_[static_cast<std::size_t>(track.node)];
  }

  std::string what_to_call(int i) const {
    if (joint_of_node_[static_cast<std::size_t>(i)] != no_joint) return quoted(name_of(i));
    return node(i).name.empty() ? "node " + std::to_string(i) : quoted(node(i).name);
  }

  /// What a ball can't do. The most of each is told, so that a reader knows whether it matters.
  void warn_of_the_rest(const GltfAnimation& animation, const std::string& name,
                        std::vector<std::string>& warnings) const {
    Real farthest = 0, most_scaled = 0;
    const GltfTrack *mover = nullptr, *scaler = nullptr, *turner = nullptr;
    bool morphs = false;
    for (const GltfTrack& track : animation.tracks) {
      const Real moved = track.path == GltfPath::translation ? travel(track) : 0;
      const Real scaled = track.path == GltfPath::scale ? travel(track) : 0;
      if (moved > farthest) farthest = moved, mover = &track;
      if (scaled > most_scaled) most_scaled = scaled, scaler = &track;
      if (track.path == GltfPath::rotation && joint_of(track) == no_joint) turner = &track;
      morphs |= track.path == GltfPath::weights;
    }
    const std::string lead = "animation " + quoted(name) + " ";
    constexpr Real noise = 1e-5;  // of numbers that went through floats
    if (farthest > noise)
      warnings.push_back(lead + "also moves joints, " + what_to_call(mover->node) + " by up to " +
                         std::to_string(farthest) + " m: left out, a ball only turns");
    if (most_scaled > noise)
      warnings.push_back(lead + "also scales " + what_to_call(scaler->node) + ": left out");
    if (turner)
      warnings.push_back(lead + "also turns " + what_to_call(turner->node) +
                         ", which is no joint: left out");
    if (morphs) warnings.push_back(lead + "also morphs a mesh: left out");
  }

  /// How far a translation or scale goes from what the node has at rest. Moves are in the world,
  /// where the nodes above may scale.
  Real travel(const GltfTrack& track) const {
    const bool moves = track.path == GltfPath::translation;
    const GltfNode& own = node(track.node);
    const Mat3 above = moves && own.parent >= 0 ? placed(own.parent).linear : Mat3::Identity();
    const Vec3 rest = moves ? own.translation : own.scale;
    const std::size_t step = track.step == GltfStep::cubic ? 9 : 3;
    const std::size_t start = track.step == GltfStep::cubic ? 3 : 0;
    Real farthest = 0;
    for (std::size_t i = start; i + 3 <= track.values.size(); i += step)
      farthest = std::max(
          farthest, (above * (Eigen::Map<const Vec3>(track.values.data() + i) - rest)).norm());
    return farthest;
  }

  GltfFile gltf_;
  std::string_view file_;
  std::vector<Placed> placed_;    ///< per node, in the world, in the file's own pose
  std::vector<int> joint_above_;  ///< per node: the nearest ancestor that is a joint, or -1
  std::vector<int> order_;        ///< the nodes that are joints, parents first
  std::vector<JointId> joint_of_node_;
  SkeletonDraft draft_;
  std::vector<Frame> ends_;
  Real clip_numbers_ = 0;  ///< so far
};

}  // namespace

Result<Loaded> read_gltf(std::string_view bytes, std::string_view file) {
  Result<GltfFile> gltf = parse_gltf(bytes, file);
  if (!gltf) return gltf.error();
  return GltfMaker(*std::move(gltf), file).make();
}

}  // namespace gestik
