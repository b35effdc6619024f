#include "gestik/io/urdf.h"

#include <gtest/gtest.h>

#include <clocale>
#include <filesystem>
#include <sstream>

#include "gestik/io/read.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

const std::string data_folder = GESTIK_SOURCE_DIR "/../shared/data/";

/// A robot of everything: every joint type, a mimic, a link with the name of a joint.
constexpr std::string_view everything = R"(<?xml version="1.0"?>
<!-- <robot name="not this one"> -->
<robot name="thing">
  <material name="%n%s"><color rgba="a b c d"/></material>
  <link name="base"><visual><geometry><mesh/></geometry></visual></link>
  <link name="arm"/>
  <link name="rail"/>
  <link name="wheel"/>
  <link name="drone"/>
  <link name="cart"/>
  <link name="tip"/>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="rail"/>
    <origin xyz="0 0 2"/>
    <axis xyz="0 0 -3"/>
    <limit lower="-0.5" upper="1.5" effort="1" velocity="1"/>
  </joint>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="arm"/>
    <origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/></joint>
  <joint name="fly" type="floating">
    <parent link="base"/><child link="drone"/><origin xyz="0 0 5" rpy="0 0 1.5"/>
  </joint>
  <joint name="roll" type="planar">
    <parent link="base"/><child link="cart"/><axis xyz="0 2 0"/>
  </joint>
  <joint name="weld" type="fixed"><parent link="rail"/><child link="tip"/>
    <origin xyz="0 0 0.25"/><mimic joint="spin"/></joint>
  <joint name="base" type="continuous"><parent link="tip"/><child link="base2"/><axis/>
    <mimic joint="spin" multiplier="-2" offset="0.5"/></joint>
  <link name="base2"/>
  <transmission name="t"><joint name="turn"/></transmission>
</robot>
)";

Loaded load(std::string_view text) {
  Result<Loaded> loaded = read_urdf(text, "robot.urdf");
  EXPECT_TRUE(loaded.ok()) << to_string(loaded.error());
  return *std::move(loaded);
}

TEST(Urdf, ReadsEveryKindOfJoint) {
  const Loaded loaded = load(everything);
  const Character& character = loaded.character;
  const Skeleton& s = character.skeleton;
  EXPECT_FALSE(check(character));
  EXPECT_EQ(character.name, "thing");
  EXPECT_EQ(character.up, UpAxis::z);

  // Document order, but parents first: turn is pulled before slide. The root link steps aside for
  // the joint of its name.
  std::vector<std::string> names;
  for (JointId j = 0; j < s.joint_count(); ++j) names.push_back(s.name(j));
  EXPECT_EQ(names,
            (std::vector<std::string>{"base (root)", "turn", "slide", "spin", "fly.x", "fly.y",
                                      "fly.z", "fly", "roll.x", "roll.y", "roll", "weld", "base"}));
  EXPECT_EQ(s.v_size(), 1 + 1 + 1 + 6 + 3 + 1);

  const JointId turn = s.find("turn");
  EXPECT_EQ(s.type(turn), JointType::hinge);
  EXPECT_EQ(s.limits(turn).lo, -1);
  EXPECT_EQ(s.limits(turn).hi, 2);
  EXPECT_EQ(s.axis(turn), Vec3(0, 1, 0));
  const Quat rpy = axis_angle(Vec3::UnitZ(), 0.3) * axis_angle(Vec3::UnitY(), 0.2) *
                   axis_angle(Vec3::UnitX(), 0.1);
  EXPECT_LT((s.parent_from_joint(turn).q.coeffs() - rpy.coeffs()).norm(), 1e-15);
  EXPECT_EQ(s.parent_from_joint(turn).p, Vec3(1, 2, 3));

  const JointId slide = s.find("slide");
  EXPECT_EQ(s.type(slide), JointType::slider);
  EXPECT_EQ(s.axis(slide), Vec3(0, 0, -1));
  EXPECT_EQ(s.limits(slide).lo, -0.5);
  EXPECT_EQ(s.limits(slide).hi, 1.5);

  const JointId spin = s.find("spin");
  EXPECT_EQ(s.type(spin), JointType::hinge);
  EXPECT_EQ(s.axis(spin), Vec3(1, 0, 0)) << "the default of the specification";
  EXPECT_EQ(s.limits(spin).lo, -infinity);
  EXPECT_EQ(s.axis(s.find("base")), Vec3(1, 0, 0)) << "an <axis/> without xyz";

  EXPECT_EQ(s.type(s.find("fly")), JointType::ball);
  EXPECT_EQ(s.parent_from_joint(s.find("fly.x")).p, Vec3(0, 0, 5));
  EXPECT_EQ(s.parent_from_joint(s.find("fly.y")).p, Vec3(0, 0, 0));
  EXPECT_EQ(s.type(s.find("roll")), JointType::hinge);
  for (const char* part : {"roll.x", "roll.y"}) {
    EXPECT_EQ(s.type(s.find(part)), JointType::slider);
    EXPECT_NEAR(s.axis(s.find(part)).dot(Vec3::UnitY()), 0, 1e-15);
  }
  EXPECT_EQ(s.type(s.find("weld")), JointType::fixed);
}

