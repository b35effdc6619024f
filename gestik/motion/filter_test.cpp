#include "gestik/motion/filter.h"

#include <gtest/gtest.h>

#include <array>

#include "gestik/math/random_for_test.h"
#include "gestik/measure/allocations.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"
#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

constexpr Real nan_value = std::numeric_limits<Real>::quiet_NaN();

#if defined(__SANITIZE_ADDRESS__)
constexpr int adversarial_runs = 100, bodies = 10;
#else
constexpr int adversarial_runs = 5000, bodies = 60;
#endif
constexpr int samples_per_run = 2000;

MotionLimits random_motion(Random& random) {
  const Real velocity = std::abs(random.any_size(0.1, 20));
  const Real acceleration = velocity * std::abs(random.any_size(0.5, 60));
  return {velocity, acceleration, acceleration * std::abs(random.any_size(0.5, 200))};
}

AxisLimits random_limits(Random& random) {
  AxisLimits limits{.motion = random_motion(random)};
  if (random.chance(0.8)) limits.lo = random.uniform(-4, 1);
  if (random.chance(0.8))
    limits.hi = std::isfinite(limits.lo) ? limits.lo + random.uniform(0, 5) : random.uniform(-2, 4);
  return limits;
}

/// Targets that mean no good.
class Adversary {
 public:
  explicit Adversary(Random& random) : random_(random) { change_mind(); }

  Real target(Real now, const AxisLimits& limits) {
    if (random_.chance(0.01)) change_mind();
    switch (mood_) {
      case 0:  // steps
        if (random_.chance(0.02)) held_ = random_.uniform(-6, 6);
        return held_;
      case 1:  // noise
        return random_.uniform(-6, 6);
      case 2:  // jitter about where it is
        return now + random_.any_size(1e-9, 0.3);
      case 3:  // from end to end, in its own rhythm
        return random_.chance(0.05) ? (held_ = -held_) * 1e6 : held_ * 1e6;
      case 4:  // rubbish
        return random_.any_bits();
      case 5:  // a wave
        return 3 * std::sin(phase_ += random_.uniform(0, 0.2));
      case 6:  // just inside an end
        return (held_ > 0 ? limits.hi : limits.lo) - random_.any_size(1e-12, 0.1);
      default:
        return random_.chance(0.5) ? nan_value : held_;
    }
  }

 private:
  void change_mind() {
    mood_ = random_.index(8);
    held_ = random_.uniform(-5, 5);
  }

  Random& random_;
  int mood_ = 0;
  Real held_ = 0, phase_ = 0;
};

/// Looks at nothing but the samples: their differences are averages of velocity, acceleration and
/// jerk, so none may be beyond the limits by more than the rounding of the samples.
class Differences {
 public:
  explicit Differences(Real seconds) : dt_(seconds) {}

  /// `limits` are those of the step that led to x; a step that could not keep them says so.
  void see(Real x, const AxisLimits& limits, bool excused) {
    std::shift_right(x_.begin(), x_.end(), 1);
    std::shift_right(motion_.begin(), motion_.end(), 1);
    x_[0] = x;
    motion_[0] = limits.motion;
    since_excuse_ = excused ? 0 : since_excuse_ + 1;
    ++count_;
    largest_ = std::max(largest_, std::abs(x));
    // Of a sample: a few units in the last place of the numbers it was added up from.
    const Real rounding = 4 * std::numeric_limits<Real>::epsilon() * largest_;
    if (since_excuse_ >= 1) range_ = std::max({range_, limits.lo - x, x - limits.hi});
    if (count_ > 1 && since_excuse_ >= 2)
      note(velocity_, x_[0] - x_[1], dt_, most(&MotionLimits::velocity, 1), 2 * rounding);
    if (count_ > 2 && since_excuse_ >= 3)
      note(acceleration_, x_[0] - 2 * x_[1] + x_[2], dt_ * dt_,
           most(&MotionLimits::acceleration, 2), 4 * rounding);
    if (count_ > 3)  // the jerk can be kept whatever comes: there is no excuse
      note(jerk_, x_[0] - 3 * x_[1] + 3 * x_[2] - x_[3], dt_ * dt_ * dt_,
           most(&MotionLimits::jerk, 3), 8 * rounding);
  }

