#include "gestik/model/joint_ops.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>

#include "gestik/math/ellipse.h"
#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

Skeleton one_joint(JointType type, const Limits& limits, const Vec3& axis = Vec3::UnitY()) {
  JointDraft draft;
  draft.name = "joint";
  draft.type = type;
  draft.axis = axis;
  draft.limits = limits;
  return *build({{draft}});
}

Real clamped(JointType type, const Limits& limits, Real value) {
  const Skeleton skeleton = one_joint(type, limits);
  clamp_joint(skeleton, 0, &value);
  return value;
}

Quat clamped(const Skeleton& ball, const Quat& value) {
  Real q[4];
  store_quat(value, q);
  clamp_joint(ball, 0, q);
  return load_quat(q);
}

bool inside(const Skeleton& ball, const Quat& value, Real slack = limit_slack) {
  Real q[4];
  store_quat(value, q);
  return joint_inside_limits(ball, 0, q, slack);
}

AtLimit at_limit(const Skeleton& ball, const Quat& value) {
  Real q[4];
  store_quat(value, q);
  return joint_at_limit(ball, 0, q);
}

TEST(Names, AreWords) {
  EXPECT_EQ(to_string(AtLimit::none), "none");
  EXPECT_EQ(to_string(AtLimit::lo), "lo");
  EXPECT_EQ(to_string(AtLimit::hi), "hi");
  EXPECT_EQ(to_string(AtLimit::swing), "swing");
}

TEST(QuatInQ, IsWrittenWFirst) {
  Real q[4];
  store_quat(Quat(0.1, 0.2, 0.3, 0.4), q);
  EXPECT_EQ(q[0], 0.1);
  EXPECT_EQ(q[3], 0.4);
  EXPECT_TRUE(same_bits(load_quat(q), Quat(0.1, 0.2, 0.3, 0.4)));
}

TEST(Motion, IsWhatTheTypeSays) {
  const Vec3 axis = Vec3(1, 2, 2) / 3;
  const Real angle[] = {0.7};
  const Pose hinge = joint_motion(one_joint(JointType::hinge, {}, axis), 0, angle);
  EXPECT_LT(angle_between(hinge.q, axis_angle(axis, 0.7)), 1e-15);
  EXPECT_EQ(hinge.p, Vec3::Zero());
  const Pose slider = joint_motion(one_joint(JointType::slider, {}, axis), 0, angle);
  EXPECT_TRUE(same_bits(slider.q, Quat::Identity()));
  EXPECT_LT((slider.p - 0.7 * axis).norm(), 1e-15);
  const Real quarter[] = {0.5, 0.5, 0.5, 0.5};
  const Pose ball = joint_motion(one_joint(JointType::ball, {}, axis), 0, quarter);
  EXPECT_TRUE(same_bits(ball.q, Quat(0.5, 0.5, 0.5, 0.5)));
  EXPECT_EQ(ball.p, Vec3::Zero());
  const Pose fixed = joint_motion(one_joint(JointType::fixed, {}), 0, nullptr);
  EXPECT_TRUE(same_bits(fixed, Pose{}));
}

TEST(ClampScalar, GoesToTheNearestBound) {
  for (const JointType type : {JointType::hinge, JointType::slider}) {
    const Limits limits{.lo = -0.5, .hi = 2};
    EXPECT_EQ(clamped(type, limits, 1.25), 1.25);
    EXPECT_EQ(clamped(type, limits, 2), 2);
    EXPECT_EQ(clamped(type, limits, 2.5), 2);
    EXPECT_EQ(clamped(type, limits, -7), -0.5);
    EXPECT_EQ(clamped(type, limits, 6.5), 2);  // a hinge does not wrap: 6.5 is past hi, not 0.2
    EXPECT_EQ(clamped(type, limits, 1e300), 2);
    EXPECT_EQ(clamped(type, {.lo = 1, .hi = 1}, 5), 1);
    EXPECT_EQ(clamped(type, {}, 1e300), 1e300);
  }
}

