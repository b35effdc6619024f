#include <gtest/gtest.h>

#include <array>

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

/// A box from one corner to another as OBJ, its sides outward.
std::string box_obj(const std::string& name, const std::array<double, 3>& lo,
                    const std::array<double, 3>& hi) {
  std::ostringstream text;
  for (int i = 0; i < 8; ++i)
    text << "v " << (i & 1 ? hi : lo)[0] << ' ' << (i & 2 ? hi : lo)[1] << ' '
         << (i & 4 ? hi : lo)[2] << '\n';
  text << "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
  return written(name, text.str());
}

/// Between the body and what is ahead of it.
std::string wall() {
  return box_obj("wall.obj", {-1, 0.5, 0.22}, {1, 2, 0.25});
}

TEST(Reach, WritesOverNothingItReads) {
  const std::string own = contents_of(std::string(GESTIK_SOURCE_DIR) + "/behaviours/tired.json");
  const std::string behaviour = written("tired.json", own);
  const Words reach = with(right_hand, {"--target=-0.2,1.2,0.4", "--behaviour", behaviour});
  expect_refused(with(reach, {"--motion", behaviour}), "is what is read");
  EXPECT_EQ(contents_of(behaviour), own);
  expect_refused(with(reach, {"--motion", "-", "--json"}), "beside it");
}

TEST(Reach, TheSwivelMayBeInDegrees) {
  const Words reach = with(right_hand, {"--target=-0.2,1.2,0.4", "--json"});
  EXPECT_NEAR(json_of(with(reach, {"--swivel=-0.5"})).at("hands").at(0).at("swivel").get<double>(),
              -0.5, 1e-9);
  const Json degrees = json_of(with(reach, {"--swivel=-30", "--degrees"})).at("hands").at(0);
  EXPECT_NEAR(degrees.at("swivel").get<double>(), -0.5235987755982988, 1e-9);
  expect_refused(with(reach, {"--swivel", "39"}), "--swivel");
}

// The start is straight, and its wrist keeps its angles: which way it bends is the rest pose's.
TEST(Reach, AStraightArmBendsAsItDoesByNature) {
  for (const char* const hand : {"left", "right"}) {
    const Json told = json_of({"reach", "humanoid", "--hand", hand, "--json",
                               hand[0] == 'l' ? "--target=0.2,1.2,0.4" : "--target=-0.2,1.2,0.4"})
                          .at("hands")
                          .at(0);
    EXPECT_NEAR(told.at("preferred_swivel").get<double>(), 0, 1e-9);
  }
}

TEST(Reach, TheWholeBodyComesAlong) {
  const Words far{"--target=-0.2,1.1,0.72"};
  EXPECT_EQ(gestik(with(right_hand, far)).code, 3);
  for (const char* name : {"normal", "tired", "expansive"}) {
    const Words words = with(right_hand, with(far, {"--behaviour", name}));
    const Outcome outcome = gestik(words);
    EXPECT_EQ(outcome.code, 0) << name << outcome.out << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "right_hand: reached")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, " % of the behaviour '" + std::string(name) + "'"))
        << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "taken back")) << outcome.out;
    const Json told = json_of(words);
    EXPECT_EQ(told.at("behaviour").at("name"), name);
    EXPECT_EQ(told.at("behaviour").at("kept"), 1);
    EXPECT_EQ(told.at("behaviour").at("taken_back"), false);
    EXPECT_EQ(told.at("behaviour").at("feet_kept"), true);
    EXPECT_GT(told.at("hands").at(0).at("behaviour_share"), 0.3);
    EXPECT_EQ(told.at("body").at("position").size(), 3u);
    EXPECT_EQ(told.at("body").at("orientation").size(), 4u);
  }
}

TEST(Reach, AWallIsNotReachedThrough) {
  const Words ahead = with(right_hand, {"--target=-0.2,1.2,0.5"});
  EXPECT_EQ(gestik(ahead).code, 0);
  for (const Words& more : {Words{}, Words{"--behaviour", "normal"}}) {
    const Words words = with(ahead, with({"--obstacles", wall()}, more));
    const Outcome outcome = gestik(words);
    EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
    EXPECT_TRUE(contains(outcome.out, " would meet wall.obj")) << outcome.out;
    const Json hand = json_of(words, 3).at("hands").at(0);
    EXPECT_EQ(hand.at("fault"), "clash");
    EXPECT_EQ(hand.at("meet").at(1), "wall.obj");
    EXPECT_EQ(hand.count("amount"), 0u);
  }
}

TEST(Reach, ATargetInsideAnObstacleMeetsIt) {
  const std::string block = box_obj("block.obj", {-0.5, 0.9, 0.3}, {0.1, 1.5, 0.6});
  const Words words = with(right_hand, {"--target=-0.2,1.2,0.45,1,0,0,0", "--obstacles", block});
  const Json inside = json_of(with(words, {"--behaviour", "normal"}), 3);
  EXPECT_EQ(inside.at("reached"), false);
  const Json hand = json_of(with(right_hand, {"--target=-0.2,1.2,0.45", "--obstacles", block}), 3)
                        .at("hands")
                        .at(0);
  EXPECT_EQ(hand.at("fault"), "clash");
  EXPECT_TRUE(contains(hand.at("reason").get<std::string>(), "would meet block.obj"));
}

