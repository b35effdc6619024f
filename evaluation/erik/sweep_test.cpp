#include "evaluation/erik/sweep.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "evaluation/erik/paper.h"
#include "gestik/io/read.h"
#include "gestik/math/rotation.h"

namespace gestik::evaluation::erik {
namespace {

struct Body {
  Character character;
  JointId end;
};

Body body(const std::string& name) {
  Character character = bundled_character(name)->character;
  const JointId end = find_frame(character, "end")->joint;
  return {std::move(character), end};
}

/// How often each joint takes each of its angles.
std::vector<std::map<Real, int>> uses(const std::vector<Real>& postures, std::size_t q_size) {
  std::vector<std::map<Real, int>> uses(q_size);
  for (std::size_t i = 0; i < postures.size(); ++i) ++uses[i % q_size][postures[i]];
  return uses;
}

TEST(PostureGrid, HasThePapersNumbersOfPosturesAndBothEndsOfEveryRange) {
  for (const paper::Effort& row : paper::table_8) {
    const auto [character, end] = body(std::string(row.skeleton));
    const Skeleton& skeleton = character.skeleton;
    const auto q_size = static_cast<std::size_t>(skeleton.q_size());
    for (const std::size_t wanted : {std::size_t{200}, row.postures}) {
      const std::vector<Real> postures = posture_grid(skeleton, end, wanted, row.postures);
      ASSERT_EQ(postures.size(), wanted * q_size);
      EXPECT_EQ(postures, posture_grid(skeleton, end, wanted, row.postures));

      const std::set<std::vector<Real>> different = [&] {
        std::set<std::vector<Real>> set;
        for (std::size_t i = 0; i < wanted; ++i)
          set.emplace(&postures[i * q_size], &postures[i * q_size] + q_size);
        return set;
      }();
      EXPECT_EQ(different.size(), wanted);

      const std::vector<std::map<Real, int>> by_joint = uses(postures, q_size);
      for (JointId j = 0; j < skeleton.joint_count(); ++j) {
        const std::map<Real, int>& angles = by_joint[static_cast<std::size_t>(j)];
        if (j == 0 || j == end) {  // root and end twister
          EXPECT_EQ(angles.size(), 1u);
          EXPECT_EQ(angles.begin()->first, 0);
          continue;
        }
        EXPECT_GE(angles.size(), 6u);
        EXPECT_DOUBLE_EQ(angles.begin()->first, skeleton.limits(j).lo);
        EXPECT_DOUBLE_EQ(angles.rbegin()->first, skeleton.limits(j).hi);
        Real sum = 0;  // no joint prefers a side
        for (const auto& [angle, times] : angles) sum += angle * times;
        EXPECT_NEAR(sum / static_cast<Real>(wanted) / skeleton.limits(j).hi, 0, 0.07)
            << row.skeleton << " " << wanted << " joint " << j;
      }
    }
  }
}

TEST(TargetGrid, LooksEverywhereAndAlongTheAxes) {
  for (const std::size_t wanted : {std::size_t{24}, std::size_t{500}, paper::orientations}) {
    const std::vector<Quat> targets = target_grid(wanted);
    ASSERT_EQ(targets.size(), wanted);
    std::set<std::vector<int>> aligned;  // the 24 orientations of a cube
    Vec3 sum = Vec3::Zero();
    for (const Quat& target : targets) {
      EXPECT_NEAR(target.norm(), 1, 1e-14);
      const Mat3 m = target.toRotationMatrix();
      sum += m.col(1);
      if ((m.array().abs() - m.array().abs().round()).abs().maxCoeff() > 1e-12) continue;
      std::vector<int> key;
      for (int i = 0; i < 9; ++i) key.push_back(static_cast<int>(std::lround(m(i / 3, i % 3))));
      aligned.insert(key);
    }
    EXPECT_EQ(aligned.size(), 24u) << wanted;
    // No direction is preferred, but for straight down: that is pitch -pi as well as pi.
    EXPECT_LT(sum.norm() / static_cast<Real>(wanted), 0.07) << wanted;
  }
}

TEST(TargetGrid, IsTheSameEveryTime) {
  const std::vector<Quat> once = target_grid(300), again = target_grid(300);
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].coeffs(), again[i].coeffs());
  EXPECT_EQ(target_grid(1).size(), 1u);
}