TEST(ClampScalar, MakesSenseOfWhatIsNotFinite) {
  const Real nan = std::nan("");
  for (const JointType type : {JointType::hinge, JointType::slider}) {
    EXPECT_EQ(clamped(type, {.lo = -1, .hi = 2}, nan), 0);
    EXPECT_EQ(clamped(type, {.lo = 1, .hi = 2}, nan), 1);
    EXPECT_EQ(clamped(type, {.lo = -1, .hi = 2}, infinity), 2);
    EXPECT_EQ(clamped(type, {.lo = -1, .hi = 2}, -infinity), -1);
    EXPECT_EQ(clamped(type, {.lo = -1}, infinity), 0);
    EXPECT_EQ(clamped(type, {.lo = 3}, infinity), 3);
    EXPECT_EQ(clamped(type, {}, -infinity), 0);
  }
}

TEST(AtLimitScalar, TellsWhichBound) {
  const Skeleton hinge = one_joint(JointType::hinge, {.lo = -1, .hi = 2});
  const auto at = [&](Real value) { return joint_at_limit(hinge, 0, &value); };
  EXPECT_EQ(at(0), AtLimit::none);
  EXPECT_EQ(at(2), AtLimit::hi);
  EXPECT_EQ(at(2.5), AtLimit::hi);
  EXPECT_EQ(at(2 - 1e-13), AtLimit::hi);
  EXPECT_EQ(at(2 - 1e-9), AtLimit::none);
  EXPECT_EQ(at(-1), AtLimit::lo);
  EXPECT_EQ(at(-5), AtLimit::lo);
  const Real near = 2 - 1e-4;
  EXPECT_EQ(joint_at_limit(hinge, 0, &near, 1e-3), AtLimit::hi);
  const Real far = 1e9;
  EXPECT_EQ(joint_at_limit(one_joint(JointType::slider, {}), 0, &far), AtLimit::none);
}

// ---- Balls -------------------------------------------------------------------------------------

TEST(BallAngles, AreTheSwingInTheLimitFrameAndTheTwist) {
  // With z as the axis the limit frame is the joint's own.
  const Skeleton ball = one_joint(JointType::ball, {}, Vec3::UnitZ());
  const Quat q = exp(Vec3(0.3, -0.2, 0)) * axis_angle(Vec3::UnitZ(), 0.9);
  const BallAngles angles = ball_angles(ball, 0, q);
  EXPECT_NEAR(angles.swing_x, 0.3, 1e-15);
  EXPECT_NEAR(angles.swing_y, -0.2, 1e-15);
  EXPECT_NEAR(angles.twist, 0.9, 1e-15);

  // With y as the axis, z is carried to y by a quarter turn about -x: the limit frame's x is the
  // joint's x, its y the joint's -z.
  const Skeleton along_y = one_joint(JointType::ball, {}, Vec3::UnitY());
  const BallAngles about_x = ball_angles(along_y, 0, exp(Vec3(0.4, 0, 0)));
  EXPECT_NEAR(about_x.swing_x, 0.4, 1e-15);
  EXPECT_NEAR(about_x.swing_y, 0, 1e-15);
  const BallAngles about_z = ball_angles(along_y, 0, exp(Vec3(0, 0, 0.4)));
  EXPECT_NEAR(about_z.swing_x, 0, 1e-15);
  EXPECT_NEAR(about_z.swing_y, -0.4, 1e-15);
}

RC_GTEST_PROP(BallAngles, GiveTheOrientationBack, (std::uint64_t seed)) {
  Random random(seed);
  const Skeleton ball = one_joint(JointType::ball, {}, random.direction());
  const Quat q = random.rotation();
  RC_ASSERT(angle_between(ball_from_angles(ball, 0, ball_angles(ball, 0, q)), q) < 1e-14);
}

/// A ball whose limits and axis are random, and a way to point at places in its limits.
struct RandomBall {
  Skeleton skeleton;
  Limits limits;

  static RandomBall draw(Random& random) {
    Limits limits;
    random_range(random, limits);
    random_swing(random, limits);
    const Vec3 axis = random.chance(0.3) ? Vec3(Vec3::Unit(random.index(3))) : random.direction();
    return {one_joint(JointType::ball, limits, random.chance(0.5) ? axis : Vec3(-axis)), limits};
  }
};

