#pragma once

#include <string>
#include <vector>

#include "gestik/measure/exact_statistics.h"
#include "gestik/solve/problem.h"

namespace gestik::evaluation::erik {

/// What one solve came to, by the paper's measures.
struct Outcome {
  Status status = Status::bad_problem;
  Real orientation = 0;
  Real posture = 0;  ///< weighted by 0.2, as in the paper's Table 9
  int iterations = 0;
  Real nanoseconds = 0;
  bool inside_limits = true;
};

/// Everything that is kept of many solves. All but the times is the same to the last bit however
/// the work was split.
class Row {
 public:
  void add(const Outcome&) noexcept;
  void merge(const Row&) noexcept;
  void append(Words&) const;
  bool take(std::span<const std::uint64_t>&) noexcept;

  std::uint64_t samples() const noexcept { return combined.count(); }
  Real share(std::uint64_t count) const noexcept;

  // Errors are rounded to multiples of 2^-44 (6e-14). Orientation and posture are rounded before
  // they are added up, so combined = orientation + posture holds for the sums, exactly.
  static constexpr Real error_unit = 0x1p-44;
  static constexpr Real bin_width = 0.001;
  ExactStatistics combined{error_unit}, orientation{error_unit}, posture{error_unit};
  ExactStatistics iterations{1};
  ExactStatistics nanoseconds{1};
  Histogram combined_bins = Histogram::linear(bin_width, 1201);
  Histogram orientation_bins = Histogram::linear(bin_width, 1001);
  Histogram posture_bins = Histogram::linear(bin_width, 201);
  Histogram time_bins = Histogram::logarithmic(1, 1.01, 2600);  ///< to three minutes
  std::uint64_t orientation_ok = 0;                             ///< orientation up to the threshold
  std::uint64_t accepted = 0;                                   ///< combined up to the threshold
  std::uint64_t limits_broken = 0;
};

/// One skeleton's rows, one per solver.
struct PartTally {
  std::vector<Row> all;
  std::vector<Row> filtered;  ///< of the samples that the filter lets through; empty without one
  /// Of a file's problems every single outcome but its time, solver after solver for each problem;
  /// empty for grids.
  std::vector<Outcome> outcomes;
};

/// How far a run has come: which tasks of which part are done, and the rows of those.
class Tally {
 public:
  struct Shape {
    std::size_t tasks, solvers;
    bool filtered;
    std::size_t problems, problems_per_task;  ///< of a file; no problems for grids
  };
  explicit Tally(const std::vector<Shape>& parts);

  bool done(std::size_t part, std::size_t task) const noexcept;
  const PartTally& part(std::size_t i) const noexcept { return parts_[i]; }

  /// What a task starts from.
  PartTally empty_part(std::size_t i) const;
  void finish(std::size_t part, std::size_t task, const PartTally&);

  /// Adds another's work. False, and nothing changes, where both did the same task; one that did
  /// nothing new is passed over.
  bool merge(const Tally&);

  Words words() const;
  bool take(std::span<const std::uint64_t>) noexcept;  ///< false where they do not fit

 private:
  std::vector<std::vector<std::uint64_t>> done_;  ///< a bit per task
  std::vector<PartTally> parts_;
  std::vector<std::size_t> outcomes_per_task_;
};

}  // namespace gestik::evaluation::erik
