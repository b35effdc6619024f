#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/measure/exact_statistics.h"

namespace gestik::evaluation {

/// Where a long run stood when it was stopped: what it was a run of, and its numbers so far.
struct Checkpoint {
  /// Everything that the numbers depend on, by name: a run goes on only where all of it is the
  /// same. Neither names nor values hold a line's end.
  using Options = std::vector<std::pair<std::string, std::string>>;
  Options options;
  Words words;
};

/// Whole or not at all.
std::optional<Error> write_checkpoint(const std::string& path, const Checkpoint&);

/// Refuses a file that was cut, changed or never was a checkpoint, and one of other options,
/// saying which.
Result<Checkpoint> read_checkpoint(const std::string& path, const Checkpoint::Options& options);

}  // namespace gestik::evaluation
