#pragma once

#include "gestik/math/types.h"

namespace gestik {

/// Solves A x = b for a symmetric, positive definite A, whose upper triangle is given row by row
/// and is overwritten; b becomes x. The size is a multiple of three: goals have three rows. A Size
/// above 0 must be `size`: the loops then unroll.
///
/// A = L D L^T without square roots, three rows at a time: the part of A that is left after them
/// loses three outer products in one pass. b goes along as one more column.
template <int Size = 0>
inline void solve_ldlt(Real* a, Real* b, int size) noexcept {
  const int n = Size > 0 ? Size : size;
#pragma GCC unroll 6
  for (int j = 0; j < n; j += 3) {
    Real* const row0 = a + j * n;
    Real* const row1 = row0 + n;
    Real* const row2 = row1 + n;
    const Real inverse0 = 1 / row0[j];
    const Real f01 = row0[j + 1] * inverse0, f02 = row0[j + 2] * inverse0;
#pragma GCC unroll 6
    for (int k = j + 1; k < n; ++k) row1[k] -= f01 * row0[k];
    const Real inverse1 = 1 / row1[j + 1], f12 = row1[j + 2] * inverse1;
#pragma GCC unroll 6
    for (int k = j + 2; k < n; ++k) row2[k] -= f02 * row0[k] + f12 * row1[k];
    const Real inverse2 = 1 / row2[j + 2];
    b[j + 1] -= f01 * b[j];
    b[j + 2] -= f02 * b[j] + f12 * b[j + 1];
#pragma GCC unroll 6
    for (int i = j + 3; i < n; ++i) {
      const Real f0 = row0[i] * inverse0, f1 = row1[i] * inverse1, f2 = row2[i] * inverse2;
      Real* const target = a + i * n;
#pragma GCC unroll 6
      for (int k = i; k < n; ++k) target[k] -= f0 * row0[k] + f1 * row1[k] + f2 * row2[k];
      b[i] -= f0 * b[j] + f1 * b[j + 1] + f2 * b[j + 2];
    }
    row0[j] = inverse0;
    row1[j + 1] = inverse1;
    row2[j + 2] = inverse2;
  }
#pragma GCC unroll 6
  for (int j = n - 1; j >= 0; --j) {
    const Real* const row = a + j * n;
    Real rest = b[j];
#pragma GCC unroll 6
    for (int i = n - 1; i > j; --i) rest -= row[i] * b[i];  // what is known last comes last
    b[j] = rest * row[j];
  }
}

}  // namespace gestik
