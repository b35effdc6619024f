#include "gestik/io/gestik_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "gestik/io/json_text.h"
#include "gestik/io/json_tree.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

constexpr int version = 1;

/// Postures are kept whole, so a short file can ask for joints times postures numbers: this many.
constexpr std::size_t most_posture_numbers = std::size_t{1} << 24;

constexpr std::array joint_types{JointType::fixed, JointType::hinge, JointType::slider,
                                 JointType::ball};
constexpr std::array up_axes{UpAxis::x, UpAxis::y, UpAxis::z};

/// In the order of Volume's alternatives.
enum class VolumeType : std::uint8_t { sphere, capsule, box };
constexpr std::array volume_types{VolumeType::sphere, VolumeType::capsule, VolumeType::box};

std::string_view to_string(VolumeType type) {
  switch (type) {
    case VolumeType::sphere:
      return "sphere";
    case VolumeType::capsule:
      return "capsule";
    case VolumeType::box:
      return "box";
  }
  return "";
}

// --- reading ---

/// Refuses a name that no joint has.
JointId joint_named(JsonReader& read, const JsonValue& value, std::string_view name,
                    const Skeleton& skeleton) {
  const JointId joint = skeleton.find(name);
  if (joint != no_joint || !read.ok()) return joint;
  std::vector<std::string_view> names;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) names.push_back(skeleton.name(j));
  read.refuse_unknown(value, "joint", name, names);
  return no_joint;
}

void set_joint(JsonReader& read, const JsonValue& value, const Skeleton& skeleton, JointId joint,
               Real* q) {
  switch (skeleton.type(joint)) {
    case JointType::fixed:
      return read.refuse(value, "joint " + in_quotes(skeleton.name(joint)) +
                                    " is fixed and has no value; remove it");
    case JointType::hinge:
    case JointType::slider:
      *q = read.number(value);
      return;
    case JointType::ball:
      store_quat(read.rotation(value), q);
      return;
  }
}

class CharacterReader {
 public:
  explicit CharacterReader(std::string_view file) : read_(file) {}

  Result<Loaded> character(const JsonValue& root) {
    check_version(root);
    read_.object(root, {"gestik", "name", "up", "joints", "ends", "links", "shapes", "may_touch",
                        "postures", "mimics", "clips"});
    const SkeletonDraft draft = joints(read_.required(root, "joints"));
    std::string name = read_.text(read_.required(root, "name"));
    const UpAxis up = up_axis(root["up"]);
    if (!read_.ok()) return read_.error();

    Result<Skeleton> built = build(draft);
    if (!built) return placed(built.error(), root["joints"]);
    Loaded loaded{.character = {.name = std::move(name), .up = up, .skeleton = *std::move(built)}};
    const Skeleton& skeleton = loaded.character.skeleton;
    loaded.character.ends = frames(root["ends"], "end-point", skeleton);
    loaded.character.links = frames(root["links"], "link", skeleton);
    loaded.character.shapes = shapes(root["shapes"], skeleton);
    loaded.character.may_touch = may_touch(root["may_touch"], loaded.character.shapes);
    loaded.character.postures = postures(root["postures"], skeleton);
    loaded.character.mimics = mimics(root["mimics"], skeleton);
    loaded.character.motion = motion(skeleton);
    loaded.clips = clips(root["clips"], skeleton);
    if (!read_.ok()) return read_.error();
    if (const auto fault = check(loaded.character)) return placed(*fault, root);
    return loaded;
  }

  /// A file of clips alone, for a skeleton that is known.
  Result<std::vector<Clip>> clips_for(const JsonValue& root, const Skeleton& skeleton) {
    check_version(root);
    read_.object(root, {"gestik", "name", "clips"});
    std::vector<Clip> result = clips(read_.required(root, "clips"), skeleton);
    if (!read_.ok()) return read_.error();
    return result;
  }

 private:
  /// Where something with a name of its own was read, as the checks of the model will call it.
  struct Place {
    std::string where;
    int line;
  };

  void note(std::string kind, std::string_view name, const JsonValue& at) {
    places_.push_back({std::move(kind) + " '" + std::string(name) + "'", at.line()});
  }

  /// A refusal by the model, with the line of what it names (of two with one name, the later one).
  Error placed(const Error& fault, const JsonValue& otherwise) {
    const auto place = std::find_if(places_.rbegin(), places_.rend(),
                                    [&](const Place& p) { return p.where == fault.where; });
    read_.refuse(place == places_.rend() ? otherwise.line() : place->line, to_string(fault));
    return read_.error();
  }