/// The limits as the header states them, read without any of the code under test but the split:
/// how far the swing's level is above 1, and the twist outside its range on the circle.
struct Breach {
  Real level, twist;
};
Breach breach(const RandomBall& ball, const Quat& q) {
  const Vec3& axis = ball.skeleton.axis(0);
  const SwingTwist parts = split_swing_twist(q, axis);
  const Vec3 swing = shortest_rotation(Vec3::UnitZ(), axis).conjugate() * log(parts.swing);
  const Real x = swing.x() / ball.limits.swing_x, y = swing.y() / ball.limits.swing_y;
  Real outside = infinity;
  if (ball.limits.hi - ball.limits.lo >= 2 * pi) {
    outside = 0;
  } else {
    for (int turns = -5; turns <= 5; ++turns) {
      const Real twist = parts.twist + 2 * pi * turns;
      outside = std::min(outside, std::max({0.0, ball.limits.lo - twist, twist - ball.limits.hi}));
    }
  }
  return {std::max(0.0, std::hypot(x, y) - 1), outside};
}

RC_GTEST_PROP(ClampBall, KeepsTheLimitsAsWritten, (std::uint64_t seed)) {
  Random random(seed);
  for (int round = 0; round < 100; ++round) {
    const RandomBall ball = RandomBall::draw(random);
    const Quat q = clamped(ball.skeleton, random.rotation());
    const Breach over = breach(ball, q);
    const BallAngles angles = ball_angles(ball.skeleton, 0, q);
    const Real swing = std::hypot(angles.swing_x, angles.swing_y);
    const Real blur = 1e-12 / std::max(std::cos(swing / 2), 1e-16);
    const Real narrow = std::min(ball.limits.swing_x, ball.limits.swing_y);
    RC_ASSERT(std::abs(q.norm() - 1) < 1e-15);
    RC_ASSERT(over.level * narrow <= 2 * blur);
    RC_ASSERT(over.twist <= 2 * blur);
  }
}

RC_GTEST_PROP(ClampBall, LeavesWhatIsInsideAlone, (std::uint64_t seed)) {
  Random random(seed);
  for (int round = 0; round < 100; ++round) {
    const RandomBall ball = RandomBall::draw(random);
    const Quat q = random.rotation();
    const Breach over = breach(ball, q);
    if (over.level > 0 || over.twist > 0) {
      RC_ASSERT(inside(ball.skeleton, clamped(ball.skeleton, q)));
    } else {
      RC_ASSERT(inside(ball.skeleton, q));
      RC_ASSERT(same_bits(clamped(ball.skeleton, q), q));
    }
  }
}

RC_GTEST_PROP(ClampBall, TwiceIsOnceBitForBit, (std::uint64_t seed)) {
  Random random(seed);
  for (int round = 0; round < 200; ++round) {
    const RandomBall ball = RandomBall::draw(random);
    const std::vector<Real> q = random_q_outside(random, ball.skeleton);  // swings near pi too
    const Quat once = clamped(ball.skeleton, load_quat(q.data()));
    RC_ASSERT(inside(ball.skeleton, once));
    RC_ASSERT(same_bits(clamped(ball.skeleton, once), once));
  }
}

// The swing keeps its own nearest place on the ellipse, the twist its own nearest bound.
RC_GTEST_PROP(ClampBall, MovesSwingAndTwistByTheLeast, (std::uint64_t seed)) {
  Random random(seed);
  for (int round = 0; round < 50; ++round) {
    const RandomBall ball = RandomBall::draw(random);
    const Quat q = random.rotation();
    const BallAngles before = ball_angles(ball.skeleton, 0, q);
    const BallAngles after = ball_angles(ball.skeleton, 0, clamped(ball.skeleton, q));
    if (std::hypot(before.swing_x, before.swing_y) > 3.1) continue;  // too blurred to compare
    const Vec2 from(before.swing_x, before.swing_y), to(after.swing_x, after.swing_y);
    const Real a = ball.limits.swing_x, b = ball.limits.swing_y;
    for (int i = 0; i < 100; ++i) {
      const Real t = random.uniform(-pi, pi), r = std::sqrt(random.share());
      const Vec2 other(r * a * std::cos(t), r * b * std::sin(t));
      RC_ASSERT((to - from).norm() <= (other - from).norm() + 1e-9);
    }
    const Real moved = std::abs(wrap_angle(after.twist - before.twist));
    const Real width = ball.limits.hi - ball.limits.lo;
    if (!(width < 2 * pi)) {
      RC_ASSERT(moved < 1e-9);
    } else {
      const Real lo = std::abs(wrap_angle(before.twist - ball.limits.lo));
      const Real hi = std::abs(wrap_angle(before.twist - ball.limits.hi));
      RC_ASSERT(moved <= std::min(lo, hi) + 1e-9);
    }
  }
}

