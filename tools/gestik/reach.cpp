#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "gestik/base/suggest.h"
#include "gestik/body/body_motion.h"
#include "gestik/io/behaviour_json.h"
#include "gestik/model/kinematics.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/character_output.h"
#include "tools/gestik/reach_report.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct ReachArguments {
  CharacterArgument character;
  OptionText hand, target, left_target, posture, swivel, behaviour, obstacles, seconds, motion;
  bool limbs = false, degrees = false, json = false;
};

/// A place, and an orientation if there are seven numbers.
PlaceAndTurn parse_target(const std::string& text, std::string_view option) {
  const std::vector<Real> numbers = parse_numbers(text, option);
  if (numbers.size() != 3 && numbers.size() != 7)
    throw BadInput(fmt::format("{}: a target is x,y,z or x,y,z,qw,qx,qy,qz; this has {} numbers",
                               option, numbers.size()));
  PlaceAndTurn target{{numbers[0], numbers[1], numbers[2]}, {}};
  if (!is_bounded(target.place)) throw BadInput(fmt::format("{}: that is too far away", option));
  if (numbers.size() == 3) return target;
  const Quat turn(numbers[3], numbers[4], numbers[5], numbers[6]);
  if (turn.coeffs().isZero(0))
    throw BadInput(fmt::format("{}: the quaternion w,x,y,z is zero", option));
  target.turn = normalized_or_identity(turn);
  return target;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

Vec3 up_of(const Character& character) {
  return Vec3::Unit(static_cast<int>(character.up));
}

/// The end-point that a limb's last joint carries; else the joint itself.
Frame frame_of(const Character& character, const Limb& limb) {
  const Skeleton& skeleton = character.skeleton;
  for (const Frame& end : character.ends) {
    JointId j = end.joint;
    while (j != limb.joint && j != no_joint && skeleton.type(j) == JointType::fixed)
      j = skeleton.parent(j);
    if (j == limb.joint) return end;
  }
  return {.name = character.skeleton.name(limb.joint), .joint = limb.joint};
}

/// "left_hand, right_hand", or why there is none.
std::string hands_text(const Character& character, const LimbsFound& found) {
  std::vector<std::string> names;
  for (const Limb& limb : found.limbs) names.push_back(frame_of(character, limb).name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (!names.empty()) return fmt::format("there are {}", listed(views));
  if (found.others.empty()) return "there is none";
  return fmt::format("there is none; {}", describe(character.skeleton, found.others.front()));
}

/// The hand of a side: the limb whose joints are named after it and whose base is highest.
std::optional<Frame> hand_on(const Character& character, const LimbsFound& found,
                             const std::string& side) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<Pose> world(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, skeleton.neutral(), world);
  std::optional<Frame> hand;
  Real highest = -infinity;
  for (const Limb& limb : found.limbs) {
    if (lower_case(skeleton.name(limb.joint)).find(side) == std::string::npos) continue;
    const Real height = up_of(character).dot(world[limb.base.joints[0]].p);
    if (height <= highest) continue;
    highest = height;
    hand = frame_of(character, limb);
  }
  return hand;
}

Frame find_hand(const Character& character, const LimbsFound& found, const OptionText& name) {
  if (!name) {
    if (found.limbs.size() == 1) return frame_of(character, found.limbs.front());
    throw BadInput(
        fmt::format("say with --hand which limb reaches: {}", hands_text(character, found)));
  }
  if (*name == "left" || *name == "right") {
    if (const std::optional<Frame> hand = hand_on(character, found, *name)) return *hand;
    throw BadInput(fmt::format("--hand {}: no limb is named after that side: {}", *name,
                               hands_text(character, found)));
  }
  return parse_end(name, character);
}

Errand make_errand(const Character& character, const LimbsFound& found, const Frame& hand,
                   const PlaceAndTurn& target) {
  const LimbOr limb = limb_at(character.skeleton, hand.joint, up_of(character));
  const bool takes = target.turn ? limb.reaches_poses() : limb.reaches_places();
  if (!takes)
    throw BadInput(fmt::format("'{}' can't: {}{}", hand.name, to_string(limb.why),
                               found.limbs.empty() ? "" : "; " + hands_text(character, found)));
  Errand errand{.hand = hand, .target = target, .limb = limb.limb};
  for (const Limb& known : found.limbs)  // it knows which way is outward
    if (known.joint == limb.limb.joint) errand.limb = known;
  errand.reach = {
      .joint = hand.joint, .point_in_joint = hand.joint_from_frame.p, .target = target.place};
  if (target.turn)
    errand.orient =
        Orient{.joint = hand.joint, .target = *target.turn * hand.joint_from_frame.q.conjugate()};
  return errand;
}

std::vector<Errand> errands_of(const ReachArguments& arguments, const Character& character) {
  const LimbsFound found = find_limbs(character.skeleton, up_of(character));
  std::vector<Errand> errands;
  if (arguments.target)
    errands.push_back(make_errand(character, found, find_hand(character, found, arguments.hand),
                                  parse_target(*arguments.target, "--target")));
  if (arguments.left_target)
    errands.push_back(make_errand(character, found, find_hand(character, found, "left"),
                                  parse_target(*arguments.left_target, "--left-target")));
  if (errands.empty()) throw BadInput("say where to reach with --target x,y,z");
  if (errands.size() == 2 && errands[0].limb.joint == errands[1].limb.joint)
    throw BadInput("--target and --left-target are for the same hand");
  return errands;
}

Reaching settings_of(const ReachArguments& arguments) {
  Reaching settings;
  if (arguments.swivel) {
    const Real turn = arguments.degrees ? 360 : 2 * pi;
    settings.search.preferred =
        parse_within(*arguments.swivel, "--swivel", -turn, turn) * (2 * pi / turn);
  }
  if (arguments.seconds)
    settings.seconds = parse_within(*arguments.seconds, "--seconds", 0.05, 600);
  return settings;
}

/// A clip's last frame over and over, until it has as many.
void lengthen(Clip& clip, int frames) {
  const ConstQ last = clip.frame(clip.frame_count() - 1);
  const std::vector<Real> copy(last.begin(), last.end());
  while (clip.frame_count() < frames)
    clip.values.insert(clip.values.end(), copy.begin(), copy.end());
}

/// Clips of one start as one: each hand's joints from its own.
Clip joined(const Skeleton& skeleton, std::span<const Errand> errands, std::vector<Clip> clips) {
  int frames = 0;
  for (const Clip& clip : clips) frames = std::max(frames, clip.frame_count());
  for (Clip& clip : clips) lengthen(clip, frames);
  Clip whole = clips.front();
  for (std::size_t i = 1; i < clips.size(); ++i)
    for (int f = 0; f < frames; ++f)
      for (const JointId j : errands[i].limb.moved())
        std::copy_n(clips[i].frame(f).data() + skeleton.q_offset(j), q_size(skeleton.type(j)),
                    whole.values.data() + static_cast<std::size_t>(f) * whole.columns.size() +
                        skeleton.q_offset(j));
  return whole;
}

/// The joints of some hands.
std::vector<JointId> joints_of(std::span<const Errand> errands) {
  std::vector<JointId> joints;
  for (const Errand& errand : errands)
    joints.insert(joints.end(), errand.limb.moved().begin(), errand.limb.moved().end());
  return joints;
}

/// Asks what one limb meets, all else being as `q` has it. Poses are asked for while this lives.
class LimbTest {
 public:
  LimbTest(const ReachScene& scene, const Errand& errand, std::span<const JointId> except,
           ConstQ q) {
    if (!scene.collider()) return;
    placement_ = placement_for(*scene.collider());
    clash_ = clash_of(errand.limb, scene.skeleton(), *scene.collider(), placement_, except);
    std::vector<Pose> world(static_cast<std::size_t>(scene.skeleton().joint_count()));
    forward(scene.skeleton(), q, world);
    settle(clash_, world);
    test_ = errand.orient ? with_still_end(clash_) : with_moving_end(clash_);
  }
  LimbTest(const LimbTest&) = delete;
  LimbTest& operator=(const LimbTest&) = delete;

  const PoseTest& get() const { return test_; }

 private:
  Placement placement_;
  LimbClash clash_;
  PoseTest test_;
};

/// Only limbs move. Of two hands the second looks at the first; on their ways neither looks at the
/// other, and whether they meet is found out afterwards.
ReachOutcome reach_with_limbs(const ReachScene& scene, std::span<Errand> errands,
                              bool with_motion) {
  const Skeleton& skeleton = scene.skeleton();
  ReachOutcome out{.q = scene.start};
  Scratch scratch(reach_scratch_bytes(skeleton));
  std::vector<Clip> clips;
  for (std::size_t i = 0; i < errands.size(); ++i) {
    Errand& errand = errands[i];
    const Orient* orient = errand.orient ? &*errand.orient : nullptr;
    const LimbTest test(scene, errand, joints_of(errands.subspan(i + 1)), out.q);
    errand.report = reach_with_limb(errand.limb, skeleton, errand.reach, orient,
                                    scene.settings.search, test.get(), scratch, out.q);
    if (!with_motion) continue;
    const std::vector<JointId> others =
        errands.size() == 1 ? std::vector<JointId>() : joints_of(errands.subspan(1 - i, 1));
    const LimbTest test_on_the_way(scene, errand, others, scene.start);
    Reached reached = reach_motion(scene.settings, errand.limb, skeleton, errand.reach, orient,
                                   test_on_the_way.get(), scene.start);
    clips.push_back(std::move(reached.clip));
    errand.way = std::move(reached);
  }
  if (with_motion) out.clip = joined(skeleton, errands, std::move(clips));
  return out;
}

/// The behaviour's arm for each errand.
std::vector<HandTarget> hand_targets(const Behaviour& behaviour, std::span<const Errand> errands) {
  std::vector<HandTarget> targets;
  for (const Errand& errand : errands) {
    const int arm = behaviour.find_arm(errand.hand.name);
    std::vector<std::string_view> hands;
    for (const Behaviour::Arm& one : behaviour.arms()) hands.push_back(one.hand.name);
    if (arm < 0)
      throw BadInput(fmt::format("the behaviour '{}' is not for '{}', but for {}", behaviour.name(),
                                 errand.hand.name, listed(hands)));
    targets.push_back({arm, errand.target.place, errand.target.turn});
  }
  return targets;
}

ReachOutcome reach_with_behaviour(const ReachScene& scene, std::span<Errand> errands,
                                  bool with_motion) {
  const Behaviour& behaviour = *scene.behaviour;
  const Skeleton& skeleton = scene.skeleton();
  const std::vector<HandTarget> targets = hand_targets(behaviour, errands);
  const BodyProblem problem{
      .start = scene.start, .targets = targets, .search = scene.settings.search};
  BodyClash clash = body_clash(*scene.collider(), behaviour);
  ReachOutcome out{.q = scene.start};
  Scratch scratch(scratch_bytes(behaviour, skeleton));
  out.body =
      reach_with_body(behaviour, skeleton, problem, &clash, scratch, out.q, out.world_from_body);
  for (std::size_t i = 0; i < errands.size(); ++i)
    errands[i].report = out.body->arms[static_cast<std::size_t>(targets[i].arm)];
  if (!with_motion) return out;
  BodyReached reached = reach_motion(scene.settings, behaviour, skeleton, problem, &clash);
  for (std::size_t i = 0; i < errands.size(); ++i)
    errands[i].way = reached.hands[static_cast<std::size_t>(targets[i].arm)];
  out.clip = std::move(reached.clip);
  out.on_the_way = std::move(reached.world_from_body);
  return out;
}

/// What was found, one a line.
ExitCode list_limbs(const ReachArguments& arguments) {
  const Loaded loaded = load(arguments.character);
  const Skeleton& skeleton = loaded.character.skeleton;
  const LimbsFound found = find_limbs(skeleton, up_of(loaded.character));
  Json limbs = Json::array(), others = Json::array();
  std::string text;
  for (const Limb& limb : found.limbs) {
    const std::string hand = frame_of(loaded.character, limb).name, told = describe(skeleton, limb);
    limbs.push_back({{"hand", hand}, {"limb", told}});
    text += fmt::format("{}: {}\n", hand, told);
  }
  for (const OtherEnd& other : found.others) {
    others.push_back({{"joint", skeleton.name(other.joint)}, {"why", describe(skeleton, other)}});
    text += fmt::format("no limb: {}\n", describe(skeleton, other));
  }
  print_notes(loaded.warnings, arguments.character.quiet);
  if (arguments.json)
    write_json({{"limbs", limbs}, {"others", others}});
  else
    write_text(text);
  return exit_reached;
}

std::vector<Real> start_of(const ReachArguments& arguments, const Character& character) {
  const ConstQ neutral = character.skeleton.neutral();
  std::vector<Real> q(neutral.begin(), neutral.end());
  if (arguments.posture)
    q = parse_posture(*arguments.posture, character, arguments.degrees, "--posture");
  clamp_to_limits(character.skeleton, q);
  return q;
}

ReachScene scene_of(const ReachArguments& arguments, const Character& character,
                    std::span<const Errand> errands) {
  ReachScene scene{.character = character,
                   .start = start_of(arguments, character),
                   .settings = settings_of(arguments)};
  if (arguments.behaviour) scene.behaviour = parse_behaviour(*arguments.behaviour, character);
  if (arguments.swivel && scene.behaviour &&
      std::any_of(scene.behaviour->arms().begin(), scene.behaviour->arms().end(),
                  [](const Behaviour::Arm& arm) { return arm.keys.has_swivel(); }))
    throw BadInput(fmt::format("--swivel: the behaviour '{}' has swivels of its own",
                               scene.behaviour->name()));
  std::vector<Limb> limbs;
  for (const Errand& errand : errands) limbs.push_back(errand.limb);
  if (arguments.obstacles || scene.behaviour)
    scene.surroundings = parse_surroundings(arguments.obstacles, character, scene.start, limbs);
  return scene;
}

/// The way as a file: with a behaviour, of a body whose root can move.
std::string motion_text(const ReachArguments& arguments, const ReachScene& scene,
                        const ReachOutcome& outcome) {
  const Real unit = parse_unit(arguments.character);
  if (!outcome.body)
    return character_text(scene.character, std::vector{*outcome.clip}, *arguments.motion, unit);
  const Character freed = with_free_root(scene.character);
  const Clip clip = with_free_root(*outcome.clip, freed, outcome.on_the_way);
  return character_text(freed, std::vector{clip}, *arguments.motion, unit);
}

void check_motion(const ReachArguments& arguments, const std::string& out) {
  (void)format_of(out);
  if (out == "-" && arguments.json)
    throw BadInput("--motion - prints the motion: --json can't print beside it");
  std::vector<std::string> inputs;
  if (arguments.behaviour) inputs = {*arguments.behaviour, arguments.character.name};
  if (arguments.obstacles) inputs.push_back(*arguments.obstacles);
  check_is_no_input("--motion", out, inputs);
}

ExitCode reach_verb(const ReachArguments& arguments) {
  if (arguments.limbs) return list_limbs(arguments);
  if (arguments.motion) check_motion(arguments, *arguments.motion);
  const Loaded loaded = load(arguments.character);
  std::vector<Errand> errands = errands_of(arguments, loaded.character);
  const ReachScene scene = scene_of(arguments, loaded.character, errands);
  const bool with_motion = arguments.motion.has_value();
  ReachOutcome outcome = scene.behaviour ? reach_with_behaviour(scene, errands, with_motion)
                                         : reach_with_limbs(scene, errands, with_motion);
  if (outcome.clip && scene.collider())
    outcome.clash =
        first_clash(*scene.collider(), scene.skeleton(), *outcome.clip, outcome.on_the_way);
  const std::string file = with_motion ? motion_text(arguments, scene, outcome) : "";
  print_notes(loaded.warnings, arguments.character.quiet);
  if (scene.surroundings) print_notes(scene.surroundings->warnings, arguments.character.quiet);
  const ExitCode code = all_reached(errands, outcome) ? exit_reached : exit_not_reached;
  if (with_motion && !write_character(*arguments.motion, file)) return code;
  if (arguments.json) {
    write_json(report_json(scene, errands, outcome, arguments.degrees));
    return code;
  }
  std::string text = report_text(scene, errands, outcome);
  if (with_motion) text += fmt::format("wrote {}\n", printable(*arguments.motion));
  write_text(text);
  return code;
}

}  // namespace

Verb add_reach(CLI::App& tool) {
  const auto arguments = std::make_shared<ReachArguments>();
  CLI::App* command =
      tool.add_subcommand("reach", "bring a hand or foot to a place, exactly, or say why not");
  add_character(*command, arguments->character);
  add_text(*command, "--hand", arguments->hand,
           {"NAME", "Where",
            "left, right, or an end-point, link or joint at the end of a limb (default: the only "
            "one)"});
  add_text(*command, "--target", arguments->target,
           {"x,y,z[,qw,qx,qy,qz]", "Where", "where it shall be and, if given, how it is turned"});
  add_text(*command, "--left-target", arguments->left_target,
           {"x,y,z[,qw,qx,qy,qz]", "Where", "the same for the left hand, at the same time"});
  command->add_flag("--limbs", arguments->limbs, "only list the limbs, and why other ends are none")
      ->group("Where");
  add_text(*command, "--posture", arguments->posture,
           {"NAME|a,b,...", "How", "where the body starts (default: its neutral pose)"});
  add_text(
      *command, "--swivel", arguments->swivel,
      {"R", "How",
       "radians (with --degrees: degrees): which way elbow or knee should point (default: as the "
       "start has it)"});
  add_text(*command, "--behaviour", arguments->behaviour,
           {"NAME|FILE.json", "How",
            "the whole body reaches, in this manner: " + listed(bundled_behaviour_names()) +
                " (for the humanoid), or a file"});
  add_text(*command, "--obstacles", arguments->obstacles,
           {"FILE.obj", "How", "a mesh, in metres, that the body may not meet"});
  add_text(*command, "--seconds", arguments->seconds,
           {"S", "How", "how long the motion takes (default: longer for a longer way)"});
  command
      ->add_flag("--degrees", arguments->degrees,
                 "hinges in degrees, in --posture and q, and --swivel")
      ->group("Output");
  add_text(*command, "--motion", arguments->motion,
           {"OUT.bvh|OUT.json", "Output", "the way there as a clip; - prints JSON"});
  command->add_flag("--json", arguments->json, "one JSON object on standard output")
      ->group("Output");
  command->footer(
      "Without --behaviour only the limb moves: shoulder, elbow and wrist, or hip, knee and ankle. "
      "With\n"
      "it the trunk comes along and the feet stay. With x,y,z alone the wrist keeps its angles. "
      "The "
      "swivel\n"
      "is the way the elbow points; positive raises it, or turns a knee outward. docs/REACH.md "
      "says "
      "more.\n"
      "Exit codes: 0 reached, 3 not (the reason is printed), 2 bad input, 1 the file can't be "
      "written.\n\n"
      "Example: gestik reach humanoid --posture stand --hand right --target=-0.2,1.2,0.4");
  return {command, [arguments] { return reach_verb(*arguments); }};
}

}  // namespace gestik::tool