  void check_version(const JsonValue& root) {
    const JsonValue stated = read_.required(read_.object(root), "gestik");
    const Real wanted = read_.number(stated);
    if (read_.ok() && wanted != version)
      read_.refuse(stated, "the file is in version " + json_number(wanted) +
                               " of the format; this build reads version " +
                               std::to_string(version));
  }

  /// One of the values of an enum by the name that to_string gives it.
  template <class Enum, std::size_t count>
  Enum choice(const JsonValue& value, std::string_view what, const std::array<Enum, count>& all) {
    const std::string wanted = read_.text(value);
    std::array<std::string_view, count> names;
    std::transform(all.begin(), all.end(), names.begin(), [](Enum e) { return to_string(e); });
    const auto it = std::find(names.begin(), names.end(), wanted);
    if (it != names.end()) return all[static_cast<std::size_t>(it - names.begin())];
    if (value) read_.refuse_unknown(value, what, wanted, names);
    return all[0];
  }

  UpAxis up_axis(const JsonValue& value) {
    return value ? choice(value, "up axis", up_axes) : UpAxis::y;
  }

  SkeletonDraft joints(const JsonValue& list) {
    SkeletonDraft draft;
    for (const JsonValue value : read_.array(list)) {
      if (!read_.ok()) break;
      draft.joints.push_back(joint(value));
      note("joint", draft.joints.back().name, value);
    }
    return draft;
  }

  JointDraft joint(const JsonValue& value) {
    const JsonValue fields = read_.object(
        value, {"name", "parent", "type", "position", "orientation", "axis", "limits", "motion"});
    JointDraft draft;
    draft.name = read_.name(read_.required(fields, "name"));
    draft.parent = read_.text(fields["parent"]);
    draft.type = choice(read_.required(fields, "type"), "joint type", joint_types);
    draft.parent_from_joint = pose(fields);
    const JsonValue axis = fields["axis"], limits = fields["limits"], motion = fields["motion"];
    motion_.emplace_back(draft.name, motion_draft(motion));
    switch (draft.type) {
      case JointType::fixed:
        for (const JsonValue& useless : {axis, limits, motion})
          if (useless)
            read_.refuse(useless,
                         "a fixed joint has no " + in_quotes(useless.key()) + "; remove it");
        return draft;
      case JointType::hinge:
      case JointType::slider:
        draft.axis = read_.vector(read_.required(fields, "axis"));
        draft.limits = range(read_.object(limits, {"lo", "hi"}));
        return draft;
      case JointType::ball:
        if (limits && !axis)
          read_.refuse(limits, "a ball with limits needs its twist 'axis', such as [0, 1, 0]");
        if (axis) draft.axis = read_.vector(axis);
        draft.limits = range(read_.object(limits, {"lo", "hi", "swing_x", "swing_y"}));
        return draft;
    }
    return draft;
  }

  Limits range(const JsonValue& fields) {
    Limits limits;
    for (const auto& [field, bound] :
         {std::pair{"lo", &limits.lo}, std::pair{"hi", &limits.hi},
          std::pair{"swing_x", &limits.swing_x}, std::pair{"swing_y", &limits.swing_y}})
      if (const JsonValue value = fields[field]) *bound = read_.number(value);
    return limits;
  }

  /// What is not there follows from the rest: see motion_limits().
  MotionLimitsDraft motion_draft(const JsonValue& motion) {
    const JsonValue fields = read_.object(motion, {"velocity", "acceleration", "jerk"});
    MotionLimitsDraft draft;
    for (const auto& [field, limit] :
         {std::pair{"velocity", &draft.velocity}, std::pair{"acceleration", &draft.acceleration},
          std::pair{"jerk", &draft.jerk}})
      if (const JsonValue value = fields[field]) *limit = read_.number(value);
    return draft;
  }

  /// In joint order; nothing where no joint names any.
  std::vector<MotionLimits> motion(const Skeleton& skeleton) const {
    const auto given = [](const auto& named) {
      return named.second.velocity || named.second.acceleration || named.second.jerk;
    };
    if (std::none_of(motion_.begin(), motion_.end(), given)) return {};
    std::vector<MotionLimits> result(motion_.size());
    for (const auto& [name, draft] : motion_) {
      const JointId j = skeleton.find(name);
      result[static_cast<std::size_t>(j)] = motion_limits(skeleton.type(j), draft);
    }
    return result;
  }

