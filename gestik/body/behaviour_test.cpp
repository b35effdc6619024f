#include "gestik/body/behaviour.h"

#include <gtest/gtest.h>

#include "gestik/io/behaviour_json.h"
#include "gestik/io/read.h"
#include "gestik/math/ellipse.h"
#include "gestik/math/mean_rotation.h"
#include "gestik/math/random_for_test.h"
#include "gestik/measure/allocations.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

const Skeleton& humanoid() {
  static const Loaded loaded = *bundled_character("humanoid");
  return loaded.character.skeleton;
}

ArmDraft arm_of(std::string_view behaviour) {
  Result<BehaviourDraft> draft = bundled_behaviour(behaviour, humanoid());
  if (!draft) throw std::runtime_error(to_string(draft.error()));
  return draft->arms[0];
}

Result<SwingKeys> keys_of(const ArmDraft& arm) {
  return build(humanoid(), humanoid().find("right_shoulder"), arm);
}

std::vector<Real> blend(const SwingKeys& keys, const Vec2& swing) {
  std::vector<Real> row(static_cast<std::size_t>(keys.row_size()));
  int face = 0;
  keys.blend(swing, face, row);
  return row;
}

/// The largest change between two rows, rotations as angles.
Real change(const SwingKeys& keys, const std::vector<Real>& a, const std::vector<Real>& b) {
  Real most = 0;
  const auto turn = [&](int at) {
    return angle_between(load_quat(a.data() + at), load_quat(b.data() + at));
  };
  for (const SwingKeys::Item& item : keys.items())
    most = std::max(most, item.type == JointType::ball
                              ? turn(item.offset)
                              : std::abs(a[static_cast<std::size_t>(item.offset)] -
                                         b[static_cast<std::size_t>(item.offset)]));
  most = std::max(most, turn(keys.root_offset() + 3));
  for (const int at :
       {keys.root_offset(), keys.root_offset() + 1, keys.root_offset() + 2, keys.swivel_offset()})
    most =
        std::max(most, std::abs(a[static_cast<std::size_t>(at)] - b[static_cast<std::size_t>(at)]));
  return most;
}

Vec2 random_swing(Random& random, const Vec2& ellipse) {
  while (true) {
    const Vec2 s(random.uniform(-1, 1) * ellipse.x(), random.uniform(-1, 1) * ellipse.y());
    if (ellipse_level(s, ellipse.x(), ellipse.y()) <= 1) return s;
  }
}

TEST(SwingKeys, are_themselves_at_their_swings) {
  for (const std::string_view name : bundled_behaviour_names()) {
    const ArmDraft arm = arm_of(name);
    const SwingKeys keys = *keys_of(arm);
    ASSERT_EQ(keys.key_count(), static_cast<int>(arm.keys.size()));
    for (int k = 0; k < keys.key_count(); ++k) {
      const KeyPosture& key = arm.keys[static_cast<std::size_t>(k)];
      EXPECT_EQ(keys.swing(k), key.swing);
      const std::vector<Real> row = blend(keys, key.swing);
      for (const SwingKeys::Item& item : keys.items())
        if (item.type == JointType::ball) {
          EXPECT_LT(angle_between(load_quat(row.data() + item.offset),
                                  load_quat(key.q.data() + item.offset)),
                    1e-9);
        }
      EXPECT_NEAR(row[static_cast<std::size_t>(keys.swivel_offset())], key.swivel->preferred,
                  1e-12);
    }
  }
}

TEST(SwingKeys, blend_without_jumps_all_over_the_ellipse) {
  Random random(1);
  for (const std::string_view name : bundled_behaviour_names()) {
    const SwingKeys keys = *keys_of(arm_of(name));
    Real steepest = 0;
    for (int i = 0; i < 20'000; ++i) {
      const Vec2 s = random_swing(random, keys.ellipse());
      const Real angle = random.uniform(-pi, pi);
      const Vec2 t = s + 1e-6 * Vec2(std::cos(angle), std::sin(angle));
      steepest = std::max(steepest, change(keys, blend(keys, s), blend(keys, t)) / 1e-6);
    }
    EXPECT_LT(steepest, 4) << name;  // radians of posture for a radian of swing
  }
}

TEST(SwingKeys, swings_outside_the_ellipse_are_those_of_its_edge) {
  const SwingKeys keys = *keys_of(arm_of("normal"));
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const Vec2 outside(0.5, 2.5);
  const Vec2 edge = nearest_on_ellipse(outside, keys.ellipse().x(), keys.ellipse().y());
  EXPECT_LT(change(keys, blend(keys, outside), blend(keys, edge)), 1e-9);
  for (const Real x : blend(keys, {nan, 0})) EXPECT_TRUE(is_finite(x));
}

