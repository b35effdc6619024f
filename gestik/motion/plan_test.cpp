#include "gestik/motion/plan.h"

#include <gtest/gtest.h>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int many = 50'000;
#else
constexpr int many = 1'000'000;
#endif

/// Limits of all sizes, and the time and length they have of their own.
MotionLimits random_motion_limits(Random& random) {
  const Real velocity = std::abs(random.any_size(0.05, 20));
  const Real acceleration = velocity * std::abs(random.any_size(0.3, 100));
  return {velocity, acceleration, acceleration * std::abs(random.any_size(0.3, 300))};
}

/// A state that can be had inside the limits: letting go of the acceleration keeps the velocity.
MotionState random_state(Random& random, const MotionLimits& limits) {
  while (true) {
    MotionState s{random.uniform(-2, 2), random.uniform(-1, 1) * limits.velocity,
                  random.uniform(-1, 1) * limits.acceleration};
    if (random.chance(0.1)) s.v = std::copysign(limits.velocity, s.v);
    if (random.chance(0.1)) s.a = std::copysign(limits.acceleration, s.a);
    if (random.chance(0.2)) s.a = 0;
    if (random.chance(0.1)) s.v = 0;
    if (std::abs(s.v + s.a * std::abs(s.a) / (2 * limits.jerk)) <= limits.velocity) return s;
  }
}

/// The textbook's double S from rest to rest, which knows nothing of our plans.
Real rest_to_rest_seconds(Real way, const MotionLimits& limits) {
  const Real V = limits.velocity, A = limits.acceleration, J = limits.jerk;
  const bool reaches_acceleration = V * J >= A * A;
  const Real speeding = reaches_acceleration ? A / J + V / A : 2 * std::sqrt(V / J);
  const Real cruise = way / V - speeding;
  if (cruise >= 0) return cruise + 2 * speeding;
  if (way >= 2 * A * A * A / (J * J)) {
    const Real ramp = A / J;
    return 2 * (ramp / 2 + std::sqrt(ramp * ramp / 4 + way / A));
  }
  return 4 * std::cbrt(way / (2 * J));
}

TEST(Plan, from_rest_takes_the_textbooks_time) {
  Random random(1);
  for (int i = 0; i < 100'000; ++i) {
    const MotionLimits limits = random_motion_limits(random);
    const Real from = random.uniform(-3, 3), way = random.any_size(1e-9, 1e3);
    const Plan plan = soonest_rest_at(from + way, {from, 0, 0}, limits);
    const Real best = rest_to_rest_seconds(std::abs(from + way - from), limits);
    ASSERT_NEAR(seconds_left(plan), best, 1e-9 * best) << i;
  }
}

TEST(Plan, ends_at_rest_at_its_target_inside_its_limits) {
  Random random(2);
  Real worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const MotionLimits limits = random_motion_limits(random);
    const MotionState start = random_state(random, limits);
    const Real target =
        random.chance(0.5) ? random.uniform(-3, 3) : start.x + random.any_size(1e-12, 1e2);
    const Plan plan = soonest_rest_at(target, start, limits);
    for (const Real seconds : plan.seconds) ASSERT_GE(seconds, 0) << i;
    const Extremes e = extremes(plan);
    ASSERT_LE(e.v, limits.velocity * (1 + 1e-12)) << i;
    ASSERT_LE(e.a, limits.acceleration * (1 + 1e-12)) << i;
    ASSERT_LE(e.j, limits.jerk) << i;
    const Real scale = std::max(std::abs(e.x_lo), std::abs(e.x_hi));
    worst = std::max(
        {worst, e.miss.x / scale, e.miss.v / limits.velocity, e.miss.a / limits.acceleration});
  }
  EXPECT_LT(worst, 1e-13);
}

/// Bellman's principle: if T(s) <= t + T(s after t under any jerk) for all states inside the
/// limits, no motion gets there sooner than T. We try jerks by the million, the hardest ones most
/// often; states stay inside the limits on the way, for else they would prove nothing.
TEST(Plan, no_other_beginning_is_sooner) {
  Random random(3);
  int tried = 0;
  Real worst = 0;
  for (int i = 0; i < many; ++i) {
    const MotionLimits limits = random_motion_limits(random);
    const MotionState start = random_state(random, limits);
    const Plan plan = soonest_rest_at(random.uniform(-3, 3), start, limits);
    const Real left = seconds_left(plan);
    const Real seconds = left * std::abs(random.any_size(1e-6, 1));
    const Real jerk =
        limits.jerk * (random.chance(0.6) ? random.index(3) - 1 : random.uniform(-1, 1));
    const MotionState other = after(start, seconds, jerk);
    const Real let_go = other.v + other.a * std::abs(other.a) / (2 * limits.jerk);
    const Real turn_v = start.a * other.a < 0 ? start.v - start.a * start.a / (2 * jerk) : 0;
    if (std::abs(other.a) > limits.acceleration || std::abs(let_go) > limits.velocity ||
        std::abs(turn_v) > limits.velocity)
      continue;
    ++tried;
    const Real by_other = seconds + seconds_left(soonest_rest_at(plan.target, other, limits));
    worst = std::max(worst, (left - by_other) / left);
  }
  EXPECT_GT(tried, 3 * (many / 10));
  EXPECT_LT(worst, 1e-9);
}

TEST(Plan, goes_on_as_it_was_planned) {
  Random random(4);
  for (int i = 0; i < 20'000; ++i) {
    const MotionLimits limits = random_motion_limits(random);
    Plan plan = soonest_rest_at(random.uniform(-3, 3), random_state(random, limits), limits);
    const Real left = seconds_left(plan), first = left * random.share();
    Plan in_one = plan;
    advance(in_one, left / 2);
    advance(plan, first / 2);
    advance(plan, left / 2 - first / 2);
    const MotionState a = state_of(plan), b = state_of(in_one);
    EXPECT_NEAR(a.x, b.x, 1e-12 * (1 + std::abs(b.x)));
    advance(plan, infinity);
    EXPECT_TRUE(at_rest(plan));
    EXPECT_EQ(state_of(plan).x, plan.target);
    EXPECT_EQ(state_of(plan).v, 0);
    EXPECT_EQ(seconds_left(plan), 0);
  }
}

TEST(Plan, knows_its_extremes) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const MotionLimits limits = random_motion_limits(random);
    Plan plan = soonest_rest_at(random.uniform(-3, 3), random_state(random, limits), limits);
    advance(plan, seconds_left(plan) * random.uniform(0, 0.5));
    const Extremes e = extremes(plan);
    constexpr int samples = 2000;
    const Real h = seconds_left(plan) / samples;
    Real lo = infinity, hi = -infinity, v = 0, a = 0;
    for (int k = 0; k <= samples; ++k, advance(plan, h)) {
      const MotionState s = state_of(plan);
      lo = std::min(lo, s.x), hi = std::max(hi, s.x);
      v = std::max(v, std::abs(s.v)), a = std::max(a, std::abs(s.a));
    }
    const Real rounding = 1e-12 * (1 + std::abs(lo) + std::abs(hi));
    EXPECT_LE(e.x_lo, lo + rounding);
    EXPECT_GE(e.x_hi, hi - rounding);
    EXPECT_GE(e.v, v * (1 - 1e-12));
    EXPECT_GE(e.a, a * (1 - 1e-12));
    EXPECT_NEAR(e.x_lo, lo, limits.acceleration * h * h + rounding);
    EXPECT_NEAR(e.x_hi, hi, limits.acceleration * h * h + rounding);
    EXPECT_NEAR(e.v, v, limits.jerk * h * h + limits.acceleration * 1e-12);
  }
}

/// Beyond the limits, speed and acceleration come inside as fast as the jerk allows.
TEST(Plan, comes_back_from_beyond_the_limits) {
  Random random(6);
  for (int i = 0; i < 100'000; ++i) {
    const MotionLimits limits = random_motion_limits(random);
    MotionState start = random_state(random, limits);
    start.v *= random.uniform(1, 5);
    start.a *= random.uniform(1, 5);
    const Plan plan = soonest_rest_at(random.uniform(-3, 3), start, limits);
    const Extremes e = extremes(plan);
    const bool speeds_up = start.v * start.a > 0;
    const Real peak = std::abs(start.v) + (speeds_up ? start.a * start.a / (2 * limits.jerk) : 0);
    // Slowing down too hard it may come out on the other side.
    const Real let_go = std::abs(start.v + start.a * std::abs(start.a) / (2 * limits.jerk));
    ASSERT_LE(e.v, std::max({limits.velocity, peak, let_go}) * (1 + 1e-9)) << i;
    ASSERT_LE(e.a, std::max(limits.acceleration, std::abs(start.a)) * (1 + 1e-9)) << i;
    ASSERT_LE(e.j, limits.jerk) << i;
    const Real scale = std::max({std::abs(e.x_lo), std::abs(e.x_hi), 1e-3});
    ASSERT_LE(e.miss.x, 1e-11 * scale) << i;
  }
}

}  // namespace
}  // namespace gestik
