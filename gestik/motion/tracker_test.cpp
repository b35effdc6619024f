#include "gestik/motion/tracker.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/measure/allocations.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

constexpr Real frame_time = 1.0 / 60;

/// A gaze that goes from one orientation to another in nine seconds.
struct Sweep {
  Quat from;
  Vec3 way;
  JointId joint;

  Sweep(const Skeleton& skeleton, Random& random)
      : from(exp(random.uniform(0, pi) * random.direction())),
        way(random.uniform(0, pi) * random.direction()),
        joint(skeleton.joint_count() - 1) {}

  static constexpr int frames = 540;
  std::vector<Goal> at(int frame) const {
    return {Orient{.joint = joint,
                   .target = from * exp(static_cast<Real>(frame) / frames * way),
                   .symmetric = true,
                   .symmetry_axis = Vec3::UnitY()}};
  }
};

Real largest_step(ConstQ a, ConstQ b) {
  Real largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

class TrackerOf : public testing::TestWithParam<std::string> {
 protected:
  const Skeleton skeleton = hinge_chain(GetParam(), pi / 2);
  Scratch scratch = Scratch(tracker_bytes(skeleton, 1));
};

TEST_P(TrackerOf, FollowsAGazeWithoutEverJumping) {
  Random random(7);
  int reposes = 0, met = 0, frames = 0;
  constexpr int sweeps = 20;
  for (int s = 0; s < sweeps; ++s) {
    const Sweep sweep(skeleton, random);
    std::vector<Real> posture = random_pose(skeleton, random);
    posture.front() = posture.back() = 0;
    const std::vector<Real> start =
        outcome_of(Poise{}, {.skeleton = skeleton, .goals = sweep.at(0), .intent = {posture}}).q;
    Tracking state = track_from(skeleton, start);
    std::vector<Real> last = start, q(start.size());
    for (int f = 0; f < Sweep::frames; ++f) {
      const std::vector<Goal> goals = sweep.at(f);
      const Tracked now = track({}, {.skeleton = skeleton, .goals = goals, .intent = {posture}},
                                frame_time, state, scratch, q);
      ASSERT_LE(largest_step(q, last), Tracker{}.speed * frame_time + 1e-12);
      ASSERT_TRUE(inside_limits(skeleton, q));
      if (!now.reposing) {
        ++frames;
        met += now.report.status == Status::reached;
      }
      last = q;
    }
    reposes += state.reposes;
  }
  RecordProperty("reposes_per_sweep", std::to_string(static_cast<double>(reposes) / sweeps));
  EXPECT_LE(reposes, 1.5 * sweeps);
  EXPECT_GE(met, 0.9 * frames);
}

TEST_P(TrackerOf, SurvivesTargetsThatJumpAndMakeNoSense) {
  Random random(3);
  std::vector<Real> posture = random_pose(skeleton, random);
  Tracking state = track_from(skeleton, posture);
  std::vector<Real> last = state.q, q(posture.size());
  for (int f = 0; f < 2000; ++f) {
    std::vector<Goal> goals = Sweep(skeleton, random).at(0);
    if (random.chance(0.1))
      std::get<Orient>(goals.front()).target.coeffs().setConstant(std::nan(""));
    if (random.chance(0.05)) goals.front() = Reach{.joint = 2, .target = random.vector(3)};
    if (random.chance(0.05)) goals.clear();
    if (random.chance(0.1)) posture = random_pose(skeleton, random);
    const Real seconds = random.chance(0.1) ? 0 : random.uniform(0, 0.1);
    Tracker tracker{.speed = random.uniform(0.1, 10)};
    (void)track(tracker, {.skeleton = skeleton, .goals = goals, .intent = {posture}}, seconds,
                state, scratch, q);
    ASSERT_LE(largest_step(q, last), tracker.speed * seconds + 1e-12);
    ASSERT_TRUE(inside_limits(skeleton, q));
    last = q;
  }
}

TEST_P(TrackerOf, GivesTheSameBitsAndTakesNoMemory) {
  std::vector<Real> first;
  for (int run = 0; run < 2; ++run) {
    Random random(11);
    const Sweep sweep(skeleton, random);
    const std::vector<Real> posture = random_pose(skeleton, random);
    Tracking state = track_from(skeleton, posture);
    std::vector<Real> q(posture.size());
    for (int f = 0; f < 100; ++f) {
      const std::vector<Goal> goals = sweep.at(f), later = sweep.at(f + 30);
      const Problem problem{.skeleton = skeleton, .goals = goals, .intent = {posture}};
      const long before = allocations();
      (void)track({}, problem, frame_time, state, scratch, q, {later, 0.5});
      if (can_count_allocations()) {
        ASSERT_EQ(allocations(), before);
      }
    }
    if (run == 0) first = q;
    EXPECT_EQ(first, q);
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, TrackerOf,
                         testing::Values("YXXZY", "YXZXY", "YXXZXY", "YXZXYXZY", "XZXYX"));

TEST(Tracker, ComesToThePostureThatLooksTheRightWay) {
  const Skeleton skeleton = hinge_chain("YXXZY", pi / 2);
  const std::vector<Real> posture{0.3, 0.4, -0.5, 0.6, 0.1};
  const std::vector<Goal> goals{
      Orient{.joint = 4, .target = poses(skeleton, posture).back().q, .tolerance = 1e-6}};
  Scratch scratch(tracker_bytes(skeleton, 1));
  Tracking state = track_from(skeleton, std::vector<Real>(5, 0.0));
  std::vector<Real> q(5);
  Tracked now;
  for (int f = 0; f < 240; ++f)
    now = track({}, {.skeleton = skeleton, .goals = goals, .intent = {posture}}, frame_time, state,
                scratch, q);
  EXPECT_EQ(now.report.status, Status::reached);
  EXPECT_FALSE(now.reposing);
  EXPECT_LT(largest_step(q, posture), 1e-3);
}

// What poise does not take, lm does.
TEST(Tracker, WalksToAReachAtItsSpeed) {
  const Skeleton skeleton = ball_chain(5);
  const std::vector<Goal> goals{
      Reach{.joint = skeleton.joint_count() - 1, .target = {0.5, 0.3, 0}}};
  Scratch scratch(tracker_bytes(skeleton, 1));
  Tracking state = track_from(skeleton, skeleton.neutral());
  std::vector<Real> q(state.q), last(state.q);
  Tracked now;
  for (int f = 0; f < 300 && now.report.status != Status::reached; ++f) {
    now =
        track({.speed = 1}, {.skeleton = skeleton, .goals = goals}, frame_time, state, scratch, q);
    for (int j = 0; j < 5; ++j)
      ASSERT_LE(angle_between(load_quat(&q[4 * j]), load_quat(&last[4 * j])), frame_time + 1e-9);
    last = q;
  }
  EXPECT_EQ(now.report.status, Status::reached);
}

}  // namespace
}  // namespace gestik
