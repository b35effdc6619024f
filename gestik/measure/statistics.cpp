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
  const Real at = std::clamp(share, 0.0, 1.0) * static_cast<Real>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<Real>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace gestik
