// A small body that was never captured, and what is measured on it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "evaluation/folder_for_test.h"
#include "evaluation/mocap/report.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::mocap {
namespace {

/// Hips and two arms of two bones, 2 high; 20 frames a second. The root turns on past 180 degrees,
/// where the file jumps to -180; the elbows' last channel never moves.
std::string dance(int frames, bool rest_first = false) {
  const auto arm = [](const std::string& side, double sign) {
    return fmt::format(
        "JOINT {0}Arm {{ OFFSET {1} 1 0 CHANNELS 3 Zrotation Yrotation Xrotation "
        "JOINT {0}Hand {{ OFFSET {1} 0 0 CHANNELS 3 Zrotation Yrotation Xrotation "
        "End Site {{ OFFSET {1} 1 0 }} }} }}\n",
        side, sign);
  };
  std::string text =
      "HIERARCHY\nROOT Hips { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation "
      "Yrotation Xrotation\n" +
      arm("Left", 1) + arm("Right", -1) + "}\nMOTION\n";
  text += fmt::format("Frames: {}\nFrame Time: 0.05\n", frames + rest_first);
  if (rest_first) text += "1 2 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
  for (int f = 0; f < frames; ++f) {
    const double t = 0.05 * f;
    double yaw = 150 + 60 * t;
    if (yaw > 180) yaw -= 360;
    text += fmt::format("{} 2 {} 5 {} 5", t, 0.5 * t, yaw);
    for (int hand = 0; hand < 2; ++hand)
      text += fmt::format(" {} {} {} {} {} 10", 40 * std::sin(3 * t + hand), 20 * std::cos(t) + 1,
                          15 * std::sin(2 * t) + 1, 50 * std::sin(4 * t + hand) + 1, 30 * t + 1);
    text += "\n";
  }
  return text;
}

class Clips {
 public:
  explicit Clips(const std::string& text = dance(40)) : file_(folder_.written("dance.bvh", text)) {}

  CaptureOptions options() const { return {.clip = file_, .goals = {"LeftHand", "RightHand_end"}}; }
  Request request() const {
    return {.capture = options(),
            .intervals = {0.1, 0.5},
            .iterations = {{"", 30}},
            .solvers = std::vector<std::string>{"line_search", "fixed_transpose"}};
  }
  const TestFolder& folder() const { return folder_; }

