#pragma once

#include "gestik/learn/model.h"
#include "gestik/math/matrix.h"
#include "gestik/solve/learnt/learnt.h"

namespace gestik::learnt {

/// What is expected of a pose before the goal is looked at, over the whole skeleton: a mean and the
/// covariance diag(diagonal) + deviations * deviations^T of the tangent coordinates about it.
/// Coordinates of joints outside the chain, fixed or held have a diagonal of zero: they don't move.
struct Prior {
  Q mean;
  VectorMap diagonal;
  MatrixMap deviations;      ///< v_size rows, one column a neighbour
  Eigen::Index columns = 0;  ///< of the deviations that are in use
  bool about_mean =
      false;           ///< steps lead to the most likely pose that meets the goal, not the nearest
  bool boxed = false;  ///< the tangent coordinates keep within lo and hi of the mean
  VectorMap lo, hi;
  Real noise = 1;  ///< beside the covariance, square metres

  static std::size_t bytes(const Learnt&, const Skeleton&) noexcept;
  static Prior take(const Learnt&, const Skeleton&, Scratch&) noexcept;
};

/// Every free joint alike, about nothing: plain damped least squares. A joint that holds on
/// (per_joint above 1) moves less.
void set_plain(const Learnt&, const Problem&, Prior&) noexcept;

/// Takes from a plain prior the joints of the learnt chain that never moved in any capture. False
/// where there is none.
bool hold_still(const Learnt&, const Problem&, Scratch&, Prior&) noexcept;

/// What the model says about the problem's goal. False where it says nothing: no model, no style
/// that counts, another goal or chain, a joint of it held.
bool set_learnt(const Learnt&, const Problem&, Scratch&, Prior&) noexcept;
std::size_t set_learnt_bytes(const Learnt&, const Skeleton&) noexcept;

}  // namespace gestik::learnt
