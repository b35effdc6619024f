#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "gestik/base/result.h"
#include "gestik/base/scratch.h"
#include "gestik/base/suggest.h"

namespace gestik {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 7);

  const Result<int> bad = Error{"too many elbows", "joint 'arm'"};
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().what, "too many elbows");
  EXPECT_EQ(bad.error().where, "joint 'arm'");
}

TEST(Result, GivesAccessToMembersAndMovesOut) {
  Result<std::string> text = std::string("lamp");
  text->push_back('s');
  EXPECT_EQ(text->size(), 5u);
  *text += "!";
  const std::string taken = *std::move(text);
  EXPECT_EQ(taken, "lamps!");

  Result<std::unique_ptr<int>> only_movable = std::make_unique<int>(3);
  const std::unique_ptr<int> owned = *std::move(only_movable);
  EXPECT_EQ(*owned, 3);
}

TEST(Result, OfAnErrorTypeIsStillUnambiguous) {
  EXPECT_EQ(to_string(Error{"what", "where"}), "where: what");
  EXPECT_EQ(to_string(Error{"what", ""}), "what");
}

TEST(ResultDeathTest, ReadingTheWrongSideStops) {
  const Result<int> bad = Error{"no", ""};
  EXPECT_DEATH((void)*bad, "this must hold: ok\\(\\)");
  const Result<int> good = 1;
  EXPECT_DEATH((void)good.error(), "this must hold: !ok\\(\\)");
}

TEST(AssertDeathTest, TheHookIsCalledAndTheProgramStopsEvenIfItReturns) {
  const auto hook = [](const char* expression, const char*, int line) {
    std::fprintf(stderr, "hooked <%s> %s\n", expression, line > 0 ? "somewhere" : "nowhere");
  };
  EXPECT_DEATH(
      {
        set_assert_hook(hook);
        GESTIK_ASSERT(1 + 1 == 3);
      },
      "hooked <1 \\+ 1 == 3> somewhere");
}

TEST(Assert, SettingAHookReturnsTheOneBefore) {
  const AssertHook mine = [](const char*, const char*, int) {};
  const AssertHook standard = set_assert_hook(mine);
  EXPECT_NE(standard, nullptr);
  EXPECT_EQ(set_assert_hook(nullptr), mine);
  EXPECT_EQ(set_assert_hook(nullptr), standard);
}