TEST(GridPoints, AreDifferentAndReachBothEnds) {
  for (const std::size_t wanted : {100u, 125u, 1000u}) {
    const std::vector<Real> numbers = grid_points(3, 5, wanted);
    std::set<std::vector<Real>> points;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
      points.emplace(numbers.begin() + static_cast<std::ptrdiff_t>(i),
                     numbers.begin() + static_cast<std::ptrdiff_t>(i) + 3);
    EXPECT_EQ(points.size(), std::min(wanted, std::size_t{125}));
    for (const Real x : numbers) EXPECT_EQ(x * 4, std::round(x * 4));
    EXPECT_TRUE(points.contains({0, 0, 0}));
    EXPECT_TRUE(points.contains({1, 1, 1}));
  }
}

// ---- Files of problems -------------------------------------------------------------------------

Result<Sweep> read(std::string_view text) {
  return read_problems(text, "p.csv", body("A").character.skeleton);
}

TEST(Problems, AreReadAsTheyStand) {
  const Result<Sweep> sweep = read(
      "\xEF\xBB\xBF# w, x, y, z, then three angles\r\n"
      "\r\n"
      "1,0,0,0, 0.5,-0.25,1e-3\r\n"
      "  2 , 0, 0, 0,0,9,0  # not of unit length, and a posture outside the limits\n"
      "0,0,0,-1,0,0,0");
  ASSERT_TRUE(sweep) << to_string(sweep.error());
  EXPECT_TRUE(sweep->paired);
  EXPECT_EQ(sweep->sample_count(), 3u);
  EXPECT_EQ(sweep->posture_count(), 3u);
  EXPECT_EQ(std::vector<Real>(sweep->posture(0).begin(), sweep->posture(0).end()),
            (std::vector<Real>{0.5, -0.25, 1e-3}));
  EXPECT_EQ(sweep->posture(1)[1], 9);
  EXPECT_EQ(sweep->lines, (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(sweep->targets[1].w(), 1);
  EXPECT_EQ(sweep->targets[2].z(), -1);
}

TEST(Problems, BadLinesAreRefusedByTheirNumber) {
  const std::string good = "1,0,0,0,0,0,0\n";
  for (const auto& [line, said] : std::initializer_list<std::pair<std::string, std::string>>{
           {"1,0,0,0,0,0", "6 numbers"},
           {"1,0,0,0,0,0,0,0", "8 numbers"},
           {"1,0,0,0,0,0,", "'' is not a finite number"},
           {"1,0,0,0,nan,0,0", "'nan'"},
           {"1,0,0,0,0,inf,0", "'inf'"},
           {"1,0,0,0,0,1e999,0", "'1e999'"},
           {"1,0,0,0,0,1e31,0", "beyond 1e30"},
           {"1;0;0;0;0;0;0", "'1;0;0;0;0;0;0'"},
           {"1,0,0,0,0,0x1,0", "'0x1'"},
           {"1,0,0,0,0,one,0", "'one'"},
           {"0,0,0,0,0,0,0", "zero quaternion"},
           {"0,-0.0,0,0,0,0,0", "zero quaternion"}}) {
    const Result<Sweep> sweep = read(good + "# comment\n\n" + line + "\n" + good);
    ASSERT_FALSE(sweep) << line;
    EXPECT_EQ(sweep.error().where, "p.csv:4");
    EXPECT_NE(sweep.error().what.find(said), std::string::npos) << sweep.error().what;
  }
}

TEST(Problems, OfAnEmptyOrBinaryFileAreRefused) {
  for (const std::string_view text : {"", "\n\n", "# nothing\n", "\x01\x02", "1,0,0,0,\xff"})
    EXPECT_FALSE(read(text));
}

TEST(Sweep, TasksCoverEverySampleOnce) {
  Sweep grid{.q_size = 2, .postures = std::vector<Real>(14), .targets = std::vector<Quat>(5)};
  EXPECT_EQ(grid.task_count(), 7u);
  EXPECT_EQ(grid.sample_count(), 35u);
  EXPECT_EQ(grid.task(3).first.posture, 3u);
  EXPECT_EQ(grid.task(3).samples, 5u);

  Sweep pairs{.q_size = 1,
              .postures = std::vector<Real>(1000),
              .targets = std::vector<Quat>(1000),
              .paired = true};
  std::size_t next = 0;
  for (std::size_t i = 0; i < pairs.task_count(); ++i) {
    EXPECT_EQ(pairs.task(i).first.posture, next);
    EXPECT_EQ(pairs.task(i).first.target, next);
    next += pairs.task(i).samples;
  }
  EXPECT_EQ(next, 1000u);
}

}  // namespace
}  // namespace gestik::evaluation::erik