 private:
  TestFolder folder_;
  std::string file_;
};

void expect_says(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

template <class T>
std::string refusal(const Result<T>& result) {
  return result ? "taken" : to_string(result.error());
}

TEST(Capture, IsOneHingeForEachChannelWithTheClipsOwnRange) {
  const Clips clips;
  const Result<Capture> capture = read_capture(clips.options());
  ASSERT_TRUE(capture) << to_string(capture.error());
  EXPECT_EQ(capture->skeleton.v_size(), 18);
  EXPECT_EQ(capture->movable, 18 - 1 - 2 - 2);  // Y position, Z and X of the hips, two elbows
  EXPECT_EQ(capture->frame_count(), 40u);
  EXPECT_DOUBLE_EQ(capture->unit, 0.9);
  for (std::size_t f = 0; f < capture->frame_count(); ++f)
    EXPECT_TRUE(inside_limits(capture->skeleton, capture->frame(f)));
  const JointId x = capture->skeleton.find("Hips.x");
  const Real range = 0.9 * 0.05 * 39;
  EXPECT_NEAR(capture->skeleton.limits(x).lo, -0.05 * range, 1e-12);
  EXPECT_NEAR(capture->skeleton.limits(x).hi, 1.05 * range, 1e-12);
}

TEST(Capture, TheRootCanBeFree) {
  const Clips clips;
  CaptureOptions options = clips.options();
  options.free_root = true;
  const Result<Capture> capture = read_capture(options);
  ASSERT_TRUE(capture);
  for (JointId j = 0; j < capture->skeleton.joint_count(); ++j)
    EXPECT_EQ(std::isinf(capture->skeleton.limits(j).hi),
              capture->skeleton.name(j).starts_with("Hips"))
        << capture->skeleton.name(j);
}

TEST(Capture, GoesOnWhereAnglesJumpByATurn) {
  const Clips clips;
  const Result<Capture> capture = read_capture(clips.options());
  ASSERT_TRUE(capture);
  const Limits& limits = capture->skeleton.limits(capture->skeleton.find("Hips.ry"));
  EXPECT_NEAR(limits.hi - limits.lo, 1.1 * 60 * 0.05 * 39 * pi / 180, 1e-9);
}

TEST(Capture, LeavesOutTheRestPoseOfConverters) {
  const Clips with(dance(40, true)), without;
  const Result<Capture> a = read_capture(with.options()), b = read_capture(without.options());
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->frame_count(), b->frame_count());
  EXPECT_EQ(a->q, b->q);
}

TEST(Capture, ComparesPlacesOnceEach) {
  const Clips clips;
  const Result<Capture> capture = read_capture(clips.options());
  ASSERT_TRUE(capture);
  std::vector<std::string> names;
  for (const Frame& place : capture->places) names.push_back(place.name);
  EXPECT_EQ(names, (std::vector<std::string>{"Hips.rz", "LeftArm.rz", "LeftHand.rz", "RightArm.rz",
                                             "RightHand.rz", "LeftHand_end", "RightHand_end"}));
}

TEST(Capture, UnitsCanBeGiven) {
  const Clips clips;
  CaptureOptions options = clips.options();
  options.unit = 0.01;
  const Result<Capture> capture = read_capture(options);
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->unit, 0.01);
  EXPECT_NEAR(capture->skeleton.parent_from_joint(capture->skeleton.find("LeftArm.rz")).p.y(), 0.01,
              1e-15);
}

TEST(Capture, RefusesWhatItCantFollow) {
  const Clips clips;
  CaptureOptions options = clips.options();
  options.goals.clear();
  expect_says(refusal(read_capture(options)), "LeftFoot");
  expect_says(refusal(read_capture(options)), "--goal");
  options.goals = {"LeftHnad"};
  expect_says(refusal(read_capture(options)), "did you mean 'LeftHand'?");
  options.clip = clips.folder().file("none.bvh");
  expect_says(refusal(read_capture(options)), "none.bvh");
  const std::string text = dance(3);
  options.clip = clips.folder().written("still.bvh", text.substr(0, text.find("MOTION")));
  expect_says(refusal(read_capture(options)), "no motion");
}

TEST(Mocap, EveryFrameButTheFirstOfEachRunIsASample) {
  const Clips clips;
  const Result<Plan> plan = make_plan(clips.request());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan->strides, (std::vector<std::size_t>{2, 10}));
  const Evaluated run = evaluate(*plan, {});
  ASSERT_EQ(run.solvers.size(), 2u);
  for (const SolverRun& solver : run.solvers) {
    EXPECT_EQ(solver.iterations, 30);
    EXPECT_TRUE(solver.trials.empty());
    ASSERT_EQ(solver.samples.size(), 2u);
    EXPECT_EQ(solver.samples[0].size(), 38u);
    EXPECT_EQ(solver.samples[1].size(), 30u);
    for (const std::vector<Sample>& samples : solver.samples) {
      EXPECT_EQ(row_of(samples).limits_broken, 0u);
      for (const Sample& sample : samples) {
        EXPECT_LE(sample.iterations, 30);
        EXPECT_GT(sample.distance, 0);
        EXPECT_TRUE(!sample.reached || sample.error <= 2 * 0.01 * 0.01);
      }
    }
  }
}

