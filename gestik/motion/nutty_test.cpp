#include "gestik/motion/nutty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

AxisLimits nutty_servo() {
  return {.lo = -1.5, .hi = 1.5, .motion = {.velocity = 3, .acceleration = 30, .jerk = 600}};
}

TEST(Nutty, comes_near_its_target_and_stays) {
  NuttyState state{.x = -1, .v = 0, .a = 0};
  for (int i = 0; i < 2000; ++i) step(Nutty{}, nutty_servo(), 0.5, 1.0 / 60, state);
  EXPECT_NEAR(state.x, 0.5, 0.1);
  EXPECT_NEAR(state.v, 0, 0.05);
}

/// The equation read again, written as the paper does: functions of the last three outputs.
TEST(Nutty, is_the_papers_equation) {
  const AxisLimits limits = nutty_servo();
  const Nutty nutty{.responsiveness = 0.3, .smoothness = 0.6, .beta = 2};
  const Real dt = 1.0 / 50;
  NuttyState state;
  std::array<Real, 3> x{};  // x(t_i-1), x(t_i-2), x(t_i-3)
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Real s = random.uniform(-1.4, 1.4);
    const auto lambda = [](Real value, Real k) { return k / 2 * std::tanh(value / (k / 2)); };
    const Real velocity = (x[0] - x[1]) / dt;
    const Real acceleration = (velocity - (x[1] - x[2]) / dt) / dt;
    const Real alpha = (limits.hi - limits.lo) / 2;
    Real v = (s - x[0]) / dt;
    const Real place = x[0] - limits.lo;
    if ((place > alpha && v > 0) || (place < alpha && v < 0))
      v *= 1 - std::pow(std::abs((place - alpha) / alpha), 2 * nutty.beta);
    const Real eased =
        v / 2 * (std::tanh(std::pow(std::abs(v) / (1 - 0.3), 1 - 0.6) - std::numbers::pi) + 1);
    const Real xi =
        acceleration + dt * lambda(((eased - velocity) / dt - acceleration) / dt, 2 * 600);
    const Real psi = velocity + dt * lambda(xi, 2 * 30);
    const Real next = x[0] + dt * lambda(psi, 2 * 3);
    x = {next, x[0], x[1]};
    ASSERT_NEAR(step(nutty, limits, s, dt, state), next, 1e-9) << i;
  }
}

/// What it is kept for: a comparison. It holds the limit of velocity and no other.
TEST(Nutty, does_not_hold_its_limits) {
  Random random(2);
  Real velocity = 0, acceleration = 0, jerk = 0;
  for (int run = 0; run < 200; ++run) {
    const Real dt = 1 / random.uniform(30, 1000);
    NuttyState state;
    Real last_a = 0;
    for (int i = 0; i < 500; ++i) {
      step(Nutty{}, nutty_servo(), i % 100 < 50 ? 1 : -1, dt, state);
      velocity = std::max(velocity, std::abs(state.v) / 3);
      acceleration = std::max(acceleration, std::abs(state.a) / 30);
      jerk = std::max(jerk, std::abs(state.a - std::exchange(last_a, state.a)) / dt / 600);
    }
  }
  std::printf("nutty: %.2f, %.2f and %.2f times the limits of velocity, acceleration and jerk\n",
              velocity, acceleration, jerk);
  EXPECT_LE(velocity, 1);
  EXPECT_GT(jerk, 1.5);
}

/// The median of many short runs of each, side by side: the machine may have other things to do.
TEST(Nutty, costs_about_as_much_as_the_filter_that_keeps_its_promises) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "sanitized code tells nothing about times";
#endif
  constexpr int samples = 2000, rounds = 101;
  std::vector<Real> targets(samples);
  for (int i = 0; i < samples; ++i)
    targets[static_cast<std::size_t>(i)] = 1.4 * std::sin(0.01 * i) * std::cos(0.0037 * i);
  Real sum = 0;
  const auto nanoseconds = [&](auto&& follow_all) {
    const auto before = std::chrono::steady_clock::now();
    follow_all();
    const std::chrono::duration<Real, std::nano> taken = std::chrono::steady_clock::now() - before;
    return taken.count() / samples;
  };
  std::vector<Real> ratios;
  for (int round = 0; round < rounds; ++round) {
    const Real ours = nanoseconds([&] {
      AxisFilter axis = start_axis(0);
      for (const Real target : targets)
        sum += step_axis(MotionFilter{}, nutty_servo(), target, 0.01, axis);
    });
    const Real nutty = nanoseconds([&] {
      NuttyState state;
      for (const Real target : targets) sum += step(Nutty{}, nutty_servo(), target, 0.01, state);
    });
    ratios.push_back(ours / nutty);
  }
  std::sort(ratios.begin(), ratios.end());
  const Real ratio = ratios[ratios.size() / 2];
  std::printf("a moving target: %.2f times the time of nutty\n", ratio);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_LT(ratio, 2.5);
}

}  // namespace
}  // namespace gestik
