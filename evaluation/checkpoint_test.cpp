#include "evaluation/checkpoint.h"

#include <gtest/gtest.h>

#include "evaluation/folder_for_test.h"

namespace gestik::evaluation {
namespace {

const Checkpoint::Options options{{"postures", "200"}, {"solvers", "erik,dls 100"}, {"empty", ""}};

Words some_words(std::size_t count) {
  Words words;
  for (std::size_t i = 0; i < count; ++i) words.push_back(i * 0x9e3779b97f4a7c15u);
  return words;
}

TEST(Checkpoint, ComesBackAsItWas) {
  const TestFolder folder;
  for (const std::size_t count : {0u, 1u, 15u, 16u, 17u, 1000u}) {
    ASSERT_FALSE(write_checkpoint(folder.file("c"), {options, some_words(count)}));
    const Result<Checkpoint> again = read_checkpoint(folder.file("c"), options);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(again->words, some_words(count));
    EXPECT_EQ(again->options, options);
  }
}

TEST(Checkpoint, DamageIsSeenWhereverItIs) {
  const TestFolder folder;
  ASSERT_FALSE(write_checkpoint(folder.file("c"), {options, some_words(20)}));
  const std::string whole = folder.read("c");
  for (std::size_t i = 0; i + 1 < whole.size(); i += 5) {
    std::string changed = whole;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_FALSE(read_checkpoint(folder.written("d", changed), options)) << i;
    EXPECT_FALSE(read_checkpoint(folder.written("d", whole.substr(0, i)), options)) << i;
  }
  EXPECT_FALSE(read_checkpoint(folder.file("nothing here"), options));
}

TEST(Checkpoint, OfOtherOptionsIsRefusedByName) {
  const TestFolder folder;
  ASSERT_FALSE(write_checkpoint(folder.file("c"), {options, {}}));
  Checkpoint::Options others = options;
  others[0].second = "300";
  EXPECT_NE(read_checkpoint(folder.file("c"), others).error().what.find("postures is 200, not 300"),
            std::string::npos);
  EXPECT_FALSE(read_checkpoint(folder.file("c"), {{"postures", "200"}}));
}

TEST(Checkpoint, SaysWhereItCantBeWritten) {
  const TestFolder folder;
  const std::string path = folder.file("no such folder/c");
  const std::optional<Error> fault = write_checkpoint(path, {});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->where, path);
}

}  // namespace
}  // namespace gestik::evaluation
