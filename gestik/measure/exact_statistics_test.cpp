#include "gestik/measure/exact_statistics.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

constexpr Real error_unit = 0x1p-44;

template <class Statistics>
Words words_of(const Statistics& statistics) {
  Words words;
  statistics.append(words);
  return words;
}

/// Deals the values out to a few parts and merges those, in whatever order.
template <class Statistics>
Statistics dealt_out(const Statistics& empty, std::vector<Real> values, Random& random) {
  std::vector<Statistics> parts(static_cast<std::size_t>(1 + random.index(6)), empty);
  while (!values.empty()) {
    const auto pick = static_cast<std::size_t>(random.index(static_cast<int>(values.size())));
    parts[static_cast<std::size_t>(random.index(static_cast<int>(parts.size())))].add(values[pick]);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(pick));
  }
  while (parts.size() > 1) {
    const auto into = static_cast<std::size_t>(random.index(static_cast<int>(parts.size()) - 1));
    parts[into].merge(parts.back());
    parts.pop_back();
  }
  return parts.front();
}

std::vector<Real> random_values(Random& random, Real largest) {
  std::vector<Real> values(static_cast<std::size_t>(random.index(60)));
  for (Real& value : values) value = random.uniform(0, largest);
  return values;
}

RC_GTEST_PROP(ExactStatistics, AnySplitAndOrderGivesTheSame, (std::uint64_t seed)) {
  Random random(seed);
  const std::vector<Real> values = random_values(random, 1.2);
  ExactStatistics whole(error_unit);
  for (const Real value : values) whole.add(value);
  RC_ASSERT(dealt_out(ExactStatistics(error_unit), values, random) == whole);
}

RC_GTEST_PROP(Histogram, AnySplitAndOrderGivesTheSame, (std::uint64_t seed)) {
  Random random(seed);
  const std::vector<Real> values = random_values(random, 1.2);
  for (const Histogram& empty :
       {Histogram::linear(0.01, 100), Histogram::logarithmic(0.01, 1.1, 40)}) {
    Histogram whole = empty;
    for (const Real value : values) whole.add(value);
    RC_ASSERT(dealt_out(empty, values, random) == whole);
  }
}

RC_GTEST_PROP(ExactStatistics, AreTheUsualStatistics, (std::uint64_t seed)) {
  Random random(seed);
  std::vector<Real> values = random_values(random, 1.2);
  values.push_back(random.share());
  ExactStatistics exact(error_unit);
  for (const Real value : values) exact.add(value);
  const Summary wanted = summarize(values);
  const Summary got = exact.summary();
  RC_ASSERT(got.count == wanted.count);
  RC_ASSERT(std::abs(got.mean - wanted.mean) < 1e-13);
  RC_ASSERT(std::abs(got.sd - wanted.sd) < 1e-13);
  RC_ASSERT(std::abs(got.max - wanted.max) < 1e-13);
  RC_ASSERT(std::abs(exact.min() - *std::min_element(values.begin(), values.end())) < 1e-13);
}

// Where sums of doubles go wrong: a spread that is tiny beside the mean.
TEST(ExactStatistics, KeepASmallSpreadOnALargeMean) {
  ExactStatistics statistics(1);
  for (const Real value : {7e13, 7e13 + 1, 7e13 + 2}) statistics.add(value);
  EXPECT_EQ(statistics.summary().mean, 7e13 + 1);
  EXPECT_DOUBLE_EQ(statistics.summary().sd, std::sqrt(2.0 / 3));

  ExactStatistics same(error_unit);
  for (int i = 0; i < 1000; ++i) same.add(0.1);
  EXPECT_EQ(same.summary().sd, 0);
}

TEST(ExactStatistics, OfNothingAndOfNonsense) {
  ExactStatistics statistics(error_unit);
  EXPECT_EQ(statistics.summary().count, 0u);
  EXPECT_EQ(statistics.summary().mean, 0);
  EXPECT_EQ(statistics.min(), 0);
  statistics.add(-1);
  EXPECT_EQ(statistics.summary().max, 0);
  statistics.add(std::nan(""));  // never hidden: it is as bad as can be
  EXPECT_EQ(statistics.summary().max, 4);
  statistics.add(infinity);
  EXPECT_EQ(statistics.summary().max, 4);
}

TEST(ExactStatistics, HoldAsManyLargestNumbersAsTheySay) {
  ExactStatistics statistics(1);
  statistics.add(infinity);
  for (int doubling = 0; doubling < 35; ++doubling) statistics.merge(statistics);
  EXPECT_EQ(statistics.count(), std::uint64_t{1} << 35);
  EXPECT_EQ(statistics.summary().mean, 0x1p46);
  EXPECT_EQ(statistics.summary().sd, 0);
}

RC_GTEST_PROP(ExactStatistics, GoThroughWords, (std::uint64_t seed)) {
  Random random(seed);
  ExactStatistics statistics(error_unit);
  Histogram histogram = Histogram::linear(0.1, 12);
  for (const Real value : random_values(random, 1.2)) {
    statistics.add(value);
    histogram.add(value);
  }
  Words words = words_of(statistics);
  histogram.append(words);

  std::span<const std::uint64_t> left = words;
  ExactStatistics statistics_again(error_unit);
  Histogram histogram_again = Histogram::linear(0.1, 12);
  RC_ASSERT(statistics_again.take(left) && histogram_again.take(left));
  RC_ASSERT(left.empty());
  RC_ASSERT(statistics_again == statistics && histogram_again == histogram);
  RC_ASSERT(!statistics_again.take(left) && !histogram_again.take(left));
  RC_ASSERT(statistics_again == statistics && histogram_again == histogram);
}

TEST(Histogram, PutsNumbersIntoBins) {
  Histogram histogram = Histogram::linear(0.25, 4);
  for (const Real value : {-1.0, 0.0, 0.2, 0.25, 0.99, 1.0, 7.0, infinity}) histogram.add(value);
  const std::vector<std::uint64_t> wanted{3, 1, 0, 4};
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), histogram.counts().begin()));
  EXPECT_EQ(histogram.edge(3), 0.75);

  Histogram times = Histogram::logarithmic(1, 2, 4);
  for (const Real value : {0.0, 0.5, 1.5, 3.0, 100.0, std::nan("")}) times.add(value);
  const std::vector<std::uint64_t> wanted_times{4, 1, 0, 1};
  EXPECT_TRUE(std::equal(wanted_times.begin(), wanted_times.end(), times.counts().begin()));
  EXPECT_EQ(times.edge(3), 8);
}

TEST(Histogram, PercentilesAreAsFineAsItsBins) {
  Histogram times = Histogram::logarithmic(1, 1.01, 2600);
  std::vector<Real> values;
  Random random(1);
  for (int i = 0; i < 5000; ++i) values.push_back(std::exp(random.uniform(0, 20)));
  for (const Real value : values) times.add(value);
  for (const Real share : {0.0, 0.01, 0.5, 0.9, 0.99, 1.0}) {
    const Real wanted = percentile(values, share);
    EXPECT_NEAR(times.percentile(share) / wanted, 1, 0.02) << share;
  }
  EXPECT_EQ(Histogram::linear(1, 3).percentile(0.5), 0);
}

}  // namespace
}  // namespace gestik
