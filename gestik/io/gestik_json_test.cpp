#include "gestik/io/gestik_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

// Line numbers count from the line after R"(, so the text begins there.
const std::string sound = R"({
  "gestik": 1,
  "name": "arm",
  "up": "z",
  "joints": [
    {"name": "base", "type": "fixed"},
    {"name": "shoulder", "parent": "base", "type": "ball", "axis": [0, 0, 1], "limits": {"lo": -1, "hi": 1, "swing_x": 0.5}},
    {"name": "elbow", "parent": "shoulder", "type": "hinge", "position": [0, 0.5, 0], "axis": [1, 0, 0],
     "limits": {"lo": 0.25,
                "hi": 2}}
  ],
  "ends": [
    {"name": "hand", "joint": "elbow", "orientation": [1, 0, 0, 0], "aim": [0, 0, 1]}
  ],
  "links": [{"name": "upper", "joint": "shoulder"}],
  "postures": {
    "wave": {"shoulder": [0, 1, 0, 0],
             "elbow": 1.5},
    "ahead": {}
  },
  "mimics": [{"joint": "elbow", "source": "shoulder", "multiplier": 2, "offset": 0.5}],
  "clips": [
    {"name": "nod", "rate": 30,
     "columns": ["shoulder.w", "shoulder.x", "shoulder.y", "shoulder.z", "elbow"],
     "frames": [[1, 0, 0, 0, 0.5],
                [1, 0, 0, 0, 0.75]]}
  ]
}
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

std::uint64_t bits(Real x) {
  return std::bit_cast<std::uint64_t>(x);
}

std::vector<std::uint64_t> bits(const std::vector<Real>& values) {
  std::vector<std::uint64_t> result;
  for (Real x : values) result.push_back(bits(x));
  return result;
}

std::vector<std::uint64_t> bits(const Vec3& v) {
  return bits(std::vector<Real>{v.x(), v.y(), v.z()});
}

std::vector<std::uint64_t> bits(const Pose& pose) {
  return bits(std::vector<Real>{pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z(), pose.p.x(),
                                pose.p.y(), pose.p.z()});
}

std::vector<std::uint64_t> bits(const Limits& limits) {
  return bits(std::vector<Real>{limits.lo, limits.hi, limits.swing_x, limits.swing_y});
}

/// Its kind, then its numbers.
std::vector<std::uint64_t> bits(const Volume& volume) {
  std::vector<std::uint64_t> result{volume.index()};
  const auto add = [&](const std::vector<std::uint64_t>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  if (const auto* sphere = std::get_if<Sphere>(&volume)) {
    add(bits(sphere->center));
    add({bits(sphere->radius)});
  } else if (const auto* capsule = std::get_if<Capsule>(&volume)) {
    add(bits(capsule->a));
    add(bits(capsule->b));
    add({bits(capsule->radius)});
  } else if (const auto* box = std::get_if<Cuboid>(&volume)) {
    add(bits(box->pose));
    add(bits(box->half));
  }
  return result;
}

void expect_same(const std::vector<Frame>& a, const std::vector<Frame>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].joint, b[i].joint);
    EXPECT_EQ(bits(a[i].joint_from_frame), bits(b[i].joint_from_frame));
    EXPECT_EQ(bits(a[i].aim), bits(b[i].aim));
  }
}

void expect_same(const Skeleton& a, const Skeleton& b) {
  ASSERT_EQ(a.joint_count(), b.joint_count());
  for (JointId j = 0; j < a.joint_count(); ++j) {
    EXPECT_EQ(a.name(j), b.name(j));
    EXPECT_EQ(a.parent(j), b.parent(j));
    EXPECT_EQ(a.type(j), b.type(j));
    EXPECT_EQ(bits(a.parent_from_joint(j)), bits(b.parent_from_joint(j)));
    EXPECT_EQ(bits(a.axis(j)), bits(b.axis(j)));
    EXPECT_EQ(bits(a.limits(j)), bits(b.limits(j)));
  }
}