TEST(ClampBall, EnforcesTheEllipseExactly) {
  const Skeleton ball = one_joint(JointType::ball, {.swing_x = 0.8, .swing_y = 0.3}, Vec3::UnitZ());
  EXPECT_TRUE(inside(ball, exp(Vec3(0.8, 0, 0))));
  EXPECT_FALSE(inside(ball, exp(Vec3(0.8 + 1e-11, 0, 0))));
  EXPECT_TRUE(inside(ball, exp(Vec3(0, 0.3, 0))));
  EXPECT_FALSE(inside(ball, exp(Vec3(0, 0.3 + 1e-11, 0))));
  EXPECT_LT(angle_between(clamped(ball, exp(Vec3(2, 0, 0))), exp(Vec3(0.8, 0, 0))), 1e-14);
  EXPECT_LT(angle_between(clamped(ball, exp(Vec3(0, -2, 0))), exp(Vec3(0, -0.3, 0))), 1e-14);
  EXPECT_EQ(at_limit(ball, clamped(ball, exp(Vec3(1, 1, 0)))), AtLimit::swing);
  EXPECT_EQ(at_limit(ball, exp(Vec3(0.2, 0.1, 0))), AtLimit::none);
}

// The long axis of a flat ellipse is a limit like any other, however flat it is.
TEST(ClampBall, AFlatEllipseStillLimitsItsLongAxis) {
  for (const Real flat : {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 1e-160, 5e-324}) {
    SCOPED_TRACE(flat);
    const Skeleton ball =
        one_joint(JointType::ball, {.swing_x = 1, .swing_y = flat}, Vec3::UnitZ());
    EXPECT_FALSE(inside(ball, exp(Vec3(1 + 1e-9, 0, 0))));
    EXPECT_TRUE(inside(ball, exp(Vec3(1 - 1e-9, 0, 0))));
    Random random(1);
    for (int i = 0; i < 200; ++i) {
      const Quat q = clamped(ball, random.rotation());
      const BallAngles angles = ball_angles(ball, 0, q);
      EXPECT_LE(std::abs(angles.swing_x), 1 + 1e-12);
      EXPECT_LE(std::abs(angles.swing_y), flat + 3e-12);
      EXPECT_TRUE(inside(ball, q));
      EXPECT_TRUE(same_bits(clamped(ball, q), q));
    }
  }
}

TEST(ClampBall, ATwistRangeMayContainPi) {
  const Vec3 z = Vec3::UnitZ();
  const Skeleton ball = one_joint(JointType::ball, {.lo = 2, .hi = 4}, z);  // 4 is also -2.28
  EXPECT_TRUE(inside(ball, axis_angle(z, 3)));
  EXPECT_TRUE(inside(ball, axis_angle(z, pi)));
  EXPECT_TRUE(inside(ball, axis_angle(z, -3)));
  EXPECT_TRUE(inside(ball, axis_angle(z, 4)));
  EXPECT_FALSE(inside(ball, axis_angle(z, 4.001)));
  EXPECT_FALSE(inside(ball, axis_angle(z, 1.9)));
  EXPECT_FALSE(inside(ball, Quat::Identity()));
  EXPECT_LT(angle_between(clamped(ball, axis_angle(z, 1)), axis_angle(z, 2)), 1e-14);
  EXPECT_LT(angle_between(clamped(ball, axis_angle(z, -1)), axis_angle(z, 4)), 1e-14);
  EXPECT_EQ(at_limit(ball, axis_angle(z, 2)), AtLimit::lo);
  EXPECT_EQ(at_limit(ball, axis_angle(z, 4)), AtLimit::hi);
  EXPECT_EQ(at_limit(ball, axis_angle(z, 3)), AtLimit::none);
  EXPECT_EQ(at_limit(ball, axis_angle(z, -3)), AtLimit::none);
  EXPECT_EQ(at_limit(ball, axis_angle(z, pi)), AtLimit::none);
}

