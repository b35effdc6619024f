#include <gtest/gtest.h>

#include <cmath>

#include "gestik/io/gestik_json.h"
#include "gestik/io/read.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

Character bundled(std::string_view name) {
  Result<Loaded> loaded = bundled_character(name);
  if (!loaded) throw std::runtime_error(to_string(loaded.error()));
  return std::move(loaded->character);
}

std::vector<Pose> poses(const Character& character, std::string_view posture) {
  const Posture* found = find_posture(character, posture);
  if (!found) throw std::runtime_error("no posture " + std::string(posture));
  return poses(character.skeleton, found->q);
}

/// Where an end-point is in a posture, where it looks and which way its top points.
struct Look {
  Vec3 at, beam, top;
};
Look look(const Character& character, std::string_view posture, std::string_view end) {
  const Frame frame = *find_frame(character, end);
  const Pose pose =
      poses(character, posture)[static_cast<std::size_t>(frame.joint)] * frame.joint_from_frame;
  return {pose.p, pose.q * frame.aim, pose.q * Vec3::UnitY()};
}

Vec3 joint_place(const Character& character, std::string_view posture, std::string_view joint) {
  const auto j = static_cast<std::size_t>(character.skeleton.find(joint));
  return poses(character, posture)[j].p;
}

TEST(Characters, are_sound_and_keep_their_postures_inside_the_limits) {
  for (std::string_view name : bundled_character_names()) {
    const Result<Loaded> loaded = bundled_character(name);
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    EXPECT_TRUE(loaded->warnings.empty());
    const Character& character = loaded->character;
    EXPECT_FALSE(check(character));
    EXPECT_EQ(character.up, UpAxis::y);
    EXPECT_FALSE(character.ends.empty());
    EXPECT_GE(character.postures.size(), 3u);
    for (const Posture& posture : character.postures)
      for (JointId j = 0; j < character.skeleton.joint_count(); ++j)
        EXPECT_TRUE(joint_inside_limits(character.skeleton, j,
                                        posture.q.data() + character.skeleton.q_offset(j)))
            << name << ", " << posture.name << ", " << character.skeleton.name(j);
  }
}

TEST(Characters, are_all_described) {
  const std::string page = *read_file(GESTIK_SOURCE_DIR "/docs/CHARACTERS.md");
  for (std::string_view name : {"lamp", "snake", "humanoid"}) {
    EXPECT_NE(page.find("## " + std::string(name) + "\n"), page.npos) << name;
    for (const Posture& posture : bundled(name).postures)
      EXPECT_NE(page.find("| " + posture.name + " |"), page.npos) << name << ", " << posture.name;
  }
}

TEST(Characters, A_to_G_are_the_skeletons_of_the_erik_paper) {
  struct Row {
    const char *name, *axes;
    Real range;
  };
  for (const Row& row : {Row{"A", "YXY", pi / 2}, Row{"B", "YXZY", pi}, Row{"C", "YXXZY", pi / 2},
                         Row{"D", "YXZXY", pi}, Row{"E", "YXZXY", pi / 2},
                         Row{"F", "YXXZXY", pi / 2}, Row{"G", "YXZXYXZY", pi / 2}}) {
    const Character character = bundled(row.name);
    const Skeleton& skeleton = character.skeleton;
    const std::string_view axes = row.axes;
    ASSERT_EQ(skeleton.joint_count(), static_cast<int>(axes.size())) << row.name;
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      const char axis = axes[static_cast<std::size_t>(j)];
      EXPECT_EQ(skeleton.parent(j), j - 1);
      EXPECT_EQ(skeleton.type(j), JointType::hinge);
      EXPECT_EQ(skeleton.axis(j), Vec3::Unit(axis - 'X'));
      EXPECT_EQ(skeleton.limits(j).lo, -row.range);
      EXPECT_EQ(skeleton.limits(j).hi, row.range);
      const std::string number = std::to_string(j + 1);
      EXPECT_EQ(skeleton.name(j),
                std::string("j").append(number) + "_" + static_cast<char>(axis - 'A' + 'a'));
    }
    const Look end = look(character, "rest", "end");
    EXPECT_EQ(end.at, Vec3(0, static_cast<Real>(axes.size()), 0));
    EXPECT_EQ(end.beam, Vec3(0, 1, 0));
  }
}

TEST(Lamp, is_a_lamp_of_five_hinges) {
  const Character lamp = bundled("lamp");
  EXPECT_EQ(lamp.skeleton.v_size(), 5);
  EXPECT_EQ(lamp.skeleton.joint_count(), 5);
  EXPECT_GE(lamp.postures.size(), 8u);
  EXPECT_EQ(lamp.postures[0].name, "neutral");
  EXPECT_EQ(lamp.ends[0].name, "head");
  for (const Posture& posture : lamp.postures)
    for (const Pose& joint : poses(lamp, posture.name))
      EXPECT_GE(joint.p.y(), 0.02) << posture.name;  // above the desk
}

