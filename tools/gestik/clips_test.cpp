// What the verbs that take clips, `check` and `warp`, print, write and refuse.

#include "tools/gestik/tool_for_test.h"

namespace {

using namespace tool_test;

const std::string lamp_clips = GESTIK_SOURCE_DIR "/clips/lamp.json";

TEST(Check, TellsSafeClipsFromOthers) {
  for (const char* name : {"nod", "look_around"}) {
    const Outcome safe = gestik({"check", "lamp", lamp_clips, "--clip", name});
    EXPECT_EQ(safe.code, 0) << safe.out << safe.err;
    EXPECT_TRUE(contains(safe.out, "safe: range, velocity, acceleration and jerk hold"));
  }
  const Outcome startle = gestik({"check", "lamp", lamp_clips, "--clip", "startle"});
  EXPECT_EQ(startle.code, 3) << startle.err;
  EXPECT_TRUE(contains(startle.out, "velocity"));
  EXPECT_TRUE(contains(startle.out, "times as slow")) << startle.out;
  EXPECT_FALSE(contains(startle.out, "no slowing down mends that"));
  EXPECT_EQ(gestik({"check", "lamp", lamp_clips}).code, 3);
}

TEST(Check, WritesJsonThatAddsUp) {
  const Json all = json_of({"check", "lamp", lamp_clips}, 3);
  EXPECT_EQ(all["character"], "lamp");
  EXPECT_EQ(all["safe"], false);
  ASSERT_EQ(all["clips"].size(), 3u);
  EXPECT_EQ(all["clips"][0]["safe"], true);
  EXPECT_EQ(all["clips"][0]["stretch"], 1.0);
  const Json& startle = all["clips"][2];
  EXPECT_EQ(startle["range_kept"], true);
  EXPECT_GT(startle["stretch"], 1.0);
  ASSERT_FALSE(startle["breaches"].empty());
  for (const Json& breach : startle["breaches"]) EXPECT_GT(breach["value"], breach["most"]);

  // Slowed down by as much as it says, it is safe.
  Json file = Json::parse(contents_of(lamp_clips));
  file["clips"] = Json::array({file["clips"][2]});
  file["clips"][0]["rate"] =
      file["clips"][0]["rate"].get<double>() / startle["stretch"].get<double>();
  const std::string slow = written("slow.json", file.dump());
  EXPECT_EQ(json_of({"check", "lamp", slow})["safe"], true);
}

TEST(Check, SaysThatTimeMendsNoRange) {
  Json file = Json::parse(contents_of(lamp_clips));
  file["clips"] = Json::array({file["clips"][0]});
  for (Json& frame : file["clips"][0]["frames"]) frame[1] = 1.5;  // base_pitch ends at 1.3
  const Outcome outcome = gestik({"check", "lamp", written("far.json", file.dump())});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.out, "no slowing down mends that")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "0.2 rad outside")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "0-45")) << outcome.out;
}

TEST(Check, RefusesRatesThatSayNothing) {
  Json file = Json::parse(contents_of(lamp_clips));
  for (const double rate : {1e300, 1e6, 1e-9}) {
    file["clips"][2]["rate"] = rate;
    const std::string absurd = written("absurd.json", file.dump());
    expect_refused({"check", "lamp", absurd}, "from 0.001 to 100000");
    expect_refused({"warp", "lamp", absurd, "--aim", "1,2,3", "-o", "never.json"}, "'startle'");
  }
  file["clips"][2]["rate"] = 1e5;
  EXPECT_EQ(gestik({"check", "lamp", written("fast.json", file.dump())}).code, 3);
}

TEST(Check, ReadsTheCharactersOwnClipsAndBvh) {
  EXPECT_EQ(json_of({"check", crane_file()}, 3)["clips"].size(), 1u);  // it slides at 1 m/s
  const std::string bvh = written("small.bvh", small_bvh);
  const Outcome own = gestik({"check", bvh});
  EXPECT_TRUE(own.code == 0 || own.code == 3) << own.err;
  EXPECT_EQ(gestik({"check", bvh, bvh}).out, own.out);
}

TEST(Check, RefusesInOneLine) {
  expect_refused({"check"}, "which character?");
  expect_refused({"check", "lamp"}, "there is no clip");
  expect_refused({"check", "lamp", "/nowhere.json"}, "/nowhere.json");
  expect_refused({"check", "lamp", lamp_clips, "--clip", "startel"}, "did you mean 'startle'?");
  expect_refused({"check", "snake", lamp_clips}, "columns follow the skeleton's joints");
  expect_refused({"check", "lamp", written("empty.json", R"({"gestik": 1})")}, "'clips'");
}