void expect_same(const Character& a, const Character& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.up, b.up);
  expect_same(a.skeleton, b.skeleton);
  expect_same(a.ends, b.ends);
  expect_same(a.links, b.links);
  ASSERT_EQ(a.postures.size(), b.postures.size());
  for (std::size_t i = 0; i < a.postures.size(); ++i) {
    EXPECT_EQ(a.postures[i].name, b.postures[i].name);
    EXPECT_EQ(bits(a.postures[i].q), bits(b.postures[i].q));
  }
  EXPECT_EQ(a.may_touch, b.may_touch);
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (std::size_t i = 0; i < a.shapes.size(); ++i) {
    EXPECT_EQ(a.shapes[i].name, b.shapes[i].name);
    EXPECT_EQ(a.shapes[i].joint, b.shapes[i].joint);
    EXPECT_EQ(bits(a.shapes[i].volume), bits(b.shapes[i].volume));
  }
  ASSERT_EQ(a.mimics.size(), b.mimics.size());
  for (std::size_t i = 0; i < a.mimics.size(); ++i) {
    EXPECT_EQ(a.mimics[i].joint, b.mimics[i].joint);
    EXPECT_EQ(a.mimics[i].source, b.mimics[i].source);
    EXPECT_EQ(bits(a.mimics[i].multiplier), bits(b.mimics[i].multiplier));
    EXPECT_EQ(bits(a.mimics[i].offset), bits(b.mimics[i].offset));
  }
  const std::vector<MotionLimits> motion_a = motion_limits(a), motion_b = motion_limits(b);
  ASSERT_EQ(motion_a.size(), motion_b.size());
  for (std::size_t i = 0; i < motion_a.size(); ++i) {
    EXPECT_EQ(bits(motion_a[i].velocity), bits(motion_b[i].velocity));
    EXPECT_EQ(bits(motion_a[i].acceleration), bits(motion_b[i].acceleration));
    EXPECT_EQ(bits(motion_a[i].jerk), bits(motion_b[i].jerk));
  }
}

void expect_same(const std::vector<Clip>& a, const std::vector<Clip>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(bits(a[i].rate), bits(b[i].rate));
    EXPECT_EQ(a[i].columns, b[i].columns);
    EXPECT_EQ(bits(a[i].values), bits(b[i].values));
  }
}

Loaded must_read(std::string_view text) {
  Result<Loaded> loaded = read_gestik_json(text, "test.json");
  if (!loaded) throw std::runtime_error(to_string(loaded.error()) + "\n" + std::string(text));
  return *std::move(loaded);
}

std::string must_write(const Character& character, std::span<const Clip> clips = {}) {
  Result<std::string> text = write_gestik_json(character, clips);
  if (!text) throw std::runtime_error(to_string(text.error()));
  return *std::move(text);
}

std::string example_of_the_document() {
  const std::string page = *read_file(GESTIK_SOURCE_DIR "/docs/FORMAT.md");
  const std::string_view open = "```json\n", close = "```";
  const auto from = page.find(open) + open.size();
  return page.substr(from, page.find(close, from) - from);
}

// --- sound files ---

TEST(GestikJson, reads_what_the_file_says) {
  const Loaded loaded = must_read(sound);
  const Character& arm = loaded.character;
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.up, UpAxis::z);
  ASSERT_EQ(arm.skeleton.joint_count(), 3);
  const JointId shoulder = arm.skeleton.find("shoulder"), elbow = arm.skeleton.find("elbow");
  EXPECT_EQ(arm.skeleton.type(0), JointType::fixed);
  EXPECT_EQ(arm.skeleton.type(shoulder), JointType::ball);
  EXPECT_EQ(arm.skeleton.limits(shoulder).swing_x, 0.5);
  EXPECT_EQ(arm.skeleton.limits(shoulder).swing_y, pi);
  EXPECT_EQ(arm.skeleton.parent(elbow), shoulder);
  EXPECT_EQ(arm.skeleton.parent_from_joint(elbow).p, Vec3(0, 0.5, 0));
  EXPECT_EQ(arm.skeleton.limits(elbow).lo, 0.25);
  ASSERT_EQ(arm.ends.size(), 1u);
  EXPECT_EQ(arm.ends[0].joint, elbow);
  EXPECT_EQ(arm.ends[0].aim, Vec3(0, 0, 1));
  EXPECT_EQ(arm.links.at(0).name, "upper");
  EXPECT_EQ(arm.mimics.at(0).multiplier, 2);
  EXPECT_EQ(loaded.clips.at(0).values, (std::vector<Real>{1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0.75}));
  EXPECT_TRUE(loaded.warnings.empty());
}

TEST(GestikJson, keeps_the_order_of_postures_and_fills_them_from_neutral) {
  const Loaded loaded = must_read(sound);
  const auto& postures = loaded.character.postures;
  ASSERT_EQ(postures.size(), 2u);
  EXPECT_EQ(postures[0].name, "wave");
  EXPECT_EQ(postures[0].q, (std::vector<Real>{0, 1, 0, 0, 1.5}));
  EXPECT_EQ(postures[1].name, "ahead");
  EXPECT_EQ(postures[1].q, (std::vector<Real>{1, 0, 0, 0, 0.25}));
}

TEST(GestikJson, normalises_quaternions) {
  const Loaded loaded = must_read(replaced(sound, "[0, 1, 0, 0]", "[0, 3, 0, 4]"));
  EXPECT_EQ(load_quat(loaded.character.postures[0].q.data()).coeffs(),
            Quat(0, 0.6, 0, 0.8).coeffs());
}

TEST(GestikJson, reads_a_byte_order_mark_and_windows_line_ends) {
  std::string text = "\xef\xbb\xbf";
  for (char c : sound) text += c == '\n' ? "\r\n" : std::string(1, c);
  expect_same(must_read(text).character, must_read(sound).character);
}

