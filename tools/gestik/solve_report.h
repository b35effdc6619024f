#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gestik/solve/explain.h"
#include "gestik/solve/run.h"
#include "tools/gestik/goal_arguments.h"
#include "tools/gestik/output.h"

namespace gestik::tool {

/// The ERIK paper's errors of the first goal's end; nothing where there is nothing to measure.
struct ErikErrors {
  std::optional<Real> orientation, posture, combined;
};

/// A solve and all there is to say about it.
struct Solved {
  const Character& character;
  std::vector<EndGoal> goals;
  std::string posture_name = {};   ///< as people call it
  std::vector<Real> posture = {};  ///< empty without one
  std::vector<Real> start = {};    ///< where the solve began
  std::vector<Real> q = {};
  std::string_view solver = {};
  Report report = {};
  Real microseconds = 0;
  Explanation explanation = {};
  ErikErrors errors = {};
};

ErikErrors erik_errors(const Skeleton&, const std::vector<EndGoal>&, ConstQ q, ConstQ posture);

Json report_json(const Solved&, bool degrees);
std::string report_text(const Solved&);

}  // namespace gestik::tool
