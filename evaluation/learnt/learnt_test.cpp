#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "evaluation/learnt/report.h"
#include "gestik/math/rotation.h"

namespace gestik::evaluation::learnt {
namespace {

using Json = nlohmann::json;

/// A trunk, an arm and a hand that swing; bones as long as `arm` says.
std::string swing_bvh(int frames, Real phase = 0, Real arm = 0.3) {
  std::ostringstream text;
  text << "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
          "Zrotation Yrotation Xrotation\nJOINT Back\n{\nOFFSET 0 0.2 0\nCHANNELS 3 Zrotation "
          "Yrotation Xrotation\nJOINT Arm\n{\nOFFSET -0.2 0.3 0\nCHANNELS 3 Zrotation Yrotation "
          "Xrotation\nJOINT ForeArm\n{\nOFFSET -"
       << arm
       << " 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nJOINT Hand\n{\nOFFSET -0.25 0 "
          "0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET -0.1 0 "
          "0\n}\n}\n}\n}\n}\n}\nMOTION\nFrames: "
       << frames << "\nFrame Time: 0.0083333\n";
  for (int f = 0; f < frames; ++f) {
    const Real t = f / 120.0 + phase;
    text << "0 0.9 0 0 0 0 ";
    for (int j = 0; j < 3; ++j)
      text << 20 * std::sin(3 * t + j) << ' ' << 30 * std::sin(2 * t + 2 * j) << ' '
           << 15 * std::cos(4 * t - j) << ' ';
    text << "0 0 0\n";
  }
  return text.str();
}

class LearntEvaluation : public testing::Test {
 protected:
  std::string written(const std::string& name, const std::string& text) {
    const std::string path = (std::filesystem::path(testing::TempDir()) / name).string();
    std::ofstream(path) << text;
    return path;
  }
  std::string swing_ = written("gestik_swing.bvh", swing_bvh(240));
  std::string other_ = written("gestik_other.bvh", swing_bvh(240, 0.2, 0.35));

