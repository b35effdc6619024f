#include "gestik/math/eigen4.h"

#include <gtest/gtest.h>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

Real defect(const Mat4& m, Real top) {
  const Vec4 v = top_eigenvector(m);
  return std::max(std::abs(v.norm() - 1), (m * v - top * v).norm() / std::max(1.0, m.norm()));
}

TEST(TopEigenvector, OfKnownSpectra) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    Mat4 axes = Mat4::Identity();  // a product of reflections is orthogonal
    for (int k = 0; k < 4; ++k) {
      Vec4 n;
      for (int c = 0; c < 4; ++c) n[c] = random.uniform(-1, 1);
      axes = axes - 2 * n * (n.transpose() * axes) / n.squaredNorm();
    }
    Vec4 values;
    for (int c = 0; c < 4; ++c) values[c] = random.any_size(1e-6, 1e6);
    if (random.chance(0.3)) values[1] = values[0];
    const Mat4 m = axes * values.asDiagonal() * axes.transpose();
    const Mat4 symmetric = (m + m.transpose()) / 2;
    EXPECT_LT(defect(symmetric, values.maxCoeff()), 1e-14) << values.transpose();
  }
}

TEST(TopEigenvector, OfSimpleMatrices) {
  EXPECT_LT(defect(Mat4::Zero(), 0), 1e-15);
  EXPECT_LT(defect(Mat4::Identity(), 1), 1e-15);
  EXPECT_LT(defect(Mat4::Ones(), 4), 1e-15);
  EXPECT_LT(defect(-Mat4::Ones(), 0), 1e-15);
}

}  // namespace
}  // namespace gestik