TEST(GestikJson, the_example_of_the_document_is_complete) {
  const std::string example = example_of_the_document();
  const Loaded loaded = must_read(example);
  const Character& crane = loaded.character;
  EXPECT_EQ(crane.skeleton.joint_count(), 5);
  for (const char* field : {"ends", "links", "shapes", "may_touch", "sphere", "capsule", "box",
                            "postures", "mimics", "clips", "limits", "swing_y"})
    EXPECT_NE(example.find(field), example.npos) << field;
  for (JointType type : {JointType::fixed, JointType::hinge, JointType::slider, JointType::ball})
    EXPECT_NE(example.find(to_string(type)), example.npos);
  expect_same(must_read(must_write(crane, loaded.clips)).clips, loaded.clips);
}

/// The sound file with these shapes, and pairs of them that may touch.
std::string with_shapes(const std::string& shapes, const std::string& pairs = "") {
  return replaced(sound, R"("postures": {)",
                  R"("shapes": [)" + shapes + "],\n" + pairs + R"("postures": {)");
}

const std::string three_shapes =
    R"({"name": "trunk", "joint": "base", "type": "capsule", "from": [0, 0.1, 0], "to": [0, 1, 0], "radius": 0.2},
    {"name": "fist", "joint": "elbow", "type": "sphere", "position": [0, 0.5, 0], "radius": 0.05},
    {"name": "shield", "joint": "elbow", "type": "box", "orientation": [0, 2, 0, 0], "half": [0.1, 0.2, 0.3]})";

