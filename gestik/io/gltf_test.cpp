#include "gestik/io/gltf.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

const std::string data_folder = GESTIK_SOURCE_DIR "/../shared/data/gltf/";

std::string word(std::uint32_t value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes(values.size() * 4, '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string glb(std::string json, std::string binary) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  binary.resize((binary.size() + 3) / 4 * 4);
  const std::string chunks = word(static_cast<std::uint32_t>(json.size())) + "JSON" + json +
                             word(static_cast<std::uint32_t>(binary.size())) +
                             std::string("BIN\0", 4) + binary;
  return "glTF" + word(2) + word(static_cast<std::uint32_t>(12 + chunks.size())) + chunks;
}

/// An arm under a node that turns and doubles everything, with a node that is no joint in the
/// middle.
std::string arm_json(const std::string& more = "") {
  return R"({
  "asset": {"version": "2.0"},
  "nodes": [
    {"name": "stage", "rotation": [0, 0, 0.70710678118654752, 0.70710678118654752], "scale": [2, 2, 2], "children": [1]},
    {"name": "shoulder", "translation": [1, 0, 0], "rotation": [0, 0.6, 0, 0.8], "children": [2]},
    {"name": "sleeve", "translation": [0, 0.5, 0], "children": [3]},
    {"name": "elbow", "translation": [0, 0.25, 0], "children": [4]},
    {"name": "hand", "translation": [0, 0, 0.5]}
  ],
  "skins": [{"joints": [3, 1, 4]}])" +
         more + "}";
}

/// The elbow turns by up to a right angle about x in half a second; two keys and what comes
/// between.
std::string animation(const std::string& interpolation = "LINEAR",
                      const std::string& path = "rotation") {
  return R"(,
  "buffers": [{"byteLength": 56}],
  "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 32}],
  "accessors": [
    {"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
    {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}
  ],
  "animations": [{
    "name": "bend",
    "samplers": [{"input": 0, "output": 1, "interpolation": ")" +
         interpolation + R"("}],
    "channels": [{"sampler": 0, "target": {"node": 3, "path": ")" +
         path + R"("}}]
  }])";
}

std::string keys() {
  const float half = std::sqrt(0.5F);
  return floats({1, 1.5, 0, 0, 0, 1, half, 0, 0, half});
}

Loaded load(std::string_view bytes) {
  Result<Loaded> loaded = read_gltf(bytes, "arm.glb");
  EXPECT_TRUE(loaded.ok()) << (loaded ? "" : to_string(loaded.error()));
  return *std::move(loaded);
}

std::string refusal(std::string_view bytes) {
  const Result<Loaded> loaded = read_gltf(bytes, "arm.glb");
  return loaded ? "" : to_string(loaded.error());
}

TEST(Gltf, JointsStandWhereTheFilePutsThem) {
  const Loaded arm = load(arm_json());
  const Skeleton& skeleton = arm.character.skeleton;
  ASSERT_EQ(skeleton.joint_count(), 3);
  EXPECT_EQ(arm.character.up, UpAxis::y);
  EXPECT_EQ(skeleton.name(0), "shoulder");
  EXPECT_EQ(skeleton.name(1), "elbow");
  EXPECT_EQ(skeleton.type(1), JointType::ball);
  std::array<Pose, 3> world;
  forward(skeleton, skeleton.neutral(), world);
  // The stage takes x to y and y to -x, twice as long.
  EXPECT_TRUE(world[0].p.isApprox(Vec3(0, 2, 0), 1e-12)) << world[0].p.transpose();
  EXPECT_TRUE(world[1].p.isApprox(Vec3(-1.5, 2, 0), 1e-12)) << world[1].p.transpose();
  // The shoulder turns z to 0.96 x + 0.28 z, the stage that x to y.
  EXPECT_TRUE(world[2].p.isApprox(Vec3(-1.5, 2.96, 0.28), 1e-12)) << world[2].p.transpose();
}

TEST(Gltf, LastJointsAreEndsThatAimAwayFromTheirParents) {
  const Character arm = load(arm_json()).character;
  ASSERT_EQ(arm.ends.size(), 1U);
  EXPECT_EQ(arm.ends[0].name, "hand");
  EXPECT_TRUE(arm.ends[0].aim.isApprox(Vec3::UnitZ(), 1e-12));
  EXPECT_TRUE(arm.skeleton.axis(0).isApprox(Vec3::UnitY(), 1e-12));
  EXPECT_TRUE(arm.skeleton.axis(1).isApprox(Vec3::UnitZ(), 1e-12));
}

