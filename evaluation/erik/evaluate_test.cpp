#include "evaluation/erik/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "evaluation/erik/report.h"
#include "evaluation/folder_for_test.h"
#include "gestik/goal/at_frame.h"
#include "gestik/measure/erik_error.h"
#include "gestik/measure/statistics.h"

namespace gestik::evaluation::erik {
namespace {

using Json = nlohmann::json;

const Ranks ranks;

const Request small{
    .skeletons = {"A", "C"}, .solvers = {"erik", "ccd"}, .postures = 12, .orientations = 20};

Plan plan_of(const Request& request) {
  Result<Plan> plan = make_plan(request);
  if (!plan) ADD_FAILURE() << to_string(plan.error());
  return *std::move(plan);
}

Evaluated run_of(const Plan& plan, const RunControl& control = {}) {
  Result<Evaluated> run = evaluate(plan, control, ranks);
  if (!run) ADD_FAILURE() << to_string(run.error());
  return *std::move(run);
}

/// All but the times, to the last digit.
std::string numbers(const Plan& plan, const Tally& tally) {
  Json json = Json::parse(results_json(plan, tally, -1));
  for (const char* rows : {"rows", "filtered"})
    for (Json& row : json.at(rows)) row.erase("us");
  return json.dump() + histograms_csv(plan, tally);
}

TEST(Evaluate, GivesTheSameNumbersOnAnyNumberOfThreads) {
  const Plan plan = plan_of(small);
  const std::string one = numbers(plan, run_of(plan).tally);
  EXPECT_EQ(numbers(plan, run_of(plan, {.threads = 2}).tally), one);
  EXPECT_EQ(numbers(plan, run_of(plan, {.threads = 7}).tally), one);
}

// One by one with plain doubles: what the rows should say.
TEST(Evaluate, MeasuresWhatThePaperMeasures) {
  const Plan plan =
      plan_of({.skeletons = {"C"}, .solvers = {"ccd"}, .postures = 9, .orientations = 30});
  const Part& part = plan.parts.front();
  const Skeleton& skeleton = part.character.skeleton;
  const AnySolver solver = *find_solver("ccd");
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> combined, q(static_cast<std::size_t>(skeleton.q_size()));
  Real ok = 0;
  for (std::size_t p = 0; p < part.sweep.posture_count(); ++p)
    for (const Quat& target : part.sweep.targets) {
      Orient wish = orient(part.end, target);
      wish.symmetric = true;
      const Goal goal = wish;
      const ConstQ posture = part.sweep.posture(p);
      (void)run(solver, {skeleton, {&goal, 1}, {posture}, posture}, scratch, q);
      const Real orientation = orientation_error(target, poses(skeleton, q).back().q, true);
      combined.push_back(orientation + 0.2 * posture_error(skeleton, part.end.joint, Vec3::UnitY(),
                                                           poses(skeleton, q),
                                                           poses(skeleton, posture)));
      ok += orientation <= 0.04;
    }
  const Tally tally = run_of(plan).tally;
  const Row& row = tally.part(0).all.front();
  const Summary wanted = summarize(combined), got = row.combined.summary();
  EXPECT_EQ(got.count, 270u);
  EXPECT_NEAR(got.mean, wanted.mean, 1e-12);
  EXPECT_NEAR(got.sd, wanted.sd, 1e-12);
  EXPECT_NEAR(got.max, wanted.max, 1e-12);
  EXPECT_EQ(static_cast<Real>(row.orientation_ok), ok);
  EXPECT_NEAR(got.mean, row.orientation.summary().mean + row.posture.summary().mean, 1e-15);
  EXPECT_EQ(row.limits_broken, 0u);
  EXPECT_GT(row.nanoseconds.summary().mean, 0);
}

TEST(Evaluate, TakesTheFastestOfRepeatedSolvesAndChangesNothingElse) {
  Request request = small;
  const Plan once = plan_of(request);
  request.repeat = 3;
  const Plan often = plan_of(request);
  const Tally first = run_of(once).tally, again = run_of(often).tally;
  EXPECT_EQ(first.part(0).all.front().combined.summary().mean,
            again.part(0).all.front().combined.summary().mean);
  EXPECT_EQ(again.part(0).all.front().nanoseconds.summary().count,
            first.part(0).all.front().nanoseconds.summary().count);
  EXPECT_GT(again.part(0).all.front().nanoseconds.summary().mean, 0);
  EXPECT_NE(once.options, often.options) << "a checkpoint of one is none of the other's";
}

/// A run that is stopped after so many tasks.
Evaluated stopped_run(const Plan& plan, RunControl control, int after) {
  int tasks = 0;
  bool stop = false;
  control.after_task = [&] { stop = ++tasks >= after; };
  control.stop = [&] { return stop; };
  return run_of(plan, control);
}

TEST(Evaluate, GoesOnFromACheckpointToTheSameNumbers) {
  const Plan plan = plan_of(small);
  const std::string whole = numbers(plan, run_of(plan).tally);
  const TestFolder folder;
  RunControl control{.folder = folder.path().string()};
  const Evaluated first = stopped_run(plan, control, 5);
  EXPECT_TRUE(first.stopped);
  EXPECT_EQ(first.samples, 100u);
  EXPECT_EQ(first.of, 480u);
  control.resume = true;
  const Evaluated second = stopped_run(plan, control, 10);
  EXPECT_TRUE(second.stopped);
  EXPECT_EQ(second.samples, 300u);
  const Evaluated last = run_of(plan, control);
  EXPECT_FALSE(last.stopped);
  EXPECT_EQ(numbers(plan, last.tally), whole);
  EXPECT_TRUE(std::filesystem::exists(folder.file("checkpoint.0")));
  remove_checkpoints(folder.path().string());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Evaluate, GoesOnWhereACheckpointCantBeWritten) {
  const Plan plan = plan_of(small);
  const TestFolder folder;
  std::vector<std::string> said;
  int tasks = 0;
  RunControl control{.say = [&](std::string_view text) { said.emplace_back(text); },
                     .folder = folder.file("late"),
                     .between_checkpoints = {}};
  const Evaluated never = run_of(plan, control);
  EXPECT_FALSE(never.stopped);
  EXPECT_FALSE(never.saved);
  EXPECT_EQ(numbers(plan, never.tally), numbers(plan, run_of(plan).tally));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("no checkpoint written"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("checkpoint.0"), std::string::npos) << said[0];

  control.after_task = [&] {
    if (++tasks == 5) std::filesystem::create_directory(control.folder);
  };
  EXPECT_TRUE(run_of(plan, control).saved);
  EXPECT_TRUE(std::filesystem::exists(folder.file("late/checkpoint.0")));
}

TEST(Evaluate, SaysThatThereIsNothingToGoOnFrom) {
  const Plan plan = plan_of(small);
  const TestFolder folder;
  std::string said;
  const RunControl control{.say = [&](std::string_view text) { said += text; },
                           .folder = folder.path().string(),
                           .resume = true};
  (void)stopped_run(plan, control, 5);
  EXPECT_NE(said.find("starting from the beginning"), std::string::npos) << said;
  said.clear();
  (void)run_of(plan, control);
  EXPECT_EQ(said, "");
}

TEST(Evaluate, CollectsTheCheckpointsOfAllRanks) {
  const Plan plan = plan_of(small);
  const TestFolder folder;
  RunControl control{.folder = folder.path().string()};
  (void)stopped_run(plan, control, 24);  // all of it, as rank 0
  const std::string everything = folder.read("checkpoint.0");
  remove_checkpoints(control.folder);
  (void)stopped_run(plan, control, 5);
  folder.written("checkpoint.1", folder.read("checkpoint.0"));  // left by a crash: nothing new
  control.resume = true;
  EXPECT_EQ(numbers(plan, run_of(plan, control).tally), numbers(plan, run_of(plan).tally));
  EXPECT_FALSE(std::filesystem::exists(folder.file("checkpoint.1")));

  remove_checkpoints(control.folder);
  control.resume = false;
  (void)stopped_run(plan, control, 5);
  folder.written("checkpoint.1", everything);  // some of it counted already
  control.resume = true;
  EXPECT_FALSE(evaluate(plan, control, ranks));
}

TEST(Evaluate, RefusesCheckpointsThatDontFit) {
  const Plan plan = plan_of(small);
  const TestFolder folder;
  RunControl control{.folder = folder.path().string()};
  (void)stopped_run(plan, control, 3);
  const Result<Evaluated> again = evaluate(plan, control, ranks);
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().what.find("--resume"), std::string::npos);

