#include "gestik/solve/poise/poise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gestik/math/rotation.h"
#include "gestik/measure/erik_error.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/outcome_for_test.h"
#include "gestik/solve/poise/chain.h"
#include "gestik/solve/run.h"

namespace gestik {
namespace {

using namespace test;

/// The measure of deviation that poise brings down by default.
Real signed_deviation(ConstQ q, ConstQ posture) {
  Real sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) sum += 1 - std::cos(q[i] - posture[i]);
  return sum;
}

Orient orient_to(const Skeleton& skeleton, ConstQ q, JointId end) {
  return {.joint = end, .target = poses(skeleton, q)[static_cast<std::size_t>(end)].q};
}

/// Every joint counts the same.
constexpr Poise plain{.aggravation = 1, .twist = 1};

// Three hinges take an orientation in few ways, and a fourth adds one number to look through: the
// best pose can be found by trying that number out.
TEST(Poise, FindsTheBestPoseThatAFineGridFinds) {
  const Skeleton skeleton = hinge_chain("YXZY", 2.5);
  Random random(3);
  Real ours = 0, grid = 0;
  for (int i = 0; i < 10; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    const Goal goal = orient_to(skeleton, random_pose(skeleton, random), 3);
    const Outcome outcome = outcome_of(plain, {skeleton, {&goal, 1}, {posture}, posture});
    ASSERT_EQ(outcome.report.status, Status::reached);

    Real best = infinity;
    for (int step = 0; step <= 100; ++step) {
      std::vector<Real> start = posture;
      start[1] = -2.5 + 5.0 * step / 100;
      const std::uint8_t held[] = {0, 1, 0, 0};
      for (const Real third : {posture[2], -1.5, 1.5}) {
        start[2] = third;
        const Outcome other = outcome_of(*find_solver("lm"), {.skeleton = skeleton,
                                                              .goals = {&goal, 1},
                                                              .seed = start,
                                                              .budget = {40},
                                                              .held = held});
        if (other.report.status == Status::reached)
          best = std::min(best, signed_deviation(other.q, posture));
      }
    }
    ours += signed_deviation(outcome.q, posture);
    grid += best;
  }
  EXPECT_LT(ours, 1.02 * grid);
}

TEST(Poise, KeepsMoreOfThePostureThanErikByEriksOwnMeasure) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  Random random(5);
  Real ours = 0, eriks = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    Orient orient = orient_to(skeleton, random_pose(skeleton, random), 4);
    orient.symmetric = true;
    const Goal goal = orient;
    const Problem problem{skeleton, {&goal, 1}, {posture}, posture};
    const auto error = [&](const AnySolver& solver) {
      const Outcome outcome = outcome_of(solver, problem);
      return posture_error(skeleton, 4, Vec3::UnitY(), poses(skeleton, outcome.q),
                           poses(skeleton, posture));
    };
    EXPECT_EQ(outcome_of(Poise::of_erik_paper(), problem).report.status, Status::reached) << i;
    ours += error(Poise::of_erik_paper());
    eriks += error(*find_solver("erik"));
  }
  EXPECT_LT(ours, 0.95 * eriks);
}

TEST(Poise, TheErrorItReportsIsThePapers) {
  const Skeleton skeleton = hinge_chain("YXZXYXZY");
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    const Goal goal = orient_to(skeleton, random_pose(skeleton, random), 7);
    const Outcome outcome =
        outcome_of(Poise::of_erik_paper(), {skeleton, {&goal, 1}, {posture}, posture});
    ASSERT_EQ(outcome.report.status, Status::reached);
    const std::vector<Pose> got = poses(skeleton, outcome.q);
    const Real error =
        orientation_error(residual(goal, got[7])) +
        0.2 * posture_error(skeleton, 7, Vec3::UnitY(), got, poses(skeleton, posture));
    EXPECT_NEAR(outcome.report.error, error, 1e-9);
  }
}

