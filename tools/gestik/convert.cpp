#include <fmt/format.h>

#include <memory>

#include "tools/gestik/character_output.h"
#include "tools/gestik/clip_arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct ConvertArguments {
  CharacterArgument in;
  std::string out;
  OptionText clip;
};

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
  Loaded loaded = load(reading(arguments));
  const std::string text =
      character_text(loaded.character, chosen_clips(std::move(loaded.clips), arguments.clip),
                     arguments.out, parse_unit(arguments.in));
  print_notes(loaded.warnings, arguments.in.quiet);
  note_what_stays_behind(arguments.in, arguments.out);
  if (!write_character(arguments.out, text)) return exit_reached;
  const Skeleton& skeleton = loaded.character.skeleton;
  write_text(fmt::format("wrote {}: {} joints, {} degrees of freedom\n", printable(arguments.out),
                         skeleton.joint_count(), skeleton.v_size()));
  return exit_reached;
}

}  // namespace

Verb add_convert(CLI::App& tool) {
  const auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = tool.add_subcommand("convert", "any character file to gestik JSON or to BVH");
  command
      ->add_option("IN", arguments->in.name,
                   "a bundled name or a .json, .urdf, .bvh, .glb or .gltf file")
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
