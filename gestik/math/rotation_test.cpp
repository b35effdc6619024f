#include "gestik/math/rotation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

/// Of the two quaternions of a rotation, how far the nearer one is.
Real apart(const Quat& a, const Quat& b) {
  return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm());
}

/// Lengths of rotation vectors that have given trouble to someone: tiny, near pi and in between.
Real any_angle(Random& random) {
  switch (random.index(4)) {
    case 0:
      return std::abs(random.any_size(1e-300, 1e-3));
    case 1:
      return pi - std::abs(random.any_size(1e-15, 1e-3));
    default:
      return random.uniform(0, pi);
  }
}

RC_GTEST_PROP(ExpLog, LogOfExpIsTheVectorUpToPi, (std::uint64_t seed)) {
  Random random(seed);
  const Vec3 v = any_angle(random) * random.direction();
  const Quat q = exp(v);
  RC_ASSERT(std::abs(q.norm() - 1) < 1e-15);
  RC_ASSERT((log(q) - v).norm() <= 2e-15 * std::max(1.0, v.norm()));
  if (v.norm() < 1e-3) RC_ASSERT((log(q) - v).norm() <= 1e-15 * v.norm());  // relative when tiny
  Quat twin = q;
  twin.coeffs() = -twin.coeffs();
  RC_ASSERT((log(twin) - v).norm() <= 2e-15 * std::max(1.0, v.norm()));
}

RC_GTEST_PROP(ExpLog, ExpOfLogIsTheRotation, (std::uint64_t seed)) {
  Random random(seed);
  const Quat q = random.rotation();
  RC_ASSERT(apart(exp(log(q)), q) < 2e-15);
  RC_ASSERT(log(q).norm() <= pi * (1 + 1e-15));
}

RC_GTEST_PROP(ExpLog, ExpTurnsAboutTheVectorByItsLength, (std::uint64_t seed)) {
  Random random(seed);
  const Real angle = any_angle(random);
  const Vec3 axis = random.direction(), u = axis.unitOrthogonal();
  const Vec3 turned = exp(angle * axis) * u;
  const Vec3 wanted = std::cos(angle) * u + std::sin(angle) * axis.cross(u);
  RC_ASSERT((turned - wanted).norm() < 3e-15);
  RC_ASSERT(apart(exp(angle * axis), axis_angle(axis, angle)) < 1e-15);
}

TEST(ExpLog, EndsOfTheRange) {
  EXPECT_TRUE(same_bits(exp(Vec3::Zero()), Quat::Identity()));
  EXPECT_EQ(log(Quat::Identity()), Vec3::Zero());
  EXPECT_EQ(log(Quat(-1, 0, 0, 0)), Vec3::Zero());
  EXPECT_NEAR(log(Quat(0, 0, 1, 0)).y(), pi, 1e-15);
  EXPECT_EQ(log(exp(Vec3(1e-300, 0, 0))), Vec3(1e-300, 0, 0));
  // More than a turn is a turn less.
  EXPECT_LT((log(exp(Vec3(0, 0, 2 * pi + 0.5))) - Vec3(0, 0, 0.5)).norm(), 1e-14);
}

TEST(ExpLog, ExpIsAUnitQuaternionForAnyLength) {
  for (const Real length : {1e-200, 1e-160, 1.0, 1e8, 1e155, 1e200, 1e300, 1e308}) {
    const Vec3 v(length, -length / 2, length / 3);
    EXPECT_NEAR(exp(v).norm(), 1, 1e-14) << length;
  }
  EXPECT_LT(apart(exp(Vec3(0, 1e200, 0)), axis_angle(Vec3::UnitY(), 1e200)), 1e-14);
}

