#include "gestik/solve/problem.h"

namespace gestik {

std::string_view to_string(Status status) noexcept {
  switch (status) {
    case Status::reached:
      return "reached";
    case Status::stalled:
      return "stalled";
    case Status::out_of_budget:
      return "out_of_budget";
    case Status::unsupported:
      return "unsupported";
    case Status::bad_problem:
      return "bad_problem";
  }
  return "";
}

std::string_view to_string(Fault fault) noexcept {
  switch (fault) {
    case Fault::none:
      return "nothing is wrong";
    case Fault::out_size:
      return "the output has not the skeleton's number of coordinates";
    case Fault::seed_size:
      return "the seed has not the skeleton's number of coordinates";
    case Fault::seed_value:
      return "the seed holds NaN, a number beyond 1e30 or a zero quaternion";
    case Fault::goal_joint:
      return "a goal names a joint that does not exist";
    case Fault::goal_value:
      return "a goal holds NaN, a number beyond 1e30, a zero quaternion, a zero axis or a zero "
             "direction";
    case Fault::goal_weight:
      return "a goal's weight must be in [1e-30, 1e30], its tolerance and priority not below zero";
    case Fault::posture_size:
      return "the posture has not the skeleton's number of coordinates, or the weights not one per "
             "joint";
    case Fault::held_size:
      return "the list of held joints has not one number per joint";
    case Fault::posture_value:
      return "the posture holds NaN, a number beyond 1e30 or a zero quaternion, or a weight below "
             "zero";
    case Fault::budget_value:
      return "the budget can't be below zero iterations";
    case Fault::setting_value:
      return "a setting of the solver is outside its range";
    case Fault::scratch_size:
      return "the scratch memory is too small; ask scratch_bytes";
    case Fault::goal_kind:
      return "the solver does not take this kind of goal";
    case Fault::goal_count:
      return "the solver takes one goal only";
    case Fault::joint_type:
      return "the solver can't move this type of joint";
    case Fault::chain_shape:
      return "the solver can't take a chain of this shape";
  }
  return "";
}

}  // namespace gestik
