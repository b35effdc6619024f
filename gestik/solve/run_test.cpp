#include "gestik/solve/run.h"

#include <gtest/gtest.h>

#include "gestik/solve/bodies_for_test.h"

namespace gestik {
namespace {

using namespace test;

TEST(Registry, FindsEverySolverByItsName) {
  const std::span<const AnySolver> solvers = all_solvers();
  ASSERT_FALSE(solvers.empty());
  for (const AnySolver& solver : solvers) {
    const auto found = find_solver(info_of(solver).name);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->index(), solver.index());
    EXPECT_FALSE(info_of(solver).source.empty());
    EXPECT_FALSE(info_of(solver).summary.empty());
  }
  EXPECT_FALSE(find_solver("nonsense").has_value());
}

TEST(Registry, DefaultsOfEveryFieldAreInRangeAndExplained) {
  for (const AnySolver& solver : all_solvers())
    for (const Field& field : fields_of(solver)) {
      EXPECT_GE(field.value, field.range.lo) << field.name;
      EXPECT_LE(field.value, field.range.hi) << field.name;
      EXPECT_GT(field.help.size(), 10u) << field.name;
    }
}

TEST(Registry, SetsFieldsByName) {
  AnySolver solver = Ccd{};
  EXPECT_EQ(set_field(solver, "damping", 0.5), SetResult::done);
  EXPECT_EQ(std::get<Ccd>(solver).damping, 0.5);
  EXPECT_EQ(set_field(solver, "damping", 2), SetResult::out_of_range);
  EXPECT_EQ(set_field(solver, "dampin", 0.5), SetResult::unknown_name);
  EXPECT_EQ(std::get<Ccd>(solver).damping, 0.5);
}

struct Bench {
  Skeleton skeleton = hinge_chain("YXXZY");
  AnySolver solver = Ccd{};
  Scratch scratch{scratch_bytes(solver, skeleton, 4)};
  std::vector<Real> q = std::vector<Real>(5);

  Report solve(const Problem& problem) { return run(solver, problem, scratch, q); }
};

TEST(Run, WithoutASeedItStartsFromNeutral) {
  Bench bench;
  const std::vector<Goal> goals{Reach{.joint = 4, .target = {0, 4, 0}}};
  EXPECT_EQ(bench.solve({.skeleton = bench.skeleton, .goals = goals}).status, Status::reached);
  EXPECT_EQ(bench.q, std::vector<Real>(5, 0.0));
}

TEST(Run, WithoutGoalsEveryLegalSeedIsFine) {
  Bench bench;
  const std::vector<Real> seed{0.1, -0.2, 0.3, 0.4, 5};
  EXPECT_EQ(bench.solve({.skeleton = bench.skeleton, .seed = seed}).status, Status::reached);
  EXPECT_EQ(bench.q, (std::vector<Real>{0.1, -0.2, 0.3, 0.4, pi / 2}));
}

TEST(Run, NormalisesQuaternionsAndAxes) {
  Bench bench;
  const std::vector<Goal> goals{Orient{.joint = 4, .target = Quat(7, 0, 0, 0)},
                                Aim{.joint = 4,
                                    .axis_in_joint = {0, 1e-200, 0},
                                    .target = {0, 1e200, 0},
                                    .at_infinity = true}};
  EXPECT_EQ(bench.solve({.skeleton = bench.skeleton, .goals = goals}).status, Status::reached);
}

TEST(Run, AnOutputOfTheWrongSizeIsLeftAlone) {
  Bench bench;
  bench.q.assign(3, 42);
  const Report report = bench.solve({.skeleton = bench.skeleton});
  EXPECT_EQ(report.fault, Fault::out_size);
  EXPECT_EQ(bench.q, std::vector<Real>(3, 42));
}

TEST(Run, NamesThePlaceOfTheFault) {
  Bench bench;
  const std::vector<Goal> goals{Reach{.joint = 4}, Reach{.joint = 5}};
  const Report report = bench.solve({.skeleton = bench.skeleton, .goals = goals});
  EXPECT_EQ(report.fault, Fault::goal_joint);
  EXPECT_EQ(report.fault_index, 1);
  std::vector<Real> seed(5);
  seed[3] = infinity;
  EXPECT_EQ(bench.solve({.skeleton = bench.skeleton, .seed = seed}).fault_index, 3);
}

TEST(Run, EveryStatusAndFaultHasWords) {
  for (int i = 0; i <= static_cast<int>(Status::bad_problem); ++i)
    EXPECT_FALSE(to_string(static_cast<Status>(i)).empty()) << i;
  for (int i = 0; i <= static_cast<int>(Fault::chain_shape); ++i)
    EXPECT_FALSE(to_string(static_cast<Fault>(i)).empty()) << i;
}

TEST(Run, ASettingOutsideItsRangeIsABadProblem) {
  Bench bench;
  bench.solver = Ccd{.damping = 2};
  const Report report = bench.solve({.skeleton = bench.skeleton});
  EXPECT_EQ(report.fault, Fault::setting_value);
  EXPECT_EQ(report.fault_index, 0);
}

TEST(Run, ABodyThatCanNotMoveIsAnswered) {
  const Skeleton statue = std::move(*build({{{.name = "statue"}}}));
  const AnySolver solver = Ccd{};
  Scratch scratch(scratch_bytes(solver, statue, 1));
  const std::vector<Goal> goals{Reach{.joint = 0, .target = {1, 0, 0}}};
  const Report report = run(solver, {.skeleton = statue, .goals = goals}, scratch, {});
  EXPECT_EQ(report.status, Status::stalled);
  EXPECT_NEAR(report.error, 1, 1e-3);
}

TEST(Run, AnEyeOnItsTargetIsNoSuccess) {
  Bench bench;
  const std::vector<Goal> goals{Aim{.joint = 0, .target = {0, 0, 0}}};
  EXPECT_NE(bench.solve({.skeleton = bench.skeleton, .goals = goals}).status, Status::reached);
}

TEST(Run, WithoutABudgetTheSolversOwnCounts) {
  const Skeleton arm = hinge_chain("XZX");
  const std::vector<Goal> goals{Reach{.joint = 2, .target = {9, 9, 9}, .tolerance = 0}};
  for (const AnySolver& solver : all_solvers()) {
    Scratch scratch(scratch_bytes(solver, arm, 1));
    std::vector<Real> q(3), same(3);
    const int own = info_of(solver).iterations;
    const Report report = run(solver, {.skeleton = arm, .goals = goals}, scratch, q);
    EXPECT_LE(report.iterations, own);
    const Report again = run(
        solver, {.skeleton = arm, .goals = goals, .budget = {.iterations = own}}, scratch, same);
    EXPECT_EQ(again.iterations, report.iterations);
    EXPECT_TRUE(same_bits(q, same));
  }
}

TEST(Run, GivesTheScratchBack) {
  Bench bench;
  const std::vector<Goal> goals{Reach{.joint = 4, .target = {1, 2, 0}}};
  const std::size_t before = bench.scratch.left();
  (void)bench.solve({.skeleton = bench.skeleton, .goals = goals});
  EXPECT_EQ(bench.scratch.left(), before);
}

}  // namespace
}  // namespace gestik