TEST(Assert, DoesNothingWhenItHolds) {
  int evaluated = 0;
  GESTIK_ASSERT(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

bool is_aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

TEST(Scratch, AlignsEveryTypeFromAnyStart) {
  struct alignas(64) Line {
    double values[8];
  };
  alignas(64) std::array<std::byte, 1024> memory;
  for (std::size_t shift = 0; shift < 64; ++shift) {
    Scratch scratch(std::span<std::byte>(memory).subspan(shift));
    const std::span<char> bytes = scratch.take<char>(1);
    const std::span<double> numbers = scratch.take<double>(2);
    const std::span<Line> lines = scratch.take<Line>(2);
    EXPECT_TRUE(is_aligned(numbers.data(), alignof(double)));
    EXPECT_TRUE(is_aligned(lines.data(), 64));
    EXPECT_GE(reinterpret_cast<char*>(numbers.data()), bytes.data() + 1);
    EXPECT_GE(reinterpret_cast<char*>(lines.data()), reinterpret_cast<char*>(&numbers[1] + 1));
    numbers[1] = 1;  // under the sanitizers these must be ours to write
    lines[1].values[7] = 2;
    EXPECT_EQ(numbers.size(), 2u);
    EXPECT_EQ(lines.size(), 2u);
  }
}

TEST(Scratch, BytesForIsEnoughFromAnyStart) {
  alignas(64) std::array<std::byte, 512> memory;
  constexpr std::size_t bytes =
      Scratch::bytes_for<char>(3) + Scratch::bytes_for<double>(5) + Scratch::bytes_for<int>(1);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    Scratch scratch(std::span<std::byte>(memory).subspan(shift, bytes));
    scratch.take<char>(3)[2] = 'x';
    scratch.take<double>(5)[4] = 1;
    scratch.take<int>(1)[0] = 2;
    EXPECT_LE(scratch.left(), bytes);
  }
}

TEST(Scratch, FrameGivesBackWhatWasTakenInIt) {
  Scratch scratch(256);
  EXPECT_EQ(scratch.capacity(), 256u);
  const std::span<double> kept = scratch.take<double>(4);
  kept[3] = 42;
  const std::size_t before = scratch.left();
  double* first = nullptr;
  {
    const Scratch::Frame frame(scratch);
    first = scratch.take<double>(8).data();
    {
      const Scratch::Frame inner(scratch);
      (void)scratch.take<double>(2);
    }
    EXPECT_EQ(scratch.left(), before - 8 * sizeof(double));
  }
  EXPECT_EQ(scratch.left(), before);
  EXPECT_EQ(scratch.take<double>(8).data(), first);
  EXPECT_EQ(kept[3], 42);
}

TEST(Scratch, ServesItsWholeCapacityAndNothing) {
  Scratch scratch(32);
  EXPECT_EQ(scratch.take<std::byte>(32).size(), 32u);
  EXPECT_EQ(scratch.left(), 0u);
  EXPECT_TRUE(scratch.take<std::byte>(0).empty());
  Scratch none(std::size_t{0});
  EXPECT_TRUE(none.take<std::byte>(0).empty());
}

TEST(ScratchDeathTest, AskingForTooMuchStops) {
  Scratch scratch(64);
  EXPECT_DEATH((void)scratch.take<double>(9), "this must hold");
  EXPECT_DEATH((void)scratch.take<double>(SIZE_MAX / 4), "this must hold");  // count * 8 overflows
  (void)scratch.take<char>(60);
  EXPECT_DEATH((void)scratch.take<double>(1), "this must hold");
}

std::string nearest(std::string_view name, std::vector<std::string_view> candidates) {
  return std::string(nearest_name(name, candidates));
}

TEST(NearestName, ForgivesOneSlipInThreeLetters) {
  const std::vector<std::string_view> joints{"shoulder", "elbow", "wrist"};
  EXPECT_EQ(nearest("elbow", joints), "elbow");
  EXPECT_EQ(nearest("elbo", joints), "elbow");    // left out
  EXPECT_EQ(nearest("ellbow", joints), "elbow");  // twice
  EXPECT_EQ(nearest("elbox", joints), "elbow");   // wrong
  EXPECT_EQ(nearest("lebow", joints), "elbow");   // swapped: one slip, not two
  EXPECT_EQ(nearest("WRIST", joints), "wrist");   // case does not count
  EXPECT_EQ(nearest("sholudre", joints), "shoulder");
  EXPECT_EQ(nearest("knee", joints), "");
  EXPECT_EQ(nearest("elxyz", joints), "");
}

TEST(NearestName, TakesTheNearestAndTheFirstOfEquals) {
  EXPECT_EQ(nearest("arm_left", {"arm_lift", "arm_left_2", "arm_lefts"}), "arm_lift");
  EXPECT_EQ(nearest("arm_lefts", {"arm_lift", "arm_left"}), "arm_left");
}

TEST(NearestName, StaysQuietOnShortEmptyAndHugeNames) {
  EXPECT_EQ(nearest("x", {"y"}), "");  // every letter is one slip from every other
  EXPECT_EQ(nearest("ab", {"ac"}), "ac");
  EXPECT_EQ(nearest("", {"a", "ab", ""}), "");
  EXPECT_EQ(nearest("a", {}), "");
  const std::string huge(5000, 'a');
  EXPECT_EQ(nearest(huge, {huge}), "");
  EXPECT_EQ(nearest("aaaa", {huge, "aaab"}), "aaab");
}

TEST(DidYouMean, IsTheTailOfAMessage) {
  const std::vector<std::string_view> joints{"elbow"};
  EXPECT_EQ(did_you_mean("elbwo", joints), "; did you mean 'elbow'?");
  EXPECT_EQ(did_you_mean("tail", joints), "");
}

}  // namespace
}  // namespace gestik
