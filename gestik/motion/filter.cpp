#include "gestik/motion/filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

// --- one number ---

/// Beyond a limit by no more than this share of it is rounding.
constexpr Real slack = 1e-12;
/// And a place by this share of itself.
constexpr Real place_slack = 1e-14;

bool is_sound(const AxisLimits& limits) noexcept {
  return limits.lo <= limits.hi && unsound_field(limits.motion).empty();
}

bool same(const AxisLimits& a, const AxisLimits& b) noexcept {
  return a.lo == b.lo && a.hi == b.hi && a.motion.velocity == b.motion.velocity &&
         a.motion.acceleration == b.motion.acceleration && a.motion.jerk == b.motion.jerk;
}

/// Settings in their ranges; what is no number is the default.
MotionFilter sound(MotionFilter filter) noexcept {
  MotionFilter::fields(
      [&](std::string_view, Real MotionFilter::*member, Range range, std::string_view) {
        Real& value = filter.*member;
        value = std::isnan(value) ? MotionFilter{}.*member : std::clamp(value, range.lo, range.hi);
      });
  return filter;
}

MotionLimits in_character(const MotionLimits& hard, Real responsiveness) noexcept {
  const Real r = responsiveness;
  return {r * hard.velocity, r * r * hard.acceleration, r * r * r * hard.jerk};
}

/// How far a plan goes out of its range, and beyond the other limits.
struct Excess {
  Real place, speed;
  bool sound;        ///< it comes to rest where it says
  bool within_rest;  ///< acceleration and jerk are inside
  bool none() const noexcept { return sound && within_rest && place <= 0 && speed <= 0; }
};

Excess excess_of(const Plan& plan, const AxisLimits& limits) noexcept {
  const Extremes e = extremes(plan);
  const Real scale = std::max(std::abs(e.x_lo), std::abs(e.x_hi));
  const MotionLimits& m = limits.motion;
  const bool lands = e.miss.x <= slack * scale && e.miss.v <= slack * (m.velocity + e.v) &&
                     e.miss.a <= slack * (m.acceleration + e.a);
  const Real below = limits.lo - e.x_lo - place_slack * std::abs(e.x_lo);
  const Real above = e.x_hi - limits.hi - place_slack * std::abs(e.x_hi);
  return {.place = std::max(below, above),
          .speed = e.v - m.velocity * (1 + slack),
          .sound = lands,
          .within_rest = e.a <= m.acceleration * (1 + slack) && e.j <= m.jerk * (1 + slack)};
}

/// A plan to the target that keeps all limits: in character, else with all the joint has.
std::optional<Plan> safe_plan(Real target, const MotionState& from, Real responsiveness,
                              const AxisLimits& limits) noexcept {
  Plan plan = soonest_rest_at(target, from, in_character(limits.motion, responsiveness));
  if (excess_of(plan, limits).none()) return plan;
  if (responsiveness == 1) return std::nullopt;
  plan = soonest_rest_at(target, from, limits.motion);
  if (excess_of(plan, limits).none()) return plan;
  return std::nullopt;
}

/// Nothing keeps all limits: what goes beyond them least. Going for one end of the range, or far
/// out where there is none, brakes hardest on the way to the other.
Plan least_bad_plan(Real target, const MotionState& from, const AxisLimits& limits) noexcept {
  Plan best = soonest_rest_at(target, from, limits.motion);
  Excess least = excess_of(best, limits);
  const auto consider = [&](const Plan& plan) {
    const Excess excess = excess_of(plan, limits);
    const Real place = std::max(0.0, excess.place), least_place = std::max(0.0, least.place);
    const bool better =
        place < least_place ||
        (place == least_place && std::max(0.0, excess.speed) < std::max(0.0, least.speed));
    if (!excess.sound || (least.sound && !better)) return;
    best = plan;
    least = excess;
  };
  consider(soonest_rest(from, limits.motion));
  const auto [V, A, J] = limits.motion;
  const Real far =
      std::abs(from.x) + 4 * (V + std::abs(from.v)) * ((V + std::abs(from.v)) / A + A / J);
  consider(soonest_rest_at(std::isfinite(limits.lo) ? limits.lo : -far, from, limits.motion));
  consider(soonest_rest_at(std::isfinite(limits.hi) ? limits.hi : far, from, limits.motion));
  return best;
}

