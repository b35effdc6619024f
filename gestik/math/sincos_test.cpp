#include "gestik/math/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

/// How many units in the last place of the exact value a result is off. The exact value comes from
/// long double, whose 11 further bits are noise enough for the reference.
Real ulps_off(Real got, long double exact) {
  const Real nearest = static_cast<Real>(exact);
  int exponent = 0;
  (void)std::frexp(nearest, &exponent);
  const Real ulp =
      std::max(std::ldexp(1.0, exponent - 53), std::numeric_limits<Real>::denorm_min());
  return static_cast<Real>(std::abs(static_cast<long double>(got) - exact) / ulp);
}

struct Worst {
  Real ulps = 0;
  Real at = 0;
};

Worst worst_of(const std::vector<Real>& angles) {
  std::vector<Real> sines(angles.size()), cosines(angles.size());
  sincos(angles, sines, cosines);
  Worst worst;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const long double x = angles[i];
    const Real ulps = std::max(ulps_off(sines[i], std::sin(x)), ulps_off(cosines[i], std::cos(x)));
    if (ulps > worst.ulps) worst = {ulps, angles[i]};
  }
  return worst;
}

TEST(Sincos, IsRightToTheLastPlaceOverDenseRanges) {
  struct Range {
    Real lo, hi, allowed_ulps;
  };
  for (const Range range : {Range{-0.01, 0.01, 0.51}, Range{-4, 4, 1.5}, Range{-100, 100, 1.5},
                            Range{-1e5, 1e5, 2.1}}) {
    std::vector<Real> angles;
    constexpr int steps = 200'000;
    for (int i = 0; i <= steps; ++i) angles.push_back(range.lo + (range.hi - range.lo) * i / steps);
    const Worst worst = worst_of(angles);
    RecordProperty("worst_ulps_up_to_" + std::to_string(range.hi), std::to_string(worst.ulps));
    EXPECT_LE(worst.ulps, range.allowed_ulps) << "at " << worst.at;
  }
}

TEST(Sincos, IsRightAtTheEdgesOfTheQuadrants) {
  std::vector<Real> angles;
  for (int eighth = -4000; eighth <= 4000; ++eighth) {
    const Real edge = eighth * (pi / 4);  // odd: where quadrants meet; even: where one is zero
    Real below = edge, above = edge;
    angles.push_back(edge);
    for (int k = 0; k < 4; ++k) {
      angles.push_back(below = std::nextafter(below, -infinity));
      angles.push_back(above = std::nextafter(above, infinity));
    }
  }
  const Worst worst = worst_of(angles);
  EXPECT_LE(worst.ulps, 1.5) << "at " << worst.at;
}

TEST(Sincos, TinyAnglesAreTheirOwnSine) {
  std::vector<Real> angles{0.0, 5e-324, -5e-324, 1e-310, 1e-200, -1e-20, 1e-9};
  std::vector<Real> sines(angles.size()), cosines(angles.size());
  sincos(angles, sines, cosines);
  for (std::size_t i = 0; i < angles.size(); ++i) {
    EXPECT_EQ(sines[i], angles[i]);
    EXPECT_EQ(cosines[i], 1.0);
  }
}

TEST(Sincos, FarAnglesAreReducedExactly) {
  std::vector<Real> angles{1e5, std::nextafter(1e5, infinity), -1e5 - 1, 1e8, -1e15, 1e22, 1e300};
  const Worst worst = worst_of(angles);
  EXPECT_LE(worst.ulps, 1.5) << "at " << worst.at;
}

TEST(Sincos, WhatIsNotFiniteGivesNaN) {
  const std::vector<Real> angles{infinity, -infinity, std::nan("")};
  std::vector<Real> sines(3), cosines(3);
  sincos(angles, sines, cosines);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(sines[i]));
    EXPECT_TRUE(std::isnan(cosines[i]));
  }
}

TEST(Sincos, EverySizeWritesItsOwnPlacesOnly) {
  Random random(1);
  for (std::size_t size = 0; size <= 70; ++size) {
    std::vector<Real> angles(size), sines(size + 1, 7), cosines(size + 1, 7);
    for (Real& angle : angles) angle = random.uniform(-10, 10);
    sincos(angles, std::span(sines).first(size), std::span(cosines).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      EXPECT_NEAR(sines[i], std::sin(angles[i]), 4e-16);
      EXPECT_NEAR(cosines[i], std::cos(angles[i]), 4e-16);
    }
    EXPECT_EQ(sines[size], 7);
    EXPECT_EQ(cosines[size], 7);
  }
}

// Forward kinematics hands over the angles of a whole block of joints: a joint's pose must not
// depend, in any bit, on who its neighbours are.
TEST(Sincos, AnAnglesBitsDoNotDependOnItsNeighbours) {
  Random random(2);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Real> angles(static_cast<std::size_t>(1 + random.index(40)));
    for (Real& angle : angles) angle = random.uniform(-100, 100);
    if (random.chance(0.5)) angles.front() = random.chance(0.5) ? 1e9 : std::nan("");
    std::vector<Real> sines(angles.size()), cosines(angles.size());
    sincos(angles, sines, cosines);
    for (std::size_t i = 0; i < angles.size(); ++i) {
      const auto [sine, cosine] = sincos(angles[i]);
      ASSERT_TRUE(same_bits(sine, sines[i])) << angles[i];
      ASSERT_TRUE(same_bits(cosine, cosines[i])) << angles[i];
    }
  }
}

}  // namespace
}  // namespace gestik
