#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "gestik/math/rotation.h"
#include "gestik/measure/allocations.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/explain.h"
#include "gestik/solve/outcome_for_test.h"
#include "gestik/solve/run.h"

// The laws of every solver (docs/ARCHITECTURE.md). A new solver in the registry runs through all of
// them without a line here.

namespace gestik {

namespace {

using namespace test;

constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

std::vector<GoalKind> kinds_of(const SolverInfo& info) {
  std::vector<GoalKind> kinds;
  if (info.reach) kinds.push_back(GoalKind::reach);
  if (info.orient) kinds.push_back(GoalKind::orient);
  if (info.aim) kinds.insert(kinds.end(), {GoalKind::aim, GoalKind::aim_direction});
  return kinds;
}

/// Everything a solve needs, owned, so that a test can bend any part of it.
struct Case {
  const Body* body;
  std::vector<Goal> goals;
  std::vector<Real> seed, posture, per_joint, solution;
  Budget budget = {};
  std::vector<std::uint8_t> held = {};

  Problem problem() const {
    return {.skeleton = body->skeleton,
            .goals = goals,
            .intent = {.posture = posture, .per_joint = per_joint},
            .seed = seed,
            .budget = budget,
            .held = held};
  }
};

/// Tolerances and weights of all sizes, so that goals weigh on each other unevenly.
Goal with_random_demands(Goal goal, Random& random) {
  std::visit(
      [&](auto& g) {
        if (random.chance(0.5)) g.tolerance = std::abs(random.any_size(1e-6, 0.1));
        if (random.chance(0.5)) g.weight = std::abs(random.any_size(1e-3, 1e3));
      },
      goal);
  return goal;
}

/// A problem that some legal pose solves, from a random legal seed. Some cases carry a posture,
/// some weights.
Case random_case(const SolverInfo& info, const Body& body, Random& random) {
  Case c{.body = &body,
         .goals = {},
         .seed = random_pose(body.skeleton, random),
         .posture = {},
         .per_joint = {},
         .solution = random_pose(body.skeleton, random)};
  const std::vector<Pose> world = poses(body.skeleton, c.solution);
  const std::vector<GoalKind> kinds = kinds_of(info);
  const int ends = info.many_goals ? 1 + random.index(static_cast<int>(body.ends.size())) : 1;
  for (int e = 0; e < ends; ++e)
    c.goals.push_back(
        with_random_demands(goal_met_by(kinds[random.index(static_cast<int>(kinds.size()))],
                                        body.ends[e], world, random),
                            random));
  if (random.chance(0.5)) c.posture = random_pose(body.skeleton, random);
  if (random.chance(0.5))
    for (JointId j = 0; j < body.skeleton.joint_count(); ++j)
      c.per_joint.push_back(random.uniform(0, 3));
  return c;
}

class SolverLaws : public testing::TestWithParam<AnySolver> {
 protected:
  const AnySolver& solver() const { return GetParam(); }
  const SolverInfo& info() const { return info_of(solver()); }
  const std::vector<Body> bodies_ = all_bodies();

  /// Calls f on random cases on every body the solver takes.
  template <class F>
  void for_random_cases(int per_body, F&& f) {
    int taken = 0;
    for (const Body& body : bodies_) {
      Random random(7);
      for (int i = 0; i < per_body; ++i) {
        const Case c = random_case(info(), body, random);
        const Report report = outcome_of(solver(), c.problem()).report;
        if (report.status == Status::unsupported) {
          const bool by_info =
              report.fault == Fault::joint_type && !(info().hinge && info().slider && info().ball);
          EXPECT_TRUE(by_info || report.fault == Fault::chain_shape) << to_string(report.fault);
          continue;
        }
        SCOPED_TRACE(body.name + ", case " + std::to_string(i));
        f(c);
        ++taken;
      }
    }
    EXPECT_GT(taken, 0) << "the solver takes none of the test bodies: add one it does";
  }
};

TEST_P(SolverLaws, KeepsTheLimitsAndNeverClaimsFalseSuccess) {
  for_random_cases(200, [&](const Case& c) {
    const Outcome outcome = outcome_of(solver(), c.problem());
    EXPECT_TRUE(inside_limits(c.body->skeleton, outcome.q));
    const bool met = all_met(c.goals, poses(c.body->skeleton, outcome.q));
    EXPECT_EQ(outcome.report.status == Status::reached, met);
    EXPECT_TRUE(is_finite(outcome.report.error));
    EXPECT_TRUE(info().keeps_posture || (outcome.report.error == 0) == met);
    EXPECT_LE(outcome.report.iterations, c.budget.iterations);
    EXPECT_EQ(outcome.report.fault, Fault::none);
  });
}

TEST_P(SolverLaws, KeepsTheLimitsOnTargetsThatCanNotBeMet) {
  for_random_cases(50, [&](Case c) {
    for (Goal& goal : c.goals) {
      if (Reach* reach = std::get_if<Reach>(&goal)) reach->target *= 1e3;
      if (Aim* aim = std::get_if<Aim>(&goal)) aim->tolerance = 0;
    }
    c.goals.push_back(c.goals.front());  // and two goals at odds
    if (Orient* orient = std::get_if<Orient>(&c.goals.back()))
      orient->target = orient->target * axis_angle(Vec3::UnitX(), 2);
    if (!info().many_goals) c.goals.pop_back();
    const Outcome outcome = outcome_of(solver(), c.problem());
    EXPECT_TRUE(inside_limits(c.body->skeleton, outcome.q));
    EXPECT_EQ(outcome.report.status == Status::reached,
              all_met(c.goals, poses(c.body->skeleton, outcome.q)));
  });
}

/// The same wishes in other words.
Case lengthened(Case c, Real factor) {
  for (Goal& goal : c.goals) {
    if (Orient* orient = std::get_if<Orient>(&goal)) orient->target.coeffs() *= factor;
    if (Aim* aim = std::get_if<Aim>(&goal)) {
      aim->axis_in_joint *= factor;
      if (aim->at_infinity) aim->target *= factor;
    }
  }
  return c;
}

TEST_P(SolverLaws, LengthsOfQuaternionsAndAxesDoNotMatter) {
  for_random_cases(20, [&](const Case& c) {
    const Case longer = lengthened(c, 4);
    const Outcome outcome = outcome_of(solver(), longer.problem());
    EXPECT_TRUE(same_bits(outcome.q, outcome_of(solver(), lengthened(c, 64).problem()).q));
    const Explanation told = explain(longer.problem(), outcome.q);
    const bool met = std::all_of(told.goals.begin(), told.goals.end(),
                                 [](const Explanation::OfGoal& goal) { return goal.met; });
    EXPECT_EQ(met, outcome.report.status == Status::reached);
  });
}

TEST_P(SolverLaws, NothingFiniteIsTooLargeToAnswer) {
  for_random_cases(5, [&](Case c) {
    for (const Real size : {1e6, 1e15, 1e29}) {
      for (Goal& goal : c.goals) {
        std::visit([&](auto& g) { g.weight = size; }, goal);
        if (Reach* reach = std::get_if<Reach>(&goal)) reach->target = size * Vec3(1, -1, 1);
        if (Aim* aim = std::get_if<Aim>(&goal)) aim->target = size * Vec3(1, -1, 1);
      }
      const Outcome outcome = outcome_of(solver(), c.problem());
      EXPECT_TRUE(inside_limits(c.body->skeleton, outcome.q));
      EXPECT_TRUE(is_finite(outcome.report.error));
    }
  });
}

/// Coordinates of the held joints, which must not change.
std::vector<Real> held_part(const Case& c, ConstQ q) {
  std::vector<Real> part;
  for (const Skeleton::Joint& joint : c.body->skeleton.joints())
    if (c.held[&joint - c.body->skeleton.joints().data()])
      part.insert(part.end(), q.data() + joint.q_offset,
                  q.data() + joint.q_offset + q_size(joint.type));
  return part;
}

TEST_P(SolverLaws, HeldJointsStayAndTheOthersStillWork) {
  int reached = 0, all = 0;
  for_random_cases(60, [&](Case c) {
    const Skeleton& skeleton = c.body->skeleton;
    Random random(11);
    // Held where the solution has them, so that the goal can still be met.
    for (const Skeleton::Joint& joint : skeleton.joints()) {
      c.held.push_back(random.chance(0.3));
      if (c.held.back())
        std::copy_n(c.solution.data() + joint.q_offset, q_size(joint.type),
                    c.seed.data() + joint.q_offset);
    }
    c.posture.clear();
    c.goals.resize(1);
    const Outcome outcome = outcome_of(solver(), c.problem());
    EXPECT_TRUE(same_bits(held_part(c, outcome.q), held_part(c, c.seed)));
    EXPECT_TRUE(inside_limits(skeleton, outcome.q));
    if (outcome.report.status == Status::unsupported) return;  // it can't spare what is held
    ++all;
    reached += outcome.report.status == Status::reached;
  });
  EXPECT_GT(reached, all / 3) << reached << " of " << all;
}

TEST_P(SolverLaws, KeepsTheLimitsFromASeedOutsideThem) {
  for_random_cases(50, [&](Case c) {
    for (Real& x : c.seed) x = 10 * x + 3;
    EXPECT_TRUE(inside_limits(c.body->skeleton, outcome_of(solver(), c.problem()).q));
  });
}

TEST_P(SolverLaws, KeepsTheLimitsAtTheEdgesOfEverySetting) {
  for (const Field& field : fields_of(solver())) {
    for (const Real edge : {field.range.lo, field.range.hi}) {
      AnySolver extreme = solver();
      if (std::isinf(edge)) continue;
      ASSERT_EQ(set_field(extreme, field.name, edge), SetResult::done) << field.name;
      SCOPED_TRACE(std::string(field.name) + " = " + std::to_string(edge));
      for_random_cases(10, [&](const Case& c) {
        const Outcome outcome = outcome_of(extreme, c.problem());
        EXPECT_TRUE(inside_limits(c.body->skeleton, outcome.q));
        EXPECT_EQ(outcome.report.status == Status::reached,
                  all_met(c.goals, poses(c.body->skeleton, outcome.q)));
      });
    }
  }
}

TEST_P(SolverLaws, ASettingOutsideItsRangeIsRefused) {
  for (const Field& field : fields_of(solver())) {
    AnySolver changed = solver();
    for (const Real beyond : {std::nextafter(field.range.lo, -infinity),
                              std::nextafter(field.range.hi, infinity), nan}) {
      if (std::isinf(beyond)) continue;
      EXPECT_EQ(set_field(changed, field.name, beyond), SetResult::out_of_range) << field.name;
    }
    const std::vector<Field> before = fields_of(solver()), after = fields_of(changed);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value);
  }
}

TEST_P(SolverLaws, BadInputIsNamedAndLeavesALegalPose) {
  struct Damage {
    Fault fault;
    void (*apply)(Case&);
  };
  const std::vector<Damage> damages{
      {Fault::seed_size, [](Case& c) { c.seed.push_back(0); }},
      {Fault::seed_value, [](Case& c) { c.seed[0] = nan; }},
      {Fault::seed_value, [](Case& c) { c.seed.back() = -infinity; }},
      {Fault::seed_value, [](Case& c) { c.seed[0] = 1e31; }},
      {Fault::goal_joint, [](Case& c) { std::visit([](auto& g) { g.joint = -1; }, c.goals[0]); }},
      {Fault::goal_joint, [](Case& c) { std::visit([](auto& g) { g.joint = 999; }, c.goals[0]); }},
      {Fault::goal_value,
       [](Case& c) {
         c.goals[0] = Reach{.target = {0, nan, 0}};
       }},
      {Fault::goal_value,
       [](Case& c) {
         c.goals[0] = Reach{.target = {infinity, 0, 0}};
       }},
      {Fault::goal_value, [](Case& c) { c.goals[0] = Orient{.target = Quat(0, 0, 0, 0)}; }},
      {Fault::goal_value, [](Case& c) { c.goals[0] = Orient{.target = Quat(nan, 0, 0, 1)}; }},
      {Fault::goal_value,
       [](Case& c) { c.goals[0] = Orient{.symmetric = true, .symmetry_axis = Vec3::Zero()}; }},
      {Fault::goal_value, [](Case& c) { c.goals[0] = Aim{.axis_in_joint = Vec3::Zero()}; }},
      {Fault::goal_value, [](Case& c) { c.goals[0] = Aim{.at_infinity = true}; }},
      {Fault::goal_weight, [](Case& c) { c.goals[0] = Reach{.weight = 0}; }},
      {Fault::goal_weight, [](Case& c) { c.goals[0] = Reach{.weight = nan}; }},
      {Fault::goal_weight, [](Case& c) { c.goals[0] = Reach{.tolerance = -1}; }},
      {Fault::posture_size, [](Case& c) { c.posture.assign(c.seed.size() + 1, 1); }},
      {Fault::posture_size, [](Case& c) { c.per_joint.assign(999, 1); }},
      {Fault::posture_value, [](Case& c) { c.posture = c.seed, c.posture[0] = infinity; }},
      {Fault::posture_value,
       [](Case& c) { c.per_joint.assign(c.body->skeleton.joint_count(), -1); }},
      {Fault::held_size, [](Case& c) { c.held.assign(c.seed.size() + 99, 1); }},
      {Fault::budget_value, [](Case& c) { c.budget.iterations = -1; }},
  };
  for_random_cases(2, [&](const Case& sound) {
    const Outcome before = outcome_of(solver(), sound.problem());
    Scratch scratch(scratch_bytes(solver(), sound.body->skeleton, sound.goals.size()));
    for (const Damage& damage : damages) {
      Case c = sound;
      damage.apply(c);
      std::vector<Real> q(static_cast<std::size_t>(c.body->skeleton.q_size()), nan);
      const Report report = run(solver(), c.problem(), scratch, q);
      EXPECT_EQ(report.status, Status::bad_problem) << to_string(damage.fault);
      EXPECT_EQ(report.fault, damage.fault) << to_string(damage.fault);
      EXPECT_TRUE(inside_limits(c.body->skeleton, q)) << to_string(damage.fault);

      const Report after = run(solver(), sound.problem(), scratch, q);
      EXPECT_TRUE(same_bits(q, before.q)) << "a later solve was changed by a bad one";
      EXPECT_EQ(after.status, before.report.status);
    }
  });
}

TEST_P(SolverLaws, TooLittleScratchIsABadProblem) {
  for_random_cases(1, [&](const Case& c) {
    Scratch scratch(scratch_bytes(solver(), c.body->skeleton, c.goals.size()) - 1);
    std::vector<Real> q(static_cast<std::size_t>(c.body->skeleton.q_size()), nan);
    EXPECT_EQ(run(solver(), c.problem(), scratch, q).fault, Fault::scratch_size);
    EXPECT_TRUE(inside_limits(c.body->skeleton, q));
  });
}

TEST_P(SolverLaws, TheSameInputGivesTheSameBits) {
  for_random_cases(20, [&](const Case& c) {
    const Outcome first = outcome_of(solver(), c.problem());
    const Outcome again = outcome_of(solver(), c.problem());
    EXPECT_TRUE(same_bits(first.q, again.q));
    EXPECT_EQ(first.report.iterations, again.report.iterations);

    // Not even what the memory held before may matter.
    std::vector<std::byte> dirty(scratch_bytes(solver(), c.body->skeleton, c.goals.size()) + 64,
                                 std::byte{0xff});
    Scratch scratch(dirty);
    std::vector<Real> q(first.q.size());
    (void)run(solver(), c.problem(), scratch, q);
    EXPECT_TRUE(same_bits(first.q, q));
  });
}

TEST_P(SolverLaws, ManyThreadsGiveTheSameBits) {
  for_random_cases(2, [&](const Case& c) {
    const Outcome alone = outcome_of(solver(), c.problem());
    std::vector<Outcome> outcomes(4);
    std::vector<std::thread> threads;
    for (Outcome& outcome : outcomes)
      threads.emplace_back([&] { outcome = outcome_of(solver(), c.problem()); });
    for (std::thread& thread : threads) thread.join();
    for (const Outcome& outcome : outcomes) EXPECT_TRUE(same_bits(outcome.q, alone.q));
  });
}

TEST_P(SolverLaws, ASeedThatMeetsTheGoalsComesBackUnchanged) {
  for_random_cases(50, [&](Case c) {
    c.seed = c.solution;
    c.posture.clear();
    const Outcome outcome = outcome_of(solver(), c.problem());
    EXPECT_EQ(outcome.report.status, Status::reached);
    EXPECT_TRUE(same_bits(outcome.q, c.seed));
  });
}

TEST_P(SolverLaws, MoreBudgetIsNeverWorse) {
  for_random_cases(30, [&](Case c) {
    Real last = infinity;
    for (const int iterations : {0, 1, 2, 3, 5, 8, 20, 50, 200, 500}) {
      c.budget.iterations = iterations;
      const Outcome outcome = outcome_of(solver(), c.problem());
      EXPECT_LE(outcome.report.error, last) << iterations << " iterations";
      EXPECT_LE(outcome.report.iterations, iterations);
      last = outcome.report.error;
    }
  });
}

TEST_P(SolverLaws, NoHeapAllocation) {
  if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer owns the allocator";
  const long before_control = allocations();
  const std::vector<int> control(10);
  ASSERT_GT(allocations(), before_control) << "the counter does not count";
  for_random_cases(20, [&](const Case& c) {
    Scratch scratch(scratch_bytes(solver(), c.body->skeleton, c.goals.size()));
    std::vector<Real> q(static_cast<std::size_t>(c.body->skeleton.q_size()));
    const Problem problem = c.problem();
    const long before = allocations();
    const Report report = run(solver(), problem, scratch, q);
    EXPECT_EQ(allocations() - before, 0) << to_string(report.status);
  });
}

TEST_P(SolverLaws, SolvesMostOfWhatCanBeSolved) {
  int reached = 0, all = 0;
  for_random_cases(100, [&](Case c) {
    c.posture.clear();
    c.goals.resize(1);
    const Status status = outcome_of(solver(), c.problem()).report.status;
    if (status == Status::unsupported) return;  // the first goal alone
    ++all;
    reached += status == Status::reached;
  });
  RecordProperty("reached_percent", 100 * reached / all);
  EXPECT_GT(reached, all / 2) << reached << " of " << all;
}

TEST_P(SolverLaws, AHigherPriorityIsMetWhereLowerOnesPullAway) {
  if (!info().priorities) GTEST_SKIP() << "knows no priorities";
  int alone = 0, against = 0;
  for_random_cases(50, [&](Case c) {
    Random random(13);
    c.posture.clear();
    c.goals.resize(1);
    alone += outcome_of(solver(), c.problem()).report.status == Status::reached;

    // The same end should also be where another pose has it, at a hundred times the weight.
    const std::vector<Pose> elsewhere =
        poses(c.body->skeleton, random_pose(c.body->skeleton, random));
    for (const GoalKind kind : kinds_of(info())) {
      Goal goal = goal_met_by(kind, joint_of(c.goals[0]), elsewhere, random);
      std::visit([](auto& g) { g.priority = 1, g.weight = 100; }, goal);
      c.goals.push_back(goal);
    }
    const Outcome outcome = outcome_of(solver(), c.problem());
    against += all_met(std::span(c.goals).first(1), poses(c.body->skeleton, outcome.q));
  });
  RecordProperty("kept_percent", 100 * against / alone);
  EXPECT_GE(against, 0.95 * alone) << against << " of the " << alone << " met without";
}

/// How far the joints stand from where another pose has them, on the mean.
Real distance_of_joints(const Skeleton& skeleton, ConstQ a, ConstQ b) {
  const std::vector<Pose> here = poses(skeleton, a), there = poses(skeleton, b);
  Real sum = 0;
  for (std::size_t j = 0; j < here.size(); ++j) sum += (here[j].p - there[j].p).norm();
  return sum / static_cast<Real>(here.size());
}

TEST_P(SolverLaws, APostureThatMeetsTheGoalsIsApproached) {
  if (!info().keeps_posture) GTEST_SKIP() << "keeps no posture";
  Real with = 0, without = 0;
  for_random_cases(50, [&](Case c) {
    c.per_joint.clear();
    c.posture.clear();
    const Outcome free = outcome_of(solver(), c.problem());
    c.posture = c.solution;
    const Outcome kept = outcome_of(solver(), c.problem());
    without += distance_of_joints(c.body->skeleton, free.q, c.solution);
    with += distance_of_joints(c.body->skeleton, kept.q, c.solution);
  });
  RecordProperty("share_of_distance_percent", static_cast<int>(100 * with / without));
  EXPECT_LT(with, 0.5 * without);
}

INSTANTIATE_TEST_SUITE_P(Every, SolverLaws, testing::ValuesIn(all_solvers()),
                         [](const auto& param) { return std::string(info_of(param.param).name); });

}  // namespace
}  // namespace gestik