TEST(Lamp, postures_look_like_their_names) {
  const Character lamp = bundled("lamp");
  const auto head = [&](const char* posture) { return look(lamp, posture, "head"); };
  const auto slope = [&](const char* posture) { return std::asin(head(posture).beam.y()); };
  const auto roll = [&](const char* posture) { return std::asin(std::abs(head(posture).top.x())); };
  const Look neutral = head("neutral");

  EXPECT_GT(neutral.beam.z(), 0.95);
  EXPECT_NEAR(neutral.beam.x(), 0, 1e-12);
  EXPECT_LT(slope("neutral"), 0);
  EXPECT_GT(slope("neutral"), -0.35);

  EXPECT_GT(head("curious").at.z(), neutral.at.z() + 0.15);  // leans to it
  EXPECT_GT(head("curious").beam.z(), 0.95);
  EXPECT_GT(roll("curious"), 0.4);  // and cocks its head

  EXPECT_LT(head("shy").at.y(), 0.6 * neutral.at.y());
  EXPECT_LT(head("shy").at.z(), neutral.at.z());
  EXPECT_LT(slope("shy"), -0.5);
  EXPECT_GT(std::abs(head("shy").beam.x()), 0.15);  // looks aside

  EXPECT_GT(head("proud").at.y(), neutral.at.y() + 0.08);
  EXPECT_GT(slope("proud"), 0.25);

  EXPECT_LT(head("sad").at.y(), joint_place(lamp, "sad", "elbow").y());
  EXPECT_LT(slope("sad"), -1);

  EXPECT_GT(head("alert").at.y(), 0.44);
  EXPECT_NEAR(slope("alert"), 0, 0.05);

  for (const Posture& other : lamp.postures)
    EXPECT_LE(head("sleepy").at.y(), head(other.name.c_str()).at.y()) << other.name;
  EXPECT_LT(slope("sleepy"), -1);

  EXPECT_GT(slope("happy"), 0.3);
  EXPECT_GT(roll("happy"), 0.15);

  EXPECT_LT(head("afraid").at.z(), 0);  // behind its base
  EXPECT_GT(head("afraid").beam.z(), 0.95);

  EXPECT_GT(head("angry").at.z(), neutral.at.z() + 0.2);
  EXPECT_LT(head("angry").at.y(), neutral.at.y() - 0.1);
  EXPECT_GT(head("angry").beam.z(), 0.95);
}

TEST(Snake, lies_along_a_line_and_rises_from_it) {
  const Character snake = bundled("snake");
  EXPECT_EQ(snake.skeleton.v_size(), 12);
  for (JointId j = 0; j < 12; ++j)
    EXPECT_EQ(snake.skeleton.axis(j), j % 2 == 0 ? Vec3(0, 1, 0) : Vec3(1, 0, 0));
  for (const Posture& posture : snake.postures)
    for (const Pose& joint : poses(snake, posture.name))
      EXPECT_GE(joint.p.y(), 0.03 - 1e-9) << posture.name;  // none dives into the floor

  const auto head = [&](const char* posture) { return look(snake, posture, "head"); };
  EXPECT_LT((head("rest").at - Vec3(0, 0.03, 0.96)).norm(), 1e-12);
  EXPECT_GT(head("slither").beam.z(), 0.99);
  EXPECT_LT(head("slither").at.z(), 0.9);
  EXPECT_LT(head("coil").at.norm(), 0.3);  // the head is back where the tail begins
  EXPECT_GT(head("coil").at.y(), 0.1);
  EXPECT_GT(head("rear_up").at.y(), 0.35);
  EXPECT_GT(head("rear_up").beam.z(), 0.99);
  EXPECT_GT(head("strike").at.y(), 0.25);
  EXPECT_GT(head("strike").beam.z(), 0.9);
  EXPECT_GT(head("peek").at.y(), 0.1);
  EXPECT_GT(head("peek").beam.x(), 0.6);
}

Vec3 mirrored(const Vec3& v) {
  return {-v.x(), v.y(), v.z()};
}
Quat mirrored(const Quat& q) {
  return {q.w(), q.x(), -q.y(), -q.z()};
}

