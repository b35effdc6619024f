#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gestik/goal/at_frame.h"
#include "gestik/io/read.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/run.h"

// Published sets of robots and poses: every pose is to be found, inside the limits.

namespace gestik {
namespace {

const std::string data_folder = GESTIK_SOURCE_DIR "/../shared/data/ikbench/";

using Row = std::vector<Real>;

std::vector<Row> read_csv(const std::string& file) {
  std::ifstream in(data_folder + file);
  std::string line;
  std::getline(in, line);  // the header
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    rows.emplace_back(std::istream_iterator<Real>(cells), std::istream_iterator<Real>());
  }
  return rows;
}

std::vector<Goal> pose_goals(const Frame& end, const Pose& target, Real tolerance) {
  Reach place = reach(end, target.p);
  Orient turn = orient(end, target.q);
  place.tolerance = turn.tolerance = tolerance;
  return {place, turn};
}

/// Solves poses on one robot and keeps count.
class Solves {
 public:
  explicit Solves(const Skeleton& skeleton)
      : skeleton_(skeleton), scratch_(scratch_bytes(solver_, skeleton, 2)) {}

  Report one(const std::vector<Goal>& goals, ConstQ seed) {
    std::vector<Real> q(static_cast<std::size_t>(skeleton_.q_size()));
    const Report report =
        run(solver_, {.skeleton = skeleton_, .goals = goals, .seed = seed}, scratch_, q);
    ++solves_;
    passes_ += report.passes;
    return report;
  }
  Real mean_passes() const { return static_cast<Real>(passes_) / solves_; }

 private:
  const AnySolver solver_ = Lm{};
  const Skeleton& skeleton_;
  Scratch scratch_;
  int solves_ = 0;
  long passes_ = 0;
};

class Coiks : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_folder + "coiks")) GTEST_SKIP() << "no ../shared/data here";
  }
};

const Frame& find_end(const Character& robot) {
  for (const std::vector<Frame>* frames : {&robot.ends, &robot.links})
    for (const Frame& frame : *frames)
      if (frame.name == "link_ee") return frame;
  return robot.ends.front();
}

TEST_P(Coiks, EveryPoseIsFound) {
  const std::string name = GetParam();
  const Loaded loaded = *read_character_file(data_folder + "coiks/" + name + ".urdf");
  const Frame& end = find_end(loaded.character);
  const std::vector<Row> targets = read_csv("coiks/targets_" + name + ".csv");
  const std::vector<Row> seeds = read_csv("coiks/qinit_" + name + ".csv");
  ASSERT_EQ(targets.size(), 1000u);
  ASSERT_EQ(seeds.size(), 1000u);
  Solves solves(loaded.character.skeleton);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Row& t = targets[i];
    const Pose target{Quat(t[4], t[5], t[6], t[7]), Vec3(t[1], t[2], t[3])};
    const Report report = solves.one(pose_goals(end, target, 1e-5), std::span(seeds[i]).subspan(1));
    EXPECT_EQ(report.status, Status::reached) << name << ", problem " << i;
  }
  EXPECT_LT(solves.mean_passes(), 30);
  RecordProperty("mean_passes", std::to_string(solves.mean_passes()));
}

TEST_P(Coiks, RandomAndEdgePosesAreFoundAndNearOnesQuickly) {
  const std::string name = GetParam();
  const Loaded loaded = *read_character_file(data_folder + "coiks/" + name + ".urdf");
  const Skeleton& skeleton = loaded.character.skeleton;
  const Frame& end = find_end(loaded.character);
  Random random(1);
  const auto pose_at = [&](ConstQ q) {
    return poses(skeleton, q)[end.joint] * end.joint_from_frame;
  };
  Solves solves(skeleton), warm(skeleton);
  for (int i = 0; i < 1000; ++i) {
    std::vector<Real> solution = test::random_pose(skeleton, random);
    if (i % 2 == 1)  // on a limit, or at zero
      for (JointId j = 0; j < skeleton.joint_count(); ++j) {
        if (skeleton.type(j) == JointType::fixed || random.chance(0.25)) continue;
        constexpr std::array<Real, 3> edges{-1e9, 0, 1e9};
        solution[skeleton.q_offset(j)] = edges[random.index(3)];
        if (std::isinf(skeleton.limits(j).hi)) solution[skeleton.q_offset(j)] = 0;
      }
    clamp_to_limits(skeleton, solution);
    const std::vector<Goal> goals = pose_goals(end, pose_at(solution), 1e-5);
    EXPECT_EQ(solves.one(goals, test::random_pose(skeleton, random)).status, Status::reached)
        << name << ", problem " << i;

    std::vector<Real> near = solution;
    for (Real& x : near) x += random.uniform(-0.1, 0.1);
    EXPECT_EQ(warm.one(goals, near).status, Status::reached) << name << ", problem " << i;
  }
  EXPECT_LT(warm.mean_passes(), 15);
  RecordProperty("warm_passes", std::to_string(warm.mean_passes()));
}

INSTANTIATE_TEST_SUITE_P(Robots, Coiks,
                         testing::Values("panda", "iiwa", "xarm7", "ur5", "jaco", "hsr"),
                         [](const auto& param) { return std::string(param.param); });

/// Hinges without limits, each with its axis and its offset from the one before; the last offset
/// leads to the tool.
struct Arm {
  Skeleton skeleton;
  Frame tool;