TEST(Urdf, LinksAreFramesAndLeavesAreEnds) {
  const Character character = load(everything).character;
  ASSERT_EQ(character.links.size(), 8u);
  EXPECT_EQ(character.links[0].name, "base");
  EXPECT_EQ(character.links[0].joint, 0);
  const Result<Frame> rail = find_frame(character, "rail");
  ASSERT_TRUE(rail.ok());
  EXPECT_EQ(rail->joint, character.skeleton.find("slide"));

  std::vector<std::string> ends;
  for (const Frame& end : character.ends) {
    ends.push_back(end.name);
    EXPECT_EQ(end.aim, Vec3(0, 0, 1));
  }
  EXPECT_EQ(ends, (std::vector<std::string>{"wheel", "drone", "cart", "base2"}));
}

TEST(Urdf, KeepsMimicsAsData) {
  const Loaded loaded = load(everything);
  const Skeleton& s = loaded.character.skeleton;
  ASSERT_EQ(loaded.character.mimics.size(), 1u);
  const Mimic& mimic = loaded.character.mimics[0];
  EXPECT_EQ(s.name(mimic.joint), "base");
  EXPECT_EQ(s.name(mimic.source), "spin");
  EXPECT_EQ(mimic.multiplier, -2);
  EXPECT_EQ(mimic.offset, 0.5);
  ASSERT_EQ(loaded.warnings.size(), 2u);
  EXPECT_NE(loaded.warnings[0].find("one degree of freedom"), std::string::npos);
  EXPECT_NE(loaded.warnings[1].find("base follows spin"), std::string::npos);
}

TEST(Urdf, OneLinkIsARobot) {
  const Character character = load("<robot name='r'><link name='only'/></robot>").character;
  EXPECT_EQ(character.skeleton.joint_count(), 1);
  ASSERT_EQ(character.ends.size(), 1u);
  EXPECT_EQ(character.ends[0].name, "only");
}

TEST(Urdf, NamesMayHoldAnything) {
  const Character character =
      load(
          "\xEF\xBB\xBF<robot name='&lt;&#233;&#x1F600;&unknown;'><link name=\"a'&amp;%n%s\"/>"
          "<link name='\xC3\xA9t\xC3\xA9'/><joint name='%s%s%n&quot;' type='fixed'>"
          "<parent link=\"a'&amp;%n%s\"/><child link='\xC3\xA9t\xC3\xA9'/></joint></robot>")
          .character;
  EXPECT_EQ(character.name, "<\xC3\xA9\xF0\x9F\x98\x80&unknown;");
  EXPECT_EQ(character.skeleton.name(0), "a'&%n%s");
  EXPECT_EQ(character.skeleton.name(1), "%s%s%n\"");
  EXPECT_EQ(character.links[1].name, "\xC3\xA9t\xC3\xA9");
}

/// A hinge between two links, with parts of it to spoil.
std::string robot(const std::string& inside, const std::string& more = "") {
  return "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<joint name='j' type='revolute'>\n"
         "<parent link='a'/><child link='b'/>\n" +
         inside + "\n</joint>\n" + more + "\n</robot>\n";
}
const std::string limit = "<limit lower='-1' upper='1' effort='0' velocity='0'/>";

