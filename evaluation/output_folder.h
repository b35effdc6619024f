#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gestik/base/result.h"

namespace gestik::evaluation {

/// Makes the folder with its parents and tries whether files can be written there: a long run
/// should hear that before it starts, not after it ends.
std::optional<Error> prepare_folder(const std::string& path);

/// Files of these names in the folder, each whole or not at all. One that can't be written keeps
/// none of the others away; the first fault comes back.
struct NamedText {
  std::string name, text;
};
std::optional<Error> write_files(const std::string& folder, const std::vector<NamedText>&);

}  // namespace gestik::evaluation