TEST(GestikJson, reads_and_writes_shapes) {
  const Loaded loaded =
      must_read(with_shapes(three_shapes, R"("may_touch": [["fist", "trunk"]],)"));
  const Character& arm = loaded.character;
  ASSERT_EQ(arm.shapes.size(), 3u);
  EXPECT_EQ(std::get<Capsule>(arm.shapes[0].volume).a, Vec3(0, 0.1, 0));
  EXPECT_EQ(arm.shapes[1].joint, arm.skeleton.find("elbow"));
  EXPECT_EQ(std::get<Sphere>(arm.shapes[1].volume).radius, 0.05);
  EXPECT_EQ(std::get<Cuboid>(arm.shapes[2].volume).half, Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(std::get<Cuboid>(arm.shapes[2].volume).pose.q.x(), 1);
  ASSERT_EQ(arm.may_touch.size(), 1u);
  expect_same(must_read(must_write(arm)).character, arm);
  EXPECT_NE(must_write(arm).find(R"(    ["fist", "trunk"])"), std::string::npos);
}

TEST(GestikJson, refuses_bad_shapes_with_the_line) {
  const auto complaint = [](const std::string& from, const std::string& to,
                            const std::string& pairs = "") {
    const auto loaded =
        read_gestik_json(with_shapes(replaced(three_shapes, from, to), pairs), "test.json");
    return loaded ? "" : to_string(loaded.error());
  };
  EXPECT_NE(complaint(R"("radius": 0.05)", R"("radius": 0)")
                .find("shape 'fist': its radius must be above zero"),
            std::string::npos);
  EXPECT_NE(complaint(R"(, "radius": 0.05)", "").find("radius"), std::string::npos);
  EXPECT_NE(complaint(R"("type": "box")", R"("type": "bix")").find("bix"), std::string::npos);
  EXPECT_NE(complaint(R"("half")", R"("radius")").find("radius"), std::string::npos);
  EXPECT_NE(complaint(R"("joint": "base")", R"("joint": "bass")").find("bass"), std::string::npos);
  EXPECT_NE(complaint("fist", "trunk").find("two have this name"), std::string::npos);
  EXPECT_NE(complaint("fist", "fist", R"("may_touch": [["fist", "trnk"]],)").find("trnk"),
            std::string::npos);
  for (const char* pairs : {R"(["fist"])", R"(["fist", "fist"])", R"(["fist", "trunk", "shield"])"})
    EXPECT_NE(complaint("fist", "fist", R"("may_touch": [)" + std::string(pairs) + "],")
                  .find("two different shapes"),
              std::string::npos);
}

TEST(GestikJson, reads_how_fast_joints_may_move) {
  const auto with_motion = [](std::string_view motion) {
    const std::string field = R"("hi": 2}, "motion": )" + std::string(motion) + "}";
    return read_gestik_json(replaced(sound, R"("hi": 2}})", field), "arm.json");
  };
  const Result<Loaded> some = with_motion(R"({"velocity": 2, "jerk": 90})");
  ASSERT_TRUE(some) << to_string(some.error());
  const Character& character = some->character;
  ASSERT_EQ(character.motion.size(), 3u);
  EXPECT_EQ(character.motion[2].velocity, 2);
  EXPECT_EQ(character.motion[2].acceleration, 20);
  EXPECT_EQ(character.motion[2].jerk, 90);
  EXPECT_EQ(character.motion[1].velocity, 3);  // the ball's default
  const std::string written = *write_gestik_json(character, {});
  EXPECT_NE(written.find(R"("motion": {"velocity": 2, "jerk": 90}})"), std::string::npos)
      << written;
  expect_same(character, read_gestik_json(written, "again.json")->character);

  for (const char* field : {"velocity", "acceleration", "jerk"})
    for (const char* value : {"0", "-0.0", "-3"}) {
      const Result<Loaded> bad = with_motion(std::string("{\"") + field + "\": " + value + "}");
      ASSERT_FALSE(bad) << field << value;
      const std::string said = to_string(bad.error());
      EXPECT_NE(said.find(std::string("arm.json:8: joint 'elbow': its '") + field), said.npos)
          << said;
    }
  EXPECT_FALSE(with_motion(R"({"velocity": 1e31})"));
  EXPECT_FALSE(with_motion(R"({"velocity": NaN})"));
  EXPECT_FALSE(with_motion(R"({"speed": 1})"));
  const Result<Loaded> fixed = read_gestik_json(
      replaced(sound, R"("type": "fixed")", R"("type": "fixed", "motion": {})"), "arm.json");
  ASSERT_FALSE(fixed);
  EXPECT_NE(to_string(fixed.error()).find("a fixed joint has no 'motion'"), std::string::npos);
}

TEST(GestikJson, reads_clips_alone_for_a_skeleton) {
  const Loaded arm = *read_gestik_json(sound, "arm.json");
  const Skeleton& skeleton = arm.character.skeleton;
  const auto from = sound.find("\"clips\"");
  const std::string alone = "{\"gestik\": 1, " + sound.substr(from);
  for (const std::string& text : {alone, sound}) {
    const Result<std::vector<Clip>> clips = read_gestik_clips(text, "nod.json", skeleton);
    ASSERT_TRUE(clips) << to_string(clips.error());
    ASSERT_EQ(clips->size(), 1u);
    EXPECT_EQ(clips->front().name, "nod");
    EXPECT_EQ(bits(clips->front().values), bits(arm.clips[0].values));
  }
  const Skeleton other = *build({.joints = {{.name = "one", .type = JointType::hinge}}});
  EXPECT_FALSE(read_gestik_clips(alone, "nod.json", other));
  EXPECT_FALSE(read_gestik_clips(sound, "nod.json", other));
  EXPECT_FALSE(read_gestik_clips("{\"gestik\": 1}", "nod.json", skeleton));
  EXPECT_FALSE(read_gestik_clips("[]", "nod.json", skeleton));
}

// --- files that are refused ---

/// A file that must be refused: at which line, with which words (a bar between them).
struct Bad {
  const char *name, *text;
  int line;
  const char* words;
};

constexpr Bad bad_files[] = {
    {"empty", "", 1, "empty"},
    {"blank", " \n ", 2, "not sound JSON|end of input"},
    {"not_json", "gestik", 1, "not sound JSON"},
    {"no_object", "[1]", 1, "must be an object|array"},
    {"later_version_with_new_fields", R"({"gestik": 7, "muscles": []})", 1, "version"},
    {"joints_missing", R"({"gestik": 1, "name": ""})", 1, "'joints'|missing"},
    {"joints_empty", "{\"gestik\": 1, \"name\": \"\",\n\"joints\": []}", 2, "at least one joint"},
    {"joints_object", "{\"gestik\": 1, \"name\": \"\",\n\"joints\": {}}", 2, "'joints'|an array"},
};

/// The sound file with one thing in it replaced.
struct BadChange {
  const char *name, *from, *to;
  int line;
  const char* words;
};

constexpr BadChange bad_changes[] = {
    {"comma", "\"arm\",", "\"arm\"", 4, "not sound JSON|expected"},
    {"nan", "\"lo\": 0.25", "\"lo\": NaN", 9, "not sound JSON"},
    {"infinite", "\"lo\": 0.25", "\"lo\": -Infinity", 9, "not sound JSON"},
    {"overflow", "\"lo\": 0.25", "\"lo\": 1e999", 9, "number overflow"},
    {"bad_utf8", "\"arm\"", "\"\xc3(\"", 3, "not sound JSON|UTF-8"},
    {"twice", "\"up\": \"z\"", "\"name\": \"leg\"", 4, "'name'|twice"},
    {"twice_inside", "\"hi\": 2}", "\"lo\": 2}", 10, "'lo'|twice"},
    {"no_version", "\"gestik\": 1,", "", 1, "'gestik'|missing"},
    {"later_version", "\"gestik\": 1", "\"gestik\": 2", 2, "version 2|reads version 1"},
    {"text_version", "\"gestik\": 1", "\"gestik\": \"1\"", 2, "'gestik'|a number"},
    {"unknown_field", "\"postures\"", "\"postuers\"", 16, "'postuers'|'postures'?"},
    {"far_field", "\"up\"", "\"colour\"", 4, "unknown field 'colour'|known here|'up'"},
    {"joint_field", "\"parent\": \"base\"", "\"parnet\": \"base\"", 7, "'parnet'|'parent'?"},
    {"limit_field", "\"hi\": 2}", "\"high\": 2}", 10, "'high'|'lo'|'hi'"},
    {"swing_of_hinge", "\"hi\": 2}", "\"swing_x\": 2}", 10, "'swing_x'"},
    {"end_field", "\"aim\"", "\"aims\"", 13, "'aims'|'aim'?"},
    {"mimic_field", "\"offset\"", "\"ofset\"", 21, "'ofset'|'offset'?"},
    {"clip_field", "\"frames\"", "\"frame\"", 25, "'frame'|'frames'?"},
    {"no_name", "\"name\": \"arm\",", "", 1, "'name'|missing"},
    {"joint_number", "{\"name\": \"base\", \"type\": \"fixed\"}", "3", 6, "an object|a number"},
    {"joint_no_name", "\"name\": \"base\", ", "", 6, "'name'|missing"},
    {"joint_empty_name", "\"name\": \"base\"", "\"name\": \"\"", 6, "'name'|empty"},
    {"joint_no_type", ", \"type\": \"fixed\"", "", 6, "'type'|missing"},
    {"joint_type", "\"hinge\"", "\"hing\"", 8, "'hing'|'hinge'?"},
    {"joint_type_number", "\"hinge\"", "1", 8, "'type'|a text"},
    {"hinge_no_axis", ", \"axis\": [1, 0, 0]", "", 8, "'axis'|missing"},
    {"ball_no_axis", ", \"axis\": [0, 0, 1]", "", 7, "axis|ball"},
    {"fixed_axis", "\"fixed\"", "\"fixed\", \"axis\": [0, 1, 0]", 6, "'axis'|fixed|remove"},
    {"fixed_limits", "\"fixed\"", "\"fixed\", \"limits\": {}", 6, "'limits'|fixed"},
    {"short_vector", "[0, 0.5, 0]", "[0, 0.5]", 8, "'position'|3 numbers|has 2"},
    {"long_vector", "[0, 0.5, 0]", "[0, 0.5, 0, 1]", 8, "'position'|3 numbers|has 4"},
    {"vector_of_text", "[0, 0.5, 0]", "[0, \"0.5\", 0]", 8, "'position'|a text"},
    {"vector_number", "[0, 0.5, 0]", "0.5", 8, "'position'|array of 3"},
    {"null_vector", "[0, 0.5, 0]", "null", 8, "'position'|null"},
    {"limits_array", "{\"lo\": 0.25,\n", "[0.25,\n", 10, "not sound JSON"},
    {"limit_text", "\"lo\": 0.25", "\"lo\": \"0.25\"", 9, "'lo'|a number"},
    {"zero_quaternion", "[1, 0, 0, 0], \"aim\"", "[0, 0, 0, 0], \"aim\"", 13, "zero quaternion"},
    {"zero_axis", "[1, 0, 0]", "[0, 0, 0]", 8, "'elbow'|axis is zero"},
    {"lo_above_hi", "\"hi\": 2}", "\"hi\": 0}", 8, "'elbow'|swap"},
    {"flat_ellipse", "\"swing_x\": 0.5", "\"swing_x\": 0", 7, "'shoulder'|ellipse"},
    {"unknown_parent", "\"parent\": \"base\"", "\"parent\": \"bsae\"", 7, "'bsae'|'base'?"},
    {"same_names", "\"name\": \"elbow\", \"parent\": \"shoulder\"",
     "\"name\": \"shoulder\", \"parent\": \"base\"", 8, "'shoulder'|rename"},
    {"two_roots", "\"parent\": \"base\", ", "", 7, "'shoulder'|root"},
    {"cycle", "\"parent\": \"base\"", "\"parent\": \"elbow\"", 7, "cycle"},
    {"up_axis", "\"z\"", "\"up\"", 4, "up axis 'up'|'y'"},
    {"end_joint", "\"joint\": \"elbow\", \"orientation\"", "\"joint\": \"elbwo\", \"orientation\"",
     13, "'elbwo'|'elbow'?"},
    {"end_no_joint", "\"joint\": \"elbow\", \"orientation\"", "\"orientation\"", 13,
     "'joint'|missing"},
    {"end_zero_aim", "\"aim\": [0, 0, 1]", "\"aim\": [0, 0, 0]", 13, "'hand'|aim"},
    {"end_twice", "[{\"name\": \"upper\"",
     "[{\"name\": \"upper\", \"joint\": \"base\"},\n{\"name\": \"upper\"", 16,
     "link 'upper'|rename"},
    {"links_object", "[{\"name\": \"upper\", \"joint\": \"shoulder\"}]", "{}", 15,
     "'links'|an array"},
    {"posture_joint", "\"elbow\": 1.5", "\"elbwo\": 1.5", 18, "'elbwo'|'elbow'?"},
    {"posture_fixed", "\"elbow\": 1.5", "\"base\": 1.5", 18, "'base'|fixed"},
    {"posture_hinge_array", "\"elbow\": 1.5", "\"elbow\": [1.5]", 18, "'elbow'|a number"},
    {"posture_ball_number", "[0, 1, 0, 0]", "1", 17, "'shoulder'|4 numbers"},
    {"posture_ball_three", "[0, 1, 0, 0]", "[0, 1, 0]", 17, "'shoulder'|4 numbers|has 3"},
    {"posture_ball_zero", "[0, 1, 0, 0]", "[0, 0, 0, 0]", 17, "'shoulder'|zero quaternion"},
    {"posture_nameless", "\"ahead\"", "\"\"", 19, "empty name"},
    {"posture_number", "\"ahead\": {}", "\"ahead\": 1", 19, "'ahead'|an object"},
    {"posture_twice", "\"ahead\"", "\"wave\"", 19, "'wave'|twice"},
    {"mimic_joint", "\"source\": \"shoulder\"", "\"source\": \"sholder\"", 21,
     "'sholder'|'shoulder'?"},
    {"mimic_text", "\"multiplier\": 2", "\"multiplier\": \"2\"", 21, "'multiplier'|a number"},
    {"clip_rate", "\"rate\": 30", "\"rate\": 0", 23, "'rate'|above zero"},
    {"clip_no_rate", "\"rate\": 30,", "", 23, "'rate'|missing"},
    {"clip_column", "\"shoulder.x\"", "\"shoulder.q\"", 24, "'shoulder.q'|'shoulder.x'"},
    {"clip_columns_few", ", \"elbow\"]", "]", 24, "'elbow'|missing"},
    {"clip_columns_many", ", \"elbow\"]", ", \"elbow\", \"tail\"]", 24, "'tail'|more"},
    {"clip_frame_short", "[1, 0, 0, 0, 0.75]", "[1, 0, 0, 0]", 26, "5 numbers|has 4"},
    {"clip_frame_text", "0.75", "\"x\"", 26, "5 numbers|a text"},
    {"clip_frame_zero", "[1, 0, 0, 0, 0.75]", "[0, 0, 0, 0, 0.75]", 26, "zero quaternion"},
};

void expect_refused(const char* name, std::string_view text, int line, std::string_view words) {
  SCOPED_TRACE(name);
  const Result<Loaded> loaded = read_gestik_json(text, "bad.json");
  ASSERT_FALSE(loaded);
  const std::string& what = loaded.error().what;
  EXPECT_EQ(loaded.error().where, "bad.json:" + std::to_string(line)) << what;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find('|'));
    EXPECT_NE(what.find(word), what.npos) << word << " is not in: " << what;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  EXPECT_EQ(what.find('\n'), what.npos);
  EXPECT_LT(what.size(), 400u);
}

