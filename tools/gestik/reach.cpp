#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "gestik/base/suggest.h"
#include "gestik/motion/reaching.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/character_output.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct ReachArguments {
  CharacterArgument character;
  OptionText hand, target, left_target, posture, swivel, seconds, motion;
  bool limbs = false, degrees = false, json = false;
};

/// A place, and an orientation if there are seven numbers.
struct Target {
  Vec3 place;
  std::optional<Quat> turn;
};

Target parse_target(const std::string& text, std::string_view option) {
  const std::vector<Real> numbers = parse_numbers(text, option);
  if (numbers.size() != 3 && numbers.size() != 7)
    throw BadInput(fmt::format("{}: a target is x,y,z or x,y,z,qw,qx,qy,qz; this has {} numbers",
                               option, numbers.size()));
  Target target{{numbers[0], numbers[1], numbers[2]}, {}};
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

/// One hand's errand and what came of it.
struct Errand {
  Frame hand;
  Target target;
  Limb limb;
  Reach reach = {};
  std::optional<Orient> orient = {};
  LimbReport report = {};
  std::optional<Reached> motion = {};
};

Errand make_errand(const Character& character, const LimbsFound& found, const Frame& hand,
                   const Target& target) {
  const LimbOr limb = limb_at(character.skeleton, hand.joint, up_of(character));
  const bool takes = target.turn ? limb.reaches_poses() : limb.reaches_places();
  if (!takes)
    throw BadInput(fmt::format("'{}' can't: {}; {}", hand.name, to_string(limb.why),
                               hands_text(character, found)));
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
  if (arguments.swivel) settings.search.preferred = parse_number(*arguments.swivel, "--swivel");
  if (arguments.seconds)
    settings.seconds = parse_within(*arguments.seconds, "--seconds", 0.05, 600);
  return settings;
}

/// Two clips of one length and start as one: each hand's joints from its own.
Clip joined(const Character& character, std::span<const Errand> errands) {
  Clip clip = errands.front().motion->clip;
  const Skeleton& skeleton = character.skeleton;
  for (const Errand& errand : errands.subspan(1)) {
    const Clip& other = errand.motion->clip;
    const int frames = std::max(clip.frame_count(), other.frame_count());
    const auto lengthen = [&](Clip longer) {
      while (longer.frame_count() < frames) {
        const ConstQ last = longer.frame(longer.frame_count() - 1);
        const std::vector<Real> copy(last.begin(), last.end());
        longer.values.insert(longer.values.end(), copy.begin(), copy.end());
      }
      return longer;
    };
    clip = lengthen(clip);
    const Clip whole = lengthen(other);
    for (int f = 0; f < frames; ++f)
      for (const JointId j : errand.limb.moved())
        std::copy_n(whole.frame(f).data() + skeleton.q_offset(j), q_size(skeleton.type(j)),
                    clip.values.data() + static_cast<std::size_t>(f) * clip.columns.size() +
                        skeleton.q_offset(j));
  }
  return clip;
}

std::string_view word_of(LimbFault fault) {
  switch (fault) {
    case LimbFault::none:
      return "none";
    case LimbFault::too_far:
      return "too_far";
    case LimbFault::too_near:
      return "too_near";
    case LimbFault::limit:
      return "limit";
    case LimbFault::clash:
      return "clash";
  }
  return "";
}

Json json_of(const Errand& errand, const Skeleton& skeleton) {
  const LimbReport& report = errand.report;
  Json out{{"hand", errand.hand.name},
           {"limb", describe(skeleton, errand.limb)},
           {"reached", report.reached()},
           {"fault", word_of(report.fault)},
           {"reason", describe(skeleton, report)},
           {"swivel", report.swivel},
           {"preferred_swivel", report.preferred},
           {"tests", report.tests}};
  if (report.fault == LimbFault::limit && report.joint != no_joint) {
    out["joint"] = skeleton.name(report.joint);
    out["limit"] = to_string(report.at);
  }
  if (report.fault != LimbFault::none) out["amount"] = report.amount;
  if (errand.motion) {
    Json jumps = Json::array();
    for (const SwivelJump& jump : errand.motion->jumps)
      jumps.push_back({{"frame", jump.frame}, {"from", jump.from}, {"to", jump.to}});
    out["frames"] = errand.motion->clip.frame_count();
    out["frames_missed"] = errand.motion->missed;
    out["jumps"] = jumps;
  }
  return out;
}

std::string text_of(const Errand& errand, const Skeleton& skeleton) {
  const LimbReport& report = errand.report;
  std::string text = fmt::format("{}: {}\n", errand.hand.name, describe(skeleton, report));
  text += fmt::format("  swivel {:.2f}°", degrees_of(report.swivel));
  if (report.reached() && std::abs(wrap_angle(report.swivel - report.preferred)) > 1e-9)
    text +=
        fmt::format(", the nearest that the limits allow to {:.2f}°", degrees_of(report.preferred));
  text += fmt::format(" ({} test{})\n", report.tests, report.tests == 1 ? "" : "s");
  if (!errand.motion) return text;
  for (const SwivelJump& jump : errand.motion->jumps)
    text += fmt::format("  jumps in frame {}: swivel {:.2f}° to {:.2f}°\n", jump.frame,
                        degrees_of(jump.from), degrees_of(jump.to));
  if (errand.motion->missed > 0)
    text += fmt::format("  stands still in {} frames on its way, first in frame {}: {}\n",
                        errand.motion->missed, errand.motion->first_missed,
                        describe(skeleton, errand.motion->why));
  return text;
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

ExitCode reach_verb(const ReachArguments& arguments) {
  if (arguments.limbs) return list_limbs(arguments);
  if (arguments.motion) (void)format_of(*arguments.motion);
  const Loaded loaded = load(arguments.character);
  const Character& character = loaded.character;
  const Skeleton& skeleton = character.skeleton;
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  if (arguments.posture)
    q = parse_posture(*arguments.posture, character, arguments.degrees, "--posture");
  clamp_to_limits(skeleton, q);
  const std::vector<Real> start = q;
  std::vector<Errand> errands = errands_of(arguments, character);
  const Reaching settings = settings_of(arguments);
  Scratch scratch(reach_scratch_bytes(skeleton));
  for (Errand& errand : errands) {
    const Orient* orient = errand.orient ? &*errand.orient : nullptr;
    errand.report = reach_with_limb(errand.limb, skeleton, errand.reach, orient, settings.search,
                                    {}, scratch, q);
    if (arguments.motion)
      errand.motion =
          reach_motion(settings, errand.limb, skeleton, errand.reach, orient, {}, start);
  }
  const bool reached = std::all_of(errands.begin(), errands.end(),
                                   [](const Errand& errand) { return errand.report.reached(); });
  std::string file;
  if (arguments.motion)
    file = character_text(character, std::vector{joined(character, errands)}, *arguments.motion,
                          parse_unit(arguments.character));
  print_notes(loaded.warnings, arguments.character.quiet);
  const ExitCode code = reached ? exit_reached : exit_not_reached;
  if (arguments.motion && !write_character(*arguments.motion, file)) return code;
  if (arguments.json) {
    Json hands = Json::array();
    for (const Errand& errand : errands) hands.push_back(json_of(errand, skeleton));
    write_json({{"character", character.name},
                {"reached", reached},
                {"hands", hands},
                {"q", q_json(skeleton, q, arguments.degrees)}});
    return code;
  }
  std::string text;
  for (const Errand& errand : errands) text += text_of(errand, skeleton);
  if (arguments.motion) text += fmt::format("wrote {}\n", printable(*arguments.motion));
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
      {"R", "How", "radians: which way elbow or knee should point (default: as the start has it)"});
  add_text(*command, "--seconds", arguments->seconds,
           {"S", "How", "how long the motion takes (default: longer for a longer way)"});
  command->add_flag("--degrees", arguments->degrees, "hinges in degrees, in --posture and q")
      ->group("Output");
  add_text(*command, "--motion", arguments->motion,
           {"OUT.bvh|OUT.json", "Output", "the way there as a clip; - prints JSON"});
  command->add_flag("--json", arguments->json, "one JSON object on standard output")
      ->group("Output");
  command->footer(
      "Only the limb moves: shoulder, elbow and wrist, or hip, knee and ankle. With x,y,z alone "
      "the\n"
      "wrist keeps its angles. The swivel is the way the elbow points; positive raises it, or "
      "turns a\n"
      "knee outward. docs/REACH.md says more.\n"
      "Exit codes: 0 reached, 3 not (the reason is printed), 2 bad input, 1 the file can't be "
      "written.\n\n"
      "Example: gestik reach humanoid --posture stand --hand right --target=-0.2,1.2,0.4");
  return {command, [arguments] { return reach_verb(*arguments); }};
}

}  // namespace gestik::tool