TEST(Wrap, StaysBetweenMinusPiAndPi) {
  EXPECT_EQ(wrap_angle(0.5), 0.5);
  EXPECT_EQ(wrap_angle(pi), pi);
  EXPECT_EQ(wrap_angle(-pi), -pi);
  EXPECT_NEAR(wrap_angle(3.5), 3.5 - 2 * pi, 1e-15);
  EXPECT_NEAR(wrap_angle(-3.5), 2 * pi - 3.5, 1e-15);
  EXPECT_NEAR(wrap_angle(2 * pi), 0, 1e-15);
  EXPECT_NEAR(wrap_angle(101 * 2 * pi + 0.25), 0.25, 1e-12);
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Real angle = random.any_size(1e-10, 1e10), wrapped = wrap_angle(angle);
    ASSERT_LE(std::abs(wrapped), pi);
    ASSERT_NEAR(std::remainder(wrapped - angle, 2 * pi), 0, 1e-5);
    ASSERT_EQ(wrap_angle(wrapped), wrapped);
  }
  EXPECT_TRUE(std::isnan(wrap_angle(infinity)));
}

TEST(NearestTurn, AddsWholeTurnsOnly) {
  EXPECT_EQ(nearest_turn(0.5, 3), 0.5);
  EXPECT_EQ(nearest_turn(0.5, 4), 0.5 + 2 * pi);
  EXPECT_EQ(nearest_turn(-3, 3), -3 + 2 * pi);
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Real angle = random.uniform(-20, 20), place = random.uniform(-20, 20);
    const Real turned = nearest_turn(angle, place);
    ASSERT_LE(std::abs(turned - place), pi + 1e-14);
    ASSERT_NEAR(std::remainder(turned - angle, 2 * pi), 0, 1e-13);
  }
}

TEST(AngleBetween, VectorsArePreciseAtBothEnds) {
  Random random(2);
  for (int i = 0; i < 5000; ++i) {
    const Real tiny = std::abs(random.any_size(1e-14, 1e-1));
    const Vec3 u = Vec3::UnitX();  // exact, so that the angle asked for is the angle there
    const Vec3 v(std::cos(tiny), std::sin(tiny), 0);
    ASSERT_NEAR(angle_between(u, v), tiny, 1e-15 * tiny + 1.2e-16);
    ASSERT_NEAR(angle_between(u, Vec3(-v)), pi - tiny, 5e-16);
  }
  EXPECT_EQ(angle_between(Vec3(Vec3::UnitX()), Vec3(Vec3::UnitX())), 0);
  EXPECT_NEAR(angle_between(Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY())), pi / 2, 1e-15);
  EXPECT_EQ(angle_between(Vec3(Vec3::UnitX()), Vec3(-Vec3::UnitX())), pi);
}

TEST(AngleBetween, OrientationsArePreciseWhenTiny) {
  for (const Real tiny : {1e-12, 1e-9, 1e-5, 0.1, 3.0, pi})
    EXPECT_NEAR(angle_between(Quat::Identity(), axis_angle(Vec3::UnitZ(), tiny)), tiny,
                1e-15 * std::max(tiny, 1.0) * (tiny < 1e-3 ? tiny : 1));
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Quat a = random.rotation(), b = random.rotation();
    const Quat b_twin(-b.w(), -b.x(), -b.y(), -b.z());
    EXPECT_NEAR(angle_between(a, b), log(a.conjugate() * b).norm(), 1e-15 * 8);
    EXPECT_NEAR(angle_between(a, b), angle_between(a, b_twin), 1e-15 * 8);
    EXPECT_LE(angle_between(a, b), pi);
    EXPECT_LE(angle_between(a, a), 1e-15);
  }
}