  Real range() const { return range_; }
  Real velocity() const { return velocity_; }
  Real acceleration() const { return acceleration_; }
  Real jerk() const { return jerk_; }

 private:
  Real most(Real MotionLimits::*field, std::size_t steps) const {
    Real value = 0;
    for (std::size_t i = 0; i < steps; ++i) value = std::max(value, motion_[i].*field);
    return value;
  }
  static void note(Real& worst, Real difference, Real divisor, Real limit, Real rounding) {
    worst = std::max(worst, (std::abs(difference) - rounding) / divisor / limit - 1);
  }

  Real dt_, largest_ = 0;
  std::array<Real, 4> x_ = {};
  std::array<MotionLimits, 3> motion_ = {};
  int count_ = 0, since_excuse_ = 0;
  Real range_ = -infinity, velocity_ = -1, acceleration_ = -1, jerk_ = -1;
};

TEST(Filter, keeps_all_four_limits_in_ten_million_adversarial_samples) {
  Random random(1);
  Real range = -infinity, velocity = -1, acceleration = -1, jerk = -1;
  long excused = 0, samples = 0;
  for (int run = 0; run < adversarial_runs; ++run) {
    const bool limits_change = run % 3 == 0;
    const Real dt = 1 / random.uniform(30, 1000);
    AxisLimits limits = random_limits(random);
    MotionFilter filter{random.chance(0.3) ? 1 : random.uniform(0.1, 1),
                        random.chance(0.5) ? 0 : random.uniform(0, 0.3)};
    AxisFilter axis = start_axis(std::clamp(random.uniform(-2, 2), limits.lo, limits.hi));
    Adversary adversary(random);
    Differences differences(dt);
    for (int i = 0; i < samples_per_run; ++i) {
      if (limits_change && random.chance(0.001)) {
        const AxisLimits before = limits;
        limits = random_limits(random);
        if (random.chance(0.3)) limits.lo = before.lo, limits.hi = before.hi;
        if (random.chance(0.3)) limits.motion = before.motion;
      }
      if (random.chance(0.002)) filter.responsiveness = random.uniform(0.1, 1);
      const Real now = state_of(axis.plan).x;
      const Real x = step_axis(filter, limits, adversary.target(now, limits), dt, axis);
      ASSERT_TRUE(std::isfinite(x));
      ASSERT_TRUE(axis.inside || limits_change);
      differences.see(x, limits, !axis.inside);
      excused += !axis.inside;
      ++samples;
    }
    range = std::max(range, differences.range());
    velocity = std::max(velocity, differences.velocity());
    acceleration = std::max(acceleration, differences.acceleration());
    jerk = std::max(jerk, differences.jerk());
    ASSERT_LE(range, 0) << run;
    ASSERT_LE(velocity, 1e-9) << run;
    ASSERT_LE(acceleration, 1e-9) << run;
    ASSERT_LE(jerk, 1e-9) << run;
  }
  std::printf(
      "%ld samples, %ld of them while limits that had tightened could not be kept; beyond "
      "the limits by at most %g, %g, %g of them\n",
      samples, excused, velocity, acceleration, jerk);
  EXPECT_LT(excused, samples / 5);
}

/// A servo's, more or less.
AxisLimits random_servo(Random& random) {
  AxisLimits limits{.motion = {3 * std::abs(random.any_size(0.3, 3)),
                               30 * std::abs(random.any_size(0.3, 3)),
                               600 * std::abs(random.any_size(0.3, 3))}};
  if (random.chance(0.8)) limits.lo = random.uniform(-2, 0);
  if (random.chance(0.8)) limits.hi = random.uniform(0, 2);
  return limits;
}