TEST(GestikJson, refuses_bad_files_with_line_and_words) {
  for (const Bad& bad : bad_files) expect_refused(bad.name, bad.text, bad.line, bad.words);
  for (const BadChange& bad : bad_changes)
    expect_refused(bad.name, replaced(sound, bad.from, bad.to), bad.line, bad.words);
  expect_refused("trailing", sound + "x", 29, "not sound JSON");
  expect_refused("binary", {"\0\xff\xfe", 3}, 1, "zero byte");
  expect_refused("after_the_end", sound + '\0' + "x", 29, "zero byte");
  expect_refused("deep", std::string(100, '['), 1, "nested|64");
  expect_refused("very_deep", std::string(1000000, '['), 1, "nested|64");
}

TEST(GestikJson, keeps_messages_to_one_short_line_whatever_the_names) {
  const std::string name(100000, 'x');
  for (const std::string& field : {name, std::string("a\\nb\\u0000"), "é" + name})
    for (const char* place : {"\"up\"", "\"parent\"", "\"wave\"", "\"elbow\": 1.5"}) {
      const auto loaded =
          read_gestik_json(replaced(sound, place, "\"" + field + "\": 1, " + place), "bad.json");
      ASSERT_FALSE(loaded);
      EXPECT_LT(loaded.error().what.size(), 400u);
      for (char c : loaded.error().what) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    }
}

