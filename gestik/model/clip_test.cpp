#include "gestik/model/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "gestik/math/random_for_test.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// A hinge "elbow" under a ball "hip" with a fixed joint between them.
Skeleton leg() {
  SkeletonDraft draft;
  for (const auto& [name, parent, type] : {std::tuple{"hip", "", JointType::ball},
                                           {"thigh", "hip", JointType::fixed},
                                           {"knee", "thigh", JointType::hinge}}) {
    JointDraft joint;
    joint.name = name;
    joint.parent = parent;
    joint.type = type;
    draft.joints.push_back(joint);
  }
  return *build(draft);
}

void add_frame(Clip& clip, const Quat& hip, Real knee) {
  clip.values.insert(clip.values.end(), {hip.w(), hip.x(), hip.y(), hip.z(), knee});
}

/// Three frames a tenth of a second apart.
Clip walk(const Skeleton& skeleton) {
  Clip clip = clip_for(skeleton, "walk", 10);
  add_frame(clip, Quat::Identity(), 0);
  add_frame(clip, axis_angle(Vec3::UnitX(), 1), 2);
  add_frame(clip, axis_angle(Vec3::UnitX(), -1), -1);
  return clip;
}

std::vector<Real> sampled(const Clip& clip, const Skeleton& skeleton, Real seconds) {
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()), 99);
  sample(clip, skeleton, seconds, q);
  return q;
}

TEST(ClipFor, NamesTheColumnsAndHasNoFrames) {
  const Clip clip = clip_for(leg(), "walk", 30);
  EXPECT_EQ(clip.name, "walk");
  EXPECT_EQ(clip.rate, 30);
  EXPECT_EQ(clip.columns, (std::vector<std::string>{"hip.w", "hip.x", "hip.y", "hip.z", "knee"}));
  EXPECT_EQ(clip.frame_count(), 0);
  EXPECT_EQ(clip.duration(), 0);
  EXPECT_FALSE(check(clip, leg()));
}

TEST(Clip, CountsFramesAndSeconds) {
  const Skeleton skeleton = leg();
  const Clip clip = walk(skeleton);
  EXPECT_EQ(clip.frame_count(), 3);
  EXPECT_DOUBLE_EQ(clip.duration(), 0.2);
  EXPECT_EQ(clip.frame(1)[4], 2);
  EXPECT_EQ(clip.frame(2).size(), 5u);
}

TEST(Check, TellsWhatDoesNotFit) {
  const Skeleton skeleton = leg();
  ASSERT_FALSE(check(walk(skeleton), skeleton));
  struct Case {
    std::function<void(Clip&)> spoil;
    const char* what;
  };
  const Real nan = std::nan("");
  for (const Case& bad : {
           Case{[](Clip& c) { c.rate = 0; }, "rate"},
           Case{[](Clip& c) { c.rate = -1; }, "rate"},
           Case{[&](Clip& c) { c.rate = nan; }, "rate"},
           Case{[](Clip& c) { c.rate = infinity; }, "rate"},
           Case{[](Clip& c) { c.columns.pop_back(); }, "4 columns, the skeleton needs 5"},
           Case{[](Clip& c) { c.columns.push_back("toe"); }, "6 columns"},
           Case{[](Clip& c) { c.columns[4] = "ankle"; },
                "column 5 is 'ankle', the skeleton has 'knee' there"},
           Case{[](Clip& c) { std::swap(c.columns[0], c.columns[1]); }, "column 1 is 'hip.x'"},
           Case{[](Clip& c) { c.values.pop_back(); }, "incomplete"},
           Case{[&](Clip& c) { c.values[9] = nan; }, "frame 1, column 'knee' is not finite"},
           Case{[](Clip& c) { c.values[10] = infinity; }, "frame 2, column 'hip.w'"},
           Case{[](Clip& c) { std::fill_n(c.values.begin() + 5, 4, 0.0); },
                "frame 1, joint 'hip' is a zero quaternion"},
       }) {
    SCOPED_TRACE(bad.what);
    Clip clip = walk(skeleton);
    bad.spoil(clip);
    const std::optional<Error> error = check(clip, skeleton);
    ASSERT_TRUE(error);
    EXPECT_NE(error->what.find(bad.what), std::string::npos) << error->what;
    EXPECT_EQ(error->where, "clip 'walk'");
  }
}