  control.resume = true;
  Request other = small;
  other.postures = 13;
  const Result<Evaluated> other_run = evaluate(plan_of(other), control, ranks);
  ASSERT_FALSE(other_run);
  EXPECT_NE(other_run.error().what.find("postures-of-A is 12, not 13"), std::string::npos)
      << other_run.error().what;

  folder.written("checkpoint.0", "gestik checkpoint 1\nrubbish");
  const Result<Evaluated> damaged = evaluate(plan, control, ranks);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().what.find("damaged"), std::string::npos);
}

TEST(Evaluate, TakesProblemsFromAFile) {
  const TestFolder folder;
  std::string lines;
  for (int i = 0; i < 600; ++i)
    lines += "1,0.1," + std::to_string(i * 0.01) + ",0,0,0.3,-0.2,0.1,0\n";
  const Plan plan = plan_of(
      {.skeletons = {"C"}, .solvers = {"ccd"}, .problems = folder.written("problems.csv", lines)});
  EXPECT_EQ(plan.parts.front().sweep.task_count(), 3u);
  const Tally one = run_of(plan).tally;
  EXPECT_EQ(one.part(0).all.front().samples(), 600u);
  EXPECT_EQ(numbers(plan, run_of(plan, {.threads = 2}).tally), numbers(plan, one));
}

