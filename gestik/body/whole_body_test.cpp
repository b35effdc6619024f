#include "gestik/body/whole_body.h"

#include <gtest/gtest.h>

#include "gestik/io/behaviour_json.h"
#include "gestik/io/read.h"
#include "gestik/math/random_for_test.h"
#include "gestik/measure/allocations.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int many = 300;
#else
constexpr int many = 5000;
#endif

const Character& humanoid() {
  static const Loaded loaded = *bundled_character("humanoid");
  return loaded.character;
}

BehaviourDraft draft_named(std::string_view name) {
  Result<BehaviourDraft> draft = bundled_behaviour(name, humanoid().skeleton);
  if (!draft) throw std::runtime_error(to_string(draft.error()));
  return *std::move(draft);
}

Behaviour must_build(const BehaviourDraft& draft) {
  Result<Behaviour> built = build(humanoid(), draft);
  if (!built) throw std::runtime_error(to_string(built.error()));
  return *std::move(built);
}

/// A body in the world, after a reach.
struct Outcome {
  BodyReport report;
  std::vector<Real> q;
  Pose stands;

  std::vector<Pose> poses() const {
    std::vector<Pose> world(static_cast<std::size_t>(humanoid().skeleton.joint_count()));
    forward(humanoid().skeleton, q, world);
    for (Pose& pose : world) pose = stands * pose;
    return world;
  }
  Pose frame(std::string_view name) const {
    const Frame at = *find_frame(humanoid(), name);
    return poses()[static_cast<std::size_t>(at.joint)] * at.joint_from_frame;
  }
};

const std::vector<Real>& standing() {
  return find_posture(humanoid(), "stand")->q;
}

Outcome reach(const Behaviour& behaviour, std::span<const HandTarget> targets,
              BodyClash* clash = nullptr, const Pose& stands = {}) {
  Scratch scratch(scratch_bytes(behaviour, humanoid().skeleton));
  Outcome out{{}, std::vector<Real>(standing().size()), {}};
  const BodyProblem problem{.start = standing(), .world_from_start = stands, .targets = targets};
  out.report =
      reach_with_body(behaviour, humanoid().skeleton, problem, clash, scratch, out.q, out.stands);
  return out;
}

/// A place that a standing body reaches: a random direction and distance from the shoulder.
Vec3 random_place(Random& random, bool right) {
  const Vec3 shoulder(right ? -0.17 : 0.17, 1.46, 0);
  Vec3 direction = random.direction();
  direction.z() = std::abs(direction.z());
  return shoulder + random.uniform(0.2, 0.68) * direction;
}

/// How far the feet have gone from where they stood: metres and radians together.
Real feet_moved(const Outcome& out, const Pose& stands = {}) {
  const Outcome before{{}, standing(), stands};
  Real most = 0;
  for (const char* foot : {"left_foot", "right_foot"}) {
    const Pose a = before.frame(foot), b = out.frame(foot);
    most = std::max({most, (a.p - b.p).norm(), angle_between(a.q, b.q)});
  }
  return most;
}

TEST(WholeBody, hands_reach_and_feet_stay) {
  for (const std::string_view name : bundled_behaviour_names()) {
    const Behaviour behaviour = must_build(draft_named(name));
    Random random(1);
    int reached = 0;
    for (int i = 0; i < many; ++i) {
      const int arm = random.index(2);
      const HandTarget target{.arm = arm, .place = random_place(random, arm == 0)};
      const Pose stands{axis_angle(Vec3::UnitY(), 0.7), {1, 0.2, -3}};
      HandTarget in_world = target;
      in_world.place = stands * target.place;
      const Outcome out = reach(behaviour, std::span(&in_world, 1), nullptr, stands);
      ASSERT_TRUE(inside_limits(humanoid().skeleton, out.q)) << name << i;
      ASSERT_TRUE(out.report.feet_kept) << name << i;
      ASSERT_LT(feet_moved(out, stands), 1e-6) << name << i;
      const Real miss =
          (out.frame(arm == 0 ? "right_hand" : "left_hand").p - in_world.place).norm();
      if (out.report.hands_reached) {
        ASSERT_LT(miss, 1e-9) << name << i;
      }
      reached += out.report.hands_reached;
    }
    EXPECT_GT(reached, many * 3 / 4) << name;
  }
}