TEST(Normalized, AnyMagnitudeGivesUnitLength) {
  const Vec3 v(3, -4, 12);  // 13 long
  const Real denormal = std::numeric_limits<Real>::denorm_min();
  for (const Real scale : {1.0, 1e-300, 1e300, 1e-307, 1e307, 1e-160, 1e160}) {
    const Vec3 unit = normalized_or_zero(scale * v);
    EXPECT_LT((unit - v / 13).norm(), 1e-15) << scale;
    const Quat q = normalized_or_identity(Quat(scale * 3, 0, scale * -4, 0));
    EXPECT_LT((q.coeffs() - Quat(0.6, 0, -0.8, 0).coeffs()).norm(), 1e-15) << scale;
  }
  EXPECT_LT((normalized_or_zero(Vec3(3 * denormal, 0, 4 * denormal)) - Vec3(0.6, 0, 0.8)).norm(),
            1e-15);
  EXPECT_EQ(normalized_or_zero(Vec3(0, denormal, 0)), Vec3(0, 1, 0));
  const Real most = std::numeric_limits<Real>::max();
  EXPECT_NEAR(normalized_or_zero(Vec3(most, most, most)).norm(), 1, 1e-15);
  EXPECT_NEAR(normalized_or_identity(Quat(most, most, most, most)).norm(), 1, 1e-15);
}

TEST(Normalized, WhatHasNoDirectionGetsTheDefault) {
  const Real nan = std::nan("");
  for (const Real bad : {nan, infinity, -infinity}) {
    EXPECT_EQ(normalized_or_zero(Vec3(1, bad, 0)), Vec3::Zero());
    EXPECT_EQ(normalized_or_zero(Vec3(bad, bad, bad)), Vec3::Zero());
    for (int k = 0; k < 4; ++k) {
      Quat q(0.5, 0.5, 0.5, 0.5);
      q.coeffs()[k] = bad;
      EXPECT_TRUE(same_bits(normalized_or_identity(q), Quat::Identity()));
    }
  }
  EXPECT_EQ(normalized_or_zero(Vec3::Zero()), Vec3::Zero());
  EXPECT_TRUE(same_bits(normalized_or_identity(Quat(0, 0, 0, 0)), Quat::Identity()));
  EXPECT_TRUE(same_bits(normalized_or_identity(Quat(-0.0, 0, -0.0, 0)), Quat::Identity()));
}

TEST(Normalized, TwiceIsOnceBitForBit) {
  Random random(4);
  for (int i = 0; i < 100'000; ++i) {
    const Real scale = std::abs(random.any_size(1e-300, 1e300));
    const Vec3 v = normalized_or_zero(scale * random.vector(1));
    ASSERT_TRUE(same_bits(normalized_or_zero(v), v));
    const Quat q =
        normalized_or_identity(Quat(random.uniform(-scale, scale), random.uniform(-scale, scale),
                                    random.uniform(-1, 1), random.uniform(-1, 1)));
    ASSERT_TRUE(same_bits(normalized_or_identity(q), q));
    ASSERT_NEAR(v.norm(), 1, 5e-16);
    ASSERT_NEAR(q.norm(), 1, 5e-16);
  }
}

TEST(AnyPerpendicular, IsAUnitVectorAtARightAngle) {
  Random random(5);
  for (int i = 0; i < 10'000; ++i) {
    const Vec3 v = random.direction();
    const Vec3 p = any_perpendicular(v);
    ASSERT_NEAR(p.norm(), 1, 1e-15);
    ASSERT_NEAR(p.dot(v), 0, 1e-15);
    ASSERT_TRUE(same_bits(p, any_perpendicular(v)));
  }
}

RC_GTEST_PROP(ShortestRotation, CarriesOneToTheOtherTheShortestWay, (std::uint64_t seed)) {
  Random random(seed);
  const Vec3 from = random.direction();
  const Vec3 side = any_perpendicular(from);
  const Real angle = any_angle(random);
  const Vec3 to = normalized_or_zero(std::cos(angle) * from + std::sin(angle) * side);
  const Quat q = shortest_rotation(from, to);
  RC_ASSERT(std::abs(q.norm() - 1) < 1e-15);
  const Real slip = (q * from - to).norm();
  RC_ASSERT(slip < (angle < pi - 1e-11 ? 2e-15 : 2e-12));  // nearly opposite is no excuse
  RC_ASSERT(std::abs(log(q).norm() - angle_between(from, to)) < 2e-12);
}

