#pragma once

#include "gestik/base/scratch.h"
#include "gestik/math/types.h"

namespace gestik {

using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatrixMap = Eigen::Map<Matrix>;
using VectorMap = Eigen::Map<Vector>;

/// A matrix or vector in scratch memory, not initialised.
inline MatrixMap take_matrix(Scratch& scratch, Eigen::Index rows, Eigen::Index cols) noexcept {
  return {scratch.take<Real>(static_cast<std::size_t>(rows * cols)).data(), rows, cols};
}
inline VectorMap take_vector(Scratch& scratch, Eigen::Index size) noexcept {
  return {scratch.take<Real>(static_cast<std::size_t>(size)).data(), size};
}

}  // namespace gestik
