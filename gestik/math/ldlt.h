#pragma once

#include "gestik/math/types.h"

namespace gestik {

/// Solves A x = b for a symmetric, positive definite A, whose upper triangle is given row by row
/// and is overwritten; b becomes x. A Size above 0 must be `size`: the loops then unroll.
///
/// A = L D L^T without square roots. The part of A that is left after column j loses the outer
/// product of row j with itself, along rows, which vectorises; b goes along as one more column.
template <int Size = 0>
inline void solve_ldlt(Real* a, Real* b, int size) noexcept {
  const int n = Size > 0 ? Size : size;
#pragma GCC unroll 6
  for (int j = 0; j < n; ++j) {
    Real* const row = a + j * n;
    const Real inverse = 1 / row[j];
#pragma GCC unroll 6
    for (int i = j + 1; i < n; ++i) {
      const Real factor = row[i] * inverse;
      Real* const target = a + i * n;
#pragma GCC unroll 6
      for (int k = i; k < n; ++k) target[k] -= factor * row[k];
      b[i] -= factor * b[j];
    }
    row[j] = inverse;
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
