#include "gestik/model/character.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

Character lamp() {
  JointDraft base, arm;
  base.name = "base";
  base.type = JointType::ball;
  arm.name = "arm";
  arm.parent = "base";
  arm.type = JointType::hinge;
  Frame bulb{.name = "bulb", .joint = 1, .joint_from_frame = {Quat::Identity(), Vec3::UnitY()}};
  Frame foot{.name = "foot", .joint = 0, .joint_from_frame = {}, .aim = -Vec3::UnitY()};
  return {
      .name = "lamp",
      .up = UpAxis::y,
      .skeleton = *build({{base, arm}}),
      .ends = {bulb},
      .links = {foot},
      .postures = {{"neutral", {1, 0, 0, 0, 0}}, {"proud", {1, 0, 0, 0, -0.5}}},
      .mimics = {{.joint = 1, .source = 1, .multiplier = 2, .offset = 0.1}},
  };
}

TEST(Character, ASoundOneIsSound) {
  EXPECT_FALSE(check(lamp()));
}

TEST(Character, EveryDefectIsNamed) {
  struct Case {
    std::function<void(Character&)> spoil;
    const char* where;
    const char* what;
  };
  const Real nan = std::nan("");
  for (const Case& bad : {
           Case{[](Character& c) { c.ends[0].name.clear(); }, "", "every end-point needs a name"},
           Case{[](Character& c) { c.ends.push_back(c.ends[0]); }, "end-point 'bulb'", "two have"},
           Case{[](Character& c) { c.links[0].name.clear(); }, "", "every link needs a name"},
           Case{[](Character& c) { c.links.push_back(c.links[0]); }, "link 'foot'", "two have"},
           Case{[](Character& c) { c.postures[1].name.clear(); }, "", "every posture needs"},
           Case{[](Character& c) { c.postures[1].name = "neutral"; }, "posture 'neutral'",
                "two have"},
           Case{[](Character& c) { c.ends[0].joint = 2; }, "end-point 'bulb'", "does not exist"},
           Case{[](Character& c) { c.ends[0].joint = -1; }, "end-point 'bulb'", "does not exist"},
           Case{[](Character& c) { c.links[0].joint = 7; }, "link 'foot'", "does not exist"},
           Case{[&](Character& c) { c.ends[0].joint_from_frame.p.x() = nan; }, "end-point 'bulb'",
                "not finite"},
           Case{[](Character& c) { c.links[0].joint_from_frame.q.w() = infinity; }, "link 'foot'",
                "not finite"},
           Case{[](Character& c) { c.ends[0].joint_from_frame.q.coeffs().setZero(); },
                "end-point 'bulb'", "zero quaternion"},
           Case{[](Character& c) { c.ends[0].aim.setZero(); }, "end-point 'bulb'", "aim"},
           Case{[&](Character& c) { c.links[0].aim.z() = nan; }, "link 'foot'", "aim"},
           Case{[](Character& c) { c.postures[1].q.pop_back(); }, "posture 'proud'",
                "4 numbers, the skeleton needs 5"},
           Case{[&](Character& c) { c.postures[1].q[4] = nan; }, "posture 'proud'",
                "the value of arm is not finite"},
           Case{[](Character& c) { c.postures[1].q[2] = infinity; }, "posture 'proud'",
                "the value of base.y is not finite"},
           Case{[](Character& c) { c.postures[0].q.assign(5, 0); }, "posture 'neutral'",
                "zero quaternion"},
           Case{[](Character& c) { c.mimics[0].joint = 2; }, "mimic", "does not exist"},
           Case{[](Character& c) { c.mimics[0].source = -1; }, "mimic", "does not exist"},
           Case{[&](Character& c) { c.mimics[0].multiplier = nan; }, "'arm'", "not finite"},
           Case{[](Character& c) { c.mimics[0].offset = infinity; }, "'arm'", "not finite"},
       }) {
    SCOPED_TRACE(testing::Message() << bad.where << ": " << bad.what);
    Character character = lamp();
    bad.spoil(character);
    const std::optional<Error> error = check(character);
    if (!error) {
      ADD_FAILURE() << "was not noticed";
      continue;
    }
    EXPECT_NE(error->where.find(bad.where), std::string::npos) << error->where;
    EXPECT_NE(error->what.find(bad.what), std::string::npos) << error->what;
  }
}

TEST(Character, PosturesMayLieOutsideTheLimitsAndNamesMayBeSharedAcrossKinds) {
  Character character = lamp();
  character.postures[1].q[4] = 100;
  character.links[0].name = "bulb";
  EXPECT_FALSE(check(character));
}

TEST(FindPosture, FindsByName) {
  const Character character = lamp();
  const Posture* proud = find_posture(character, "proud");
  ASSERT_NE(proud, nullptr);
  EXPECT_EQ(proud->q[4], -0.5);
  EXPECT_EQ(find_posture(character, "sad"), nullptr);
  EXPECT_EQ(find_posture(character, ""), nullptr);
}

TEST(FindFrame, AsksEndsThenLinksThenJoints) {
  Character character = lamp();
  EXPECT_EQ(find_frame(character, "bulb")->joint, 1);
  EXPECT_EQ(find_frame(character, "bulb")->joint_from_frame.p, Vec3::UnitY());
  EXPECT_EQ(find_frame(character, "foot")->aim, -Vec3::UnitY());
  const Result<Frame> arm = find_frame(character, "arm");
  ASSERT_TRUE(arm);
  EXPECT_EQ(arm->name, "arm");
  EXPECT_EQ(arm->joint, 1);
  EXPECT_TRUE(same_bits(arm->joint_from_frame, Pose{}));
  EXPECT_EQ(arm->aim, Vec3::UnitY());

  character.links.push_back({.name = "arm", .joint = 0, .joint_from_frame = {}});
  EXPECT_EQ(find_frame(character, "arm")->joint, 0);  // a link before a joint
  character.ends.push_back({.name = "foot", .joint = 1, .joint_from_frame = {}});
  EXPECT_EQ(find_frame(character, "foot")->joint, 1);  // an end before a link
}

TEST(FindFrame, SuggestsWhatWasMeant) {
  const Character character = lamp();
  const auto what = [&](std::string_view name) { return find_frame(character, name).error().what; };
  EXPECT_NE(what("blub").find("did you mean 'bulb'?"), std::string::npos);
  EXPECT_NE(what("fot").find("did you mean 'foot'?"), std::string::npos);
  EXPECT_NE(what("bsae").find("did you mean 'base'?"), std::string::npos);
  EXPECT_NE(what("antenna").find("'antenna'"), std::string::npos);
  EXPECT_EQ(what("antenna").find("did you mean"), std::string::npos);
}

TEST(UpAxisNames, AreLetters) {
  EXPECT_EQ(to_string(UpAxis::x), "x");
  EXPECT_EQ(to_string(UpAxis::y), "y");
  EXPECT_EQ(to_string(UpAxis::z), "z");
}

}  // namespace
}  // namespace gestik
