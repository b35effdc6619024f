#include <memory>

#include "gestik/model/kinematics.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct PoseArguments {
  CharacterArgument character;
  OptionText q, posture;
  bool degrees = false, json = false;
};

struct Place {
  std::string_view name, kind;
  Pose world_from_place;
};

std::vector<Place> places_of(const Character& character, ConstQ q) {
  const Skeleton& skeleton = character.skeleton;
  const std::vector<Pose> world = poses(skeleton, q);
  std::vector<Place> places;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    places.push_back({skeleton.name(j), "joint", world[static_cast<std::size_t>(j)]});
  const auto add_frames = [&](const std::vector<Frame>& frames, std::string_view kind) {
    for (const Frame& frame : frames)
      places.push_back({frame.name, kind,
                        world[static_cast<std::size_t>(frame.joint)] * frame.joint_from_frame});
  };
  add_frames(character.links, "link");
  add_frames(character.ends, "end");
  return places;
}

Json places_json(const std::vector<Place>& places) {
  Json list = Json::array();
  for (const Place& place : places)
    list.push_back({{"name", place.name},
                    {"position", json_of(place.world_from_place.p)},
                    {"orientation", json_of(place.world_from_place.q)},
                    {"kind", place.kind}});
  return list;
}

std::string places_text(const std::vector<Place>& places) {
  using enum Table::Align;
  Table table({left, left, right, right, right, right, right, right, right});
  table.add({"name", "kind", "x", "y", "z", "qw", "qx", "qy", "qz"});
  const auto number = [](Real x) { return fixed(x, 6); };
  for (const Place& place : places) {
    const auto& [q, p] = place.world_from_place;
    table.add({std::string(place.name), std::string(place.kind), number(p.x()), number(p.y()),
               number(p.z()), number(q.w()), number(q.x()), number(q.y()), number(q.z())});
  }
  return table.str();
}

std::vector<Real> parse_pose(const PoseArguments& arguments, const Character& character) {
  if (arguments.q && arguments.posture) throw BadInput("give --q or --posture, not both");
  if (arguments.q) return parse_q(*arguments.q, character.skeleton, arguments.degrees, "--q");
  if (arguments.posture)
    return parse_posture(*arguments.posture, character, arguments.degrees, "--posture");
  const ConstQ neutral = character.skeleton.neutral();
  return {neutral.begin(), neutral.end()};
}

ExitCode pose_verb(const PoseArguments& arguments) {
  const Loaded loaded = load(arguments.character);
  const std::vector<Real> q = parse_pose(arguments, loaded.character);
  print_notes(loaded.warnings, arguments.character.quiet);
  if (!arguments.character.quiet && !inside_limits(loaded.character.skeleton, q))
    note("this pose lies outside the joint limits; it is shown as given");
  const std::vector<Place> places = places_of(loaded.character, q);
  if (arguments.json)
    write_json(places_json(places));
  else
    write_text(places_text(places));
  return exit_reached;
}

}  // namespace

Verb add_pose(CLI::App& tool) {
  const auto arguments = std::make_shared<PoseArguments>();
  CLI::App* command =
      tool.add_subcommand("pose", "where every joint, link and end-point is (forward kinematics)");
  add_character(*command, arguments->character);
  add_text(*command, "--q", arguments->q,
           {"a,b,...", "Pose", "one number per coordinate (a ball: w,x,y,z)"});
  add_text(*command, "--posture", arguments->posture,
           {"NAME|a,b,...", "Pose", "a posture of the character (default: its neutral pose)"});
  command->add_flag("--degrees", arguments->degrees, "hinges in degrees")->group("Pose");
  command
      ->add_flag("--json", arguments->json,
                 "a JSON list of {name, position [x,y,z], orientation [w,x,y,z], kind}")
      ->group("Output");
  command->footer(
      "Places are in the character's own world frame, in metres; orientations are quaternions\n"
      "w,x,y,z. Values are used as they are, even outside the limits.\n\n"
      "Example: gestik pose lamp --posture curious");
  return {command, [arguments] { return pose_verb(*arguments); }};
}

}  // namespace gestik::tool
