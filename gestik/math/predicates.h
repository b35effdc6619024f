#pragma once

#include "gestik/math/types.h"

/// Signs of determinants that are never wrong, for points of the plane on a lattice fine enough to
/// stand for any point. What is built on them (a triangulation) can't be led into contradictions by
/// rounding, and collinear or cocircular points are just another case.
namespace gestik {

/// Points must be nearer to the origin than this in both coordinates.
inline constexpr Real lattice_end = 8;

/// The nearest point of the lattice: coordinates are multiples of 2^-49 (1.8e-15), so that the
/// difference of any two is exact.
Vec2 on_lattice(const Vec2&) noexcept;

/// 1 when c lies to the left of the way from a to b, -1 to the right, 0 on the line. All three on
/// the lattice.
int side_of(const Vec2& a, const Vec2& b, const Vec2& c) noexcept;

/// 1 when d lies inside the circle through a, b, c, which go round against the clock; -1 outside, 0
/// on the circle. All four on the lattice.
int side_of_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) noexcept;

}  // namespace gestik
