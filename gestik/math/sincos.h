#pragma once

#include <span>

#include "gestik/math/types.h"

namespace gestik {

/// Sine and cosine of many angles at once, each within 1.5 units in the last place of the exact
/// value (2.1 beyond 100 radians): a branch-free polynomial that the compiler turns into vector
/// code on every target without special flags, and the same bits on all of them, whatever the other
/// angles. The outputs must be as long as the input and must not overlap it.
void sincos(std::span<const Real> angles, std::span<Real> sines, std::span<Real> cosines) noexcept;

}  // namespace gestik