  Arm(std::span<const Vec3> axes, std::span<const Vec3> offsets)
      : skeleton(chain(axes, offsets)),
        tool{.joint = static_cast<JointId>(axes.size()) - 1,
             .joint_from_frame = {Quat::Identity(), offsets[axes.size()]}} {}

  static Skeleton chain(std::span<const Vec3> axes, std::span<const Vec3> offsets) {
    SkeletonDraft draft;
    for (std::size_t i = 0; i < axes.size(); ++i)
      draft.joints.push_back({.name = numbered("j", static_cast<int>(i)),
                              .parent = i == 0 ? "" : numbered("j", static_cast<int>(i) - 1),
                              .type = JointType::hinge,
                              .parent_from_joint = {Quat::Identity(), offsets[i]},
                              .axis = axes[i]});
    return *build(draft);
  }
};

/// Vectors one behind the other in a row.
std::vector<Vec3> vectors(const Row& row, std::size_t first, std::size_t count) {
  std::vector<Vec3> result;
  for (std::size_t i = first; i < first + 3 * count; i += 3)
    result.emplace_back(row[i], row[i + 1], row[i + 2]);
  return result;
}

/// Columns of a rotation matrix, then a place.
Pose pose_in(const Row& row, std::size_t first) {
  const std::vector<Vec3> columns = vectors(row, first, 4);
  Mat3 rotation;
  rotation << columns[0], columns[1], columns[2];
  return {Quat(rotation), columns[3]};
}

TEST(IkGeo, EveryPoseIsFound) {
  if (!std::filesystem::exists(data_folder + "ik-geo")) GTEST_SKIP() << "no ../shared/data here";
  int poses = 0;
  const auto expect_found = [&](const Arm& arm, const Pose& target, const std::string& name) {
    const Report report =
        Solves(arm.skeleton).one(pose_goals(arm.tool, target, 1e-6), arm.skeleton.neutral());
    EXPECT_EQ(report.status, Status::reached) << name;
    ++poses;
  };
  for (const char* name : {"IK_2_parallel", "IK_3_parallel", "IK_gen_6_dof", "IK_spherical"})
    for (const Row& row : read_csv("ik-geo/" + std::string(name) + ".csv")) {
      const std::size_t offsets =
          (row.size() - 18 - 12 - 6) / 3;  // a spherical wrist leaves some out
      ASSERT_GE(offsets, 5u) << name;
      std::vector<Vec3> offset = vectors(row, 18, offsets);
      if (offsets == 5) offset.insert(offset.begin() + 4, 2, Vec3::Zero());
      expect_found(Arm(vectors(row, 0, 6), offset), pose_in(row, 18 + 3 * offsets), name);
    }

  std::ifstream file(data_folder + "ik-geo/robots.json");
  const nlohmann::json robots = nlohmann::json::parse(file).at("robots");
  for (const auto& [name, robot] : robots.items()) {
    const auto list = [&](const char* key) {
      std::vector<Vec3> result;
      for (const auto& v : robot.at(key)) result.emplace_back(v[0], v[1], v[2]);
      return result;
    };
    for (const Row& row : read_csv("ik-geo/" + name + ".csv"))
      expect_found(Arm(list("H"), list("P")), pose_in(row, 0), name);
  }
  EXPECT_EQ(poses, 80);
}

// Two axes up and across at the shoulder, an elbow, and a wrist of three: the parameters of ortho-
// parallel arms (Brandstoetter et al. 2014). The joints have no limits here, so that offsets of
// their zeros do not matter.
TEST(RsOpw, EveryPoseIsFound) {
  if (!std::filesystem::exists(data_folder + "rs-opw")) GTEST_SKIP() << "no ../shared/data here";
  std::ifstream file(data_folder + "rs-opw/opw_Irb2400_10.json");
  const nlohmann::json robot = nlohmann::json::parse(file);
  const auto length = [&](const char* key) { return robot.at(key).get<Real>(); };
  const Vec3 y = Vec3::UnitY(), z = Vec3::UnitZ(), none = Vec3::Zero();
  const std::vector<Vec3> axes{z, y, y, z, y, z};
  const std::vector<Vec3> offsets{none,
                                  {length("a1"), length("b"), length("c1")},
                                  {0, 0, length("c2")},
                                  {length("a2"), 0, length("c3")},
                                  none,
                                  none,
                                  {0, 0, length("c4")}};
  const Arm arm(axes, offsets);
  Solves solves(arm.skeleton);
  std::ifstream cases(data_folder + "rs-opw/cases_Irb2400_10.yaml");
  int found = 0, all = 0;
  for (std::string line; std::getline(cases, line);) {
    if (line.find("pose:") == std::string::npos) continue;
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return !std::strchr("0123456789+-.e", c) || c == 0; }, ' ');
    std::istringstream words(line);
    Row n;
    for (std::string word; words >> word;)
      if (word.find_first_of("0123456789") != std::string::npos) n.push_back(std::stod(word));
    ASSERT_EQ(n.size(), 7u);
    const Pose target{Quat(n[6], n[3], n[4], n[5]), Vec3(n[0], n[1], n[2])};
    ++all;
    found += solves.one(pose_goals(arm.tool, target, 1e-6), arm.skeleton.neutral()).status ==
             Status::reached;
  }
  EXPECT_EQ(all, 1024);
  EXPECT_EQ(found, all);
}

}  // namespace
}  // namespace gestik
