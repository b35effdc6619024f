#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "bench/guide.h"
#include "bench/record.h"
#include "gestik/measure/allocations.h"

namespace gestik::bench {
namespace {

std::string contents_of(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(GESTIK_SOURCE_DIR) + "/" + name, std::ios::binary).rdbuf();
  return text.str();
}

/// Small sizes: the tests are about the measuring, not about the numbers.
std::vector<Scene> small_scenes() {
  std::vector<Scene> scenes;
  for (const SceneKind& kind : all_scenes()) scenes.push_back(make_scene(kind, 5));
  return scenes;
}

Measured small_run(std::vector<std::string> scenes, std::vector<std::string> solvers,
                   std::vector<int> sizes = {4, 8}) {
  const Result<Plan> plan = make_plan({.solvers = std::move(solvers),
                                       .scenes = std::move(scenes),
                                       .sizes = std::move(sizes),
                                       .repeat = 2,
                                       .tasks = 20});
  EXPECT_TRUE(plan) << plan.error().what;
  return measure(*plan, {});
}

TEST(Scene, TasksAreLegalUnsolvedAndAlike) {
  for (const Scene& scene : small_scenes()) {
    SCOPED_TRACE(scene.name);
    ASSERT_FALSE(scene.tasks.empty());
    const Task& first = scene.tasks.front();
    int solved_at_start = 0;
    for (const Task& task : scene.tasks) {
      EXPECT_TRUE(inside_limits(scene.skeleton, task.seed));
      EXPECT_EQ(task.posture.size(), first.posture.size());
      ASSERT_EQ(task.goals.size(), first.goals.size());
      for (std::size_t g = 0; g < task.goals.size(); ++g) {
        EXPECT_EQ(task.goals[g].index(), first.goals[g].index());
        EXPECT_EQ(joint_of(task.goals[g]), joint_of(first.goals[g]));
        EXPECT_EQ(tolerance_of(task.goals[g]), tolerance_of(first.goals[g]));
      }
      solved_at_start += all_met(task.goals, poses(scene.skeleton, task.seed));
    }
    EXPECT_LE(solved_at_start, static_cast<int>(scene.tasks.size()) / 20);
  }
}

TEST(Scene, IsTheSameEveryTime) {
  const std::vector<Scene> once = small_scenes(), again = small_scenes();
  for (std::size_t s = 0; s < once.size(); ++s)
    for (std::size_t t = 0; t < once[s].tasks.size(); ++t) {
      const Task &a = once[s].tasks[t], &b = again[s].tasks[t];
      EXPECT_EQ(a.seed, b.seed);
      EXPECT_EQ(a.posture, b.posture);
      for (std::size_t g = 0; g < a.goals.size(); ++g) {
        const Pose pose = poses(once[s].skeleton, a.seed)[joint_of(a.goals[g])];
        EXPECT_EQ(residual(a.goals[g], pose), residual(b.goals[g], pose));
      }
    }
}

/// At least one of ours takes each scene and solves most of it.
TEST(Scene, CanBeSolved) {
  const Plan plan = *make_plan({});
  for (const Scene& scene : small_scenes()) {
    constexpr int tasks = 10;
    int best = 0;
    for (const evaluation::NamedSolver& solver : plan.solvers) {
      const std::optional<Contender> contender = enter(solver, scene);
      if (!contender) continue;
      int solved = 0;
      for (int i = 0; i < tasks; ++i) {
        const Task& task = scene.tasks[i];
        std::vector<Real> q(task.seed.size());
        (void)contender->solve(task, task.seed, q);
        solved += all_met(task.goals, poses(scene.skeleton, q));
      }
      best = std::max(best, solved);
    }
    EXPECT_EQ(best, tasks) << scene.name;
  }
}

TEST(Measure, CountsWhatForwardKinematicsConfirms) {
  const Measured run = small_run({"robot_near", "ball_chain"}, {"dls", "fabrik", "erik"});
  ASSERT_EQ(run.scenes.size(), 3u);
  EXPECT_EQ(run.scenes[0].size, 0);
  EXPECT_EQ(run.scenes[1].size, 4);
  EXPECT_EQ(run.scenes[2].dofs, 24);
  for (const SceneResult& scene : run.scenes) {
    EXPECT_EQ(scene.find("erik"), nullptr) << "it takes no reach";
    EXPECT_GT(scene.forward_us, 0);
    ASSERT_EQ(scene.rows.size(), 2u);
    for (const Row& row : scene.rows) {
      EXPECT_EQ(row.solves, scene.tasks);
      EXPECT_EQ(row.limits_broken, 0);
      EXPECT_GT(row.median_us, 0);
      EXPECT_GE(row.p99_us, row.median_us);
      EXPECT_NEAR(row.forwards, row.mean_us / scene.forward_us, 1e-9 * row.forwards);
      EXPECT_GT(row.passes, 0);
      EXPECT_GT(row.iterations, 0);
      EXPECT_FALSE(row.from_posture);
    }
  }
  EXPECT_EQ(run.scenes[0].find("dls")->solved, 20);
  EXPECT_EQ(run.scenes[2].find("fabrik")->solved, 20);
}

TEST(Measure, FramesFollowOneAnother) {
  const Measured run = small_run({"humanoid"}, {"quasi_newton"});
  const Row& row = run.scenes.at(0).rows.at(0);
  EXPECT_EQ(row.solved, row.solves);
  // From the frame before it is a short way; from the first posture it would be a long one.
  EXPECT_LT(row.iterations, 20);
}

TEST(Measure, TellsHowFarFromThePosture) {
  const Measured run = small_run({"orient_G"}, {"erik", "ccd"});
  const SceneResult& scene = run.scenes.at(0);
  for (const Row& row : scene.rows) {
    ASSERT_TRUE(row.from_posture);
    EXPECT_GT(row.from_posture->angles, 0);
    EXPECT_LT(row.from_posture->shape, 1);
  }
  // It is made for that.
  EXPECT_LT(scene.find("erik")->from_posture->shape, scene.find("ccd")->from_posture->shape);
}

TEST(Measure, CountsAllocations) {
  if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer owns the allocator";
  const Measured run = small_run({"lamp_aim"}, {"ccd"});
  EXPECT_EQ(run.scenes.at(0).rows.at(0).allocations, 0);
}

TEST(Measure, StopsWhenToldAndWhenTheTimeIsUp) {
  const Plan plan = *make_plan({.solvers = {{"ccd"}}, .scenes = {{"ball_chain"}}});
  EXPECT_TRUE(measure(plan, {.stop = [] { return true; }}).stopped);

  Plan hasty = *make_plan({.solvers = {{"ccd"}}, .scenes = {{"lamp_aim"}}, .repeat = 2});
  hasty.request.seconds = 1e-9;
  const Measured run = measure(hasty, {});
  EXPECT_FALSE(run.stopped);
  EXPECT_EQ(run.scenes.at(0).rows.at(0).solves, 1);
}

TEST(Plan, RefusesWhatItDoesNotKnow) {
  const Result<Plan> solver = make_plan({.solvers = {{"dsl"}}});
  ASSERT_FALSE(solver);
  EXPECT_NE(solver.error().what.find("did you mean 'dls'"), std::string::npos);
  const Result<Plan> scene = make_plan({.scenes = {{"ball_chian"}}});
  ASSERT_FALSE(scene);
  EXPECT_NE(scene.error().what.find("did you mean 'ball_chain'"), std::string::npos);
}

TEST(Plan, NamesEverySolverOnce) {
  const Plan all = *make_plan({});
  EXPECT_EQ(all.solvers.size(), all_solvers().size());
  EXPECT_EQ(all.peers.size(), all_peers().size());
  EXPECT_EQ(make_plan({.solvers = {{"ccd", "dls", "ccd"}}})->solvers.size(), 2u);
}

/// A run whose numbers are known: time = size^2 microseconds.
Measured made_up_run() {
  Measured run{.repeat = 1};
  for (const int size : {10, 100, 1000}) {
    SceneResult scene{.scene = "ball_chain", .size = size, .tasks = 4, .forward_us = 2};
    const Real us = 1.0 * size * size;
    scene.rows.push_back({.solver = "ccd",
                          .solves = 4,
                          .solved = 4,
                          .mean_us = us,
                          .forwards = us / 2,
                          .allocations = 0,
                          .from_posture = {{0.25, 0.125}}});
    scene.rows.push_back(
        {.solver = "lazy", .solves = 4, .solved = 1, .mean_us = 1, .forwards = 0.5});
    scene.rows.push_back({.solver = "peer",
                          .peer = true,
                          .solves = 4,
                          .solved = 4,
                          .mean_us = 3 * us,
                          .forwards = 1.5 * us});
    run.scenes.push_back(std::move(scene));
  }
  return run;
}

TEST(Growth, IsTheSlopeOfTheLogarithms) {
  const std::vector<Growth> growths = growth_of(made_up_run());
  ASSERT_EQ(growths.size(), 3u);
  EXPECT_NEAR(growths[0].exponent, 2, 1e-12);
  EXPECT_NEAR(growths[1].exponent, 0, 1e-12);
  EXPECT_EQ(growths[0].from, 10);
  EXPECT_EQ(growths[0].to, 1000);
  Measured one = made_up_run();
  one.scenes.resize(1);
  EXPECT_TRUE(growth_of(one).empty());
}

TEST(Ratio, IsOnlyForThoseThatSolveAsMuch) {
  const Measured run = made_up_run();
  const SceneResult& scene = run.scenes.front();
  const std::vector<Ratio> ours = ratios_to_peers(scene, scene.rows[0]);
  ASSERT_EQ(ours.size(), 1u);
  EXPECT_EQ(ours[0].peer, "peer");
  EXPECT_DOUBLE_EQ(*ours[0].times, 3);
  EXPECT_FALSE(ratios_to_peers(scene, scene.rows[1])[0].times);
}

TEST(Compare, NamesWhatGotWorse) {
  const Measured before = made_up_run();
  EXPECT_TRUE(compare(before, before, 1.1).worse.empty());
  EXPECT_EQ(compare(before, before, 1.1).compared, 6) << "peers are not our concern";

  Measured now = before;
  now.scenes[1].rows[0].forwards *= 1.4;
  now.scenes[2].rows[1].solved = 0;
  now.scenes[0].rows[2].forwards *= 10;
  EXPECT_EQ(compare(now, before, 1.5).worse.size(), 1u);
  const Comparison comparison = compare(now, before, 1.3);
  ASSERT_EQ(comparison.worse.size(), 2u);
  EXPECT_EQ(comparison.worse[0].size, 100);
  EXPECT_EQ(comparison.worse[0].solver, "ccd");
  EXPECT_EQ(comparison.worse[1].success_now, 0);

  now.scenes[2].rows[1].solves = 3;  // other tasks: no comparing of shares
  EXPECT_EQ(compare(now, before, 1.5).worse.size(), 0u);
  now.scenes[0].size = 11;
  EXPECT_EQ(compare(now, before, 1.5).compared, 4);
}

TEST(Record, ReadsWhatItWrote) {
  const Measured run = made_up_run();
  const std::string text = run_json(run, 1);
  const Result<Measured> back = read_run(text, "run.json");
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(run_json(*back, 1), text);
  EXPECT_EQ(back->scenes[0].rows[0].from_posture->shape, 0.125);
  EXPECT_FALSE(back->scenes[0].rows[1].allocations);
}

TEST(Record, RefusesEverythingElse) {
  const std::string good = run_json(made_up_run(), -1);
  std::vector<std::string> bad{"", "[]", "{}", "{\"gestik_bench\": 2}", good.substr(0, 100)};
  for (const char* field : {"scenes", "rows", "us", "solved", "forward_us"}) {
    std::string renamed = good;
    renamed.replace(renamed.find("\"" + std::string(field) + "\""), 2, "\"?");
    bad.push_back(renamed);
  }
  for (const std::string& text : bad) {
    const Result<Measured> run = read_run(text, "bad.json");
    ASSERT_FALSE(run) << text.substr(0, 60);
    EXPECT_EQ(run.error().where, "bad.json");
  }
}

// ---- docs/CHOOSING.md --------------------------------------------------------------------------

TEST(Guide, TablesAreThoseOfTheSolversAndTheBaseline) {
  const Result<Measured> baseline =
      read_run(contents_of("bench/baseline.json"), "bench/baseline.json");
  ASSERT_TRUE(baseline) << baseline.error().what;
  const std::string guide = contents_of("docs/CHOOSING.md");
  const Result<std::string> anew = with_tables(guide, *baseline, "docs/CHOOSING.md");
  ASSERT_TRUE(anew) << anew.error().what;
  EXPECT_EQ(*anew, guide) << "make its tables anew: gestik bench --recorded bench/baseline.json "
                             "--guide docs/CHOOSING.md";
}

TEST(Guide, SaysOfEverySolverWhenToTakeIt) {
  const std::string guide = contents_of("docs/CHOOSING.md");
  for (const AnySolver& solver : all_solvers()) {
    const std::string entry = "- **`" + std::string(info_of(solver).name) + "`**";
    EXPECT_NE(guide.find(entry), std::string::npos) << entry << " is missing in docs/CHOOSING.md";
  }
}

TEST(Guide, ReplacesItsTablesAndNothingElse) {
  const std::string guide =
      "before\n<!-- abilities -->\nold\n<!-- end -->\nbetween\n<!-- costs -->\n<!-- end "
      "-->\nafter\n";
  const std::string text = *with_tables(guide, made_up_run(), "guide.md");
  EXPECT_EQ(text.find("before\n<!-- abilities -->\n| solver |"), 0u) << text;
  EXPECT_EQ(text.find("old"), std::string::npos);
  EXPECT_NE(text.find("<!-- end -->\nbetween\n<!-- costs -->\n\n**ball_chain**"),
            std::string::npos);
  EXPECT_NE(text.find("| ccd | 50 | 5000 | 500000 | n^2.0 | 0.25 rad, 0.12 |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| lazy | 0.5 (25 %) |"), std::string::npos);
  EXPECT_EQ(*with_tables(text, made_up_run(), "guide.md"), text);
  EXPECT_FALSE(with_tables("<!-- abilities -->\n<!-- end -->\n", {}, "guide.md"));
  EXPECT_FALSE(with_tables("<!-- abilities -->\n", {}, "guide.md"));
}

}  // namespace
}  // namespace gestik::bench
