// What the verbs `eval` and `bench` print, write and refuse.

#include <chrono>
#include <csignal>
#include <thread>

#include "tools/gestik/tool_for_test.h"

namespace {

using namespace tool_test;

const Words small_eval{"eval",       "erik", "--skeleton",     "A,C",
                       "--postures", "8",    "--orientations", "30"};

/// The numbers that must not depend on how they were come by.
std::string without_times(Json json) {
  for (const char* rows : {"rows", "filtered"})
    for (Json& row : json.at(rows)) row.erase("us");
  return json.dump();
}

TEST(Eval, PrintsARowForEverySkeletonAndSolver) {
  const Json json = json_of(with(small_eval, {"--solver", "erik, dls,ccd"}));
  ASSERT_EQ(json.at("rows").size(), 6u);
  const Json& row = json.at("rows").at(3);
  EXPECT_EQ(row.at("skeleton"), "C");
  EXPECT_EQ(row.at("solver"), "erik");
  EXPECT_EQ(row.at("samples"), 240);
  EXPECT_NEAR(
      row.at("combined").at("mean").get<double>(),
      row.at("orientation").at("mean").get<double>() + row.at("posture").at("mean").get<double>(),
      1e-15);
  EXPECT_GT(row.at("us").at("p99").get<double>(), 0);
  EXPECT_EQ(row.at("limits_broken"), 0);

  const Outcome text = gestik(small_eval);
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");  // no progress bar in a pipe
  for (const char* part : {"skeleton", "combined", "accepted", "erik", "mean µs", "median µs"})
    EXPECT_TRUE(contains(text.out, part)) << text.out;
}

TEST(Eval, NumbersDoNotDependOnThreads) {
  EXPECT_EQ(without_times(json_of(with(small_eval, {"--threads", "1"}))),
            without_times(json_of(with(small_eval, {"--threads", "2"}))));
}

TEST(Eval, WritesAReportIntoAFolderItMakes) {
  const fs::path out = folder() / "reports" / "erik";
  const Outcome outcome = gestik({"eval", "erik", "--skeleton", "A,C", "--postures", "2",
                                  "--orientations", "10", "--out", out.string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"report.html", "results.json", "results.csv", "histograms.csv"})
    EXPECT_GT(contents_of(out / name).size(), 100u) << name;
  EXPECT_FALSE(fs::exists(out / "checkpoint.0"));
  const Json json = Json::parse(contents_of(out / "results.json"));
  EXPECT_EQ(json.at("rows").size(), 6u);  // erik on both, the paper's four on C
  EXPECT_EQ(json.at("filtered").size(), 5u);
}

TEST(Eval, TakesProblemsFromAFile) {
  const std::string file =
      written("problems.csv", "# w,x,y,z, then A's angles\r\n1,0,0,0,0,0.5,0\n\n2,0,1,0, 0,9,0\n");
  const Json json = json_of({"eval", "erik", "--skeleton", "A", "--problems", file});
  EXPECT_EQ(json.at("rows").at(0).at("samples"), 2);
  EXPECT_EQ(json.at("problems"), file);
  const std::string out = folder().string();  // where the file is
  expect_refused({"eval", "erik", "--skeleton", "A", "--problems", file, "--out", out},
                 "would be replaced by its results");

  const Words words{"eval", "erik", "--skeleton", "A", "--problems"};
  const auto refused = [&](const std::string& line, const std::string& said) {
    expect_refused(with(words, {written("bad.csv", "1,0,0,0,0,0,0\n" + line + "\n")}), said);
  };
  refused("1,0,0,0,0,0", "bad.csv:2: 6 numbers");
  refused("1,0,0,0,0,nan,0", "bad.csv:2: 'nan' is not a finite number");
  refused("0,0,0,0,0,0,0", "bad.csv:2: a zero quaternion");
  expect_refused(with(words, {"nowhere.csv"}), "nowhere.csv");
  expect_refused({"eval", "erik", "--problems", file}, "one skeleton");
  expect_refused(with(words, {file, "--full"}), "--problems");
}

TEST(Eval, RefusesWhatItDoesNotKnow) {
  expect_refused({"eval"}, "which evaluation?");
  expect_refused({"eval", "eirk"}, "did you mean 'erik'?");
  expect_refused({"eval", "erik", "--skeletn", "C"}, "did you mean '--skeleton'?");
  expect_refused({"eval", "erik", "more"}, "one argument too many");
  expect_refused({"eval", "erik", "--skeleton", "H"}, "no skeleton of the paper is called 'H'");
  expect_refused({"eval", "erik", "--skeleton", "A,"}, "a name is missing");
  expect_refused({"eval", "erik", "--solver", "eric"}, "did you mean 'erik'?");
  expect_refused({"eval", "erik", "--solver", "nobody"}, "dls100_nopost, paper)");
  for (const char* option : {"--postures", "--orientations", "--threads"})
    for (const char* bad : {"0", "-1", "1.5", "many", "1e9"})
      expect_refused({"eval", "erik", option, bad}, option);
  for (const char* bad : {"0", "-1", "1.5", "1e9"})
    expect_refused({"eval", "erik", "--threads", bad},
                   "--threads takes a whole number from 1 to 1024");
  expect_refused({"eval", "erik", "--full", "--postures", "3"}, "--full");
  expect_refused({"eval", "erik", "--resume"}, "--out");
}

TEST(Eval, DrawsTheFilters) {
  const fs::path out = folder() / "pictures";
  const Json results = json_of({"eval", "filter", "--out", out.string()});
  EXPECT_EQ(results["filters"].size(), 3u);
  EXPECT_EQ(results["presets"].size(), 4u);
  EXPECT_LE(results["filters"][0]["jerk"], 1.001);
  EXPECT_GT(results["filters"][2]["jerk"], 1.5);
  for (const char* name : {"filter.svg", "filter_presets.svg"})
    EXPECT_EQ(contents_of(out / name), contents_of(fs::path(GESTIK_SOURCE_DIR) / "docs" / name));
  const std::string text = gestik({"eval", "filter", "--out", out.string()}).out;
  for (const char* name : {"filter.svg", "filter_presets.svg"})
    EXPECT_TRUE(contains(text, "wrote " + (out / name).string() + "\n")) << text;
  EXPECT_FALSE(contains(gestik({"eval", "filter"}).out, "wrote"));
  EXPECT_FALSE(contains(gestik({"eval", "filter", "--help"}).out, "report"));
}

TEST(Eval, FollowsGazesWithoutAJump) {
  const Json all = json_of({"eval", "track", "--skeleton", "C,G", "--sweeps", "10", "--json"});
  ASSERT_EQ(all["rows"].size(), 2u);
  for (const Json& row : all["rows"]) {
    EXPECT_EQ(row["frames"], 5400);
    EXPECT_LE(row["largest_step"].get<double>(), row["allowed_step"].get<double>() + 1e-12);
    EXPECT_GE(row["met"], 0.8);
  }
  expect_refused({"eval", "track", "--skeleton", "humanoid"}, "no chain of hinges");
  expect_refused({"eval", "track", "--rate", "0"}, "--rate");
}

/// The arm bent twice, and where its hand is then, as two runs of `gestik pose` would say.
Words reach_arm() {
  return {
      "eval",
      "reach",
      "--robot",
      written("arm.urdf", arm_urdf),
      "--targets",
      written("targets.csv",
              "problem_id,px,py,pz,qw,qx,qy,qz,q1,q2\n"
              "7,0.2397127693021015,0,0.9387912809451864,0.9238795325112867,0,0.3826834323650898,"
              "0,0.5,0.2853981633974483\n"
              "8,0,0,1,1,0,0,0,0,0\n"),
      "--seeds",
      written("seeds.csv", "7,0.1,0.1\n8,1,-1\n")};
}

/// Two joints and an end that follow a little dance.
Words follow_dance() {
  std::string bvh(small_bvh);
  bvh = bvh.substr(0, bvh.find("MOTION")) + "MOTION\nFrames: 30\nFrame Time: 0.05\n";
  for (int f = 1; f <= 30; ++f) {
    const std::string n = std::to_string(f);
    bvh += n + " 90 0 " + n + " 5 " + n + " " + n + " -" + n + " 3\n";
  }
  return {"eval",    "mocap",     "--clip",  written("dance.bvh", bvh),
          "--goal",  "Chest_end", "--goal",  "Hips",
          "--every", "0.1",       "--every", "0.5"};
}

TEST(EvalReach, PrintsARowForEverySolver) {
  const Json json = json_of(with(reach_arm(), {"--solver", "dls,quasi_newton"}));
  EXPECT_EQ(json.at("robot"), "arm");
  EXPECT_EQ(json.at("end"), "hand_link");
  EXPECT_EQ(json.at("misplaced"), 0);
  ASSERT_EQ(json.at("rows").size(), 2u);
  for (const Json& row : json.at("rows")) {
    EXPECT_EQ(row.at("solved"), 2) << row;
    EXPECT_EQ(row.at("false_reached"), 0);
    EXPECT_GT(row.at("us").at("median").get<double>(), 0);
  }
  const Outcome text = gestik(reach_arm());
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"solver", "solved", "passes", "line_search", "100.00 %"})
    EXPECT_TRUE(contains(text.out, part)) << text.out;
  EXPECT_FALSE(contains(text.out, "erik"));  // it takes no reach
  const Json hasty = json_of(with(reach_arm(), {"--solver", "dls", "--iterations", "0"}));
  EXPECT_EQ(hasty.at("rows").at(0).at("solved"), 0);
}