TEST(SwingKeys, come_and_go_without_a_trace) {
  Random random(2);
  const ArmDraft arm = arm_of("expansive");
  SwingKeys keys = *keys_of(arm);
  std::vector<std::pair<Vec2, std::vector<Real>>> samples;
  for (int i = 0; i < 200; ++i) {
    const Vec2 s = random_swing(random, keys.ellipse());
    samples.emplace_back(s, blend(keys, s));
  }
  for (int i = 0; i < 50; ++i) {
    KeyPosture key = arm.keys[static_cast<std::size_t>(random.index(9))];
    key.swing = random_swing(random, keys.ellipse());
    ASSERT_FALSE(keys.insert(key));
  }
  while (keys.key_count() > static_cast<int>(arm.keys.size()))
    ASSERT_FALSE(keys.remove(keys.key_count() - 1));
  for (const auto& [swing, row] : samples) ASSERT_LT(change(keys, blend(keys, swing), row), 1e-9);
}

TEST(SwingKeys, the_last_key_stays) {
  ArmDraft arm = arm_of("normal");
  arm.keys.resize(2);
  SwingKeys keys = *keys_of(arm);
  EXPECT_FALSE(keys.remove(0));
  EXPECT_EQ(keys.swing(0), arm.keys[1].swing);
  EXPECT_EQ(to_string(*keys.remove(0)), "a behaviour needs at least one key; this is the last");
  EXPECT_EQ(to_string(*keys.remove(7)), "there is no such key");
  EXPECT_EQ(keys.key_count(), 1);
  EXPECT_LT(change(keys, blend(keys, {0, 0}), blend(keys, {1, 1})), 1e-12)
      << "one key, one posture";
}

TEST(SwingKeys, bad_keys_are_refused_and_change_nothing) {
  const ArmDraft arm = arm_of("normal");
  SwingKeys keys = *keys_of(arm);
  const std::vector<Real> before = blend(keys, {0.1, 0.2});
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto complaint = [&](auto spoil) {
    KeyPosture key = arm.keys[0];
    key.swing = {0.3, -0.3};
    spoil(key);
    const auto alone = keys.insert(key);
    ArmDraft draft = arm;
    draft.keys[2] = key;
    const auto whole = keys_of(draft);
    if (!alone || whole) return std::string();
    EXPECT_EQ(to_string(whole.error()), "key 3: " + to_string(*alone));
    return to_string(*alone);
  };
  EXPECT_EQ(complaint([](KeyPosture& k) { k.q.pop_back(); }),
            "its posture has 19 numbers, its joints need 20");
  EXPECT_EQ(complaint([](KeyPosture& k) { k.q.clear(); }),
            "its posture has 0 numbers, its joints need 20");
  EXPECT_EQ(complaint([&](KeyPosture& k) { k.q[3] = nan; }), "its posture is not finite");
  EXPECT_EQ(complaint([](KeyPosture& k) { std::fill_n(k.q.begin() + 4, 4, 0.0); }),
            "its posture holds a zero quaternion");
  EXPECT_NE(complaint([](KeyPosture& k) {
              k.swing = {1.7, 0};
            }).find("outside the shoulder's"),
            std::string::npos);
  EXPECT_NE(complaint([&](KeyPosture& k) {
              k.swing = {nan, 0};
            }).find("outside"),
            std::string::npos);
  EXPECT_NE(complaint([&](KeyPosture& k) { k.swing = arm.keys[1].swing; }).find("another key"),
            std::string::npos);
  EXPECT_NE(complaint([](KeyPosture& k) { k.root.p.x() = infinity; }).find("root"),
            std::string::npos);
  EXPECT_NE(complaint([](KeyPosture& k) { k.swivel.reset(); }).find("odd one out"),
            std::string::npos);
  EXPECT_NE(complaint([](KeyPosture& k) {
              k.swivel = {2, -1, 1};
            }).find("between"),
            std::string::npos);
  EXPECT_EQ(keys.key_count(), static_cast<int>(arm.keys.size()));
  EXPECT_TRUE(same_bits(blend(keys, {0.1, 0.2}), before));
}

TEST(SwingKeys, bad_drafts_are_refused) {
  const auto complaint = [](auto spoil) {
    ArmDraft draft = arm_of("normal");
    spoil(draft);
    const auto keys = keys_of(draft);
    return keys ? "" : to_string(keys.error());
  };
  EXPECT_EQ(complaint([](ArmDraft& d) { d.keys.clear(); }),
            "it has no keys; a behaviour needs at least one");
  EXPECT_EQ(complaint([](ArmDraft& d) { d.corners.resize(3, d.keys[0]); }),
            "it has 3 corners; draw all four or none");
  EXPECT_EQ(complaint([](ArmDraft& d) {
              d.corners.resize(4, d.keys[0]);
              d.corners[2].q.pop_back();
            }),
            "corner 3: its posture has 19 numbers, its joints need 20");
  EXPECT_EQ(complaint([](ArmDraft& d) { d.joints[0] = "spin"; }),
            "there is no joint 'spin'; did you mean 'spine'?");
  EXPECT_EQ(complaint([](ArmDraft& d) { d.joints[0] = "chest"; }),
            "it names the joint 'chest' twice");
  EXPECT_NE(complaint([](ArmDraft& d) { d.joints[0] = "pelvis"; }).find("fixed"),
            std::string::npos);
  EXPECT_NE(to_string(build(humanoid(), humanoid().find("right_elbow"), arm_of("normal")).error())
                .find("must be a ball"),
            std::string::npos);
}

TEST(SwingKeys, drawn_corners_count) {
  ArmDraft draft = arm_of("normal");
  draft.corners.resize(4, draft.keys[0]);
  store_quat(axis_angle(Vec3::UnitX(), 0.4), draft.corners[2].q.data());
  const SwingKeys keys = *keys_of(draft);
  const Vec2 near_corner(0.7 * keys.ellipse().x(), 0.7 * keys.ellipse().y());
  EXPECT_GT(change(keys, blend(keys, near_corner), blend(*keys_of(arm_of("normal")), near_corner)),
            0.02);
}

TEST(SwingKeys, blending_asks_nothing_of_the_heap) {
  const SwingKeys keys = *keys_of(arm_of("expansive"));
  std::vector<Real> row(static_cast<std::size_t>(keys.row_size()));
  Random random(3);
  int face = 0;
  const long before = allocations();
  for (int i = 0; i < 1000; ++i) keys.blend(random_swing(random, keys.ellipse()), face, row);
  EXPECT_TRUE(!can_count_allocations() || allocations() == before);
}

TEST(MeanRotation, of_two_is_the_straight_way_between_them) {
  Random random(4);
  for (int i = 0; i < 10'000; ++i) {
    const Quat a = random.rotation();
    const Real angle = random.uniform(0, 1.5);
    const Quat b = a * axis_angle(random.direction(), angle);
    const Real share = random.share();
    const std::array<Quat, 2> both{a, b};
    const std::array<Real, 2> weights{1 - share, share};
    const Quat mean = mean_rotation(both, weights);
    // One step of Newton's from the straight sum leaves the fourth power of the angle.
    EXPECT_LT(angle_between(mean, a.slerp(share, b)), 1e-4 * std::pow(angle, 4) + 1e-9);
  }
}

TEST(MeanRotation, of_three_does_not_depend_on_their_order) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const Quat a = random.rotation();
    const std::array<Quat, 3> turns{a, a * axis_angle(random.direction(), random.uniform(0, 1)),
                                    a * axis_angle(random.direction(), random.uniform(0, 1))};
    const Real u = random.share(), v = (1 - u) * random.share();
    const std::array<Real, 3> weights{u, v, 1 - u - v};
    const Quat mean = mean_rotation(turns, weights);
    const std::array<Quat, 3> other{turns[2], turns[0], turns[1]};
    const std::array<Real, 3> other_weights{weights[2], weights[0], weights[1]};
    EXPECT_LT(angle_between(mean, mean_rotation(other, other_weights)), 1e-14);
    // The ways to all three balance.
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) sum += weights[k] * log(mean.conjugate() * turns[k]);
    EXPECT_LT(sum.norm(), 2e-3);
  }
}

TEST(ReachWeight, rises_with_the_square_of_the_distance) {
  EXPECT_EQ(reach_weight(0, 0.7, 0.8), 0);
  EXPECT_NEAR(reach_weight(0.35, 0.7, 0.8), 0.2, 1e-15);
  EXPECT_NEAR(reach_weight(0.7, 0.7, 0.8), 0.8, 1e-15);
  EXPECT_EQ(reach_weight(0.7 / std::sqrt(0.8) + 1e-9, 0.7, 0.8), 1);
  EXPECT_EQ(reach_weight(9, 0.7, 0.8), 1);
  EXPECT_EQ(reach_weight(-1, 0.7, 0.8), 0);
}

TEST(Swing, points_the_arm_where_it_should) {
  Random random(6);
  const JointId shoulder = humanoid().find("right_shoulder");
  for (int i = 0; i < 1000; ++i) {
    const Vec3 direction = random.direction();
    const Vec2 swing = swing_towards(humanoid(), shoulder, 3 * direction);
    const Quat turn = ball_from_angles(humanoid(), shoulder, {swing.x(), swing.y(), 0.3});
    EXPECT_LT((turn * humanoid().axis(shoulder) - direction).norm(), 1e-12);
  }
  EXPECT_EQ(swing_towards(humanoid(), shoulder, Vec3::Zero()), Vec2(0, 0));
}

}  // namespace
}  // namespace gestik