/// Takes in the limits and the target of this step; afterwards `eased` is where to go.
void take_in(const MotionFilter& filter, const AxisLimits& limits, Real target, Real seconds,
             AxisFilter& axis) noexcept {
  if (!same(limits, axis.limits) && is_sound(limits)) {
    axis.limits = limits;
    axis.inside = excess_of(axis.plan, limits).none();
  }
  if (std::isfinite(target)) axis.wish = target;
  const Real wish = std::clamp(axis.wish, axis.limits.lo, axis.limits.hi);

  // Critically damped, exact for a wish that stays during the step. Its weights of past wishes are
  // positive, so it never leaves their range and never passes a wish that stays.
  const Real tau = filter.smoothness;
  const Real away = axis.eased - wish;
  const Real near = 1e-7 * axis.limits.motion.velocity * tau;
  if (std::abs(away) + tau * std::abs(axis.easing) <= near || tau == 0) {
    axis.eased = wish;
    axis.easing = 0;
    return;
  }
  const Real over = seconds / tau;
  if (over != axis.decay_over) {
    axis.decay_over = over;
    axis.decay = std::exp(-over);
  }
  const Real pull = axis.easing + away / tau;
  axis.eased =
      std::clamp(wish + (away + pull * seconds) * axis.decay, axis.limits.lo, axis.limits.hi);
  axis.easing = (axis.easing - pull * over) * axis.decay;
}

bool needs_plan(const AxisFilter& axis) noexcept {
  return axis.eased != axis.plan.target || !axis.inside;
}

void take(AxisFilter& axis, const Plan& plan) noexcept {
  axis.plan = plan;
  axis.inside = true;
}

/// Where no plan is safe and the one under way is not either.
void take_least_bad(AxisFilter& axis) noexcept {
  axis.plan = least_bad_plan(axis.eased, state_of(axis.plan), axis.limits);
}

Real move_on(AxisFilter& axis, Real seconds) noexcept {
  advance(axis.plan, seconds);
  const Real x = state_of(axis.plan).x;
  return axis.inside ? std::clamp(x, axis.limits.lo, axis.limits.hi) : x;
}

Real sound_seconds(Real seconds) noexcept {
  return seconds > 0 ? seconds : 0;  // NaN too
}

void plan_axis(const MotionFilter& filter, AxisFilter& axis) noexcept {
  if (!needs_plan(axis)) return;
  if (const auto plan =
          safe_plan(axis.eased, state_of(axis.plan), filter.responsiveness, axis.limits))
    take(axis, *plan);
  else if (!axis.inside)
    take_least_bad(axis);
}

Real step_sound(const MotionFilter& filter, const AxisLimits& limits, Real target, Real seconds,
                AxisFilter& axis) noexcept {
  take_in(filter, limits, target, seconds, axis);
  plan_axis(filter, axis);
  return move_on(axis, seconds);
}

}  // namespace

std::span<const FilterPreset> filter_presets() noexcept {
  static constexpr std::array presets{
      FilterPreset{"light", "follows at once, with soft corners", {1, 0.05}},
      FilterPreset{"heavy", "slow to start and slow to stop", {0.25, 0.1}},
      FilterPreset{"nervous", "all the joints can do, for every jitter", {1, 0}},
      FilterPreset{"calm", "eases into everything and minds no jitter", {0.7, 0.25}},
  };
  return presets;
}

AxisFilter start_axis(Real x) noexcept {
  AxisFilter axis;
  axis.plan = rest_at(x);
  axis.wish = axis.eased = x;
  return axis;
}

Real step_axis(const MotionFilter& filter, const AxisLimits& limits, Real target, Real seconds,
               AxisFilter& axis) noexcept {
  return step_sound(sound(filter), limits, target, sound_seconds(seconds), axis);
}

