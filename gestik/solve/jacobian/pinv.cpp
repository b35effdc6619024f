#include "gestik/solve/jacobian/pinv.h"

#include "gestik/math/svd.h"
#include "gestik/solve/jacobian/iteration.h"

namespace gestik {

std::size_t scratch_bytes(const Pinv&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return linear::Iteration::bytes(skeleton, goals, false) +
         svd_bytes(static_cast<Eigen::Index>(3 * goals), skeleton.v_size());
}

Report solve(const Pinv& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  const linear::Habits habits{.max_error = settings.max_error,
                              .max_step = settings.max_step,
                              .limits_in_step = settings.limits_in_step,
                              .patience = settings.patience};
  return linear::iterate(
      habits, problem, scratch, out, [&](const linear::Task& task, Scratch& memory, VectorMap u) {
        const Svd s = svd(task.jacobian, 0, memory);
        u.setZero();
        for (Eigen::Index i = 0; i < s.rank && s.sigma[i] > settings.rank_cut * s.sigma[0]; ++i)
          u += dot(&s.u(0, i), task.error.data(), task.error.size()) / s.sigma[i] * s.v.col(i);
      });
}

}  // namespace gestik
