#pragma once

#include "gestik/io/read.h"

namespace gestik {

/// The project's own format; docs/FORMAT.md describes it. Unknown fields are refused by name.
Result<Loaded> read_gestik_json(std::string_view text, std::string_view file);

/// The text that read_gestik_json turns into the same character, bit for bit.
std::string write_gestik_json(const Character&, std::span<const Clip> clips = {});

}  // namespace gestik