TEST(EvalReach, RefusesWhatItDoesNotKnow) {
  const Words words = reach_arm();
  expect_refused({"eval", "reach"}, "--robot");
  expect_refused({"eval", "reach", "--robot", words[3]}, "--targets");
  expect_refused(with(words, {"--end", "hand_lnk"}), "did you mean 'hand_link'?");
  expect_refused(with(words, {"--solver", "dsl"}), "did you mean 'dls'?");
  for (const char* bad : {"0", "-1", "nan", "near"})
    expect_refused(with(words, {"--tolerance", bad}), "--tolerance");
  for (const char* bad : {"0", "1.5", "many"})
    expect_refused(with(words, {"--threads", bad}), "--threads");
  expect_refused(with(words, {"--iterations", "-1"}), "--iterations");
  expect_refused(with(words, {"--out", ""}), "--out");
  expect_refused(with(words, {"--out", "/proc/gestik"}), "/proc/gestik");
  const Words bare{"eval", "reach", "--robot", words[3], "--targets"};
  expect_refused(with(bare, {"nowhere.csv"}), "nowhere.csv");
  expect_refused(with(bare, {written("bad.csv", "1,0,0,0,0,0,0,0\n")}),
                 "bad.csv:1: a zero quaternion");
  expect_refused(with(bare, {written("bad.csv", "1,0,0,0,1,0,0\n")}), "bad.csv:1: 7 columns");
  expect_refused(with(bare, {words[5], "--seeds", written("few.csv", "7,0,0\n")}),
                 "few.csv: 1 seeds for 2 targets");
}

