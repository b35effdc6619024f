#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <numbers>

namespace gestik {

using Real = double;
using Vec2 = Eigen::Matrix<Real, 2, 1, Eigen::DontAlign>;
using Vec3 = Eigen::Matrix<Real, 3, 1>;
using Mat3 = Eigen::Matrix<Real, 3, 3>;

/// Not aligned on purpose, like Vec2: the size and alignment of our types must not depend on the
/// vector flags a user compiles with (docs/decisions/0002-unaligned-quaternions.md).
using Quat = Eigen::Quaternion<Real, Eigen::DontAlign>;

inline constexpr Real pi = std::numbers::pi_v<Real>;
/// The largest place, coordinate or weight we take. Beyond it squares and products overflow and
/// errors stop meaning anything, so the borders (build, run) refuse it.
inline constexpr Real largest_number = 1e30;
inline constexpr Real infinity = std::numeric_limits<Real>::infinity();

/// A rotation and a translation. Named a_from_b: `world_from_head * p` takes a point p given in the
/// head's frame to the world, and a_from_b * b_from_c = a_from_c.
struct Pose {
  Quat q = Quat::Identity();
  Vec3 p = Vec3::Zero();
};

inline Vec3 operator*(const Pose& a_from_b, const Vec3& point_in_b) {
  return a_from_b.p + a_from_b.q * point_in_b;
}

inline Pose operator*(const Pose& a_from_b, const Pose& b_from_c) {
  return {a_from_b.q * b_from_c.q, a_from_b * b_from_c.p};
}

inline Pose inverse(const Pose& a_from_b) {
  const Quat q = a_from_b.q.conjugate();
  return {q, -(q * a_from_b.p)};
}

}  // namespace gestik
