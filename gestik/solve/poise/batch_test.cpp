#include "gestik/solve/poise/batch.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "gestik/math/rotation.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"

namespace gestik {
namespace {

using namespace test;

/// Random characters: what they are asked alone, and the same side by side.
struct Crowd {
  Crowd(const Skeleton& body, GoalKind kind, std::size_t count, JointId at = no_joint)
      : skeleton(body), size(count) {
    Random random(4);
    const JointId end = at == no_joint ? skeleton.joint_count() - 1 : at;
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

/// Solves a crowd in two blocks and each of it alone: the same bits.
void expect_same_as_alone(const Poise& settings, const Crowd& crowd, const PoiseBatch& batch,
                          const std::string& what) {
  ASSERT_TRUE(batch_fits(batch));
  const std::size_t size = static_cast<std::size_t>(crowd.skeleton.q_size());
  std::vector<Real> out(size * crowd.size);
  std::vector<Status> status(crowd.size);
  Scratch scratch(batch_scratch_bytes(batch));
  solve_block(settings, batch, 20, crowd.size - 20, scratch, out, status);
  solve_block(settings, batch, 0, 20, scratch, out, status);
  for (std::size_t c = 0; c < crowd.size; ++c) {
    const auto column = [&](std::span<const Real> rows) {
      std::vector<Real> q;
      for (std::size_t r = 0; r < rows.size() / crowd.size; ++r)
        q.push_back(rows[r * crowd.size + c]);
      return q;
    };
    const std::vector<Real> posture = column(batch.postures);
    const std::vector<Real> seed = batch.seeds.empty() ? posture : column(batch.seeds);
    const Outcome alone = outcome_of(
        settings,
        {crowd.skeleton, {&crowd.goals[c], 1}, {posture, 1, batch.per_joint}, ConstQ(seed)});
    EXPECT_EQ(status[c], alone.report.status) << what << " " << c;
    EXPECT_EQ(column(out), alone.q) << what << " " << c;
  }
}

/// One start each, which is found and refined side by side, and eight.
TEST(PoiseBatch, GivesEachTheAnswerItWouldGetAlone) {
  for (const char* axes : {"YXXZY", "YXZXYXZY", "YXZXZXZXY", "XZX", "YX"})
    for (const GoalKind kind : {GoalKind::orient, GoalKind::aim, GoalKind::aim_direction}) {
      const Skeleton skeleton = hinge_chain(axes);
      Crowd crowd(skeleton, kind, 101);
      for (const int measure : {0, 1})
        for (const int starts : {1, 3, 8}) {
          const Poise settings{.measure = measure, .starts = starts};
          expect_same_as_alone(settings, crowd, crowd.batch(), axes);
        }
    }
}

TEST(PoiseBatch, TakesSymmetricEndsOwnSeedsWeightsAndStyles) {
  const Skeleton skeleton = hinge_chain("YXZXYXZY");
  Crowd crowd(skeleton, GoalKind::orient, 60);
  for (Goal& goal : crowd.goals) std::get<Orient>(goal).symmetric = true;
  Random random(9);
  std::vector<Real> seeds(crowd.postures.size());
  for (Real& x : seeds) x = random.uniform(-2, 2);
  const std::vector<Real> weights{1, 0, 2, 1, 0, 1, 3, 1};
  for (const int measure : {0, 1})
    for (const Real style : {0.0, 0.5, 1.0}) {
      const Poise settings{.style = style, .measure = measure, .starts = 1};
      PoiseBatch batch = crowd.batch();
      expect_same_as_alone(settings, crowd, batch, "symmetric");
      batch.seeds = seeds;
      expect_same_as_alone(settings, crowd, batch, "seeds");
      batch.per_joint = weights;
      expect_same_as_alone(settings, crowd, batch, "weights");
      batch.postures = {};
      expect_same_as_alone(settings, crowd, batch, "no posture");
    }
}

/// Postures far outside the limits, no steps, too many links for eight at a time.
TEST(PoiseBatch, TakesExtremes) {
  const Skeleton skeleton = hinge_chain("YXZXYXZY"), longer = hinge_chain("YXZXYXZYXZXYXZYXZXY");
  Crowd crowd(skeleton, GoalKind::orient, 40);
  const Crowd many(longer, GoalKind::aim, 40);
  for (const int measure : {0, 1}) {
    expect_same_as_alone({.measure = measure, .starts = 1, .steps = 0}, crowd, crowd.batch(),
                         "no steps");
    expect_same_as_alone({.measure = measure, .starts = 1}, many, many.batch(), "many links");
  }
  for (std::size_t i = 0; i < crowd.postures.size(); i += 3) crowd.postures[i] *= 4000;
  crowd.postures[5] = 1e11;
  for (const int measure : {0, 1})
    expect_same_as_alone({.measure = measure, .starts = 1}, crowd, crowd.batch(), "far outside");
}

/// A neck among arms: joints off the chain, some of them balls, stay where they are.
TEST(PoiseBatch, TakesAChainOfATree) {
  SkeletonDraft draft;
  const auto add = [&](const char* name, const char* parent, JointType type, const Vec3& axis) {
    JointDraft joint;
    joint.name = name;
    joint.parent = parent;
    joint.type = type;
    joint.axis = axis;
    joint.parent_from_joint.p = Vec3::UnitY();
    if (type != JointType::ball) joint.limits.lo = -1.5, joint.limits.hi = 1.5;
    draft.joints.push_back(joint);
  };
  add("turn", "", JointType::hinge, Vec3::UnitY());
  add("arm", "turn", JointType::ball, Vec3::UnitX());
  add("low", "turn", JointType::hinge, Vec3::UnitX());
  add("tray", "low", JointType::slider, Vec3::UnitX());
  add("high", "low", JointType::hinge, Vec3::UnitX());
  add("nod", "high", JointType::hinge, Vec3::UnitZ());
  add("roll", "nod", JointType::hinge, Vec3::UnitY());
  const Result<Skeleton> built = build(draft);
  ASSERT_TRUE(built);
  const Skeleton& skeleton = *built;
  const JointId end = skeleton.find("roll");
  Crowd crowd(skeleton, GoalKind::orient, 30, end);
  for (const int starts : {1, 8})
    expect_same_as_alone({.starts = starts}, crowd, crowd.batch(), "tree");
  std::size_t ball = 0;
  while (skeleton.joints()[ball].type != JointType::ball) ++ball;
  for (std::size_t r = 0; r < 4; ++r)
    crowd.postures[(static_cast<std::size_t>(skeleton.joints()[ball].q_offset) + r) * crowd.size] =
        0;
  std::vector<Real> out(crowd.postures.size());
  std::vector<Status> status(crowd.size);
  const PoiseBatch batch = crowd.batch();
  Scratch scratch(batch_scratch_bytes(batch));
  solve_block({}, batch, 0, crowd.size, scratch, out, status);
  EXPECT_EQ(status[0], Status::bad_problem);
}

/// Targets about which the first and last link turn alike, and ones that can't be reached.
TEST(PoiseBatch, TakesAwkwardTargets) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  Crowd crowd(skeleton, GoalKind::orient, 40);
  for (std::size_t c = 0; c < crowd.size; ++c) {
    const Real angle = static_cast<Real>(c) / 3;
    const Quat target = axis_angle(c % 3 == 0 ? Vec3::UnitX() : Vec3::UnitY(), angle);
    std::get<Orient>(crowd.goals[c]).target = target;
    for (std::size_t r = 0; r < 4; ++r)
      crowd.targets[r * crowd.size + c] = Crowd::target(crowd.goals[c], r);
  }
  for (const int measure : {0, 1})
    expect_same_as_alone({.measure = measure, .starts = 1}, crowd, crowd.batch(), "awkward");
}

TEST(PoiseBatch, NonsenseStaysWithTheOneWhoSentIt) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  Crowd crowd(skeleton, GoalKind::orient, 3);
  crowd.postures[1] = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> out(crowd.postures.size());
  std::vector<Status> status(3);
  const PoiseBatch batch = crowd.batch();
  Scratch scratch(batch_scratch_bytes(batch));
  for (const int starts : {1, 8}) {
    solve_block({.starts = starts}, batch, 0, 3, scratch, out, status);
    EXPECT_EQ(status[0], Status::reached);
    EXPECT_EQ(status[1], Status::bad_problem);
    EXPECT_EQ(status[2], Status::reached);
    std::vector<Real> q(5);
    for (std::size_t r = 0; r < 5; ++r) q[r] = out[r * 3 + 1];
    EXPECT_TRUE(inside_limits(skeleton, q));
  }
}

TEST(PoiseBatch, WhatDoesNotFitIsSaid) {
  const Skeleton hinges = hinge_chain("YXXZY"), balls = ball_chain(3);
  Crowd crowd(hinges, GoalKind::orient, 3);
  PoiseBatch batch = crowd.batch();
  EXPECT_TRUE(batch_fits(batch));
  batch.count = 4;
  EXPECT_FALSE(batch_fits(batch));
  batch.count = 3;
  const std::vector<Real> nonsense(5, -1);
  batch.per_joint = nonsense;
  EXPECT_FALSE(batch_fits(batch));
  const Goal no_axis = Aim{.joint = 4, .axis_in_joint = Vec3::Zero()};
  EXPECT_FALSE(batch_fits({hinges, no_axis, 0, {}}));
  const Goal reach = Reach{}, orient = Orient{.joint = 2};
  EXPECT_FALSE(batch_fits({hinges, reach, 0, {}}));
  EXPECT_FALSE(batch_fits({balls, orient, 0, {}}));
}

}  // namespace
}  // namespace gestik
