#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/checkpoint.h"
#include "evaluation/erik/solvers.h"
#include "evaluation/erik/sweep.h"
#include "gestik/model/character.h"

namespace gestik::evaluation::erik {

/// What is asked for, in the words of the command line.
struct Request {
  std::vector<std::string> skeletons = {"all"};  ///< of A to G
  /// Names that find_contender() knows. "paper" is erik, and on skeleton C also the variants of
  /// DLS.
  std::vector<std::string> solvers = {"erik"};
  std::size_t postures = 200;
  std::size_t orientations = 500;
  bool full = false;                          ///< the paper's numbers of both instead
  bool bound = false;                         ///< a row for the best error known as well
  std::optional<Real> limits = std::nullopt;  ///< of all joints, either way, in radians
  int repeat = 1;                             ///< a sample's time is its fastest of so many
  std::optional<std::string> problems = std::nullopt;  ///< a file, instead of both
};

/// One skeleton and what it is put through.
struct Part {
  std::string skeleton;
  Character character;
  Frame end;
  Sweep sweep;
  std::vector<Contender> contenders;
  std::optional<std::size_t> filter;  ///< which contender decides what goes into Table 9
  int repeat;                         ///< of a Request
};

/// A request, checked: nothing is left that a run could refuse.
struct Plan {
  std::vector<Part> parts = {};
  std::optional<std::string> problems = std::nullopt;  ///< the file they are from, if from one
  Checkpoint::Options options = {};                    ///< all that the numbers depend on
};
Result<Plan> make_plan(const Request&);

}  // namespace gestik::evaluation::erik
