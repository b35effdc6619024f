#include "gestik/motion/plan.h"

#include <algorithm>
#include <cmath>

// How a number under limits of velocity V, acceleration A and jerk J comes to rest, soonest.
//
// To a velocity. The soonest way to v = 0 and a = 0 (from here on d is +1 or -1, the way the
// acceleration has to go): ramp the acceleration to a peak d p, hold it, ramp it back to zero. If
// it were let go at once it would leave the velocity
//     u = v + a |a| / 2J,   so d = -sgn(u),
// and with b = d a the peak is p^2 = J |u| + max(b, 0)^2, at most A. A peak that would be higher
// leaves (p^2 - A^2) / J of velocity to the hold at A. (Started beyond A, b > A, the ramp falls
// back to A and the hold has |u| to do.)
//
// To a place. Mirror the line so that the target lies beyond the point where the soonest rest would
// end. Then speed up, the soonest way to v = V, cruise there, and at some moment begin the soonest
// rest. Where that ends, E, never falls as the moment is put off: while the way to V and the way to
// rest begin alike it stands still, and afterwards
//     dE/dt = (dS/da) (j - j_rest) >= 0
// (S is the distance the soonest rest takes, j the jerk on the way to V; dS/da below). So there is
// one moment with E = target, and it is the best: at it, all of the way has been the fastest
// possible.
//
// S in closed form, moving ahead (u >= 0, -A <= a): with K = a^2/2 + J v and m = min(sqrt K, A),
//     J^2 S = K c + K a - a^3/6,   c = sqrt K where that is at most A, else (K/A + A)/2
//     J^2 dS/da = (a + m)(K/m + a/2)
// While the jerk is +J, C = J v - a^2/2 stays what it is, K = C + a^2, and the way that was made is
// C a + a^3/6 (times 1/J^2, up to a constant). So on the ramp
//     J^2 E = 2 C a + a^3 + K c + const                                                (ramp)
// which is convex in a. During the hold at a = A the way made is (J v)^2/2A, J v = K - A^2/2:
//     J^2 E = q(K) + const,   q = K^2/A + K A where K >= A^2, else K^2/2A + K^(3/2) + K A/2 (hold)
// The ramp back to zero is the beginning of the rest: E stands still. In the cruise E grows by V.

