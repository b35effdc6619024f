#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gestik/motion/plan.h"
#include "gestik/solve/solver.h"

/// The motion filter: joints follow targets that may jump, and never move faster, harder or rougher
/// than they may.
///
///     FilterState state = start(skeleton, q);
///     each frame: step(MotionFilter{}, skeleton, limits, target, 1.0 / 60, state, q);
///
/// What it promises, of every sample and for any target (jumps, noise, NaN, infinities):
///  - The place stays in its range, and velocity, acceleration and jerk in their limits: those of
///    the curve, and so those that differences of samples show, which are averages of them.
///  - It comes to rest at a target that stays, without ever passing it, unless it was already too
///    fast to stop before it when the target came.
///  - With smoothness 0 and responsiveness 1 no motion inside the limits gets there sooner.
///  - The same input gives the same bits; a step takes no memory from the heap.
/// The reason: it always holds a plan that is known to come to rest inside all limits, and takes a
/// new one only after it has looked at all of it.
///
/// Limits may change from one step to the next. Wider ones hold at once. Tighter ones, when they
/// come while it moves, may ask for what can't be: then the new jerk holds at once; an acceleration
/// beyond its limit falls at full jerk; of going for the target, stopping at once, and going for
/// either end, that is done which takes the place least out of its range, then the speed least
/// beyond its limit; and once inside it stays inside.
///
/// NaN, infinity and a zero quaternion as a target, and limits that are not sound, are as if they
/// had not been given: the last sound ones hold. A time step that is not above zero moves nothing.
namespace gestik {

/// How a character moves inside what its joints can do.
struct MotionFilter {
  Real responsiveness = 1;
  Real smoothness = 0.05;

  template <class F>
  static void fields(F&& f) {
    f("responsiveness", &MotionFilter::responsiveness, Range{0.01, 1},
      "how fast time runs for the character: r takes r of the speed, r^2 of the acceleration and "
      "r^3 of the jerk that its joints have, less is heavier");
    f("smoothness", &MotionFilter::smoothness, Range{0, 10},
      "seconds over which a target is eased (two equal poles), more is calmer; at 0 every jitter "
      "of "
      "the target becomes full jerk");
  }
};

/// Characters to begin with. docs/MOTION.md shows them.
struct FilterPreset {
  std::string_view name, summary;
  MotionFilter filter;
};
std::span<const FilterPreset> filter_presets() noexcept;  ///< light, heavy, nervous, calm

// --- one number ---

struct AxisLimits {
  Real lo = -infinity, hi = infinity;
  MotionLimits motion = {};
};

/// What the filter remembers of one coordinate. Yours to copy and keep.
struct AxisFilter {
  Plan plan = {};
  AxisLimits limits = {};          ///< the last sound ones
  Real wish = 0;                   ///< the last sound target
  Real eased = 0, easing = 0;      ///< the target as smoothness lets it through, and its velocity
  bool inside = true;              ///< whether the plan keeps the limits
  Real decay_over = 0, decay = 1;  ///< exp(-x) for the last x
};

AxisFilter start_axis(Real x) noexcept;

/// Moves on by `seconds` and gives back the new place. A start outside its range is one that
/// tighter limits made so: it comes inside as above.
Real step_axis(const MotionFilter&, const AxisLimits&, Real target, Real seconds,
               AxisFilter&) noexcept;

// --- a whole body ---

/// Fixed joints have no part in it. Hinges and sliders are one axis each. A ball is three axes: its
/// swing and twist (ball_angles) or, where it can turn any way, the rotation vector from where it
/// last was at rest. Turning by those is no faster than they are: with n = 1 + sqrt 2 (a free ball:
/// sqrt 3) and each axis held to (v, a, j),
///     |w| <= n v,   |dw/dt| <= n (a + v^2),   |d2w/dt2| <= n (j + 3 v a + 2 v^3)
/// for the angular velocity w, so the axes get limits that keep the ball's own (ball_axis_limits).
/// That is sound and leaves a good part of what the ball may do unused. The ellipse of the swing is
/// kept by looking at both plans together; where it refuses them the ball first comes to rest and
/// goes on straight. Only a ball whose swing may come near pi, but which is not free, is promised
/// no more than its range there: a quaternion does not tell such a swing from a twist.
struct FilterState {
  std::vector<AxisFilter> axes = {};  ///< in the order of v
  std::vector<Quat> anchors = {};     ///< by joint: of a free ball, what its axes start from
};

/// The limits of each of a ball's axes that keep the ball's own.
MotionLimits ball_axis_limits(const MotionLimits&, bool free) noexcept;

/// At rest at q, brought inside the limits.
FilterState start(const Skeleton&, ConstQ q);

/// Moves on by `seconds` towards `target` and writes the pose. Limits are in joint order; the sizes
/// must be the skeleton's.
void step(const MotionFilter&, const Skeleton&, std::span<const MotionLimits>, ConstQ target,
          Real seconds, FilterState&, Q out) noexcept;

}  // namespace gestik
