#include <fmt/format.h>

#include <memory>

#include "gestik/model/joint_ops.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct InspectArguments {
  CharacterArgument character;
  bool json = false;
};

/// The joints in the order they are drawn, each with the lines that lead to it. A joint with one
/// child is followed by it at the same depth; only branches indent.
class TreeWalk {
 public:
  explicit TreeWalk(const Skeleton& skeleton)
      : first_child_(static_cast<std::size_t>(skeleton.joint_count()), no_joint),
        next_sibling_(first_child_) {
    for (JointId j = skeleton.joint_count() - 1; j > 0; --j) {  // backwards: children in order
      JointId& first = first_child_[index(skeleton.parent(j))];
      next_sibling_[index(j)] = first;
      first = j;
    }
    stack_.push_back({0, 0, false, true});
  }

  struct Step {
    JointId joint;
    std::string lines;  ///< "│  ├─ "
  };

  bool done() const { return stack_.empty(); }

  Step next() {
    const Visit visit = stack_.back();
    stack_.pop_back();
    if (visit.starts_branch) {
      open_.resize(visit.depth);
      open_[visit.depth - 1] = !visit.last;
    }
    push_children(visit);
    return {visit.joint, lines_to(visit)};
  }

 private:
  struct Visit {
    JointId joint;
    std::size_t depth;
    bool starts_branch;
    bool last;  ///< of the branches that start together
  };

  static std::size_t index(JointId j) { return static_cast<std::size_t>(j); }

  void push_children(const Visit& visit) {
    const JointId first = first_child_[index(visit.joint)];
    if (first == no_joint) return;
    if (next_sibling_[index(first)] == no_joint) {
      stack_.push_back({first, visit.depth, false, true});
      return;
    }
    std::vector<JointId> children;
    for (JointId j = first; j != no_joint; j = next_sibling_[index(j)]) children.push_back(j);
    for (std::size_t i = children.size(); i-- > 0;)
      stack_.push_back({children[i], visit.depth + 1, true, i + 1 == children.size()});
  }

  std::string lines_to(const Visit& visit) const {
    constexpr std::size_t deepest = 16;  // beyond, the left edge is cut: output stays linear
    std::string lines = visit.depth > deepest ? "… " : "";
    for (std::size_t d = visit.depth > deepest ? visit.depth - deepest : 0; d < visit.depth; ++d) {
      const bool branches_here = visit.starts_branch && d + 1 == visit.depth;
      if (branches_here)
        lines += open_[d] ? "├─ " : "└─ ";
      else
        lines += open_[d] ? "│  " : "   ";
    }
    return lines;
  }

  std::vector<JointId> first_child_, next_sibling_;
  std::vector<bool> open_;  ///< by depth: whether more branches follow, so that a line goes on
  std::vector<Visit> stack_;
};

std::string axis_text(const Vec3& axis) {
  constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    if (axis == Vec3::Unit(i)) return std::string(names[static_cast<std::size_t>(i)]);
    if (axis == -Vec3::Unit(i)) return fmt::format("-{}", names[static_cast<std::size_t>(i)]);
  }
  return fmt::format("{:.3f} {:.3f} {:.3f}", axis.x() + 0.0, axis.y() + 0.0, axis.z() + 0.0);
}

std::string range_text(Real lo, Real hi, Real scale, std::string_view unit) {
  if (lo == -infinity && hi == infinity) return "free";
  const auto end = [&](Real x) {
    if (x == -infinity) return std::string("-∞");
    if (x == infinity) return std::string("∞");
    return fmt::format("{:.4g}{}", x * scale + 0.0, unit);
  };
  return fmt::format("{} .. {}", end(lo), end(hi));
}

std::string limits_text(const Skeleton& skeleton, JointId j) {
  const Limits& limits = skeleton.limits(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return "";
    case JointType::hinge:
      return range_text(limits.lo, limits.hi, degrees_of(1), "°");
    case JointType::slider:
      return range_text(limits.lo, limits.hi, 1, " m");
    case JointType::ball:
      break;
  }
  const std::string twist = range_text(limits.lo, limits.hi, degrees_of(1), "°");
  const bool any_swing = limits.swing_x >= pi && limits.swing_y >= pi;
  const std::string swing = any_swing
                                ? "free"
                                : fmt::format("{:.4g}° by {:.4g}°", degrees_of(limits.swing_x),
                                              degrees_of(limits.swing_y));
  return any_swing && twist == "free" ? "free" : fmt::format("swing {}, twist {}", swing, twist);
}

std::string tree_text(const Skeleton& skeleton) {
  using enum Table::Align;
  Table table({left, left, right, left, left});
  table.add({"joint", "type", "DoF", "axis", "limits"});
  for (TreeWalk walk(skeleton); !walk.done();) {
    const auto [j, lines] = walk.next();
    const JointType type = skeleton.type(j);
    const bool moves = type != JointType::fixed;
    table.add({lines + skeleton.name(j), std::string(to_string(type)),
               moves ? fmt::format("{}", v_size(type)) : "",
               moves ? axis_text(skeleton.axis(j)) : "", limits_text(skeleton, j)});
  }
  return table.str();
}

std::string section(std::string_view title, const Table& table) {
  const std::string rows = table.str("  ");
  return rows.empty() ? "" : fmt::format("\n{}\n{}", title, rows);
}

std::string frames_text(std::string_view title, const Character& character,
                        const std::vector<Frame>& frames, bool with_aim) {
  using enum Table::Align;
  Table table({left, left, left, left});
  for (const Frame& frame : frames)
    table.add({frame.name, "on " + character.skeleton.name(frame.joint),
               "at " + text_of(frame.joint_from_frame.p),
               with_aim ? "aims along " + text_of(frame.aim) : ""});
  return section(title, table);
}

