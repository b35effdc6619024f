#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "gestik/goal/goal.h"
#include "gestik/model/character.h"
#include "tools/gestik/arguments.h"

namespace gestik::tool {

/// The goals of a solve as they stand on the command line. Every --end begins a group: the goals
/// after it are its own, those before the first --end belong to that one too.
struct GoalArguments {
  enum class Kind { reach, orient, aim, aim_direction };
  struct Wish {
    Kind kind;
    std::string text;
    std::size_t ends_before;  ///< how many --end came before it
  };
  std::vector<std::string> ends;
  std::vector<Wish> wishes;
  bool symmetric = false;
  OptionText tolerance;
};

void add_goals(CLI::App&, GoalArguments&);

/// A goal and the place on the character that it was given for.
struct EndGoal {
  Goal goal;
  Frame end;
  std::string wish;  ///< "aim 'head' at 0.4, 0.3, 0.5"
};

std::vector<EndGoal> make_goals(const GoalArguments&, const Character&);

}  // namespace gestik::tool
