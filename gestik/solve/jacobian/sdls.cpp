#include "gestik/solve/jacobian/sdls.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/svd.h"
#include "gestik/solve/jacobian/iteration.h"

namespace gestik {
namespace {

using Eigen::Index;

Real largest_size(const VectorMap& v) noexcept {
  return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>();
}

/// How much of v may be taken so that no coordinate is larger than `most`.
Real share_below(Real most, Real largest) noexcept {
  return largest > most ? most / largest : 1;
}

/// The sum over goals of how far each moves for this column: three rows a goal.
Real reach_of(const Real* column, Index rows) noexcept {
  Real sum = 0;
  for (Index row = 0; row < rows; row += 3) sum += Eigen::Map<const Vec3>(column + row).norm();
  return sum;
}

// Eqs 11 and 12, after Buss & Kim. The singular direction i moves the goals by N_i = sum over goals
// of |u_i|. To do so it moves the joints by v_i / sigma_i, and were all those moves in line, they
// would carry the goals M_i = sum_j |v_ji| reach_j / sigma_i. Where N_i is far below M_i the joints
// work against each other, and the linear picture holds for small turns only: gamma_i = max_turn *
// min(1, N_i / M_i) is the most that any coordinate may move for this direction.
void damp_selectively(Real max_turn, const linear::Task& task, Scratch& scratch,
                      VectorMap& u) noexcept {
  const Index rows = task.error.size();
  const Svd s = svd(task.jacobian, 0, scratch);
  VectorMap reach = take_vector(scratch, u.size());
  for (Index j = 0; j < u.size(); ++j) reach[j] = reach_of(&task.jacobian(0, j), rows);
  VectorMap move = take_vector(scratch, u.size());
  u.setZero();
  for (Index i = 0; i < s.rank; ++i) {
    const Real brings = reach_of(&s.u(0, i), rows);
    Real carries = 0;
    for (Index j = 0; j < u.size(); ++j) carries += std::abs(s.v(j, i)) * reach[j];
    const Real gamma = max_turn * std::min(1.0, brings * s.sigma[i] / carries);
    move = dot(&s.u(0, i), task.error.data(), rows) / s.sigma[i] * s.v.col(i);
    u += share_below(gamma, largest_size(move)) * move;
  }
  u *= share_below(max_turn, largest_size(u));
}

}  // namespace

std::size_t scratch_bytes(const Sdls&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return linear::Iteration::bytes(skeleton, goals, false) +
         svd_bytes(static_cast<Index>(3 * goals), skeleton.v_size()) +
         2 * Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.v_size()));
}

Report solve(const Sdls& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  const linear::Habits habits{.max_error = settings.max_error,
                              .max_step = settings.max_turn,
                              .limits_in_step = settings.limits_in_step,
                              .patience = settings.patience};
  return linear::iterate(habits, problem, scratch, out,
                         [&](const linear::Task& task, Scratch& memory, VectorMap u) {
                           damp_selectively(settings.max_turn, task, memory, u);
                         });
}

}  // namespace gestik
