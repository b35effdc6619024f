#include "tools/gestik/clip_arguments.h"

#include <fmt/format.h>

#include "gestik/base/suggest.h"
#include "gestik/io/gestik_json.h"

namespace gestik::tool {
namespace {

std::vector<Clip> clips_of_file(const CharacterArgument& character, const std::string& file,
                                const Skeleton& skeleton) {
  if (ends_with_ignoring_case(file, ".bvh")) {
    CharacterArgument source = character;
    source.name = file;
    Loaded loaded = load(source);
    for (const Clip& clip : loaded.clips)
      if (const std::optional<Error> fault = check(clip, skeleton))
        throw BadInput(fmt::format("{}: {}", file, to_string(*fault)));
    return std::move(loaded.clips);
  }
  const Result<std::string> text = read_file(file);
  if (!text) throw BadInput(to_string(text.error()));
  Result<std::vector<Clip>> clips = read_gestik_clips(*text, file, skeleton);
  if (!clips) throw BadInput(to_string(clips.error()));
  return *std::move(clips);
}

/// Velocities and jerks are differences between frames: beyond these rates they are those of the
/// numbers' rounding, and say nothing of the motion.
void refuse_absurd(const Clip& clip) {
  constexpr Real slowest = 0.001, fastest = 100'000;
  if (clip.frame_count() == 0) throw BadInput(fmt::format("clip '{}' has no frames", clip.name));
  if (!(clip.rate >= slowest && clip.rate <= fastest))
    throw BadInput(fmt::format("clip '{}' has {:.4g} frames per second; it must be from {} to {}",
                               clip.name, clip.rate, slowest, fastest));
}

/// --unit and --bvh-hinges may be meant for the clip's file only.
CharacterArgument reading(const CharacterArgument& argument, const std::string& file) {
  CharacterArgument character = argument;
  if (ends_with_ignoring_case(file, ".bvh") && !ends_with_ignoring_case(character.name, ".bvh")) {
    character.unit.reset();
    character.hinges.reset();
  }
  return character;
}

}  // namespace

void add_clip(CLI::App& command, ClipArgument& argument) {
  command
      .add_option("CLIP", argument.file,
                  "a .json or .bvh file with clips (default: the character's own)")
      ->type_name(" ");
  add_text(command, "--clip", argument.clip, {"NAME", "What", "only this clip (default: all)"});
}

std::vector<Clip> chosen_clips(std::vector<Clip> clips, const OptionText& wanted) {
  if (!wanted) return clips;
  std::vector<std::string_view> names;
  for (Clip& clip : clips) {
    if (clip.name == *wanted) return {std::move(clip)};
    names.push_back(clip.name);
  }
  throw BadInput(fmt::format("no clip is called '{}'{} (there is {})", *wanted,
                             did_you_mean(*wanted, names), names.empty() ? "none" : listed(names)));
}

Loaded load_with_clips(const CharacterArgument& character, const ClipArgument& argument) {
  Loaded loaded = load(reading(character, argument.file));
  if (!argument.file.empty())
    loaded.clips = clips_of_file(character, argument.file, loaded.character.skeleton);
  if (loaded.clips.empty())
    throw BadInput("there is no clip; name a file that has some, such as a .bvh");
  loaded.clips = chosen_clips(std::move(loaded.clips), argument.clip);
  for (const Clip& clip : loaded.clips) refuse_absurd(clip);
  return loaded;
}

}  // namespace gestik::tool
