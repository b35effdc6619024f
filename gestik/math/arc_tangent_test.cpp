#include "gestik/math/arc_tangent.h"

#include <gtest/gtest.h>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

/// How many units in the last place it is off; long double has 11 bits more.
Real ulps_off(Real y, Real x) {
  const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
  int exponent = 0;
  (void)std::frexp(static_cast<Real>(exact), &exponent);
  return static_cast<Real>(std::abs(arc_tangent(y, x) - exact) / std::ldexp(1.0L, exponent - 53));
}

TEST(ArcTangent, is_right_to_the_last_places_all_round_and_beside_the_axes) {
  Random random(1);
  Real worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    Real x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    const Real little = std::pow(10, random.uniform(-200, 0));
    if (i % 3 == 1) x *= little;
    if (i % 3 == 2) y *= little;
    if (x != 0 || y != 0) worst = std::max(worst, ulps_off(y, x));
  }
  EXPECT_LE(worst, 2.5);
}

TEST(ArcTangent, is_right_where_its_octants_meet) {
  Real worst = 0;
  for (int eighth = -8; eighth <= 8; ++eighth) {
    for (const Real away : {0.0, 1e-16, 1e-15, 1e-12, 1e-8, -1e-16, -1e-15, -1e-12, -1e-8}) {
      const Real angle = eighth * pi / 8 + away;
      const Real x = std::cos(angle), y = std::sin(angle);
      worst = std::max(worst, ulps_off(y, x));
      if (y != 0) worst = std::max(worst, ulps_off(1e-100 * y, 1e-100 * x));
    }
  }
  EXPECT_LE(worst, 2.5);
}

TEST(ArcTangent, is_the_librarys_for_zeros_infinities_and_extremes) {
  const Real least = std::numeric_limits<Real>::denorm_min();
  const Real most = std::numeric_limits<Real>::max();
  const std::array<Real, 7> sizes{0.0, least, 1e-300, 1.0, 1e300, most, infinity};
  for (const Real a : sizes)
    for (const Real b : sizes)
      for (const Real y : {a, -a})
        for (const Real x : {b, -b}) {
          const Real got = arc_tangent(y, x), wanted = std::atan2(y, x);
          EXPECT_DOUBLE_EQ(got, wanted) << y << ", " << x;
          EXPECT_EQ(std::signbit(got), std::signbit(wanted)) << y << ", " << x;
        }
  EXPECT_TRUE(std::isnan(arc_tangent(std::nan(""), 1)));
  EXPECT_TRUE(std::isnan(arc_tangent(1, std::nan(""))));
  EXPECT_TRUE(std::isnan(arc_tangent(0, std::nan(""))));
}

}  // namespace
}  // namespace gestik
