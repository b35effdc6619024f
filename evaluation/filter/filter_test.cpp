#include <gtest/gtest.h>

#include "evaluation/filter/report.h"
#include "gestik/io/read.h"

namespace gestik::evaluation::filter {
namespace {

TEST(FilterReport, shows_that_only_one_filter_keeps_its_limits) {
  const Comparison comparison = compare_filters();
  ASSERT_EQ(comparison.tracks.size(), 3u);
  for (const Track& track : {comparison.tracks[0], comparison.tracks[1]}) {
    EXPECT_LE(track.most_velocity, 1 + 1e-9);
    EXPECT_LE(track.most_acceleration, 1 + 1e-9);
    EXPECT_LE(track.most_jerk, 1 + 1e-6);  // rounding of samples, a hundredth of a second apart
    EXPECT_EQ(track.overshoot, 0);
  }
  EXPECT_GT(comparison.tracks[2].most_jerk, 1.5);
  EXPECT_GT(comparison.tracks[2].seconds_to_target, comparison.tracks[0].seconds_to_target);
}

/// The documents show what the code does now.
TEST(FilterReport, pictures_in_the_documents_are_up_to_date) {
  for (const NamedText& picture : pictures()) {
    const Result<std::string> shown =
        read_file(std::string(GESTIK_SOURCE_DIR "/docs/").append(picture.name));
    ASSERT_TRUE(shown) << to_string(shown.error());
    EXPECT_TRUE(*shown == picture.text)
        << picture.name << " differs; draw it again: gestik eval filter --out docs";
    EXPECT_LT(picture.text.size(), 150'000u);
  }
}

}  // namespace
}  // namespace gestik::evaluation::filter
