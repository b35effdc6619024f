#pragma once

#include <string>
#include <vector>

#include "evaluation/control.h"
#include "gestik/base/result.h"
#include "gestik/solve/poise/poise.h"

/// Many characters of one skeleton at once (solve/poise/batch.h) beside one after the other.
namespace gestik::evaluation::batch {

struct Request {
  std::vector<std::string> characters{"C", "G"};
  std::size_t count = 5000;  ///< characters of each: postures and targets of the ERIK paper's grids
  int repeat = 5;            ///< of each way the fastest of so many runs
  int threads = 1;           ///< of the third way
  /// By the ERIK paper's measure, with one start: only that is worked out side by side.
  Poise poise = {.measure = 1, .starts = 1};
};

/// Microseconds are for one character, wall-clock time.
struct Row {
  std::string character;
  int joints;
  std::size_t count, reached;
  Real alone_us;         ///< run() for each, on one thread
  Real together_us;      ///< solve_block(), on one thread
  Real side_by_side_us;  ///< solve_block() over blocks on all threads
  Real most_apart;       ///< the largest difference between a coordinate of the two ways
  Real error;            ///< mean of what poise reports
  Real error_of_eight;   ///< ... with eight starts
};

/// The rows up to where it was stopped; an Error where a character is unknown or not poise's.
Result<std::vector<Row>> evaluate(const Request&, const Control&);

std::string results_json(const Request&, const std::vector<Row>&, int indent);

}  // namespace gestik::evaluation::batch
