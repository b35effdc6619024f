#pragma once

#include "gestik/solve/erik/candidate.h"

namespace gestik::erik {

/// Memory for close_in, one entry per link.
struct ClosingWork {
  std::span<Vec3> axes;
  std::span<Real> turns, freedoms;
  Candidate trial;
};

/// Brings the end of a candidate that is nearly there exactly to the goal: small turns of all
/// joints, within the limits, least where they change the shape most. Not in the paper, whose
/// coordinate descent stops some milliradians short. Gives up where the shape alone costs more than
/// the best candidate's error. Returns the residual that is left, radians.
Real close_in(const Chain&, const Candidate&, const Wish&, Real best_error,
              const ClosingWork&) noexcept;

}  // namespace gestik::erik
