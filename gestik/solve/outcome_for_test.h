#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "gestik/solve/bodies_for_test.h"
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

/// How far a joint of three bends when they reach aside and it holds on so strongly, the others as
/// usual. They get there in any case.
inline Real bend_when_held(const AnySolver& solver, std::size_t joint, Real strength) {
  const Skeleton chain = hinge_chain("ZZZ", 3);
  const Goal goal = Reach{.joint = 2, .point_in_joint = Vec3::UnitY(), .target = {-1.5, 2, 0}};
  std::vector<Real> per_joint(3, 1.0);
  per_joint[joint] = strength;
  const Outcome outcome = outcome_of(
      solver, {.skeleton = chain, .goals = {&goal, 1}, .intent = {.per_joint = per_joint}});
  EXPECT_EQ(outcome.report.status, Status::reached);
  return std::abs(outcome.q[joint]);
}

}  // namespace gestik::test
