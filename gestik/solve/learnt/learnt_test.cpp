#include "gestik/solve/learnt/learnt.h"

#include <gtest/gtest.h>

#include "gestik/learn/motions_for_test.h"
#include "gestik/math/random_for_test.h"
#include "gestik/measure/allocations.h"
#include "gestik/solve/outcome_for_test.h"
#include "gestik/solve/run.h"

// The laws hold for `learnt` without a model (solver_laws_test.cpp); here they do with one.

namespace gestik {
namespace {

using namespace test;

struct Arm {
  learn::Chain chain = small_chain();
  learn::Take take = small_take(chain, 400);
  learn::Model model = *learn::learn(chain, std::vector{take});
  std::vector<Vec3> path = path_of(chain, take.q);

  std::vector<Real> captured(std::size_t f) const {
    const auto at = take.q.begin() + static_cast<std::ptrdiff_t>(12 * f);
    return {at, at + 12};
  }
  Goal reach(const Vec3& target) const {
    return Reach{
        .joint = chain.end(), .point_in_joint = chain.point, .target = target, .tolerance = 1e-3};
  }
};

Real farthest_turn(const Skeleton& skeleton, ConstQ a, ConstQ b) {
  Real most = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (skeleton.type(j) == JointType::ball)
      most = std::max(most, angle_between(load_quat(&a[skeleton.q_offset(j)]),
                                          load_quat(&b[skeleton.q_offset(j)])));
  return most;
}

TEST(Learnt, APlaceOfTheCaptureGetsTheCapturedPose) {
  const Arm arm;
  for (const bool printed : {false, true}) {
    Real learnt = 0, plain = 0;
    for (std::size_t f = 5; f < 400; f += 40) {
      const Goal goal = arm.reach(arm.path[f]);
      const Problem problem{.skeleton = arm.chain.skeleton, .goals = {&goal, 1}};
      const Outcome with = outcome_of(Learnt{.printed = printed, .model = &arm.model}, problem);
      const Outcome without = outcome_of(Learnt{}, problem);
      EXPECT_EQ(with.report.status, Status::reached);
      EXPECT_EQ(without.report.status, Status::reached);
      learnt += farthest_turn(arm.chain.skeleton, with.q, arm.captured(f));
      plain += farthest_turn(arm.chain.skeleton, without.q, arm.captured(f));
    }
    EXPECT_LT(learnt, 0.25 * plain) << (printed ? "printed" : "neighbours");
  }
}

TEST(Learnt, KnowsItsChainInAWholeBodyWhereverThatStands) {
  const Arm arm;
  const Skeleton body = small_body();
  Random random(2);
  std::vector<Real> seed(body.neutral().begin(), body.neutral().end());
  store_quat(exp(Vec3(0.3, 1, -0.4)), seed.data());  // the hips turn
  std::vector<Pose> world(static_cast<std::size_t>(body.joint_count()));
  forward(body, seed, world);
  for (std::size_t f = 0; f < 400; f += 37) {
    const Goal own = arm.reach(arm.path[f]);
    const Goal goal = Reach{.joint = body.find("elbow"),
                            .point_in_joint = arm.chain.point,
                            .target = world[0] * arm.path[f],
                            .tolerance = 1e-3};
    const Outcome whole = outcome_of(Learnt{.model = &arm.model},
                                     {.skeleton = body, .goals = {&goal, 1}, .seed = seed});
    const Outcome part = outcome_of(Learnt{.model = &arm.model},
                                    {.skeleton = arm.chain.skeleton, .goals = {&own, 1}});
    for (int i = 0; i < 12; ++i) EXPECT_NEAR(whole.q[4 + i], part.q[i], 1e-9);
    for (int i : {0, 1, 2, 3, 16, 17, 18, 19, 20})
      EXPECT_EQ(whole.q[i], seed[i]) << "not in the chain";
  }
}

TEST(Learnt, IsPlainWhereNothingWasLearnt) {
  const Arm arm;
  const Goal goal = arm.reach(arm.path[100]);
  const Problem problem{.skeleton = arm.chain.skeleton, .goals = {&goal, 1}};
  const std::vector<Real> plain = outcome_of(Learnt{}, problem).q;
  const std::vector<Real> no_style{0};
  EXPECT_TRUE(same_bits(
      outcome_of(Learnt{.model = &arm.model, .style_weights = no_style}, problem).q, plain));
  EXPECT_TRUE(
      same_bits(outcome_of(Learnt{.from_seed = true, .model = &arm.model}, problem).q, plain));

  Goal elsewhere = goal;  // another point of the same joint
  std::get<Reach>(elsewhere).point_in_joint.x() += 0.01;
  const Problem other{.skeleton = arm.chain.skeleton, .goals = {&elsewhere, 1}};
  EXPECT_TRUE(
      same_bits(outcome_of(Learnt{.model = &arm.model}, other).q, outcome_of(Learnt{}, other).q));

  const std::vector<std::uint8_t> held{0, 1, 0};
  const Problem holding{.skeleton = arm.chain.skeleton, .goals = {&goal, 1}, .held = held};
  EXPECT_TRUE(same_bits(outcome_of(Learnt{.model = &arm.model}, holding).q,
                        outcome_of(Learnt{}, holding).q));
}

TEST(Learnt, KeepsTheLawsWithAModel) {
  const Arm arm;
  SkeletonDraft draft = draft_of(arm.chain.skeleton);
  for (JointDraft& joint : draft.joints)
    joint.limits = {.lo = -0.5, .hi = 0.5, .swing_x = 0.6, .swing_y = 0.5};
  const Skeleton narrow = *build(draft);
  Random random(4);
  for (const bool printed : {false, true}) {
    const AnySolver solver = Learnt{.printed = printed, .model = &arm.model};
    for (const Skeleton* skeleton : {&arm.chain.skeleton, &narrow})
      for (int i = 0; i < 20; ++i) {
        const Real far = i % 10 == 0 ? 1e3 : 1;
        const Goal goal = arm.reach(
            far * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)));
        Problem problem{.skeleton = *skeleton, .goals = {&goal, 1}};
        Real last = infinity;
        for (const int budget : {0, 1, 2, 3, 5, 20, 100, 300}) {
          problem.budget.iterations = budget;
          const Outcome outcome = outcome_of(solver, problem);
          EXPECT_TRUE(inside_limits(*skeleton, outcome.q));
          EXPECT_LE(outcome.report.error, last);
          EXPECT_LE(outcome.report.iterations, budget);
          last = outcome.report.error;
        }
        Scratch scratch(scratch_bytes(solver, *skeleton, 1));
        std::vector<Real> q(12);
        const long before = allocations();
        (void)run(solver, problem, scratch, q);
        if (can_count_allocations()) {
          EXPECT_EQ(allocations(), before);
        }
        EXPECT_TRUE(same_bits(q, outcome_of(solver, problem).q));
      }
  }
}