/// Limits that tighten while it moves: nothing goes beyond them further than the best of what could
/// be done, and it is inside again when that would be.
TEST(Filter, comes_inside_limits_that_tighten) {
  Random random(2);
  const MotionFilter filter{.responsiveness = 1, .smoothness = 0};
  for (int run = 0; run < 2000; ++run) {
    const Real dt = 1 / random.uniform(30, 200);
    const AxisLimits wide = random_servo(random);
    AxisFilter axis = start_axis(std::clamp(random.uniform(-2, 2), wide.lo, wide.hi));
    for (int i = random.index(60); i >= 0; --i)
      step_axis(filter, wide, random.uniform(-6, 6), dt, axis);
    const MotionState before = state_of(axis.plan);

    const AxisLimits tight = random_servo(random);
    const Real target = random.uniform(-6, 6);
    const MotionLimits& m = tight.motion;
    Real excess = infinity, seconds = 0;  // of the best of what a reader would think of
    for (const Plan& plan :
         {soonest_rest(before, m),
          soonest_rest_at(std::clamp(target, tight.lo, tight.hi), before, m),
          soonest_rest_at(std::isfinite(tight.lo) ? tight.lo : before.x, before, m),
          soonest_rest_at(std::isfinite(tight.hi) ? tight.hi : before.x, before, m)}) {
      const Extremes e = extremes(plan);
      excess = std::min(excess, std::max({0.0, tight.lo - e.x_lo, e.x_hi - tight.hi}));
      seconds = std::max(seconds, seconds_left(plan));
    }
    const Real let_go = std::abs(before.v + before.a * std::abs(before.a) / (2 * m.jerk));
    const Real top_speed = std::max({m.velocity, std::abs(before.v), let_go});
    const Real top_acceleration = std::max(m.acceleration, std::abs(before.a));
    Real passed = 0;
    do {
      step_axis(filter, tight, target, dt, axis);
      passed += dt;
      const MotionState s = state_of(axis.plan);
      const Real falls = std::abs(before.a) - m.jerk * passed;  // as fast as it can
      ASSERT_LE(std::abs(s.a), std::max(m.acceleration, falls) * (1 + 1e-9)) << run;
      ASSERT_LE(std::abs(s.a), top_acceleration * (1 + 1e-9)) << run;
      ASSERT_LE(std::abs(s.v), top_speed * (1 + 1e-9)) << run;
      ASSERT_LE(std::max(tight.lo - s.x, s.x - tight.hi), excess * (1 + 1e-9) + 1e-9) << run;
    } while (!axis.inside && passed < 3 * seconds + dt);
    ASSERT_TRUE(axis.inside) << run;
  }
}

AxisLimits servo() {
  return {.lo = -1.5, .hi = 1.5, .motion = {.velocity = 3, .acceleration = 30, .jerk = 600}};
}

/// Seconds until it rests at the target, which it must never pass.
Real settle(const MotionFilter& filter, const AxisLimits& limits, Real from, Real to, Real dt) {
  AxisFilter axis = start_axis(from);
  for (int i = 1; i < 1'000'000; ++i) {
    const Real x = step_axis(filter, limits, to, dt, axis);
    EXPECT_LE((x - to) * (to - from), 0);
    if (at_rest(axis.plan) && x == to) return i * dt;
  }
  return infinity;
}

TEST(Filter, a_step_takes_the_best_time_and_never_passes_its_target) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const AxisLimits limits{.motion = random_motion(random)};
    const Real from = random.uniform(-2, 2), to = random.uniform(-2, 2);
    const Real best = seconds_left(soonest_rest_at(to, {from, 0, 0}, limits.motion));
    const Real dt = best / random.uniform(300, 2000);  // 1 % would hide in a longer sample
    const Real taken = settle({.responsiveness = 1, .smoothness = 0}, limits, from, to, dt);
    EXPECT_LE(taken, best * 1.01);
    EXPECT_GE(taken, best * (1 - 1e-9));
    const Real eased = settle({.responsiveness = 1, .smoothness = best / 10}, limits, from, to, dt);
    EXPECT_GT(eased, taken);
  }
}