TEST(Warp, LooksAtAPointAndWritesWhatCanBeRead) {
  const std::string out = (folder() / "warped.json").string();
  const Json said =
      json_of({"warp", "lamp", lamp_clips, "--aim", "0.4,0.3,0.5", "-o", out, "--json"});
  ASSERT_EQ(said["clips"].size(), 3u);
  for (const Json& clip : said["clips"]) {
    EXPECT_EQ(clip["met"], clip["frames"]);
    EXPECT_EQ(clip["range_kept"], true);
  }
  const Json file = Json::parse(contents_of(out)), source = Json::parse(contents_of(lamp_clips));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(file["clips"][i]["frames"].size(), source["clips"][i]["frames"].size());
  EXPECT_NE(file["clips"][0]["frames"], source["clips"][0]["frames"]);
  const std::string bvh = (folder() / "warped.bvh").string();
  const Words to_bvh{"warp",  "lamp",        lamp_clips, "--clip", "nod",
                     "--aim", "0.4,0.3,0.5", "-o",       bvh};
  const Outcome lossy = gestik(to_bvh);
  EXPECT_EQ(lossy.code, 0);
  EXPECT_TRUE(contains(lossy.err, "limits, postures and joint types stay behind")) << lossy.err;
  EXPECT_EQ(gestik(with(to_bvh, {"--quiet"})).err, "");
  EXPECT_EQ(gestik({"inspect", bvh}).code, 0);
}

TEST(Warp, FollowsAPathAndFiltersIt) {
  const std::string path = written("path.csv", "seconds,x,y,z\n0,0.5,0.3,0.4\n2,-0.5,0.3,0.4\n");
  const std::string out = (folder() / "filtered.json").string();
  const Json said = json_of({"warp", "lamp", lamp_clips, "--clip", "startle", "--aim-path", path,
                             "--filter", "plain", "-o", out, "--json"},
                            3);
  EXPECT_EQ(said["clips"][0]["safe"], true);
  EXPECT_EQ(gestik({"check", "lamp", out}).code, 0);
}

TEST(Warp, TurnsTheHingesOfABvhFromAJointOn) {
  const std::string bvh = written("small.bvh", small_bvh);
  const std::string out = (folder() / "small_warped.json").string();
  const Outcome outcome = gestik({"warp", bvh, "--bvh-hinges", "all", "--aim", "1,2,3", "-o", out});
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 3) << outcome.err;
}

TEST(Warp, SaysThatNotEveryFrameLooksThere) {
  const std::string out = (folder() / "away.json").string();
  const Outcome outcome =
      gestik({"warp", "lamp", lamp_clips, "--from", "head_nod", "--aim=-5,0.3,-5", "-o", out});
  EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
  EXPECT_TRUE(contains(outcome.out, " 0 look there")) << outcome.out;
  EXPECT_EQ(
      gestik({"warp", "lamp", lamp_clips, "--aim", "0.4,0.3,0.5", "-o", "/nowhere/x.json"}).code,
      1);
}

TEST(Warp, RefusesInOneLine) {
  const std::string empty =
      written("zero.json", R"({"gestik": 1, "clips": [{"name": "z", "rate": 30, "columns":
    ["base_yaw", "base_pitch", "elbow", "head_turn", "head_nod"], "frames": []}]})");
  expect_refused({"warp", "lamp", empty, "--aim", "1,2,3", "--filter", "light", "-o", "x.json"},
                 "no frames");
  const std::string out = (folder() / "never.json").string();
  expect_refused({"warp", "lamp", lamp_clips, "--aim", "1,2,3"}, "-o OUT");
  expect_refused({"warp", "lamp", lamp_clips, "-o", out}, "--aim");
  expect_refused({"warp", "lamp", lamp_clips, "--aim", "1,2,3", "--aim-path", "x", "-o", out},
                 "--aim");
  expect_refused({"warp", "lamp", lamp_clips, "--aim", "1,2,nan", "-o", out}, "--aim");
  expect_refused({"warp", "lamp", lamp_clips, "--aim", "1,2,3", "-o", "x.txt"}, ".json or .bvh");
  expect_refused({"warp", "lamp", lamp_clips, "--aim", "1,2,3", "--from", "elbwo", "-o", out},
                 "did you mean 'elbow'?");
  expect_refused({"warp", "lamp", lamp_clips, "--aim", "1,2,3", "--filter", "clam", "-o", out},
                 "did you mean 'calm'?");
  const std::string path = written("bad.csv", "0,1,2,3\n1,1,2\n");
  expect_refused({"warp", "lamp", lamp_clips, "--aim-path", path, "-o", out}, ":2");
  const std::string back = written("back.csv", "1,1,2,3\n0,1,2,3\n");
  expect_refused({"warp", "lamp", lamp_clips, "--aim-path", back, "-o", out}, "times must grow");
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace
