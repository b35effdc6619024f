#include "tools/gestik/character_output.h"

#include <fmt/format.h>

#include "gestik/io/bvh.h"
#include "gestik/io/gestik_json.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

std::string or_refuse(Result<std::string> text) {
  if (!text) throw BadInput(to_string(text.error()));
  return *std::move(text);
}

/// One frame of the neutral pose, for characters that came without motion.
Clip still(const Skeleton& skeleton) {
  constexpr Real usual_rate = 30;
  Clip clip = clip_for(skeleton, "neutral", usual_rate);
  clip.values.assign(skeleton.neutral().begin(), skeleton.neutral().end());
  return clip;
}

std::string text_of(const Character& character, std::span<const Clip> clips, Format format,
                    Real unit) {
  if (format == Format::json) return or_refuse(write_gestik_json(character, clips));
  if (clips.size() > 1) throw BadInput("a BVH file holds one clip; choose one with --clip");
  return or_refuse(
      write_bvh(character, clips.empty() ? still(character.skeleton) : clips.front(), unit));
}

}  // namespace

Format format_of(const std::string& out) {
  if (out == "-" || ends_with_ignoring_case(out, ".json")) return Format::json;
  if (ends_with_ignoring_case(out, ".bvh")) return Format::bvh;
  throw BadInput(fmt::format("can't tell what to write to '{}': end it in .json or .bvh", out));
}

std::string character_text(const Character& character, std::span<const Clip> clips,
                           const std::string& out, Real unit) {
  const Format format = format_of(out);
  std::string text = text_of(character, clips, format, unit);
  const Result<Loaded> again =
      format == Format::json ? read_gestik_json(text, out) : read_bvh(text, out);
  if (!again)
    throw BadInput(fmt::format("nothing was written, for it would not read again: {}",
                               to_string(again.error())));
  return text;
}

void note_what_stays_behind(const CharacterArgument& from, const std::string& out) {
  if (from.quiet || format_of(out) != Format::bvh || ends_with_ignoring_case(from.name, ".bvh"))
    return;
  note("a BVH holds bones and motion only: limits, postures and joint types stay behind");
}

bool write_character(const std::string& out, const std::string& text) {
  if (out == "-") {
    write_text(text);
    return false;
  }
  if (const std::optional<Error> fault = write_file(out, text)) throw CantWrite{to_string(*fault)};
  return true;
}

}  // namespace gestik::tool