std::string postures_text(const Character& character) {
  std::vector<std::string_view> names;
  for (const Posture& posture : character.postures) names.push_back(posture.name);
  return names.empty() ? "" : fmt::format("\npostures\n  {}\n", printable(listed(names)));
}

std::string mimics_text(const Character& character) {
  using enum Table::Align;
  Table table({left, left});
  for (const Mimic& mimic : character.mimics)
    table.add({character.skeleton.name(mimic.joint),
               fmt::format("= {:g} * {} + {:g} (kept as data; it moves freely)", mimic.multiplier,
                           character.skeleton.name(mimic.source), mimic.offset)});
  return section("mimics", table);
}

std::string clips_text(const std::vector<Clip>& clips) {
  using enum Table::Align;
  Table table({left, left});
  for (const Clip& clip : clips)
    table.add({clip.name.empty() ? "(unnamed)" : clip.name,
               fmt::format("{} frames at {:.4g} per second, {:.4g} s", clip.frame_count(),
                           clip.rate, clip.duration())});
  return section("clips", table);
}

std::string inspect_text(const Loaded& loaded) {
  const Character& character = loaded.character;
  const Skeleton& skeleton = character.skeleton;
  return fmt::format("{}: {} joints, {} degrees of freedom, {} coordinates, {} up\n\n",
                     printable(character.name), skeleton.joint_count(), skeleton.v_size(),
                     skeleton.q_size(), to_string(character.up)) +
         tree_text(skeleton) + frames_text("end-points", character, character.ends, true) +
         frames_text("links", character, character.links, false) + postures_text(character) +
         mimics_text(character) + clips_text(loaded.clips);
}

Json joint_json(const Skeleton& skeleton, JointId j) {
  const JointType type = skeleton.type(j);
  const JointId parent = skeleton.parent(j);
  const Pose& rest = skeleton.parent_from_joint(j);
  Json joint{{"name", skeleton.name(j)},
             {"parent", parent == no_joint ? Json(nullptr) : Json(skeleton.name(parent))},
             {"type", to_string(type)},
             {"dof", v_size(type)},
             {"position", json_of(rest.p)},
             {"orientation", json_of(rest.q)}};
  if (type == JointType::fixed) return joint;
  const Limits& limits = skeleton.limits(j);
  joint["axis"] = json_of(skeleton.axis(j));
  joint["lo"] = limits.lo;
  joint["hi"] = limits.hi;
  if (type == JointType::ball) joint["swing"] = Json::array({limits.swing_x, limits.swing_y});
  return joint;
}

Json frames_json(const Character& character, const std::vector<Frame>& frames) {
  Json list = Json::array();
  for (const Frame& frame : frames)
    list.push_back({{"name", frame.name},
                    {"joint", character.skeleton.name(frame.joint)},
                    {"position", json_of(frame.joint_from_frame.p)},
                    {"orientation", json_of(frame.joint_from_frame.q)},
                    {"aim", json_of(frame.aim)}});
  return list;
}

Json inspect_json(const Loaded& loaded) {
  const Character& character = loaded.character;
  const Skeleton& skeleton = character.skeleton;
  Json joints = Json::array(), coordinates = Json::array(), postures = Json::array(),
       mimics = Json::array(), clips = Json::array();
  for (JointId j = 0; j < skeleton.joint_count(); ++j) joints.push_back(joint_json(skeleton, j));
  for (int i = 0; i < skeleton.q_size(); ++i) coordinates.push_back(skeleton.coordinate_name(i));
  for (const Posture& posture : character.postures)
    postures.push_back({{"name", posture.name}, {"q", posture.q}});
  for (const Mimic& mimic : character.mimics)
    mimics.push_back({{"joint", skeleton.name(mimic.joint)},
                      {"source", skeleton.name(mimic.source)},
                      {"multiplier", mimic.multiplier},
                      {"offset", mimic.offset}});
  for (const Clip& clip : loaded.clips)
    clips.push_back({{"name", clip.name},
                     {"frames", clip.frame_count()},
                     {"rate", clip.rate},
                     {"seconds", clip.duration()}});
  return {{"name", character.name},
          {"up", to_string(character.up)},
          {"joint_count", skeleton.joint_count()},
          {"dof", skeleton.v_size()},
          {"q_size", skeleton.q_size()},
          {"coordinates", std::move(coordinates)},
          {"joints", std::move(joints)},
          {"ends", frames_json(character, character.ends)},
          {"links", frames_json(character, character.links)},
          {"postures", std::move(postures)},
          {"mimics", std::move(mimics)},
          {"clips", std::move(clips)},
          {"warnings", loaded.warnings}};
}

ExitCode inspect_verb(const InspectArguments& arguments) {
  const Loaded loaded = load(arguments.character);
  print_notes(loaded.warnings, arguments.character.quiet);
  if (arguments.json)
    write_json(inspect_json(loaded));
  else
    write_text(inspect_text(loaded));
  return exit_reached;
}

}  // namespace

Verb add_inspect(CLI::App& tool) {
  const auto arguments = std::make_shared<InspectArguments>();
  CLI::App* command = tool.add_subcommand("inspect", "draw a character's tree and what it can do");
  add_character(*command, arguments->character);
  command
      ->add_flag("--json", arguments->json,
                 "one JSON object on standard output, in metres and radians; null is no limit")
      ->group("Output");
  command->footer(
      "A joint's only child stands below it; where a joint has several, each branch is "
      "indented.\n\n"
      "Example: gestik inspect lamp");
  return {command, [arguments] { return inspect_verb(*arguments); }};
}

}  // namespace gestik::tool