  Pose pose(const JsonValue& fields) {
    Pose result;
    result.p = read_.vector(fields["position"]);
    if (const JsonValue turn = fields["orientation"]) result.q = read_.rotation(turn);
    return result;
  }

  JointId joint_field(const JsonValue& fields, std::string_view field, const Skeleton& skeleton) {
    const JsonValue value = read_.required(fields, field);
    return joint_named(read_, value, read_.name(value), skeleton);
  }

  std::vector<Frame> frames(const JsonValue& list, const std::string& kind,
                            const Skeleton& skeleton) {
    std::vector<Frame> result;
    for (const JsonValue value : read_.array(list)) {
      if (!read_.ok()) break;
      const JsonValue fields =
          read_.object(value, {"name", "joint", "position", "orientation", "aim"});
      Frame frame;
      frame.name = read_.name(read_.required(fields, "name"));
      frame.joint = joint_field(fields, "joint", skeleton);
      frame.joint_from_frame = pose(fields);
      if (const JsonValue aim = fields["aim"]) frame.aim = read_.vector(aim);
      note(kind, frame.name, value);
      result.push_back(std::move(frame));
    }
    return result;
  }

  std::vector<Shape> shapes(const JsonValue& list, const Skeleton& skeleton) {
    std::vector<Shape> result;
    for (const JsonValue value : read_.array(list)) {
      if (!read_.ok()) break;
      Shape shape;
      shape.name = read_.name(read_.required(value, "name"));
      shape.joint = joint_field(value, "joint", skeleton);
      shape.volume = volume(value);
      note("shape", shape.name, value);
      result.push_back(std::move(shape));
    }
    return result;
  }

  Volume volume(const JsonValue& value) {
    const JsonValue type = read_.required(read_.object(value), "type");
    switch (choice(type, "shape", volume_types)) {
      case VolumeType::sphere:
        read_.object(value, {"name", "joint", "type", "position", "radius"});
        return Sphere{read_.vector(value["position"]), read_.number(radius(value))};
      case VolumeType::capsule:
        read_.object(value, {"name", "joint", "type", "from", "to", "radius"});
        return Capsule{read_.vector(value["from"]), read_.vector(read_.required(value, "to")),
                       read_.number(radius(value))};
      case VolumeType::box:
        read_.object(value, {"name", "joint", "type", "position", "orientation", "half"});
        return Cuboid{pose(value), read_.vector(read_.required(value, "half"))};
    }
    return {};
  }

  JsonValue radius(const JsonValue& fields) { return read_.required(fields, "radius"); }

  std::vector<MayTouch> may_touch(const JsonValue& list, const std::vector<Shape>& shapes) {
    std::vector<std::string_view> names;
    for (const Shape& shape : shapes) names.push_back(shape.name);
    std::vector<MayTouch> result;
    for (const JsonValue value : read_.array(list)) {
      if (!read_.ok()) break;
      MayTouch pair;
      std::size_t count = 0;
      for (const JsonValue name : read_.array(value)) {
        const std::string text = read_.name(name);
        if (read_.ok() && std::find(names.begin(), names.end(), text) == names.end())
          read_.refuse_unknown(name, "shape", text, names);
        if (count < pair.size()) pair[count] = text;
        ++count;
      }
      if (read_.ok() && (count != pair.size() || pair[0] == pair[1]))
        read_.refuse(value, "a pair that may touch is two different shapes by name");
      result.push_back(std::move(pair));
    }
    return result;
  }

  std::vector<Posture> postures(const JsonValue& list, const Skeleton& skeleton) {
    std::vector<Posture> result;
    for (const JsonValue value : read_.object(list)) {
      if (!read_.ok()) break;
      if ((result.size() + 1) * skeleton.neutral().size() > most_posture_numbers) {
        read_.refuse(value, "more postures than fit in memory for so many joints; split the file");
        break;
      }
      Posture posture;
      posture.name = value.key();
      if (posture.name.empty()) read_.refuse(value, "a posture has an empty name; give it one");
      posture.q = read_gestik_posture(read_, value, skeleton);
      note("posture", posture.name, value);
      result.push_back(std::move(posture));
    }
    return result;
  }