TEST(WholeBody, hands_turn_as_asked) {
  const Behaviour behaviour = must_build(draft_named("normal"));
  Random random(2);
  int reached = 0;
  for (int i = 0; i < many / 5; ++i) {
    HandTarget target{.arm = 0, .place = random_place(random, true)};
    // As a reach for the place alone turns it: that can be had.
    const Outcome first = reach(behaviour, std::span(&target, 1));
    if (!first.report.reached()) continue;
    target.turn = first.frame("right_hand").q;
    const Outcome out = reach(behaviour, std::span(&target, 1));
    if (!out.report.reached()) continue;
    ++reached;
    ASSERT_LT((out.frame("right_hand").p - target.place).norm(), 1e-9);
    ASSERT_LT(angle_between(out.frame("right_hand").q, *target.turn), 1e-8);
  }
  EXPECT_GT(reached, many / 10);
}

TEST(WholeBody, behaviours_differ_as_their_names_say) {
  const auto at = [](const char* name, const Vec3& place) {
    const HandTarget target{.arm = 0, .place = place};
    return reach(must_build(draft_named(name)), std::span(&target, 1));
  };
  const auto head = [&](const char* name, const Vec3& place) {
    return at(name, place).frame("head");
  };
  const auto gaze = [&](const char* name, const Vec3& place) {
    return Vec3(head(name, place).q * Vec3::UnitZ());
  };
  const Vec3 ahead(-0.25, 1.4, 0.6), low(-0.3, 0.75, 0.35);
  // Tired: head lower and eyes on the floor. Expansive: shoulders turn further, knees bend more.
  EXPECT_LT(gaze("tired", ahead).y(), gaze("normal", ahead).y() - 0.2);
  EXPECT_LT(head("tired", ahead).p.y(), head("normal", ahead).p.y() - 0.02);
  EXPECT_LT(at("expansive", low).stands.p.y(), at("normal", low).stands.p.y() - 0.02);
  EXPECT_GT(at("expansive", ahead).frame("right_shoulder").p.z(),
            at("tired", ahead).frame("right_shoulder").p.z() + 0.03);
  // Only the expansive one opens its other arm.
  EXPECT_GT(at("expansive", ahead).frame("left_hand").p.x(),
            at("normal", ahead).frame("left_hand").p.x() + 0.1);
}

TEST(WholeBody, near_targets_move_the_body_less) {
  const Behaviour behaviour = must_build(draft_named("normal"));
  Real before = -1;
  for (const Real distance : {0.15, 0.3, 0.45, 0.6}) {
    const HandTarget target{.arm = 0, .place = Vec3(-0.17, 1.46, 0) + distance * Vec3::UnitZ()};
    const Outcome out = reach(behaviour, std::span(&target, 1));
    EXPECT_GT(out.report.weight[0], before);
    before = out.report.weight[0];
  }
}

TEST(WholeBody, two_arms_share_the_trunk_by_their_weights) {
  const std::array<HandTarget, 2> both{HandTarget{.arm = 0, .place = {0.1, 1.3, 0.45}},
                                       HandTarget{.arm = 1, .place = {0.3, 1.2, 0.4}}};
  const auto spine = [&](Real right_weight, std::span<const HandTarget> targets) {
    BehaviourDraft draft = draft_named("normal");
    draft.arms[0].weight = right_weight;
    draft.arms[1].weight = 1;
    const Outcome out = reach(must_build(draft), targets);
    const int offset = humanoid().skeleton.q_offset(humanoid().skeleton.find("spine"));
    return load_quat(out.q.data() + offset);
  };
  const Quat right = spine(1, std::span(both).first(1)), left = spine(1, std::span(both).last(1));
  EXPECT_GT(angle_between(right, left), 0.05);
  EXPECT_LT(angle_between(spine(1e9, both), right), 1e-6);
  EXPECT_LT(angle_between(spine(1e-9, both), left), 1e-6);
  EXPECT_NEAR(angle_between(spine(1, both), right), angle_between(spine(1, both), left), 1e-6);

  const Outcome out = reach(must_build(draft_named("normal")), both);
  ASSERT_TRUE(out.report.reached());
  EXPECT_LT((out.frame("right_hand").p - both[0].place).norm(), 1e-9);
  EXPECT_LT((out.frame("left_hand").p - both[1].place).norm(), 1e-9);
}