TEST(Filter, responsiveness_scales_time) {
  const AxisLimits limits = servo();
  const Real best = settle({.responsiveness = 1, .smoothness = 0}, limits, -1, 1, 1e-4);
  for (const Real r : {0.25, 0.5, 0.8})
    EXPECT_NEAR(settle({.responsiveness = r, .smoothness = 0}, limits, -1, 1, 1e-4), best / r,
                2e-4);
}

TEST(Filter, presets_differ) {
  const auto presets = filter_presets();
  ASSERT_EQ(presets.size(), 4u);
  std::vector<Real> seconds, shiver;
  for (const FilterPreset& preset : presets) {
    AxisFilter axis = start_axis(-1);
    Real passed = 0;
    while (step_axis(preset.filter, servo(), 1, 1e-3, axis) < 0.96) passed += 1e-3;
    seconds.push_back(passed);
    Random random(1);
    axis = start_axis(0);
    Real way = 0, last = 0;
    for (int i = 0; i < 1000; ++i) {
      const Real x = step_axis(preset.filter, servo(), random.uniform(-0.1, 0.1), 0.01, axis);
      way += std::abs(x - std::exchange(last, x));
    }
    shiver.push_back(way);
  }
  enum { light, heavy, nervous, calm };
  EXPECT_LE(seconds[nervous], seconds[light]);
  EXPECT_LT(1.5 * seconds[light], seconds[calm]);
  EXPECT_LT(1.5 * seconds[calm], seconds[heavy]);
  EXPECT_GT(shiver[nervous], 4 * shiver[light]);
  EXPECT_GT(shiver[light], 4 * shiver[calm]);
}

TEST(Filter, holds_on_to_the_last_sound_target_and_limits) {
  const MotionFilter filter;
  AxisFilter one = start_axis(0), other = start_axis(0);
  AxisLimits bad = servo();
  bad.motion.jerk = nan_value;
  AxisLimits crossed = servo();
  std::swap(crossed.lo, crossed.hi);
  step_axis(filter, servo(), 1, 0.01, one);
  step_axis(filter, servo(), 1, 0.01, other);
  for (int i = 0; i < 300; ++i) {
    const Real x = step_axis(filter, servo(), 1, 0.01, one);
    const Real y = step_axis(filter,
                             i % 3 == 0   ? bad
                             : i % 3 == 1 ? crossed
                                          : servo(),
                             i % 2 ? nan_value : infinity, 0.01, other);
    ASSERT_TRUE(same_bits(x, y)) << i;
  }
  EXPECT_EQ(state_of(one.plan).x, 1);
}

TEST(Filter, moves_nothing_when_no_time_passes) {
  const MotionFilter filter;
  AxisFilter axis = start_axis(0);
  const Real x = step_axis(filter, servo(), 1, 0.05, axis);
  for (const Real dt : {0.0, -1.0, nan_value})
    EXPECT_EQ(step_axis(filter, servo(), 1, dt, axis), x);
  EXPECT_EQ(step_axis({.smoothness = 0}, servo(), 1, infinity, axis), 1);
  EXPECT_EQ(step_axis({.smoothness = nan_value}, servo(), 1, 0.01, axis), 1);
}

TEST(Filter, the_same_input_gives_the_same_bits_and_no_memory_is_taken) {
  Random random(4);
  const Skeleton skeleton = random_skeleton(random, 12);
  std::vector<MotionLimits> limits;
  for (const Skeleton::Joint& joint : skeleton.joints())
    limits.push_back(motion_limits(joint.type));
  FilterState a = start(skeleton, skeleton.neutral()), b = start(skeleton, skeleton.neutral());
  std::vector<Real> target(skeleton.neutral().begin(), skeleton.neutral().end());
  std::vector<Real> out_a = target, out_b = target;
  for (int i = 0; i < 2000; ++i) {
    if (i % 50 == 0) target = random_q_outside(random, skeleton);
    const long before = allocations();
    step(MotionFilter{}, skeleton, limits, target, 0.005, a, out_a);
    EXPECT_EQ(allocations(), before);
    step(MotionFilter{}, skeleton, limits, target, 0.005, b, out_b);
    ASSERT_TRUE(same_bits(out_a, out_b));
  }
}