TEST(ClampBall, ATwistRangeMayLieWholeTurnsAway) {
  const Vec3 z = Vec3::UnitZ();
  for (const int turns : {-100, -2, -1, 0, 1, 2, 100}) {
    SCOPED_TRACE(turns);
    const Real turn = 2 * pi * turns;
    const Skeleton ball = one_joint(JointType::ball, {.lo = turn - 0.5, .hi = turn + 0.25}, z);
    EXPECT_TRUE(inside(ball, Quat::Identity()));
    EXPECT_TRUE(inside(ball, axis_angle(z, -0.49)));
    EXPECT_FALSE(inside(ball, axis_angle(z, 0.26)));
    EXPECT_LT(angle_between(clamped(ball, axis_angle(z, 3)), axis_angle(z, 0.25)), 1e-12);
    EXPECT_LT(angle_between(clamped(ball, axis_angle(z, -3)), axis_angle(z, -0.5)), 1e-12);
    EXPECT_TRUE(inside(ball, clamped(ball, axis_angle(z, -3))));
  }
}

TEST(ClampBall, AWholeTurnOfTwistIsNoLimit) {
  const Vec3 z = Vec3::UnitZ();
  for (const Limits& limits : {Limits{}, Limits{.lo = -pi, .hi = pi}, Limits{.lo = 0, .hi = 7}}) {
    const Skeleton ball = one_joint(JointType::ball, limits, z);
    for (Real twist = -3.2; twist < 3.2; twist += 0.1) {
      const Quat q = axis_angle(z, twist);
      EXPECT_TRUE(same_bits(clamped(ball, q), q));
      EXPECT_EQ(at_limit(ball, q), AtLimit::none);
    }
  }
}

TEST(ClampBall, ASwingOfPiIsLegalWhereTheLimitsAllowIt) {
  const Vec3 z = Vec3::UnitZ();
  const Skeleton ball = one_joint(JointType::ball, {.lo = -0.1, .hi = 0.1}, z);
  for (const Quat& over : {Quat(0, 1, 0, 0), Quat(0, 0, 1, 0), Quat(0, 0.6, 0.8, 0)}) {
    EXPECT_TRUE(inside(ball, over));  // no twist can be told there
    EXPECT_TRUE(same_bits(clamped(ball, over), over));
  }
  // Just before it the twist counts again.
  const Quat twisted = exp(Vec3(pi - 1e-3, 0, 0)) * axis_angle(z, 1);
  EXPECT_FALSE(inside(ball, twisted));
  EXPECT_NEAR(ball_angles(ball, 0, clamped(ball, twisted)).twist, 0.1, 1e-9);
}

TEST(ClampBall, MakesSenseOfAnyFourNumbers) {
  const Vec3 z = Vec3::UnitZ();
  const Real nan = std::nan("");
  const Skeleton ball =
      one_joint(JointType::ball, {.lo = 1, .hi = 1.5, .swing_x = 0.5, .swing_y = 0.2}, z);
  const Quat wanted = axis_angle(z, 1);  // the identity brought inside
  for (const Quat& bad : {Quat(0, 0, 0, 0), Quat(nan, 0, 0, 0), Quat(1, 0, nan, 0),
                          Quat(infinity, 0, 0, 0), Quat(1, -infinity, infinity, nan)})
    EXPECT_LT(angle_between(clamped(ball, bad), wanted), 1e-15);
  for (const Real scale : {1e-320, 1e-300, 1e-10, 1e10, 1e300}) {
    const Quat q(std::cos(0.6) * scale, 0, 0, std::sin(0.6) * scale);
    EXPECT_LT(angle_between(clamped(ball, q), axis_angle(z, 1.2)), 1e-3) << scale;
  }
}

TEST(InsideBall, RefusesWhatIsNoUnitQuaternion) {
  const Skeleton ball = one_joint(JointType::ball, {});
  EXPECT_TRUE(inside(ball, Quat::Identity()));
  EXPECT_TRUE(inside(ball, Quat(-1, 0, 0, 0)));
  EXPECT_FALSE(inside(ball, Quat(0, 0, 0, 0)));
  EXPECT_FALSE(inside(ball, Quat(2, 0, 0, 0)));
  EXPECT_FALSE(inside(ball, Quat(std::nan(""), 0, 0, 0)));
  EXPECT_FALSE(inside(ball, Quat(infinity, 0, 0, 0)));
}

// ---- Whole skeletons ---------------------------------------------------------------------------

RC_GTEST_PROP(Clamp, AnyNumbersEndInsideTheLimitsAndStayThere, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  for (int round = 0; round < 10; ++round) {
    std::vector<Real> q = random_q_hostile(random, skeleton);
    clamp_to_limits(skeleton, q);
    RC_ASSERT(inside_limits(skeleton, q));
    const std::vector<Real> once = q;
    clamp_to_limits(skeleton, q);
    RC_ASSERT(same_bits(once, q));
  }
}

