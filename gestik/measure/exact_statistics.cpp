#include "gestik/measure/exact_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace gestik {
namespace {

constexpr std::uint64_t largest = std::uint64_t{1} << 46;

std::uint64_t in_units(Real value, Real unit) noexcept {
  const Real units = value / unit;
  if (units <= 0) return 0;
  if (!(units < static_cast<Real>(largest))) return largest;
  return static_cast<std::uint64_t>(std::llround(units));
}

std::uint64_t high_word(auto wide) noexcept {
  return static_cast<std::uint64_t>(wide >> 64);
}
std::uint64_t low_word(auto wide) noexcept {
  return static_cast<std::uint64_t>(wide);
}

}  // namespace

void ExactStatistics::add(Real value) noexcept {
  const std::uint64_t n = in_units(value, unit_);
  ++count_;
  min_ = std::min(min_, n);
  max_ = std::max(max_, n);
  sum_ += n;
  squares_ += static_cast<Wide>(n) * n;
}

void ExactStatistics::merge(const ExactStatistics& other) noexcept {
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  squares_ += other.squares_;
}

// With whole m = floor(sum / count), rest r = sum - m count and d = r / count in [0, 1):
//   sum of (n - mean)^2 = sum of (n - m)^2 - count d^2.
// The sum on the right, sum n^2 - 2 m sum n + count m^2, cancels a lot, but it is a whole number
// below 2^128, so arithmetic modulo 2^128 gives it exactly. What is left to rounding is its way to
// a Real.
Summary ExactStatistics::summary() const noexcept {
  if (count_ == 0) return {};
  const Wide whole = sum_ / count_;
  const Real rest = static_cast<Real>(sum_ % count_) / static_cast<Real>(count_);
  const Wide about_whole = squares_ - 2 * whole * sum_ + count_ * whole * whole;
  const Real variance = static_cast<Real>(about_whole) / static_cast<Real>(count_) - rest * rest;
  return {.count = static_cast<std::size_t>(count_),
          .mean = (static_cast<Real>(whole) + rest) * unit_,
          .sd = std::sqrt(std::max(variance, 0.0)) * unit_,
          .max = static_cast<Real>(max_) * unit_};
}

Real ExactStatistics::min() const noexcept {
  return count_ == 0 ? 0 : static_cast<Real>(min_) * unit_;
}

void ExactStatistics::append(Words& words) const {
  words.insert(words.end(), {count_, min_, max_, high_word(sum_), low_word(sum_),
                             high_word(squares_), low_word(squares_)});
}

bool ExactStatistics::take(std::span<const std::uint64_t>& words) noexcept {
  if (words.size() < 7) return false;
  const auto wide = [&](std::size_t i) { return static_cast<Wide>(words[i]) << 64 | words[i + 1]; };
  count_ = words[0];
  min_ = words[1];
  max_ = words[2];
  sum_ = wide(3);
  squares_ = wide(5);
  words = words.subspan(7);
  return true;
}

Histogram Histogram::linear(Real width, std::size_t bins) {
  return {false, 0, width, bins};
}

Histogram Histogram::logarithmic(Real lowest, Real ratio, std::size_t bins) {
  return {true, lowest, ratio, bins};
}

void Histogram::add(Real value) noexcept {
  const Real place =
      logarithmic_ ? std::log(value / start_) / std::log(step_) : (value - start_) / step_;
  const Real last = static_cast<Real>(counts_.size() - 1);
  // Written so that NaN (the logarithm of a negative number) goes into the first bin.
  ++counts_[place > 0 ? static_cast<std::size_t>(std::min(place, last)) : 0];
}

void Histogram::merge(const Histogram& other) noexcept {
  std::transform(counts_.begin(), counts_.end(), other.counts_.begin(), counts_.begin(),
                 std::plus<>());
}

Real Histogram::edge(std::size_t bin) const noexcept {
  const Real i = static_cast<Real>(bin);
  return logarithmic_ ? start_ * std::pow(step_, i) : start_ + step_ * i;
}

Real Histogram::percentile(Real share) const noexcept {
  const std::uint64_t total = std::reduce(counts_.begin(), counts_.end());
  if (total == 0) return 0;
  Real wanted = share * static_cast<Real>(total);
  std::size_t bin = 0, last = 0;
  for (; bin < counts_.size(); ++bin) {
    const Real here = static_cast<Real>(counts_[bin]);
    if (here == 0) continue;
    last = bin;
    if (wanted <= here) return std::lerp(edge(bin), edge(bin + 1), std::max(wanted, 0.0) / here);
    wanted -= here;
  }
  return edge(last + 1);
}

void Histogram::append(Words& words) const {
  words.insert(words.end(), counts_.begin(), counts_.end());
}

bool Histogram::take(std::span<const std::uint64_t>& words) noexcept {
  if (words.size() < counts_.size()) return false;
  std::copy_n(words.begin(), counts_.size(), counts_.begin());
  words = words.subspan(counts_.size());
  return true;
}

}  // namespace gestik
