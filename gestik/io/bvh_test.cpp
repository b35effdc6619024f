#include "gestik/io/bvh.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "gestik/io/read.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

const std::string data_folder = GESTIK_SOURCE_DIR "/../shared/data/bvh/";

const std::string small = R"(HIERARCHY
ROOT Hips
{
	OFFSET 0 1 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT Left Leg
	{
		OFFSET 0.5 -1 0
		CHANNELS 2 Xrotation Zrotation
		End Site
		{
			OFFSET 0 -2 0
		}
	}
	JOINT Head
	{
		OFFSET 0 2 0
		CHANNELS 4 Yrotation Xrotation Yposition Zrotation
	}
	JOINT Tail
	{
		OFFSET 0 0 -1
		CHANNELS 0
		JOINT Tip
		{
			OFFSET 0 0 -1
			End Site
			{
				OFFSET 0 0 0
			}
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.04
1 2 3 10 20 30 40 50 60 70 0.5 80
1 2 3 170 20 30 40 50 60 70 0.5 80
1 2 3 190 90 30 40 50 60 70 0.5 80
)";

Loaded load(std::string_view text, const BvhOptions& options = {}) {
  Result<Loaded> loaded = read_bvh(text, "dir/clip.bvh", options);
  EXPECT_TRUE(loaded.ok()) << to_string(loaded.error());
  return *std::move(loaded);
}

std::vector<std::string> names_of(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) names.push_back(skeleton.name(j));
  return names;
}

Quat turn(int axis, Real degrees) {
  return axis_angle(Vec3::Unit(axis), degrees * pi / 180);
}

TEST(Bvh, ReadsBallsAndHinges) {
  const Loaded loaded = load(small);
  const Character& character = loaded.character;
  const Skeleton& s = character.skeleton;
  EXPECT_FALSE(check(character));
  EXPECT_TRUE(loaded.warnings.empty());
  EXPECT_EQ(character.name, "clip");
  EXPECT_EQ(character.up, UpAxis::y);
  EXPECT_EQ(names_of(s),
            (std::vector<std::string>{"Hips.x", "Hips.y", "Hips.z", "Hips", "Left Leg.rx",
                                      "Left Leg", "Head.y", "Head", "Tail", "Tip"}));
  EXPECT_EQ(s.type(3), JointType::ball);
  EXPECT_LT((s.axis(3) - Vec3(0.5, -1, 0).normalized()).norm(), 1e-15) << "towards the first child";
  EXPECT_EQ(s.axis(s.find("Head")), Vec3(0, 1, 0)) << "with no child, up";
  EXPECT_EQ(s.type(s.find("Left Leg")), JointType::hinge);
  EXPECT_EQ(s.type(s.find("Tail")), JointType::fixed);
  EXPECT_EQ(s.limits(s.find("Left Leg")).hi, infinity);
}

TEST(Bvh, EndSitesAndBareJointsAreEnds) {
  const Character character = load(small).character;
  ASSERT_EQ(character.ends.size(), 3u);
  EXPECT_EQ(character.ends[0].name, "Left Leg_end");
  EXPECT_EQ(character.ends[0].joint_from_frame.p, Vec3(0, -2, 0));
  EXPECT_EQ(character.ends[0].aim, Vec3(0, -1, 0));
  EXPECT_EQ(character.ends[1].name, "Head");
  EXPECT_EQ(character.ends[2].name, "Tip_end");
  EXPECT_EQ(character.ends[2].aim, Vec3(0, 1, 0));
}

TEST(Bvh, ChannelsComposeInTheFilesOrder) {
  for (const BvhOptions& options : {BvhOptions{}, BvhOptions{.unit = 1, .hinges = {"*"}}}) {
    const Loaded loaded = load(small, options);
    const Skeleton& s = loaded.character.skeleton;
    ASSERT_EQ(loaded.clips.size(), 1u);
    const Clip& clip = loaded.clips[0];
    EXPECT_FALSE(check(clip, s));
    EXPECT_EQ(clip.frame_count(), 3);
    EXPECT_EQ(clip.rate, 25);
    const std::vector<Pose> world = poses(s, clip.frame(0));
    const Pose hips{turn(2, 10) * turn(1, 20) * turn(0, 30), Vec3(1, 3, 3)};
    const Pose leg = hips * Pose{turn(0, 40) * turn(2, 50), Vec3(0.5, -1, 0)};
    const Pose head = hips * Pose{turn(1, 60) * turn(0, 70) * turn(2, 80), Vec3(0, 2.5, 0)};
    for (const auto& [name, pose] :
         {std::pair{"Hips", hips}, std::pair{"Left Leg", leg}, std::pair{"Head", head}}) {
      const Pose& found = world[s.find(name)];
      EXPECT_LT((found.p - pose.p).norm(), 1e-14) << name;
      EXPECT_LT(angle_between(found.q, pose.q), 1e-14) << name;
    }
  }
}

TEST(Bvh, HingesAreChosenPerJoint) {
  const Skeleton s = load(small, {.unit = 1, .hinges = {"Head"}}).character.skeleton;
  EXPECT_EQ(s.type(s.find("Hips")), JointType::ball);
  for (const char* part : {"Head.ry", "Head.rx", "Head"})
    EXPECT_EQ(s.type(s.find(part)), JointType::hinge) << part;
  EXPECT_EQ(s.axis(s.find("Head")), Vec3(0, 0, 1)) << "the last rotation carries the plain name";

  const Result<Loaded> wrong = read_bvh(small, "clip.bvh", {.unit = 1, .hinges = {"Haed"}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().what.find("did you mean 'Head'?"), std::string::npos);
}

TEST(Bvh, UnitScalesLengthsOnly) {
  const Loaded one = load(small), scaled = load(small, {.unit = 0.01, .hinges = {}});
  const std::vector<Pose> a = poses(one.character.skeleton, one.clips[0].frame(0));
  const std::vector<Pose> b = poses(scaled.character.skeleton, scaled.clips[0].frame(0));
  for (std::size_t j = 0; j < a.size(); ++j) {
    EXPECT_LT((a[j].p * 0.01 - b[j].p).norm(), 1e-15);
    EXPECT_LT(angle_between(a[j].q, b[j].q), 1e-15);
  }
  EXPECT_EQ(scaled.character.ends[0].joint_from_frame.p, Vec3(0, -0.02, 0));
  for (Real unit : {0.0, -1.0, infinity, std::nan("")})
    EXPECT_FALSE(read_bvh(small, "clip.bvh", {.unit = unit, .hinges = {}}).ok());
}

TEST(Bvh, QuaternionsKeepTheirSign) {
  const Loaded loaded = load(small);
  const Clip& clip = loaded.clips[0];
  const int at = loaded.character.skeleton.q_offset(loaded.character.skeleton.find("Hips"));
  for (int f = 1; f < clip.frame_count(); ++f) {
    const Quat before = load_quat(&clip.frame(f - 1)[at]), now = load_quat(&clip.frame(f)[at]);
    EXPECT_GT(before.dot(now), 0) << f;
  }
}

TEST(Bvh, ToleratesWhatExportersWrite) {
  std::string crlf;
  for (char c : small) crlf += c == '\n' ? std::string(" \t\r\n") : std::string(1, c);
  std::string shouted = small, tight = small;
  std::transform(shouted.begin(), shouted.end(), shouted.begin(),
                 [](char c) { return static_cast<char>(std::toupper(c)); });
  tight.replace(tight.find("Frames: 3"), 9, "frames :3");
  tight.replace(tight.find("Hips\n{"), 6, "Hips { ");
  tight.pop_back();
  std::string old_mac = small;
  std::replace(old_mac.begin(), old_mac.end(), '\n', '\r');
  for (const std::string& text :
       {crlf, old_mac, shouted, tight, "\xEF\xBB\xBF" + small, small + "\n \n"}) {
    const Result<Loaded> loaded = read_bvh(text, "clip.bvh");
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    EXPECT_EQ(loaded->character.skeleton.joint_count(), 10);
    EXPECT_EQ(loaded->clips.at(0).values, load(small).clips.at(0).values);
  }
}

TEST(Bvh, ASkeletonAloneIsFine) {
  const Loaded loaded = load(small.substr(0, small.find("MOTION")));
  EXPECT_EQ(loaded.character.skeleton.joint_count(), 10);
  EXPECT_TRUE(loaded.clips.empty());
}

TEST(Bvh, SecondNamesGetANumber) {
  const Loaded loaded = load(
      "HIERARCHY ROOT A\n{ OFFSET 0 0 0 CHANNELS 2 Xposition Yposition\n"
      "JOINT A\n{ OFFSET 0 0 0\n}\nJOINT A\n{ OFFSET 0 0 0\n}\n"
      "JOINT A.x\n{ OFFSET 0 0 0\n}\n JOINT A_end\n{ OFFSET 0 0 0 End Site\n{ OFFSET 0 1 0 } }\n"
      "End Site\n{ OFFSET 1 0 0 } }");
  EXPECT_EQ(names_of(loaded.character.skeleton),
            (std::vector<std::string>{"A.x_2", "A", "A_2", "A_3", "A.x", "A_end"}));
  EXPECT_EQ(loaded.character.ends.back().name, "A_end_2");
  ASSERT_EQ(loaded.warnings.size(), 2u);
  EXPECT_NE(loaded.warnings[0].find("line 3: a joint called 'A'"), std::string::npos);
}

struct BadBvh {
  std::string what;  ///< replaced in the small file
  std::string with;
  int line;
  std::string words;
};

TEST(Bvh, RefusesWithLineAndWords) {
  const std::vector<BadBvh> cases{
      {"HIERARCHY", "HIERARCHIE", 1, "is this a BVH file?"},
      {"ROOT Hips", "JOINT Hips", 2, "where ROOT is expected"},
      {"ROOT Hips", "ROOT", 2, "no name"},
      {"Hips\n{", "Hips\n", 4, "where { is expected"},
      {"\tOFFSET 0 1 0\n", "", 32, "no OFFSET"},
      {"OFFSET 0 1 0", "OFFSET 0 1", 5, "'CHANNELS' stands where OFFSET needs"},
      {"OFFSET 0 1 0", "OFFSET 0 nan 0", 4, "finite"},
      {"OFFSET 0 1 0", "OFFSET 0 1,5 0", 4, "finite"},
      {"OFFSET 0 1 0", "OFFSET 0 1e400 0", 4, "finite"},
      {"OFFSET 0 1 0", "OFFSET 0 1 0 OFFSET 0 1 0", 4, "second OFFSET"},
      {"CHANNELS 6", "CHANNELS 7", 5, "0 to 6"},
      {"CHANNELS 6", "CHANNELS -1", 5, "0 to 6"},
      {"CHANNELS 6", "CHANNELS 4000000000", 5, "0 to 6"},
      {"CHANNELS 6", "CHANNELS 5", 5, "'Xrotation' stands in joint 'Hips'"},
      {"Yposition", "Xposition", 5, "twice"},
      {"Yposition", "Wposition", 5, "where a channel is expected"},
      {"CHANNELS 0", "CHANNELS 0 CHANNELS 0", 23, "second CHANNELS"},
      {"\t\tCHANNELS 2 Xrotation Zrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -2 0\n\t\t}\n",
       "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -2 0\n\t\t}\n\t\tCHANNELS 2 Xrotation Zrotation\n", 13,
       "before its children"},
      {"OFFSET 0 -2 0", "OFFSET 0 -2 0 JOINT x", 12, "only OFFSET may"},
      {"End Site\n\t\t{\n", "End Site\n", 11, "behind End Site"},
      {"JOINT Tip", "BONE Tip", 24, "'BONE' stands in joint 'Tail'"},
      {"MOTION", "ROOT B", 34, "file of its own"},
      {"MOTION", "} MOTION", 34, "where MOTION is expected"},
      {"Frames: 3", "Frames 3", 35, "behind Frames"},
      {"Frames: 3", "Frames: x", 35, "number of frames"},
      {"Frames: 3", "Frames: -1", 35, "number of frames"},
      {"Frames: 3", "Frames: 2.5", 35, "number of frames"},
      {"Frames: 3", "Frames: 2", 35, "there are 3"},
      {"Frames: 3", "Frames: 999999999999999", 35, "there are 3"},
      {"Time: 0.04", "Time: 0", 36, "above zero"},
      {"Time: 0.04", "Time: -1", 36, "above zero"},
      {"Time: 0.04", "Time: inf", 36, "above zero"},
      {"Time: 0.04", "", 37, "where Time is expected"},
      {"170 20", "170", 38, "frame 2 has 11 numbers"},
      {"170 20", "170 20 20", 38, "frame 2 has 13 numbers"},
      {"170 20", "170 nan", 38, "finite number"},
      {"170 20", "170 2O", 38, "'2O' stands"},
      {"Left Leg", "Left L\xE9g", 6, "UTF-8"},
      {"Left Leg", "Left \x01 Leg", 6, "control character"},
  };
  for (const BadBvh& bad : cases) {
    std::string text = small;
    const std::size_t at = text.find(bad.what);
    ASSERT_NE(at, std::string::npos) << bad.what;
    text.replace(at, bad.what.size(), bad.with);
    const Result<Loaded> loaded = read_bvh(text, "bad.bvh");
    ASSERT_FALSE(loaded.ok()) << bad.with;
    EXPECT_EQ(loaded.error().where, "bad.bvh:" + std::to_string(bad.line))
        << bad.with << ": " << loaded.error().what;
    EXPECT_NE(loaded.error().what.find(bad.words), std::string::npos)
        << to_string(loaded.error()) << "\nfor " << bad.with;
  }
  EXPECT_FALSE(read_bvh("", "empty.bvh").ok());
}

TEST(Bvh, TruncatedAnywhereIsAnErrorOrSound) {
  for (std::size_t length = 0; length < small.size(); ++length) {
    const Result<Loaded> loaded = read_bvh(std::string_view(small).substr(0, length), "cut.bvh");
    if (!loaded) continue;
    EXPECT_FALSE(check(loaded->character)) << length;
    for (const Clip& clip : loaded->clips)
      EXPECT_FALSE(check(clip, loaded->character.skeleton)) << length;
  }
}

TEST(Bvh, DeepChainsAreNoTrouble) {
  constexpr int count = 100'000;
  std::string text = "HIERARCHY\n";
  for (int i = 0; i < count; ++i)
    text += (i == 0 ? "ROOT j" : "JOINT j") + std::to_string(i) +
            "\n{ OFFSET 0 1 0 CHANNELS 1 Zrotation\n";
  text += "End Site\n{ OFFSET 0 1 0 }\n" + std::string(count, '}');
  const Loaded loaded = load(text);
  EXPECT_EQ(loaded.character.skeleton.joint_count(), count);
  const Result<std::string> written =
      write_bvh(loaded.character, clip_for(loaded.character.skeleton, "still", 25));
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(load(*written).character.skeleton.joint_count(), count);

  const std::string open = text.substr(0, text.size() / 2);
  EXPECT_FALSE(read_bvh(open, "open.bvh").ok());
}

/// The greatest distance between joints of the same name in any frame.
Real worst_distance(const Loaded& a, const Loaded& b) {
  const Skeleton &sa = a.character.skeleton, &sb = b.character.skeleton;
  EXPECT_EQ(a.clips.at(0).frame_count(), b.clips.at(0).frame_count());
  Real worst = 0;
  for (int f = 0; f < a.clips[0].frame_count(); ++f) {
    const std::vector<Pose> wa = poses(sa, a.clips[0].frame(f));
    const std::vector<Pose> wb = poses(sb, b.clips[0].frame(f));
    for (JointId j = 0; j < sb.joint_count(); ++j) {
      const JointId twin = sa.find(sb.name(j));
      if (twin != no_joint) worst = std::max(worst, (wa[twin].p - wb[j].p).norm());
    }
  }
  return worst;
}

Loaded again(const Loaded& loaded, const BvhOptions& options) {
  const Result<std::string> text = write_bvh(loaded.character, loaded.clips.at(0), options.unit);
  EXPECT_TRUE(text.ok()) << to_string(text.error());
  return load(*text, options);
}

TEST(Bvh, WritesWhatItRead) {
  for (const BvhOptions& options : {BvhOptions{}, BvhOptions{.unit = 0.056444, .hinges = {"*"}}}) {
    const Loaded first = load(small, options), second = again(first, options);
    EXPECT_EQ(names_of(first.character.skeleton), names_of(second.character.skeleton));
    EXPECT_EQ(first.clips[0].rate, second.clips[0].rate);
    EXPECT_LT(worst_distance(first, second), 1e-10);
  }
  const Loaded hinges = load(small, {.unit = 1, .hinges = {"*"}});
  const std::string text = *write_bvh(hinges.character, hinges.clips[0]);
  EXPECT_NE(text.find("\n1 2 3 170 20 30 40 50 0.5 60 70 80\n"), std::string::npos)
      << "hinges keep their numbers\n"
      << text;
}

TEST(Bvh, FrameTimeKeepsItsText) {
  for (const std::string time : {"0.0083333", "0.0333333333", "0.04", "1", "0.008333"}) {
    std::string text = small;
    text.replace(text.find("0.04"), 4, time);
    const Loaded loaded = load(text);
    EXPECT_NE(write_bvh(loaded.character, loaded.clips[0])->find("Frame Time: " + time + "\n"),
              std::string::npos)
        << time;
  }
}

TEST(Bvh, ClipsWithoutFramesAreTheNeutralPose) {
  const Character character = load(small).character;
  const Loaded written = load(*write_bvh(character, clip_for(character.skeleton, "still", 30)));
  ASSERT_EQ(written.clips.size(), 1u);
  EXPECT_EQ(written.clips[0].frame_count(), 1);
  const std::vector<Pose> world = poses(written.character.skeleton, written.clips[0].frame(0));
  EXPECT_EQ(world[written.character.skeleton.find("Head")].p, Vec3(0, 3, 0));
}

Character character_of(Skeleton skeleton) {
  return {.name = "some", .up = UpAxis::y, .skeleton = std::move(skeleton)};
}

TEST(Bvh, WriterRefusesWhatDoesNotFit) {
  const Loaded loaded = load(small);
  Clip clip = loaded.clips[0];
  EXPECT_FALSE(write_bvh(loaded.character, clip, 0).ok());
  clip.columns.pop_back();
  EXPECT_FALSE(write_bvh(loaded.character, clip).ok());
  Loaded named = load("HIERARCHY ROOT a\n{ OFFSET 0 0 0 }");
  SkeletonDraft draft = draft_of(named.character.skeleton);
  for (const char* name : {"a{b", " a", "a\nb", "\xFF"}) {
    draft.joints[0].name = name;
    const Character odd = character_of(*build(draft));
    EXPECT_FALSE(write_bvh(odd, clip_for(odd.skeleton, "c", 1)).ok()) << name;
  }
}

Vec3 some_vector() {
  const auto coordinate = [] { return *rc::gen::inRange(-1000, 1000) / 500.0; };
  return {coordinate(), coordinate(), coordinate()};
}

Quat some_rotation() {
  if (*rc::gen::inRange(0, 3) == 0) return Quat::Identity();
  if (*rc::gen::inRange(0, 3) == 0) return turn(1, 90);  // gimbal lock
  return exp(some_vector());
}

Vec3 some_axis() {
  if (*rc::gen::inRange(0, 2) == 0) return Vec3::Unit(*rc::gen::inRange(0, 3));
  const Vec3 axis = some_vector();
  return axis.norm() < 0.1 ? Vec3(Vec3::UnitX()) : axis;
}

/// Any tree of any joints (the first one moves), also of names that look like parts, with a few
/// random frames.
Loaded some_motion() {
  SkeletonDraft draft;
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) {
    const std::string name = "j" + std::to_string(i / 3);
    constexpr std::array<const char*, 3> suffixes{".x", ".ry", ""};
    draft.joints.push_back(
        {.name = name + suffixes[i % 3],
         .parent = i == 0 ? std::string() : draft.joints[*rc::gen::inRange(0, i)].name,
         .type = static_cast<JointType>(*rc::gen::inRange(i == 0 ? 1 : 0, 4)),
         .parent_from_joint = {some_rotation(), some_vector()},
         .axis = some_axis(),
         .limits = {}});
  }
  Loaded loaded{.character = character_of(*build(draft)), .clips = {}, .warnings = {}};
  const Skeleton& s = loaded.character.skeleton;
  Clip clip = clip_for(s, "some", 30);
  for (int f = 0; f < 3; ++f) {
    const std::size_t begin = clip.values.size();
    for (int i = 0; i < s.q_size(); ++i) clip.values.push_back(some_vector().x());
    for (JointId j = 0; j < s.joint_count(); ++j)
      if (s.type(j) == JointType::ball)
        store_quat(some_rotation(), &clip.values[begin + static_cast<std::size_t>(s.q_offset(j))]);
  }
  loaded.clips.push_back(std::move(clip));
  return loaded;
}

RC_GTEST_PROP(Bvh, AnyMotionComesBack, ()) {
  const Loaded first = some_motion();
  const Loaded second = again(first, {});
  RC_ASSERT(worst_distance(first, second) < 1e-8);
  RC_ASSERT(worst_distance(second, again(second, {})) < 1e-8);
}

TEST(BvhData, EveryClipLoads) {
  if (!std::filesystem::exists(data_folder)) GTEST_SKIP() << "no ../shared/data here";
  int clips = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder)) {
    const std::string text = *read_file(entry.path().string());
    const Result<Loaded> loaded = read_bvh(text, entry.path().string());
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    EXPECT_EQ(loaded->character.skeleton.v_size(), 96) << entry.path();
    EXPECT_NE(text.find("Frames: " + std::to_string(loaded->clips.at(0).frame_count())),
              std::string::npos);
    ++clips;
  }
  EXPECT_EQ(clips, 18);
}

TEST(BvhData, ClipsComeBack) {
  if (!std::filesystem::exists(data_folder)) GTEST_SKIP() << "no ../shared/data here";
  Real worst = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder))
    for (const BvhOptions& options : {BvhOptions{}, BvhOptions{.unit = 1, .hinges = {"*"}}}) {
      const Loaded first = load(*read_file(entry.path().string()), options);
      worst = std::max(worst, worst_distance(first, again(first, options)));
    }
  EXPECT_LT(worst, 1e-6);
  RecordProperty("worst_distance", std::to_string(worst * 1e12) + "e-12");
}

}  // namespace
}  // namespace gestik