TEST(EvalReach, StopsAtASignal) {
  std::string targets;
  for (int i = 0; i < 100000; ++i) targets += std::to_string(i) + ",9,9,9,1,0,0,0\n";
  Words words = reach_arm();
  words.resize(4);
  const fs::path out = folder() / "stopped_reach";
  const Outcome stopped =
      gestik(with(words, {"--targets", written("far.csv", targets), "--out", out.string()}), {},
             [&](pid_t child) {
               wait_for(out);
               kill(child, SIGINT);
             });
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  EXPECT_TRUE(contains(stopped.err, "stopped after")) << stopped.err;
  EXPECT_TRUE(fs::is_empty(out));
}

TEST(EvalMocap, PrintsARowForEverySolverAndInterval) {
  const Words words = with(follow_dance(), {"--solver", "line_search,clamped_pinv"});
  const Json json = json_of(with(words, {"--iterations", "line_search=20,5"}));
  EXPECT_EQ(json.at("clip"), "dance");
  EXPECT_EQ(json.at("iterations"), "line_search=20,clamped_pinv=5");
  EXPECT_TRUE(json.at("slot_us").is_null());
  ASSERT_EQ(json.at("rows").size(), 4u);
  const Json& row = json.at("rows").at(2);
  EXPECT_EQ(row.at("solver"), "line_search");
  EXPECT_EQ(row.at("interval"), 0.5);
  EXPECT_EQ(row.at("samples"), 20);
  EXPECT_EQ(row.at("limits_broken"), 0);

  const Outcome text = gestik(with(words, {"--slot", "50"}));
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"every s", "median", "best every 0.5 s", "again: --iterations"})
    EXPECT_TRUE(contains(text.out, part)) << text.out;
}

