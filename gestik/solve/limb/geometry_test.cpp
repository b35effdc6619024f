#include "gestik/solve/limb/geometry.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gestik/io/read.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/limb/closed_form.h"
#include "gestik/solve/limb/limbs_for_test.h"

namespace gestik {
namespace {

using namespace test;

std::vector<std::string> mids_of(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (const Limb& limb : find_limbs(skeleton).limbs) names.push_back(skeleton.name(limb.mid));
  return names;
}

TEST(FindLimbs, TheArmsAndLegsOfTheHumanoid) {
  const Loaded humanoid = *bundled_character("humanoid");
  const Skeleton& skeleton = humanoid.character.skeleton;
  const LimbsFound found = find_limbs(skeleton);
  ASSERT_EQ(found.limbs.size(), 4u);
  EXPECT_EQ(
      describe(skeleton, found.limbs[0]),
      "left_shoulder - left_elbow - left_forearm - left_wrist: ball, hinge, twist, ball; 0.29 m "
      "and 0.26 m");
  EXPECT_EQ(describe(skeleton, found.limbs[1]),
            "left_hip - left_knee - left_ankle: ball, hinge, ball; 0.43 m and 0.43 m");
  ASSERT_EQ(found.others.size(), 1u);
  EXPECT_EQ(skeleton.name(found.others[0].joint), "head");
}

TEST(FindLimbs, MirroredLimbsHaveMirroredSwivels) {
  const Loaded humanoid = *bundled_character("humanoid");
  const Skeleton& skeleton = humanoid.character.skeleton;
  const std::vector<Real>& q = find_posture(humanoid.character, "sit")->q;
  const LimbsFound found = find_limbs(skeleton);
  ASSERT_EQ(found.limbs.size(), 4u);
  for (const int i : {0, 1})
    EXPECT_NEAR(swivel_of(found.limbs[i], skeleton, q), swivel_of(found.limbs[i + 2], skeleton, q),
                1e-5);
}

TEST(FindLimbs, ByNameWhereAllJointsAreBalls) {
  EXPECT_EQ(mids_of(capture_rig()),
            (std::vector<std::string>{"LeftForeArm", "LeftLeg", "RightForeArm", "RightLeg"}));
}

TEST(FindLimbs, ByLengthWhereNamesSayNothing) {
  SkeletonDraft draft = draft_of(capture_rig());
  for (JointDraft& joint : draft.joints) {
    const auto plain = [](std::string& name) {
      for (char& c : name) c = static_cast<char>(c == 'e' || c == 'E' ? 'x' : c);  // no leg, no arm
      const std::size_t at = name.find("Arm");
      if (at != std::string::npos) name.replace(at, 3, "B");
    };
    plain(joint.name);
    plain(joint.parent);
  }
  const Skeleton skeleton = *build(draft);
  const std::vector<std::string> mids = mids_of(skeleton);
  EXPECT_EQ(mids.size(), 4u);
  for (const std::string& name : mids) EXPECT_EQ(name.find("Nxck"), std::string::npos) << name;
}

TEST(FindLimbs, RobotsOfSevenHinges) {
  const Skeleton robot = seven_hinges();
  const LimbsFound found = find_limbs(robot);
  ASSERT_EQ(found.limbs.size(), 1u);
  EXPECT_EQ(
      describe(robot, found.limbs[0]),
      "a1 - a2 - a3 - a4 - a5 - a6 - a7: three hinges, hinge, three hinges; 0.42 m and 0.4 m");
}

TEST(FindLimbs, AWristWhoseAxesMissEachOtherIsSaidToBeOpen) {
  const Skeleton robot = seven_hinges(0.088);
  const LimbsFound found = find_limbs(robot);
  EXPECT_TRUE(found.limbs.empty());
  ASSERT_EQ(found.others.size(), 1u);
  EXPECT_EQ(found.others[0].why, NotLimb::open_end);
  EXPECT_NE(describe(robot, found.others[0]).find("don't meet in a point"), std::string::npos);
}

TEST(FindLimbs, SaysWhyNot) {
  EXPECT_EQ(limb_at(hinge_chain("YXXZY"), 4).why, NotLimb::no_base);
  EXPECT_EQ(limb_at(mixed_tree(), 0).why, NotLimb::fixed);
  EXPECT_EQ(limb_at(mixed_tree(), mixed_tree().find("left_hand")).why, NotLimb::open_end);
  const auto slider = [](const char* name, const char* parent) {
    return limb_joint(name, parent, JointType::slider, {0, 0.2, 0}, {0, 1, 0});
  };
  const Skeleton sliding = *build(
      {{limb_joint("ball", "", JointType::ball, {0, 0, 0}, {0, 1, 0}), slider("slide", "ball"),
        limb_joint("end", "slide", JointType::ball, {0, 0.2, 0}, {0, 1, 0})}});
  EXPECT_EQ(limb_at(sliding, 2).why, NotLimb::slider);
  const Skeleton flat = *build({{limb_joint("a", "", JointType::ball, {0, 0, 0}, {0, 1, 0}),
                                 limb_joint("b", "a", JointType::hinge, {0, 0.2, 0}, {1, 0, 0}),
                                 limb_joint("c", "b", JointType::ball, {0, 0, 0}, {0, 1, 0})}});
  EXPECT_FALSE(limb_at(flat, 2).reaches_poses());
}

TEST(FindLimbs, InPublishedRobotsAndCaptures) {
  const std::string folder = GESTIK_SOURCE_DIR "/../shared/data/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data here";
  const auto limbs_of = [&](const std::string& file) {
    const Result<Loaded> loaded = read_character_file(folder + file);
    EXPECT_TRUE(loaded.ok()) << file;
    return mids_of(loaded->character.skeleton);
  };
  EXPECT_EQ(limbs_of("urdf/iiwa14.urdf").size(), 1u);
  EXPECT_TRUE(limbs_of("urdf/panda.urdf").empty());
  const Loaded panda = *read_character_file(folder + "urdf/panda.urdf");
  const LimbsFound found = find_limbs(panda.character.skeleton);
  ASSERT_EQ(found.others.size(), 1u);
  EXPECT_EQ(found.others[0].why, NotLimb::open_end);
  EXPECT_TRUE(limbs_of("urdf/ur5e.urdf").empty());
  EXPECT_EQ(limbs_of("bvh/02_01.bvh"),
            (std::vector<std::string>{"LeftLeg", "RightLeg", "LeftForeArm", "RightForeArm"}));
}

}  // namespace
}  // namespace gestik