TEST(GestikJson, refuses_more_values_than_it_may_hold) {
  std::string text = "[0";
  for (int i = 0; i < (1 << 24); ++i) text += ",0";
  const auto loaded = read_gestik_json(text + "]", "big.json");
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("split"), std::string::npos);
}

TEST(GestikJson, refuses_every_truncation) {
  for (const std::string& text : {sound, example_of_the_document()}) {
    const std::size_t end = text.rfind('}');
    for (std::size_t size = 0; size <= end; ++size) {
      const auto loaded = read_gestik_json(std::string_view(text).substr(0, size), "cut.json");
      ASSERT_FALSE(loaded) << size;
      EXPECT_EQ(loaded.error().where.substr(0, 9), "cut.json:");
    }
  }
}

RC_GTEST_PROP(GestikJson, survives_any_changed_bytes, ()) {
  std::string text = sound;
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    const auto at = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(text.size())));
    text[at] = *rc::gen::arbitrary<char>();
  }
  const Result<Loaded> loaded = read_gestik_json(text, "changed.json");
  if (loaded) RC_ASSERT(!check(loaded->character));
}

// --- writing ---

TEST(GestikJson, writes_one_joint_to_a_line_and_no_defaults) {
  const Loaded loaded = must_read(sound);
  EXPECT_EQ(must_write(loaded.character, loaded.clips), R"({
  "gestik": 1,
  "name": "arm",
  "up": "z",
  "joints": [
    {"name": "base", "type": "fixed"},
    {"name": "shoulder", "parent": "base", "type": "ball", "axis": [0, 0, 1], "limits": {"lo": -1, "hi": 1, "swing_x": 0.5}},
    {"name": "elbow", "parent": "shoulder", "type": "hinge", "position": [0, 0.5, 0], "axis": [1, 0, 0], "limits": {"lo": 0.25, "hi": 2}}
  ],
  "ends": [
    {"name": "hand", "joint": "elbow", "aim": [0, 0, 1]}
  ],
  "links": [
    {"name": "upper", "joint": "shoulder"}
  ],
  "postures": {
    "wave": {"shoulder": [0, 1, 0, 0], "elbow": 1.5},
    "ahead": {"shoulder": [1, 0, 0, 0], "elbow": 0.25}
  },
  "mimics": [
    {"joint": "elbow", "source": "shoulder", "multiplier": 2, "offset": 0.5}
  ],
  "clips": [
    {"name": "nod", "rate": 30, "columns": ["shoulder.w", "shoulder.x", "shoulder.y", "shoulder.z", "elbow"], "frames": [
      [1, 0, 0, 0, 0.5],
      [1, 0, 0, 0, 0.75]]}
  ]
}
)");
}

