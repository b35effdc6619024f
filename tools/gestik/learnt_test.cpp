// Runs `gestik learn`, `gestik synth` and `gestik eval learnt` as a shell would.

#include <cmath>

#include "gestik/io/read.h"
#include "gestik/model/kinematics.h"
#include "tools/gestik/tool_for_test.h"

namespace {

using namespace tool_test;

/// A back, an arm and a hand that swing.
std::string swing(int frames, double phase = 0, const std::string& arm = "0.3",
                  const std::string& bad = {}) {
  const std::string turns = "CHANNELS 3 Zrotation Yrotation Xrotation\n";
  std::ostringstream text;
  text << "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
          "Zrotation Yrotation Xrotation\nJOINT Back\n{\nOFFSET 0 0.2 0\n"
       << turns << "JOINT Arm\n{\nOFFSET -0.2 0.3 0\n"
       << turns << "JOINT ForeArm\n{\nOFFSET -" << arm << " 0 0\n"
       << turns << "JOINT Hand\n{\nOFFSET -0.25 0 0\n"
       << turns << "End Site\n{\nOFFSET -0.1 0 0\n}\n}\n}\n}\n}\n}\nMOTION\nFrames: " << frames
       << "\nFrame Time: 0.0083333\n";
  for (int f = 0; f < frames; ++f) {
    const double t = f / 120.0 + phase;
    text << "0 0.9 0 0 10 0 ";
    for (int j = 0; j < 3; ++j)
      text << 20 * std::sin(3 * t + j) << ' ' << 30 * std::sin(2 * t + 2 * j) << ' '
           << 15 * std::cos(4 * t - j) << ' ';
    text << (f == 3 && !bad.empty() ? bad : "5") << " 0 0\n";
  }
  return text.str();
}

class LearntVerbs : public testing::Test {
 protected:
  const std::string a_ = written("a.bvh", swing(200)), b_ = written("b.bvh", swing(200, 0.1));
  const std::string model_ = (folder() / "arm.learnt").string();
  const std::string out_ = (folder() / "out.bvh").string();
  const Words chain_{"--root", "Back", "--end", "ForeArm"};