TEST(Gltf, AMatrixIsTakenApart) {
  std::string json = arm_json();
  const std::string turn =
      R"("rotation": [0, 0, 0.70710678118654752, 0.70710678118654752], "scale": [2, 2, 2])";
  json.replace(json.find(turn), turn.size(), R"("matrix": [0,2,0,0, -2,0,0,0, 0,0,2,0, 0,0,0,1])");
  const Skeleton a = load(arm_json()).character.skeleton, b = load(json).character.skeleton;
  for (JointId j = 0; j < a.joint_count(); ++j) {
    EXPECT_TRUE(a.parent_from_joint(j).p.isApprox(b.parent_from_joint(j).p, 1e-12));
    EXPECT_LT(a.parent_from_joint(j).q.angularDistance(b.parent_from_joint(j).q), 1e-7);
  }
}

TEST(Gltf, SkinsThatShareJointsAreOneSkeletonAndSeveralRootsGetAFixedOne) {
  std::string json = arm_json();
  json.replace(json.find(R"([{"joints": [3, 1, 4]}])"), 23,
               R"([{"joints": [3, 4]}, {"joints": [4, 3]}])");
  EXPECT_EQ(load(json).character.skeleton.joint_count(), 2);
  const std::string two_roots =
      R"({"asset": {"version": "2.0"}, "nodes": [{}, {}], "skins": [{"joints": [0, 1]}]})";
  const Skeleton skeleton = load(two_roots).character.skeleton;
  ASSERT_EQ(skeleton.joint_count(), 3);
  EXPECT_EQ(skeleton.type(0), JointType::fixed);
  EXPECT_EQ(skeleton.name(2), "node 1");
}

TEST(Gltf, ASecondJointOfANameGetsANumberAndAWarning) {
  const Loaded loaded =
      load(R"({"asset": {"version": "2.0"}, "nodes": [{"name": "a", "children": [1]},
    {"name": "a"}], "skins": [{"joints": [0, 1]}]})");
  EXPECT_EQ(loaded.character.skeleton.name(1), "a_2");
  EXPECT_EQ(loaded.warnings.size(), 1U);
}

TEST(Gltf, AnAnimationBecomesAClip) {
  const Loaded arm = load(glb(arm_json(animation()), keys()));
  ASSERT_EQ(arm.clips.size(), 1U);
  const Clip& clip = arm.clips[0];
  EXPECT_EQ(clip.name, "bend");
  EXPECT_EQ(clip.rate, 2);
  ASSERT_EQ(clip.frame_count(), 2);
  const int elbow = arm.character.skeleton.q_offset(1);
  const Quat end = load_quat(clip.frame(1).data() + elbow);
  EXPECT_LT(end.angularDistance(axis_angle(Vec3::UnitX(), pi / 2)), 1e-6);
  EXPECT_TRUE(arm.warnings.empty());
}

TEST(Gltf, AClipIsMeasuredFromTheFilesOwnPose) {
  // The shoulder is turned in the file; a track that says the same leaves it neutral.
  std::string json = arm_json(animation());
  json.replace(json.find(R"("node": 3)"), 9, R"("node": 1)");
  const Loaded arm = load(glb(json, floats({0, 0.5, 0, 0.6F, 0, 0.8F, 0, 0.6F, 0, 0.8F})));
  for (int f = 0; f < 2; ++f)
    EXPECT_LT(load_quat(arm.clips[0].frame(f).data()).angularDistance(Quat::Identity()), 1e-6);
}