TEST(EvalMocap, WritesAReport) {
  const fs::path out = folder() / "reports" / "mocap";
  const Outcome outcome = gestik(with(
      follow_dance(), {"--solver", "line_search", "--iterations", "9", "--out", out.string()}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"report.html", "results.json", "results.csv", "samples.csv"})
    EXPECT_GT(contents_of(out / name).size(), 100u) << name;
}

TEST(EvalMocap, RefusesWhatItDoesNotKnow) {
  const Words words = follow_dance();
  expect_refused({"eval", "mocap"}, "--clip");
  expect_refused({"eval", "mocap", "--clip", "nowhere.bvh"}, "nowhere.bvh");
  expect_refused({"eval", "mocap", "--clip", words[3]}, "--goal");
  expect_refused(with(words, {"--goal", "Chset"}), "did you mean 'Chest'?");
  expect_refused(with(words, {"--solver", "clamped"}), "no solver is called 'clamped'");
  expect_refused(with(words, {"--every", "9"}), "9 s apart");
  for (const char* option : {"--every", "--slot", "--unit", "--tolerance"})
    for (const char* bad : {"0", "-1", "inf", "often"})
      expect_refused(with(words, {option, bad}), option);
  for (const char* bad : {"0", "-1", "", "=3", "ccd=", "ccd=0", "3,"})
    expect_refused(with(words, {"--iterations", bad}), "--iterations");
  expect_refused(with(words, {"--solver", "ccd", "--iterations", "dls=3"}), "takes no part");
  expect_refused(with(words, {"--slot", "3", "--iterations", "3"}), "leave one of them out");
}

TEST(Eval, SaysBeforeTheRunThatAFolderCantBeWritten) {
  const std::string file = written("no_folder", "");
  for (const std::string& out : {file, file + "/below", std::string("/proc/gestik")}) {
    expect_refused({"eval", "erik", "--full", "--out", out}, out);
    expect_refused(with(reach_arm(), {"--out", out}), out);
    expect_refused(with(follow_dance(), {"--out", out}), out);
  }
  expect_refused({"eval", "erik", "--full", "--out", ""}, "--out");
}

