#include "evaluation/erik/bound.h"

#include <vector>

#include "gestik/measure/erik_error.h"
#include "gestik/model/spread.h"
#include "gestik/solve/poise/chain.h"
#include "gestik/solve/poise/polish.h"
#include "gestik/solve/run.h"

namespace gestik::evaluation::erik {
namespace {

constexpr std::uint32_t starts = 400;
constexpr int steps_per_start = 20;
constexpr int last_steps = 60;

}  // namespace

// poise's answer is one of the starts, so the bound is never above it. The others are spread over
// the limits; all are refined in double precision by steps like poise's, and the best of all on.
Report best_known(const Problem& problem, Q out) {
  const AnySolver solver = Poise::of_erik_paper();
  Scratch scratch(scratch_bytes(solver, problem.skeleton, 1) + (std::size_t{1} << 16));
  const Report report = run(solver, problem, scratch, out);
  if (report.status == Status::unsupported || report.status == Status::bad_problem) return report;

  const Goal goal = normalized(problem.goals.front());
  const Problem clean{problem.skeleton, {&goal, 1}, problem.intent, out};
  const int n = poise::movable_joints(clean);
  const ErikMeasure measure;
  const auto links = scratch.take<poise::Link>(static_cast<std::size_t>(n));
  const poise::Chain chain = read_chain(
      clean, {poise::Measure::bend, measure.posture_weight, measure.aggravation, 0}, links);
  const poise::Ask<poise::Double1> ask = poise::take_ask<poise::Double1>(scratch, n);
  const std::span<Real> turns = scratch.take<Real>(links.size());
  pose_question(chain, {goal, out, problem.intent.posture, 1}, ask, turns);
  const poise::State<poise::Double1> state = poise::take_state<poise::Double1>(scratch, n);
  poise::Double1* const work =
      scratch.take<poise::Double1>(static_cast<std::size_t>(poise::refine_cells(n))).data();

  const auto start_from = [&](ConstQ q, int steps) {
    for (int k = 0; k < n; ++k) {
      const poise::Link& link = links[static_cast<std::size_t>(k)];
      state.angles[k].at = q[static_cast<std::size_t>(link.q_index)] + link.zero -
                           turns[static_cast<std::size_t>(k)];
    }
    poise::refine(chain.form, ask, state, steps, work);
  };
  state.error->at = infinity;
  start_from(out, steps_per_start);
  start_from(problem.intent.posture, steps_per_start);
  std::vector<Real> q(out.begin(), out.end());
  for (std::uint32_t i = 0; i < starts; ++i) {
    spread_pose(problem.skeleton, i, q);
    start_from(q, steps_per_start);
  }
  std::copy_n(state.best, n, state.angles);
  poise::refine(chain.form, ask, state, last_steps, work);
  for (int k = 0; k < n; ++k) {
    const poise::Link& link = links[static_cast<std::size_t>(k)];
    out[static_cast<std::size_t>(link.q_index)] =
        state.best[k].at - link.zero + turns[static_cast<std::size_t>(k)];
  }
  clamp_to_limits(problem.skeleton, out);
  return report;
}

}  // namespace gestik::evaluation::erik
