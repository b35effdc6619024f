#pragma once

#include <string>
#include <vector>

#include "gestik/model/joint_ops.h"
#include "gestik/solve/problem.h"

namespace gestik {

/// What a pose makes of a problem, goal by goal and joint by joint. For people and logs: it
/// allocates.
/// Why a goal is not met.
enum class Reason : std::uint8_t {
  none,           ///< it is met
  nothing_moves,  ///< no joint that moves carries the goal's joint
  out_of_reach,   ///< the target is farther than the chain is long
  limits,         ///< limits are in the way
  unfinished,     ///< stuck, at odds with another goal, or out of budget
};

/// What a pose makes of a problem, goal by goal and joint by joint. For people and logs: it
/// allocates.
struct Explanation {
  struct OfGoal {
    std::string_view kind;
    JointId joint;
    Real residual, tolerance;  ///< metres for a reach, radians otherwise
    bool met;
    Reason reason;
    std::string why;  ///< the reason in words, with names and numbers; empty when met
  };
  struct OfJoint {
    JointId joint;
    AtLimit at;
    bool blocking;  ///< the goals would be nearer if this limit gave way
  };
  std::vector<OfGoal> goals;
  std::vector<OfJoint> at_limit;  ///< only joints that sit on a bound
};

/// q must be of the skeleton's size; the problem must be one that run() takes.
Explanation explain(const Problem&, ConstQ q);

}  // namespace gestik
