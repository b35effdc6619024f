#include "evaluation/erik/tally.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "evaluation/erik/paper.h"

namespace gestik::evaluation::erik {
namespace {

Real rounded(Real error) {
  return std::round(error / Row::error_unit) * Row::error_unit;
}

/// f(statistics) for each of a row's, with those of other rows beside it.
template <class F, class... Rows>
void each_statistics(F&& f, Rows&&... rows) {
  f(rows.combined...);
  f(rows.orientation...);
  f(rows.posture...);
  f(rows.iterations...);
  f(rows.nanoseconds...);
  f(rows.combined_bins...);
  f(rows.orientation_bins...);
  f(rows.posture_bins...);
  f(rows.time_bins...);
}

template <class F, class... Rows>
void each_count(F&& f, Rows&&... rows) {
  f(rows.orientation_ok...);
  f(rows.accepted...);
  f(rows.limits_broken...);
}

/// f(row) for every row of a part, with those of another part of the same shape beside it.
template <class F, class Part, class... Parts>
void each_row(F&& f, Part& part, Parts&... parts) {
  for (std::size_t i = 0; i < part.all.size(); ++i) f(part.all[i], parts.all[i]...);
  for (std::size_t i = 0; i < part.filtered.size(); ++i) f(part.filtered[i], parts.filtered[i]...);
}

void append(const Outcome& outcome, Words& words) {
  words.push_back(static_cast<std::uint64_t>(outcome.status) |
                  static_cast<std::uint64_t>(outcome.iterations) << 8);
  words.push_back(std::bit_cast<std::uint64_t>(outcome.orientation));
  words.push_back(std::bit_cast<std::uint64_t>(outcome.posture));
}

bool take(Outcome& outcome, std::span<const std::uint64_t>& words) noexcept {
  if (words.size() < 3 || (words[0] & 0xff) > static_cast<std::uint64_t>(Status::bad_problem))
    return false;
  outcome = {.status = static_cast<Status>(words[0] & 0xff),
             .orientation = std::bit_cast<Real>(words[1]),
             .posture = std::bit_cast<Real>(words[2]),
             .iterations = static_cast<int>(words[0] >> 8)};
  words = words.subspan(3);
  return true;
}

constexpr std::uint64_t bit(std::size_t task) {
  return std::uint64_t{1} << (task % 64);
}

}  // namespace

void Row::add(const Outcome& outcome) noexcept {
  const Real o = rounded(outcome.orientation), p = rounded(outcome.posture);
  combined.add(o + p);
  orientation.add(o);
  posture.add(p);
  iterations.add(outcome.iterations);
  nanoseconds.add(outcome.nanoseconds);
  combined_bins.add(o + p);
  orientation_bins.add(o);
  posture_bins.add(p);
  time_bins.add(outcome.nanoseconds);
  orientation_ok += o <= paper::threshold;
  accepted += o + p <= paper::threshold;
  limits_broken += !outcome.inside_limits;
}

void Row::merge(const Row& other) noexcept {
  each_statistics([](auto& mine, const auto& theirs) { mine.merge(theirs); }, *this, other);
  each_count([](auto& mine, auto theirs) { mine += theirs; }, *this, other);
}

void Row::append(Words& words) const {
  each_statistics([&](const auto& statistics) { statistics.append(words); }, *this);
  each_count([&](auto count) { words.push_back(count); }, *this);
}

bool Row::take(std::span<const std::uint64_t>& words) noexcept {
  bool ok = true;
  each_statistics([&](auto& statistics) { ok = ok && statistics.take(words); }, *this);
  each_count(
      [&](auto& count) {
        ok = ok && !words.empty();
        if (!ok) return;
        count = words.front();
        words = words.subspan(1);
      },
      *this);
  return ok;
}

Real Row::share(std::uint64_t count) const noexcept {
  return samples() == 0 ? 0 : static_cast<Real>(count) / static_cast<Real>(samples());
}

Tally::Tally(const std::vector<Shape>& parts) {
  for (const Shape& shape : parts) {
    done_.emplace_back((shape.tasks + 63) / 64, 0);
    parts_.push_back({std::vector<Row>(shape.solvers),
                      std::vector<Row>(shape.filtered ? shape.solvers : 0),
                      std::vector<Outcome>(shape.problems * shape.solvers)});
    outcomes_per_task_.push_back(shape.problems_per_task * shape.solvers);
  }
}

bool Tally::done(std::size_t part, std::size_t task) const noexcept {
  return (done_[part][task / 64] & bit(task)) != 0;
}

PartTally Tally::empty_part(std::size_t i) const {
  return {std::vector<Row>(parts_[i].all.size()), std::vector<Row>(parts_[i].filtered.size()), {}};
}

void Tally::finish(std::size_t part, std::size_t task, const PartTally& tally) {
  each_row([](Row& mine, const Row& theirs) { mine.merge(theirs); }, parts_[part], tally);
  std::copy(
      tally.outcomes.begin(), tally.outcomes.end(),
      parts_[part].outcomes.begin() + static_cast<std::ptrdiff_t>(task * outcomes_per_task_[part]));
  done_[part][task / 64] |= bit(task);
}

bool Tally::merge(const Tally& other) {
  bool both = false, news = false;
  for (std::size_t p = 0; p < done_.size(); ++p)
    for (std::size_t w = 0; w < done_[p].size(); ++w) {
      both |= (done_[p][w] & other.done_[p][w]) != 0;
      news |= (~done_[p][w] & other.done_[p][w]) != 0;
    }
  if (!news) return true;
  if (both) return false;
  for (std::size_t p = 0; p < done_.size(); ++p) {
    for (std::size_t i = 0; i < parts_[p].outcomes.size(); ++i)
      if (other.done(p, i / outcomes_per_task_[p]))
        parts_[p].outcomes[i] = other.parts_[p].outcomes[i];
    for (std::size_t w = 0; w < done_[p].size(); ++w) done_[p][w] |= other.done_[p][w];
    each_row([](Row& mine, const Row& theirs) { mine.merge(theirs); }, parts_[p], other.parts_[p]);
  }
  return true;
}

Words Tally::words() const {
  Words words;
  for (const auto& bits : done_) words.insert(words.end(), bits.begin(), bits.end());
  for (const PartTally& part : parts_) {
    each_row([&](const Row& row) { row.append(words); }, part);
    for (const Outcome& outcome : part.outcomes) append(outcome, words);
  }
  return words;
}

bool Tally::take(std::span<const std::uint64_t> words) noexcept {
  for (auto& bits : done_) {
    if (words.size() < bits.size()) return false;
    std::copy_n(words.begin(), bits.size(), bits.begin());
    words = words.subspan(bits.size());
  }
  bool ok = true;
  for (PartTally& part : parts_) {
    each_row([&](Row& row) { ok = ok && row.take(words); }, part);
    for (Outcome& outcome : part.outcomes) ok = ok && erik::take(outcome, words);
  }
  return ok && words.empty();
}

}  // namespace gestik::evaluation::erik
