#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/target.h"

/// Runs one fuzz target over its corpus: the seeds, and every input that ever broke a reader.
TEST(Replay, CorpusIsSound) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(GESTIK_CORPUS)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    const std::string text = bytes.str();
    EXPECT_EQ(
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), 0);
    ++files;
  }
  EXPECT_GT(files, 0) << "the corpus is empty";
}