  std::vector<Mimic> mimics(const JsonValue& list, const Skeleton& skeleton) {
    std::vector<Mimic> result;
    for (const JsonValue value : read_.array(list)) {
      if (!read_.ok()) break;
      const JsonValue fields = read_.object(value, {"joint", "source", "multiplier", "offset"});
      Mimic mimic;
      mimic.joint = joint_field(fields, "joint", skeleton);
      mimic.source = joint_field(fields, "source", skeleton);
      if (const JsonValue factor = fields["multiplier"]) mimic.multiplier = read_.number(factor);
      mimic.offset = read_.number(fields["offset"]);
      result.push_back(mimic);
    }
    return result;
  }

  std::vector<Clip> clips(const JsonValue& list, const Skeleton& skeleton) {
    std::vector<Clip> result;
    for (const JsonValue value : read_.array(list)) {
      if (!read_.ok()) break;
      const JsonValue fields = read_.object(value, {"name", "rate", "columns", "frames"});
      const JsonValue rate = read_.required(fields, "rate");
      Clip clip =
          clip_for(skeleton, read_.text(read_.required(fields, "name")), read_.number(rate));
      if (read_.ok() && !(clip.rate > 0))
        read_.refuse(rate, "'rate' must be above zero: it counts frames per second");
      check_columns(read_.required(fields, "columns"), clip.columns);
      for (const JsonValue frame : read_.array(read_.required(fields, "frames")))
        append_frame(frame, skeleton, clip.values);
      result.push_back(std::move(clip));
    }
    return result;
  }

  void check_columns(const JsonValue& list, const std::vector<std::string>& wanted) {
    std::size_t i = 0;
    for (const JsonValue column : read_.array(list)) {
      const std::string name = read_.text(column);
      if (!read_.ok()) return;
      if (i == wanted.size())
        return read_.refuse(column,
                            "column " + in_quotes(name) + " is one more than the skeleton has");
      if (name != wanted[i])
        return read_.refuse(column, "column " + in_quotes(name) + " should be " +
                                        in_quotes(wanted[i]) +
                                        ": columns follow the skeleton's joints");
      ++i;
    }
    if (read_.ok() && i < wanted.size())
      read_.refuse(list, "column " + in_quotes(wanted[i]) + " is missing; add it");
  }

  void append_frame(const JsonValue& frame, const Skeleton& skeleton, std::vector<Real>& values) {
    if (!read_.ok()) return;
    std::vector<Real> q = read_.numbers(frame, skeleton.q_size());
    for (const Skeleton::Joint& joint : skeleton.joints()) {
      if (joint.type != JointType::ball) continue;
      const Quat turn = load_quat(q.data() + joint.q_offset);
      if (turn.coeffs().isZero(0))
        read_.refuse(frame, "this frame holds a zero quaternion; no rotation is 1, 0, 0, 0");
      store_quat(normalized_or_identity(turn), q.data() + joint.q_offset);
    }
    values.insert(values.end(), q.begin(), q.end());
  }

  JsonReader read_;
  std::vector<Place> places_;
  std::vector<std::pair<std::string, MotionLimitsDraft>> motion_;  // by the joint's name
};

// --- writing ---

