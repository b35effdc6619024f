#include "gestik/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gestik {
namespace {

TEST(Summarize, MeanSpreadAndLargest) {
  const Real values[] = {2, 4, 4, 4, 5, 5, 7, 9};
  const Summary summary = summarize(values);
  EXPECT_EQ(summary.count, 8u);
  EXPECT_DOUBLE_EQ(summary.mean, 5);
  EXPECT_DOUBLE_EQ(summary.sd, 2);  // of the population: divided by 8, not 7
  EXPECT_EQ(summary.max, 9);
}

TEST(Summarize, OfNothingOneAndNegatives) {
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize({}).mean, 0);
  const Real one[] = {-3};
  EXPECT_EQ(summarize(one).mean, -3);
  EXPECT_EQ(summarize(one).sd, 0);
  EXPECT_EQ(summarize(one).max, -3);
}

TEST(Summarize, DoesNotLoseSmallSpreadOnALargeMean) {
  const Real values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};
  EXPECT_NEAR(summarize(values).sd, std::sqrt(2.0 / 3), 1e-6);
}

TEST(Percentile, IsLinearBetweenNeighbours) {
  const Real values[] = {40, 10, 30, 20};  // in no order
  EXPECT_EQ(percentile(values, 0), 10);
  EXPECT_EQ(percentile(values, 1), 40);
  EXPECT_DOUBLE_EQ(percentile(values, 0.5), 25);
  EXPECT_DOUBLE_EQ(percentile(values, 1.0 / 3), 20);
  EXPECT_DOUBLE_EQ(percentile(values, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(percentile(values, 0.99), 39.7);
}

TEST(Percentile, OfNothingOneAndShareOutOfRange) {
  EXPECT_EQ(percentile({}, 0.5), 0);
  const Real one[] = {7};
  for (const Real share : {-1.0, 0.0, 0.5, 1.0, 2.0}) EXPECT_EQ(percentile(one, share), 7);
  const Real two[] = {1, 2};
  EXPECT_EQ(percentile(two, -5), 1);
  EXPECT_EQ(percentile(two, 5), 2);
  EXPECT_EQ(percentile(two, std::nan("")), 1);
}

TEST(Percentile, AnInfiniteNeighbourCountsOnlyBetween) {
  const Real values[] = {1, 2, infinity};
  EXPECT_EQ(percentile(values, 0.5), 2);
  EXPECT_EQ(percentile(values, 1), infinity);
  EXPECT_EQ(percentile(values, 0.75), infinity);
}

TEST(Box, HasWhiskersToTheLastNumbersThatAreNoOutliers) {
  const Real values[] = {30, 1, 2, 3, 4, 5, 6, 7, 8, 9, -20};
  const Box box = box_of(values);
  EXPECT_DOUBLE_EQ(box.quartile_1, 2.5);
  EXPECT_DOUBLE_EQ(box.median, 5);
  EXPECT_DOUBLE_EQ(box.quartile_3, 7.5);
  EXPECT_DOUBLE_EQ(box.spread(), 5);
  EXPECT_EQ(box.low, 1);
  EXPECT_EQ(box.high, 9);
  EXPECT_EQ(box.outliers, (std::vector<Real>{-20, 30}));
}

TEST(Box, OfNothingOneAndEquals) {
  EXPECT_EQ(box_of({}).median, 0);
  for (const std::vector<Real>& values : {std::vector<Real>{7}, std::vector<Real>(5, 7)}) {
    const Box box = box_of(values);
    EXPECT_EQ(box.low, 7);
    EXPECT_EQ(box.median, 7);
    EXPECT_EQ(box.high, 7);
    EXPECT_TRUE(box.outliers.empty());
  }
}

}  // namespace
}  // namespace gestik
