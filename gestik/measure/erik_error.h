#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gestik/goal/goal.h"
#include "gestik/model/kinematics.h"

/// The error measures of the ERIK paper (section 3.6, Algorithms 5 and 6), for every solver.
namespace gestik {

/// How the paper's figures are computed. The defaults are its own.
struct ErikMeasure {
  Real orientation_weight = 1.0;
  Real posture_weight = 0.2;
  Real aggravation = 2.0;  ///< how much worse a deviation is one bending joint nearer to the end
};

/// Distance of two orientations in [0, 1]: min(|a - b|, |a + b|) / sqrt(2) as 4-vectors. With
/// `symmetric`, of a and b, or a and b turned half round its own Y (Algorithm 5).
Real orientation_error(const Quat& a, const Quat& b, bool symmetric) noexcept;

/// The same figure for an angle that was measured otherwise: an aim's residual.
Real orientation_error(Real angle) noexcept;

/// Posture error in [0, 1] along the chain from the root to `end` (Algorithm 6): of each joint that
/// bends the chain, the difference of the cosines of its bend in the two poses, weighted by
/// aggravation^i, i counting those joints from 0. `end_point` is the end's tip in the end joint's
/// frame: the last segment. Joints in one place count as one that bends if any of them does; a
/// fixed joint is part of the segment it sits in.
Real posture_error(const Skeleton&, JointId end, const Vec3& end_point,
                   std::span<const Pose> solution, std::span<const Pose> posture,
                   Real aggravation = 2.0) noexcept;

/// All three for one end; nothing where there is nothing to measure.
struct ErikErrors {
  std::optional<Real> orientation, posture, combined;
};

/// The errors of a pose that was found for these goals, all of them of `end`. The orientation is
/// measured by an Orient if there is one, else by an Aim. An empty posture has no error. Allocates.
ErikErrors erik_errors(const Skeleton&, std::span<const Goal>, JointId end, const Vec3& end_point,
                       ConstQ q, ConstQ posture, const ErikMeasure& = {});

}  // namespace gestik
