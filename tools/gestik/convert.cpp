#include <fmt/format.h>

#include <memory>

#include "gestik/base/suggest.h"
#include "gestik/io/bvh.h"
#include "gestik/io/gestik_json.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct ConvertArguments {
  CharacterArgument in;
  std::string out;
  OptionText clip;
};

enum class Format { json, bvh };

Format format_of(const std::string& out) {
  if (out == "-" || ends_with_ignoring_case(out, ".json")) return Format::json;
  if (ends_with_ignoring_case(out, ".bvh")) return Format::bvh;
  throw BadInput(fmt::format("can't tell what to write to '{}': end it in .json or .bvh", out));
}

/// All the clips, or the one that --clip names.
std::vector<Clip> chosen_clips(const Loaded& loaded, const OptionText& wanted) {
  if (!wanted) return loaded.clips;
  std::vector<std::string_view> names;
  for (const Clip& clip : loaded.clips) {
    if (clip.name == *wanted) return {clip};
    names.push_back(clip.name);
  }
  throw BadInput(fmt::format("no clip is called '{}'{} (there is {})", *wanted,
                             did_you_mean(*wanted, names), names.empty() ? "none" : listed(names)));
}

/// One frame of the neutral pose, for characters that came without motion.
Clip still(const Skeleton& skeleton) {
  constexpr Real usual_rate = 30;
  Clip clip = clip_for(skeleton, "neutral", usual_rate);
  clip.values.assign(skeleton.neutral().begin(), skeleton.neutral().end());
  return clip;
}

std::string or_refuse(Result<std::string> text) {
  if (!text) throw BadInput(to_string(text.error()));
  return *std::move(text);
}

std::string bvh_text(const Loaded& loaded, const ConvertArguments& arguments) {
  const Character& character = loaded.character;
  std::vector<Clip> clips = chosen_clips(loaded, arguments.clip);
  if (clips.size() > 1) throw BadInput("a BVH file holds one clip; choose one with --clip");
  if (clips.empty()) clips.push_back(still(character.skeleton));
  return or_refuse(write_bvh(character, clips.front(), parse_unit(arguments.in)));
}

std::string converted(const Loaded& loaded, const ConvertArguments& arguments) {
  switch (format_of(arguments.out)) {
    case Format::json:
      return or_refuse(write_gestik_json(loaded.character, chosen_clips(loaded, arguments.clip)));
    case Format::bvh:
      return bvh_text(loaded, arguments);
  }
  return {};
}

/// What is written must be readable again before it may replace anything.
void check_readable(const std::string& text, const std::string& out) {
  const Result<Loaded> again =
      format_of(out) == Format::json ? read_gestik_json(text, out) : read_bvh(text, out);
  if (!again)
    throw BadInput(fmt::format("nothing was written, for it would not read again: {}",
                               to_string(again.error())));
}

/// --unit may be meant for what is written only.
CharacterArgument reading(const ConvertArguments& arguments) {
  CharacterArgument in = arguments.in;
  const Format out = format_of(arguments.out);  // refused before a large file is read
  if (out == Format::bvh && !ends_with_ignoring_case(in.name, ".bvh")) in.unit.reset();
  return in;
}

ExitCode convert_verb(const ConvertArguments& arguments) {
  if (arguments.out.empty())
    throw BadInput("convert needs a file to read and one to write; see gestik convert --help");
  const Loaded loaded = load(reading(arguments));
  const std::string text = converted(loaded, arguments);
  check_readable(text, arguments.out);
  print_notes(loaded.warnings, arguments.in.quiet);
  const bool loses = format_of(arguments.out) == Format::bvh &&
                     !ends_with_ignoring_case(arguments.in.name, ".bvh");
  if (loses && !arguments.in.quiet)
    note("a BVH holds bones and motion only: limits, postures and joint types stay behind");
  if (arguments.out == "-") {
    write_text(text);
    return exit_reached;
  }
  if (const std::optional<Error> fault = write_file(arguments.out, text))
    throw BadInput(to_string(*fault));
  const Skeleton& skeleton = loaded.character.skeleton;
  write_text(fmt::format("wrote {}: {} joints, {} degrees of freedom\n", printable(arguments.out),
                         skeleton.joint_count(), skeleton.v_size()));
  return exit_reached;
}

}  // namespace

Verb add_convert(CLI::App& tool) {
  const auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = tool.add_subcommand("convert", "any character file to gestik JSON or to BVH");
  command->add_option("IN", arguments->in.name, "a bundled name or a .json, .urdf or .bvh file")
      ->type_name(" ");
  command
      ->add_option("OUT", arguments->out,
                   "a .json or .bvh file, written whole or not at all; - prints JSON")
      ->type_name(" ");
  add_read_options(*command, arguments->in);
  add_text(*command, "--clip", arguments->clip,
           {"NAME", "Writing", "only this clip (default: all; a BVH holds one)"});
  command->footer(
      "--unit holds for a BVH on either side. A character without motion becomes a BVH of one\n"
      "frame, its neutral pose.\n\n"
      "Example: gestik convert walk.bvh walk.json --unit 0.01");
  return {command, [arguments] { return convert_verb(*arguments); }};
}

}  // namespace gestik::tool
