#include "gestik/body/body_motion.h"

#include <gtest/gtest.h>

#include "gestik/io/behaviour_json.h"
#include "gestik/io/read.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

const Character& humanoid() {
  static const Loaded loaded = *bundled_character("humanoid");
  return loaded.character;
}

const Behaviour& expansive() {
  static const Behaviour behaviour =
      *build(humanoid(), *bundled_behaviour("expansive", humanoid().skeleton));
  return behaviour;
}

/// The way of both hands from standing.
struct Way {
  std::vector<HandTarget> targets;
  BodyReached reached;
};

Way way_to(std::vector<HandTarget> targets, BodyClash* clash = nullptr) {
  Way way{std::move(targets), {}};
  const BodyProblem problem{.start = find_posture(humanoid(), "stand")->q, .targets = way.targets};
  way.reached = reach_motion({.seconds = 1}, expansive(), humanoid().skeleton, problem, clash);
  return way;
}

std::vector<HandTarget> both_hands() {
  return {{expansive().find_arm("right_hand"), {-0.25, 1.2, 0.5}, {}},
          {expansive().find_arm("left_hand"), {0.3, 0.9, 0.45}, {}}};
}

/// Where a place of the body is in the world, in a frame of the way.
Pose frame_in(const BodyReached& reached, int f, std::string_view name) {
  std::vector<Pose> joints(static_cast<std::size_t>(humanoid().skeleton.joint_count()));
  forward(humanoid().skeleton, reached.clip.frame(f), joints);
  const Frame frame = *find_frame(humanoid(), name);
  return reached.world_from_body[static_cast<std::size_t>(f)] *
         joints[static_cast<std::size_t>(frame.joint)] * frame.joint_from_frame;
}

TEST(BodyMotion, HandsGoStraightAndFeetStay) {
  const Way way = way_to(both_hands());
  const BodyReached& reached = way.reached;
  ASSERT_TRUE(reached.report.reached());
  ASSERT_EQ(reached.clip.frame_count(), 61);
  EXPECT_EQ(reached.feet_missed, 0);
  for (const HandTarget& target : way.targets) {
    const Behaviour::Arm& arm = expansive().arms()[static_cast<std::size_t>(target.arm)];
    EXPECT_EQ(reached.hands[static_cast<std::size_t>(target.arm)].missed, 0);
    const Vec3 from = frame_in(reached, 0, arm.hand.name).p;
    for (int f = 0; f <= 60; ++f) {
      const Vec3 wanted = from + bell_share(f / 60.0) * (target.place - from);
      EXPECT_LT((frame_in(reached, f, arm.hand.name).p - wanted).norm(), 1e-9) << f;
    }
  }
  for (const char* foot : {"left_foot", "right_foot"})
    for (int f = 1; f <= 60; ++f) {
      const Pose was = frame_in(reached, 0, foot), is = frame_in(reached, f, foot);
      EXPECT_LT((was.p - is.p).norm(), 1e-9) << f;
      EXPECT_LT(was.q.angularDistance(is.q), 1e-7) << f;
    }
}

TEST(BodyMotion, StartsAtTheStartIsSteadyAndKeepsTheLimits) {
  const BodyReached reached = way_to(both_hands()).reached;
  const Skeleton& skeleton = humanoid().skeleton;
  const std::vector<Real>& start = find_posture(humanoid(), "stand")->q;
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_EQ(reached.clip.values[i], start[i]);
  Real farthest = 0;
  for (int f = 0; f < reached.clip.frame_count(); ++f) {
    EXPECT_TRUE(inside_limits(skeleton, reached.clip.frame(f))) << f;
    for (const char* name : {"head", "left_elbow", "right_elbow", "left_knee", "right_knee"})
      if (f > 0)
        farthest = std::max(
            farthest, (frame_in(reached, f, name).p - frame_in(reached, f - 1, name).p).norm());
  }
  EXPECT_LT(farthest, 0.05);
}

TEST(BodyMotion, EndsWhereTheBodyReaches) {
  const Way way = way_to({both_hands()[0]});
  std::vector<Real> q(static_cast<std::size_t>(humanoid().skeleton.q_size()));
  Pose stands;
  Scratch scratch(scratch_bytes(expansive(), humanoid().skeleton));
  const BodyProblem problem{.start = find_posture(humanoid(), "stand")->q, .targets = way.targets};
  (void)reach_with_body(expansive(), humanoid().skeleton, problem, nullptr, scratch, q, stands);
  EXPECT_LT((way.reached.world_from_body.back().p - stands.p).norm(), 1e-12);
  const ConstQ last = way.reached.clip.frame(way.reached.clip.frame_count() - 1);
  const int head = humanoid().skeleton.q_offset(humanoid().skeleton.find("head"));
  for (int k = 0; k < 4; ++k)
    EXPECT_NEAR(last[static_cast<std::size_t>(head + k)], q[static_cast<std::size_t>(head + k)],
                1e-9);
}

TEST(BodyMotion, SaysWhatMeetsOnTheWay) {
  ColliderDraft draft = collider_draft(humanoid());
  const Collider free_way = *build(humanoid().skeleton, draft);
  const BodyReached reached = way_to(both_hands()).reached;
  EXPECT_EQ(
      first_clash(free_way, humanoid().skeleton, reached.clip, reached.world_from_body).frames, 0);
  const Vec3 half_way = (frame_in(reached, 0, "right_hand").p + both_hands()[0].place) / 2;
  draft.solids.push_back({.name = "ball", .form = Sphere{half_way, 0.05}});
  const Collider collider = *build(humanoid().skeleton, draft);
  const ClashOnTheWay met =
      first_clash(collider, humanoid().skeleton, reached.clip, reached.world_from_body);
  EXPECT_GT(met.frames, 0);
  EXPECT_GT(met.first, 5);
  EXPECT_TRUE(collider.name(met.pair.a) == "ball" || collider.name(met.pair.b) == "ball");

  // An arm that looks where it goes stands still before the ball instead.
  BodyClash clash = body_clash(collider, expansive());
  const BodyReached careful = way_to(both_hands(), &clash).reached;
  const HandWay& hand = careful.hands[static_cast<std::size_t>(expansive().find_arm("right_hand"))];
  EXPECT_GT(hand.missed, 0);
  EXPECT_EQ(hand.why.fault, LimbFault::clash);
}

TEST(BodyMotion, AFreeRootSaysWhereTheBodyStands) {
  const BodyReached reached = way_to(both_hands()).reached;
  const Character freed = with_free_root(humanoid());
  EXPECT_FALSE(check(freed));
  const Clip clip = with_free_root(reached.clip, freed, reached.world_from_body);
  EXPECT_FALSE(check(clip, freed.skeleton));
  std::vector<Pose> joints(static_cast<std::size_t>(freed.skeleton.joint_count()));
  for (const int f : {0, 30, 60}) {
    forward(freed.skeleton, clip.frame(f), joints);
    for (const char* name : {"right_hand", "left_foot", "head"}) {
      const Frame frame = *find_frame(freed, name);
      const Pose pose = joints[static_cast<std::size_t>(frame.joint)] * frame.joint_from_frame;
      EXPECT_LT((pose.p - frame_in(reached, f, name).p).norm(), 1e-12);
    }
  }
  // Twice is another name, not an error.
  EXPECT_FALSE(check(with_free_root(freed)));
}

}  // namespace
}  // namespace gestik
