// Problems from files, and what is measured on them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "evaluation/folder_for_test.h"
#include "evaluation/reach/report.h"
#include "gestik/io/read.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::reach {
namespace {

/// Three hinges about three axes and a tool; a lid beside them that is in nobody's way.
constexpr const char* robot = R"(<robot name="arm">
  <link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="tool"/><link name="lid"/>
  <joint name="lift" type="revolute"><parent link="base"/><child link="lid"/><axis xyz="1 0 0"/>
    <limit lower="0.5" upper="1" effort="1" velocity="1"/></joint>
  <joint name="yaw" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
  <joint name="pitch" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.3"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="roll" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 0 0.4"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="hold" type="fixed"><parent link="c"/><child link="tool"/>
    <origin xyz="0 0.1 0.2" rpy="0.1 0 0"/></joint>
</robot>)";

/// Poses of the tool with the joints that take it there, the last of them beyond the limits.
std::string targets_csv(bool with_joints) {
  const Result<Loaded> loaded = [] {
    const TestFolder folder;
    return read_character_file(folder.written("arm.urdf", robot));
  }();
  const Skeleton& skeleton = loaded->character.skeleton;
  const Frame tool = *find_frame(loaded->character, "tool");
  std::string text = "problem_id,px,py,pz,qw,qx,qy,qz\n";
  const Real joints[][3] = {{0.5, 0.3, -0.4}, {-1, 0.6, 0.2}, {1.2, -0.7, 0.9}, {0.5, 1.6, 0}};
  for (int i = 0; i < 4; ++i) {
    std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
    const char* names[] = {"yaw", "pitch", "roll"};
    for (int k = 0; k < 3; ++k)
      q[static_cast<std::size_t>(skeleton.q_offset(skeleton.find(names[k])))] = joints[i][k];
    const Pose at =
        poses(skeleton, q)[static_cast<std::size_t>(tool.joint)] * tool.joint_from_frame;
    text += fmt::format("{},{},{},{},{},{},{},{}", i, at.p.x(), at.p.y(), at.p.z(), at.q.w(),
                        at.q.x(), at.q.y(), at.q.z());
    if (with_joints) text += fmt::format(",{},{},{}", joints[i][0], joints[i][1], joints[i][2]);
    text += "\n";
  }
  return text;
}

constexpr const char* seeds_csv =
    "problem_id,q1,q2,q3\n0,0.4,0.2,-0.3\n1,-0.9,0.5,0.1\n"
    "2,1,-0.6,0.8\n3,0.4,0.9,0.1\n";

class Files {
 public:
  Request request(const std::string& targets = targets_csv(true),
                  std::optional<std::string> seeds = seeds_csv) const {
    Request request{.robot = folder_.written("arm.urdf", robot),
                    .problems = {folder_.written("t.csv", targets)},
                    .end = "tool"};
    if (seeds) request.problems.seeds = folder_.written("s.csv", *seeds);
    return request;
  }
  const TestFolder& folder() const { return folder_; }

 private:
  TestFolder folder_;
};

std::string refusal(const Request& request) {
  const Result<Plan> plan = make_plan(request);
  return plan ? "taken" : to_string(plan.error());
}

void expect_says(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Reach, JointsOfTheFilesAreThoseOfTheChain) {
  const Files files;
  const Result<Plan> plan = make_plan(files.request());
  ASSERT_TRUE(plan) << to_string(plan.error());
  const Skeleton& skeleton = plan->character.skeleton;
  ASSERT_EQ(plan->problems.size(), 4u);
  EXPECT_EQ(plan->problems.misplaced, 0u);
  const ConstQ seed = plan->problems.seed(1);
  ASSERT_EQ(seed.size(), 4u);
  EXPECT_EQ(seed[static_cast<std::size_t>(skeleton.q_offset(skeleton.find("yaw")))], -0.9);
  EXPECT_EQ(seed[static_cast<std::size_t>(skeleton.q_offset(skeleton.find("roll")))], 0.1);
  // At rest, inside its limits.
  EXPECT_EQ(seed[static_cast<std::size_t>(skeleton.q_offset(skeleton.find("lift")))], 0.5);
}

TEST(Reach, StartsAtRestWithoutSeedsAndTakesTargetsWithoutJoints) {
  const Files files;
  const Result<Plan> plan = make_plan(files.request(targets_csv(false), std::nullopt));
  ASSERT_TRUE(plan) << to_string(plan.error());
  const ConstQ neutral = plan->character.skeleton.neutral();
  for (std::size_t i = 0; i < plan->problems.size(); ++i)
    EXPECT_TRUE(std::equal(neutral.begin(), neutral.end(), plan->problems.seed(i).begin()));
}

TEST(Reach, TellsThatTargetsAreOfAnotherEnd) {
  const Files files;
  Request request = files.request();
  request.end = "c";
  const Result<Plan> plan = make_plan(request);
  ASSERT_TRUE(plan) << to_string(plan.error());
  EXPECT_EQ(plan->problems.misplaced, 4u);
  ASSERT_FALSE(plan->warnings.empty());
  expect_says(plan->warnings.back(), "is it the right link?");
}