TEST(Eval, PrintsWhatItCantWrite) {
  const fs::path out = folder() / "blocked";
  fs::create_directories(out / "results.csv");  // a folder where a file should go
  const Words small_erik = with(small_eval, {"--solver", "ccd"});
  for (const Words& words : {small_erik, with(reach_arm(), {"--solver", "dls"}),
                             with(follow_dance(), {"--solver", "ccd", "--iterations", "3"})}) {
    const Outcome outcome = gestik(with(words, {"--out", out.string(), "--json"}));
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "results.csv")) << outcome.err;
    EXPECT_FALSE(Json::parse(outcome.out, nullptr, false).is_discarded()) << outcome.out;
  }
  EXPECT_TRUE(fs::exists(out / "checkpoint.0"));
  fs::remove(out / "results.csv");
  const Outcome again = gestik(with(small_erik, {"--out", out.string(), "--resume"}));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(contains(again.err, "will be replaced")) << again.err;
  EXPECT_FALSE(fs::exists(out / "checkpoint.0"));

  const Outcome fresh = gestik(with(small_erik, {"--out", out.string(), "--resume"}));
  EXPECT_EQ(fresh.code, 0) << fresh.err;
  EXPECT_TRUE(contains(fresh.err, "no checkpoint in " + out.string())) << fresh.err;
}

TEST(Eval, StopsAtASignalAndGoesOnFromThere) {
  const Words words{"eval",       "erik", "--skeleton",     "C",   "--solver",  "erik,dls200",
                    "--postures", "8",    "--orientations", "100", "--threads", "1"};
  const fs::path out = folder() / "stopped";
  const Words command = with(words, {"--out", out.string()});
  // The folder is made when signals are already caught.
  const Outcome stopped = gestik(command, {}, [&](pid_t child) {
    wait_for(out);
    kill(child, SIGINT);
  });
  if (stopped.code == 0) GTEST_SKIP() << "it was done before the signal came";
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "stopped after")) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "--resume")) << stopped.err;
  EXPECT_TRUE(fs::exists(out / "checkpoint.0"));

  expect_refused(command, "--resume");
  expect_refused({"eval", "erik", "--skeleton", "B", "--out", out.string(), "--resume"},
                 "another run: its skeletons is C, not B");
  EXPECT_EQ(without_times(json_of(with(command, {"--resume"}))), without_times(json_of(words)));
  EXPECT_FALSE(fs::exists(out / "checkpoint.0"));
}

const Words small_bench{"bench",    "--scene",  "hinge_chain,lamp_aim",
                        "--size",   "4,8",      "--solver",
                        "erik,ccd", "--repeat", "1",
                        "--tasks",  "8"};

TEST(Bench, PrintsARowForEverySceneSizeAndSolver) {
  const Json json = json_of(small_bench);
  ASSERT_EQ(json.at("scenes").size(), 3u);
  EXPECT_EQ(json.at("scenes").at(1).at("size"), 8);
  EXPECT_EQ(json.at("scenes").at(2).at("scene"), "lamp_aim");
  for (const Json& scene : json.at("scenes")) {
    EXPECT_GT(scene.at("forward_us"), 0.0);
    ASSERT_EQ(scene.at("rows").size(), 2u);
    for (const Json& row : scene.at("rows")) {
      EXPECT_EQ(row.at("solves"), 8);
      EXPECT_EQ(row.at("allocations"), 0.0) << "the tool counts, and solvers allocate nothing";
      EXPECT_GT(row.at("us").at("p99"), 0.0);
      EXPECT_GT(row.at("forwards"), 1.0);
    }
  }
  EXPECT_EQ(json.at("growth").size(), 2u);

  const Outcome text = gestik(small_bench);
  EXPECT_EQ(text.code, 0);
  EXPECT_EQ(text.err, "");
  for (const char* part : {"hinge_chain 8:", "forwards", "Time grows as", "erik"})
    EXPECT_TRUE(contains(text.out, part)) << text.out;
}