TEST(Mocap, MoreTimeBringsTheGoalsNearer) {
  const Clips clips;
  Request request = clips.request();
  request.tolerance = 1e-4;
  request.iterations = {{"", 2}};
  const Result<Plan> hasty = make_plan(request);
  request.iterations = {{"", 200}};
  const Result<Plan> patient = make_plan(request);
  ASSERT_TRUE(hasty && patient);
  const auto a = rows_of(evaluate(*hasty, {})), b = rows_of(evaluate(*patient, {}));
  for (std::size_t s = 0; s < a.size(); ++s)
    for (std::size_t i = 0; i < a[s].size(); ++i)
      EXPECT_LT(b[s][i].error.median, 0.2 * a[s][i].error.median);
}

TEST(Mocap, NumbersDoNotDependOnThreads) {
  const Clips clips;
  const Result<Plan> plan = make_plan(clips.request());
  ASSERT_TRUE(plan);
  const Evaluated one = evaluate(*plan, {.threads = 1}), two = evaluate(*plan, {.threads = 2});
  for (std::size_t s = 0; s < one.solvers.size(); ++s)
    for (std::size_t i = 0; i < plan->strides.size(); ++i)
      for (std::size_t k = 0; k < one.solvers[s].samples[i].size(); ++k) {
        EXPECT_EQ(one.solvers[s].samples[i][k].error, two.solvers[s].samples[i][k].error);
        EXPECT_EQ(one.solvers[s].samples[i][k].distance, two.solvers[s].samples[i][k].distance);
      }
}

TEST(Mocap, ASlotFindsIterations) {
  const Clips clips;
  Request request = clips.request();
  request.iterations.clear();
  request.tolerance = 1e-6;
  request.slot_us = 1e-3;  // nothing fits
  const Result<Plan> none = make_plan(request);
  ASSERT_TRUE(none);
  for (const SolverRun& solver : evaluate(*none, {}).solvers) {
    EXPECT_EQ(solver.iterations, 1);
    EXPECT_EQ(solver.trials.size(), 1u);
  }
  request.slot_us = 1e9;  // everything does
  request.solvers = std::vector<std::string>{"quasi_newton"};
  const Result<Plan> all = make_plan(request);
  ASSERT_TRUE(all);
  const Evaluated run = evaluate(*all, {});
  EXPECT_GT(run.solvers[0].iterations, 1);
  for (const std::vector<Sample>& samples : run.solvers[0].samples)
    for (const Sample& sample : samples) EXPECT_LT(sample.iterations, run.solvers[0].iterations);
}

TEST(Mocap, IterationsGoToAllOrToOne) {
  const Clips clips;
  Request request = clips.request();
  request.iterations = {{"line_search", 7}, {"", 9}};
  const Result<Plan> plan = make_plan(request);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->budgets, (std::vector<std::optional<int>>{7, 9}));
  EXPECT_EQ(iterations_text(*plan, evaluate(*plan, {})), "line_search=7,fixed_transpose=9");
  request.iterations = {{"ccd", 7}};
  expect_says(refusal(make_plan(request)), "'ccd', which takes no part");
}

TEST(Mocap, RefusesWhatItDoesNotKnow) {
  const Clips clips;
  Request request = clips.request();
  request.intervals = {2};
  expect_says(refusal(make_plan(request)), "hold no two samples 2 s apart");
  request = clips.request();
  request.solvers = std::vector<std::string>{"fixed_transpos"};
  expect_says(refusal(make_plan(request)), "did you mean 'fixed_transpose'?");
  request.solvers = std::vector<std::string>{"erik"};
  expect_says(refusal(make_plan(request)), "erik on 'dance'");
}

TEST(Mocap, DefaultSolversAreThePapersAndAllThatAreAble) {
  const Clips clips;
  Request request = clips.request();
  request.solvers.reset();
  const Result<Plan> plan = make_plan(request);
  ASSERT_TRUE(plan);
  std::string names;
  for (const NamedSolver& named : plan->solvers) names += named.name + " ";
  for (const char* name : {"line_search", "transpose", "pinv", "sdls", "quasi_newton", "fabrik",
                           "fixed_transpose", "clamped_pinv"})
    expect_says(names, name);
}