namespace gestik {
namespace {

Real squared(Real x) noexcept {
  return x * x;
}
Real cubed(Real x) noexcept {
  return x * x * x;
}

/// The soonest way from (v, a) to (0, 0).
struct Swerve {
  Real way;   ///< d
  Real peak;  ///< p
  Real first_jerk, ramp, hold, back;
};

Swerve soonest_swerve(Real v, Real a, Real A, Real J) noexcept {
  const Real u = v + a * std::abs(a) / (2 * J);
  const Real way = u > 0 ? -1 : 1;
  const Real b = way * a;
  const Real peak_squared = J * std::abs(u) + squared(std::max(b, 0.0));
  Swerve s;
  s.way = way;
  s.peak = std::min(std::sqrt(peak_squared), A);
  s.first_jerk = s.peak >= b ? way * J : -way * J;
  s.ramp = std::abs(s.peak - b) / J;
  s.hold = b > A ? std::abs(u) / A : std::max(0.0, peak_squared - A * A) / (A * J);
  s.back = s.peak / J;
  return s;
}

/// Where the soonest rest from (v, a) ends, from where it begins.
Real rest_distance(const Swerve& s, const MotionState& start, Real J) noexcept {
  MotionState state = after({0, start.v, start.a}, s.ramp, s.first_jerk);
  state = after(state, s.hold, 0);
  return after(state, s.back, -s.way * J).x;
}

constexpr int most_rounds = 60;  // of Newton; a handful is usual
constexpr Real enough = 4 * std::numeric_limits<Real>::epsilon();

/// Where K c = K^(3/2): p = sqrt K and y = p + a turn (ramp) = R into
///     f(y) = y^3 + 4 C y - C^2 / y - 4 R = 0.
/// f rises; the start is above the root or near it, so Newton comes down to it.
Real ramp_root_y(Real C, Real R) noexcept {
  Real y = 0;
  if (C > 0) {
    // Without y^3 the root is higher, and so it is without the other two where y > sqrt(C) / 2.
    const Real root = std::sqrt(R * R + cubed(C));
    y = R > 0 ? (R + root) / (2 * C) : C * C / (2 * (root - R));
    if (16 * R * R > cubed(C) && R > 0) y = std::min(y, std::cbrt(4 * R));
  } else if (C < 0) {
    const Real c = std::sqrt(-C);  // the ramp begins at y = c, where f is least
    const Real above = std::max(0.0, R / cubed(c) + 1);
    const Real far = std::cbrt(4 * R);
    y = above <= 3 ? c * (1 + std::sqrt(2 * above)) : far - 4 * C / (3 * far);
  } else {
    return std::cbrt(4 * R);
  }
  for (int i = 0; i < most_rounds; ++i) {
    const Real over = C / y;
    const Real slope = 3 * y * y + 4 * C + over * over;
    const Real step = (y * (y * y + 4 * C) - C * over - 4 * R) / slope;
    if (!(slope > 0)) return y;  // y = c: there already
    y -= step;
    if (!(std::abs(step) > enough * y)) return y;
  }
  return y;
}

/// The acceleration at which the ramp from a1 to a2 has J^2 E = R.
Real ramp_root(Real C, Real R, Real a1, Real a2, Real A) noexcept {
  const Real y = ramp_root_y(C, R);
  Real a = std::clamp((y - C / y) / 2, a1, a2);
  if (!(C + a * a > A * A)) return a;
  // The rest holds at A: c is larger than we took it to be, so the root is below. E is convex.
  for (int i = 0; i < most_rounds; ++i) {
    const Real K = C + a * a;
    const Real step = (a * (2 * C + a * a) + K * (K / A + A) / 2 - R) / ((a + A) * (2 * K / A + a));
    if (!(step > enough * A)) return a;
    a = std::max(a - step, a1);
  }
  return a;
}

/// J^2 E during the hold, up to a constant.
Real hold_reach(Real K, Real A) noexcept {
  return K >= A * A ? K * (K / A + A) : K * (K / (2 * A) + std::sqrt(K) + A / 2);
}

/// The K at which hold_reach is R.
Real hold_root(Real R, Real A) noexcept {
  if (R >= 2 * cubed(A)) return 2 * A * R / (A * A + std::sqrt(squared(A * A) + 4 * A * R));
  Real p = A;  // its square is K; above the root, and hold_reach is convex in p
  for (int i = 0; i < most_rounds; ++i) {
    const Real step =
        (p * p * (p * p / (2 * A) + p + A / 2) - R) / (p * (2 * p * p / A + 3 * p + A));
    if (!(step > enough * A)) break;
    p -= step;
  }
  return p * p;
}

/// What of the way to V coincides with the soonest rest, and what is left to be chosen after it.
struct Lead {
  Real jerk = 0, ramp = 0, hold = 0;
  MotionState end;  ///< where the choice begins
  Real C = 0;       ///< J v - a^2/2 there
  Real top = 0;     ///< where the ramp of the acceleration ends on the way to V
  bool too_fast = false;
};

/// Moving ahead, or about to. `start.x` is 0.
Lead lead_to(const MotionState& start, const MotionLimits& limits) noexcept {
  const Real V = limits.velocity, A = limits.acceleration, J = limits.jerk;
  const Real let_go = start.v + start.a * std::abs(start.a) / (2 * J);
  Lead lead;
  lead.end = start;
  const auto follow = [&](const Swerve& s, Real towards) {
    lead.jerk = s.first_jerk;
    lead.ramp = s.ramp;
    lead.hold = s.hold;
    lead.end.x = after(after(start, s.ramp, s.first_jerk), s.hold, 0).x;
    lead.end.a = s.way * s.peak;
    lead.end.v = towards - s.way * squared(s.peak) / (2 * J);
  };
  if (let_go > V) {  // too fast: down to V, and no way to be faster
    follow(soonest_swerve(start.v - V, start.a, A, J), V);
    lead.C = J * V;
    lead.too_fast = true;
    return lead;
  }
  if (let_go < 0) {  // going back: until it would come to rest by itself
    follow(soonest_swerve(start.v, start.a, A, J), 0);
    lead.C = -squared(lead.end.a);
  } else {
    if (std::abs(start.a) > A) {
      lead.jerk = start.a > 0 ? -J : J;
      lead.ramp = (std::abs(start.a) - A) / J;
      lead.end = after(start, lead.ramp, lead.jerk);
      lead.end.a = std::copysign(A, start.a);
    }
    lead.C = J * lead.end.v - squared(lead.end.a) / 2;
  }
  const Real top_squared = squared(lead.end.a) / 2 + J * (V - lead.end.v);
  lead.top = std::min(A, std::max(lead.end.a, std::sqrt(std::max(0.0, top_squared))));
  return lead;
}

/// When to begin the rest: the acceleration and K then, and the seconds of hold and cruise before.
struct Turn {
  Real a, K, hold = 0, cruise = 0;
};

Turn turn_for(Real distance, const Lead& lead, const MotionLimits& limits) noexcept {
  const Real V = limits.velocity, A = limits.acceleration, J = limits.jerk;
  const Real a1 = lead.end.a, C = lead.C, top = lead.top;
  const Real R = J * J * (distance - lead.end.x) + C * a1 + cubed(a1) / 6;
  const Real K = std::max(0.0, C + top * top), root_K = std::sqrt(K);
  const Real c = root_K <= A ? root_K : (K / A + A) / 2;
  const Real beyond_ramp = R - (top * (2 * C + top * top) + K * c);
  if (beyond_ramp <= 0) {
    const Real a = ramp_root(C, R, a1, top, A);
    return {.a = a, .K = std::max(0.0, C + a * a)};
  }
  const Real K_cruise = J * V;
  if (top < A) return {.a = top, .K = K_cruise, .cruise = beyond_ramp / (J * J * V)};
  const Real in_hold = beyond_ramp + hold_reach(K, A);
  const Real beyond_hold = in_hold - hold_reach(K_cruise, A);
  if (beyond_hold <= 0) {
    const Real K_turn = hold_root(in_hold, A);
    return {.a = A, .K = K_turn, .hold = std::max(0.0, (K_turn - K) / (J * A))};
  }
  return {.a = A,
          .K = K_cruise,
          .hold = std::max(0.0, (K_cruise - K) / (J * A)),
          .cruise = beyond_hold / (J * J * V)};
}

/// Where stretch i ends. Before a cruise the acceleration is zero to the last bit: a trace of it
/// would add up.
MotionState end_of_stretch(const Plan& plan, int i, const MotionState& from,
                           Real seconds) noexcept {
  constexpr int before_cruise = 2;
  MotionState end = after(from, seconds, plan.jerk[static_cast<std::size_t>(i)]);
  if (i == before_cruise && plan.seconds[before_cruise + 1] > 0) end.a = 0;
  return end;
}

Plan planned(const MotionState& start, Real target) noexcept {
  Plan plan;
  plan.target = target;
  plan.at = 0;
  plan.from = start;
  return plan;
}

}  // namespace

Plan rest_at(Real x) noexcept {
  Plan plan;
  plan.target = x;
  plan.from = {x, 0, 0};
  return plan;
}

MotionState state_of(const Plan& plan) noexcept {
  if (at_rest(plan)) return plan.from;
  return after(plan.from, plan.into, plan.jerk[static_cast<std::size_t>(plan.at)]);
}

void advance(Plan& plan, Real seconds) noexcept {
  if (at_rest(plan)) return;
  plan.into += seconds;
  while (true) {
    const auto i = static_cast<std::size_t>(plan.at);
    if (plan.into < plan.seconds[i]) return;
    plan.from = end_of_stretch(plan, plan.at, plan.from, plan.seconds[i]);
    plan.into -= plan.seconds[i];
    if (++plan.at < Plan::stretches) continue;
    plan.from = {plan.target, 0, 0};
    plan.into = 0;
    return;
  }
}

Real seconds_left(const Plan& plan) noexcept {
  Real left = -plan.into;
  for (auto i = static_cast<std::size_t>(plan.at); i < Plan::stretches; ++i)
    left += plan.seconds[i];
  return left;
}

Plan soonest_rest(const MotionState& start, const MotionLimits& limits) noexcept {
  const Real J = limits.jerk;
  const Swerve s = soonest_swerve(start.v, start.a, limits.acceleration, J);
  Plan plan = planned(start, start.x + rest_distance(s, start, J));
  plan.seconds = {s.ramp, s.hold, s.back};
  plan.jerk = {s.first_jerk, 0, -s.way * J};
  return plan;
}

Plan soonest_rest_at(Real target, const MotionState& start, const MotionLimits& limits) noexcept {
  const Real A = limits.acceleration, J = limits.jerk;
  const Swerve rest = soonest_swerve(start.v, start.a, A, J);
  const Real distance = target - start.x;
  const Real beyond = distance - rest_distance(rest, start, J);
  const Real ahead = beyond < 0 ? -1 : 1;

  const Lead lead = lead_to({0, ahead * start.v, ahead * start.a}, limits);
  const Turn turn = turn_for(ahead * distance, lead, limits);
  const Real peak = std::min(std::sqrt(turn.K), A);
  Plan plan = planned(start, target);
  // The stretches: a ramp and a hold, those of the lead in front; down to the cruise, and it; rest.
  // Only of a lead that goes down to V is the ramp after its hold, not part of the one before.
  const Real ramp = (turn.a - lead.end.a) / J;
  const Real back = turn.cruise > 0 ? turn.a / J : 0;
  const bool joins = !lead.too_fast && lead.hold == 0 && (lead.ramp == 0 || lead.jerk > 0);
  plan.jerk = {joins ? J : lead.jerk, 0, lead.too_fast ? J : -J, 0, -J, 0, J};
  plan.seconds = {lead.ramp + (joins ? ramp : 0),
                  lead.hold + turn.hold,
                  lead.too_fast ? ramp : back,
                  turn.cruise,
                  ((turn.cruise > 0 ? 0 : turn.a) + peak) / J,
                  std::max(0.0, turn.K - A * A) / (A * J),
                  peak / J};
  for (Real& jerk : plan.jerk) jerk *= ahead;
  return plan;
}

Extremes extremes(const Plan& plan) noexcept {
  MotionState s = state_of(plan);
  Extremes e{
      std::min(s.x, plan.target), std::max(s.x, plan.target), std::abs(s.v), std::abs(s.a), 0, {}};
  const auto see = [&](Real x) {
    e.x_lo = std::min(e.x_lo, x);
    e.x_hi = std::max(e.x_hi, x);
  };
  for (int i = plan.at; i < Plan::stretches; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Real j = plan.jerk[k];
    const Real seconds = std::max(0.0, plan.seconds[k] - (i == plan.at ? plan.into : 0));
    const MotionState end = end_of_stretch(plan, i, s, seconds);
    Real v_turn = s.v;  // where the velocity turns round on the way, else where it began
    if (s.a * end.a < 0) v_turn = s.v - s.a * s.a / (2 * j);
    if (s.v * end.v < 0 || s.v * v_turn < 0) {
      // The place turns round where v + a t + j t^2/2 = 0.
      const Real r = std::sqrt(std::max(0.0, s.a * s.a - 2 * j * s.v));
      const Real w = -(s.a + std::copysign(r, s.a));
      for (const Real t : {w / j, 2 * s.v / w})
        if (t > 0 && t < seconds) see(after(s, t, j).x);
    }
    see(end.x);
    e.v = std::max({e.v, std::abs(v_turn), std::abs(end.v)});
    e.a = std::max(e.a, std::abs(end.a));
    if (seconds > 0) e.j = std::max(e.j, std::abs(j));
    s = end;
  }
  e.miss = {std::abs(s.x - plan.target), std::abs(s.v), std::abs(s.a)};
  return e;
}

}  // namespace gestik
