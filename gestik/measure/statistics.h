#pragma once

#include <span>
#include <vector>

#include "gestik/math/types.h"

namespace gestik {

/// Mean, spread and largest of a set of numbers.
struct Summary {
  std::size_t count = 0;
  Real mean = 0;
  Real sd = 0;  ///< of the population
  Real max = 0;
};
Summary summarize(std::span<const Real>) noexcept;

/// The value below which a share of the numbers lies (0.5 the median, 0.99 the p99), linear between
/// neighbours. Sorts a copy; zero for no numbers.
Real percentile(std::span<const Real>, Real share);

}  // namespace gestik
