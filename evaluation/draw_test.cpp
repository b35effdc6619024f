#include "evaluation/draw.h"

#include <gtest/gtest.h>

#include "gestik/io/read.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation {
namespace {

// The ten thousandth number of the standard's generator, whose seed is 5489 unless one is given,
// is 9981545732273789042: its highest 53 bits are a share of 2^53.
TEST(Draw, GivesTheNumbersOfTheStandard) {
  Draw draw(5489);
  for (int i = 1; i < 10'000; ++i) (void)draw.index(2);
  EXPECT_EQ(draw.between(0, 1), static_cast<Real>(9981545732273789042u >> 11) * 0x1p-53);
}

TEST(Draw, StaysWhereItShould) {
  Draw draw(1);
  const Skeleton skeleton = bundled_character("humanoid")->character.skeleton;
  for (int i = 0; i < 200; ++i) {
    const Real x = draw.between(-3, 2);
    EXPECT_TRUE(x >= -3 && x < 2);
    EXPECT_LE(draw.in_ball(0.5).norm(), 0.5);
    EXPECT_NEAR(draw.rotation().norm(), 1, 1e-15);
    EXPECT_TRUE(inside_limits(skeleton, draw.pose(skeleton)));
  }
}

}  // namespace
}  // namespace gestik::evaluation