TEST(Humanoid, has_a_left_that_mirrors_its_right) {
  const Character humanoid = bundled("humanoid");
  const Skeleton& skeleton = humanoid.skeleton;
  int pairs = 0;
  for (JointId left = 0; left < skeleton.joint_count(); ++left) {
    if (!skeleton.name(left).starts_with("left_")) continue;
    const JointId right = skeleton.find("right_" + skeleton.name(left).substr(5));
    ASSERT_NE(right, no_joint) << skeleton.name(left);
    ++pairs;
    const Pose &l = skeleton.parent_from_joint(left), &r = skeleton.parent_from_joint(right);
    EXPECT_EQ(mirrored(l.p), r.p);
    EXPECT_EQ(mirrored(l.q).coeffs(), r.q.coeffs());
    EXPECT_EQ(skeleton.type(left), skeleton.type(right));
    const Limits &a = skeleton.limits(left), &b = skeleton.limits(right);
    EXPECT_EQ(a.swing_x, b.swing_x);
    EXPECT_EQ(a.swing_y, b.swing_y);
    if (skeleton.type(left) == JointType::ball) {
      EXPECT_EQ(mirrored(skeleton.axis(left)), skeleton.axis(right));
      EXPECT_EQ(a.lo, -b.hi);
      EXPECT_EQ(a.hi, -b.lo);
    } else {  // what turns mirrors the other way round
      EXPECT_EQ(-mirrored(skeleton.axis(left)), skeleton.axis(right));
      EXPECT_EQ(a.lo, b.lo);
      EXPECT_EQ(a.hi, b.hi);
    }
  }
  EXPECT_EQ(pairs, 8);
}

TEST(Humanoid, holds_even_postures_evenly) {
  const Character humanoid = bundled("humanoid");
  for (const char* posture : {"stand", "t_pose", "crouch", "sit", "cheer", "slump", "proud"})
    for (const char* end : {"hand", "foot"}) {
      const Look left = look(humanoid, posture, std::string("left_") + end);
      const Look right = look(humanoid, posture, std::string("right_") + end);
      EXPECT_LT((mirrored(left.at) - right.at).norm(), 1e-9) << posture << ", " << end;
      EXPECT_LT((mirrored(left.beam) - right.beam).norm(), 1e-9) << posture << ", " << end;
    }
}

TEST(Humanoid, postures_look_like_their_names) {
  const Character humanoid = bundled("humanoid");
  const auto end = [&](const char* posture, const char* name) {
    return look(humanoid, posture, name);
  };
  for (const char* foot : {"left_foot", "right_foot"})
    EXPECT_NEAR(end("stand", foot).at.y(), 0, 1e-5);
  EXPECT_NEAR(end("stand", "head").at.y(), 1.7, 1e-9);
  EXPECT_LT((end("stand", "head").beam - Vec3::UnitZ()).norm(), 1e-9);
  EXPECT_LT(end("stand", "left_hand").at.y(), 0.9);
  EXPECT_LT((end("t_pose", "left_hand").beam - Vec3::UnitX()).norm(), 1e-5);
  EXPECT_GT(end("greet", "right_hand").at.y(), end("greet", "head").at.y());
  EXPECT_LT(end("greet", "left_hand").at.y(), 1);
  EXPECT_GT(end("cheer", "left_hand").at.y(), 1.9);
  EXPECT_GT(end("cheer", "head").beam.y(), 0.4);
  EXPECT_LT((end("think", "right_hand").at - end("think", "head").at).norm(), 0.18);
  EXPECT_LT(end("slump", "head").beam.y(), -0.7);
  EXPECT_LT(end("slump", "head").at.y(), 1.55);
  EXPECT_GT(end("point", "right_hand").at.z(), 0.6);
  EXPECT_NEAR(end("point", "head").beam.z(), 1, 1e-5);
  EXPECT_NEAR(joint_place(humanoid, "sit", "left_knee").y(),
              joint_place(humanoid, "sit", "left_hip").y(), 0.06);
}

TEST(Humanoid, limits_are_those_of_a_person) {
  const Character humanoid = bundled("humanoid");
  const Skeleton& skeleton = humanoid.skeleton;
  const auto allows = [&](const char* joint, const Quat& parent_from_moved) {
    const JointId j = skeleton.find(joint);
    const Quat value = skeleton.parent_from_joint(j).q.conjugate() * parent_from_moved;
    Real q[4];
    store_quat(value, q);
    return joint_inside_limits(skeleton, j, q);
  };
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  EXPECT_TRUE(allows("left_hip", axis_angle(x, -1.7)));       // the knee lifted in front
  EXPECT_TRUE(allows("left_hip", axis_angle(x, 0.3)));        // a step back
  EXPECT_FALSE(allows("left_hip", axis_angle(x, 0.8)));       // no further
  EXPECT_TRUE(allows("left_shoulder", axis_angle(y, -1.9)));  // the arm across the chest
  EXPECT_TRUE(allows("left_shoulder", axis_angle(y, 0.6)));   // and a little behind
  EXPECT_FALSE(allows("left_shoulder", axis_angle(y, 1.2)));
  EXPECT_TRUE(allows("left_shoulder", axis_angle(z, 1.2)));   // up
  EXPECT_TRUE(allows("left_shoulder", axis_angle(z, -1.5)));  // hanging
  EXPECT_TRUE(allows("head", axis_angle(y, 0.6)));
  EXPECT_FALSE(allows("head", axis_angle(y, 0.9)));
}

}  // namespace
}  // namespace gestik
