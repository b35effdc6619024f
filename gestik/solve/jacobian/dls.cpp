#include "gestik/solve/jacobian/dls.h"

#include "gestik/solve/jacobian/priorities.h"

namespace gestik {

std::size_t scratch_bytes(const Dls&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return linear::Iteration::bytes(skeleton, goals, true) +
         linear::serve_in_order_bytes(linear::most_rows(skeleton, goals), skeleton.v_size());
}

Report solve(const Dls& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  const linear::Habits habits{.max_error = settings.max_error,
                              .limits_in_step = settings.limits_in_step,
                              .patience = settings.patience,
                              .priorities = true,
                              .caution = settings.caution,
                              .posture = true,
                              .polish = settings.polish,
                              .skip_twisters = settings.posture_skips_twisters};
  const linear::Damping damping{settings.damping, settings.max_turn};
  return linear::iterate(habits, problem, scratch, out,
                         [&](std::span<const linear::Task> tasks, Scratch& memory, VectorMap u) {
                           linear::serve_in_order(damping, tasks, memory, u);
                         });
}

}  // namespace gestik