  Words learn(const Words& clips) const {
    return with(with(with({"learn"}, clips), chain_), {"-o", model_});
  }
  Words synth(const std::string& path) const {
    return {"synth", a_, "--learnt", model_, "--path", path, "-o", out_};
  }
};

TEST_F(LearntVerbs, LearnAndFollowAnotherPath) {
  const Json learnt = json_of(learn({a_}));
  EXPECT_EQ(learnt["frames"], 200);
  EXPECT_EQ(learnt["dofs"], 9);
  const Json made = json_of(synth(b_ + ":Hand"));
  EXPECT_EQ(made["frames"], 200);
  EXPECT_EQ(made["in_place"], 200);

  // What was written moves the hand as in b, and all but the chain as there.
  const auto captured = gestik::read_character_file(b_);
  const auto written = gestik::read_character_file(out_);
  ASSERT_TRUE(captured && written);
  const gestik::Skeleton& skeleton = captured->character.skeleton;
  std::vector<gestik::Pose> one(static_cast<std::size_t>(skeleton.joint_count())), two(one);
  for (int f = 0; f < 200; f += 20) {
    gestik::forward(skeleton, captured->clips[0].frame(f), one);
    gestik::forward(skeleton, written->clips[0].frame(f), two);
    const auto hand = static_cast<std::size_t>(skeleton.find("Hand"));
    EXPECT_LT((one[hand].p - two[hand].p).norm(), 1.1e-3);
    EXPECT_LT((one[3].p - two[3].p).norm(), 1e-6);
  }
}

TEST_F(LearntVerbs, ThreadsChangeNoByte) {
  (void)json_of(learn({a_}));
  (void)json_of(with(synth(b_ + ":Hand"), {"--threads", "1"}));
  const std::string alone = contents_of(out_);
  (void)json_of(with(synth(b_ + ":Hand"), {"--threads", "3"}));
  EXPECT_EQ(contents_of(out_), alone);
}

TEST_F(LearntVerbs, APathFromNumbersAndOneOutOfReach) {
  (void)json_of(learn({a_}));
  const std::string near = written("near.csv", "seconds,x,y,z\n0,-0.6,0.5,0.1\n1,-0.5,0.6,0.2\n");
  EXPECT_EQ(json_of(with(synth(near), {"--rate", "60"}))["frames"], 61);
  const std::string far = written("far.csv", "0,100,200,300\n0.5,1e20,0,0\n");
  const Json missed = json_of(synth(far), 3);
  EXPECT_EQ(missed["in_place"], 0);
  EXPECT_FALSE(contains(contents_of(out_), "nan"));
}

TEST_F(LearntVerbs, TimesThatWereRoundedLoseNoFrame) {
  (void)json_of(learn({a_}));
  std::string rows;  // 1/60 s, written with three digits
  for (const char* const time : {"0", "0.017", "0.033", "0.05", "0.067", "0.083"})
    rows += std::string(time) + ",-0.6,0.5,0.1\n";
  EXPECT_EQ(json_of(with(synth(written("rounded.csv", rows)), {"--rate", "60"}))["frames"], 6);
}

TEST_F(LearntVerbs, AnotherJointsPathIsRemarkedOn) {
  (void)json_of(learn({a_}));
  EXPECT_TRUE(contains(tool_test::gestik(synth(b_ + ":Hips")).err, "the chain ends at 'ForeArm'"));
  EXPECT_EQ(tool_test::gestik(synth(b_ + ":Hand")).err, "");
}

TEST_F(LearntVerbs, StylesAndOtherSolvers) {
  (void)json_of(learn({a_, b_, "--style", "calm", "--style", "proud"}));
  (void)json_of(with(synth(b_ + ":Hand"), {"--style", "calm=0.5", "--style", "proud"}));
  (void)json_of(with(synth(b_ + ":Hand"), {"--solver", "lm"}));
  expect_refused(with(synth(b_ + ":Hand"), {"--style", "clam"}), "did you mean 'calm'");
  expect_refused(with(synth(b_ + ":Hand"), {"--style", "calm=0"}), "above zero");
  expect_refused(with(synth(b_ + ":Hand"), {"--solver", "erik"}), "erik");
}

TEST_F(LearntVerbs, RefuseByName) {
  const std::string longer = written("longer.bvh", swing(50, 0, "0.35"));
  expect_refused(learn({a_, longer}), "'ForeArm'");
  EXPECT_EQ(json_of(learn({a_, longer, "--onto", a_}))["frames"], 250);
  expect_refused({"synth", longer, "--learnt", model_, "--path", b_ + ":Hand", "-o", out_},
                 "'ForeArm'");
  for (const char* const bad : {"nan", "1e300"})
    expect_refused(learn({written("bad.bvh", swing(20, 0, "0.3", bad))}), "bad.bvh");
  expect_refused(learn({}), "CLIP");
  expect_refused({"learn", a_, "--root", "Bakc", "--end", "ForeArm", "-o", model_},
                 "did you mean 'Back'");
  expect_refused(synth("nowhere"), "--path");
  expect_refused(synth(b_ + ":Hnad"), "did you mean 'Hand'");
  expect_refused({"synth", a_, "--learnt", a_, "--path", b_ + ":Hand", "-o", out_}, "gestik learn");
  expect_refused(with(synth(b_ + ":Hand"), {"--style", "sad"}), "no named styles");
}

TEST_F(LearntVerbs, WriteOverNothingTheyRead) {
  (void)json_of(learn({a_}));
  const std::string before = contents_of(a_), known = contents_of(model_);
  const std::string link = (folder() / "link.bvh").string();
  std::filesystem::remove(link);
  std::filesystem::create_symlink(a_, link);
  expect_refused(with(with({"learn", a_}, chain_), {"-o", a_}), "is what is read");
  expect_refused(with(with({"learn", b_, "--onto", a_}, chain_), {"-o", link}), "is what is read");
  expect_refused(with(with({"learn", b_}, chain_), {"-o", "-"}), "no text");
  for (const std::string& out : {a_, b_})
    expect_refused({"synth", a_, "--learnt", model_, "--path", b_ + ":Hand", "-o", out},
                   "is what is read");
  EXPECT_EQ(contents_of(a_), before);
  EXPECT_EQ(contents_of(model_), known);
}

TEST_F(LearntVerbs, AJointThatNeverMovedIsNotMoved) {
  // The hand is no part of the chain, the arm turns: but the back has stood still in all captures.
  const auto still_back = [](const std::string& text) {
    std::istringstream in(text);
    std::string out, line;
    bool motion = false;
    while (std::getline(in, line)) {
      if (motion && !line.starts_with("Frame")) {
        std::istringstream numbers(line);
        std::string number, frame;
        for (int i = 0; numbers >> number; ++i)
          frame += (i >= 6 && i < 9 ? std::string("7") : number) + " ";
        line = frame;
      }
      motion = motion || line.starts_with("MOTION");
      out += line + "\n";
    }
    return out;
  };
  (void)json_of(learn({written("still.bvh", still_back(swing(200)))}));
  (void)json_of(synth(written("other.bvh", still_back(swing(200, 0.7))) + ":Hand"));
  const auto made = gestik::read_character_file(out_);
  ASSERT_TRUE(made);
  const int at = made->character.skeleton.q_offset(made->character.skeleton.find("Back"));
  for (int f = 1; f < made->clips[0].frame_count(); ++f)
    for (int k = 0; k < 4; ++k)
      EXPECT_NEAR(made->clips[0].frame(f)[at + k], made->clips[0].frame(0)[at + k], 1e-6);
}

TEST_F(LearntVerbs, OneFrameAndConstantFramesAreLearnt) {
  EXPECT_EQ(json_of(learn({written("one.bvh", swing(1))}))["frames"], 1);
  const Json made = json_of(synth(b_ + ":Hand"));
  EXPECT_EQ(made["in_place"], 200);
}

TEST_F(LearntVerbs, AStillCaptureHasNoAccelerationToCompareWith) {
  std::string text = swing(1);
  const std::string frame = text.substr(text.rfind("0 0.9"));
  for (int f = 1; f < 30; ++f) text += frame;
  text.replace(text.find("Frames: 1"), 9, "Frames: 30");
  const std::string still = written("still.bvh", text);
  const Words eval =
      with({"eval", "learnt", "--train", still, "--test", still, "--unit", "1"}, chain_);
  for (const Json& row : json_of(eval)["rows"]) EXPECT_TRUE(row["acceleration"].is_null());
  EXPECT_FALSE(contains(tool_test::gestik(eval).out, "inf"));
}

TEST_F(LearntVerbs, EvaluationSaysItsRows) {
  const Words eval =
      with({"eval", "learnt", "--train", a_, b_, "--test", a_, "--unit", "1"}, chain_);
  const Json json = json_of(eval);
  EXPECT_EQ(json["rows"].size(), 18U) << "six methods, three ways to learn";
  EXPECT_EQ(json_of(with(eval, {"--hold-out", "blocks"}))["rows"].size(), 6U);
  expect_refused(with(eval, {"--hold-out", "half"}), "--hold-out");
  expect_refused({"eval", "learnt", "--train", a_, "--test", a_}, "--root");
}

}  // namespace
