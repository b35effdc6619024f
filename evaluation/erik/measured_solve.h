#pragma once

#include <vector>

#include "evaluation/erik/plan.h"
#include "evaluation/erik/tally.h"
#include "evaluation/solvers.h"

namespace gestik::evaluation::erik {

/// Solves the problems of one part and measures what comes back: by forward kinematics, never by a
/// solver's own word. One for each thread; refers to the part.
class MeasuredSolve {
 public:
  explicit MeasuredSolve(const Part&);

  /// What every contender makes of some samples of the sweep: those of the first sample in the
  /// contenders' order, then those of the next. Each contender works through all samples before the
  /// next one begins, so that its code and data stay in the caches, as they do at work.
  std::span<const Outcome> operator()(std::span<const Sample> samples);

  /// The sweep's first problem, unmeasured: does the solver take it?
  Report try_out(const Contender&);

 private:
  Timed solve(const Contender&, ConstQ posture, const Quat& target);
  Outcome measured(const Contender&, const Sample&);

  const Part* part_;
  Scratch scratch_;
  std::vector<Real> q_;
  std::vector<Pose> solution_, posture_;
  std::size_t posture_at_;  ///< which one posture_ holds the poses of
  std::vector<Outcome> outcomes_;
};

}  // namespace gestik::evaluation::erik
