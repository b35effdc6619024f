#pragma once

#include "gestik/solve/erik/candidate.h"

namespace gestik::erik {

/// What the forward phase hands to the backward phase: for each link the world orientation its
/// basis should have; one more for the end, whose is the target itself.
using Bases = std::span<Quat>;

/// From the end to the root: takes the bases of the warped posture and rolls and turns them until
/// each follows from the one above it by a turn that its hinge can make within its limits. The
/// root's ends up wherever that leads (Algorithms 8 to 11, 14).
void forward_phase(const Chain&, const Candidate& posture, const Quat& target, Real edge, Bases,
                   std::span<Quat> rolls) noexcept;

/// From the root to the end: the angles that follow those bases as well as the real root allows
/// (Algorithms 15 to 18).
void backward_phase(const Chain&, Bases, bool symmetric, const Candidate& out) noexcept;

}  // namespace gestik::erik