  Request request(std::vector<std::string> train) const {
    return {.train = std::move(train),
            .test = swing_,
            .chain = {.root = "Back", .end = "ForeArm", .unit = 1.0}};
  }
};

TEST_F(LearntEvaluation, ShowsEveryWayToLearnThatTheClipsAllow) {
  const auto ways = [&](const std::vector<std::string>& train) {
    return make_plan(request(train))->hold_outs;
  };
  using enum HoldOut;
  EXPECT_EQ(ways({swing_}), (std::vector{none, blocks}));
  EXPECT_EQ(ways({other_}), (std::vector{others}));
  EXPECT_EQ(ways({swing_, other_}), (std::vector{none, blocks, others}));
}

TEST_F(LearntEvaluation, RefusesByName) {
  const auto refusal = [](const Request& request) {
    const Result<Plan> plan = make_plan(request);
    return plan ? std::string() : to_string(plan.error());
  };
  Request asked = request({other_});
  asked.hold_out = HoldOut::blocks;
  EXPECT_NE(refusal(asked), "");
  asked = request({swing_});
  asked.hold_out = HoldOut::others;
  EXPECT_NE(refusal(asked), "");
  asked = request({swing_});
  asked.chain.root = "Bakc";
  EXPECT_NE(refusal(asked).find("did you mean 'Back'"), std::string::npos);
  asked = request({swing_});
  asked.solvers = {"erik"};
  EXPECT_NE(refusal(asked).find("erik"), std::string::npos) << "it takes no reach";
  std::string renamed = swing_bvh(50);
  renamed.replace(renamed.find("JOINT Arm"), 9, "JOINT Leg");
  asked = request({written("gestik_renamed.bvh", renamed)});
  EXPECT_NE(refusal(asked).find("'Arm'"), std::string::npos);
  EXPECT_NE(refusal(request({})), "");
}

TEST_F(LearntEvaluation, RowsAreWhatTheySay) {
  Request asked = request({swing_, other_});
  asked.solvers = {"ccd"};
  const Plan plan = *make_plan(asked);
  const Evaluated run = evaluate(plan, {.threads = 2});
  ASSERT_EQ(run.sections.size(), 3U);
  for (const Section& section : run.sections) {
    for (const std::string_view method :
         {"dls1", "dls2", "nearest", "nearest_velocity", "learnt", "printed", "ccd"})
      ASSERT_NE(find_row(section, method), nullptr) << method;
    const Row* const learnt = find_row(section, "learnt");
    EXPECT_LE(learnt->score.miss_max, 1e-3);
    EXPECT_EQ(learnt->missed, 0U);
    EXPECT_LT(learnt->score.mse, find_row(section, "dls1")->score.mse);
    EXPECT_NEAR(learnt->score.degrees, std::sqrt(learnt->score.mse) * 180 / pi, 1e-9);
    EXPECT_EQ(section.depths.size(), 6U);
    EXPECT_EQ(section.times.size(), 6U);
    EXPECT_EQ(section.smoothness.back().label, "captured");
  }
  EXPECT_LT(find_row(run.sections[0], "nearest")->score.degrees, 1e-3) << "it looks itself up";
  EXPECT_EQ(run.sections[1].rows[0].score.frames, 120U) << "every second block";

  const Json json = Json::parse(results_json(plan, run, -1));
  EXPECT_EQ(json["rows"].size(), 21U);
  for (const Json& row : json["rows"])
    for (const char* key : {"method", "degrees", "mse", "miss_mm", "acceleration", "us_per_frame"})
      EXPECT_TRUE(row.contains(key)) << key;
  EXPECT_TRUE(json["rows"][0]["miss_mm"].contains("max"));
  const std::string page = report_page(plan, run);
  for (const char* text : {"Table 1", "Table 2", "Table 3", "Figure 11", "Figure 13", "<svg"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST_F(LearntEvaluation, TheSameMotionScoresNothing) {
  const Plan plan = *make_plan(request({swing_}));
  const Motion& test = plan.motions.test;
  EXPECT_EQ(test.frame_count(), 240U);
  const Score score = score_of(plan.motions.chain, test, test.take.q, std::vector<bool>(240, true));
  EXPECT_LT(score.mse, 1e-20);
  EXPECT_EQ(score.acceleration, 1);
}

// What it must show, on captures of the CMU database.

class LearntOnCaptures : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "no ../shared/data here";
  }
  const std::string folder_ = GESTIK_SOURCE_DIR "/../shared/data/bvh/";

  Evaluated run(const std::vector<std::string>& train, const std::string& test,
                std::optional<HoldOut> hold_out, int depth) {
    Request request{.test = folder_ + test + ".bvh",
                    .chain = {.root = "LowerBack", .end = "RightForeArm", .unit = 0.056444},
                    .hold_out = hold_out,
                    .most_depth = depth};
    for (const std::string& name : train) request.train.push_back(folder_ + name + ".bvh");
    return evaluate(*make_plan(request), {.threads = 2});
  }

  /// Sums over clips: what several of them come to together.
  struct Sums {
    Real learnt = 0, dls1 = 0, nearest = 0;
  };
  static void add(const Section& section, Sums& sums) {
    const Row* const learnt = find_row(section, "learnt");
    EXPECT_EQ(learnt->missed, 0U);
    EXPECT_LE(learnt->score.acceleration.value(), 1);
    sums.learnt += learnt->score.mse;
    sums.dls1 += find_row(section, "dls1")->score.mse;
    sums.nearest += find_row(section, "nearest")->score.mse;
  }
  const std::vector<std::string> six_{"64_01", "124_07", "124_01", "79_71", "13_10", "69_70"};
};

TEST_F(LearntOnCaptures, TrainIsTestAndBlocksHeldOut) {
  Sums same, blocks;
  for (const std::string& clip : six_) {
    SCOPED_TRACE(clip);
    const Evaluated result = run({clip}, clip, std::nullopt, 5);
    add(result.sections[0], same);
    add(result.sections[1], blocks);
    EXPECT_GE(find_row(result.sections[0], "dls1")->score.mse,
              50 * find_row(result.sections[0], "learnt")->score.mse);
    const std::vector<DepthRow>& depths = result.sections[0].depths;
    for (std::size_t d = 1; d < depths.size(); ++d)
      EXPECT_LT(depths[d].score.degrees, depths[d - 1].score.degrees) << "depth " << d;
  }
  EXPECT_GE(same.dls1, 174 * same.learnt);
  EXPECT_LE(std::sqrt(blocks.learnt), 0.6 * std::sqrt(blocks.nearest));
}

TEST_F(LearntOnCaptures, GolfPitchAndOtherMotions) {
  Sums golf, pitch;
  std::vector<std::string> swings;
  for (int i = 1; i <= 7; ++i) swings.push_back("64_0" + std::to_string(i));
  for (const std::string& clip : swings)
    add(run(swings, clip, HoldOut::others, -1).sections[0], golf);
  for (const char* clip : {"124_01", "124_02"})
    add(run({"124_01", "124_02"}, clip, HoldOut::others, -1).sections[0], pitch);
  for (const std::string& clip : six_) {
    Sums one;
    add(run(six_, clip, HoldOut::others, -1).sections[0], one);
    EXPECT_LT(one.learnt, 0.5 * one.dls1) << clip;
  }
  EXPECT_LE(std::sqrt(golf.learnt), 0.75 * std::sqrt(golf.nearest));
  EXPECT_LE(std::sqrt(pitch.learnt), 0.85 * std::sqrt(pitch.nearest));
}

}  // namespace
}  // namespace gestik::evaluation::learnt
