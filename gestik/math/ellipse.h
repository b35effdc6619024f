#pragma once

#include "gestik/math/types.h"

namespace gestik {

/// (x/a)^2 + (y/b)^2: at most 1 inside the ellipse with half axes a, b > 0.
Real ellipse_level(const Vec2& point, Real a, Real b) noexcept;

/// The point of the ellipse's edge nearest to a point outside it, to rounding. Unlike scaling the
/// point towards the centre, this is the projection that gradient methods need, and it does not
/// stick in the narrow ends of flat ellipses.
Vec2 nearest_on_ellipse(const Vec2& outside, Real a, Real b) noexcept;

}  // namespace gestik
