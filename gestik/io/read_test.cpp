#include "gestik/io/read.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace gestik {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own, gone when it ends.
class ReadFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("gestik_" + std::string(test->name()) + "_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  long count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

void expect_refusal(const Error& error, const std::string& where, const std::string& word) {
  EXPECT_EQ(error.where, where);
  EXPECT_NE(error.what.find(word), std::string::npos) << error.what;
}

TEST_F(ReadFiles, writes_and_reads_back_any_bytes) {
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 7);
  for (const std::string& contents : {bytes, std::string("short\r\n"), std::string()}) {
    ASSERT_FALSE(write_file(path("a.bin"), contents));
    EXPECT_EQ(*read_file(path("a.bin")), contents);
    EXPECT_EQ(count(), 1);
  }
}

TEST_F(ReadFiles, replaces_a_file_and_keeps_its_permissions) {
  ASSERT_FALSE(write_file(path("a"), "one"));
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_FALSE(write_file(path("a"), "two"));
  EXPECT_EQ(*read_file(path("a")), "two");
  EXPECT_EQ(fs::status(path("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ReadFiles, writes_through_a_link) {
  ASSERT_FALSE(write_file(path("a"), "one"));
  fs::create_symlink(path("a"), path("link"));
  ASSERT_FALSE(write_file(path("link"), "two"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(*read_file(path("a")), "two");
}

TEST_F(ReadFiles, leaves_a_neighbour_alone_that_another_writer_has_taken) {
  ASSERT_FALSE(write_file(path("a.part0"), "theirs"));
  ASSERT_FALSE(write_file(path("a"), "ours"));
  EXPECT_EQ(*read_file(path("a.part0")), "theirs");
  EXPECT_EQ(count(), 2);
}

TEST_F(ReadFiles, says_why_a_file_cannot_be_written) {
  expect_refusal(*write_file(folder_.string(), "x"), folder_.string(), "folder");
  expect_refusal(*write_file(path("no/such/a"), "x"), path("no/such/a"), "No such file");
  EXPECT_EQ(count(), 0);
}

TEST_F(ReadFiles, writes_to_a_device_without_replacing_it) {
  ASSERT_FALSE(write_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(ReadFiles, says_why_a_file_cannot_be_read) {
  expect_refusal(read_file(path("a")).error(), path("a"), "no such file");
  expect_refusal(read_file("").error(), "", "no such file");
  expect_refusal(read_file(folder_.string()).error(), folder_.string(), "folder");
  expect_refusal(read_file("/dev/zero").error(), "/dev/zero", "256 MB");
}

TEST_F(ReadFiles, reads_what_has_no_size_and_no_seeking) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "through a pipe", 14), 14);
  close(ends[1]);
  EXPECT_EQ(*read_file("/dev/fd/" + std::to_string(ends[0])), "through a pipe");
  close(ends[0]);
}

TEST_F(ReadFiles, knows_a_character_file_by_its_ending) {
  const std::string lamp = *read_file(GESTIK_SOURCE_DIR "/characters/lamp.json");
  for (const char* name : {"lamp.json", "LAMP.JSON", "a.b.Json"}) {
    ASSERT_FALSE(write_file(path(name), lamp));
    const Result<Loaded> loaded = read_character_file(path(name));
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    EXPECT_EQ(loaded->character.name, "lamp");
  }
  for (const char* name : {"lamp", "lamp.txt", "lamp.json.gz", ".json"})
    expect_refusal(read_character_file(path(name)).error(), path(name), ".urdf");
  for (const char* name : {"gone.json", "gone.urdf", "gone.bvh"})
    expect_refusal(read_character_file(path(name)).error(), path(name), "no such file");
}

TEST_F(ReadFiles, names_the_file_and_the_line_of_a_fault) {
  ASSERT_FALSE(write_file(path("bad.json"), "{\n\"gestik\": 9}"));
  expect_refusal(read_character_file(path("bad.json")).error(), path("bad.json") + ":2", "version");
}

TEST(BundledCharacters, are_listed_in_order) {
  const std::vector<std::string_view> expected{"A", "B", "C",        "D",    "E",
                                               "F", "G", "humanoid", "lamp", "snake"};
  EXPECT_EQ(bundled_character_names(), expected);
}

TEST(BundledCharacters, are_the_files_of_the_folder) {
  for (std::string_view name : bundled_character_names()) {
    const Result<Loaded> bundled = bundled_character(name);
    ASSERT_TRUE(bundled) << to_string(bundled.error());
    EXPECT_EQ(bundled->character.name, name);
    const auto file =
        read_character_file(GESTIK_SOURCE_DIR "/characters/" + std::string(name) + ".json");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->character.postures.size(), bundled->character.postures.size());
  }
}

TEST(BundledCharacters, suggest_a_name_and_list_them_all) {
  const Result<Loaded> loaded = bundled_character("lmap");
  ASSERT_FALSE(loaded);
  for (const char* word : {"'lmap'", "did you mean 'lamp'?", "humanoid, lamp, snake"})
    EXPECT_NE(loaded.error().what.find(word), std::string::npos) << loaded.error().what;
  EXPECT_FALSE(bundled_character(""));
}

}  // namespace
}  // namespace gestik