TEST(Check, OfASkeletonThatCannotMove) {
  JointDraft stone;
  stone.name = "stone";
  const Skeleton skeleton = *build({{stone}});
  Clip clip = clip_for(skeleton, "nothing", 30);
  EXPECT_FALSE(check(clip, skeleton));
  EXPECT_TRUE(sampled(clip, skeleton, 0.5).empty());
  clip.values = {1, std::nan("")};  // numbers without a column
  EXPECT_TRUE(check(clip, skeleton));
}

TEST(Sample, GivesTheFramesAtTheirTimes) {
  const Skeleton skeleton = leg();
  const Clip clip = walk(skeleton);
  for (int f = 0; f < 3; ++f) {
    const std::vector<Real> q = sampled(clip, skeleton, f / 10.0);
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(q[i], clip.frame(f)[i], 1e-15);
  }
}

TEST(Sample, IsStraightBetweenFramesAndTakesTheShortestWayForBalls) {
  const Skeleton skeleton = leg();
  Clip clip = walk(skeleton);
  for (int k = 0; k < 4; ++k) clip.values[5 + k] *= -1;  // the twin quaternion: the same turn
  const std::vector<Real> q = sampled(clip, skeleton, 0.025);
  EXPECT_NEAR(q[4], 0.5, 1e-14);
  EXPECT_LT(angle_between(load_quat(q.data()), axis_angle(Vec3::UnitX(), 0.25)), 1e-14);
  const std::vector<Real> later = sampled(clip, skeleton, 0.15);
  EXPECT_NEAR(later[4], 0.5, 1e-14);
  EXPECT_LT(angle_between(load_quat(later.data()), Quat::Identity()), 1e-14);
  EXPECT_NEAR(load_quat(later.data()).norm(), 1, 1e-15);
}

TEST(Sample, IsHeldAtBothEnds) {
  const Skeleton skeleton = leg();
  const Clip clip = walk(skeleton);
  const std::vector<Real> first = sampled(clip, skeleton, 0), last = sampled(clip, skeleton, 0.2);
  for (const Real before : {-1e-9, -5.0, -1e300, -infinity, std::nan("")})
    EXPECT_TRUE(same_bits(sampled(clip, skeleton, before), first));
  for (const Real after : {0.2 + 1e-9, 5.0, 1e300, infinity})
    EXPECT_TRUE(same_bits(sampled(clip, skeleton, after), last));
  EXPECT_EQ(last[4], -1);
}

TEST(Sample, OfOneFrameIsThatFrame) {
  const Skeleton skeleton = leg();
  Clip clip = clip_for(skeleton, "still", 24);
  add_frame(clip, axis_angle(Vec3::UnitZ(), 0.5), 0.75);
  for (const Real t : {0.0, 1.0, -1.0}) EXPECT_EQ(sampled(clip, skeleton, t)[4], 0.75);
}

TEST(Sample, TakesQuaternionsThatAreNotOfUnitLength) {
  const Skeleton skeleton = leg();
  Clip clip = walk(skeleton);
  for (int k = 0; k < 4; ++k) clip.values[5 + k] *= 1.001;
  const std::vector<Real> q = sampled(clip, skeleton, 0.05);
  EXPECT_LT(angle_between(load_quat(q.data()), axis_angle(Vec3::UnitX(), 0.5)), 1e-14);
  EXPECT_NEAR(load_quat(q.data()).norm(), 1, 1e-15);
}

}  // namespace
}  // namespace gestik
