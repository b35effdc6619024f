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

}  // namespace gestik