TEST(Urdf, KeepsVelocityLimits) {
  const auto with_velocity = [](const std::string& text) {
    return robot("<limit lower='-1' upper='1' effort='0' velocity='" + text + "'/>");
  };
  const Character fast = load(with_velocity(" 2.5 ")).character;
  ASSERT_EQ(fast.motion.size(), 2u);
  EXPECT_EQ(fast.motion[1].velocity, 2.5);
  EXPECT_EQ(fast.motion[1].acceleration, 25);
  EXPECT_EQ(fast.motion[1].jerk, 500);

  const Loaded unknown = load(with_velocity("0"));
  EXPECT_TRUE(unknown.character.motion.empty());
  EXPECT_TRUE(unknown.warnings.empty());
  const Loaded negative = load(with_velocity("-3"));
  EXPECT_TRUE(negative.character.motion.empty());
  ASSERT_EQ(negative.warnings.size(), 1u);
  EXPECT_NE(negative.warnings[0].find("'j' has the velocity limit -3"), std::string::npos);
  const Result<Loaded> word = read_urdf(with_velocity("fast"), "robot.urdf");
  ASSERT_FALSE(word);
  EXPECT_NE(to_string(word.error()).find("joint 'j': velocity='fast'"), std::string::npos)
      << to_string(word.error());

  const Character wheel =
      load(
          "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='continuous'>"
          "<parent link='a'/><child link='b'/><limit effort='1' velocity='7'/></joint></robot>")
          .character;
  ASSERT_EQ(wheel.motion.size(), 2u);
  EXPECT_EQ(wheel.motion[1].velocity, 7);
}

TEST(Urdf, PassesOverMimicsOfNothing) {
  for (const std::string source : {"a", "nobody", "j"}) {
    const Loaded loaded = load(robot(limit + "<mimic joint='" + source + "'/>"));
    EXPECT_TRUE(loaded.character.mimics.empty());
    ASSERT_EQ(loaded.warnings.size(), 1u);
    EXPECT_NE(loaded.warnings[0].find("'j' mimics '" + source + "'"), std::string::npos);
  }
}

struct BadUrdf {
  std::string text;
  int line;
  std::string words;
};