/// Minus zero is not zero to a field that is left out at its default.
bool same_bits(std::span<const Real> a, std::span<const Real> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](Real x, Real y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

class CharacterWriter {
 public:
  Result<std::string> text(const Character& character, std::span<const Clip> clips) {
    const Skeleton& skeleton = character.skeleton;
    Fields top;
    add(top, "gestik", std::to_string(version));
    add(top, "name", string(character.name));
    add(top, "up", string(to_string(character.up)));
    const SkeletonDraft draft = draft_of(skeleton);
    add_list(top, "joints", draft.joints, [&](const JointDraft& j) {
      const auto id = static_cast<std::size_t>(skeleton.find(j.name));
      return joint(j, character.motion.empty() ? motion_limits(j.type) : character.motion[id]);
    });
    add_list(top, "ends", character.ends, [&](const Frame& f) { return frame(f, skeleton); });
    add_list(top, "links", character.links, [&](const Frame& f) { return frame(f, skeleton); });
    add_list(top, "shapes", character.shapes, [&](const Shape& s) { return shape(s, skeleton); });
    add_list(top, "may_touch", character.may_touch, [&](const MayTouch& pair) {
      return "[" + string(pair[0]) + ", " + string(pair[1]) + "]";
    });
    add_postures(top, character);
    add_list(top, "mimics", character.mimics, [&](const Mimic& m) { return mimic(m, skeleton); });
    add_list(top, "clips", clips, [&](const Clip& c) { return clip(c); });
    if (fault_) return *std::move(fault_);
    return "{\n  " + joined(top, ",\n  ") + "\n}\n";
  }

 private:
  using Fields = std::vector<std::string>;  // each "key": value

  /// A JSON string. A name that is not UTF-8 can't be one.
  std::string string(std::string_view name) {
    bool sound = true;
    const std::string out = json_string(name, sound);
    if (!sound && !fault_)
      fault_ = Error{"the name " + out + " is not UTF-8; rename it before writing JSON", ""};
    return out;
  }

  void add(Fields& fields, std::string_view key, const std::string& value) {
    fields.push_back(string(key) + ": " + value);
  }

  void add_numbers(Fields& fields, std::string_view key, std::span<const Real> values,
                   std::span<const Real> normally) {
    if (!same_bits(values, normally)) add(fields, key, json_numbers(values));
  }

  void add_pose(Fields& fields, const Pose& pose) {
    add_numbers(fields, "position", parts(pose.p), parts(Pose().p));
    add_numbers(fields, "orientation", parts(pose.q), parts(Pose().q));
  }

  /// An array with one item to a line; left out where there is none.
  template <class List, class Write>
  void add_list(Fields& top, std::string_view key, const List& things, Write write) {
    std::vector<std::string> items;
    for (const auto& thing : things) items.push_back(write(thing));
    if (!items.empty()) add(top, key, "[\n    " + joined(items, ",\n    ") + "\n  ]");
  }

  static std::string object(const Fields& fields) { return "{" + joined(fields, ", ") + "}"; }

  std::string joint(const JointDraft& draft, const MotionLimits& limits_of_motion) {
    Fields fields;
    add(fields, "name", string(draft.name));
    if (!draft.parent.empty()) add(fields, "parent", string(draft.parent));
    add(fields, "type", string(to_string(draft.type)));
    add_pose(fields, draft.parent_from_joint);
    if (draft.type != JointType::fixed) add(fields, "axis", json_numbers(parts(draft.axis)));
    const Fields limits = bounds(draft);
    if (!limits.empty()) add(fields, "limits", object(limits));
    const Fields motion = motion_fields(draft.type, limits_of_motion);
    if (!motion.empty()) add(fields, "motion", object(motion));
    return object(fields);
  }

  /// Those that do not follow from the ones before them.
  Fields motion_fields(JointType type, const MotionLimits& limits) {
    Fields fields;
    if (type == JointType::fixed) return fields;
    MotionLimitsDraft said;
    if (limits.velocity != motion_limits(type).velocity) {
      said.velocity = limits.velocity;
      add(fields, "velocity", json_number(limits.velocity));
    }
    if (limits.acceleration != motion_limits(type, said).acceleration) {
      said.acceleration = limits.acceleration;
      add(fields, "acceleration", json_number(limits.acceleration));
    }
    if (limits.jerk != motion_limits(type, said).jerk)
      add(fields, "jerk", json_number(limits.jerk));
    return fields;
  }

  Fields bounds(const JointDraft& draft) {
    Fields fields;
    const auto add_bound = [&](std::string_view key, Real bound, Real normally) {
      if (bound != normally) add(fields, key, json_number(bound));
    };
    if (draft.type == JointType::fixed) return fields;
    const Limits &limits = draft.limits, none;
    add_bound("lo", limits.lo, none.lo);
    add_bound("hi", limits.hi, none.hi);
    if (draft.type != JointType::ball) return fields;
    add_bound("swing_x", limits.swing_x, none.swing_x);
    add_bound("swing_y", limits.swing_y, none.swing_y);
    return fields;
  }

  std::string frame(const Frame& frame, const Skeleton& skeleton) {
    Fields fields;
    add(fields, "name", string(frame.name));
    add(fields, "joint", string(skeleton.name(frame.joint)));
    add_pose(fields, frame.joint_from_frame);
    add_numbers(fields, "aim", parts(frame.aim), parts(Frame().aim));
    return object(fields);
  }

  std::string shape(const Shape& shape, const Skeleton& skeleton) {
    Fields fields;
    add(fields, "name", string(shape.name));
    add(fields, "joint", string(skeleton.name(shape.joint)));
    add(fields, "type", string(to_string(static_cast<VolumeType>(shape.volume.index()))));
    std::visit([&](const auto& volume) { add_volume(fields, volume); }, shape.volume);
    return object(fields);
  }

  void add_volume(Fields& fields, const Sphere& sphere) {
    add_numbers(fields, "position", parts(sphere.center), parts(Sphere().center));
    add(fields, "radius", json_number(sphere.radius));
  }

  void add_volume(Fields& fields, const Capsule& capsule) {
    add_numbers(fields, "from", parts(capsule.a), parts(Capsule().a));
    add(fields, "to", json_numbers(parts(capsule.b)));
    add(fields, "radius", json_number(capsule.radius));
  }

  void add_volume(Fields& fields, const Cuboid& box) {
    add_pose(fields, box.pose);
    add(fields, "half", json_numbers(parts(box.half)));
  }

  void add_postures(Fields& top, const Character& character) {
    Fields postures;
    for (const Posture& posture : character.postures)
      add(postures, posture.name, values(posture, character.skeleton));
    if (!postures.empty()) add(top, "postures", "{\n    " + joined(postures, ",\n    ") + "\n  }");
  }

  std::string values(const Posture& posture, const Skeleton& skeleton) {
    Fields fields;
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      const ConstQ q(posture.q.data() + skeleton.q_offset(j),
                     static_cast<std::size_t>(q_size(skeleton.type(j))));
      if (!q.empty())
        add(fields, skeleton.name(j), q.size() == 1 ? json_number(q[0]) : json_numbers(q));
    }
    return object(fields);
  }

  std::string mimic(const Mimic& mimic, const Skeleton& skeleton) {
    Fields fields;
    add(fields, "joint", string(skeleton.name(mimic.joint)));
    add(fields, "source", string(skeleton.name(mimic.source)));
    add(fields, "multiplier", json_number(mimic.multiplier));
    add(fields, "offset", json_number(mimic.offset));
    return object(fields);
  }

  std::string clip(const Clip& clip) {
    Fields fields, columns, frames;
    for (const std::string& column : clip.columns) columns.push_back(string(column));
    for (int f = 0; f < clip.frame_count(); ++f) frames.push_back(json_numbers(clip.frame(f)));
    add(fields, "name", string(clip.name));
    add(fields, "rate", json_number(clip.rate));
    add(fields, "columns", "[" + joined(columns, ", ") + "]");
    add(fields, "frames", frames.empty() ? "[]" : "[\n      " + joined(frames, ",\n      ") + "]");
    return object(fields);
  }

  std::optional<Error> fault_;
};

}  // namespace

