#pragma once

#include <span>
#include <string>

#include "gestik/model/character.h"
#include "gestik/model/clip.h"
#include "tools/gestik/arguments.h"

/// Writing characters and clips to files.
namespace gestik::tool {

enum class Format { json, bvh };

/// By the ending; "-" is JSON.
Format format_of(const std::string& out);

/// The file's text, which was read again before it may replace anything. A BVH holds one clip.
std::string character_text(const Character&, std::span<const Clip>, const std::string& out,
                           Real unit);

/// A note on what a BVH made of another kind of file can't hold, unless it should be quiet.
void note_what_stays_behind(const CharacterArgument& from, const std::string& out);

/// Written whole or not at all; to standard output for "-", and false then.
bool write_character(const std::string& out, const std::string& text);

}  // namespace gestik::tool