TEST(Poise, ABendKeepsItsSign) {
  const Skeleton skeleton = hinge_chain("YXXXXY");
  const std::vector<Real> posture{0, 0.6, 0.6, -0.4, 0.6, 0};
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    std::vector<Real> near = posture;
    for (Real& x : near) x += random.uniform(-0.25, 0.25);
    const Goal goal = orient_to(skeleton, near, 5);
    const Outcome outcome = outcome_of(Poise{}, {skeleton, {&goal, 1}, {posture}, posture});
    EXPECT_EQ(outcome.report.status, Status::reached);
    for (std::size_t k = 1; k < 5; ++k) EXPECT_GT(outcome.q[k] * posture[k], 0) << k;
  }
}

TEST(Poise, MoreStyleIsNeverFartherFromThePosture) {
  const Skeleton skeleton = hinge_chain("YXZXY", 2);
  Random random(8);
  Real sums[5] = {};
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    const std::vector<Real> seed = random_pose(skeleton, random);
    const Goal goal = orient_to(skeleton, random_pose(skeleton, random), 4);
    for (int s = 0; s < 5; ++s) {
      Poise solver = plain;
      solver.style = s / 4.0;
      const Outcome outcome = outcome_of(solver, {skeleton, {&goal, 1}, {posture}, seed});
      EXPECT_EQ(outcome.report.status, Status::reached);
      sums[s] += signed_deviation(outcome.q, posture);
    }
  }
  for (int s = 1; s < 5; ++s) EXPECT_LE(sums[s], 1.005 * sums[s - 1]) << s;
  EXPECT_LT(sums[4], 0.7 * sums[0]);
}

TEST(Poise, AHeavierJointStaysCloser) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  Random random(9);
  Real even = 0, heavy = 0;
  const std::vector<Real> weights{1, 1, 20, 1, 1};
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    const Goal goal = orient_to(skeleton, random_pose(skeleton, random), 4);
    Problem problem{skeleton, {&goal, 1}, {posture}, posture};
    even += 1 - std::cos(outcome_of(Poise{}, problem).q[2] - posture[2]);
    problem.intent.per_joint = weights;
    heavy += 1 - std::cos(outcome_of(Poise{}, problem).q[2] - posture[2]);
  }
  EXPECT_LT(heavy, 0.5 * even);
}

TEST(Poise, AimsWithAnEyeThatMoves) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  Random random(10);
  int reached = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    const Goal goal =
        goal_met_by(GoalKind::aim, 4, poses(skeleton, random_pose(skeleton, random)), random);
    const Problem problem{skeleton, {&goal, 1}, {posture}, posture};
    reached += outcome_of(Poise{}, problem).report.status == Status::reached;
  }
  EXPECT_GE(reached, 198);
}

TEST(Poise, TightTolerancesAreMet) {
  const Skeleton skeleton = hinge_chain("YXZXYXZY");
  Random random(11);
  int reached = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    Orient orient = orient_to(skeleton, random_pose(skeleton, random), 7);
    orient.tolerance = 1e-10;
    const Goal goal = orient;
    reached += outcome_of(Poise{}, {skeleton, {&goal, 1}, {posture}, posture}).report.status ==
               Status::reached;
  }
  EXPECT_GE(reached, 99);
}

/// A tilt that is too small to change the quaternion's w is still a tilt.
TEST(Poise, SmallTiltsCount) {
  SkeletonDraft draft;
  for (const int axis : {1, 0, 0, 2, 1}) {
    JointDraft joint;
    joint.name = "j" + std::to_string(draft.joints.size());
    joint.type = JointType::hinge;
    joint.axis = Vec3::Unit(axis);
    joint.limits.lo = -1.5, joint.limits.hi = 1.5;
    joint.parent_from_joint = {Quat(1, 1e-8, 0, 0), Vec3::UnitY()};
    if (!draft.joints.empty()) joint.parent = draft.joints.back().name;
    draft.joints.push_back(joint);
  }
  const Result<Skeleton> skeleton = build(draft);
  ASSERT_TRUE(skeleton);
  Random random(3);
  Orient orient = orient_to(*skeleton, random_pose(*skeleton, random), 4);
  orient.tolerance = 1e-9;
  const Goal goal = orient;
  const std::vector<Real> posture = random_pose(*skeleton, random);
  EXPECT_EQ(outcome_of(Poise{}, {*skeleton, {&goal, 1}, {posture}, posture}).report.status,
            Status::reached);
}