std::vector<Real> read_gestik_posture(JsonReader& read, const JsonValue& value,
                                      const Skeleton& skeleton) {
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  for (const JsonValue coordinate : read.object(value)) {
    const JointId joint = joint_named(read, coordinate, coordinate.key(), skeleton);
    if (!read.ok()) break;
    set_joint(read, coordinate, skeleton, joint, q.data() + skeleton.q_offset(joint));
  }
  return q;
}

Result<Loaded> read_gestik_json(std::string_view text, std::string_view file) {
  const Result<JsonTree> tree = parse_json(text, file);
  if (!tree) return tree.error();
  return CharacterReader(file).character(tree->root());
}

Result<std::vector<Clip>> read_gestik_clips(std::string_view text, std::string_view file,
                                            const Skeleton& skeleton) {
  const Result<JsonTree> tree = parse_json(text, file);
  if (!tree) return tree.error();
  if (!tree->root()["joints"]) return CharacterReader(file).clips_for(tree->root(), skeleton);
  Result<Loaded> loaded = CharacterReader(file).character(tree->root());
  if (!loaded) return loaded.error();
  for (const Clip& clip : loaded->clips)
    if (auto fault = check(clip, skeleton)) return Error{to_string(*fault), std::string(file)};
  return std::move(loaded->clips);
}

Result<std::string> write_gestik_json(const Character& character, std::span<const Clip> clips) {
  if (auto fault = check(character)) return *std::move(fault);
  for (const Clip& clip : clips)
    if (auto fault = check(clip, character.skeleton)) return *std::move(fault);
  return CharacterWriter().text(character, clips);
}

}  // namespace gestik