TEST(GestikJson, writes_nothing_that_is_not_json) {
  Loaded loaded = must_read(sound);
  for (Real x : {infinity, -infinity, std::nan("")}) {
    Character character = loaded.character;
    character.postures[0].q[4] = x;
    EXPECT_FALSE(write_gestik_json(character));
    character = loaded.character;
    character.ends[0].aim.x() = x;
    EXPECT_FALSE(write_gestik_json(character));
    std::vector<Clip> clips = loaded.clips;
    clips[0].values[0] = x;
    EXPECT_FALSE(write_gestik_json(loaded.character, clips));
  }
  loaded.character.name = "\xff";
  const auto text = write_gestik_json(loaded.character);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().what.find("UTF-8"), std::string::npos);
}

int pick(int from, int below) {
  return *rc::gen::inRange(from, below);
}

Real any_finite() {
  switch (pick(0, 4)) {
    case 0:
      return pick(-3, 4);
    case 1:
      return -0.0;
    case 2:
      return pick(-1000000, 1000000) / 7.0;
    default: {
      const Real x = std::bit_cast<Real>(*rc::gen::arbitrary<std::uint64_t>());
      return is_bounded(x) ? x : 5e-324;
    }
  }
}

Vec3 any_vector() {
  return {any_finite(), any_finite(), any_finite()};
}

Vec3 any_direction() {
  const Vec3 v = any_vector();
  return v.isZero(0) ? Vec3(0, -0.0, 1) : v;
}

Quat any_rotation() {
  return normalized_or_identity({any_finite(), any_finite(), any_finite(), any_finite()});
}

std::string any_name(int number) {
  const std::vector<std::string> bits{
      "\"", "\\", "/", "\n",   "\r\t", std::string(1, '\0'), "\x01", "\x7f", "é", "関節", "😀",
      " ",  "'",  "a", "null", "},{",  "\xe2\x80\xa8",       "%s"};
  std::string name;
  for (int i = pick(0, 5); i > 0; --i)
    name += bits[static_cast<std::size_t>(pick(0, static_cast<int>(bits.size())))];
  return name + std::to_string(number);
}

Limits any_limits(JointType type) {
  Limits limits;
  const Real a = any_finite(), b = any_finite();
  const bool lo = pick(0, 2) != 0, hi = type == JointType::ball ? lo : pick(0, 2) != 0;
  if (lo) limits.lo = std::min(a, b);
  if (hi) limits.hi = std::max(a, b);
  if (type != JointType::ball) return limits;
  if (pick(0, 2) != 0) limits.swing_x = pick(1, 314) / 100.0;
  if (pick(0, 2) != 0) limits.swing_y = pick(1, 314) / 100.0;
  return limits;
}

