// Eight numbers at once. Included by the two sources that compile the kernel, each with its own
// GESTIK_POISE_PATH, so that the linker never takes one path's functions for the other's. For the
// same reason nothing here comes from the standard library's templates.
//
// Every operation is exact by the IEEE standard or made of such ones in a fixed order, and none is
// ever fused with another, so all paths give the same bits.

#ifndef GESTIK_POISE_PATH
#error "lanes.h belongs to the sources of the kernel"
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstdint>

#include "gestik/solve/poise/kernel.h"

#if defined(__GNUC__)
#define GESTIK_INLINE inline __attribute__((always_inline))
#else
#define GESTIK_INLINE inline
#endif

namespace gestik::poise::GESTIK_POISE_PATH {

#if defined(__GNUC__)

typedef float Raw __attribute__((vector_size(32)));
typedef std::int32_t RawInt __attribute__((vector_size(32)));

struct Mask {
  RawInt raw;
};

struct Lanes {
  Raw raw;
  Lanes() = default;
  GESTIK_INLINE Lanes(Raw r) : raw(r) {}
  GESTIK_INLINE Lanes(float x) : raw(Raw{x, x, x, x, x, x, x, x}) {}
};

GESTIK_INLINE Lanes operator+(Lanes a, Lanes b) {
  return a.raw + b.raw;
}
GESTIK_INLINE Lanes operator-(Lanes a, Lanes b) {
  return a.raw - b.raw;
}
GESTIK_INLINE Lanes operator*(Lanes a, Lanes b) {
  return a.raw * b.raw;
}
GESTIK_INLINE Lanes operator/(Lanes a, Lanes b) {
  return a.raw / b.raw;
}
GESTIK_INLINE Lanes operator-(Lanes a) {
  return -a.raw;
}
GESTIK_INLINE Mask operator<(Lanes a, Lanes b) {
  return {a.raw < b.raw};
}
GESTIK_INLINE Mask operator>(Lanes a, Lanes b) {
  return {a.raw > b.raw};
}
GESTIK_INLINE Mask operator<=(Lanes a, Lanes b) {
  return {a.raw <= b.raw};
}
GESTIK_INLINE Mask operator==(Lanes a, Lanes b) {
  return {a.raw == b.raw};
}
GESTIK_INLINE Mask operator|(Mask a, Mask b) {
  return {a.raw | b.raw};
}
GESTIK_INLINE Mask operator&(Mask a, Mask b) {
  return {a.raw & b.raw};
}
GESTIK_INLINE Mask operator~(Mask a) {
  return {~a.raw};
}

GESTIK_INLINE Lanes select(Mask m, Lanes yes, Lanes no) {
#if defined(__AVX2__)
  return (Raw)_mm256_blendv_ps((__m256)no.raw, (__m256)yes.raw, (__m256)m.raw);
#else
  return (Raw)((m.raw & (RawInt)yes.raw) | (~m.raw & (RawInt)no.raw));
#endif
}

/// Bit i is set where lane i is.
GESTIK_INLINE unsigned bits(Mask m) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps((__m256)m.raw));
#else
  unsigned all = 0;
  for (int i = 0; i < 8; ++i) all |= (static_cast<unsigned>(m.raw[i]) & 1u) << i;
  return all;
#endif
}

/// The mask of such bits.
GESTIK_INLINE Mask mask_of(unsigned bits) {
  const RawInt bit{1, 2, 4, 8, 16, 32, 64, 128};
  return {((static_cast<std::int32_t>(bits) - RawInt{}) & bit) == bit};
}

GESTIK_INLINE bool any(Mask m) {
#if defined(__AVX2__)
  return _mm256_movemask_ps((__m256)m.raw) != 0;
#else
  std::int32_t all = 0;
  for (int i = 0; i < 8; ++i) all |= m.raw[i];
  return all != 0;
#endif
}

/// Every lane gets what the one before it has, the first what the last has.
GESTIK_INLINE Raw turned_on(Raw a) {
  return __builtin_shufflevector(a, a, 7, 0, 1, 2, 3, 4, 5, 6);
}
GESTIK_INLINE RawInt turned_on(RawInt a) {
  return __builtin_shufflevector(a, a, 7, 0, 1, 2, 3, 4, 5, 6);
}

/// Every lane gets what the lane has that its index names.
GESTIK_INLINE Lanes permuted(Lanes a, RawInt index) {
#if defined(__AVX2__)
  return (Raw)_mm256_permutevar8x32_ps((__m256)a.raw, (__m256i)index);
#else
  Raw result;
  for (int i = 0; i < 8; ++i) result[i] = a.raw[index[i]];
  return result;
#endif
}

GESTIK_INLINE Lanes abs(Lanes a) {
  return (Raw)((RawInt)a.raw & 0x7fffffff);
}
GESTIK_INLINE Lanes with_sign_of(Lanes size, Lanes sign) {
  return (Raw)(((RawInt)size.raw & 0x7fffffff) |
               ((RawInt)sign.raw & static_cast<std::int32_t>(0x80000000u)));
}