TEST(Urdf, RefusesWithLineAndWords) {
  const std::string joint =
      "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>";
  const std::vector<BadUrdf> cases{
      {"", 1, "no XML element"},
      {"{\"json\": 1}", 1, "no XML element"},
      {"\n\n<sdf/>", 3, "begins with <robot"},
      {"<robot/>", 1, "no name"},
      {"<robot name='r'/>", 1, "no link"},
      {"<robot name='r'>\n<link name='a'>\n</robot>", 3,
       "where <link> must be closed, from line 2"},
      {"<robot name='r'>\n<link name='a'/>\n", 3, "cut short"},
      {"<robot name='r'>\n<link name='a", 2, "closing quote"},
      {"<robot name='r'>\n<link name=a/>", 2, "in quotes"},
      {"<robot name='r'>\n<link name", 2, "lacks its '='"},
      {"<robot name='r'>\n<link name='a' name='b'/>", 2, "twice"},
      {"<robot name='r'>\n<!-- oops", 2, "-->"},
      {"<robot name='r'>\n< link/>", 2, "begins no tag"},
      {"<robot name='r'><link name='a'/></robot>\n<robot/>", 2, "one outermost element"},
      {"</robot>", 1, "closes nothing"},
      {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", 1, "document type"},
      {"<robot name='r'>\n<xacro:macro/></robot>", 2, "xacro"},
      {"<robot name='r'>\n<link/></robot>", 2, "a link has no name"},
      {"<robot name='r'>\n<link name=' '/></robot>", 2, "a link has no name"},
      {"<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>", 3, "already, on line 2"},
      {"<robot name='r'>\n<link name='a'/>\n<link name='b'/></robot>", 3,
       "'a' is the root already"},
      {robot(limit, "<joint/>"), 8, "a joint has no name"},
      {robot(limit, "<joint name='k'/>"), 8, "no type"},
      {robot(limit, "<joint name='k' type='revolut'/>"), 8, "did you mean 'revolute'?"},
      {robot(limit, "<joint name='k' type='fixed'/>"), 8, "no parent"},
      {robot(limit, "<joint name='k' type='fixed'><parent link='b'/></joint>"), 8, "no child"},
      {robot(limit, joint), 8, "child link 'c' does not exist"},
      {robot(limit, "<link name='cc'/>\n" + joint), 9, "did you mean 'cc'?"},
      {robot(limit, "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"), 8,
       "already, on line 4"},
      {robot(limit, "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>"), 8,
       "cut the loop"},
      {robot(limit, "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"), 4,
       "cycle"},
      {robot(limit,
             "<link name='c'/><joint name='k' type='fixed'>\n<parent link='c'/>"
             "<child link='c'/></joint>"),
       8, "cycle"},
      {robot(""), 4, "has no limit"},
      {robot("<limit lower='1' upper='-1'/>"), 6, "swap them"},
      {robot("<limit lower='1'/>"), 6, "swap them"},
      {robot("<limit lower='nan'/>"), 6, "one finite number"},
      {robot("<limit lower='-inf'/>"), 6, "one finite number"},
      {robot("<limit lower='1,5'/>"), 6, "one finite number"},
      {robot("<limit lower='1e999'/>"), 6, "one finite number"},
      {robot(limit + "\n<origin xyz='0 0'/>"), 7, "three finite numbers"},
      {robot(limit + "\n<origin xyz='0 0 0 0'/>"), 7, "three finite numbers"},
      {robot(limit + "\n<origin rpy='0 nan 0'/>"), 7, "three finite numbers"},
      {robot(limit + "\n<origin xyz='0 %n %s'/>"), 7, "three finite numbers"},
      {robot(limit + "\n<origin xyz='${x} 0 0'/>"), 7, "three finite numbers"},
      {robot(limit + "\n<axis xyz='0 -0 0e5'/>"), 7, "axis is zero"},
      {robot(limit + "\n<axis xyz='0 0 0x1'/>"), 7, "three finite numbers"},
      {robot(limit + "\n<mimic/>"), 7, "mimics no joint"},
      {robot(limit + "\n<mimic joint='x' offset='big'/>"), 7, "one finite number"},
      {"<robot name='r'>\n<link name='\xE9'/></robot>", 2, "UTF-8"},
      {std::string("<robot name='r'>\n<link name='\0'/></robot>", 35), 2, "text file"},
      {"<robot name='r'>\n\n<link name='a'/><link name='b'/><link name='c'/>\n"
       "<joint name='j' type='floating'><parent link='a'/><child link='b'/></joint>\n"
       "<joint name='j.x' type='fixed'><parent link='b'/><child link='c'/></joint></robot>",
       5, "two joints have this name"},
  };
  for (const BadUrdf& bad : cases) {
    const Result<Loaded> loaded = read_urdf(bad.text, "bad.urdf");
    ASSERT_FALSE(loaded.ok()) << bad.text;
    EXPECT_EQ(loaded.error().where, "bad.urdf:" + std::to_string(bad.line)) << bad.text;
    EXPECT_NE(loaded.error().what.find(bad.words), std::string::npos)
        << to_string(loaded.error()) << "\nfor " << bad.text;
  }
}

TEST(Urdf, TruncatedAnywhereIsAnErrorNotACrash) {
  const std::string_view whole = trimmed(everything);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(read_urdf(whole.substr(0, length), "cut.urdf").ok()) << length;
}

TEST(Urdf, DeepNestingIsNoTrouble) {
  std::string text = "<robot name='r'><link name='a'/>";
  for (int i = 0; i < 100'000; ++i) text += "<deep>";
  for (int i = 0; i < 100'000; ++i) text += "</deep>";
  EXPECT_TRUE(read_urdf(text + "</robot>", "deep.urdf").ok());
}

TEST(Urdf, LongChainsAreNoTrouble) {
  constexpr int count = 100'000;
  std::string text = "<robot name='r'><link name='l100000'/>";
  for (int i = 1; i <= count; ++i) {
    const std::string before = std::to_string(count + i - 1), here = std::to_string(count + i);
    text += "<link name='l" + here + "'/><joint name='j" + here +
            "' type='continuous'><parent link='l" + before + "'/><child link='l" + here +
            "'/><origin xyz='0 0 1'/></joint>";
  }
  const Character character = load(text + "</robot>").character;
  EXPECT_EQ(character.skeleton.v_size(), count);
  const std::vector<Pose> world = poses(character.skeleton, character.skeleton.neutral());
  EXPECT_EQ(world.back().p, Vec3(0, 0, count));
}

TEST(Urdf, SaysNothingOnStandardError) {
  testing::internal::CaptureStderr();
  (void)read_urdf(everything, "robot.urdf");
  EXPECT_FALSE(read_urdf("<robot name='r'><link/></robot>", "robot.urdf").ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Urdf, NumbersDoNotDependOnTheLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no German locale here";
  const Character character = load(robot("<limit lower='-1.5' upper='1.5'/>")).character;
  std::setlocale(LC_ALL, before.c_str());
  EXPECT_EQ(character.skeleton.limits(1).lo, -1.5);
}

struct Robot {
  const char* file;
  int dof, mimics;
};

TEST(UrdfData, EveryRobotHasItsDegreesOfFreedom) {
  if (!std::filesystem::exists(data_folder + "urdf")) GTEST_SKIP() << "no ../shared/data here";
  // Free and mimicking degrees of freedom, as the data's own manifest counts them.
  const std::vector<Robot> robots{{"urdf/allegro_hand_right.urdf", 16, 0},
                                  {"urdf/anymal_c.urdf", 12, 0},
                                  {"urdf/baxter.urdf", 17, 2},
                                  {"urdf/fanuc_m10ia.urdf", 6, 0},
                                  {"urdf/iiwa14.urdf", 7, 0},
                                  {"urdf/lelamp.urdf", 5, 0},
                                  {"urdf/panda.urdf", 8, 1},
                                  {"urdf/pepper.urdf", 17, 28},
                                  {"urdf/phantomx_hexapod.urdf", 18, 0},
                                  {"urdf/poppy_ergo_jr.urdf", 6, 0},
                                  {"urdf/reachy_mini.urdf", 30, 0},
                                  {"urdf/reu_snake_16.urdf", 15, 0},
                                  {"urdf/so101.urdf", 6, 0},
                                  {"urdf/talos_full_v2.urdf", 32, 12},
                                  {"urdf/unitree_g1_29dof.urdf", 29, 0},
                                  {"urdf/ur5e.urdf", 6, 0},
                                  {"ikbench/coiks/hsr.urdf", 5, 0},
                                  {"ikbench/coiks/iiwa.urdf", 7, 0},
                                  {"ikbench/coiks/jaco.urdf", 6, 0},
                                  {"ikbench/coiks/panda.urdf", 7, 0},
                                  {"ikbench/coiks/ur5.urdf", 6, 0},
                                  {"ikbench/coiks/xarm7.urdf", 7, 0}};
  for (const Robot& expected : robots) {
    const Result<Loaded> loaded = read_urdf(*read_file(data_folder + expected.file), expected.file);
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    const Character& character = loaded->character;
    EXPECT_FALSE(check(character)) << expected.file;
    EXPECT_EQ(character.mimics.size(), static_cast<std::size_t>(expected.mimics)) << expected.file;
    EXPECT_EQ(character.skeleton.v_size(), expected.dof + expected.mimics) << expected.file;
  }
}

/// The numbers of a row of comma-separated ones.
std::vector<Real> numbers_of(const std::string& row) {
  std::vector<Real> numbers;
  std::istringstream cells(row);
  for (std::string cell; std::getline(cells, cell, ',');)
    numbers.push_back(parse_real(trimmed(cell)).value_or(infinity));
  return numbers;
}

TEST(UrdfData, ForwardKinematicsMeetsTheBenchmarksTargets) {
  const std::string folder = data_folder + "ikbench/coiks/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data here";
  Real worst = 0;
  int compared = 0;
  for (const std::string robot : {"hsr", "iiwa", "jaco", "panda", "ur5", "xarm7"}) {
    const Character character = load(*read_file(folder + robot + ".urdf")).character;
    const Result<Frame> tip = find_frame(character, "link_ee");
    ASSERT_TRUE(tip.ok()) << robot;
    std::istringstream rows(*read_file(folder + "targets_" + robot + ".csv"));
    std::string row;
    std::getline(rows, row);  // problem_id, px, py, pz, qw, qx, qy, qz, q1, ...
    while (std::getline(rows, row)) {
      const std::vector<Real> n = numbers_of(row);
      ASSERT_EQ(n.size(), 8u + static_cast<std::size_t>(character.skeleton.q_size())) << robot;
      const Pose pose =
          poses(character.skeleton, ConstQ(n).subspan(8))[tip->joint] * tip->joint_from_frame;
      const Vec3 p(n[1], n[2], n[3]);
      const Quat q(n[4], n[5], n[6], n[7]);
      worst = std::max({worst, (pose.p - p).norm(), angle_between(pose.q, q)});
      ++compared;
    }
  }
  EXPECT_EQ(compared, 6000);
  EXPECT_LT(worst, 1e-9);
  RecordProperty("worst_error", std::to_string(worst * 1e15) + "e-15");
}

}  // namespace
}  // namespace gestik
