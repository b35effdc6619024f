#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gestik/measure/erik_error.h"
#include "gestik/solve/explain.h"
#include "gestik/solve/run.h"
#include "tools/gestik/goal_arguments.h"
#include "tools/gestik/output.h"

namespace gestik::tool {

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
  ErikErrors errors = {};  ///< of the first goal's end
};

Json report_json(const Solved&, bool degrees);
std::string report_text(const Solved&);

}  // namespace gestik::tool
