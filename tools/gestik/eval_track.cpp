#include <fmt/format.h>

#include <memory>

#include "evaluation/track/sweeps.h"
#include "gestik/motion/warp.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

namespace tracking = evaluation::track;

struct TrackArguments {
  OptionText skeletons, sweeps, rate, speed, ahead;
  bool json = false;
};

Character chain_of(const std::string& name) {
  Character character = load({.name = name, .unit = {}, .hinges = {}}).character;
  const Skeleton& skeleton = character.skeleton;
  const bool chain = !character.ends.empty() && skeleton.q_size() == skeleton.v_size() &&
                     hinges_below(skeleton, character.ends.front().joint) &&
                     hinges_below(skeleton, character.ends.front().joint)->first == 0;
  if (!chain) throw BadInput(fmt::format("'{}' is no chain of hinges with an end-point", name));
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (skeleton.type(j) == JointType::hinge &&
        !(skeleton.limits(j).hi - skeleton.limits(j).lo < 1e6))
      throw BadInput(fmt::format("'{}': joint '{}' has no limits", name, skeleton.name(j)));
  return character;
}

Json row_json(const std::string& name, const tracking::Sweeps& sweeps, const tracking::Row& row) {
  const Real count = sweeps.count, frames = static_cast<Real>(row.frames);
  return {
      {"skeleton", name},
      {"sweeps", sweeps.count},
      {"frames", row.frames},
      {"reposes_per_sweep", row.reposes / count},
      {"reposing", static_cast<Real>(row.reposing) / frames},
      {"met", static_cast<Real>(row.met) / frames},
      {"largest_step", row.largest_step},
      {"allowed_step", sweeps.tracker.speed / sweeps.rate},
      {"posture", row.posture},
      {"us", row.us},
      {"cold", {{"posture", row.cold_posture}, {"us", row.cold_us}, {"jumps", row.jumps / count}}}};
}

std::string percent(Real share) {
  return fixed(100 * share, 1) + " %";
}

ExitCode eval_track(const TrackArguments& arguments) {
  tracking::Sweeps sweeps;
  if (arguments.sweeps) sweeps.count = parse_count(*arguments.sweeps, "--sweeps", 1, 1'000'000);
  if (arguments.rate) sweeps.rate = parse_within(*arguments.rate, "--rate", 1, 10000);
  if (arguments.speed)
    sweeps.tracker.speed = parse_within(*arguments.speed, "--speed", 0.001, 1000);
  if (arguments.ahead) sweeps.look_ahead = parse_within(*arguments.ahead, "--ahead", 0, 10);
  std::vector<Character> characters;
  for (const std::string& name : parse_names(arguments.skeletons.value_or("C,E,F,G"), "--skeleton"))
    characters.push_back(chain_of(name));
  using enum Table::Align;
  Table table({left, right, right, right, right, right, right, right});
  table.add({"skeleton", "re-poses", "met", "largest step", "posture", "(cold)", "µs", "(cold)"});
  Json rows = Json::array();
  for (const Character& character : characters) {
    const tracking::Row row = follow(sweeps, character);
    rows.push_back(row_json(character.name, sweeps, row));
    table.add({character.name, fixed(static_cast<Real>(row.reposes) / sweeps.count, 2),
               percent(static_cast<Real>(row.met) / static_cast<Real>(row.frames)),
               fmt::format("{:.5f}", row.largest_step), fixed(row.posture, 4),
               fixed(row.cold_posture, 4), fixed(row.us, 2), fixed(row.cold_us, 2)});
  }
  if (arguments.json)
    write_json({{"rows", rows}});
  else
    write_text(table.str() +
               fmt::format("a frame allows {:.5f} rad\n", sweeps.tracker.speed / sweeps.rate));
  return exit_reached;
}

}  // namespace

Verb add_eval_track(CLI::App& eval) {
  const auto arguments = std::make_shared<TrackArguments>();
  CLI::App* command =
      eval.add_subcommand("track", "how the tracker follows a gaze, frame by frame");
  add_text(*command, "--skeleton", arguments->skeletons,
           {"NAME,...", "What", "chains of hinges (default C,E,F,G)"});
  add_text(*command, "--sweeps", arguments->sweeps, {"N", "What", "gazes of 9 s (default 200)"});
  add_text(*command, "--rate", arguments->rate, {"HZ", "What", "frames per second (default 60)"});
  add_text(*command, "--speed", arguments->speed,
           {"R", "What", "radians per second that no joint exceeds (default 4)"});
  add_text(*command, "--ahead", arguments->ahead,
           {"S", "What", "seconds of the target's future that are known (default 0)"});
  command->add_flag("--json", arguments->json, "one JSON object on standard output")
      ->group("Output");
  command->footer(
      "In each sweep the end goes from one random orientation to another while a random posture "
      "is\n"
      "to be kept; all but the times is the same in every run. re-poses: per sweep; met: frames "
      "that\n"
      "meet the goal; largest step: of a joint in a frame, radians; posture: mean of 1 - cos of "
      "what\n"
      "the joints between the ends are off. (cold): the same frames solved one by one by poise.\n\n"
      "Example: gestik eval track --skeleton C --sweeps 50");
  return {command, [arguments] { return eval_track(*arguments); }};
}

}  // namespace gestik::tool