TEST(ShortestRotation, OfEqualVectorsIsTheIdentity) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 v = random.direction();
    EXPECT_LT(angle_between(shortest_rotation(v, v), Quat::Identity()), 1e-15);
  }
  EXPECT_TRUE(same_bits(shortest_rotation(Vec3::UnitZ(), Vec3::UnitZ()), Quat::Identity()));
}

TEST(ShortestRotation, OfOppositeVectorsIsAHalfTurnChosenByTheFirst) {
  Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 v = random.direction();
    const Quat q = shortest_rotation(v, -v);
    EXPECT_LT((q * v + v).norm(), 1e-14);
    EXPECT_NEAR(q.w(), 0, 1e-15);
    EXPECT_TRUE(same_bits(q, shortest_rotation(v, -v)));
  }
}

/// A rotation whose swing away from the axis is as asked.
Quat with_swing(Random& random, const Vec3& axis, Real swing, Real twist) {
  const Vec3 side = axis_angle(axis, random.uniform(-pi, pi)) * any_perpendicular(axis);
  return axis_angle(side, swing) * axis_angle(axis, twist);
}

RC_GTEST_PROP(SwingTwist, MultiplyingTheTwoGivesTheRotationBack, (std::uint64_t seed)) {
  Random random(seed);
  const Vec3 axis = random.direction();
  const Quat q = random.chance(0.5)
                     ? random.rotation()
                     : with_swing(random, axis, any_angle(random), random.uniform(-pi, pi));
  const SwingTwist parts = split_swing_twist(q, axis);
  RC_ASSERT(apart(parts.swing * axis_angle(axis, parts.twist), q) < 2e-15);
  RC_ASSERT(std::abs(parts.swing.vec().dot(axis)) < 2e-15);  // the swing does not twist
  RC_ASSERT(std::abs(parts.twist) <= pi);
  RC_ASSERT((parts.swing * axis - q * axis).norm() < 4e-15);
  RC_ASSERT(parts.swing.w() >= 0);
}

RC_GTEST_PROP(SwingTwist, FindsTheAnglesItWasMadeOf, (std::uint64_t seed)) {
  Random random(seed);
  const Vec3 axis = random.direction();
  const Real swing = any_angle(random), twist = random.uniform(-pi, pi);
  const SwingTwist parts = split_swing_twist(with_swing(random, axis, swing, twist), axis);
  // What is left of the twist in q fades with the cosine of half the swing, and its precision too.
  const Real blur = 1e-15 / std::cos(swing / 2);
  RC_ASSERT(std::abs(log(parts.swing).norm() - swing) < 4e-15);
  RC_ASSERT(std::abs(wrap_angle(parts.twist - twist)) < 4 * blur);
}

TEST(SwingTwist, SpecialTurns) {
  const Vec3 z = Vec3::UnitZ();
  EXPECT_EQ(split_swing_twist(Quat::Identity(), z).twist, 0);
  EXPECT_NEAR(split_swing_twist(axis_angle(z, 2), z).twist, 2, 1e-15);
  EXPECT_NEAR(std::abs(split_swing_twist(axis_angle(z, pi), z).twist), pi, 1e-15);
  EXPECT_EQ(split_swing_twist(axis_angle(Vec3::UnitX(), 1), z).twist, 0);
  const SwingTwist over = split_swing_twist(Quat(0, 1, 0, 0), z);  // right round: no twist to see
  EXPECT_EQ(over.twist, 0);
  EXPECT_LT(apart(over.swing, Quat(0, 1, 0, 0)), 1e-15);
}

TEST(PlainNumbers, multiply_and_turn_as_eigen_does) {
  Random random(12);
  for (int i = 0; i < 1000; ++i) {
    const Quat a = random.rotation(), b = random.rotation();
    const Vec3 v = random.uniform(0, 10) * random.direction();
    EXPECT_LT((times(a, b).coeffs() - (a * b).coeffs()).norm(), 1e-15);
    EXPECT_LT((turned(a, v) - a * v).norm(), 1e-14);
  }
}

}  // namespace
}  // namespace gestik
