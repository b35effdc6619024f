#include "gestik/math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <vector>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

using Eigen::Index;

Matrix random_matrix(Random& random, Index rows, Index cols) {
  Matrix a(rows, cols);
  for (Real& x : a.reshaped()) x = random.uniform(-1, 1);
  return a;
}

/// A matrix of this rank, its singular values spread over many sizes.
Matrix random_matrix(Random& random, Index rows, Index cols, Index rank) {
  Matrix a = Matrix::Zero(rows, cols);
  for (Index i = 0; i < rank; ++i)
    a += random.any_size(1e-4, 1e3) * random_matrix(random, rows, 1).normalized() *
         random_matrix(random, cols, 1).normalized().transpose();
  return a;
}

struct Decomposed {
  Matrix u, v;
  Vector sigma;
  Index rank;
};

Decomposed decompose(const Matrix& a, Real cut = 0) {
  Scratch scratch(svd_bytes(a.rows(), a.cols()));
  const Svd s = svd(a, cut, scratch);
  return {s.u.leftCols(s.rank), s.v.leftCols(s.rank), s.sigma, s.rank};
}

TEST(Svd, AgreesWithEigenOnMatricesOfEveryShapeAndRank) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Index rows = 1 + random.index(20), cols = 1 + random.index(20);
    const Index rank = random.index(static_cast<int>(std::min(rows, cols)) + 1);
    const Matrix a = random_matrix(random, rows, cols, rank);
    const Eigen::JacobiSVD<Matrix> theirs(a, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Real largest = std::max(theirs.singularValues()[0], 1e-300);
    const Decomposed ours = decompose(a, 1e-12 * largest);
    EXPECT_LT((ours.sigma - theirs.singularValues()).norm(), 1e-13 * largest);
    EXPECT_LE(ours.rank, rank);
    const Matrix again = ours.u * ours.sigma.head(ours.rank).asDiagonal() * ours.v.transpose();
    EXPECT_LT((again - a).norm(), 1e-11 * largest);
    const Matrix unit = Matrix::Identity(ours.rank, ours.rank);
    EXPECT_LT((ours.u.transpose() * ours.u - unit).norm(), 1e-12);
    EXPECT_LT((ours.v.transpose() * ours.v - unit).norm(), 1e-12);
  }
}

TEST(Svd, TheSmallestSingularValueIsPreciseToo) {
  Matrix a(3, 2);
  a << 1, 1, 1e-9, 0, 0, 1e-9;  // singular values sqrt(2 + 1e-18) and 1e-9
  const Decomposed s = decompose(a);
  EXPECT_NEAR(s.sigma[1] / 1e-9, 1, 1e-12);
}

TEST(Svd, TheCutDecidesWhatIsZero) {
  const Matrix a = Vector{{3, 0.1, 1e-6}}.asDiagonal();
  EXPECT_EQ(decompose(a).rank, 3);
  EXPECT_EQ(decompose(a, 1e-5).rank, 2);
  EXPECT_EQ(decompose(a, 1).rank, 1);
  EXPECT_EQ(decompose(a, 4).rank, 0);
  EXPECT_EQ(decompose(Matrix::Zero(3, 5)).rank, 0);
  EXPECT_EQ(decompose(Matrix::Zero(3, 0)).rank, 0);
}

TEST(Svd, NumbersOfAnySize) {
  Random random(2);
  for (const Real size : {1e-60, 1e-20, 1e20, 1e60}) {
    const Matrix a = size * random_matrix(random, 7, 4);
    const Decomposed s = decompose(a);
    ASSERT_EQ(s.rank, 4);
    EXPECT_LT((s.u * s.sigma.asDiagonal() * s.v.transpose() - a).norm(), 1e-13 * size);
  }
}

template <class M>
std::span<const Real> numbers(const M& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

TEST(Svd, TheSameBitsWhereverTheMatrixLies) {
  Random random(3);
  const Matrix a = random_matrix(random, 9, 6);
  const Decomposed first = decompose(a);
  std::vector<Real> memory(200);
  for (const std::size_t shift : {0, 1, 2, 3}) {
    MatrixMap moved(memory.data() + shift, 9, 6);
    moved = a;
    std::vector<std::byte> bytes(svd_bytes(9, 6) + 64);
    Scratch scratch(std::span<std::byte>(bytes).subspan(8 * shift));
    const Svd s = svd(moved, 0, scratch);
    EXPECT_TRUE(same_bits(numbers(s.sigma), numbers(first.sigma)));
    EXPECT_TRUE(same_bits(numbers(s.v), numbers(first.v)));
  }
}

TEST(Without, LeavesAnOrthonormalBasisOfTheRest) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Index size = 1 + random.index(12), count = random.index(static_cast<int>(size) + 1);
    const Matrix start = decompose(random_matrix(random, 15, size)).u;
    Matrix basis = start;
    Matrix directions =
        decompose(random_matrix(random, size, std::max<Index>(count, 1))).u.leftCols(count);
    const Matrix taken = start * directions;
    Scratch scratch(Scratch::bytes_for<Real>(15));
    const MatrixMap left = without({basis.data(), 15, size}, directions, scratch);
    ASSERT_EQ(left.cols(), size - count);
    EXPECT_LT((left.transpose() * left - Matrix::Identity(left.cols(), left.cols())).norm(), 1e-13);
    EXPECT_LT((left.transpose() * taken).norm(), 1e-13);
    EXPECT_LT((left - start * (start.transpose() * left)).norm(), 1e-13) << "inside the old space";
  }
}

}  // namespace
}  // namespace gestik
