#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/types.h"

namespace gestik {

/// The angle of the vector (x, y) in [-pi, pi], as std::atan2, within 2.5 units in the last place:
/// without a branch that random vectors could mislead, inlined so that several run side by side,
/// and with the same bits on every machine.
//
// The smaller of |x| and |y| over the larger is the tangent t of an angle up to pi/4. Beyond pi/8
// it is taken from pi/4 instead: tan(a - pi/4) = (t - 1) / (t + 1). Either way |t| is at most
// tan(pi/8), where a polynomial gives atan(t) / t = 1 + t^2 P(t^2) to 7e-18 (interpolation in
// Chebyshev's nodes). What is left is to add or take away from a multiple of pi/4, which is kept in
// two parts.
inline Real arc_tangent(Real y, Real x) noexcept {
  struct Octant {
    Real high, low, sign;
  };
  constexpr Real quarter = 0x1.921fb54442d18p-1, quarter_low = 0x1.1a62633145c07p-55;
  constexpr Real three = 0x1.2d97c7f3321d2p+1, three_low = 0x1.a79394c9e8a0ap-54;
  // By: beyond pi/8, then twice whether |y| is the larger, then four times whether x is below zero.
  static constexpr std::array<Octant, 8> octants{{{0, 0, 1},
                                                  {quarter, quarter_low, 1},
                                                  {2 * quarter, 2 * quarter_low, -1},
                                                  {quarter, quarter_low, -1},
                                                  {4 * quarter, 4 * quarter_low, -1},
                                                  {three, three_low, -1},
                                                  {2 * quarter, 2 * quarter_low, 1},
                                                  {three, three_low, 1}}};
  const Real width = std::abs(x), height = std::abs(y);
  const Real large = std::max(width, height), small = std::min(width, height);
  // Zero, what might overflow or lose bits on the way, and what is no number.
  const Real size = width + height;
  if (!(size > 1e-290 && size < 1e290)) return std::atan2(y, x);
  const bool beyond = small > 0x1.a827999fcef32p-2 * large;
  const Real one = static_cast<Real>(beyond);
  const Octant& octant =
      octants[static_cast<std::size_t>(beyond) + 2 * static_cast<std::size_t>(height > width) +
              4 * static_cast<std::size_t>(std::signbit(x))];
  const Real t = (small - one * large) / (large + one * small);
  const Real u = t * t, u2 = u * u, u4 = u2 * u2;
  const Real p01 = -0x1.5555555555555p-2 + u * 0x1.999999999934ap-3;
  const Real p23 = -0x1.24924924360cbp-3 + u * 0x1.c71c7185314cbp-4;
  const Real p45 = -0x1.745d0b26b83e7p-4 + u * 0x1.3b1262d95579ep-4;
  const Real p67 = -0x1.10fa75382537fp-4 + u * 0x1.dfe61e80903d2p-5;
  const Real p89 = -0x1.a098bb6ba4941p-5 + u * 0x1.41603647c7a7cp-5;
  const Real p10 = -0x1.3a2b7a07caea9p-6;
  const Real p = (p01 + u2 * p23) + u4 * ((p45 + u2 * p67) + u4 * (p89 + u2 * p10));
  const Real angle = t + t * u * p;
  return std::copysign(octant.high + (octant.low + octant.sign * angle), y);
}

}  // namespace gestik
