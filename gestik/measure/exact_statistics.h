#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gestik/measure/statistics.h"

/// Statistics that merge exactly. They hold whole numbers only, so adding and merging are
/// associative and commutative to the last bit: a sweep gives the same figures on any number of
/// threads and machines, in any order, interrupted or not.
namespace gestik {

/// Flat storage of statistics, for checkpoints and messages between machines.
using Words = std::vector<std::uint64_t>;

/// Count, mean, spread and ends of numbers from 0 up. Every number is rounded to the nearest
/// multiple of `unit` and from there on all is exact: mean and sd are those of the rounded numbers,
/// so they lie within half a unit of the true ones. Numbers beyond 2^46 units (and NaN) count as
/// that many; 2^35 numbers fit in.
class ExactStatistics {
 public:
  explicit ExactStatistics(Real unit) noexcept : unit_(unit) {}

  void add(Real) noexcept;
  void merge(const ExactStatistics&) noexcept;

  std::uint64_t count() const noexcept { return count_; }
  Summary summary() const noexcept;
  Real min() const noexcept;  ///< 0 of nothing

  /// Appends its numbers, and takes them back from the front of such words. `take` is false, and
  /// nothing changes, where there are too few words.
  void append(Words&) const;
  bool take(std::span<const std::uint64_t>&) noexcept;

  bool operator==(const ExactStatistics&) const noexcept = default;

 private:
  __extension__ typedef unsigned __int128 Wide;

  Real unit_;
  std::uint64_t count_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0}, max_ = 0;
  Wide sum_ = 0, squares_ = 0;
};

/// How many numbers fell into each of a row of bins.
class Histogram {
 public:
  /// Bin i holds [i * width, (i + 1) * width); numbers beyond the last go into it, those below 0
  /// into the first.
  static Histogram linear(Real width, std::size_t bins);

  /// Bin i holds [lowest * ratio^i, lowest * ratio^(i + 1)), ends likewise. Which bin a number on
  /// an edge falls into depends on the machine's logarithm.
  static Histogram logarithmic(Real lowest, Real ratio, std::size_t bins);

  void add(Real) noexcept;
  void merge(const Histogram&) noexcept;  ///< of the same bins

  std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  Real edge(std::size_t bin) const noexcept;  ///< its lower end

  /// The value below which a share of the numbers lies, linear inside the bin; 0 of nothing.
  Real percentile(Real share) const noexcept;

  void append(Words&) const;
  bool take(std::span<const std::uint64_t>&) noexcept;

  bool operator==(const Histogram&) const noexcept = default;

 private:
  Histogram(bool logarithmic, Real start, Real step, std::size_t bins)
      : logarithmic_(logarithmic), start_(start), step_(step), counts_(bins, 0) {}

  bool logarithmic_;
  Real start_, step_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace gestik
