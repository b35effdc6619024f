#include "gestik/io/urdf_outline.h"

#include <algorithm>
#include <array>

#include "gestik/base/suggest.h"
#include "gestik/io/text.h"
#include "gestik/io/xml.h"

namespace gestik {
namespace {

constexpr std::array<std::string_view, 6> joint_types{"revolute", "continuous", "prismatic",
                                                      "fixed",    "floating",   "planar"};

/// The elements of a joint that matter here; urdfdom takes the first of each kind and so do we.
struct JointElements {
  const XmlElement* joint = nullptr;
  const XmlElement *origin = nullptr, *parent = nullptr, *child = nullptr, *axis = nullptr,
                   *limit = nullptr, *mimic = nullptr;

  const XmlElement** slot(std::string_view tag) {
    if (tag == "origin") return &origin;
    if (tag == "parent") return &parent;
    if (tag == "child") return &child;
    if (tag == "axis") return &axis;
    if (tag == "limit") return &limit;
    if (tag == "mimic") return &mimic;
    return nullptr;
  }
};

class Outliner {
 public:
  Outliner(const std::vector<XmlElement>& elements, std::string_view file)
      : elements_(elements), file_(file) {}

  Result<UrdfOutline> outline() {
    if (!read_robot() || !read_links() || !read_joints() || !check_tree()) return *fault_;
    return std::move(out_);
  }

 private:
  bool refuse(int line, std::string what) {
    fault_ = error_at(file_, line, std::move(what));
    return false;
  }
  bool refuse(const UrdfJoint& joint, const std::string& what) {
    return refuse(joint.line, "joint " + quoted(joint.name) + " " + what);
  }
  bool refuse(const UrdfJoint& joint, const XmlElement& part, const std::string& what) {
    return refuse(part.line, "joint " + quoted(joint.name) + ": " + what);
  }

  bool read_robot() {
    const XmlElement& robot = elements_[0];
    for (const XmlElement& element : elements_)
      if (element.tag.starts_with("xacro:"))
        return refuse(element.line, "this is a xacro, not a URDF; turn it into one with xacro");
    if (robot.tag != "robot")
      return refuse(robot.line, "the outermost element is <" + shortened(robot.tag) +
                                    ">; a URDF begins with <robot name=\"...\">");
    const std::string* name = robot.attribute("name");
    if (name == nullptr) return refuse(robot.line, "the robot has no name; write <robot name=...>");
    out_.name = *name;
    return true;
  }

  bool read_name(const XmlElement& element, std::string& out) {
    const std::string* name = element.attribute("name");
    if (name == nullptr || trimmed(*name).empty())
      return refuse(element.line, "a " + std::string(element.tag) + " has no name; give it one");
    out = *name;
    return true;
  }

  bool read_links() {
    for (const XmlElement& element : elements_) {
      if (element.parent != 0 || element.tag != "link") continue;
      UrdfLink& link = out_.links.emplace_back();
      link.line = element.line;
      if (!read_name(element, link.name)) return false;
    }
    if (out_.links.empty())
      return refuse(elements_[0].line, "the robot has no link; a URDF needs at least one");
    for (std::size_t i = 0; i < out_.links.size(); ++i) {
      const auto [before, fresh] = link_by_name_.emplace(out_.links[i].name, static_cast<int>(i));
      if (!fresh)
        return refuse(out_.links[i].line,
                      "link " + quoted(out_.links[i].name) + " is there already, on line " +
                          std::to_string(out_.links[before->second].line) + "; rename one");
    }
    return true;
  }

  bool read_joints() {
    std::vector<JointElements> found;
    std::vector<std::size_t> found_of(elements_.size(), elements_.size());
    for (std::size_t i = 1; i < elements_.size(); ++i) {
      const XmlElement& element = elements_[i];
      if (element.parent == 0 && element.tag == "joint") {
        found_of[i] = found.size();
        found.push_back({.joint = &element});
      } else if (found_of[element.parent] < found.size()) {
        const XmlElement** slot = found[found_of[element.parent]].slot(element.tag);
        if (slot != nullptr && *slot == nullptr) *slot = &element;
      }
    }
    out_.joints.reserve(found.size());
    for (const JointElements& elements : found)
      if (!read_joint(elements)) return false;
    for (std::size_t i = 0; i < out_.joints.size(); ++i) {
      const UrdfJoint& joint = out_.joints[i];
      const auto [before, fresh] = out_.joint_by_name.emplace(joint.name, static_cast<int>(i));
      if (!fresh)
        return refuse(joint, "is there already, on line " +
                                 std::to_string(out_.joints[before->second].line) + "; rename one");
    }
    return true;
  }

  bool read_joint(const JointElements& elements) {
    UrdfJoint& joint = out_.joints.emplace_back();
    joint.line = elements.joint->line;
    return read_name(*elements.joint, joint.name) && read_type(*elements.joint, joint) &&
           read_link(elements.parent, "parent", joint, joint.parent) &&
           read_link(elements.child, "child", joint, joint.child) &&
           read_origin(elements.origin, joint) && read_axis(elements.axis, joint) &&
           read_limit(elements.limit, joint) && read_mimic(elements.mimic, joint);
  }

  bool read_type(const XmlElement& element, UrdfJoint& joint) {
    const std::string* type = element.attribute("type");
    if (type == nullptr) return refuse(joint, "has no type; write type=\"revolute\" or another");
    if (std::find(joint_types.begin(), joint_types.end(), *type) == joint_types.end())
      return refuse(joint,
                    "has the unknown type " + quoted(*type) + did_you_mean(*type, joint_types));
    joint.type = *type;
    return true;
  }

  bool read_link(const XmlElement* element, const std::string& role, const UrdfJoint& joint,
                 int& out) {
    const std::string* name = element == nullptr ? nullptr : element->attribute("link");
    if (name == nullptr)
      return refuse(joint, "has no " + role + "; write <" + role + " link=\"...\"/>");
    const auto found = link_by_name_.find(*name);
    if (found == link_by_name_.end()) {
      std::vector<std::string_view> names;
      for (const UrdfLink& link : out_.links) names.push_back(link.name);
      return refuse(joint, *element,
                    "its " + role + " link " + quoted(*name) + " does not exist" +
                        did_you_mean(*name, names));
    }
    out = found->second;
    return true;
  }

  /// Three numbers of an attribute, or nothing where the attribute is missing.
  bool read_vector(const XmlElement& element, std::string_view key, const UrdfJoint& joint,
                   std::string& out) {
    const std::string* text = element.attribute(key);
    if (text == nullptr) return true;
    const std::vector<std::string_view> words = words_of(*text);
    const bool numbers = std::all_of(words.begin(), words.end(),
                                     [](std::string_view word) { return parse_real(word); });
    if (words.size() != 3 || !numbers)
      return refuse(joint, element,
                    std::string(key) + "=" + quoted(*text) +
                        " must be three finite numbers, "
                        "such as \"0 0 1.5\"");
    for (std::string_view word : words) out.append(out.empty() ? "" : " ").append(word);
    return true;
  }

  bool read_number(const XmlElement& element, std::string_view key, const UrdfJoint& joint,
                   std::string& out) {
    const std::string* text = element.attribute(key);
    if (text == nullptr) return true;
    out = std::string(trimmed(*text));
    if (parse_real(out)) return true;
    return refuse(joint, element,
                  std::string(key) + "=" + quoted(*text) +
                      " must be one finite number, such as "
                      "1.5");
  }

  bool read_origin(const XmlElement* element, UrdfJoint& joint) {
    return element == nullptr || (read_vector(*element, "xyz", joint, joint.xyz) &&
                                  read_vector(*element, "rpy", joint, joint.rpy));
  }

  bool read_axis(const XmlElement* element, UrdfJoint& joint) {
    const bool needs_axis = joint.type != "fixed" && joint.type != "floating";
    if (!needs_axis || element == nullptr) return true;
    if (!read_vector(*element, "xyz", joint, joint.axis)) return false;
    const std::vector<std::string_view> words = words_of(joint.axis);
    const auto is_zero = [](std::string_view word) { return parse_real(word) == 0.0; };
    if (!words.empty() && std::all_of(words.begin(), words.end(), is_zero))
      return refuse(joint, *element, "its axis is zero; give it a direction such as \"0 0 1\"");
    return true;
  }

  bool read_limit(const XmlElement* element, UrdfJoint& joint) {
    const bool needs_limit = joint.type == "revolute" || joint.type == "prismatic";
    const bool has_speed = needs_limit || joint.type == "continuous";
    if (has_speed && element != nullptr &&
        !read_number(*element, "velocity", joint, joint.velocity))
      return false;
    if (!needs_limit) return true;
    if (element == nullptr)
      return refuse(joint,
                    "has no limit; write <limit lower=\"...\" upper=\"...\"/>" +
                        std::string(joint.type == "revolute" ? " or make it continuous" : ""));
    joint.has_limit = true;
    if (!read_number(*element, "lower", joint, joint.lower) ||
        !read_number(*element, "upper", joint, joint.upper))
      return false;
    if (parse_real(joint.lower).value_or(0) > parse_real(joint.upper).value_or(0))
      return refuse(joint, *element, "its lower limit is above its upper one; swap them");
    return true;
  }

  bool read_mimic(const XmlElement* element, UrdfJoint& joint) {
    if (element == nullptr) return true;
    UrdfJoint::Mimic mimic;
    const std::string* source = element->attribute("joint");
    if (source == nullptr)
      return refuse(joint, *element, "it mimics no joint; write <mimic joint=\"...\"/>");
    mimic.joint = *source;
    if (!read_number(*element, "multiplier", joint, mimic.multiplier) ||
        !read_number(*element, "offset", joint, mimic.offset))
      return false;
    joint.mimic = std::move(mimic);
    return true;
  }

  /// One root, one parent per link, no cycles.
  bool check_tree() {
    for (std::size_t i = 0; i < out_.joints.size(); ++i) {
      const UrdfJoint& joint = out_.joints[i];
      UrdfLink& child = out_.links[joint.child];
      if (child.parent_joint >= 0)
        return refuse(joint, "has the child link " + quoted(child.name) +
                                 ", which is the child of joint " +
                                 quoted(out_.joints[child.parent_joint].name) +
                                 " already; a URDF is a tree: cut the loop open");
      child.parent_joint = static_cast<int>(i);
      out_.links[joint.parent].is_leaf = false;
    }
    return check_cycles() && find_root();
  }

  /// Climbs from every link to a link that was climbed from before, or to a root. To come back to
  /// the same climb is a cycle. Every link is passed once.
  bool check_cycles() {
    constexpr int unseen = -1;
    std::vector<int> climbed_from(out_.links.size(), unseen);
    for (std::size_t i = 0; i < out_.links.size(); ++i) {
      const int start = static_cast<int>(i);
      int at = start;
      while (climbed_from[at] == unseen) {
        climbed_from[at] = start;
        const int joint = out_.links[at].parent_joint;
        if (joint < 0) break;
        at = out_.joints[joint].parent;
        if (climbed_from[at] == start)
          return refuse(out_.joints[joint], "closes a cycle: its parent link " +
                                                quoted(out_.links[at].name) +
                                                " is also below it; a URDF is a tree");
      }
    }
    return true;
  }

  bool find_root() {
    out_.root = -1;
    for (std::size_t i = 0; i < out_.links.size(); ++i) {
      if (out_.links[i].parent_joint >= 0) continue;
      if (out_.root >= 0)
        return refuse(out_.links[i].line, "link " + quoted(out_.links[i].name) +
                                              " is the child of no joint, but " +
                                              quoted(out_.links[out_.root].name) +
                                              " is the root already; join it to the tree");
      out_.root = static_cast<int>(i);
    }
    return true;
  }

  const std::vector<XmlElement>& elements_;
  std::string_view file_;
  UrdfOutline out_;
  std::unordered_map<std::string_view, int> link_by_name_;
  std::optional<Error> fault_;
};

std::string or_else(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

}  // namespace

Result<UrdfOutline> outline_urdf(std::string_view text, std::string_view file) {
  if (auto fault = check_text(text, file)) return *fault;
  Result<std::vector<XmlElement>> elements = scan_xml(text, file);
  if (!elements) return elements.error();
  return Outliner(*elements, file).outline();
}

std::string kinematics_of(const UrdfOutline& outline) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<robot name=\"robot\">\n";
  const auto add = [&out](std::string_view before, std::string_view value) {
    out.append(before).append("=\"").append(xml_escaped(value)).append("\"");
  };
  for (const UrdfLink& link : outline.links) {
    add("<link name", link.name);
    out += "/>\n";
  }
  for (const UrdfJoint& joint : outline.joints) {
    add("<joint name", joint.name);
    add(" type", joint.type);
    add("><parent link", outline.links[joint.parent].name);
    add("/><child link", outline.links[joint.child].name);
    add("/><origin xyz", or_else(joint.xyz, "0 0 0"));
    add(" rpy", or_else(joint.rpy, "0 0 0"));
    add("/><axis xyz", or_else(joint.axis, "1 0 0"));
    if (joint.has_limit) {
      add("/><limit effort=\"0\" velocity=\"0\" lower", or_else(joint.lower, "0"));
      add(" upper", or_else(joint.upper, "0"));
    }
    if (joint.mimic) {
      add("/><mimic joint", joint.mimic->joint);
      add(" multiplier", or_else(joint.mimic->multiplier, "1"));
      add(" offset", or_else(joint.mimic->offset, "0"));
    }
    out += "/></joint>\n";
  }
  return out += "</robot>\n";
}

}  // namespace gestik
