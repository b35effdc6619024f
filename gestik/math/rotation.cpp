#include "gestik/math/rotation.h"

#include <cmath>

namespace gestik {
namespace {

/// sin(x)/x and its even Taylor series near 0, where the quotient would be 0/0. At |x| < 0.01 the
/// first dropped term is below 1e-19.
Real sinc(Real x) noexcept {
  const Real x2 = x * x;
  if (x2 < 1e-4) return 1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42));
  return std::sin(x) / x;
}

}  // namespace

bool is_finite(Real x) noexcept {
  return std::isfinite(x);
}

bool is_finite(const Vec3& v) noexcept {
  return std::isfinite(v.x()) && std::isfinite(v.y()) && std::isfinite(v.z());
}

bool is_finite(const Quat& q) noexcept {
  return is_finite(Vec3(q.vec())) && std::isfinite(q.w());
}

bool is_bounded(const Vec3& v) noexcept {
  return is_bounded(v.x()) && is_bounded(v.y()) && is_bounded(v.z());
}

// Most are of unit length already. Else, scaling by the largest component first keeps the square
// from overflowing or vanishing.
Quat normalized_or_identity(const Quat& q) noexcept {
  if (is_unit(q)) return q;
  const Real largest = q.coeffs().cwiseAbs().maxCoeff();
  if (!(largest > 0) || !is_finite(q)) return Quat::Identity();
  Quat scaled = q;
  scaled.coeffs() /= largest;
  scaled.coeffs() /= scaled.coeffs().norm();
  return scaled;
}

Vec3 normalized_or_zero(const Vec3& v) noexcept {
  if (is_unit(v.squaredNorm())) return v;
  const Real largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !is_finite(v)) return Vec3::Zero();
  const Vec3 scaled = v / largest;
  return scaled / scaled.norm();
}

Quat axis_angle(const Vec3& unit_axis, Real angle) noexcept {
  const Real s = std::sin(angle / 2);
  return {std::cos(angle / 2), s * unit_axis.x(), s * unit_axis.y(), s * unit_axis.z()};
}

Quat exp(const Vec3& v) noexcept {
  Real half_angle = v.norm() / 2;
  if (std::isinf(half_angle)) half_angle = v.stableNorm() / 2;  // only the square overflowed
  const Vec3 s = sinc(half_angle) / 2 * v;
  return {std::cos(half_angle), s.x(), s.y(), s.z()};
}

// With q = (cos h, sin h * axis), w >= 0 after the sign choice, h = atan2(sin h, cos h) is precise
// for every angle; for a vector part so small that it vanishes when squared, h / sin h is 1.
Vec3 log(const Quat& q) noexcept {
  const Real sign = q.w() < 0 ? -1 : 1;
  const Vec3 vec = sign * q.vec();
  const Real s = vec.norm();
  if (s < 1e-150) return 2 * vec;
  return 2 * std::atan2(s, sign * q.w()) / s * vec;
}

Real angle_between(const Quat& a, const Quat& b) noexcept {
  const Quat d = a.conjugate() * b;
  return 2 * std::atan2(d.vec().norm(), std::abs(d.w()));
}

// Kahan's form: 2 atan2(|a - b|, |a + b|).
Real angle_between(const Vec3& a, const Vec3& b) noexcept {
  return 2 * std::atan2((a - b).norm(), (a + b).norm());
}

Vec3 any_perpendicular(const Vec3& v) noexcept {
  const Vec3 helper = std::abs(v.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY();
  return normalized_or_zero(v.cross(helper));
}

// With h the unit half-way vector, q = (from . h, from x h): no angle is ever computed. The nearer
// the vectors are to opposite, the more of from + to is rounding; only its part along to - from
// does harm, and the true h is square to that, so the part is taken out.
Quat shortest_rotation(const Vec3& from, const Vec3& to) noexcept {
  Vec3 sum = from + to;
  Real length = sum.norm();
  if (length < 1e-12) {  // opposite: the half-way vector is noise
    const Vec3 axis = any_perpendicular(from);
    return {0, axis.x(), axis.y(), axis.z()};
  }
  if (length < 1) {
    const Vec3 across = (to - from).normalized();
    sum -= across * across.dot(sum);
    length = sum.norm();
  }
  const Vec3 half = sum / length;
  const Vec3 vec = from.cross(half);
  return normalized_or_identity({from.dot(half), vec.x(), vec.y(), vec.z()});
}

// Write q = swing * twist with twist = (cos t/2, sin t/2 * a) and swing perpendicular to a. The w
// of q and its part along a are cos(s/2) cos(t/2) and cos(s/2) sin(t/2): their ratio gives the
// twist, whatever the swing. Both vanish together only for a swing of pi.
SwingTwist split_swing_twist(const Quat& q, const Vec3& axis) noexcept {
  Real along = q.vec().dot(axis);
  Real w = q.w();
  if (w < 0) {
    w = -w;
    along = -along;
  }
  const Real cos_half_swing = std::sqrt(w * w + along * along);
  if (cos_half_swing < 1e-150) return {q, 0};
  const Real c = w / cos_half_swing, s = along / cos_half_swing;
  const Quat twist(c, s * axis.x(), s * axis.y(), s * axis.z());
  Quat swing = q * twist.conjugate();
  if (swing.w() < 0) swing.coeffs() = -swing.coeffs();
  return {swing, 2 * std::atan2(s, c)};
}

}  // namespace gestik
