#pragma once

#include "gestik/solve/problem.h"

namespace gestik {

/// Bends every turning joint on the way to a goal by at most `angle`, inside its limits. A chain
/// stretched out towards its target can't see which way to fold, and joints that sit on their
/// limits may block each other: this gets them out. Round 0 bends to alternate sides; each later
/// round is another spread of sizes and directions, always the same for the same round.
void kick(const Problem&, Real angle, int round, Q q) noexcept;

}  // namespace gestik