TEST(Evaluate, KeepsWhatCameOfEveryProblem) {
  const TestFolder folder;
  std::string lines = "# first\n\n";
  for (int i = 0; i < 600; ++i)
    lines += "1,0.1," + std::to_string(i * 0.01) + ",0,0,0.3,-0.2,0.1,0\n";
  const Plan plan = plan_of({.skeletons = {"C"},
                             .solvers = {"erik", "ccd"},
                             .problems = folder.written("mine.csv", lines)});
  const Evaluated whole = run_of(plan, {.threads = 2});
  const std::string csv = problems_csv(plan, whole.tally);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 2 * 600);
  for (const char* line : {"\n3,C,erik,", "\n3,C,ccd,", "\n602,C,erik,"})
    EXPECT_NE(csv.find(line), std::string::npos) << line;
  Real sum = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    const Outcome& outcome = whole.tally.part(0).outcomes[2 * i];
    EXPECT_NE(outcome.status, Status::bad_problem);
    sum += outcome.orientation + outcome.posture;
  }
  EXPECT_NEAR(sum / 600, whole.tally.part(0).all[0].combined.summary().mean, 1e-12);

  RunControl control{.folder = folder.path().string()};
  (void)stopped_run(plan, control, 1);
  control.resume = true;
  EXPECT_EQ(problems_csv(plan, run_of(plan, control).tally), csv);

  ASSERT_FALSE(write_results(folder.path().string(), plan, whole.tally));
  EXPECT_EQ(folder.read("problems.csv"), csv);
  const std::string page = folder.read("report.html");
  EXPECT_NE(page.find("mine.csv"), std::string::npos);
  EXPECT_EQ(page.find("the paper"), std::string::npos);
  EXPECT_EQ(page.find("Ribeiro"), std::string::npos);
}

TEST(Plan, RefusesWhatItDoesNotKnow) {
  const auto refusal = [](const Request& request) {
    const Result<Plan> plan = make_plan(request);
    return plan ? std::string() : to_string(plan.error());
  };
  EXPECT_NE(refusal({.skeletons = {"H"}, .solvers = {"ccd"}}).find("'H'"), std::string::npos);
  EXPECT_NE(refusal({.solvers = {"nobody"}}).find("no solver is called 'nobody'"),
            std::string::npos);
  EXPECT_NE(
      refusal({.skeletons = {"C"}, .solvers = {"ccd"}, .problems = "none.csv"}).find("none.csv"),
      std::string::npos);
  const TestFolder folder;
  const std::string file = folder.written("p.csv", "1,0,0,0,0,0,0,0,0\n");
  EXPECT_NE(refusal({.solvers = {"ccd"}, .problems = file}).find("one skeleton"),
            std::string::npos);
}

TEST(Plan, RunsNobodyTwice) {
  const Plan plan =
      plan_of({.skeletons = {"C", "C"}, .solvers = {"dls", "paper", "dls100", "erik"}});
  ASSERT_EQ(plan.parts.size(), 1u);
  std::vector<std::string> labels;
  for (const Contender& contender : plan.parts[0].contenders) labels.push_back(contender.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"dls", "erik", "dls200", "dls400", "dls100_nopost"}));
}

TEST(Plan, TheFullSweepIsAsLargeAsTable8) {
  const Plan plan = plan_of({.solvers = {"ccd"}, .full = true});
  std::uint64_t samples = 0;
  for (const Part& part : plan.parts) samples += part.sweep.sample_count();
  EXPECT_EQ(samples, 302'374'051u);
}

