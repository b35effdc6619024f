#include <gtest/gtest.h>

#include "tools/gestik/tool_for_test.h"

// The verb `reach`, as a user calls it.

namespace tool_test {
namespace {

const Words right_hand{"reach", "humanoid", "--posture", "stand", "--hand", "right"};

TEST(Reach, BringsAHandThereAndSaysHow) {
  const Outcome outcome = gestik(with(right_hand, {"--target=-0.2,1.2,0.4"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "right_hand: reached")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "swivel")) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST(Reach, SaysWhyNot) {
  const Outcome far = gestik(with(right_hand, {"--target=-2,1.2,0.4"}));
  EXPECT_EQ(far.code, 3);
  EXPECT_TRUE(contains(far.out, "right_hand: too far by ")) << far.out;
  const Json told = json_of(with(right_hand, {"--target=-2,1.2,0.4"}), 3);
  EXPECT_EQ(told.at("reached"), false);
  EXPECT_EQ(told.at("hands").at(0).at("fault"), "too_far");
  const Json behind = json_of(with(right_hand, {"--target=-0.1,1.2,-0.4,1,0,0,0"}), 3);
  EXPECT_EQ(behind.at("hands").at(0).at("fault"), "limit");
  EXPECT_TRUE(contains(behind.at("hands").at(0).at("reason").get<std::string>(), "beyond its"));
}

TEST(Reach, ListsLimbs) {
  const std::string text = gestik({"reach", "humanoid", "--limbs"}).out;
  EXPECT_TRUE(contains(text, "left_foot: left_hip - left_knee - left_ankle")) << text;
  EXPECT_EQ(json_of({"reach", "humanoid", "--limbs"}).at("limbs").size(), 4u);
  EXPECT_TRUE(contains(gestik({"reach", "lamp", "--limbs"}).out, "no base"));
}

TEST(Reach, BothHandsAndTheWayThere) {
  const std::string file = (folder() / "reach.bvh").string();
  const Words words = with(right_hand, {"--target=-0.2,1.2,0.4", "--left-target", "0.2,1.1,0.4",
                                        "--motion", file, "--seconds", "0.5"});
  const Outcome outcome = gestik(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "left_hand: reached")) << outcome.out;
  EXPECT_TRUE(contains(contents_of(file), "Frames: 31"));
}

TEST(Reach, BadInputIsRefused) {
  expect_refused({"reach", "humanoid"}, "--target");
  expect_refused({"reach", "humanoid", "--target", "0,1,0"}, "say with --hand which limb reaches");
  expect_refused(with(right_hand, {"--target", "0,1"}), "this has 2 numbers");
  expect_refused(with(right_hand, {"--target", "0,nan,1"}), "--target");
  expect_refused(with(right_hand, {"--target", "0,1,0,0,0,0,0"}), "quaternion");
  expect_refused(with(right_hand, {"--target", "0,1,0", "--seconds", "0"}), "--seconds");
  expect_refused(with(right_hand, {"--target", "0,1,0", "--motion", "out.xyz"}), "out.xyz");
  expect_refused({"reach", "lamp", "--target", "0,1,0"}, "which limb");
}

}  // namespace
}  // namespace tool_test