TEST(WholeBody, a_body_in_the_way_of_itself_is_gone_round) {
  const Result<Collider> collider = build(humanoid().skeleton, collider_draft(humanoid()));
  ASSERT_TRUE(collider);
  const Behaviour behaviour = must_build(draft_named("normal"));
  BodyClash clash = body_clash(*collider, behaviour);
  Placement placed = placement_for(*collider);
  Random random(3);
  int reached = 0, avoided = 0, refused = 0;
  for (int i = 0; i < many / 2; ++i) {
    const std::array<HandTarget, 2> both{
        HandTarget{.arm = 0, .place = random_place(random, true)},
        HandTarget{.arm = 1, .place = random_place(random, false)}};
    const std::size_t count = 1 + static_cast<std::size_t>(random.index(2));
    const auto targets = std::span(both).first(count);
    const Outcome free = reach(behaviour, targets), out = reach(behaviour, targets, &clash);
    ASSERT_LT(feet_moved(out), 1e-6) << i;
    const auto met = [&](const Outcome& o) {
      place(*collider, o.poses(), placed);
      return first_overlap(*collider, collider->pairs(), placed).has_value();
    };
    if (out.report.reached()) {
      ASSERT_FALSE(met(out)) << i;
    }
    reached += out.report.reached();
    avoided += out.report.reached() && met(free);
    refused += free.report.reached() && !out.report.reached();
  }
  EXPECT_GT(reached, many / 5);
  EXPECT_GT(avoided, 0);
  EXPECT_GT(refused, 0);
}

TEST(WholeBody, takes_the_behaviour_back_where_the_world_is_in_the_way) {
  ColliderDraft draft = collider_draft(humanoid());
  // Before the face: a body that leans forward runs into it, one that stands does not.
  draft.solids.push_back({"shelf", no_joint, Sphere{{0.05, 1.72, 0.24}, 0.1}});
  const Result<Collider> collider = build(humanoid().skeleton, draft);
  ASSERT_TRUE(collider);
  const Behaviour behaviour = must_build(draft_named("normal"));
  BodyClash clash = body_clash(*collider, behaviour);
  const HandTarget target{.arm = 0, .place = {-0.3, 0.95, 0.45}};
  const Outcome free = reach(behaviour, std::span(&target, 1)),
                out = reach(behaviour, std::span(&target, 1), &clash);
  EXPECT_EQ(free.report.kept, 1);
  EXPECT_LT(out.report.kept, 1);
  EXPECT_FALSE(out.report.clash);
  Placement placed = placement_for(*collider);
  place(*collider, out.poses(), placed);
  for (const Pair& pair : collider->pairs())
    if (pair.b == collider->find("shelf")) {
      EXPECT_FALSE(overlap(*collider, pair, placed)) << collider->name(pair.a);
    }

  // Something that is in the body from the start can't be helped, and is told.
  draft.solids.back().form = Sphere{{0, 0.95, 0.05}, 0.1};
  const Result<Collider> stuck = build(humanoid().skeleton, draft);
  BodyClash stuck_clash = body_clash(*stuck, behaviour);
  const Outcome told = reach(behaviour, std::span(&target, 1), &stuck_clash);
  EXPECT_EQ(told.report.kept, 0);
  EXPECT_FALSE(told.report.reached());
  const BodyProblem problem{.start = standing(), .targets = std::span(&target, 1)};
  EXPECT_NE(describe(behaviour, humanoid().skeleton, problem, told.report, &*stuck).find("shelf"),
            std::string::npos);
}

TEST(WholeBody, says_why_it_does_not_reach) {
  const Behaviour behaviour = must_build(draft_named("normal"));
  const HandTarget far{.arm = 0, .place = {-0.3, 1.4, 3}};
  const Outcome out = reach(behaviour, std::span(&far, 1));
  EXPECT_FALSE(out.report.reached());
  EXPECT_TRUE(inside_limits(humanoid().skeleton, out.q));
  const BodyProblem problem{.start = standing(), .targets = std::span(&far, 1)};
  const std::string text = describe(behaviour, humanoid().skeleton, problem, out.report);
  EXPECT_EQ(text.find("right_hand: too far by "), 0u) << text;
}

