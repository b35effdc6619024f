#include "gestik/solve/line_search/line_search.h"

#include "gestik/math/svd.h"
#include "gestik/solve/descent.h"

namespace gestik {
namespace {

// Barzilai and Borwein: of all multiples t M^-1 of the inverse metric, the one that explains the
// last step s best, s ~ t M^-1 y, has t = (s . y) / (y . M^-1 y). Only ways that are open count.
Real learnt_step(const Descent& descent, const VectorMap& direction, VectorMap work) noexcept {
  if (descent.fresh()) return descent.optimistic_step(direction);
  const Eigen::Index size = work.size();
  work = descent.growth();
  descent.keep_open(work);
  const Real curvature = dot(descent.move().data(), work.data(), size);
  if (!(curvature > 0)) return descent.optimistic_step(direction);
  Real length2 = 0;
  for (Eigen::Index i = 0; i < size; ++i) length2 += descent.ease()[i] * work[i] * work[i];
  return curvature / length2;
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
