// Runs the real tool as a shell would and looks at what comes back: standard output, standard
// error, exit code.

#include <chrono>
#include <cmath>
#include <csignal>
#include <numbers>
#include <thread>

#include "tools/gestik/tool_for_test.h"

namespace {

using namespace tool_test;

constexpr const char* arm_urdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base_link"/><link name="upper_link"/><link name="hand_link"/>
  <joint name="shoulder" type="revolute">
    <parent link="base_link"/><child link="upper_link"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper_link"/><child link="hand_link"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>
)";

constexpr const char* small_bvh = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 90 0 0 0 0 0 0 0
0 91 0 10 0 0 0 20 0
)";

const Words aim_lamp{"solve", "lamp", "--posture", "curious", "--aim", "0.4,0.3,0.5"};

TEST(Cli, HelpAndVersionAreAnswers) {
  for (const Words& words :
       {Words{}, Words{"--help"}, Words{"solve", "--help"}, Words{"pose", "--help"},
        Words{"inspect", "--help"}, Words{"convert", "--help"}, Words{"eval", "--help"},
        Words{"eval", "erik", "--help"}, Words{"eval", "mocap", "--help"},
        Words{"eval", "reach", "--help"}, Words{"track", "--help"}, Words{"bench", "--help"},
        Words{"solvers", "--help"}}) {
    const Outcome outcome = gestik(words);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, "gestik")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_TRUE(contains(gestik({"--version"}).out, "gestik 0."));
}

TEST(Cli, SolveHelpListsSolversAndSettings) {
  const std::string help = gestik({"solve", "--help"}).out;
  EXPECT_FALSE(contains(help, "JOINT ..."));  // one at a time
  for (const char* part : {"ccd", "Wang & Chen 1991", "damping", "0 .. 0.99", "plain CCD"})
    EXPECT_TRUE(contains(help, part)) << part << " missing in\n" << help;
}

