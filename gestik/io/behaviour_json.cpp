#include "gestik/io/behaviour_json.h"

#include <algorithm>

#include "gestik/base/suggest.h"
#include "gestik/io/bundled.h"
#include "gestik/io/json_text.h"
#include "gestik/io/json_tree.h"
#include "gestik/io/read.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

constexpr int version = 1;

// --- reading ---

class BehaviourReader {
 public:
  BehaviourReader(std::string_view file, const Skeleton& skeleton)
      : read_(file), skeleton_(skeleton) {
    for (JointId j = 0; j < skeleton.joint_count(); ++j) names_.push_back(skeleton.name(j));
  }

  Result<BehaviourDraft> behaviour(const JsonValue& root) {
    read_.object(root, {"gestik", "behaviour", "fullness", "feet", "arms"});
    const JsonValue stated = read_.required(root, "gestik");
    if (read_.number(stated) != version && read_.ok())
      read_.refuse(stated,
                   "the file is in another version of the format; this build reads version " +
                       std::to_string(version));
    BehaviourDraft draft;
    draft.name = read_.name(read_.required(root, "behaviour"));
    if (const JsonValue fullness = root["fullness"]) draft.fullness = read_.number(fullness);
    for (const JsonValue foot : read_.array(root["feet"])) draft.feet.push_back(read_.name(foot));
    for (const JsonValue value : read_.array(read_.required(root, "arms"))) {
      if (!read_.ok()) break;
      draft.arms.push_back(arm(value));
    }
    if (!read_.ok()) return read_.error();
    return draft;
  }

 private:
  ArmDraft arm(const JsonValue& value) {
    read_.object(value, {"hand", "weight", "keys", "corners"});
    ArmDraft draft;
    draft.hand = read_.name(read_.required(value, "hand"));
    if (const JsonValue weight = value["weight"]) draft.weight = read_.number(weight);
    joints_known_ = false;
    for (const JsonValue key : read_.array(read_.required(value, "keys"))) {
      if (!read_.ok()) break;
      draft.keys.push_back(this->key(key, true, draft.joints));
    }
    for (const JsonValue corner : read_.array(value["corners"])) {
      if (!read_.ok()) break;
      draft.corners.push_back(key(corner, false, draft.joints));
    }
    return draft;
  }

  KeyPosture key(const JsonValue& value, bool has_swing, std::vector<std::string>& joints) {
    KeyPosture key;
    if (has_swing) {
      read_.object(value, {"swing", "posture", "root", "swivel"});
      const std::vector<Real> swing = read_.numbers(read_.required(value, "swing"), 2);
      if (read_.ok()) key.swing = {swing[0], swing[1]};
    } else {
      read_.object(value, {"posture", "root", "swivel"});
    }
    key.q = posture(read_.required(value, "posture"), joints);
    if (const JsonValue root = value["root"]) {
      read_.object(root, {"position", "orientation"});
      key.root.p = read_.vector(root["position"]);
      if (const JsonValue turn = root["orientation"]) key.root.q = read_.rotation(turn);
    }
    if (const JsonValue swivel = value["swivel"]) {
      read_.object(swivel, {"preferred", "lo", "hi"});
      key.swivel = SwivelWish{};
      key.swivel->preferred = read_.number(read_.required(swivel, "preferred"));
      if (const JsonValue lo = swivel["lo"]) key.swivel->lo = read_.number(lo);
      if (const JsonValue hi = swivel["hi"]) key.swivel->hi = read_.number(hi);
    }
    return key;
  }

  /// The first key of an arm decides which joints it is about, and in which order.
  std::vector<Real> posture(const JsonValue& value, std::vector<std::string>& joints) {
    read_.object(value);
    std::vector<Real> q;
    if (!joints_known_) {
      for (const JsonValue joint : value) joints.emplace_back(joint.key());
      joints_known_ = true;
    }
    for (const JsonValue joint : value)
      if (read_.ok() && std::find(joints.begin(), joints.end(), joint.key()) == joints.end())
        read_.refuse(joint, "the first key does not name the joint " + in_quotes(joint.key()) +
                                "; all keys of an arm name the same joints");
    for (const std::string& name : joints) {
      const JsonValue joint = value[name];
      if (!read_.ok()) break;
      if (!joint) {
        read_.refuse(value, "the first key names the joint " + in_quotes(name) +
                                ", this one does not; all keys of an arm name the same joints");
        break;
      }
      append(joint, name, q);
    }
    return q;
  }

  void append(const JsonValue& value, const std::string& name, std::vector<Real>& q) {
    const JointId joint = skeleton_.find(name);
    if (joint == no_joint) return read_.refuse_unknown(value, "joint", name, names_);
    switch (skeleton_.type(joint)) {
      case JointType::fixed:
        return read_.refuse(value,
                            "joint " + in_quotes(name) + " is fixed and has no value; remove it");
      case JointType::hinge:
      case JointType::slider:
        q.push_back(read_.number(value));
        return;
      case JointType::ball: {
        const std::array<Real, 4> turn = parts(read_.rotation(value));
        q.insert(q.end(), turn.begin(), turn.end());
        return;
      }
    }
  }

  JsonReader read_;
  const Skeleton& skeleton_;
  std::vector<std::string_view> names_;
  bool joints_known_ = false;
};

// --- writing ---

class BehaviourWriter {
 public:
  explicit BehaviourWriter(const Skeleton& skeleton) : skeleton_(skeleton) {}

