#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/gestik/arguments.h"

namespace gestik::tool {

/// Clips for a character: its own, or those of another file.
struct ClipArgument {
  std::string file;
  OptionText clip;
};

/// Adds the argument CLIP and the option --clip.
void add_clip(CLI::App&, ClipArgument&);

/// The character with the clips that were asked for, at least one; all of them fit its skeleton,
/// have frames, and a rate at which something can be said of their motion.
Loaded load_with_clips(const CharacterArgument&, const ClipArgument&);

/// The clip of this name, or all of them if none was asked for.
std::vector<Clip> chosen_clips(std::vector<Clip>, const OptionText& wanted);

}  // namespace gestik::tool