TEST(Gltf, StepsAndCubicsAreSampled) {
  const std::string json = arm_json(animation("STEP"));
  const std::string bytes = floats({0, 0.1F, 1}) + keys().substr(8) + floats({1, 0, 0, 0});
  const auto three_keys = [](std::string text) {
    for (const auto& [from, to] : {std::pair{R"("byteLength": 8})", R"("byteLength": 12})"},
                                   std::pair{R"("byteOffset": 8, "byteLength": 32)",
                                             R"("byteOffset": 12, "byteLength": 48)"}})
      text.replace(text.find(from), std::strlen(from), to);
    for (std::size_t at; (at = text.find(R"("count": 2)")) != text.npos;)
      text.replace(at, 10, R"("count": 3)");
    return text;
  };
  const Loaded stepped = load(glb(three_keys(json), bytes));
  ASSERT_EQ(stepped.clips[0].frame_count(), 11);
  const int elbow = stepped.character.skeleton.q_offset(1);
  for (const int f : {1, 5, 9})
    EXPECT_LT(load_quat(stepped.clips[0].frame(f).data() + elbow)
                  .angularDistance(axis_angle(Vec3::UnitX(), pi / 2)),
              1e-6);

  // Cubic: tangent, value, tangent of each key. Flat tangents ease in and out: half-way is half.
  std::string cubic = arm_json(animation("CUBICSPLINE"));
  cubic.replace(cubic.find(R"("byteOffset": 8, "byteLength": 32)"), 33,
                R"("byteOffset": 8, "byteLength": 96)");
  cubic.replace(cubic.rfind(R"("count": 2)"), 10, R"("count": 6)");
  const float half = std::sqrt(0.5F);
  const Loaded eased = load(glb(cubic, floats({0, 0.5, 0, 0, 0, 0,    0, 0, 0,    1, 0, 0, 0,
                                               0, 0,   0, 0, 0, half, 0, 0, half, 0, 0, 0, 0})));
  ASSERT_EQ(eased.clips[0].frame_count(), 2);
  EXPECT_LT(load_quat(eased.clips[0].frame(1).data() + elbow)
                .angularDistance(axis_angle(Vec3::UnitX(), pi / 2)),
            1e-6);
}

TEST(Gltf, RotationsMayBeNormalizedIntegers) {
  std::string json = arm_json(animation());
  json.replace(json.rfind(R"("componentType": 5126)"), 21,
               R"("normalized": true, "componentType": 5122)");
  const std::array<std::int16_t, 8> turns{0, 0, 0, 32767, 23170, 0, 0, 23170};
  std::string bytes = floats({0, 0.5}) + std::string(32, '\0');
  std::memcpy(bytes.data() + 8, turns.data(), 16);
  const Loaded arm = load(glb(json, bytes));
  EXPECT_LT(load_quat(arm.clips[0].frame(1).data() + 4)
                .angularDistance(axis_angle(Vec3::UnitX(), pi / 2)),
            1e-4);
}

TEST(Gltf, BuffersMayStandInTheText) {
  std::string json = arm_json(animation());
  json.replace(
      json.find(R"("byteLength": 56)"), 16,
      R"("byteLength": 40, "uri": "data:application/octet-stream;base64,AACAPwAAwD8AAAAAAAAAAAAAAAAAAIA/8wQ1PwAAAAAAAAAA8wQ1Pw==")");
  const Loaded arm = load(json);
  ASSERT_EQ(arm.clips.size(), 1U);
  EXPECT_LT(load_quat(arm.clips[0].frame(1).data() + 4)
                .angularDistance(axis_angle(Vec3::UnitX(), pi / 2)),
            1e-6);
}

TEST(Gltf, WhatABallCantDoIsTold) {
  std::string json = arm_json(animation("LINEAR", "translation"));
  json.replace(json.rfind("VEC4"), 4, "VEC3");
  const Loaded arm = load(glb(json, floats({0, 0.5, 0, 0.25, 0, 0, 0.25, 3, 0, 0})));
  EXPECT_TRUE(arm.clips.empty());
  ASSERT_EQ(arm.warnings.size(), 2U);
  EXPECT_NE(arm.warnings[0].find("moves joints, 'elbow' by up to 6.0"), std::string::npos)
      << arm.warnings[0];
}

TEST(Gltf, ASkeletonNeedsNoOtherFile) {
  std::string json = arm_json(animation());
  json.replace(json.find(R"("byteLength": 56)"), 16, R"("byteLength": 56, "uri": "../../arm.bin")");
  const Loaded arm = load(json);
  EXPECT_EQ(arm.character.skeleton.joint_count(), 3);
  EXPECT_TRUE(arm.clips.empty());
  ASSERT_EQ(arm.warnings.size(), 1U);
  EXPECT_NE(arm.warnings[0].find("another file, '../../arm.bin'; save it as .glb"),
            std::string::npos);
}