TEST(Poise, ALongerChainThanItCanTakeIsUnsupported) {
  const Skeleton skeleton = hinge_chain(std::string(65, 'X'));
  const Goal goal = Orient{.joint = 64, .target = axis_angle(Vec3::UnitX(), 1)};
  const Problem problem{skeleton, {&goal, 1}};
  EXPECT_EQ(outcome_of(Poise{}, problem).report.fault, Fault::chain_shape);
  EXPECT_EQ(info_of(default_solver(problem)).name, "lm");
  const Goal shorter = Orient{.joint = 63};
  EXPECT_EQ(info_of(default_solver({skeleton, {&shorter, 1}})).name, "poise");
}

TEST(Poise, IsTheDefaultWhereItFits) {
  const Skeleton hinges = hinge_chain("YXY"), balls = ball_chain(3);
  const Goal aim = Aim{.joint = 2}, reach = Reach{.joint = 2};
  const Goal two[] = {aim, aim};
  EXPECT_EQ(info_of(default_solver({hinges, {&aim, 1}})).name, "poise");
  EXPECT_EQ(info_of(default_solver({hinges, {&reach, 1}})).name, "lm");
  EXPECT_EQ(info_of(default_solver({hinges, two})).name, "lm");
  EXPECT_EQ(info_of(default_solver({balls, {&aim, 1}})).name, "lm");
}

/// The form of a chain whose end is to take an orientation that is the same turned half round.
poise::Form<poise::Float8> form_of(const Skeleton& skeleton, poise::Measure measure) {
  const Goal goal = normalized(Orient{.joint = skeleton.joint_count() - 1, .symmetric = true});
  const std::vector<Real> posture(static_cast<std::size_t>(skeleton.q_size()), 0.1);
  std::vector<poise::Link> links(static_cast<std::size_t>(skeleton.joint_count()));
  return kernel_form(
      read_chain({skeleton, {&goal, 1}, {posture}, posture}, {measure, 0.2, 2, 0.1}, links));
}

Skeleton with_limits(const Skeleton& skeleton, JointId joint, Real lo, Real hi) {
  SkeletonDraft draft = draft_of(skeleton);
  draft.joints[static_cast<std::size_t>(joint)].limits = {.lo = lo, .hi = hi};
  return *build(draft);
}

TEST(Poise, LeavesALastLinkOutOnlyWhereItTakesAnyAngleAtNoCost) {
  using poise::Measure;
  const Skeleton chain = hinge_chain("YXXZY");
  EXPECT_TRUE(form_of(with_limits(chain, 4, -1.6, 1.6), Measure::bend).last_left_out);
  EXPECT_FALSE(form_of(with_limits(chain, 4, -1.5, 1.5), Measure::bend).last_left_out);
  EXPECT_FALSE(form_of(chain, Measure::signed_angle).last_left_out) << "its twist costs something";
  EXPECT_FALSE(form_of(hinge_chain("YXXZX"), Measure::bend).last_left_out);
}

TEST(Poise, MirrorsOnlyChainsThatAreTheSameMirrored) {
  using poise::Measure;
  for (const char* axes : {"YXXZY", "YXZXY", "YXXZXY", "YXZXYXZY"})
    EXPECT_TRUE(form_of(hinge_chain(axes), Measure::bend).mirrors) << axes;
  EXPECT_FALSE(form_of(with_limits(hinge_chain("YXXZY"), 2, -1, 1.2), Measure::bend).mirrors);
  EXPECT_FALSE(form_of(with_limits(hinge_chain("YXXZY"), 0, -1, 1), Measure::bend).mirrors);
  EXPECT_FALSE(form_of(hinge_chain("YXXZY"), Measure::signed_angle).mirrors);
  SkeletonDraft tilted = draft_of(hinge_chain("YXXZY"));
  tilted.joints[2].axis = Vec3(1, 0.3, 0).normalized();
  EXPECT_FALSE(form_of(*build(tilted), Measure::bend).mirrors);
}

