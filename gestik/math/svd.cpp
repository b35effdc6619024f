#include "gestik/math/svd.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gestik {
namespace {

using Eigen::Index;

/// Columns are perpendicular when the cosine between them is below this ...
constexpr Real perpendicular = 1e-15;
/// ... and nothing but rounding when they are this much shorter than the longest.
constexpr Real noise = 1e-15;

/// (x, y) := (c x - s y, s x + c y)
void rotate(Real* x, Real* y, Index size, Real c, Real s) noexcept {
  for (Index i = 0; i < size; ++i) {
    const Real xi = x[i], yi = y[i];
    x[i] = c * xi - s * yi;
    y[i] = s * xi + c * yi;
  }
}

// One-sided Jacobi (Hestenes): turn pairs of columns of W in their plane until all are
// perpendicular, and do the same to R, which starts as the identity. Then W = A R with W's columns
// sigma_i u_i, so A = U diag(sigma) R^T. For columns x, y the turn by t = tan(angle) makes them
// perpendicular when t^2 + 2 zeta t - 1 = 0, zeta = (y.y - x.x) / (2 x.y); the smaller root keeps
// the turn below 45 degrees, which makes the sweeps converge, in the end quadratically. The squared
// lengths change by -+ t x.y, and are taken afresh each sweep so that rounding does not gather.
void make_perpendicular(MatrixMap& w, MatrixMap& r, VectorMap& squared) noexcept {
  constexpr int most_sweeps = 40;
  const Index rows = w.rows(), cols = w.cols();
  bool turned = true;
  for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
    turned = false;
    Real largest = 0;
    for (Index j = 0; j < cols; ++j) {
      squared[j] = dot(&w(0, j), &w(0, j), rows);
      largest = std::max(largest, squared[j]);
    }
    const Real too_short = noise * noise * largest;
    for (Index i = 0; i + 1 < cols; ++i) {
      for (Index j = i + 1; j < cols; ++j) {
        if (std::min(squared[i], squared[j]) <= too_short) continue;
        const Real cross = dot(&w(0, i), &w(0, j), rows);
        if (std::abs(cross) <= perpendicular * std::sqrt(squared[i] * squared[j])) continue;
        const Real zeta = (squared[j] - squared[i]) / (2 * cross);
        const Real t = std::copysign(1 / (std::abs(zeta) + std::sqrt(1 + zeta * zeta)), zeta);
        const Real c = 1 / std::sqrt(1 + t * t), s = c * t;
        rotate(&w(0, i), &w(0, j), rows, c, s);
        rotate(&r(0, i), &r(0, j), cols, c, s);
        squared[i] -= t * cross;
        squared[j] += t * cross;
        turned = true;
      }
    }
  }
}

void swap_columns(MatrixMap& m, Index i, Index j) noexcept {
  std::swap_ranges(&m(0, i), &m(0, i) + m.rows(), &m(0, j));
}

void largest_first(MatrixMap& w, MatrixMap& r, VectorMap& sigma) noexcept {
  for (Index i = 0; i + 1 < sigma.size(); ++i) {
    const Index j = std::max_element(&sigma[i], sigma.data() + sigma.size()) - sigma.data();
    if (j == i) continue;
    std::swap(sigma[i], sigma[j]);
    swap_columns(w, i, j);
    swap_columns(r, i, j);
  }
}

}  // namespace

std::size_t svd_bytes(Index rows, Index cols) noexcept {
  const auto longer = static_cast<std::size_t>(std::max(rows, cols));
  const auto shorter = static_cast<std::size_t>(std::min(rows, cols));
  return Scratch::bytes_for<Real>(longer * shorter) + Scratch::bytes_for<Real>(shorter * shorter) +
         Scratch::bytes_for<Real>(shorter);
}

Svd svd(const Eigen::Ref<const Matrix>& a, Real cut, Scratch& scratch) noexcept {
  const bool lying = a.rows() < a.cols();  // its transpose has fewer columns to turn
  const Index longer = std::max(a.rows(), a.cols()), shorter = std::min(a.rows(), a.cols());
  MatrixMap w = take_matrix(scratch, longer, shorter);
  MatrixMap r = take_matrix(scratch, shorter, shorter);
  VectorMap sigma = take_vector(scratch, shorter);
  if (lying)
    w = a.transpose();
  else
    w = a;
  r.setIdentity();
  make_perpendicular(w, r, sigma);
  for (Index i = 0; i < shorter; ++i) sigma[i] = std::sqrt(dot(&w(0, i), &w(0, i), longer));
  largest_first(w, r, sigma);

  Index rank = 0;
  while (rank < shorter && sigma[rank] > std::max(cut, noise * sigma[0])) {
    w.col(rank) /= sigma[rank];
    ++rank;
  }
  if (lying) return {r, w, sigma, rank};
  return {w, r, sigma, rank};
}

// Householder: reflections H_1 ... H_r, each I - v v^T with |v|^2 = 2, that carry the directions to
// the first r unit vectors, up to sign. Their product Q has the directions (up to sign) as its
// first r columns, so the other columns of basis * Q are the basis of what is left.
MatrixMap without(MatrixMap basis, Eigen::Ref<Matrix> directions, Scratch& scratch) noexcept {
  const Scratch::Frame frame(scratch);
  VectorMap turned = take_vector(scratch, basis.rows());
  const Index size = directions.rows(), count = directions.cols();
  for (Index i = 0; i < count; ++i) {
    Real* const v = &directions(i, i);
    const Index rest = size - i;
    const Real length = std::sqrt(dot(v, v, rest));
    if (length == 0) continue;
    const Real shift = std::copysign(length, v[0]);
    v[0] += shift;
    // v.v = 2 length (length + |v_0|) with the v_0 of before: what v must be divided by to get
    // |v|^2 = 2.
    const Real scale = 1 / std::sqrt(length * std::abs(v[0]));
    for (Index k = 0; k < rest; ++k) v[k] *= scale;
    for (Index j = i + 1; j < count; ++j) {
      Real* const other = &directions(i, j);
      add_scaled(-dot(v, other, rest), v, rest, other);
    }
    turned.setZero();
    for (Index k = 0; k < rest; ++k)
      add_scaled(v[k], &basis(0, i + k), basis.rows(), turned.data());
    for (Index k = 0; k < rest; ++k)
      add_scaled(-v[k], turned.data(), basis.rows(), &basis(0, i + k));
  }
  return {basis.data() + count * basis.rows(), basis.rows(), basis.cols() - count};
}

}  // namespace gestik
