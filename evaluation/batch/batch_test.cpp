#include "evaluation/batch/batch.h"

#include <gtest/gtest.h>

namespace gestik::evaluation::batch {
namespace {

TEST(EvalBatch, AllWaysGiveTheSameAnswers) {
  const Result<std::vector<Row>> rows =
      evaluate({.characters = {"C", "G"}, .count = 300, .repeat = 1, .threads = 2}, {});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  for (const Row& row : *rows) {
    EXPECT_EQ(row.count, 300u);
    EXPECT_EQ(row.reached, 300u) << row.character;
    EXPECT_EQ(row.most_apart, 0) << row.character;
    EXPECT_GT(row.alone_us, 0);
    EXPECT_GT(row.side_by_side_us, 0);
    EXPECT_LE(row.error, 1.05 * row.error_of_eight) << row.character;
  }
}

TEST(EvalBatch, SaysWhatItDoesNotTake) {
  EXPECT_FALSE(evaluate({.characters = {"nobody"}}, {}));
  EXPECT_FALSE(evaluate({.characters = {"humanoid"}}, {}));
}

}  // namespace
}  // namespace gestik::evaluation::batch