TEST(Reach, BadFilesAreRefusedByTheirLine) {
  const Files files;
  const std::string head = "id,px,py,pz,qw,qx,qy,qz\n0,0,0,1,1,0,0,0\n";
  for (const auto& [line, said] : std::initializer_list<std::pair<std::string, std::string>>{
           {"1,0,0,1,1,0,0", "t.csv:3: 7 columns"},
           {"1,0,0,1,1,0,0,0,0", "t.csv:3: 9 columns"},
           {"1,0,0,1,1,0,0,0,0,0,0", "t.csv:3: 11 columns, but 8 before"},
           {"1,0,0,nan,1,0,0,0", "t.csv:3: 'nan'"},
           {"1,0,0,1,0,0,0,0", "t.csv:3: a zero quaternion"}})
    expect_says(refusal(files.request(head + line + "\n", std::nullopt)), said);
  expect_says(refusal(files.request("", std::nullopt)), "t.csv: there is no line of numbers");
  expect_says(refusal(files.request(targets_csv(true), "0,1,2,3\n")),
              "s.csv: 1 seeds for 4 targets");
  expect_says(refusal(files.request(targets_csv(true), "0,0,0,0\n1,0,0\n2,0,0,0\n3,0,0,0\n")),
              "s.csv:2: 3 columns");
  expect_says(refusal(files.request(targets_csv(true), "0,0,0,0\n2,0,0,0\n1,0,0,0\n3,0,0,0\n")),
              "s.csv:2: the seed of problem 2, where the targets have problem 1");
  Request request = files.request();
  request.problems.seeds = files.folder().file("none.csv");
  expect_says(refusal(request), "none.csv");
}

TEST(Reach, EndsAndSolversAreFoundOrSuggested) {
  const Files files;
  Request request = files.request();
  request.end.reset();
  const std::string which = refusal(request);
  expect_says(which, "2 links end a chain");
  expect_says(which, "lid");
  expect_says(which, "tool");
  request.end = "tol";
  expect_says(refusal(request), "did you mean 'tool'?");
  request.end = "tool";
  request.solvers = {"ccdd"};
  expect_says(refusal(request), "did you mean 'ccd'?");
  request.solvers = {"erik"};
  expect_says(refusal(request), "erik on 'arm'");
}

TEST(Reach, DefaultSolversTakeBothGoals) {
  const Files files;
  const Result<Plan> plan = make_plan(files.request());
  ASSERT_TRUE(plan);
  EXPECT_GE(plan->solvers.size(), 8u);
  for (const NamedSolver& named : plan->solvers) {
    EXPECT_TRUE(info_of(named.solver).reach && info_of(named.solver).orient) << named.name;
    EXPECT_TRUE(info_of(named.solver).many_goals) << named.name;
  }
}

TEST(Reach, SuccessIsMeasuredNotBelieved) {
  const Files files;
  Request request = files.request();
  request.solvers = {"dls", "quasi_newton"};
  const Result<Plan> plan = make_plan(request);
  ASSERT_TRUE(plan);
  const Evaluated run = evaluate(*plan, {});
  EXPECT_FALSE(run.stopped);
  EXPECT_EQ(run.done, 8u);
  for (const std::vector<Sample>& samples : run.samples) {
    const Row row = row_of(samples, request.tolerance);
    EXPECT_EQ(row.solved, 3u);  // the last one lies beyond the limits
    EXPECT_EQ(row.reached, 3u);
    EXPECT_EQ(row.stalled + row.out_of_budget, 1u);
    EXPECT_EQ(row.false_reached, 0u);
    EXPECT_EQ(row.limits_broken, 0u);
    EXPECT_GT(row.mean_passes, 0);
    EXPECT_GE(row.max_us, row.p99_us);
  }
}

TEST(Reach, ALieIsCounted) {
  Sample lie{.status = Status::reached, .miss = {0.1, 0}, .inside_limits = true};
  Sample escape{.status = Status::reached, .miss = {0, 0}, .inside_limits = false};
  Sample modest{.status = Status::stalled, .miss = {0, 0}, .inside_limits = true};
  const Sample samples[] = {lie, escape, modest};
  const Row row = row_of(samples, 0.01);
  EXPECT_EQ(row.false_reached, 2u);
  EXPECT_EQ(row.limits_broken, 1u);
  EXPECT_EQ(row.solved, 1u);
}

nlohmann::json without_times(const std::string& text) {
  nlohmann::json json = nlohmann::json::parse(text);
  for (nlohmann::json& row : json.at("rows")) row.erase("us");
  return json;
}

TEST(Reach, NumbersDoNotDependOnThreads) {
  const Files files;
  const Result<Plan> plan = make_plan(files.request());
  ASSERT_TRUE(plan);
  const Evaluated one = evaluate(*plan, {.threads = 1}), two = evaluate(*plan, {.threads = 2});
  EXPECT_EQ(without_times(results_json(*plan, one, -1)),
            without_times(results_json(*plan, two, -1)));
}

TEST(Reach, StopsWhenTold) {
  const Files files;
  const Result<Plan> plan = make_plan(files.request());
  ASSERT_TRUE(plan);
  const Evaluated run = evaluate(*plan, {.stop = [] { return true; }});
  EXPECT_TRUE(run.stopped);
  EXPECT_EQ(run.done, 0u);
}

TEST(Reach, ReportsAreWhole) {
  const Files files;
  Request request = files.request();
  request.solvers = {"ccd", "dls"};
  const Result<Plan> plan = make_plan(request);
  ASSERT_TRUE(plan);
  ASSERT_FALSE(write_results(files.folder().path().string(), *plan, evaluate(*plan, {})));
  const nlohmann::json json = nlohmann::json::parse(files.folder().read("results.json"));
  EXPECT_EQ(json.at("end"), "tool");
  EXPECT_EQ(json.at("rows").at(1).at("solver"), "dls");
  EXPECT_EQ(json.at("rows").at(1).at("solved"), 3);
  const std::string page = files.folder().read("report.html");
  for (const char* part : {"</html>", "<svg", "dls", "75.00 %"}) expect_says(page, part);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  const std::string samples = files.folder().read("samples.csv");
  EXPECT_EQ(std::count(samples.begin(), samples.end(), '\n'), 1 + 2 * 4);
}

}  // namespace
}  // namespace gestik::evaluation::reach
