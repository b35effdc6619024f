#include "gestik/motion/check.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "tools/gestik/clip_arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct CheckArguments {
  CharacterArgument character;
  ClipArgument clips;
  bool json = false;
};

struct Checked {
  Clip clip;
  MotionCheck found;
};

std::string unit_of(JointType type, MotionLimit limit) {
  constexpr std::array<std::string_view, 4> per{"", "/s", "/s²", "/s³"};
  return fmt::format("{}{}", type == JointType::slider ? "m" : "rad",
                     per[static_cast<std::size_t>(limit)]);
}

/// "3-5, 8, 10-40"; long lists are cut short.
std::string frames_text(const std::vector<int>& frames) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < frames.size();) {
    std::size_t last = i;
    while (last + 1 < frames.size() && frames[last + 1] == frames[last] + 1) ++last;
    parts.push_back(i == last ? fmt::format("{}", frames[i])
                              : fmt::format("{}-{}", frames[i], frames[last]));
    i = last + 1;
  }
  constexpr std::size_t most = 6;
  const std::size_t shown = std::min(parts.size(), most);
  std::string text = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + shown, ", "));
  if (shown < parts.size()) text += ", ...";
  return text;
}

/// One row for each joint and limit that is broken: where, and the worst of it.
std::string breaches_text(const MotionCheck& found, const Skeleton& skeleton) {
  struct Row {
    std::vector<int> frames;
    Breach worst;
  };
  std::map<std::pair<JointId, MotionLimit>, Row> rows;
  for (const Breach& breach : found.breaches) {
    Row& row = rows[{breach.joint, breach.limit}];
    row.frames.push_back(breach.frame);
    if (breach.value > row.worst.value) row.worst = breach;
  }
  using enum Table::Align;
  Table table({left, left, right, right, right, left});
  table.add({"joint", "breaks", "worst", "limit", "at frame", "in frames"});
  for (const auto& [key, row] : rows) {
    const auto& [joint, limit] = key;
    const std::string unit = unit_of(skeleton.type(joint), limit);
    table.add({skeleton.name(joint), std::string(to_string(limit)),
               fmt::format("{:.4g} {}{}", row.worst.value, unit,
                           limit == MotionLimit::range ? " outside" : ""),
               limit == MotionLimit::range ? "" : fmt::format("{:.4g}", row.worst.most),
               fmt::format("{}", row.worst.frame), frames_text(row.frames)});
  }
  return table.str("  ");
}

std::string checked_text(const Checked& checked, const Character& character) {
  const auto& [clip, found] = checked;
  std::string text =
      fmt::format("{}, {}: {} frames at {:.4g} per second, {:.4g} s\n", printable(character.name),
                  clip.name.empty() ? "a clip" : printable(clip.name), clip.frame_count(),
                  clip.rate, clip.duration());
  if (found.breaches.empty()) return text + "safe: range, velocity, acceleration and jerk hold\n";
  text += breaches_text(found, character.skeleton);
  if (found.stretch > 1)
    text += fmt::format(
        "played {:.4g} times as slow ({:.4g} s, {:.4g} frames per second) velocity, acceleration "
        "and "
        "jerk hold\n",
        found.stretch, clip.duration() * found.stretch, clip.rate / found.stretch);
  if (!found.range_kept) text += "a range is left: no slowing down mends that, only other frames\n";
  return text;
}

Json checked_json(const Checked& checked, const Skeleton& skeleton) {
  const auto& [clip, found] = checked;
  Json breaches = Json::array();
  for (const Breach& breach : found.breaches)
    breaches.push_back({{"frame", breach.frame},
                        {"joint", skeleton.name(breach.joint)},
                        {"limit", to_string(breach.limit)},
                        {"value", breach.value},
                        {"most", breach.most}});
  return {{"name", clip.name},
          {"frames", clip.frame_count()},
          {"rate", clip.rate},
          {"seconds", clip.duration()},
          {"safe", found.breaches.empty()},
          {"range_kept", found.range_kept},
          {"stretch", found.stretch},
          {"breaches", std::move(breaches)}};
}

ExitCode check_verb(const CheckArguments& arguments) {
  const Loaded loaded = load_with_clips(arguments.character, arguments.clips);
  const Character& character = loaded.character;
  print_notes(loaded.warnings, arguments.character.quiet);
  const std::vector<MotionLimits> limits = motion_limits(character);
  std::string text;
  Json list = Json::array();
  bool safe = true;
  for (const Clip& clip : loaded.clips) {
    const Checked checked{clip, check_motion(clip, character.skeleton, limits)};
    safe = safe && checked.found.breaches.empty();
    if (arguments.json)
      list.push_back(checked_json(checked, character.skeleton));
    else
      text += (text.empty() ? "" : "\n") + checked_text(checked, character);
  }
  if (arguments.json)
    write_json({{"character", character.name}, {"safe", safe}, {"clips", std::move(list)}});
  else
    write_text(text);
  return safe ? exit_reached : exit_unsafe;
}

}  // namespace

Verb add_check(CLI::App& tool) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command =
      tool.add_subcommand("check", "whether a clip stays inside what the joints can do");
  add_character(*command, arguments->character);
  add_clip(*command, arguments->clips);
  command
      ->add_flag("--json", arguments->json,
                 "one JSON object on standard output, with every frame that breaks a limit")
      ->group("Output");
  command->footer(
      "Velocities, accelerations and jerks are differences between frames; a ball's are those of\n"
      "the rotation vector from frame to frame. A breach is told at the last frame that shows it.\n"
      "Frames count from 0; there may be 0.001 to 100000 of them in a second. Joints that name\n"
      "no limits of motion have 3 rad/s or 0.5 m/s, and reach them in a tenth of a second.\n"
      "Exit codes: 0 safe, 3 some limit is broken, 2 bad input.\n\n"
      "Example: gestik check lamp clips/lamp.json --clip startle");
  return {command, [arguments] { return check_verb(*arguments); }};
}

}  // namespace gestik::tool
