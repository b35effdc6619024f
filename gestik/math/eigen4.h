#pragma once

#include "gestik/math/types.h"

namespace gestik {

using Vec4 = Eigen::Matrix<Real, 4, 1, Eigen::DontAlign>;
using Mat4 = Eigen::Matrix<Real, 4, 4, Eigen::DontAlign>;

/// A unit eigenvector of a symmetric matrix for its largest eigenvalue (any one of them where
/// several are equal), always the same for the same matrix. The matrix must be finite.
Vec4 top_eigenvector(const Mat4& symmetric) noexcept;

}  // namespace gestik
