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

/// A box plot's numbers, as Tukey draws it: the ends are those of the numbers that lie within one
/// and a half times the box beyond it, the outliers are the others, in order.
struct Box {
  Real low = 0, quartile_1 = 0, median = 0, quartile_3 = 0, high = 0;
  std::vector<Real> outliers = {};

  Real spread() const noexcept { return quartile_3 - quartile_1; }
};
Box box_of(std::span<const Real>);

}  // namespace gestik