RC_GTEST_PROP(Clamp, MovesAScalarByTheLeast, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> before = random_q_outside(random, skeleton);
  std::vector<Real> after = before;
  clamp_to_limits(skeleton, after);
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (skeleton.type(j) != JointType::hinge && skeleton.type(j) != JointType::slider) continue;
    const Limits& limits = skeleton.limits(j);
    const Real x = before[skeleton.q_offset(j)], y = after[skeleton.q_offset(j)];
    RC_ASSERT(y == (x < limits.lo ? limits.lo : x > limits.hi ? limits.hi : x));
  }
}

RC_GTEST_PROP(Inside, IsFalseAsSoonAsOneJointIsOutside, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  std::vector<Real> q = random_q_inside(random, skeleton);
  RC_ASSERT(inside_limits(skeleton, q));
  if (q.empty()) return;
  q[random.index(skeleton.q_size())] = std::nan("");
  RC_ASSERT(!inside_limits(skeleton, q));
}

/// v without what closed_ways() takes from it.
Vec3 kept_of(const Skeleton& skeleton, const Real* q, const Vec3& v) {
  const ClosedWays closed = closed_ways(skeleton, 0, q, v.data(), 1e-9);
  Vec3 kept = v;
  for (int k = 0; k < closed.count; ++k) kept -= closed.out[k] * closed.out[k].dot(v);
  return kept;
}

TEST(ClosedWays, AScalarMayOnlyLeaveItsBoundInwards) {
  const Skeleton hinge = one_joint(JointType::hinge, {.lo = -1, .hi = 2});
  const Real lo = -1, middle = 0, hi = 2, less = -0.1, more = 0.1;
  EXPECT_EQ(closed_ways(hinge, 0, &lo, &less).count, 1);
  EXPECT_EQ(closed_ways(hinge, 0, &lo, &more).count, 0);
  EXPECT_EQ(closed_ways(hinge, 0, &middle, &less).count, 0);
  EXPECT_EQ(closed_ways(hinge, 0, &hi, &less).count, 0);
  EXPECT_EQ(closed_ways(hinge, 0, &hi, &more).count, 1);
}

// What is kept of a move runs along the limits: they take back only what their curvature asks for,
// which falls with the square of the move. And nothing nearer to v would do: the part taken away is
// at right angles to what is kept, and leads out.
RC_GTEST_PROP(ClosedWays, WhatIsKeptOfAMoveStaysInsideToFirstOrder, (std::uint64_t seed)) {
  Random random(seed);
  Limits limits{.swing_x = random.uniform(0.2, 2.9), .swing_y = random.uniform(0.2, 2.9)};
  limits.lo = random.uniform(-3, 0.5);
  limits.hi = limits.lo + random.uniform(0.1, 2.5);
  const Skeleton ball = one_joint(JointType::ball, limits, random.direction());
  Real q[4];
  store_quat(clamped(ball, random.rotation()), q);
  const Vec3 v = random.direction();
  const Vec3 kept = kept_of(ball, q, v);
  RC_ASSERT(std::abs(kept.dot(v - kept)) < 1e-12);
  const auto taken_back = [&](const Vec3& move) {
    Real moved[4], legal[4];
    integrate_joint(JointType::ball, q, move.data(), moved);
    std::copy_n(moved, 4, legal);
    clamp_joint(ball, 0, legal);
    return angle_between(load_quat(moved), load_quat(legal));
  };
  constexpr Real step = 1e-5;
  RC_ASSERT(taken_back(step * kept) < 1e-3 * step);
  const Vec3 lost = v - kept;
  if (lost.norm() > 0.01) RC_ASSERT(taken_back(step * lost) > 0.1 * step * lost.norm());
}

TEST(ClosedWays, ABallWithoutRoomToTwistStillSwings) {
  const Skeleton ball =
      one_joint(JointType::ball, {.lo = 0.3, .hi = 0.3, .swing_x = 1, .swing_y = 1});
  Real q[4];
  store_quat(ball_from_angles(ball, 0, {0.4, 0.2, 0.3}), q);
  const Vec3 any(0.5, -0.7, 0.2);
  EXPECT_EQ(closed_ways(ball, 0, q, any.data(), 1e-9).count, 1);  // of three ways, two stay open
  for (const Vec3& v : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, -1)}) {
    Real moved[4];
    const Vec3 move = 1e-6 * kept_of(ball, q, v);
    integrate_joint(JointType::ball, q, move.data(), moved);
    EXPECT_NEAR(ball_angles(ball, 0, load_quat(moved)).twist, 0.3, 1e-11);
  }
}