TEST(Bench, ComparesWithARecordedRun) {
  const std::string recorded = (folder() / "bench.json").string();
  EXPECT_EQ(gestik(with(small_bench, {"--out", recorded})).code, 0);
  const Words again{"bench", "--recorded", recorded, "--baseline"};
  EXPECT_EQ(gestik(with(again, {recorded})).code, 0);

  Json quicker = Json::parse(contents_of(recorded));
  Json& row = quicker.at("scenes").at(1).at("rows").at(0);
  row.at("forwards") = row.at("forwards").get<double>() / 2;
  const std::string baseline = written("quicker.json", quicker.dump());
  const Outcome slower = gestik(with(again, {baseline}));
  EXPECT_EQ(slower.code, 3);
  EXPECT_TRUE(contains(slower.out, "1 worse")) << slower.out;
  EXPECT_TRUE(contains(slower.out, "2.00-fold")) << slower.out;
  EXPECT_EQ(gestik(with(again, {baseline, "--factor", "2.5"})).code, 0);
  const Outcome json = gestik(with(again, {baseline, "--json"}));
  EXPECT_EQ(json.code, 3);
  EXPECT_FALSE(Json::parse(json.out, nullptr, false).is_discarded());
  EXPECT_TRUE(contains(json.err, "2.00-fold")) << json.err;
}

TEST(Bench, FillsTheTablesOfAGuide) {
  const std::string guide = written(
      "guide.md", "# Mine\n<!-- abilities -->\n<!-- end -->\n<!-- costs -->\n<!-- end -->\nend\n");
  EXPECT_EQ(gestik(with(small_bench, {"--guide", guide})).code, 0);
  const std::string text = contents_of(guide);
  EXPECT_EQ(text.find("# Mine\n<!-- abilities -->\n| solver"), 0u) << text;
  for (const char* part : {"**hinge_chain**", "| erik |", "`ccd`", "end\n"})
    EXPECT_TRUE(contains(text, part)) << text;
  expect_refused(with(small_bench, {"--guide", written("bare.md", "nothing\n")}), "bare.md");
}

TEST(Bench, RefusesWhatItDoesNotKnow) {
  expect_refused({"bench", "--solver", "eric"}, "did you mean 'erik'?");
  expect_refused({"bench", "--scene", "lamp_aims"}, "did you mean 'lamp_aim'?");
  expect_refused({"bench", "--scene", "lamp_aim,"}, "a name is missing");
  for (const char* option : {"--repeat", "--tasks", "--size"})
    for (const char* bad : {"0", "-1", "1.5", "many"})
      expect_refused({"bench", option, bad}, option);
  for (const char* bad : {"0", "-1", "nan", "long"})
    expect_refused({"bench", "--seconds", bad}, "--seconds");
  expect_refused({"bench", "--factor", "2"}, "--baseline");
  expect_refused({"bench", "--factor", "1", "--baseline", "x.json"}, "--factor");
  expect_refused({"bench", "--baseline", "nowhere.json"}, "nowhere.json");
  expect_refused({"bench", "--recorded", written("no.json", "{}")}, "no.json");
  expect_refused({"bench", "--recorded", "x.json", "--scene", "lamp_aim"}, "--recorded");
  expect_refused({"bench", "--out", ""}, "--out");
  expect_refused({"bench", "--out", "/nowhere/at/all.json"}, "/nowhere/at");
  expect_refused({"bench", "--bsaeline", "x"}, "did you mean '--baseline'?");
}

TEST(Bench, RefusesToMeasureNothing) {
  expect_refused({"bench", "--scene", "robot_pose", "--solver", "erik"}, "nothing to measure");
  const Outcome some = gestik({"bench", "--scene", "robot_pose,lamp_aim", "--solver", "erik",
                               "--tasks", "4", "--repeat", "1"});
  EXPECT_EQ(some.code, 0);
  EXPECT_TRUE(contains(some.err, "robot_pose is left out")) << some.err;
  EXPECT_FALSE(contains(some.out, "robot_pose")) << some.out;
}

TEST(Bench, StopsAtASignal) {
  const fs::path out = folder() / "stopped.json";
  const Outcome stopped =
      gestik({"bench", "--repeat", "1000", "--out", out.string()}, {}, [](pid_t child) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        kill(child, SIGINT);
      });
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_EQ(stopped.out, "");
  EXPECT_TRUE(contains(stopped.err, "stopped")) << stopped.err;
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace
