#pragma once

#include <array>

#include "gestik/math/matrix.h"

namespace gestik {

/// The sum of a[i] * b[i], always in the same order: Eigen's depends on where in memory the numbers
/// lie, and with it the last bits.
inline Real dot(const Real* a, const Real* b, Eigen::Index size) noexcept {
  std::array<Real, 4> sums{};
  Eigen::Index i = 0;
  for (; i + 4 <= size; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
  for (; i < size; ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// y += factor * x
inline void add_scaled(Real factor, const Real* x, Eigen::Index size, Real* y) noexcept {
  for (Eigen::Index i = 0; i < size; ++i) y[i] += factor * x[i];
}

/// A = U diag(sigma) V^T, thin: as many singular values as the shorter side of A is long, the
/// largest first. Everything lives in the scratch the decomposition was made with.
struct Svd {
  MatrixMap u;      ///< rows of A x k
  MatrixMap v;      ///< columns of A x k
  VectorMap sigma;  ///< k = min(rows, columns)
  /// How many singular values lie above the cut. Beyond them the columns of U and V are left
  /// undefined.
  Eigen::Index rank;
};

/// The singular value decomposition of a finite matrix by one-sided Jacobi rotations: precise to
/// rounding also in the small singular values, the same bits wherever the matrix lies, without heap
/// memory. Singular values of at most `cut` count as zero, and so do those that are rounding noise
/// beside the largest.
Svd svd(const Eigen::Ref<const Matrix>& a, Real cut, Scratch&) noexcept;

/// The memory svd() takes for a matrix with these sides.
std::size_t svd_bytes(Eigen::Index rows, Eigen::Index cols) noexcept;

/// Takes directions out of a space: of `basis`, whose columns are an orthonormal basis, keeps the
/// part that is perpendicular to basis * directions, in the columns that come back. `directions`
/// has orthonormal columns and is overwritten. The scratch lends a vector of basis.rows().
MatrixMap without(MatrixMap basis, Eigen::Ref<Matrix> directions, Scratch&) noexcept;

}  // namespace gestik
