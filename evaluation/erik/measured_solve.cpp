#include "evaluation/erik/measured_solve.h"

#include <algorithm>

#include "evaluation/erik/bound.h"
#include "gestik/goal/at_frame.h"
#include "gestik/measure/erik_error.h"

namespace gestik::evaluation::erik {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

std::size_t most_scratch(const Part& part) {
  std::size_t most = 0;
  for (const Contender& contender : part.contenders)
    most = std::max(most, scratch_bytes(contender.solver, part.character.skeleton, 1));
  return most;
}

}  // namespace

MeasuredSolve::MeasuredSolve(const Part& part)
    : part_(&part),
      scratch_(most_scratch(part)),
      q_(part.sweep.q_size),
      solution_(static_cast<std::size_t>(part.character.skeleton.joint_count())),
      posture_(solution_.size()),
      posture_at_(none) {}

Timed MeasuredSolve::solve(const Contender& contender, ConstQ posture, const Quat& target) {
  Orient wish = orient(part_->end, contender.papers_way ? upright(target) : target);
  wish.symmetric = !contender.papers_way;
  const Goal goal = wish;
  Problem problem{part_->character.skeleton, {&goal, 1}};
  if (contender.posture) problem.intent.posture = posture;
  if (!contender.papers_way) problem.seed = posture;
  problem.budget = contender.budget;
  if (contender.bound) return {best_known(problem, q_), 0};
  return timed_run(contender.solver, problem, scratch_, q_);
}

Report MeasuredSolve::try_out(const Contender& contender) {
  return solve(contender, part_->sweep.posture(0), part_->sweep.targets.front()).report;
}

Outcome MeasuredSolve::measured(const Contender& contender, const Sample& sample) {
  const Skeleton& skeleton = part_->character.skeleton;
  const Frame& end = part_->end;
  const ConstQ wanted_posture = part_->sweep.posture(sample.posture);
  const Quat& wanted = part_->sweep.targets[sample.target];
  const ErikMeasure measure;
  if (sample.posture != posture_at_) {
    forward(skeleton, wanted_posture, posture_);
    posture_at_ = sample.posture;
  }
  const auto [report, microseconds] = solve(contender, wanted_posture, wanted);
  forward(skeleton, q_, solution_);
  const Quat got = solution_[static_cast<std::size_t>(end.joint)].q * end.joint_from_frame.q;
  return {
      .status = report.status,
      .orientation = measure.orientation_weight * orientation_error(wanted, got, true),
      .posture = measure.posture_weight * posture_error(skeleton, end.joint, end.joint_from_frame.p,
                                                        solution_, posture_, measure.aggravation),
      .iterations = report.iterations,
      .nanoseconds = 1000 * microseconds,
      .inside_limits = inside_limits(skeleton, q_)};
}

std::span<const Outcome> MeasuredSolve::operator()(std::span<const Sample> samples) {
  const std::size_t contenders = part_->contenders.size();
  outcomes_.resize(samples.size() * contenders);
  const auto measure = [&](std::size_t c, std::size_t i) {
    return measured(part_->contenders[c], samples[i]);
  };
  for (std::size_t c = 0; c < contenders; ++c)
    for (std::size_t i = 0; i < samples.size(); ++i) outcomes_[i * contenders + c] = measure(c, i);
  for (int again = 1; again < part_->repeat; ++again)
    for (std::size_t c = 0; c < contenders; ++c) {
      if (part_->contenders[c].bound) continue;
      for (std::size_t i = 0; i < samples.size(); ++i) {
        Real& fastest = outcomes_[i * contenders + c].nanoseconds;
        fastest = std::min(fastest, measure(c, i).nanoseconds);
      }
    }
  return outcomes_;
}

}  // namespace gestik::evaluation::erik
