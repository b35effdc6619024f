#include "gestik/solve/jacobian/transpose.h"

#include "gestik/math/svd.h"
#include "gestik/solve/jacobian/iteration.h"

namespace gestik {
namespace {

// Along u = a J^T e the linearised error e - a J J^T e is shortest at
// a = (e . J J^T e) / |J J^T e|^2 (Buss). Where J^T e is zero there is no way down.
void descend(const linear::Task& task, Scratch& scratch, VectorMap& u) noexcept {
  const Eigen::Index rows = task.error.size();
  VectorMap change = take_vector(scratch, rows);  // J J^T e
  change.setZero();
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    u[k] = dot(&task.jacobian(0, k), task.error.data(), rows);
    add_scaled(u[k], &task.jacobian(0, k), rows, change.data());
  }
  const Real length2 = dot(change.data(), change.data(), rows);
  u *= length2 > 0 ? dot(task.error.data(), change.data(), rows) / length2 : 0;
}

}  // namespace

std::size_t scratch_bytes(const Transpose&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return linear::Iteration::bytes(skeleton, goals, false) + Scratch::bytes_for<Real>(3 * goals);
}

Report solve(const Transpose& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  const linear::Habits habits{.max_error = settings.max_error,
                              .max_step = settings.max_step,
                              .limits_in_step = settings.limits_in_step,
                              .patience = settings.patience};
  return linear::iterate(
      habits, problem, scratch, out,
      [](const linear::Task& task, Scratch& memory, VectorMap u) { descend(task, memory, u); });
}

}  // namespace gestik
