#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "gestik/math/types.h"

namespace gestik {

struct SineCosine {
  Real sine, cosine;
};

/// Sine and cosine by a polynomial, for angles up to `largest`: a branch-free loop over it becomes
/// vector code on every target without special flags.
namespace reduced {

inline constexpr Real largest = 1e5;

// Minimax polynomials on [-pi/4, pi/4] (fdlibm's coefficients).
inline Real sine_kernel(Real r, Real r2) noexcept {
  const Real p =
      -1.66666666666666324348e-01 +
      r2 * (8.33333333332248946124e-03 +
            r2 * (-1.98412698298579493134e-04 +
                  r2 * (2.75573137070700676789e-06 +
                        r2 * (-2.50507602534068634195e-08 + r2 * 1.58969099521155010221e-10))));
  return r + r * r2 * p;
}

inline Real cosine_kernel(Real r2) noexcept {
  const Real p =
      4.16666666666666019037e-02 +
      r2 * (-1.38888888888741095749e-03 +
            r2 * (2.48015872894767294178e-05 +
                  r2 * (-2.75573143513906633035e-07 +
                        r2 * (2.08757232129817482790e-09 + r2 * -1.13596475577881948265e-11))));
  return 1 - (0.5 * r2 - r2 * r2 * p);
}

inline SineCosine sincos(Real x) noexcept {
  // pi/2 in three parts (Cody and Waite): the first two have at most 33 significant bits, so that k
  // times either is exact for every |k| < 2^20.
  constexpr Real half_pi_1 = 0x1.921fb544p+0;
  constexpr Real half_pi_2 = 0x1.0b4611a6p-34;
  constexpr Real half_pi_3 = 0x1.3198a2e037073p-69;
  constexpr Real two_over_pi = 0x1.45f306dc9c883p-1;
  // Adding 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits of the sum.
  constexpr Real round_shift = 0x1.8p+52;
  const Real shifted = x * two_over_pi + round_shift;
  const Real k = shifted - round_shift;
  const Real r = ((x - k * half_pi_1) - k * half_pi_2) - k * half_pi_3;
  const Real r2 = r * r;
  const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(shifted);
  const std::uint64_t sin_bits = std::bit_cast<std::uint64_t>(sine_kernel(r, r2));
  const std::uint64_t cos_bits = std::bit_cast<std::uint64_t>(cosine_kernel(r2));
  const std::uint64_t swap = 0 - (quadrant & 1);  // all ones in odd quadrants
  const std::uint64_t sin_sign = (quadrant & 2) << 62;
  const std::uint64_t cos_sign = ((quadrant + 1) & 2) << 62;
  const std::uint64_t difference = (sin_bits ^ cos_bits) & swap;
  return {std::bit_cast<Real>((sin_bits ^ difference) ^ sin_sign),
          std::bit_cast<Real>((cos_bits ^ difference) ^ cos_sign)};
}

}  // namespace reduced

/// Sine and cosine of an angle, each within 1.5 units in the last place of the exact value (2.1
/// beyond 100 radians): the same bits on every machine. Far-out and non-finite angles, which are
/// rare, take the library's exact reduction.
inline SineCosine sincos(Real angle) noexcept {
  if (!(std::abs(angle) <= reduced::largest)) return {std::sin(angle), std::cos(angle)};
  return reduced::sincos(angle);
}

/// The same of many angles at once, each with the bits that it has alone. The outputs must be as
/// long as the input and must not overlap it.
void sincos(std::span<const Real> angles, std::span<Real> sines, std::span<Real> cosines) noexcept;

}  // namespace gestik