// --- balls ---
//
// A swing or a rotation vector r turns by exp(r). The angular velocity in the moved frame is
// w = T(r) r', where T = integral over s in [0, 1] of the rotations exp(-s r): so |w| <= |r'|.
// Turning r by h turns exp(-s r) at a rate of at most s |h|, so T changes at a rate of at most
// |h|/2, and its second derivative is at most |h|^2/2 (a rotation's is its rate squared plus the
// rate's own change, s^2 |h|^2 (1 + 1/2) here). Hence
//     |w'| <= |r''| + |r'|^2/2,   |w''| <= |r'''| + 3/2 |r'| |r''| + |r'|^3/2.
// Three axes with limits (v, a, j) have |r'| <= sqrt3 v and so on. A twist t after a swing of two
// axes adds t' about its own axis and turns what the swing does:
//     |w| <= |s'| + |t'|,   |w'| <= (swing's w') + |t'| |s'| + |t''|,
//     |w''| <= (swing's w'') + 2 |t'| (swing's w') + (|t''| + |t'|^2) |s'| + |t'''|.
// Put in, both come to the bounds of the header.

MotionLimits ball_axis_limits(const MotionLimits& ball, bool free) noexcept {
  const Real n = free ? std::sqrt(3.0) : 1 + std::sqrt(2.0);
  const Real V = ball.velocity / n, A = ball.acceleration / n, J = ball.jerk / n;
  const Real v = std::min({V, std::sqrt(A) / 2, std::cbrt(J / 16)});
  const Real a = std::min(A - v * v, J / (12 * v));
  return {v, a, J - 3 * v * a - 2 * v * v * v};
}