SkeletonDraft any_draft() {
  SkeletonDraft draft;
  const int count = pick(1, 8);
  for (int j = 0; j < count; ++j) {
    const auto type = static_cast<JointType>(pick(0, 4));
    draft.joints.push_back(
        {.name = any_name(j),
         .parent = j == 0 ? "" : draft.joints[static_cast<std::size_t>(pick(0, j))].name,
         .type = type,
         .parent_from_joint = {any_rotation(), any_vector()},
         .axis = any_direction(),
         .limits = type == JointType::fixed ? Limits{} : any_limits(type)});
  }
  return draft;
}

std::vector<Frame> any_frames(const Skeleton& skeleton) {
  std::vector<Frame> frames;
  for (int i = pick(0, 3); i > 0; --i)
    frames.push_back({.name = any_name(i),
                      .joint = pick(0, skeleton.joint_count()),
                      .joint_from_frame = {any_rotation(), any_vector()},
                      .aim = any_direction()});
  return frames;
}

std::vector<Real> any_q(const Skeleton& skeleton) {
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (Real& x : q) x = any_finite();
  for (const Skeleton::Joint& joint : skeleton.joints())
    if (joint.type == JointType::ball) store_quat(any_rotation(), q.data() + joint.q_offset);
  return q;
}

RC_GTEST_PROP(GestikJson, reads_back_what_it_wrote_bit_for_bit, ()) {
  const Result<Skeleton> skeleton = build(any_draft());
  RC_ASSERT(skeleton.ok());
  Character character{.name = any_name(0),
                      .up = static_cast<UpAxis>(pick(0, 3)),
                      .skeleton = *skeleton,
                      .ends = any_frames(*skeleton),
                      .links = any_frames(*skeleton),
                      .postures = {},
                      .mimics = {},
                      .motion = {}};
  if (pick(0, 2) == 1) {
    for (const Skeleton::Joint& joint : skeleton->joints()) {
      MotionLimitsDraft draft;
      if (joint.type != JointType::fixed) {
        if (pick(0, 2) == 1) draft.velocity = pick(1, 1000) / 7.0;
        if (pick(0, 2) == 1) draft.acceleration = pick(1, 1000) / 7.0;
        if (pick(0, 2) == 1) draft.jerk = pick(1, 1000) / 7.0;
      }
      character.motion.push_back(motion_limits(joint.type, draft));
    }
  }
  for (int i = pick(0, 4); i > 0; --i) {
    const JointId joint = pick(0, skeleton->joint_count());
    const Real size = pick(1, 1000) / 7.0;
    const Pose place{normalized_or_identity({1.0, 0.5, 0, size}), Vec3(size, -size, 0.1)};
    const std::array<Volume, 3> volumes{Sphere{place.p, size}, Capsule{place.p, -place.p, size},
                                        Cuboid{place, Vec3(size, 1, 2)}};
    character.shapes.push_back({any_name(i), joint, volumes[static_cast<std::size_t>(i % 3)]});
  }
  for (int i = pick(0, 3); i > 0; --i)
    character.postures.push_back({any_name(i), any_q(*skeleton)});
  for (int i = pick(0, 3); i > 0; --i)
    character.mimics.push_back({.joint = pick(0, skeleton->joint_count()),
                                .source = pick(0, skeleton->joint_count()),
                                .multiplier = any_finite(),
                                .offset = any_finite()});
  std::vector<Clip> clips{clip_for(*skeleton, any_name(0), pick(1, 100) / 3.0)};
  for (int i = pick(0, 4); i > 0; --i) {
    const std::vector<Real> q = any_q(*skeleton);
    clips[0].values.insert(clips[0].values.end(), q.begin(), q.end());
  }

  const std::string text = must_write(character, clips);
  const Loaded again = must_read(text);
  expect_same(again.character, character);
  expect_same(again.clips, clips);
  RC_ASSERT(must_write(again.character, again.clips) == text);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(GestikJson, writes_and_reads_a_chain_of_100000_joints) {
  SkeletonDraft draft;
  const auto name = [](int j) { return std::string("joint ").append(std::to_string(j)); };
  for (int j = 0; j < 100000; ++j)
    draft.joints.push_back({.name = name(j),
                            .parent = j == 0 ? "" : name(j - 1),
                            .type = JointType::hinge,
                            .parent_from_joint = {Quat::Identity(), Vec3(0, 0.1, 0)},
                            .axis = Vec3::UnitX(),
                            .limits = {}});
  Character character{.name = "rope", .up = UpAxis::y, .skeleton = *build(draft)};
  character.postures.push_back({"rest", std::vector<Real>(100000, 0.001)});
  const std::string text = must_write(character);
  EXPECT_TRUE(must_write(must_read(text).character) == text);
}

}  // namespace
}  // namespace gestik