RC_GTEST_PROP(Integrate, UndoesDifference, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> from = random_q_outside(random, skeleton);
  const std::vector<Real> to = random_q_outside(random, skeleton);
  std::vector<Real> v(static_cast<std::size_t>(skeleton.v_size())), back(from.size());
  difference(skeleton, from, to, v);
  integrate(skeleton, from, v, back);
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    const int at = joint.q_offset;
    if (joint.type == JointType::ball)
      RC_ASSERT(angle_between(load_quat(&back[at]), load_quat(&to[at])) < 1e-14);
    else if (joint.type != JointType::fixed)
      RC_ASSERT(std::abs(back[at] - to[at]) < 1e-14);
  }
}

RC_GTEST_PROP(Difference, UndoesIntegrateAndIsTheShortestWay, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Real> v = random_v(random, skeleton, 1.8);  // sqrt(3) 1.8 < pi
  std::vector<Real> to(q.size()), back(v.size());
  integrate(skeleton, q, v, to);
  difference(skeleton, q, to, back);
  for (std::size_t i = 0; i < v.size(); ++i) RC_ASSERT(std::abs(back[i] - v[i]) < 1e-14);
}

RC_GTEST_PROP(Integrate, MayWriteInPlaceAndByNothingChangesNothing, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  const std::vector<Real> v = random_v(random, skeleton, 3);
  std::vector<Real> out(q.size()), in_place = q;
  integrate(skeleton, q, v, out);
  integrate(skeleton, in_place, v, in_place);
  RC_ASSERT(same_bits(out, in_place));

  const std::vector<Real> nothing(v.size(), 0);
  integrate(skeleton, q, nothing, out);
  for (std::size_t i = 0; i < q.size(); ++i) RC_ASSERT(out[i] == q[i]);
}

TEST(Integrate, TurnsABallInItsOwnMovedFrame) {
  Real q[4], out[4];
  store_quat(axis_angle(Vec3::UnitX(), pi / 2), q);
  const Real v[] = {0, 0.3, 0};
  integrate_joint(JointType::ball, q, v, out);
  const Quat wanted = axis_angle(Vec3::UnitX(), pi / 2) * axis_angle(Vec3::UnitY(), 0.3);
  EXPECT_LT(angle_between(load_quat(out), wanted), 1e-15);
}

/// At a swing of pi a quaternion does not tell where to, but still how far.
TEST(ClampJoint, a_half_turn_is_outside_a_narrow_ellipse) {
  JointDraft ball{.name = "ball", .type = JointType::ball, .axis = Vec3::UnitZ()};
  ball.limits = {.lo = -1, .hi = 1, .swing_x = 2, .swing_y = 0.4};
  const Skeleton skeleton = *build({.joints = {ball}});
  for (const Real short_of_pi : {0.0, 1e-16, 1e-13, 1e-10, 1e-3}) {
    Real q[4];
    store_quat(exp(Vec3(0.6, 0.8, 0) * (pi - short_of_pi)), q);
    EXPECT_FALSE(joint_inside_limits(skeleton, 0, q));
    clamp_joint(skeleton, 0, q);
    EXPECT_TRUE(joint_inside_limits(skeleton, 0, q));
    const BallAngles angles = ball_angles(skeleton, 0, load_quat(q));
    EXPECT_LT(std::hypot(angles.swing_x / 2, angles.swing_y / 0.4), 1 + 1e-9);
  }
}

RC_GTEST_PROP(JointExcess, IsAboveZeroOutsideTheLimitsOnly, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_outside(random, skeleton);
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const Real* const own = q.data() + skeleton.q_offset(j);
    const Excess excess = joint_excess(skeleton, j, own);
    if (!joint_inside_limits(skeleton, j, own)) RC_ASSERT(excess.amount > 0);
    if (excess.amount < 0) RC_ASSERT(joint_inside_limits(skeleton, j, own));
    if (excess.amount > 0) RC_ASSERT(excess.at != AtLimit::none);
  }
}

}  // namespace
}  // namespace gestik