TEST(Gltf, RefusalsSayWhatIsWrong) {
  struct Case {
    std::string bytes, words;
  };
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::string whole = glb(arm_json(animation()), keys());
  const std::vector<Case> cases{
      {"", "empty"},
      {"glTF", "cut short"},
      {whole.substr(0, whole.size() - 8), "cut short"},
      {"glTF" + word(1) + whole.substr(8), "version 1"},
      {changed(whole, word(static_cast<std::uint32_t>(whole.size())), word(20)), "longer than"},
      {"hello", "not sound JSON"},
      {"[]", "must be an object"},
      {"{}", "'asset' is missing"},
      {R"({"asset": {"version": "1.0"}})", "version '1.0'"},
      {R"({"asset": {"version": "2.0"}, "nodes": [{}]})", "no skin"},
      {changed(arm_json(), "[3, 1, 4]", "[3, 1, 9]"), "no such node"},
      {changed(arm_json(), "[3, 1, 4]", "[0.5]"), "no such node"},
      {changed(arm_json(), "[3, 1, 4]", "[]"), "no skin"},
      {changed(arm_json(), R"("children": [4])", R"("children": [1])"), "two parents"},
      {changed(arm_json(), R"("children": [1])", R"("children": [])"), ""},
      {R"({"asset": {"version": "2.0"}, "nodes": [{"children": [1]}, {"children": [0]}], "skins": [{"joints": [0]}]})",
       "its own ancestor"},
      {changed(arm_json(), "[1, 0, 0]", "[1, 0]"), "array of 3 numbers"},
      {changed(arm_json(), "[1, 0, 0]", "[1e300, 0, 0]"), "joint 'shoulder'"},
      {glb(changed(arm_json(animation()), R"("count": 2)", R"("count": 3)"), keys()),
       "beyond the end"},
      {glb(changed(arm_json(animation()), R"("count": 2)", R"("count": 4294967295)"), keys()),
       "beyond the end"},
      {glb(changed(arm_json(animation()), R"("byteOffset": 8)", R"("byteOffset": 4294967295)"),
           keys()),
       "beyond the end"},
      {glb(changed(arm_json(animation()), R"("input": 0)", R"("input": 2)"), keys()),
       "no such accessor"},
      {glb(changed(arm_json(animation()), R"("input": 0)", R"("input": 1)"), keys()),
       "1 numbers in each"},
      {glb(arm_json(animation()), floats({1.5, 1, 0, 0, 0, 1, 0, 0, 0, 1})), "do not grow"},
      {glb(arm_json(animation()), floats({0, NAN, 0, 0, 0, 1, 0, 0, 0, 1})), "not finite"},
      {glb(arm_json(animation()), floats({0, 1e20F, 0, 0, 0, 1, 0, 0, 0, 1})), "too long"},
      {glb(arm_json(animation("WOBBLY")), keys()), "unknown interpolation 'WOBBLY'"},
      {glb(arm_json(animation("LINEAR", "colour")), keys()), "unknown path 'colour'"},
      {changed(arm_json(animation()), R"("byteLength": 56)", R"("uri": "data:;base64,?!")"),
       "no base64"},
      {std::string(100000, '['), "nested deeper"},
  };
  for (const Case& one : cases) {
    const std::string said = refusal(one.bytes);
    EXPECT_NE(said.find(one.words), std::string::npos) << one.words << " / " << said;
    EXPECT_TRUE(one.words.empty() || said.starts_with("arm.glb")) << said;
  }
}

TEST(Gltf, EveryCutIsRefusedOrRead) {
  const std::string whole = glb(arm_json(animation()), keys());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_gltf(whole.substr(0, size), "cut.glb").ok()) << size;
}

TEST(Gltf, TheSampleFilesLoad) {
  if (!std::filesystem::exists(data_folder)) GTEST_SKIP() << "no ../shared/data here";
  struct Sample {
    std::string file;
    int joints;
    std::size_t clips;
  };
  for (const Sample& sample :
       {Sample{"CesiumMan.glb", 19, 1}, Sample{"Fox.glb", 24, 3}, Sample{"RiggedSimple.glb", 2, 1},
        Sample{"SimpleSkin.gltf", 2, 1}, Sample{"RobotExpressive.glb", 43, 14}}) {
    SCOPED_TRACE(sample.file);
    const Result<Loaded> loaded = read_character_file(data_folder + sample.file);
    ASSERT_TRUE(loaded.ok()) << to_string(loaded.error());
    EXPECT_EQ(loaded->character.skeleton.joint_count(), sample.joints);
    EXPECT_EQ(loaded->clips.size(), sample.clips);
    EXPECT_FALSE(loaded->character.ends.empty());
    for (const Clip& clip : loaded->clips) EXPECT_GT(clip.frame_count(), 1) << clip.name;
  }
}

}  // namespace
}  // namespace gestik