namespace {

using Axes = std::span<AxisFilter, 3>;

Vec3 place_of(Axes axes) noexcept {
  return {state_of(axes[0].plan).x, state_of(axes[1].plan).x, state_of(axes[2].plan).x};
}

/// The rotation vector of `turn`, whole turns added, that is nearest to `place`.
Vec3 nearest_rotation_vector(const Quat& turn, const Vec3& place) noexcept {
  const Vec3 least = log(turn);
  const Real angle = least.norm();
  const Vec3 axis = angle > 0 ? Vec3(least / angle) : normalized_or_zero(place);
  return least + 2 * pi * std::round((place.dot(axis) - angle) / (2 * pi)) * axis;
}

/// A ball that rests where it should starts anew from there: near its anchor a rotation vector is
/// at its best.
void drop_anchor(Axes axes, Quat& anchor) noexcept {
  for (const AxisFilter& axis : axes)
    if (!at_rest(axis.plan) || axis.eased != axis.plan.target) return;
  const Vec3 place = place_of(axes);
  if (place.isZero(0)) return;
  anchor = normalized_or_identity(anchor * exp(place));
  for (AxisFilter& axis : axes) {
    axis.plan = rest_at(0);
    axis.wish = axis.eased = 0;
  }
}

void step_free_ball(const MotionFilter& filter, const MotionLimits& limits, const Quat* target,
                    Real seconds, Axes axes, Quat& anchor, Real* out) noexcept {
  drop_anchor(axes, anchor);
  const AxisLimits each{.motion = ball_axis_limits(limits, true)};
  Vec3 wish(axes[0].wish, axes[1].wish, axes[2].wish);
  if (target != nullptr)
    wish = nearest_rotation_vector(anchor.conjugate() * *target, place_of(axes));
  Vec3 place;
  for (int k = 0; k < 3; ++k)
    place[k] = step_sound(filter, each, wish[k], seconds, axes[static_cast<std::size_t>(k)]);
  store_quat(normalized_or_identity(anchor * exp(place)), out);
}

bool in_ellipse(Real x, Real y, const Limits& limits) noexcept {
  const Real u = x / limits.swing_x, v = y / limits.swing_y;
  return u * u + v * v <= 1;
}

/// The swing and twist of a turn inside the limits. A swing by pi about a direction at angle alpha
/// is one about another with the twist turned by twice the angle between them (a half turn about
/// (cos alpha, sin alpha, 0) after a twist t is the quaternion (0, cos(alpha - t/2), sin(alpha -
/// t/2), 0)): of those we take the one along the ellipse's long axis, which is inside.
BallAngles angles_inside(const Skeleton& skeleton, JointId j, const Quat& turn) noexcept {
  const Limits& limits = skeleton.limits(j);
  BallAngles angles = ball_angles(skeleton, j, turn);
  const Real u = angles.swing_x / limits.swing_x, v = angles.swing_y / limits.swing_y;
  constexpr Real surely_outside = 1 + 1e-6;
  if (u * u + v * v < surely_outside) return angles;
  const Real alpha = std::atan2(angles.swing_y, angles.swing_x);
  const Real to = limits.swing_x >= limits.swing_y ? 0 : pi / 2;
  const Real swing = std::hypot(angles.swing_x, angles.swing_y);
  return {to == 0 ? swing : 0, to == 0 ? 0 : swing, angles.twist + 2 * (to - alpha)};
}

/// Whether a swing under these plans, both safe by themselves, stays in its ellipse. Between two
/// samples h apart a curve is no further from the straight line than acceleration * h^2 / 8.
bool stays_in_ellipse(Plan x, Plan y, const MotionLimits& each, const Limits& limits) noexcept {
  const Extremes ex = extremes(x), ey = extremes(y);
  const Real most_x = std::max(-ex.x_lo, ex.x_hi), most_y = std::max(-ey.x_lo, ey.x_hi);
  if (in_ellipse(most_x, most_y, limits)) return true;
  constexpr int samples = 32;
  const Real h = std::max(seconds_left(x), seconds_left(y)) / samples;
  const Real off = each.acceleration * h * h / 8;
  for (int i = 0; i <= samples; ++i) {
    const Real at_x = std::abs(state_of(x).x), at_y = std::abs(state_of(y).x);
    if (!in_ellipse(at_x + off, at_y + off, limits)) return false;
    advance(x, h);
    advance(y, h);
  }
  return true;
}

/// From rest to rest along a straight line: one plan for the share of the way.
void take_straight_line(const MotionFilter& filter, AxisFilter& x, AxisFilter& y) noexcept {
  const std::array<AxisFilter*, 2> axes{&x, &y};
  MotionLimits share{largest_number, largest_number, largest_number};
  for (const AxisFilter* axis : axes) {
    const Real way = std::abs(axis->eased - axis->plan.target);
    const MotionLimits m = in_character(axis->limits.motion, filter.responsiveness);
    if (way == 0) continue;
    share = {std::min(share.velocity, m.velocity / way),
             std::min(share.acceleration, m.acceleration / way),
             std::min(share.jerk, m.jerk / way)};
  }
  const Plan whole = soonest_rest_at(1, {}, share);
  for (AxisFilter* axis : axes) {
    const Real way = axis->eased - axis->plan.target;
    Plan plan = whole;
    plan.from.x = axis->plan.target;
    plan.target = axis->eased;
    for (Real& jerk : plan.jerk) jerk *= way;
    if (excess_of(plan, axis->limits).none()) take(*axis, plan);
  }
}

void plan_swing(const MotionFilter& filter, const Limits& limits, AxisFilter& x,
                AxisFilter& y) noexcept {
  if (!needs_plan(x) && !needs_plan(y)) return;
  const Real r = filter.responsiveness;
  const auto new_x = safe_plan(x.eased, state_of(x.plan), r, x.limits);
  const auto new_y = safe_plan(y.eased, state_of(y.plan), r, y.limits);
  if (new_x && new_y && stays_in_ellipse(*new_x, *new_y, x.limits.motion, limits)) {
    take(x, *new_x);
    take(y, *new_y);
  } else if (!x.inside || !y.inside) {
    take_least_bad(x);
    take_least_bad(y);
  } else if (at_rest(x.plan) && at_rest(y.plan)) {
    take_straight_line(filter, x, y);
  }
}

/// A twist as a number in its range, or the nearest to `place` where there is none.
Real unwrapped_twist(Real twist, Real place, const Limits& limits) noexcept {
  const bool any = limits.hi - limits.lo >= 2 * pi;
  return nearest_turn(twist, any ? place : (limits.lo + limits.hi) / 2);
}

void step_limited_ball(const MotionFilter& filter, const Skeleton& skeleton, JointId j,
                       const MotionLimits& motion, const Quat* target, Real seconds, Axes axes,
                       Real* out) noexcept {
  const Limits& limits = skeleton.limits(j);
  const MotionLimits each = ball_axis_limits(motion, false);
  const bool any_twist = limits.hi - limits.lo >= 2 * pi;
  const std::array<AxisLimits, 3> ranges{
      AxisLimits{-limits.swing_x, limits.swing_x, each},
      AxisLimits{-limits.swing_y, limits.swing_y, each},
      AxisLimits{any_twist ? -infinity : limits.lo, any_twist ? infinity : limits.hi, each}};
  std::array<Real, 3> wish{axes[0].wish, axes[1].wish, axes[2].wish};
  if (target != nullptr) {
    const BallAngles angles = angles_inside(skeleton, j, *target);
    wish = {angles.swing_x, angles.swing_y,
            unwrapped_twist(angles.twist, state_of(axes[2].plan).x, limits)};
  }
  for (std::size_t k = 0; k < 3; ++k) take_in(filter, ranges[k], wish[k], seconds, axes[k]);
  plan_swing(filter, limits, axes[0], axes[1]);
  plan_axis(filter, axes[2]);
  const BallAngles angles{move_on(axes[0], seconds), move_on(axes[1], seconds),
                          move_on(axes[2], seconds)};
  store_quat(ball_from_angles(skeleton, j, angles), out);
  clamp_joint(skeleton, j, out);
}

void step_ball(const MotionFilter& filter, const Skeleton& skeleton, JointId j,
               const MotionLimits& limits, const Real* target, Real seconds, FilterState& state,
               Real* out) noexcept {
  const Axes axes(state.axes.data() + skeleton.v_offset(j), 3);
  Quat& anchor = state.anchors[static_cast<std::size_t>(j)];
  std::array<Real, 4> wish{target[0], target[1], target[2], target[3]};
  const Quat given = load_quat(target);
  const bool sound_target = is_finite(given) && !given.coeffs().isZero(0);
  if (sound_target) clamp_joint(skeleton, j, wish.data());
  const Quat turn = load_quat(wish.data());
  const Quat* const wanted = sound_target ? &turn : nullptr;
  if (is_free_ball(skeleton.limits(j)))
    step_free_ball(filter, limits, wanted, seconds, axes, anchor, out);
  else
    step_limited_ball(filter, skeleton, j, limits, wanted, seconds, axes, out);
}

void start_ball(const Skeleton& skeleton, JointId j, const Quat& turn, FilterState& state) {
  const Axes axes(state.axes.data() + skeleton.v_offset(j), 3);
  const Limits& limits = skeleton.limits(j);
  if (is_free_ball(limits)) {
    state.anchors[static_cast<std::size_t>(j)] = turn;
    return;
  }
  const BallAngles angles = angles_inside(skeleton, j, turn);
  axes[0] = start_axis(angles.swing_x);
  axes[1] = start_axis(angles.swing_y);
  axes[2] = start_axis(unwrapped_twist(angles.twist, 0, limits));
}

}  // namespace

