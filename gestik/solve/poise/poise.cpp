#include "gestik/solve/poise/poise.h"

#include <algorithm>

#include "gestik/measure/erik_error.h"
#include "gestik/solve/poise/search.h"

namespace gestik {
namespace {

using namespace poise;

/// Nothing on the way to the end moves: it stands where it stands.
Report report_of_nothing(const Poise& settings, const Goal& goal, const Pose& end) noexcept {
  const Real angle = residual(goal, end);
  if (angle <= tolerance_of(goal)) return {.status = Status::reached, .error = 0};
  return {.status = Status::stalled, .error = largest_error(settings) + orientation_error(angle)};
}

}  // namespace

std::size_t scratch_bytes(const Poise&, const Skeleton& skeleton, std::size_t) noexcept {
  const std::size_t n =
      std::min<std::size_t>(static_cast<std::size_t>(skeleton.joint_count()), most_links);
  return Scratch::bytes_for<Link>(n) + Search::bytes(n);
}

bool poise_takes(const Problem& problem) noexcept {
  return problem.goals.empty() || movable_joints(problem) <= most_links;
}

Report solve(const Poise& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
  if (problem.goals.empty()) return {.status = Status::reached, .error = 0};
  if (!poise_takes(problem)) return {.status = Status::unsupported, .fault = Fault::chain_shape};
  const int count = movable_joints(problem);
  const auto links = scratch.take<Link>(static_cast<std::size_t>(count));
  const Chain chain = read_chain(problem, weights_of(settings), links);
  if (count == 0) return report_of_nothing(settings, problem.goals.front(), chain.base);

  Search search(settings, problem, chain, scratch);
  const Report report = run_rounds(search, problem.budget.iterations);
  search.write(out);
  return report;
}

}  // namespace gestik
