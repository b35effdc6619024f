#include "gestik/solve/poise/batch.h"

#include <gtest/gtest.h>

#include <limits>

#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

/// Random characters: what they are asked alone, and the same side by side.
struct Crowd {
  Crowd(const Skeleton& body, GoalKind kind, std::size_t count) : skeleton(body), size(count) {
    Random random(4);
    const JointId end = skeleton.joint_count() - 1;
    for (std::size_t c = 0; c < size; ++c) {
      alone_postures.push_back(random_pose(skeleton, random));
      goals.push_back(
          goal_met_by(kind, end, poses(skeleton, random_pose(skeleton, random)), random));
      // All but the target is the same for all.
      if (Aim* aim = std::get_if<Aim>(&goals[c])) {
        const Aim& like = *std::get_if<Aim>(&goals[0]);
        aim->axis_in_joint = like.axis_in_joint;
        aim->point_in_joint = like.point_in_joint;
      }
    }
    const std::size_t q = alone_postures[0].size(), t = kind == GoalKind::orient ? 4 : 3;
    postures.resize(q * size);
    targets.resize(t * size);
    for (std::size_t c = 0; c < size; ++c) {
      for (std::size_t r = 0; r < q; ++r) postures[r * size + c] = alone_postures[c][r];
      for (std::size_t r = 0; r < t; ++r) targets[r * size + c] = target(goals[c], r);
    }
  }
  static Real target(const Goal& goal, std::size_t r) {
    if (const Aim* aim = std::get_if<Aim>(&goal)) return aim->target[static_cast<Eigen::Index>(r)];
    const Quat& q = std::get_if<Orient>(&goal)->target;
    return r == 0 ? q.w() : q.vec()[static_cast<Eigen::Index>(r) - 1];
  }
  PoiseBatch batch() const { return {skeleton, goals[0], size, targets, postures}; }

  const Skeleton& skeleton;
  std::size_t size;
  std::vector<std::vector<Real>> alone_postures;
  std::vector<Goal> goals;
  std::vector<Real> postures, targets;
};

TEST(PoiseBatch, GivesEachTheAnswerItWouldGetAlone) {
  for (const char* axes : {"YXXZY", "YXZXYXZY", "XZX", "YX"})
    for (const GoalKind kind : {GoalKind::orient, GoalKind::aim, GoalKind::aim_direction}) {
      const Skeleton skeleton = hinge_chain(axes);
      const Crowd crowd(skeleton, kind, 37);
      const PoiseBatch batch = crowd.batch();
      ASSERT_TRUE(batch_fits(batch));
      std::vector<Real> out(crowd.postures.size());
      std::vector<Status> status(crowd.size);
      Scratch scratch(batch_scratch_bytes(batch));
      solve_block({}, batch, 20, 17, scratch, out, status);
      solve_block({}, batch, 0, 20, scratch, out, status);
      for (std::size_t c = 0; c < crowd.size; ++c) {
        const ConstQ posture = crowd.alone_postures[c];
        const Outcome alone =
            outcome_of(Poise{}, {skeleton, {&crowd.goals[c], 1}, {posture}, posture});
        EXPECT_EQ(status[c], alone.report.status);
        for (std::size_t r = 0; r < posture.size(); ++r)
          EXPECT_EQ(out[r * crowd.size + c], alone.q[r]) << axes << " " << c;
      }
    }
}

TEST(PoiseBatch, NonsenseStaysWithTheOneWhoSentIt) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  Crowd crowd(skeleton, GoalKind::orient, 3);
  crowd.postures[1] = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> out(crowd.postures.size());
  std::vector<Status> status(3);
  const PoiseBatch batch = crowd.batch();
  Scratch scratch(batch_scratch_bytes(batch));
  solve_block({}, batch, 0, 3, scratch, out, status);
  EXPECT_EQ(status[0], Status::reached);
  EXPECT_EQ(status[1], Status::bad_problem);
  EXPECT_EQ(status[2], Status::reached);
  std::vector<Real> q(5);
  for (std::size_t r = 0; r < 5; ++r) q[r] = out[r * 3 + 1];
  EXPECT_TRUE(inside_limits(skeleton, q));
}

TEST(PoiseBatch, WhatDoesNotFitIsSaid) {
  const Skeleton hinges = hinge_chain("YXXZY"), balls = ball_chain(3);
  Crowd crowd(hinges, GoalKind::orient, 3);
  PoiseBatch batch = crowd.batch();
  EXPECT_TRUE(batch_fits(batch));
  batch.count = 4;
  EXPECT_FALSE(batch_fits(batch));
  const Goal reach = Reach{}, orient = Orient{.joint = 2};
  EXPECT_FALSE(batch_fits({hinges, reach, 0, {}}));
  EXPECT_FALSE(batch_fits({balls, orient, 0, {}}));
}

}  // namespace
}  // namespace gestik
