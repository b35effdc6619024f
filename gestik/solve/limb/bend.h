#pragma once

#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/math/sincos.h"

namespace gestik {

/// Half of an angle, as its cosine and sine.
struct HalfTurn {
  Real c = 1, s = 0;
};
inline HalfTurn half_turn(Real angle) noexcept {
  const SineCosine half = sincos(0.5 * angle);
  return {half.cosine, half.sine};
}
/// Of the sum of two angles.
inline HalfTurn operator*(const HalfTurn& a, const HalfTurn& b) noexcept {
  return {a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

/// How the distance from the base to a point beyond the mid depends on the mid's angle: the
/// triangle of Equation 2, for any axis and any offset. In the upper frame.
//
// The point is at f(t) = u + along + cos t across + sin t beside, with u the upper arm and the rest
// the forearm p split by the axis a: along = a (a.p), across = p - along, beside = a x p. So
// |f|^2 = c + 2 m cos(t - t0) with c = |u|^2 + |p|^2 + 2 u.along and m, t0 the length and angle of
// (u.across, u.beside). It is farthest at t0, the straight limb, and nearest half a turn on.
struct Bend {
  Vec3 upper = Vec3::Zero(), axis = Vec3::UnitY();
  Vec3 along = Vec3::Zero(), across = Vec3::Zero(), beside = Vec3::Zero();
  Real middle = 0;   ///< c, the square of a distance
  Real reach = 0;    ///< m, half of how much the square can vary to either side
  Real inverse = 0;  ///< 1 / 2m, or zero
  Real straight = 0;
  Real farthest = 0, nearest = 0;  ///< distances
  bool planar = false;             ///< the limb stays in the plane across its axis
  HalfTurn half_straight;

  Bend() = default;
  Bend(const Vec3& upper, const Vec3& axis, const Vec3& lower) noexcept;
  Vec3 point(Real cosine, Real sine) const noexcept {
    return upper + along + cosine * across + sine * beside;
  }
};

}  // namespace gestik
