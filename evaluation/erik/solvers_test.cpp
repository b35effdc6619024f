#include "evaluation/erik/solvers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "evaluation/erik/sweep.h"
#include "gestik/io/read.h"
#include "gestik/math/random_for_test.h"
#include "gestik/measure/erik_error.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::erik {
namespace {

TEST(Contenders, AreEverySolverAndThePapersVariants) {
  for (const std::string_view name : contender_names()) {
    const Result<Contender> contender = find_contender(name);
    ASSERT_TRUE(contender) << name;
    EXPECT_EQ(contender->label, name);
  }
  for (const AnySolver& solver : all_solvers()) EXPECT_TRUE(find_contender(info_of(solver).name));
}

TEST(Contenders, UnknownOnesGetASuggestion) {
  const Result<Contender> none = find_contender("cdc");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("no solver is called 'cdc'; did you mean 'ccd'?"),
            std::string::npos)
      << none.error().what;
}

// The claim of section 4.0.4: turned upright, no target is beyond skeleton C's limits. Its yaw,
// both its pitches and the roll of its end alone must do.
TEST(Upright, TargetsAreWithinReachOfSkeletonC) {
  const Character character = bundled_character("C")->character;
  const Skeleton& skeleton = character.skeleton;
  std::vector<Quat> targets = target_grid(500);
  Random random(1);
  for (int i = 0; i < 500; ++i) targets.push_back(random.rotation());
  for (const Quat& target : targets) {
    const Quat up = upright(target);
    EXPECT_LT(orientation_error(target, up, true), 1e-15);  // no other target to the measure

    const Vec3 looks = up * Vec3::UnitY();
    const Real side = looks.z() >= 0 ? 1 : -1;
    const Real pitch = side * angle_between(looks, Vec3::UnitY());
    const Real yaw = std::atan2(side * looks.x(), side * looks.z());
    const Quat unrolled = axis_angle(Vec3::UnitY(), yaw) * axis_angle(Vec3::UnitX(), pitch);
    const Real roll = split_swing_twist(unrolled.conjugate() * up, Vec3::UnitY()).twist;
    std::vector<Real> q{yaw, pitch / 2, pitch / 2, 0, roll};
    // Straight up or down the yaw is free and the roll its match: any split of the turn will do.
    if (std::abs(looks.y()) > 1 - 1e-9) continue;
    for (const Real angle : q) EXPECT_LE(std::abs(angle), pi / 2 + 1e-9);
    EXPECT_LT(angle_between(poses(skeleton, q).back().q, up), 1e-7);
  }
}

}  // namespace
}  // namespace gestik::evaluation::erik
