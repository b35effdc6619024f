#pragma once

#include <span>

#include "gestik/io/read.h"

namespace gestik {

class JsonReader;
class JsonValue;

/// The project's own format; docs/FORMAT.md describes it. Unknown fields are refused by name.
/// Quaternions need not be of unit length in the file: they are normalised.
Result<Loaded> read_gestik_json(std::string_view text, std::string_view file);

/// The clips of a file that has nothing else (`clips`, no `joints`), or of a character's file. They
/// must fit the skeleton.
Result<std::vector<Clip>> read_gestik_clips(std::string_view text, std::string_view file,
                                            const Skeleton&);

/// A posture as files have it, {"elbow": 0.5, "neck": [1, 0, 0, 0]}, wherever it stands: joints
/// that it does not name are neutral.
std::vector<Real> read_gestik_posture(JsonReader&, const JsonValue&, const Skeleton&);

/// The text that read_gestik_json turns into the same character, bit for bit (as long as its
/// quaternions are of unit length). Refuses what check() refuses, clips that don't fit, and names
/// that are not UTF-8.
Result<std::string> write_gestik_json(const Character&, std::span<const Clip> clips = {});

}  // namespace gestik
