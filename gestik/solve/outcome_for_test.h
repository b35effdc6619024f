#pragma once

#include <limits>
#include <vector>

#include "gestik/solve/run.h"

namespace gestik::test {

/// What came back from one run() with scratch of its own. Coordinates that nobody wrote are NaN.
struct Outcome {
  Report report;
  std::vector<Real> q;
};

inline Outcome outcome_of(const AnySolver& solver, const Problem& problem) {
  Scratch scratch(scratch_bytes(solver, problem.skeleton, problem.goals.size()));
  Outcome outcome{.report = {},
                  .q = std::vector<Real>(static_cast<std::size_t>(problem.skeleton.q_size()),
                                         std::numeric_limits<Real>::quiet_NaN())};
  outcome.report = run(solver, problem, scratch, outcome.q);
  return outcome;
}

}  // namespace gestik::test
