#include "gestik/math/ldlt.h"

#include <gtest/gtest.h>

#include "gestik/math/matrix.h"
#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

/// J J^T + damping, with fewer columns than rows now and then.
Matrix random_matrix(Random& random, int size) {
  Matrix j(size, 1 + random.index(2 * size));
  for (Real& x : j.reshaped()) x = random.uniform(-1, 1);
  return j * j.transpose() + 1e-3 * Matrix::Identity(size, size);
}

template <int Size>
void expect_solved(Random& random, int size) {
  using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix a = random_matrix(random, size);
  Vector b(size);
  for (Real& x : b) x = random.uniform(-1, 1);
  RowMajor work = a.triangularView<Eigen::Upper>();
  Vector x = b;
  solve_ldlt<Size>(work.data(), x.data(), size);
  EXPECT_LT((a * x - b).norm(), 1e-9) << size;
}

TEST(Ldlt, SolvesFromTheUpperTriangleAlone) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    for (int size = 3; size < 20; size += 3) expect_solved<0>(random, size);
    expect_solved<3>(random, 3);
    expect_solved<6>(random, 6);
  }
}

}  // namespace
}  // namespace gestik
