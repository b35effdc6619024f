#include "gestik/solve/jacobian/priorities.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/svd.h"

namespace gestik::linear {
namespace {

using Eigen::Index;

/// Singular values below this share of a task's size are zero: what the task can't do.
constexpr Real rank_cut = 1e-9;

/// y += factor * a x
void add_product(const MatrixMap& a, const VectorMap& x, Real factor, VectorMap& y) noexcept {
  for (Index k = 0; k < x.size(); ++k)
    if (x[k] != 0) add_scaled(factor * x[k], &a(0, k), a.rows(), y.data());
}

/// The motions that no task so far has any part in, as an orthonormal basis.
class FreeSpace {
 public:
  FreeSpace(Index motions, Scratch& scratch) noexcept
      : data_(take_matrix(scratch, motions, motions).data()), rows_(motions), cols_(motions) {}

  Index size() const noexcept { return cols_; }

  /// The task seen by what is free.
  MatrixMap project(const MatrixMap& jacobian, Scratch& scratch) const noexcept {
    if (whole()) return jacobian;
    const MatrixMap basis(data_, rows_, cols_);
    MatrixMap out = take_matrix(scratch, jacobian.rows(), cols_);
    out.setZero();
    for (Index j = 0; j < cols_; ++j)
      for (Index k = 0; k < rows_; ++k)
        if (const Real share = basis(k, j); share != 0)
          add_scaled(share, &jacobian(0, k), jacobian.rows(), &out(0, j));
    return out;
  }

  /// u += the motion with these coordinates.
  void add(const VectorMap& coordinates, VectorMap& u) const noexcept {
    if (whole())
      u += coordinates;
    else
      add_product({data_, rows_, cols_}, coordinates, 1, u);
  }

  void take_away(Eigen::Ref<Matrix> directions, Scratch& scratch) noexcept {
    if (directions.cols() == 0) return;
    MatrixMap basis(data_, rows_, cols_);
    if (whole()) basis.setIdentity();
    MatrixMap left = without(basis, directions, scratch);
    data_ = left.data();
    cols_ = left.cols();
  }

 private:
  bool whole() const noexcept { return cols_ == rows_; }

  Real* data_;  ///< not written while everything is free
  Index rows_, cols_;
};

// Maciejewski's damping (Eq 15), with d = |error| / max_turn. A singular value s brings a share
// s / (s^2 + lambda^2) of the error into the step, and lambda is the least with which no singular
// value from the smallest non-zero one up brings more than 1 / d: the step stays below max_turn.
Real maciejewski(Real smallest, Real d) noexcept {
  if (smallest <= d / 2) return d / 2;
  return smallest < d ? std::sqrt(smallest * (d - smallest)) : 0;
}

}  // namespace

std::size_t serve_in_order_bytes(Index most_rows, Index motions) noexcept {
  const auto rows = static_cast<std::size_t>(most_rows);
  const auto n = static_cast<std::size_t>(motions);
  return Scratch::bytes_for<Real>(n * n) + Scratch::bytes_for<Real>(rows) +
         Scratch::bytes_for<Real>(rows * n) + svd_bytes(most_rows, motions) +
         2 * Scratch::bytes_for<Real>(n);
}

// Baerlocher's recursion (Eq 14): with u what the tasks before have decided and N a basis of what
// they leave free,
//     u += N (J N)^(dagger lambda) (e - J u).
// The same as with the projector P = N N^T, as J P = (J N) N^T, but smaller with each task. A step
// in N changes no task before it, whatever it is.
void serve_in_order(const Damping& damping, std::span<const Task> tasks, Scratch& scratch,
                    VectorMap u) noexcept {
  u.setZero();
  FreeSpace free(u.size(), scratch);
  for (const Task& task : tasks) {
    if (free.size() == 0) return;
    const Scratch::Frame frame(scratch);
    VectorMap rest = take_vector(scratch, task.error.size());
    rest = task.error;
    add_product(task.jacobian, u, -1, rest);

    const Real size =
        std::sqrt(dot(task.jacobian.data(), task.jacobian.data(), task.jacobian.size()));
    Svd s = svd(free.project(task.jacobian, scratch), rank_cut * size, scratch);
    if (s.rank == 0) continue;
    const Real length = std::sqrt(dot(rest.data(), rest.data(), rest.size()));
    const Real lambda = damping.constant > 0
                            ? damping.constant
                            : maciejewski(s.sigma[s.rank - 1], length / damping.max_turn);
    VectorMap step = take_vector(scratch, free.size());
    step.setZero();
    for (Index i = 0; i < s.rank; ++i) {
      const Real along = dot(&s.u(0, i), rest.data(), rest.size());
      const Real gain = s.sigma[i] / (s.sigma[i] * s.sigma[i] + lambda * lambda);
      add_scaled(gain * along, &s.v(0, i), step.size(), step.data());
    }
    step *= task.share;
    free.add(step, u);
    if (&task != &tasks.back()) free.take_away(s.v.leftCols(s.rank), scratch);
  }
}

}  // namespace gestik::linear