TEST(WholeBody, moves_without_jumps_along_a_path) {
  for (const std::string_view name : bundled_behaviour_names()) {
    const Behaviour behaviour = must_build(draft_named(name));
    const Skeleton& skeleton = humanoid().skeleton;
    std::vector<Real> trunk_before;
    for (int i = 0; i <= 4000; ++i) {
      const Real t = i / 4000.0 * 2 * pi;
      const HandTarget target{
          .arm = 0, .place = Vec3(-0.2 + 0.3 * std::sin(t), 1.2 + 0.35 * std::cos(t), 0.4)};
      const Outcome out = reach(behaviour, std::span(&target, 1));
      std::vector<Real> trunk;
      for (const char* joint : {"spine", "chest", "neck", "head", "right_clavicle"}) {
        const int offset = skeleton.q_offset(skeleton.find(joint));
        trunk.insert(trunk.end(), out.q.begin() + offset, out.q.begin() + offset + 4);
      }
      for (std::size_t k = 0; k < trunk_before.size(); k += 4)
        ASSERT_LT(angle_between(load_quat(&trunk[k]), load_quat(&trunk_before[k])), 5e-3)
            << name << i;
      trunk_before = std::move(trunk);
    }
  }
}

TEST(WholeBody, asks_nothing_of_the_heap) {
  const Result<Collider> collider = build(humanoid().skeleton, collider_draft(humanoid()));
  const Behaviour behaviour = must_build(draft_named("expansive"));
  BodyClash clash = body_clash(*collider, behaviour);
  Scratch scratch(scratch_bytes(behaviour, humanoid().skeleton));
  std::vector<Real> q(standing().size());
  Pose stands;
  Random random(4);
  long asked = 0;
  for (int i = 0; i < 200; ++i) {
    const std::array<HandTarget, 2> both{
        HandTarget{.arm = 0, .place = random_place(random, true)},
        HandTarget{.arm = 1, .place = random_place(random, false)}};
    const BodyProblem problem{.start = standing(), .targets = both};
    const long before = allocations();
    const BodyReport report = reach_with_body(behaviour, humanoid().skeleton, problem,
                                              i % 2 ? &clash : nullptr, scratch, q, stands);
    asked += allocations() - before;
    EXPECT_LE(report.kept, 1);
  }
  EXPECT_TRUE(!can_count_allocations() || asked == 0);
}

TEST(WholeBody, bad_behaviours_are_refused_in_words) {
  const auto complaint = [](auto spoil) {
    BehaviourDraft draft = draft_named("normal");
    spoil(draft);
    const Result<Behaviour> built = build(humanoid(), draft);
    return built ? "" : to_string(built.error());
  };
  EXPECT_EQ(complaint([](BehaviourDraft&) {}), "");
  EXPECT_NE(complaint([](BehaviourDraft& d) { d.arms.clear(); }).find("no arm"), std::string::npos);
  EXPECT_EQ(complaint([](BehaviourDraft& d) { d.arms[0].keys.clear(); }),
            "arm 'right_hand': it has no keys; a behaviour needs at least one");
  EXPECT_EQ(complaint([](BehaviourDraft& d) { d.arms[1].keys[3].q.pop_back(); }),
            "arm 'left_hand': key 4: its posture has 19 numbers, its joints need 20");
  EXPECT_NE(complaint([](BehaviourDraft& d) {
              d.arms[1].keys[0].swing = {3, 3};
            }).find("arm 'left_hand': key 1: its swing (3.000000, 3.000000) lies outside"),
            std::string::npos);
  EXPECT_NE(complaint([](BehaviourDraft& d) {
              d.arms[0].hand = "rigth_hand";
            }).find("did you mean 'right_hand'"),
            std::string::npos);
  EXPECT_NE(complaint([](BehaviourDraft& d) { d.arms[0].hand = "head"; }), "");
  EXPECT_NE(complaint([](BehaviourDraft& d) { d.arms[1].hand = "right_hand"; }).find("same limb"),
            std::string::npos);
  EXPECT_NE(complaint([](BehaviourDraft& d) { d.feet = {"head"}; }).find("end of a leg"),
            std::string::npos);
  EXPECT_NE(complaint([](BehaviourDraft& d) { d.feet.push_back("left_hand"); }).find("same limb"),
            std::string::npos);
  for (const Real bad : {0.0, -1.0, 1.5, infinity, std::nan("")})
    EXPECT_NE(complaint([&](BehaviourDraft& d) { d.fullness = bad; }).find("fullness"),
              std::string::npos);
  for (const Real bad : {0.0, -1.0, infinity, std::nan("")})
    EXPECT_NE(complaint([&](BehaviourDraft& d) { d.arms[0].weight = bad; }).find("weight"),
              std::string::npos);
  EXPECT_NE(complaint([](BehaviourDraft& d) { d.feet.resize(5, "left_foot"); }).find("four"),
            std::string::npos);
}

}  // namespace
}  // namespace gestik
