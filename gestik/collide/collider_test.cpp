#include "gestik/collide/collider.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "gestik/collide/bodies_for_test.h"
#include "gestik/io/read.h"
#include "gestik/math/random_for_test.h"
#include "gestik/measure/allocations.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

Character humanoid() {
  Result<Loaded> loaded = bundled_character("humanoid");
  if (!loaded) throw std::runtime_error(to_string(loaded.error()));
  return std::move(loaded->character);
}

Collider must_build(const Skeleton& skeleton, const ColliderDraft& draft) {
  Result<Collider> built = build(skeleton, draft);
  if (!built) throw std::runtime_error(to_string(built.error()));
  return *std::move(built);
}

std::string names(const Collider& collider, const std::optional<Pair>& pair) {
  return pair ? collider.name(pair->a) + " and " + collider.name(pair->b) : "none";
}

/// The first pair that meets in a pose, in words.
std::string meeting(const Collider& collider, const Skeleton& skeleton, ConstQ q) {
  Placement placed = placement_for(collider);
  place(collider, poses(skeleton, q), placed);
  return names(collider, first_overlap(collider, collider.pairs(), placed));
}

TEST(Collider, the_humanoids_postures_are_free_of_collisions) {
  const Character character = humanoid();
  ASSERT_GE(character.shapes.size(), 15u);
  const Collider collider = must_build(character.skeleton, collider_draft(character));
  EXPECT_EQ(meeting(collider, character.skeleton, character.skeleton.neutral()), "none");
  for (const Posture& posture : character.postures) {
    // Hands on knees, hands on hips: they are drawn a hand's breadth into the flesh.
    const bool rests_its_hands = posture.name == "sit" || posture.name == "proud";
    const std::string met = meeting(collider, character.skeleton, posture.q);
    EXPECT_EQ(met.find("hand") != met.npos, rests_its_hands) << posture.name << ": " << met;
    EXPECT_EQ(met == "none", !rests_its_hands) << posture.name << ": " << met;
  }
}

TEST(Collider, says_which_parts_meet) {
  const Character character = humanoid();
  const Skeleton& skeleton = character.skeleton;
  const Collider collider = must_build(skeleton, collider_draft(character));
  EXPECT_EQ(meeting(collider, skeleton, find_posture(character, "sit")->q),
            "left_hand and left_thigh");
  EXPECT_EQ(meeting(collider, skeleton, find_posture(character, "proud")->q),
            "pelvis and left_hand");
}

TEST(Collider, leaves_out_what_touches_at_rest_and_what_is_named) {
  const Character character = humanoid();
  const Collider collider = must_build(character.skeleton, collider_draft(character));
  const auto has = [](std::span<const Pair> pairs, int a, int b) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const Pair& p) {
      return (p.a == a && p.b == b) || (p.a == b && p.b == a);
    });
  };
  const int upper = collider.find("right_upper_arm"), fore = collider.find("right_forearm"),
            chest = collider.find("chest");
  ASSERT_GE(std::min({upper, fore, chest}), 0);
  EXPECT_TRUE(has(collider.touching_at_rest(), upper, fore));
  EXPECT_FALSE(has(collider.pairs(), upper, fore));
  EXPECT_TRUE(has(collider.pairs(), fore, chest));

  ColliderDraft draft = collider_draft(character);
  draft.may_touch.push_back({"chest", "right_forearm"});
  EXPECT_FALSE(has(must_build(character.skeleton, draft).pairs(), fore, chest));
}

TEST(Collider, an_obstacle_in_the_way_at_rest_is_in_the_way) {
  const Character character = humanoid();
  ColliderDraft draft = collider_draft(character);
  draft.solids.push_back({"pillar", no_joint, Cuboid{{Quat::Identity(), {0, 1, 0}}, {1, 1, 1}}});
  const Collider collider = must_build(character.skeleton, draft);
  const std::string met = meeting(collider, character.skeleton, character.skeleton.neutral());
  EXPECT_NE(met.find("and pillar"), std::string::npos) << met;
}

TEST(Collider, refuses_bad_drafts_in_words) {
  const Character character = humanoid();
  const auto complaint = [&](const Solid& solid, const MayTouch& pair = {}) {
    ColliderDraft draft = collider_draft(character);
    draft.solids.push_back(solid);
    if (!pair[0].empty()) draft.may_touch.push_back(pair);
    const Result<Collider> built = build(character.skeleton, draft);
    return built ? "" : to_string(built.error());
  };
  const Sphere sound{{9, 9, 9}, 0.1};
  EXPECT_EQ(complaint({"s", no_joint, sound}), "");
  EXPECT_EQ(complaint({"", no_joint, sound}), "every solid needs a name");
  EXPECT_EQ(complaint({"chest", no_joint, sound}), "solid 'chest': two have this name; rename one");
  EXPECT_EQ(complaint({"s", 99, sound}), "solid 's': its joint does not exist");
  EXPECT_EQ(complaint({"s", no_joint, Sphere{{0, 0, 0}, 0}}),
            "solid 's': its radius must be above zero");
  EXPECT_EQ(complaint({"s", no_joint, MeshBody{{}, {}}}), "solid 's': the mesh has no triangles");
  EXPECT_EQ(complaint({"s", no_joint, sound}, {"s", "chset"}),
            "a pair that may touch names the solid 'chset', which is not there; did you mean "
            "'chest'?");
  EXPECT_EQ(complaint({"s", no_joint, sound}, {"s", "s"}),
            "solid 's': a pair that may touch names it twice; name two solids");

  ColliderDraft draft = collider_draft(character);
  draft.rest = {1, 2, 3};
  EXPECT_NE(to_string(build(character.skeleton, draft).error()).find("the rest pose has 3 numbers"),
            std::string::npos);
  draft.rest.clear();
  draft.solids.push_back({"crate", 0, Cuboid{{}, {1, 1, 1}}});
  draft.solids.push_back({"statue", no_joint, MeshBody{{}, cube(1)}});
  EXPECT_NE(to_string(build(character.skeleton, draft).error()).find("GESTIK_FCL"),
            std::string::npos);
}

TEST(Collider, the_parts_that_move_are_tested_alone) {
  const Character character = humanoid();
  const Skeleton& skeleton = character.skeleton;
  const Collider collider = must_build(skeleton, collider_draft(character));
  const std::vector<JointId> arm{skeleton.find("right_shoulder"), skeleton.find("right_elbow"),
                                 skeleton.find("right_forearm")};
  const std::vector<JointId> hand{skeleton.find("right_wrist")};
  const PairSet of_arm = pairs_of(collider, arm), of_hand = pairs_of(collider, hand, arm);
  const std::vector<JointId> both{arm[0], arm[1], arm[2], hand[0]};
  EXPECT_EQ(of_arm.pairs.size() + of_hand.pairs.size(), pairs_of(collider, both).pairs.size());
  EXPECT_LT(pairs_of(collider, both).pairs.size(), collider.pairs().size());

  // Placing and testing the arm alone finds what placing and testing everything does.
  Random random(1);
  Placement all = placement_for(collider), some = placement_for(collider);
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  place(collider, poses(skeleton, q), some);
  for (int i = 0; i < 1000; ++i) {
    for (const JointId j : both) {
      Real* at = &q[static_cast<std::size_t>(skeleton.q_offset(j))];
      if (skeleton.type(j) == JointType::ball)
        store_quat(random.rotation(), at);
      else
        *at = random.uniform(-3, 3);
      clamp_joint(skeleton, j, at);
    }
    const std::vector<Pose> world = poses(skeleton, q);
    place(collider, world, all);
    place(collider, world, of_arm.moving, some);
    place(collider, world, of_hand.moving, some);
    const bool met = first_overlap(collider, of_arm.pairs, some).has_value() ||
                     first_overlap(collider, of_hand.pairs, some).has_value();
    ASSERT_EQ(met, first_overlap(collider, collider.pairs(), all).has_value()) << i;
    ASSERT_EQ(met, nearest(collider, collider.pairs(), all).distance == 0) << i;
  }
}

TEST(Collider, distances_are_those_of_the_forms) {
  const Skeleton skeleton = *build(SkeletonDraft{
      {{.name = "root"},
       {.name = "x", .parent = "root", .type = JointType::slider, .axis = Vec3::UnitX()}}});
  const Capsule stick{{0, -0.2, 0}, {0, 0.2, 0}, 0.1};
  const auto gap = [&](auto form, Real x) {
    const ColliderDraft draft{
        .solids = {{"other", no_joint, form}, {"stick", 1, stick}}, .may_touch = {}, .rest = {}};
    const Collider collider = must_build(skeleton, draft);
    Placement placed = placement_for(collider);
    place(collider, poses(skeleton, std::vector<Real>{x}), placed);
    const Nearest found = nearest(collider, collider.pairs(), placed);
    EXPECT_EQ(found.distance == 0, first_overlap(collider, collider.pairs(), placed).has_value());
    EXPECT_GE(distance(collider, found.pair, placed, found.distance / 2),
              found.distance / 2 * (1 - 1e-15));
    return found.distance;
  };
  EXPECT_NEAR(gap(Sphere{{0, 0, 0}, 0.3}, 1), 0.6, 1e-15);
  EXPECT_NEAR(gap(Capsule{{0, 0, -1}, {0, 0, 1}, 0.3}, 1), 0.6, 1e-15);
  EXPECT_NEAR(gap(Cuboid{{}, {0.5, 0.5, 0.5}}, 1), 0.4, 1e-15);
  EXPECT_NEAR(gap(MeshBody{{}, cube(0.5)}, 1), 0.4, 1e-15);
  const Quat turn = axis_angle(Vec3::UnitY(), pi / 4);
  EXPECT_NEAR(gap(Cuboid{{turn, Vec3::Zero()}, {0.5, 0.5, 0.5}}, 1), 0.9 - std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(gap(MeshBody{{turn, Vec3::Zero()}, cube(0.5)}, 1), 0.9 - std::sqrt(0.5), 1e-15);
  for (const Real x : {0.0, 0.3}) {
    EXPECT_EQ(gap(Sphere{{0, 0, 0}, 0.3}, x), 0);
    EXPECT_EQ(gap(Cuboid{{}, {0.9, 0.9, 0.9}}, x), 0);
    EXPECT_EQ(gap(MeshBody{{}, cube(0.9)}, x), 0) << "wholly inside";
  }
}

TEST(Collider, asks_nothing_of_the_heap_after_set_up) {
  const Character character = humanoid();
  ColliderDraft draft = collider_draft(character);
  draft.solids.push_back({"statue", no_joint, MeshBody{{Quat::Identity(), {0, 1, 0.5}}, torso()}});
  const Collider collider = must_build(character.skeleton, draft);
  Placement placed = placement_for(collider);
  const std::vector<Pose> world = poses(character.skeleton, character.skeleton.neutral());
  const long before = allocations();
  place(collider, world, placed);
  const auto hit = first_overlap(collider, collider.pairs(), placed);
  const Nearest found = nearest(collider, collider.pairs(), placed);
  EXPECT_TRUE(!can_count_allocations() || allocations() == before);
  EXPECT_EQ(hit.has_value(), found.distance == 0);
}

}  // namespace
}  // namespace gestik
