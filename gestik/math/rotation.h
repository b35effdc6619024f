#pragma once

#include <cmath>

#include "gestik/math/types.h"

/// Rotations on Eigen's quaternions. All quaternions here are of unit length unless a comment says
/// otherwise; q and -q are the same rotation and every function treats them so.
namespace gestik {

bool is_finite(Real) noexcept;
bool is_finite(const Vec3&) noexcept;
bool is_finite(const Quat&) noexcept;

/// Finite and at most largest_number in size.
inline bool is_bounded(Real x) noexcept {
  return std::abs(x) <= largest_number;  // false for NaN
}
bool is_bounded(const Vec3&) noexcept;

/// Of unit length as far as normalising can tell: once normalised, it stays as it is.
inline bool is_unit(Real squared_norm) noexcept {
  return std::abs(squared_norm - 1) < 2e-15;
}
inline bool is_unit(const Quat& q) noexcept {
  return is_unit((q.x() * q.x() + q.z() * q.z()) + (q.y() * q.y() + q.w() * q.w()));
}

/// The unit quaternion of any finite, non-zero one, however large or small; the identity otherwise.
/// Of a quaternion that is of unit length to rounding it changes no bit.
Quat normalized_or_identity(const Quat&) noexcept;

/// The unit vector of any finite, non-zero one, however large or small; zero otherwise. Of a vector
/// that is of unit length to rounding it changes no bit.
Vec3 normalized_or_zero(const Vec3&) noexcept;

/// The angle wrapped to [-pi, pi].
inline Real wrap_angle(Real angle) noexcept {
  return std::abs(angle) <= pi ? angle : std::remainder(angle, 2 * pi);
}

/// The angle, whole turns added, that is nearest to `place`.
inline Real nearest_turn(Real angle, Real place) noexcept {
  return angle + 2 * pi * std::round((place - angle) / (2 * pi));
}

Quat axis_angle(const Vec3& unit_axis, Real angle) noexcept;

/// a * b and q * v in plain numbers: they stay in registers from one product to the next, where
/// Eigen's go through memory.
inline Quat times(const Quat& a, const Quat& b) noexcept {
  return {(a.w() * b.w() - a.x() * b.x()) - (a.y() * b.y() + a.z() * b.z()),
          (a.w() * b.x() + a.x() * b.w()) + (a.y() * b.z() - a.z() * b.y()),
          (a.w() * b.y() + a.y() * b.w()) + (a.z() * b.x() - a.x() * b.z()),
          (a.w() * b.z() + a.z() * b.w()) + (a.x() * b.y() - a.y() * b.x())};
}
inline Vec3 turned(const Quat& q, const Vec3& v) noexcept {
  const Real x = 2 * (q.y() * v.z() - q.z() * v.y()), y = 2 * (q.z() * v.x() - q.x() * v.z()),
             z = 2 * (q.x() * v.y() - q.y() * v.x());
  return {(v.x() + q.w() * x) + (q.y() * z - q.z() * y),
          (v.y() + q.w() * y) + (q.z() * x - q.x() * z),
          (v.z() + q.w() * z) + (q.x() * y - q.y() * x)};
}

/// The rotation about a unit axis by the angle whose cosine and sine are as these numbers, `size`
/// being the length of the two, above zero: no angle is ever computed. The half angle lies along
/// (size + cosine, sine) or, the same and safe near half a circle, along (sine, size - cosine).
inline Quat axis_turn(const Vec3& unit_axis, Real cosine, Real sine, Real size) noexcept {
  const Real more = size + std::abs(cosine);
  const Real length = std::sqrt(2 * size * more);
  const Real c = (cosine > 0 ? more : sine) / length, s = (cosine > 0 ? sine : more) / length;
  return {c, s * unit_axis.x(), s * unit_axis.y(), s * unit_axis.z()};
}

/// Rotation vector (axis times angle) to quaternion, exact to rounding for any length.
Quat exp(const Vec3& rotation_vector) noexcept;

/// Quaternion to the shortest rotation vector, at most pi long: log(exp(v)) == v for |v| < pi.
Vec3 log(const Quat&) noexcept;

/// The angle in [0, pi] of the rotation between two orientations.
Real angle_between(const Quat&, const Quat&) noexcept;

/// The angle in [0, pi] between two unit vectors, precise at both ends (no acos).
Real angle_between(const Vec3&, const Vec3&) noexcept;

/// The smallest rotation that carries one unit vector to another. For opposite vectors, a half turn
/// about an axis chosen by `from` alone.
Quat shortest_rotation(const Vec3& from, const Vec3& to) noexcept;

/// A unit vector perpendicular to a unit vector, always the same one.
Vec3 any_perpendicular(const Vec3&) noexcept;

/// q = swing * axis_angle(axis, twist): the twist turns about `axis` first, then the swing, whose
/// own axis is perpendicular to it, carries the axis to where q carries it. twist is in [-pi, pi].
/// When q turns the axis right round (a swing of pi) the twist is not determined; it is 0 then.
struct SwingTwist {
  Quat swing;
  Real twist;
};
SwingTwist split_swing_twist(const Quat& q, const Vec3& unit_axis) noexcept;

}  // namespace gestik
