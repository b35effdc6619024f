// Runs the real tool as a shell would and looks at what comes back: standard output, standard
// error, exit code.

#include <cmath>
#include <numbers>

#include "tools/gestik/tool_for_test.h"

namespace {

using namespace tool_test;

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

}  // namespace