// Table 9's filter: what dls100_nopost can't orient to is left out, for every solver alike.
TEST(Evaluate, FiltersAsThePaperDoes) {
  const Plan plan =
      plan_of({.skeletons = {"C"}, .solvers = {"paper"}, .postures = 1, .orientations = 250});
  const Part& part = plan.parts.front();
  ASSERT_EQ(part.contenders.size(), 5u);
  ASSERT_EQ(part.filter, 4u);
  const Evaluated run = run_of(plan, {.threads = 2});
  const PartTally& tally = run.tally.part(0);
  const std::uint64_t kept = tally.filtered[4].samples();
  EXPECT_GT(kept, 200u);
  EXPECT_LT(kept, 250u);
  for (const Row& row : tally.filtered) EXPECT_EQ(row.samples(), kept);
  EXPECT_LE(tally.filtered[4].orientation.summary().max, 0.12);
  EXPECT_GT(tally.all[4].orientation.summary().max, 0.12);
  EXPECT_LE(tally.all[1].iterations.summary().max, 100);
  EXPECT_GT(tally.all[3].iterations.summary().max, 200);
  const std::string page = report_page(plan, run.tally);
  EXPECT_NE(page.find("samples are left"), std::string::npos);
  EXPECT_NE(page.find("after the filter"), std::string::npos);
}

// ---- The report --------------------------------------------------------------------------------

TEST(Report, HasEveryTableAndFigureAndNeedsNothingElse) {
  const Plan plan = plan_of(small);
  const std::string page = report_page(plan, run_of(plan).tally);
  for (const char* part : {"Table 8", "Table 9", "Figure 10", "Figure 11", "Figure 12", "Figure 13",
                           "28 830 501", "0.026614", "highest", "threshold", "</html>"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* part : {"http://", "https://", "src=", "@import", "nan", ">inf<"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(Report, SaysWhatItIsOfAndWhomItShows) {
  const Plan plan = plan_of(
      {.skeletons = {"B", "C"}, .solvers = {"ccd", "erik"}, .postures = 3, .orientations = 8});
  const std::string page = report_page(plan, run_of(plan).tally);
  for (const char* part :
       {"Run with gestik 0.", "skeleton B, 3 postures × 8 targets, ccd erik", "solver ERIK"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find("A has an axis"), std::string::npos);
}

TEST(Report, OfAAloneHasNoEmptyFigure) {
  const Plan plan =
      plan_of({.skeletons = {"A"}, .solvers = {"erik"}, .postures = 3, .orientations = 8});
  const std::string page = report_page(plan, run_of(plan).tally);
  EXPECT_NE(page.find("every skeleton but A: none here"), std::string::npos);
  EXPECT_EQ(page.find("A has an axis"), std::string::npos);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = page.find("<svg ", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 3u);
}

TEST(Report, WritesItsFiles) {
  const Plan plan = plan_of(small);
  const Tally tally = run_of(plan).tally;
  const TestFolder folder;
  ASSERT_FALSE(write_results(folder.path().string(), plan, tally));
  const Json json = Json::parse(folder.read("results.json"));
  EXPECT_EQ(json, Json::parse(results_json(plan, tally, -1)));
  const std::string csv = folder.read("results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_NE(folder.read("histograms.csv").find("C,ccd,no,posture,"), std::string::npos);
  EXPECT_NE(folder.read("report.html").find("</html>"), std::string::npos);
  ASSERT_TRUE(write_results(folder.file("not there"), plan, tally));

  const TestFolder blocked;  // by a folder where a file should go: the other files are written
  std::filesystem::create_directory(blocked.file("results.json"));
  const std::optional<Error> fault = write_results(blocked.path().string(), plan, tally);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->where, blocked.file("results.json"));
  EXPECT_EQ(blocked.read("results.csv"), csv);
}

TEST(Report, JsonHasTheDocumentedShape) {
  const Plan plan = plan_of(small);
  const Json json = Json::parse(results_json(plan, run_of(plan).tally, -1));
  ASSERT_EQ(json.at("rows").size(), 4u);
  const Json& row = json.at("rows").at(2);
  EXPECT_EQ(row.at("skeleton"), "C");
  EXPECT_EQ(row.at("solver"), "erik");
  EXPECT_EQ(row.at("samples"), 240);
  for (const char* error : {"combined", "orientation", "posture"})
    for (const char* figure : {"mean", "sd", "max"})
      EXPECT_GE(row.at(error).at(figure).get<double>(), 0);
  for (const char* share : {"orientation_ok", "accepted"})
    EXPECT_LE(row.at(share).get<double>(), 1);
  EXPECT_GE(row.at("iterations").at("max").get<double>(),
            row.at("iterations").at("mean").get<double>());
  EXPECT_GT(row.at("us").at("p99").get<double>(), 0);
  EXPECT_EQ(row.at("limits_broken"), 0);
}

}  // namespace
}  // namespace gestik::evaluation::erik
