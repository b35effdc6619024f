#pragma once

#include <optional>
#include <string>

#include "gestik/base/result.h"

namespace gestik::evaluation {

/// Makes the folder with its parents and tries whether files can be written there: a long run
/// should hear that before it starts, not after it ends.
std::optional<Error> prepare_folder(const std::string& path);

}  // namespace gestik::evaluation
