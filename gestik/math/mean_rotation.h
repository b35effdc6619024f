#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/arc_tangent.h"

namespace gestik {

namespace rotation_sum {

// In plain numbers, which stay in registers.
inline void add(Real weight, const Quat& q, Quat& sum) noexcept {
  sum = {sum.w() + weight * q.w(), sum.x() + weight * q.x(), sum.y() + weight * q.y(),
         sum.z() + weight * q.z()};
}
inline Real inner(const Quat& a, const Quat& b) noexcept {
  return (a.w() * b.w() + a.x() * b.x()) + (a.y() * b.y() + a.z() * b.z());
}

/// Sums of rotations of one half are far from zero; should one vanish all the same, it is no turn.
inline Quat unit(const Quat& sum) noexcept {
  const Real size = inner(sum, sum);
  if (!(size > 1e-20)) return Quat::Identity();
  const Real scale = 1 / std::sqrt(size);
  return {scale * sum.w(), scale * sum.x(), scale * sum.y(), scale * sum.z()};
}

/// asin(s) / s with s^2 given: what makes the vector part of a rotation half its rotation vector.
/// For rotations near each other a few terms of its series do.
inline Real lengthened(Real x) noexcept {
  if (x > 0.05)
    return arc_tangent(std::sqrt(x), std::sqrt(std::max<Real>(0, 1 - x))) / std::sqrt(x);
  const Real x2 = x * x;
  return (1 + x * (1.0 / 6)) +
         x2 * (((3.0 / 40) + x * (5.0 / 112)) +
               x2 * (((35.0 / 1152) + x * (63.0 / 2816)) + x2 * (231.0 / 13312)));
}

}  // namespace rotation_sum

/// The mean of rotations of unit length, all in one half of the sphere, with weights that are not
/// below zero and add up to 1.
//
// The mean makes the weighted sum of the ways to all of them vanish. The straight sum of the
// quaternions is near it; one step of Newton's leads from there, m, to within the fourth power of
// the angles between them (and exactly, by symmetry, where two have equal weights). The step is so
// short that its tangent stands for the turn.
//
// The way from m to a rotation r is 2 f v with v the vector part of m^-1 r, its scalar part m.r not
// below zero, and f = asin|v| / |v|, |v|^2 = 1 - (m.r)^2. So half of all the ways is the vector
// part of m^-1 S, S the sum of the w f r, and the step leads to m (1 - m.S) + S: no product at all.
template <std::size_t count>
Quat mean_rotation(const std::array<Quat, count>& rotations,
                   const std::array<Real, count>& weights) noexcept {
  using namespace rotation_sum;
  Quat sum(0, 0, 0, 0);
  for (std::size_t i = 0; i < count; ++i) add(weights[i], rotations[i], sum);
  const Quat middle = unit(sum);
  Quat further(0, 0, 0, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const Real near = inner(middle, rotations[i]);
    const Real f = lengthened(std::max<Real>(0, 1 - near * near));
    add(std::copysign(weights[i] * f, near), rotations[i], further);
  }
  add(1 - inner(middle, further), middle, further);
  return unit(further);
}

}  // namespace gestik
