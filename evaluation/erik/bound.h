#pragma once

#include "gestik/solve/problem.h"

namespace gestik::evaluation::erik {

/// The best pose that a great many starts lead to, by the paper's measure: how low the error of any
/// solver could be, as far as is known. Takes milliseconds. For an orient goal on a chain of at
/// most 64 hinges, with a posture; other problems are unsupported.
Report best_known(const Problem&, Q out);

}  // namespace gestik::evaluation::erik