// --- a whole body ---

FilterState start(const Skeleton& skeleton, ConstQ q) {
  FilterState state;
  state.axes.assign(static_cast<std::size_t>(skeleton.v_size()), start_axis(0));
  state.anchors.assign(static_cast<std::size_t>(skeleton.joint_count()), Quat::Identity());
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    std::array<Real, 4> own = {};
    std::copy_n(q.begin() + skeleton.q_offset(j), q_size(skeleton.type(j)), own.begin());
    switch (skeleton.type(j)) {
      case JointType::fixed:
        break;
      case JointType::hinge:
      case JointType::slider:
        clamp_joint(skeleton, j, own.data());
        state.axes[static_cast<std::size_t>(skeleton.v_offset(j))] = start_axis(own[0]);
        break;
      case JointType::ball:
        clamp_joint(skeleton, j, own.data());
        start_ball(skeleton, j, load_quat(own.data()), state);
        break;
    }
  }
  return state;
}

void step(const MotionFilter& settings, const Skeleton& skeleton,
          std::span<const MotionLimits> motion, ConstQ target, Real seconds, FilterState& state,
          Q out) noexcept {
  const MotionFilter filter = sound(settings);
  const Real time = sound_seconds(seconds);
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const MotionLimits& limits = motion[static_cast<std::size_t>(j)];
    const Real* const wish = target.data() + skeleton.q_offset(j);
    Real* const own = out.data() + skeleton.q_offset(j);
    switch (skeleton.type(j)) {
      case JointType::fixed:
        break;
      case JointType::hinge:
      case JointType::slider:
        *own = step_sound(filter, {skeleton.limits(j).lo, skeleton.limits(j).hi, limits}, *wish,
                          time, state.axes[static_cast<std::size_t>(skeleton.v_offset(j))]);
        break;
      case JointType::ball:
        step_ball(filter, skeleton, j, limits, wish, time, state, own);
        break;
    }
  }
}

}  // namespace gestik