/// Mirrored in all links that flip, the end looks as before but for half a turn of the first link.
TEST(Poise, AMirroredChainAimsTheOtherWayRound) {
  for (const char* axes : {"YXXZY", "YXZXY", "YXXZXY", "YXZXYXZY", "YZZY"}) {
    const Skeleton skeleton = hinge_chain(axes);
    const poise::Form<poise::Float8> form = form_of(skeleton, poise::Measure::bend);
    ASSERT_TRUE(form.mirrors) << axes;
    Random random(3);
    for (int i = 0; i < 20; ++i) {
      std::vector<Real> q = random_pose(skeleton, random), mirrored = q;
      mirrored[0] += pi;
      for (int k = 1; k < form.links; ++k)
        if (form.flips[k]) mirrored[static_cast<std::size_t>(k)] *= -1;
      const std::size_t end = q.size() - 1;
      const Vec3 looks = poses(skeleton, q)[end].q * Vec3::UnitY();
      EXPECT_LT((poses(skeleton, mirrored)[end].q * Vec3::UnitY() - looks).norm(), 1e-12) << axes;
    }
  }
}

/// Both kernels on the same question.
TEST(Poise, BothPathsGiveTheSameBits) {
  using namespace poise;
  if (&kernel() == &portable_kernel())
    GTEST_SKIP() << "there is no other kernel here than the portable one";
  for (const auto wish : {GoalKind::orient, GoalKind::aim, GoalKind::aim_direction})
    for (const char* axes : {"YXXZY", "YXZXYXZY", "XXZYX"})
      for (const Measure measure : {Measure::signed_angle, Measure::bend}) {
        const Skeleton skeleton = hinge_chain(axes);
        const int n = skeleton.joint_count();
        Random random(12);
        for (int i = 0; i < 20; ++i) {
          const std::vector<Real> posture = random_pose(skeleton, random);
          const Goal goal = normalized(
              goal_met_by(wish, n - 1, poses(skeleton, random_pose(skeleton, random)), random));
          const Problem problem{skeleton, {&goal, 1}, {posture}, posture};
          Scratch scratch(1 << 21);
          const auto links = scratch.take<Link>(static_cast<std::size_t>(n));
          const poise::Chain chain = read_chain(problem, {measure, 0.2, 2, 0.1}, links);
          const Ask<Double1> exact = take_ask<Double1>(scratch, n);
          pose_question(chain, {goal, posture, posture, 1}, exact,
                        scratch.take<Real>(links.size()));
          const Ask<Float8> ask = take_ask<Float8>(scratch, n);
          const Form<Float8> form = kernel_form(chain);
          copy_to_all(form, exact, ask);
          State<Float8> states[2], each[2];
          unsigned found[2];
          Float8 rest[2];
          for (int path = 0; path < 2; ++path) {
            const Kernel& k = path == 0 ? portable_kernel() : kernel();
            State<Float8>& state = states[path] = take_state<Float8>(scratch, n);
            each[path] = take_state<Float8>(scratch, n);
            const int cells = std::max({seed_cells(n), refine_cells(n), seed_each_cells});
            Float8* const work = scratch.take<Float8>(static_cast<std::size_t>(cells)).data();
            Float8 scores;
            k.seed(form, ask, lanes, state.angles, scores, work);
            for (float& error : state.error->at) error = 1e9f;
            k.refine(form, ask, state, 12, -1, work);

            found[path] = k.seed_each(form, ask, false, each[path].angles, work);
            for (float& error : each[path].error->at) error = 1e9f;
            k.refine_each(form, ask, each[path], 0xff, 12, 0.003, work);
            k.rest(form, ask, each[path].angles, rest[path], work);
          }
          const std::size_t bytes = static_cast<std::size_t>(form.links) * sizeof(Float8);
          const std::size_t all = static_cast<std::size_t>(n) * sizeof(Float8);
          EXPECT_EQ(found[0], found[1]);
          EXPECT_EQ(std::memcmp(each[0].angles, each[1].angles, bytes), 0);
          EXPECT_EQ(std::memcmp(each[0].error, each[1].error, sizeof(Float8)), 0);
          EXPECT_EQ(std::memcmp(&rest[0], &rest[1], sizeof(Float8)), 0);
          EXPECT_EQ(std::memcmp(states[0].best, states[1].best, all), 0);
          EXPECT_EQ(std::memcmp(states[0].angles, states[1].angles, bytes), 0);
          EXPECT_EQ(std::memcmp(states[0].error, states[1].error, sizeof(Float8)), 0);
        }
      }
}

}  // namespace
}  // namespace gestik
