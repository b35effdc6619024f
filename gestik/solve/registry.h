#pragma once

#include <variant>

#include "gestik/solve/ccd/ccd.h"
#include "gestik/solve/chain/chain.h"
#include "gestik/solve/lm/lm.h"

namespace gestik {

/// The one list of solvers. Adding one here puts it on the command line, into the law tests, the
/// benchmarks, the bindings and the studio.
using AnySolver = std::variant<Ccd, Lm, Chain>;

}  // namespace gestik
