#include "gestik/solve/line_search/line_search.h"

#include "gestik/solve/descent.h"

namespace gestik {
namespace {

// Barzilai and Borwein: let the last step s and the growth y of the gradient along it say how long
// the next should be. With the metric M, s ~ t M^-1 y is met best by t = (s . y) / (y . M^-1 y),
// M s / t ~ y by t = (s . M s) / (s . y), which is longer. Taking them in turn is faster than
// either alone. Only ways that are open count.
Real learnt_step(const Descent& descent, const VectorMap& direction, VectorMap growth) noexcept {
  if (descent.fresh()) return descent.optimistic_step(direction);
  growth = descent.growth();
  descent.keep_open(growth);
  Real ss = 0, sy = 0, yy = 0;
  for (Eigen::Index i = 0; i < growth.size(); ++i) {
    const Real s = descent.move()[i], y = growth[i], ease = descent.ease()[i];
    if (ease == 0) continue;
    ss += s * s / ease;
    sy += s * y;
    yy += y * y * ease;
  }
  if (!(sy > 0)) return descent.optimistic_step(direction);
  return descent.report().iterations % 2 == 0 ? sy / yy : ss / sy;
}

}  // namespace

std::size_t scratch_bytes(const LineSearch&, const Skeleton& skeleton, std::size_t) noexcept {
  return Descent::bytes(skeleton) +
         2 * Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.v_size()));
}

Report solve(const LineSearch& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  Descent descent({.decrease = settings.decrease,
                   .reduction = settings.reduction,
                   .max_turn = settings.max_turn,
                   .absolute = settings.absolute,
                   .relative = settings.relative,
                   .stagnation = settings.stagnation,
                   .patience = settings.patience,
                   .kick = settings.kick},
                  problem, scratch, out);
  VectorMap direction = take_vector(scratch, problem.skeleton.v_size());
  const VectorMap work = take_vector(scratch, problem.skeleton.v_size());
  while (descent.begin()) {
    descent.steepest(direction);
    if (settings.fixed_step > 0)
      descent.go(direction, settings.fixed_step);
    else if (settings.first_step > 0)
      descent.search(direction, settings.first_step);
    else
      descent.search(direction, learnt_step(descent, direction, work));
  }
  return descent.report();
}

}  // namespace gestik
