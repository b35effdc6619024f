#pragma once

#include "gestik/solve/erik/candidate.h"

namespace gestik::erik {

/// How far coordinate descent goes: the settings it needs.
struct Descent {
  int sweeps;
  Real precision;
  bool roll_is_open;  ///< an aim: no twist of the end to follow the direction
  bool symmetric;     ///< the end may be half a turn off
  int held = -1;      ///< a link that stays as it is, if any
};

/// Turns the posture's end to the direction of `target` from the root up, without limits, so that
/// most of the warping stays at the root (BWCD_Posture, Algorithm 19).
void warp_posture(const Chain&, const Candidate& posture, const Quat& target,
                  const Descent&) noexcept;

/// The same within the limits, then the last link's twist (BWCD_Solution, Algorithm 21).
void descend_from_root(const Chain&, const Candidate&, const Quat& target, const Descent&) noexcept;

/// The same from the end down (CCD, Algorithm 22). `edge`: distance kept from limits, or 0.
void descend_from_end(const Chain&, const Candidate&, const Quat& target, const Descent&,
                      Real edge) noexcept;

}  // namespace gestik::erik