TEST(Solvers, ListsWhatEachCanDo) {
  const Json json = json_of({"solvers"});
  const std::string text = gestik({"solvers"}).out;
  ASSERT_GE(json.at("solvers").size(), 9u);
  for (const Json& solver : json.at("solvers"))
    EXPECT_TRUE(contains(text, solver.at("name").get<std::string>())) << text;
  const Json& erik = *std::find_if(json.at("solvers").begin(), json.at("solvers").end(),
                                   [](const Json& s) { return s.at("name") == "erik"; });
  EXPECT_EQ(erik.at("goals"), Json({{"reach", false}, {"orient", true}, {"aim", true}}));
  EXPECT_EQ(erik.at("joints"), Json({{"hinge", true}, {"slider", false}, {"ball", false}}));
  EXPECT_EQ(erik.at("many_goals"), false);
  EXPECT_EQ(erik.at("keeps_posture"), true);
  EXPECT_GT(erik.at("iterations"), 0);
  EXPECT_LT(erik.at("iterations"), 100'000) << "a budget, not the largest number there is";
}

TEST(Solvers, TellsOneWithItsSettings) {
  const Json json = json_of({"solvers", "ccd"});
  const Json& damping = json.at("settings").at(0);
  EXPECT_EQ(damping.at("name"), "damping");
  EXPECT_EQ(damping.at("kind"), "real");
  EXPECT_EQ(damping.at("lo"), 0.0);
  EXPECT_EQ(damping.at("hi"), 0.99);
  // The words are those of the solve's help.
  const std::string text = gestik({"solvers", "ccd"}).out;
  const std::string help = gestik({"solve", "--help"}).out;
  EXPECT_TRUE(contains(text, "Wang & Chen 1991"));
  EXPECT_TRUE(contains(help, text.substr(text.find("--set"), text.find('\n', text.find("--set")) -
                                                                 text.find("--set"))));
}

TEST(Solvers, RefusesWhatItDoesNotKnow) {
  expect_refused({"solvers", "cdc"}, "did you mean 'ccd'?");
  expect_refused({"solvers", "ccd", "dls"}, "one argument too many");
  expect_refused({"solvers", "--jsno"}, "did you mean '--json'?");
}

TEST(Cli, UnknownVerbsAndOptionsGetASuggestion) {
  expect_refused({"slove", "lamp"}, "did you mean 'solve'?");
  expect_refused({"--versoin"}, "did you mean '--version'?");
  expect_refused(with(aim_lamp, {"--jsno"}), "did you mean '--json'?");
  expect_refused({"solve", "lamp", "--aimm=1,2,3"}, "did you mean '--aim'?");
  expect_refused({"solve", "--aimm", "1,2,3"}, "did you mean '--aim'?");
  expect_refused({"inspect", "lamp", "snake"}, "'snake' is one argument too many");
  expect_refused({"solve", "lamp", "--aim"}, "--aim needs a value");
  expect_refused(with(aim_lamp, {"--solver", "ccd", "--solver", "dls"}),
                 "--solver may be given only once");
  expect_refused({"solve"}, "which character?");
  expect_refused({"gibberishgibberish"}, "gestik --help");
}

TEST(Solve, JsonHasTheDocumentedShape) {
  const Json json = json_of(aim_lamp);
  EXPECT_EQ(json.at("status"), "reached");
  EXPECT_EQ(json.at("solver"), "poise");
  EXPECT_TRUE(json.at("iterations").is_number_integer());
  EXPECT_GT(json.at("microseconds").get<double>(), 0);
  EXPECT_EQ(json.at("q").size(), 5u);
  EXPECT_EQ(json.at("joints").size(), 5u);
  EXPECT_EQ(json.at("joints").at("elbow"), json.at("q").at(2));
  ASSERT_EQ(json.at("goals").size(), 1u);
  const Json& goal = json.at("goals").at(0);
  EXPECT_EQ(goal.at("kind"), "aim");
  EXPECT_EQ(goal.at("joint"), "head_nod");
  EXPECT_EQ(goal.at("end"), "head");
  EXPECT_EQ(goal.at("reached"), true);
  EXPECT_LE(goal.at("residual").get<double>(), goal.at("tolerance").get<double>());
  EXPECT_FALSE(goal.contains("why"));
  EXPECT_TRUE(json.at("at_limit").is_array());
  const Json& errors = json.at("errors");
  EXPECT_NEAR(errors.at("combined").get<double>(),
              errors.at("orientation").get<double>() + 0.2 * errors.at("posture").get<double>(),
              1e-12);
}

TEST(Solve, ErrorsAreNullWhereThereIsNothingToMeasure) {
  const Json json = json_of({"solve", "lamp", "--reach", "0,0.3,0.1"});
  EXPECT_TRUE(json.at("errors").at("orientation").is_null());
  EXPECT_TRUE(json.at("errors").at("posture").is_null());
  EXPECT_TRUE(json.at("errors").at("combined").is_null());
}

TEST(Solve, TextTellsWhatWasKeptAndGivenUp) {
  const Outcome outcome = gestik(aim_lamp);
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"hold 'curious'", "reached", "poise", "µs", "elbow",
                           "given up:", "kept (", "aim 'head' at 0.4, 0.3, 0.5", "orientation"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " missing in\n" << outcome.out;
}

TEST(Solve, UnreachableGoalsExitWith3AndStillPrintThePose) {
  const Json json = json_of({"solve", "lamp", "--reach", "5,5,5"}, 3);
  EXPECT_NE(json.at("status"), "reached");
  EXPECT_EQ(json.at("q").size(), 5u);
  EXPECT_EQ(json.at("goals").at(0).at("reached"), false);
  EXPECT_TRUE(contains(json.at("goals").at(0).at("why"), "out of reach"));

  const Outcome text = gestik({"solve", "lamp", "--reach", "5,5,5"});
  EXPECT_EQ(text.code, 3);
  EXPECT_TRUE(contains(text.out, "not reached"));
}

TEST(Solve, NegativeNumbersAreValuesNotOptions) {
  for (const Words& aim : {Words{"--aim", "-1,2,3"}, Words{"--aim=-1,2,3"},
                           Words{"--aim", "-.5,-1e-1,+3"}, Words{"--aim", " -1, 2, 3 "}})
    EXPECT_EQ(gestik(with({"solve", "lamp"}, aim)).code, 0) << aim.front();
}

TEST(Solve, BadNumbersAreRefused) {
  for (const char* bad : {"nan,0,1", "0,inf,1", "-inf,0,0", "1e999,0,0", "1,,2", "1,2,", "",
                          "x,1,2", "1,2,3abc", "1 2 3", "0x10,0,0", "--json"}) {
    expect_refused({"solve", "lamp", "--aim", bad}, "--aim");
    expect_refused({"solve", "lamp", "--reach", bad}, "--reach");
  }
  expect_refused({"solve", "lamp", "--aim", "1,2"}, "--aim takes 3 numbers (x,y,z), not 2");
  expect_refused({"solve", "lamp", "--aim-direction", "0,0,0"}, "no direction");
  expect_refused({"solve", "lamp", "--orient", "0,0,0,0"}, "zero quaternion");
  expect_refused({"solve", "lamp", "--orient", "nan,0,0,0"}, "finite");
  expect_refused(
      with(aim_lamp, {"--seed", "1,2"}),
      "--seed takes 5 numbers (base_yaw, base_pitch, elbow, head_turn, head_nod), not 2");
  expect_refused(with(aim_lamp, {"--seed", "0,0,inf,0,0"}), "--seed");
  expect_refused({"solve", "lamp", "--aim", "1,2,3", "--posture", "nan,0,0,0,0"}, "--posture");
  expect_refused({"solve", "lamp", "--aim", "1,2,3", "--posture", ""}, "posture");
  expect_refused(with(aim_lamp, {"--iterations", "1.5"}), "whole number");
  expect_refused(with(aim_lamp, {"--iterations", "-1"}), "whole number");
  expect_refused(with(aim_lamp, {"--tolerance", "-1"}), "below zero");
  expect_refused(with(aim_lamp, {"--tolerance", "ami=1"}), "did you mean 'aim'?");
  expect_refused({"solve", crane_file(), "--reach", "0,0,0", "--seed", "0,0,0,0,0,0,0"},
                 "the quaternion of 'wrist' is zero");
}

TEST(Solve, UnknownNamesGetASuggestion) {
  expect_refused(with(aim_lamp, {"--end", "elbwo"}), "did you mean 'elbow'?");
  expect_refused(with(aim_lamp, {"--solver", "cdc"}), "did you mean 'ccd'?");
  expect_refused(with(aim_lamp, {"--solver", "ccd", "--set", "dampin=0.5"}),
                 "did you mean 'damping'?");
  expect_refused(with(aim_lamp, {"--set", "damping"}), "name=value");
  expect_refused(with(aim_lamp, {"--solver", "ccd", "--set", "damping=7"}), "0 .. 0.99");
  expect_refused(with(aim_lamp, {"--set", "damping=nan"}), "finite");
  expect_refused({"solve", "lamp", "--aim", "1,2,3", "--posture", "couriuos"},
                 "did you mean 'curious'?");
  expect_refused({"solve", "lmap", "--aim", "1,2,3"}, "did you mean 'lamp'?");
}

TEST(Solve, BadFilesAreRefused) {
  expect_refused({"solve", "nowhere/lamp.json", "--aim", "1,2,3"}, "nowhere/lamp.json");
  expect_refused({"inspect", "missing.urdf"}, "missing.urdf");
  expect_refused({"inspect", folder().string() + "/"}, "");
  expect_refused({"inspect", written("character.txt", "{}")}, ".json, .urdf, .bvh, .glb or .gltf");
  for (const auto& [name, text] : {std::pair{"cut.json", crane}, std::pair{"cut.urdf", arm_urdf},
                                   std::pair{"cut.bvh", small_bvh}}) {
    const std::string whole = text;
    const std::string path = written(name, whole.substr(0, whole.size() / 2));
    expect_refused({"solve", path, "--reach", "1,2,3"}, name);
  }
}

TEST(Solve, NeedsAGoal) {
  expect_refused({"solve", "lamp", "--posture", "curious"}, "give a goal");
  expect_refused({"solve", "lamp", "--aim", "1,2,3", "--symmetric"}, "--orient");
}

TEST(Solve, DegreesGoInAndComeOut) {
  const double to_degrees = 180 / std::numbers::pi;
  const Words goal{"solve", "lamp", "--reach", "0,0.3,0.1"};
  const Json radians = json_of(with(goal, {"--seed", "0.5,0.25,0.75,0,0"}));
  const Json degrees = json_of(with(
      goal, {"--degrees", "--seed", "28.64788975654116,14.32394487827058,42.97183463481174,0,0"}));
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(radians.at("q").at(i).get<double>() * to_degrees,
                degrees.at("q").at(i).get<double>(), 1e-6);
  EXPECT_EQ(degrees.at("joints").at("elbow"), degrees.at("q").at(2));
}

TEST(Solve, PostureIsTheSeedUnlessOneIsGiven) {
  const Words still{"solve", "lamp", "--iterations", "0", "--aim", "9,9,9"};
  const Json from_posture = json_of(with(still, {"--posture", "curious"}), 3);
  EXPECT_NEAR(from_posture.at("joints").at("elbow").get<double>(), 0.75, 1e-15);
  const Json from_seed = json_of(with(still, {"--posture", "curious", "--seed", "0,0,1,0,0"}), 3);
  EXPECT_NEAR(from_seed.at("joints").at("elbow").get<double>(), 1, 1e-15);
}

TEST(Solve, HeldJointsStayWhereTheStartHasThem) {
  const Words goal{"solve", "lamp", "--posture", "curious", "--aim", "0.4,0.3,0.5"};
  const Json solved = json_of(with(goal, {"--hold", "elbow", "--hold", "base_pitch"}));
  EXPECT_EQ(solved.at("joints").at("elbow").get<double>(), 0.75);
  expect_refused(with(goal, {"--hold", "elbov"}), "did you mean 'elbow'");
}

TEST(Solve, WhatASolverCantDoIsNamedWithTheWayOut) {
  const Words erik{"solve", crane_file(), "--solver", "erik", "--end", "tool"};
  expect_refused(with(erik, {"--reach", "1,0,1"}),
                 "erik takes no reach goals (it takes orient, aim)");
  expect_refused(with(erik, {"--aim", "1,0,1", "--orient", "1,0,0,0"}), "one goal at a time");
  expect_refused(with(erik, {"--aim", "1,0,1"}),
                 "can't move 'wrist', a ball: hold it with --hold wrist");
  const Outcome held = gestik(
      with(erik, {"--aim", "1,0,1", "--hold", "wrist", "--hold", "rail", "--tolerance", "9"}));
  EXPECT_EQ(held.code, 0) << held.err;
}

TEST(Solve, JointsOnTheirLimitsAreNamed) {
  const Json json = json_of({"solve", crane_file(), "--end", "cabin", "--reach", "3,0.25,1"}, 3);
  ASSERT_FALSE(json.at("at_limit").empty());
  const Json& rail = json.at("at_limit").at(0);
  EXPECT_EQ(rail.at("joint"), "rail");
  EXPECT_EQ(rail.at("which"), "hi");
  EXPECT_EQ(rail.at("blocking"), true);
}

/// The end's pose by `gestik pose` at the solution, full precision: the frame's offset was
/// honoured.
Json pose_at_solution(const Json& solved, const std::string& end) {
  std::string q;
  for (const Json& value : solved.at("q")) q.append(q.empty() ? "" : ",").append(value.dump());
  for (const Json& place : json_of({"pose", crane_file(), "--q", q}))
    if (place.at("name") == end) return place;
  return {};
}

TEST(Solve, ReachAndOrientTogetherPlaceTheFrameItself) {
  const Json solved = json_of({"solve", crane_file(), "--reach", "1.2,0.2,1", "--orient", "1,0,1,0",
                               "--iterations", "2000"});
  EXPECT_EQ(solved.at("goals").size(), 2u);
  const Json tool = pose_at_solution(solved, "tool");
  EXPECT_NEAR(tool.at("position").at(0).get<double>(), 1.2, 1e-3);
  EXPECT_NEAR(tool.at("position").at(1).get<double>(), 0.2, 1e-3);
  const double same = std::abs(tool.at("orientation").at(0).get<double>() +
                               tool.at("orientation").at(2).get<double>()) /
                      std::sqrt(2.0);
  EXPECT_NEAR(same, 1, 1e-5);
  EXPECT_LT(solved.at("errors").at("orientation").get<double>(), 1e-3);
}

TEST(Solve, SymmetricTakesTheHalfTurnAboutTheDirectionInWhichTheEndLooks) {
  // The neutral tool is turned a quarter about z, along which it looks (w = z).
  const Json solved = json_of({"solve", crane_file(), "--orient=-1,0,0,1", "--symmetric"});
  EXPECT_EQ(solved.at("iterations"), 0);
  EXPECT_LT(solved.at("errors").at("orientation").get<double>(), 1e-9);
}

TEST(Solve, EveryEndTakesItsOwnGoals) {
  const Json solved = json_of({"solve", crane_file(), "--end", "tool", "--aim-direction", "0,1,0",
                               "--end", "lens", "--aim", "0.3,0.2,5", "--iterations", "2000"});
  ASSERT_EQ(solved.at("goals").size(), 2u);
  EXPECT_EQ(solved.at("goals").at(0).at("end"), "tool");
  EXPECT_EQ(solved.at("goals").at(1).at("end"), "lens");
  expect_refused({"solve", crane_file(), "--end", "tool", "--reach", "1,0,1", "--end", "lens"},
                 "--end lens has no goal");
  expect_refused({"solve", crane_file(), "--reach", "1,0,1", "--reach", "1,0,2"},
                 "two reach goals");
}

TEST(Solve, TolerancesHoldForTheirKind) {
  const Json solved = json_of(with(aim_lamp, {"--tolerance", "aim=0.125,reach=3"}));
  EXPECT_EQ(solved.at("goals").at(0).at("tolerance"), 0.125);
}

TEST(Urdf, LinksCanBeNamedWhereverAJointCan) {
  const std::string arm = written("arm.urdf", arm_urdf);
  const Json solved = json_of({"solve", arm, "--end", "hand_link", "--reach", "0.5,0,0.5"});
  EXPECT_EQ(solved.at("goals").at(0).at("end"), "hand_link");
  EXPECT_EQ(solved.at("goals").at(0).at("joint"), "elbow");

  std::vector<std::string> names;
  for (const Json& place : json_of({"pose", arm})) names.push_back(place.at("name"));
  for (const char* name : {"base_link", "shoulder", "upper_link", "elbow", "hand_link"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(Pose, JsonListsJointsLinksAndEnds) {
  const Json places = json_of({"pose", crane_file(), "--q", "0.5,90,1,0,0,0,0", "--degrees"});
  ASSERT_EQ(places.size(), 4u + 1u + 2u);
  for (const Json& place : places) {
    EXPECT_EQ(place.at("position").size(), 3u);
    EXPECT_EQ(place.at("orientation").size(), 4u);
  }
  EXPECT_EQ(places.at(4).at("name"), "cabin");
  EXPECT_EQ(places.at(4).at("kind"), "link");
  EXPECT_NEAR(places.at(4).at("position").at(0).get<double>(), 0.25, 1e-12);
  EXPECT_EQ(places.at(5).at("name"), "tool");
  EXPECT_EQ(places.at(5).at("kind"), "end");
  EXPECT_NEAR(places.at(5).at("position").at(1).get<double>(), 1.5, 1e-12);
}

TEST(Pose, ValuesOutsideTheLimitsAreUsedAndNoted) {
  const Words words{"pose", crane_file(), "--q", "7,0,2,0,0,0,0", "--json"};
  const Outcome outcome = gestik(words);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(Json::parse(outcome.out).at(0).at("position").at(0), 7.0);
  EXPECT_TRUE(contains(outcome.err, "outside the joint limits"));
  EXPECT_EQ(gestik(with(words, {"--quiet"})).err, "");
}

TEST(Pose, RefusesWhatIsNoPose) {
  expect_refused({"pose", "lamp", "--q", "1,2,3"}, "5 numbers");
  expect_refused({"pose", "lamp", "--q", "nan,0,0,0,0"}, "--q");
  expect_refused({"pose", "lamp", "--q", "0,0,0,0,0", "--posture", "shy"}, "not both");
  expect_refused({"pose", crane_file(), "--q", "0,0,0,0,0,0,0"},
                 "the quaternion of 'wrist' is zero");
}

TEST(Inspect, DrawsTheTree) {
  const Outcome outcome = gestik({"inspect", crane_file()});
  EXPECT_EQ(outcome.code, 0);
  for (const char* part : {"crane: 4 joints, 6 degrees of freedom, 7 coordinates, z up", "├─ wrist",
                           "└─ eye", "-114.6° .. 114.6°", "-1 m .. 1 m", "tool", "cabin",
                           "rest, bent", "= 0.4 * turn + 0.05", "2 frames at 2 per second, 0.5 s"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << " missing in\n" << outcome.out;
}

TEST(Inspect, JsonSaysTheSame) {
  const Json json = json_of({"inspect", crane_file()});
  EXPECT_EQ(json.at("name"), "crane");
  EXPECT_EQ(json.at("up"), "z");
  EXPECT_EQ(json.at("dof"), 6);
  EXPECT_EQ(json.at("coordinates").at(2), "wrist.w");
  EXPECT_EQ(json.at("joints").at(1).at("hi"), 2.0);
  EXPECT_TRUE(json.at("joints").at(3).at("hi").is_null());
  EXPECT_EQ(json.at("postures").at(1).at("name"), "bent");
  EXPECT_EQ(json.at("mimics").at(0).at("source"), "turn");
  EXPECT_EQ(json.at("clips").at(0).at("frames"), 2);
}

TEST(Inspect, LongChainsAndCombsStayLinear) {
  const auto numbered = [](std::string letter, int i) { return letter += std::to_string(i); };
  Json joints = Json::array({{{"name", "j0"}, {"type", "fixed"}}});
  for (int i = 1; i < 20000; ++i) {
    const std::string parent = numbered("j", i - 1);
    joints.push_back({{"name", numbered("j", i)}, {"parent", parent}, {"type", "fixed"}});
    joints.push_back({{"name", numbered("t", i)}, {"parent", parent}, {"type", "fixed"}});
  }
  const std::string comb =
      written("comb.json", Json{{"gestik", 1}, {"name", "comb"}, {"joints", joints}}.dump());
  const Outcome outcome = gestik({"inspect", comb});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(outcome.out.size(), 40000u * 250u);
}

const std::string lamp_clips = GESTIK_SOURCE_DIR "/clips/lamp.json";

TEST(Eval, DrawsTheFilters) {
  const fs::path out = folder() / "pictures";
  const Json results = json_of({"eval", "filter", "--out", out.string()});
  EXPECT_EQ(results["filters"].size(), 3u);
  EXPECT_EQ(results["presets"].size(), 4u);
  EXPECT_LE(results["filters"][0]["jerk"], 1.001);
  EXPECT_GT(results["filters"][2]["jerk"], 1.5);
  for (const char* name : {"filter.svg", "filter_presets.svg"})
    EXPECT_EQ(contents_of(out / name), contents_of(fs::path(GESTIK_SOURCE_DIR) / "docs" / name));
}

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
  EXPECT_EQ(
      gestik({"warp", "lamp", lamp_clips, "--clip", "nod", "--aim", "0.4,0.3,0.5", "-o", bvh}).code,
      0);
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

TEST(Convert, WritesJsonThatReadsTheSame) {
  const std::string out = (folder() / "copy.json").string();
  const Outcome outcome = gestik({"convert", crane_file(), out});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(json_of({"inspect", out}), json_of({"inspect", crane_file()}));
  EXPECT_EQ(gestik({"convert", crane_file(), "-"}).out, contents_of(out));
}

TEST(Convert, RefusesWithoutTouchingWhatIsThere) {
  const std::string kept = written("kept.json", "my own words");
  expect_refused({"convert", kept, kept}, "kept.json");
  EXPECT_EQ(contents_of(kept), "my own words");
  expect_refused({"convert", crane_file(), kept, "--clip", "slid"}, "did you mean 'slide'?");
  EXPECT_EQ(contents_of(kept), "my own words");
  expect_refused({"convert", "lamp", "lamp.fbx"}, ".json or .bvh");
  expect_refused({"convert", "lamp"}, "one to write");
  const Outcome nowhere = gestik({"convert", "lamp", "/nowhere/at/all/lamp.json"});
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(contains(nowhere.err, "/nowhere/at/all/lamp.json")) << nowhere.err;
}

TEST(Convert, SaysWhatABvhCantHold) {
  const Outcome outcome = gestik({"convert", "humanoid", (folder() / "humanoid.bvh").string()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "limits, postures and joint types stay behind"));
}

TEST(Convert, BvhUnitsAndHingesAreHonoured) {
  const std::string bvh = written("small.bvh", small_bvh);
  const Json balls = json_of({"inspect", bvh, "--unit", "0.01"});
  const Json hinges = json_of({"inspect", bvh, "--bvh-hinges", "all"});
  EXPECT_EQ(balls.at("q_size"), 3 + 4 + 4);
  EXPECT_EQ(hinges.at("q_size"), 3 + 3 + 3);
  EXPECT_EQ(json_of({"inspect", bvh, "--bvh-hinges", "Chest"}).at("q_size"), 3 + 4 + 3);
  expect_refused({"inspect", bvh, "--unit", "0"}, "--unit");
  expect_refused({"inspect", "lamp", "--unit", "0.01"}, "BVH");
  expect_refused({"inspect", bvh, "--unit", ""}, "--unit");
  expect_refused({"inspect", bvh, "--bvh-hinges", ","}, "--bvh-hinges");

  const std::string again = (folder() / "again.bvh").string();
  EXPECT_EQ(gestik({"convert", bvh, again, "--unit", "0.01"}).code, 0);
  const Json read_again = json_of({"inspect", again, "--unit", "0.01"});
  EXPECT_EQ(read_again.at("clips").at(0).at("frames"), 2);
  EXPECT_EQ(read_again.at("dof"), balls.at("dof"));
}

TEST(Cli, AFullDiskIsNoSuccess) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Outcome outcome = gestik({"inspect", "lamp"}, "/dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "standard output"));
}

TEST(Cli, NamesFromFilesCantDriveTheTerminal) {
  Json hostile = Json::parse(crane);
  hostile["name"] = "\x1b[2J\nevil";
  hostile["joints"][0]["name"] = "rail\x1b]0;x\x07";
  hostile["joints"][1]["parent"] = "rail\x1b]0;x\x07";
  hostile.erase("mimics");
  hostile.erase("clips");
  const Outcome outcome = gestik({"inspect", written("hostile.json", hostile.dump())});
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

void inspect_all(const std::string& kind, std::size_t expected) {
  const fs::path data = fs::path(GESTIK_SOURCE_DIR) / "../shared/data" / kind;
  if (!fs::exists(data)) GTEST_SKIP() << data << " is absent";
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().extension() != "." + kind) continue;
    ++count;
    const Outcome outcome = gestik({"inspect", entry.path().string()});
    EXPECT_EQ(outcome.code, 0) << entry.path() << ": " << outcome.err;
    EXPECT_FALSE(json_of({"inspect", entry.path().string()}).at("joints").empty());
  }
  EXPECT_GE(count, expected);
}

TEST(SharedData, InspectReadsEveryUrdf) {
  inspect_all("urdf", 16);
}

TEST(SharedData, InspectReadsEveryBvh) {
  inspect_all("bvh", 18);
}

// ---- eval --------------------------------------------------------------------------------------

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
               while (!fs::exists(out)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
    while (!fs::exists(out)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