// --- balls ---

TEST(Filter, a_balls_axes_keep_the_balls_limits) {
  Random random(5);
  for (int i = 0; i < 10'000; ++i) {
    const MotionLimits ball = random_motion(random);
    for (const bool free : {false, true}) {
      const auto [v, a, j] = ball_axis_limits(ball, free);
      const Real n = free ? std::sqrt(3.0) : 1 + std::sqrt(2.0);
      EXPECT_GT(std::min({v, a, j}), 0);
      EXPECT_LE(n * v, ball.velocity * (1 + 1e-12));
      EXPECT_LE(n * (a + v * v), ball.acceleration * (1 + 1e-12));
      EXPECT_LE(n * (j + 3 * v * a + 2 * v * v * v), ball.jerk * (1 + 1e-12));
    }
  }
}

/// Bodies of all joints with targets that jump about: range, and for balls the length of what
/// differences of their turns show; and at last they arrive.
TEST(Filter, whole_bodies_stay_inside_and_arrive) {
  Random random(6);
  for (int run = 0; run < bodies; ++run) {
    const Skeleton skeleton = random_skeleton(random, 6);
    std::vector<MotionLimits> limits;
    for (const Skeleton::Joint& joint : skeleton.joints())
      limits.push_back(motion_limits(joint.type, {.velocity = random.uniform(1, 8)}));
    std::vector<Real> target = random_q_outside(random, skeleton);
    FilterState state = start(skeleton, target);
    clamp_to_limits(skeleton, target);
    const MotionFilter filter{.responsiveness = random.uniform(0.3, 1),
                              .smoothness = random.chance(0.5) ? 0 : random.uniform(0, 0.1)};
    const Real dt = 1 / random.uniform(60, 500);
    std::vector<Real> q = target, last = q;
    std::vector<Vec3> turn(static_cast<std::size_t>(skeleton.joint_count()), Vec3::Zero());
    std::vector<Vec3> change = turn;
    for (int i = 0; i < 1500; ++i) {
      if (random.chance(0.02)) target = random_q_outside(random, skeleton);
      if (random.chance(0.01))
        for (Real& x : target)
          if (random.chance(0.3)) x = random.chance(0.5) ? nan_value : infinity;
      step(filter, skeleton, limits, target, dt, state, q);
      ASSERT_TRUE(inside_limits(skeleton, q)) << run;
      for (JointId j = 0; j < skeleton.joint_count(); ++j) {
        const Limits& range = skeleton.limits(j);
        const bool tells = is_free_ball(range) || std::max(range.swing_x, range.swing_y) < 3;
        if (skeleton.type(j) != JointType::ball || !tells) continue;  // see filter.h
        const auto k = static_cast<std::size_t>(j);
        const int at = skeleton.q_offset(j);
        const Quat step_turn = load_quat(last.data() + at).conjugate() * load_quat(q.data() + at);
        const Vec3 now = log(step_turn) / dt, now_change = (now - turn[k]) / dt;
        ASSERT_LE(now.norm(), limits[k].velocity * (1 + 1e-9)) << run;
        ASSERT_LE(now_change.norm(), limits[k].acceleration * (1 + 1e-6)) << run;
        ASSERT_LE((now_change - change[k]).norm() / dt, limits[k].jerk * (1 + 1e-6)) << run;
        turn[k] = now;
        change[k] = now_change;
      }
      last = q;
    }
    target = random_q_outside(random, skeleton);
    for (const Skeleton::Joint& joint : skeleton.joints())
      if (q_size(joint.type) == 1)
        target[static_cast<std::size_t>(joint.q_offset)] = random.uniform(-3, 3);
    for (int i = 0; i < 30'000; ++i) step(filter, skeleton, limits, target, dt, state, q);
    clamp_to_limits(skeleton, target);
    std::vector<Real> away(static_cast<std::size_t>(skeleton.v_size()));
    difference(skeleton, q, target, away);
    for (const Real x : away) EXPECT_NEAR(x, 0, 1e-6) << run;
  }
}

}  // namespace
}  // namespace gestik