TEST(Learnt, AVelocityChoosesAmongPosesInOnePlace) {
  // Two motions through the same places in opposite directions, with other poses.
  const learn::Chain chain = small_chain();
  const auto take = [&](Real sign) {
    learn::Take result{.rate = 120};
    for (int f = -30; f <= 30; ++f)
      for (JointId j = 0; j < 3; ++j) {
        // The forearm turns about its own bone: the end does not notice.
        const Quat q = exp(Vec3(j == 2 ? sign * 0.5 : 0, 0, j == 1 ? sign * 0.02 * f : 0));
        result.q.insert(result.q.end(), {q.w(), q.x(), q.y(), q.z()});
      }
    return result;
  };
  const learn::Model model = *learn::learn(chain, std::vector{take(1), take(-1)});
  const std::vector<Vec3> path = path_of(chain, take(1).q);
  const Goal goal =
      Reach{.joint = 2, .point_in_joint = chain.point, .target = path[35], .tolerance = 1e-3};
  const Vec3 velocity = (path[36] - path[34]) * 60;
  for (const Real sign : {1.0, -1.0}) {
    const Learnt solver{.model = &model,
                        .velocity = {sign * velocity.x(), sign * velocity.y(), sign * velocity.z()},
                        .has_velocity = true};
    const Outcome outcome = outcome_of(solver, {.skeleton = chain.skeleton, .goals = {&goal, 1}});
    EXPECT_NEAR(log(load_quat(&outcome.q[8])).x(), sign * 0.5, 0.1);
  }
}

TEST(Learnt, StylesAreBlendedByTheirWeights) {
  const learn::Chain chain = small_chain();
  const auto take = [&](Real roll, const char* style) {
    learn::Take result{.style = style, .rate = 120};
    for (int f = 0; f < 40; ++f)
      for (JointId j = 0; j < 3; ++j) {
        const Quat q = exp(Vec3(j == 2 ? roll : 0, 0, j == 1 ? 0.02 * f : 0));
        result.q.insert(result.q.end(), {q.w(), q.x(), q.y(), q.z()});
      }
    return result;
  };
  const learn::Model model =
      *learn::learn(chain, std::vector{take(0.2, "calm"), take(0.8, "proud")});
  const Vec3 target = path_of(chain, take(0, "").q)[20];
  const Goal goal =
      Reach{.joint = 2, .point_in_joint = chain.point, .target = target, .tolerance = 1e-3};
  const auto roll = [&](const std::vector<Real>& weights, bool printed) {
    const Learnt solver{.printed = printed, .model = &model, .style_weights = weights};
    return log(load_quat(
                   &outcome_of(solver, {.skeleton = chain.skeleton, .goals = {&goal, 1}}).q[8]))
        .x();
  };
  for (const bool printed : {false, true}) {
    EXPECT_NEAR(roll({1, 0}, printed), 0.2, 0.02);
    EXPECT_NEAR(roll({0, 1}, printed), 0.8, 0.02);
    EXPECT_NEAR(roll({1, 1}, printed), 0.5, 0.05);
    EXPECT_NEAR(roll({3, 1}, printed), 0.35, 0.05);
  }
}

}  // namespace
}  // namespace gestik
