#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/model/character.h"
#include "gestik/model/clip.h"

/// Readers: bytes in, a Character (and Clip) or an Error out that says file, line and what to do.
/// They never crash, never loop, and never trust a size in the file. `file` is only a name for
/// messages.
namespace gestik {

/// What a file turned out to hold.
struct Loaded {
  Character character;
  std::vector<Clip> clips = {};            ///< motion that came along, fitting the character
  std::vector<std::string> warnings = {};  ///< what was kept as data only or passed over, in words
};

struct BvhOptions {
  Real unit = 1;  ///< metres per unit of the file's lengths
  /// Joints (or "*" for all) whose three rotation channels become three hinges in the file's order
  /// instead of one ball joint. Joints with fewer rotation channels are always hinges.
  std::vector<std::string> hinges;
};

struct ReadOptions {
  BvhOptions bvh;
};

/// A character file of any kind we know, by its ending: .json, .urdf, .bvh, .glb, .gltf (upper or
/// lower case).
Result<Loaded> read_character_file(const std::string& path, const ReadOptions& = {});

/// The same for bytes that came another way; `file` tells the kind.
Result<Loaded> read_character(std::string_view bytes, std::string_view file,
                              const ReadOptions& = {});

/// The characters built into the library, and their names in order.
Result<Loaded> bundled_character(std::string_view name);
std::vector<std::string_view> bundled_character_names();

/// The whole of a file, or why it can't be read (missing, a folder, too large).
Result<std::string> read_file(const std::string& path);

/// Writes a file whole or not at all: to a neighbour first, then renamed over it.
std::optional<Error> write_file(const std::string& path, std::string_view contents);

}  // namespace gestik
