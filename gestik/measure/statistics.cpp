#include "gestik/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace gestik {

Summary summarize(std::span<const Real> values) noexcept {
  if (values.empty()) return {};
  const Real count = static_cast<Real>(values.size());
  Real sum = 0, largest = values.front();
  for (Real v : values) {
    sum += v;
    largest = std::max(largest, v);
  }
  const Real mean = sum / count;
  Real squares = 0;
  for (Real v : values) squares += (v - mean) * (v - mean);
  return {values.size(), mean, std::sqrt(squares / count), largest};
}

Real percentile(std::span<const Real> values, Real share) {
  if (values.empty()) return 0;
  std::vector<Real> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const Real inside = share > 0 ? std::min(share, 1.0) : 0;  // NaN too
  const Real at = inside * static_cast<Real>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  const Real rest = at - static_cast<Real>(below);
  if (rest == 0) return sorted[below];  // an infinite neighbour must not make it NaN
  return sorted[below] + rest * (sorted[below + 1] - sorted[below]);
}

Box box_of(std::span<const Real> values) {
  if (values.empty()) return {};
  std::vector<Real> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Box box{.quartile_1 = percentile(sorted, 0.25),
          .median = percentile(sorted, 0.5),
          .quartile_3 = percentile(sorted, 0.75)};
  const Real beyond = 1.5 * box.spread();
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), box.quartile_1 - beyond);
  const auto last = std::upper_bound(first, sorted.end(), box.quartile_3 + beyond);
  box.low = *first;
  box.high = *(last - 1);
  box.outliers.assign(sorted.begin(), first);
  box.outliers.insert(box.outliers.end(), last, sorted.end());
  return box;
}

}  // namespace gestik