TEST(Reach, TheBehaviourIsTakenBackBeforeAnObstacle) {
  // Ahead of the head, where nothing is until the body leans forward.
  const std::string beam = box_obj("beam.obj", {-0.05, 1.45, 0.2}, {0.6, 1.8, 0.3});
  const Words words = with(right_hand, {"--target=-0.25,1,0.4", "--behaviour", "tired"});
  EXPECT_EQ(json_of(words).at("behaviour").at("kept"), 1);
  const Outcome outcome = gestik(with(words, {"--obstacles", beam}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "the behaviour was taken back to ")) << outcome.out;
  const Json told = json_of(with(words, {"--obstacles", beam}));
  EXPECT_LT(told.at("behaviour").at("kept"), 1);
  EXPECT_EQ(told.at("behaviour").at("taken_back"), true);
}

TEST(Reach, FeetMayStandOnAFloor) {
  const std::string floor = box_obj("floor.obj", {-2, -0.1, -2}, {2, 0.001, 2});
  const Words words = with(right_hand, {"--target=-0.2,1.2,0.4", "--obstacles", floor});
  for (const Words& more : {Words{}, Words{"--behaviour", "normal"}}) {
    const Outcome outcome =
        gestik(with(words, with(more, {"--motion", (folder() / "floor.bvh").string()})));
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_FALSE(contains(outcome.out, "meet")) << outcome.out;
  }
}

TEST(Reach, BothHandsWithABehaviourAndTheWayThere) {
  const std::string file = (folder() / "body.json").string();
  const Words words =
      with(right_hand, {"--target=-0.25,1.2,0.5", "--left-target", "0.3,1,0.45", "--behaviour",
                        "expansive", "--motion", file, "--seconds", "0.5"});
  const Json told = json_of(words);
  ASSERT_EQ(told.at("hands").size(), 2u);
  for (const Json& hand : told.at("hands")) {
    EXPECT_EQ(hand.at("reached"), true);
    EXPECT_EQ(hand.at("frames"), 31);
    EXPECT_EQ(hand.at("frames_missed"), 0);
    EXPECT_GT(hand.at("behaviour_share"), 0);
  }
  EXPECT_EQ(told.at("clash_on_the_way").at("frames"), 0);
  // The body moves as a whole, so its clip has a root that does.
  const Json clip = Json::parse(contents_of(file)).at("clips").at(0);
  EXPECT_EQ(clip.at("columns").at(0), "body.x");
  const Json& last = clip.at("frames").back();
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(last.at(k), told.at("body").at("position").at(k), 1e-9);
}

TEST(Reach, WhatMeetsOnTheWayIsSaid) {
  const std::string post = box_obj("post.obj", {-0.3, 0.8, 0.15}, {-0.1, 1.05, 0.2});
  const std::string file = (folder() / "way.bvh").string();
  for (const Words& more : {Words{}, Words{"--behaviour", "normal"}}) {
    const Words words = with(right_hand, with({"--target=-0.2,1.2,0.45", "--obstacles", post,
                                               "--motion", file, "--seconds", "1"},
                                              more));
    const Outcome outcome = gestik(words);
    EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "stands still in ")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "would meet post.obj")) << outcome.out;
    EXPECT_GT(json_of(words).at("hands").at(0).at("frames_missed"), 0);
  }
}

/// A limb, but no flesh.
std::string arm_without_shapes() {
  return written("arm.json", R"({"gestik": 1, "name": "arm", "joints": [
    {"name": "shoulder", "type": "ball"},
    {"name": "elbow", "parent": "shoulder", "type": "hinge", "position": [0, 0.3, 0], "axis": [1, 0, 0]},
    {"name": "wrist", "parent": "elbow", "type": "ball", "position": [0, 0.3, 0]}
  ], "ends": [{"name": "hand", "joint": "wrist"}]})");
}

TEST(Reach, BadBehavioursAndObstaclesAreRefused) {
  const Words words = with(right_hand, {"--target=-0.2,1.2,0.4"});
  const auto behaviour = [&](const std::string& text) {
    return with(words, {"--behaviour", text});
  };
  expect_refused(behaviour("tird"), "did you mean 'tired'?");
  expect_refused(behaviour(""), "no bundled behaviour is called ''");
  expect_refused(behaviour("nowhere.json"), "nowhere.json");
  expect_refused(behaviour(written("bad.json", "{\"gestik\": 1")), "bad.json");
  expect_refused(behaviour(written("none.json", R"({"gestik": 1, "behaviour": "x", "arms": []})")),
                 "no arm");
  expect_refused(behaviour(written("knee.json", R"({"gestik": 1, "behaviour": "x", "arms": [
      {"hand": "right_hand", "keys": [{"swing": [9, 9], "posture": {}}]}]})")),
                 "key 1");
  expect_refused(with(behaviour("normal"), {"--swivel", "1"}), "swivels of its own");
  expect_refused({"reach", "humanoid", "--hand", "left_foot", "--target", "0.1,0.2,0.1",
                  "--behaviour", "normal"},
                 "is not for 'left_foot'");
  expect_refused({"reach", "lamp", "--target", "0,1,0", "--behaviour", "normal"}, "which limb");

  const auto obstacles = [&](const std::string& text) {
    return with(words, {"--obstacles", text});
  };
  expect_refused(obstacles("nowhere.obj"), "nowhere.obj");
  expect_refused(obstacles("wall.stl"), ".obj");
  expect_refused(obstacles(""), "--obstacles");
  expect_refused(obstacles(written("nan.obj", "v 0 nan 0\n")), "nan.obj:1");
  expect_refused(obstacles(written("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")),
                 "flat.obj");
  expect_refused(obstacles(written("empty.obj", "")), "empty.obj");
  expect_refused({"reach", arm_without_shapes(), "--target", "0.2,0.3,0.2", "--obstacles", wall()},
                 "has no shapes");
}

}  // namespace
}  // namespace tool_test