TEST(Mocap, StopsWhenTold) {
  const Clips clips;
  const Result<Plan> plan = make_plan(clips.request());
  ASSERT_TRUE(plan);
  EXPECT_TRUE(evaluate(*plan, {.stop = [] { return true; }}).stopped);
}

TEST(Mocap, ReportsAreWhole) {
  const Clips clips;
  Request request = clips.request();
  request.iterations.clear();
  request.slot_us = 20;
  const Result<Plan> plan = make_plan(request);
  ASSERT_TRUE(plan);
  ASSERT_FALSE(write_results(clips.folder().path().string(), *plan, evaluate(*plan, {})));
  const nlohmann::json json = nlohmann::json::parse(clips.folder().read("results.json"));
  EXPECT_EQ(json.at("movable"), 13);
  EXPECT_EQ(json.at("rows").size(), 4u);
  EXPECT_EQ(json.at("best").size(), 2u);
  EXPECT_GE(json.at("trials").size(), 2u);
  const std::string page = clips.folder().read("report.html");
  for (const char* part : {"</html>", "is best", "The paper's claim", "fixed_transpose", "<svg"})
    expect_says(page, part);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  const std::string samples = clips.folder().read("samples.csv");
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 1 + 2 * (38 + 30));
}

TEST(Mocap, OfAMotionlessClipIsStillAReport) {
  std::string text = dance(1);
  const std::string row = text.substr(text.find("0.05\n") + 5);
  text = text.replace(text.find("Frames: 1"), 9, "Frames: 12") + row + row + row + row + row + row +
         row + row + row + row + row;
  const Clips clips(text);
  const Result<Plan> plan = make_plan(clips.request());
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan->capture.movable, 0);
  const Evaluated run = evaluate(*plan, {});
  EXPECT_EQ(rows_of(run)[0][0].reached, 10u);
  EXPECT_EQ(report_page(*plan, run).find("nan"), std::string::npos);
}

// The iterations are those that fit into 250 µs on an idle machine, as in docs/EVALUATION.md, which
// also tells why the spread on 88_05 is compared with a free root, and not on its last 29 samples.
TEST(SharedData, TheLineSearchIsNearerAndTighterThanThePapersBaselines) {
  const std::string folder = GESTIK_SOURCE_DIR "/../shared/data/bvh/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data here";
  struct Run {
    const char* clip;
    bool free_root;
    std::size_t spreads;  ///< compared, from the shortest interval on
  };
  for (const auto& [clip, free_root, spreads] :
       {Run{"49_06.bvh", false, 3}, Run{"88_05.bvh", false, 0}, Run{"88_05.bvh", true, 2}}) {
    const Result<Plan> plan = make_plan(
        {.capture = {.clip = folder + clip, .free_root = free_root},
         .iterations = {{"line_search", 41}, {"fixed_transpose", 49}, {"transpose", 13}, {"", 1}},
         .solvers = std::vector<std::string>{"line_search", "fixed_transpose", "transpose",
                                             "clamped_pinv"}});
    ASSERT_TRUE(plan) << to_string(plan.error());
    const std::vector<std::vector<Row>> rows = rows_of(evaluate(*plan, {}));
    for (std::size_t s = 1; s < rows.size(); ++s)
      for (std::size_t i = 0; i < rows[s].size(); ++i) {
        const std::string which = fmt::format("{} beside {} every {} s", clip,
                                              plan->solvers[s].name, plan->request.intervals[i]);
        EXPECT_LT(rows[0][i].error.median, rows[s][i].error.median) << which;
        if (i < spreads) EXPECT_LT(rows[0][i].error.spread(), rows[s][i].error.spread()) << which;
      }
  }
}

}  // namespace
}  // namespace gestik::evaluation::mocap
