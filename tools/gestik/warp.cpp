#include "gestik/motion/warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "evaluation/csv.h"
#include "gestik/base/suggest.h"
#include "gestik/goal/at_frame.h"
#include "gestik/motion/check.h"
#include "tools/gestik/character_output.h"
#include "tools/gestik/clip_arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct WarpArguments {
  CharacterArgument character;
  ClipArgument clips;
  OptionText aim, path, end, from, speed, filter;
  std::string out;
  bool json = false;
};

/// A point that moves: straight from one place to the next, at rest before the first and after the
/// last.
class AimPath {
 public:
  explicit AimPath(const Vec3& place) : stations_{{0, place}} {}
  explicit AimPath(const std::string& file) {
    const Result<std::string> text = read_file(file);
    if (!text) throw BadInput(to_string(text.error()));
    const auto rows = evaluation::read_number_rows(*text, file);
    if (!rows) throw BadInput(to_string(rows.error()));
    for (const evaluation::NumberRow& row : *rows) {
      if (row.numbers.size() != 4)
        throw BadInput(fmt::format("{}:{}: a line is seconds,x,y,z; this one has {} numbers", file,
                                   row.line, row.numbers.size()));
      if (!stations_.empty() && row.numbers[0] <= stations_.back().seconds)
        throw BadInput(fmt::format("{}:{}: times must grow from line to line", file, row.line));
      stations_.push_back({row.numbers[0], {row.numbers[1], row.numbers[2], row.numbers[3]}});
    }
  }

  Vec3 at(Real seconds) const {
    const auto next = std::find_if(stations_.begin(), stations_.end(),
                                   [&](const Station& s) { return s.seconds > seconds; });
    if (next == stations_.begin()) return next->place;
    const Station& last = *(next - 1);
    if (next == stations_.end()) return last.place;
    const Real share = (seconds - last.seconds) / (next->seconds - last.seconds);
    return last.place + share * (next->place - last.place);
  }

 private:
  struct Station {
    Real seconds;
    Vec3 place;
  };
  std::vector<Station> stations_;
};

AimPath path_of(const WarpArguments& arguments) {
  if (arguments.aim.has_value() == arguments.path.has_value())
    throw BadInput("say where to look with --aim x,y,z or with --aim-path FILE");
  return arguments.aim ? AimPath(parse_point(*arguments.aim, "--aim")) : AimPath(*arguments.path);
}

WarpChain chain_of(const WarpArguments& arguments, const Skeleton& skeleton, const Frame& end) {
  if (arguments.from) {
    std::vector<std::string_view> above;
    for (JointId j = end.joint; j != no_joint; j = skeleton.parent(j)) {
      if (skeleton.name(j) == *arguments.from) return {j, end.joint};
      above.push_back(skeleton.name(j));
    }
    throw BadInput(fmt::format("--from: no joint on the way to '{}' is called '{}'{}", end.name,
                               *arguments.from, did_you_mean(*arguments.from, above)));
  }
  if (const std::optional<WarpChain> chain = hinges_below(skeleton, end.joint)) return *chain;
  throw BadInput(fmt::format(
      "no hinge turns '{}'; read a BVH with --bvh-hinges, or say with --from where to begin",
      end.name));
}

struct Outcome {
  Warped warped;
  Real seconds = 0;
  MotionCheck check = {};
};

Outcome warp_one(const WarpArguments& arguments, const Character& character, const Clip& clip) {
  const Frame end = parse_end(arguments.end, character);
  const WarpChain chain = chain_of(arguments, character.skeleton, end);
  const AimPath path = path_of(arguments);
  std::vector<Goal> goals;
  for (int f = 0; f < clip.frame_count(); ++f)
    goals.push_back(aim(end, path.at(static_cast<Real>(f) / clip.rate)));
  const std::vector<MotionLimits> limits = motion_limits(character);
  Warp settings;
  if (arguments.speed) {
    settings.tracker.speed = parse_number(*arguments.speed, "--speed");
    if (!(settings.tracker.speed > 0)) throw BadInput("--speed must be above zero");
  }
  if (arguments.filter) settings.filter = parse_preset(*arguments.filter, true);
  // Whoever names a speed means it, unless the file knows better.
  const bool bounded = !arguments.speed || !character.motion.empty();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point started = Clock::now();
  Outcome result{.warped = warp(settings, character.skeleton, clip, chain, goals,
                                bounded ? limits : std::vector<MotionLimits>{})};
  result.seconds = std::chrono::duration<Real>(Clock::now() - started).count();
  result.check = check_motion(result.warped.clip, character.skeleton, limits);
  return result;
}

Json json_of(const Outcome& result) {
  const Clip& clip = result.warped.clip;
  return {{"name", clip.name},
          {"frames", clip.frame_count()},
          {"met", result.warped.met},
          {"reposes", result.warped.reposes},
          {"frames_per_second", clip.frame_count() / result.seconds},
          {"range_kept", result.check.range_kept},
          {"safe", result.check.breaches.empty()},
          {"stretch", result.check.stretch}};
}

std::string text_of(const Outcome& result) {
  const Clip& clip = result.warped.clip;
  std::string text =
      fmt::format("{}: {} frames, {} look there, {} re-pose{}; {:.0f} frames a second\n",
                  clip.name.empty() ? "a clip" : printable(clip.name), clip.frame_count(),
                  result.warped.met, result.warped.reposes, result.warped.reposes == 1 ? "" : "s",
                  clip.frame_count() / result.seconds);
  if (!result.check.breaches.empty())
    text +=
        fmt::format("  not safe as it is: play it {:.4g} times as slow, or warp it with --filter\n",
                    result.check.stretch);
  return text;
}

ExitCode warp_verb(const WarpArguments& arguments) {
  if (arguments.out.empty())
    throw BadInput("say where to write it, with -o OUT.bvh or -o OUT.json");
  (void)format_of(arguments.out);
  Loaded loaded = load_with_clips(arguments.character, arguments.clips);
  std::vector<Outcome> results;
  std::vector<Clip> clips;
  for (const Clip& clip : loaded.clips) {
    results.push_back(warp_one(arguments, loaded.character, clip));
    clips.push_back(results.back().warped.clip);
  }
  const std::string text =
      character_text(loaded.character, clips, arguments.out, parse_unit(arguments.character));
  print_notes(loaded.warnings, arguments.character.quiet);
  note_what_stays_behind(arguments.character, arguments.out);
  const bool all_met = std::all_of(results.begin(), results.end(), [](const Outcome& result) {
    return result.warped.met == result.warped.clip.frame_count();
  });
  const ExitCode code = all_met ? exit_reached : exit_not_reached;
  if (!write_character(arguments.out, text)) return code;
  if (arguments.json) {
    Json list = Json::array();
    for (const Outcome& result : results) list.push_back(json_of(result));
    write_json({{"character", loaded.character.name}, {"out", arguments.out}, {"clips", list}});
    return code;
  }
  std::string said;
  for (const Outcome& result : results) said += text_of(result);
  write_text(said + fmt::format("wrote {}\n", printable(arguments.out)));
  return code;
}

}  // namespace

Verb add_warp(CLI::App& tool) {
  const auto arguments = std::make_shared<WarpArguments>();
  CLI::App* command =
      tool.add_subcommand("warp", "let a clip keep its expression while it looks somewhere else");
  add_character(*command, arguments->character);
  add_clip(*command, arguments->clips);
  add_text(*command, "--aim", arguments->aim, {"x,y,z", "Where", "a point to look at"});
  add_text(*command, "--aim-path", arguments->path,
           {"FILE.csv", "Where", "a point that moves: lines of seconds,x,y,z"});
  add_text(*command, "--end", arguments->end,
           {"NAME", "Where", "what looks (default: the character's first end-point)"});
  add_text(*command, "--from", arguments->from,
           {"JOINT", "Where",
            "the first joint that may turn for it (default: the longest chain of hinges)"});
  add_text(
      *command, "--speed", arguments->speed,
      {"R", "How",
       "radians per second that no joint of the chain exceeds, nor the limit that its file names "
       "(default: its limit, at most 4)"});
  add_text(
      *command, "--filter", arguments->filter,
      {"PRESET", "How",
       "then filter it so that acceleration and jerk hold as well: plain, light, heavy, nervous "
       "or calm"});
  command->add_option("-o,--out", arguments->out, "a .json or .bvh file; - prints JSON")
      ->type_name("FILE")
      ->group("Output");
  command->add_flag("--json", arguments->json, "what became of it, as one JSON object")
      ->group("Output");
  command->footer(
      "Every frame of the clip is the posture that is kept in that frame. Joints beside the chain "
      "do\n"
      "what they do in the clip. Where the way of the point asks for another pose altogether, the\n"
      "chain goes over to it at its speed: a re-pose.\n"
      "Exit codes: 0 every frame looks there, 3 not all do (it is written all the same), 2 bad "
      "input,\n"
      "1 the file can't be written.\n\n"
      "Example: gestik warp lamp clips/lamp.json --clip nod --aim 0.4,0.3,0.5 -o nod.json");
  return {command, [arguments] { return warp_verb(*arguments); }};
}

}  // namespace gestik::tool
