#pragma once

#include "gestik/goal/goal.h"

/// The best move of one joint for everything that hangs on it: what solvers that work joint by
/// joint share.
namespace gestik {

/// A share of the whole below which a difference is rounding, whatever the goals' weights and
/// units.
inline constexpr Real negligible = 1e-12;

/// What a joint can do for one goal, as a vector to be turned onto another. Turning r onto d about
/// the joint's origin brings the goal's squared error down by 2 * weight * d . (R r - r).
struct VectorPair {
  Vec3 r, d;
  Real weight;
};

/// All that a joint can serve by turning, gathered: a turn R is worth trace(R N), with N the sum of
/// weight * r d^T.
struct Wish {
  Mat3 n = Mat3::Zero();
  VectorPair only{};  ///< the pair, when there is just one
  int pairs = 0;
  Real ease = 0;  ///< the weight of not turning, which is in N as well

  void add(const VectorPair& pair) noexcept {
    n += pair.weight * pair.r * pair.d.transpose();
    only = pair;
    ++pairs;
  }

  /// Turning one orientation onto another: three pairs, the axes, at half the weight each, so that
  /// a small angle counts as its square.
  void add(const Quat& from, const Quat& to, Real weight) noexcept {
    n += weight / 2 * (from * to.conjugate()).toRotationMatrix();
    pairs += 3;
  }

  /// Not to turn at all: a small angle costs its square times the weight.
  void add_ease(Real weight) noexcept {
    n.diagonal().array() += weight / 2;
    ease += weight;
  }

  /// The same wish of one who turns the other way: trace(R^T N) = trace(R N^T).
  Wish reversed() const noexcept {
    return {n.transpose(), {only.d, only.r, only.weight}, pairs, ease};
  }
};

/// Adds what a goal, whose joint stands at `world`, wants of a turn about `pivot`.
void add_goal(const Goal&, const Pose& world, const Vec3& pivot, Wish&) noexcept;

/// The turn, in world axes, that serves the wish best; of equally good ones the smallest.
Quat best_turn(const Wish&) noexcept;

/// The coordinate a hinge that turns about the world axis `axis` should take: the best angle inside
/// the limits, no farther than `cap`, and only `share` of the way.
Real best_hinge(const Wish&, const Vec3& axis, Real q, const Limits&, Real share,
                Real cap) noexcept;

/// Turns a ball that stands at `world` as far as its limits let it, by `share` of the best turn and
/// at most `cap`: if the clamped turn helps less than staying, half of it is tried, and so on.
/// Returns the turn made, in world axes.
Quat turn_ball(const Wish&, const Skeleton&, JointId, const Quat& world, Real* q, Real share,
               Real cap) noexcept;

/// What a slider can serve, gathered: least squares along its axis.
struct SlideWish {
  Real push = 0, hold = 0;
  Real most = 0;  ///< what `hold` could be at most

  void add(Real gap_along_axis, Real weight) noexcept {
    push += weight * gap_along_axis;
    hold += weight;
    most += weight;
  }
  Real best() const noexcept { return hold > negligible * most ? push / hold : 0; }
};

/// Adds what a goal wants of a slide along the unit vector `axis`: a reach counts whole, an aim by
/// its part across the line of sight, an orientation not at all.
void add_goal(const Goal&, const Pose& world, const Vec3& axis, SlideWish&) noexcept;

}  // namespace gestik