/// The lower (higher) of two; b where a is not a number.
GESTIK_INLINE Lanes min(Lanes a, Lanes b) {
#if defined(__AVX2__)
  return (Raw)_mm256_min_ps((__m256)a.raw, (__m256)b.raw);
#else
  return select(a < b, a, b);
#endif
}
GESTIK_INLINE Lanes max(Lanes a, Lanes b) {
#if defined(__AVX2__)
  return (Raw)_mm256_max_ps((__m256)a.raw, (__m256)b.raw);
#else
  return select(a > b, a, b);
#endif
}

GESTIK_INLINE Lanes sqrt(Lanes a) {
#if defined(__AVX2__)
  return (Raw)_mm256_sqrt_ps((__m256)a.raw);
#elif defined(__SSE2__)
  union {
    Raw raw;
    __m128 half[2];
  } u{a.raw};
  u.half[0] = _mm_sqrt_ps(u.half[0]);
  u.half[1] = _mm_sqrt_ps(u.half[1]);
  return u.raw;
#else
  for (int i = 0; i < 8; ++i) a.raw[i] = __builtin_sqrtf(a.raw[i]);
  return a;
#endif
}

GESTIK_INLINE Lanes load(const Float8& from) {
  Lanes a;
  __builtin_memcpy(&a.raw, from.at, sizeof(Raw));
  return a;
}
GESTIK_INLINE void store(Lanes a, Float8& to) {
  __builtin_memcpy(to.at, &a.raw, sizeof(Raw));
}

GESTIK_INLINE float lowest(const Float8& cell) {
  float least = cell.at[0];
  for (int i = 1; i < lanes; ++i) least = cell.at[i] < least ? cell.at[i] : least;
  return least;
}

/// The sign of a is turned where that of b is negative.
GESTIK_INLINE Lanes with_turned_sign(Lanes a, Lanes b) {
  return (Raw)((RawInt)a.raw ^ ((RawInt)b.raw & static_cast<std::int32_t>(0x80000000u)));
}

/// The sign of a is turned where the lowest bit of k's integer is set.
GESTIK_INLINE Lanes turned_by(Lanes a, RawInt k) {
  return (Raw)((RawInt)a.raw ^ (k << 31));
}

#endif

// sin(x) and cos(x) for |x| up to some turns: x = k pi + r with r in [-pi/2, pi/2], and (-1)^k. The
// polynomials of r^2 interpolate at Chebyshev's points, to 3e-8 (sine) and 4e-9 (cosine).
GESTIK_INLINE void sincos(Lanes x, Lanes& sine, Lanes& cosine) {
  const Lanes shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
  const Lanes shifted = x * Lanes(0.318309886f) + shift;
  const Lanes k = shifted - shift;
  const Lanes r = (x - k * Lanes(3.140625f)) - k * Lanes(9.67653589793e-4f);
  const Lanes z = r * r;
  const Lanes s = r + r * z *
                          ((Lanes(-0.16666665961f) + z * Lanes(0.008333241864f)) +
                           z * z * (Lanes(-1.9822702937e-4f) + z * Lanes(2.6346380339e-6f)));
  const Lanes c = (Lanes(1.0f) - Lanes(0.5f) * z) +
                  z * z *
                      ((Lanes(0.041666666076f) + z * Lanes(-0.0013888812324f)) +
                       z * z * (Lanes(2.4786051793e-5f) + z * Lanes(-2.6545073313e-7f)));
  const RawInt bit = (RawInt)shifted.raw;
  sine = turned_by(s, bit);
  cosine = turned_by(c, bit);
}

template <class Link>
GESTIK_INLINE void sincos_of_halves(const Float8* angles, int n, Link* links) {
  for (int k = 0; k < n; ++k) {
    Lanes sine, cosine;
    sincos(load(angles[k]) * Lanes(0.5f), sine, cosine);
    store(sine, links[k].sine);
    store(cosine, links[k].cosine);
  }
}

/// The whole number that is not below; for numbers up to some millions.
GESTIK_INLINE Lanes rounded_up(Lanes x) {
  const Lanes shift = 12582912.0f;
  const Lanes nearest = (x + shift) - shift;
  return nearest + select(nearest < x, Lanes(1), Lanes(0));
}

// atan(t) on [0, 1] to 6e-8, then the octants.
GESTIK_INLINE Lanes atan2(Lanes y, Lanes x) {
  const Lanes ax = abs(x), ay = abs(y);
  const Lanes high = max(ax, ay);
  const Lanes t = min(ax, ay) / max(high, Lanes(1e-30f));
  const Lanes z = t * t, zz = z * z;
  const Lanes p = (Lanes(-0.333333231f) + z * Lanes(0.1999868117f)) +
                  zz * ((Lanes(-0.1425704493f) + z * Lanes(0.1086575909f)) +
                        zz * ((Lanes(-0.0800968172f) + z * Lanes(0.0489143216f)) +
                              zz * (Lanes(-0.0200267477f) + z * Lanes(0.0038667389f))));
  Lanes a = t + t * z * p;
  a = select(ay > ax, Lanes(1.570796327f) - a, a);
  a = select(x < Lanes(0.0f), Lanes(3.141592654f) - a, a);
  return with_sign_of(a, y);
}

}  // namespace gestik::poise::GESTIK_POISE_PATH