  Result<std::string> text(const BehaviourDraft& draft) {
    std::vector<std::string> top, feet, arms;
    for (const std::string& foot : draft.feet) feet.push_back(string(foot));
    for (const ArmDraft& one : draft.arms) arms.push_back(arm(one));
    top.push_back("\"gestik\": " + std::to_string(version));
    top.push_back("\"behaviour\": " + string(draft.name));
    if (draft.fullness != BehaviourDraft().fullness)
      top.push_back("\"fullness\": " + number(draft.fullness));
    if (!feet.empty()) top.push_back("\"feet\": [" + joined(feet, ", ") + "]");
    top.push_back("\"arms\": [" + joined(arms, ", ") + "]");
    if (fault_) return *std::move(fault_);
    return "{\n  " + joined(top, ",\n  ") + "\n}\n";
  }

 private:
  void refuse(std::string what) {
    if (!fault_) fault_ = Error{std::move(what), ""};
  }

  std::string string(const std::string& text) {
    bool sound = true;
    std::string out = json_string(text, sound);
    if (!sound) refuse("the name " + out + " is not UTF-8; rename it before writing JSON");
    return out;
  }

  std::string number(Real value) {
    if (!is_finite(value)) refuse("a number is not finite and can't be written as JSON");
    return json_number(value);
  }

  std::string numbers(std::span<const Real> values) {
    for (const Real value : values) number(value);
    return json_numbers(values);
  }

  std::string arm(const ArmDraft& draft) {
    std::vector<std::string> fields{"\"hand\": " + string(draft.hand)};
    if (draft.weight != ArmDraft().weight) fields.push_back("\"weight\": " + number(draft.weight));
    fields.push_back("\"keys\": " + keys(draft.keys, draft.joints, true));
    if (!draft.corners.empty())
      fields.push_back("\"corners\": " + keys(draft.corners, draft.joints, false));
    return "{\n    " + joined(fields, ",\n    ") + "\n  }";
  }

  std::string keys(const std::vector<KeyPosture>& all, const std::vector<std::string>& joints,
                   bool with_swing) {
    std::vector<std::string> rows;
    for (const KeyPosture& one : all) rows.push_back(key(one, joints, with_swing));
    if (rows.empty()) return "[]";
    return "[\n      " + joined(rows, ",\n      ") + "\n    ]";
  }

  std::string key(const KeyPosture& key, const std::vector<std::string>& joints, bool with_swing) {
    std::vector<std::string> fields;
    if (with_swing)
      fields.push_back("\"swing\": " + numbers(std::array{key.swing.x(), key.swing.y()}));
    fields.push_back("\"posture\": " + posture(key.q, joints));
    std::vector<std::string> root;
    if (key.root.p != Pose().p) root.push_back("\"position\": " + numbers(parts(key.root.p)));
    if (key.root.q.coeffs() != Pose().q.coeffs())
      root.push_back("\"orientation\": " + numbers(parts(key.root.q)));
    if (!root.empty()) fields.push_back("\"root\": {" + joined(root, ", ") + "}");
    if (key.swivel)
      fields.push_back("\"swivel\": {\"preferred\": " + number(key.swivel->preferred) +
                       ", \"lo\": " + number(key.swivel->lo) +
                       ", \"hi\": " + number(key.swivel->hi) + "}");
    return "{" + joined(fields, ", ") + "}";
  }

  std::string posture(std::span<const Real> q, const std::vector<std::string>& joints) {
    std::vector<std::string> fields;
    std::size_t used = 0;
    for (const std::string& name : joints) {
      const JointId joint = skeleton_.find(name);
      if (joint == no_joint) {
        refuse("there is no joint " + in_quotes(name));
        return "";
      }
      const auto size = static_cast<std::size_t>(q_size(skeleton_.type(joint)));
      if (size == 0 || used + size > q.size()) break;
      const auto values = q.subspan(used, size);
      fields.push_back(string(name) + ": " + (size == 1 ? number(values[0]) : numbers(values)));
      used += size;
    }
    if (used != q.size() || fields.size() != joints.size())
      refuse("a posture has not as many numbers as its joints need");
    return "{" + joined(fields, ", ") + "}";
  }

  const Skeleton& skeleton_;
  std::optional<Error> fault_;
};

}  // namespace

Result<BehaviourDraft> read_behaviour_json(std::string_view text, std::string_view file,
                                           const Skeleton& skeleton) {
  const Result<JsonTree> tree = parse_json(text, file);
  if (!tree) return tree.error();
  return BehaviourReader(file, skeleton).behaviour(tree->root());
}

Result<std::string> write_behaviour_json(const BehaviourDraft& draft, const Skeleton& skeleton) {
  return BehaviourWriter(skeleton).text(draft);
}

Result<BehaviourDraft> read_behaviour_file(const std::string& path, const Skeleton& skeleton) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return read_behaviour_json(*text, path, skeleton);
}

std::vector<std::string_view> bundled_behaviour_names() {
  std::vector<std::string_view> names;
  for (const BundledFile& file : bundled_behaviours()) names.push_back(file.name);
  return names;
}

Result<BehaviourDraft> bundled_behaviour(std::string_view name, const Skeleton& skeleton) {
  for (const BundledFile& file : bundled_behaviours())
    if (file.name == name)
      return read_behaviour_json(file.text, std::string(name) + ".json", skeleton);
  const std::vector<std::string_view> names = bundled_behaviour_names();
  std::string list;
  for (const std::string_view one : names) list += (list.empty() ? "" : ", ") + std::string(one);
  return Error{"no bundled behaviour is called '" + std::string(name) + "'" +
                   did_you_mean(name, names) + " (there are: " + list + ")",
               ""};
}

}  // namespace gestik
