#include "gestik/solve/erik/closing_turn.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace gestik::erik {
namespace {

/// How freely a joint turns: the inverse of what it costs in shape, with a floor for twisters,
/// which cost nothing, and for straight joints, which cost nothing to first order.
Real freedom(const Link& link, Real bend) noexcept {
  const Real slope = link.latitude_range * std::sqrt(std::max(0.0, 1 - bend * bend));
  return 1 / (0.02 + link.weight * (0.2 + slope));
}

// With J = the joints' world axes, the turns x that give J x = r at the least sum(x^2 / freedom)
// are x = F J^T (J F J^T)^-1 r: a 3x3 system. A joint that would pass a limit goes to it, takes its
// share out of r and itself out of the system, and the rest is solved again.
void least_turns(const Chain& chain, const Candidate& candidate, Vec3 r,
                 const ClosingWork& work) noexcept {
  constexpr int rounds = 3;
  bends_of(chain, candidate.angles, work.freedoms);
  for (int k = 0; k < chain.size(); ++k) {
    work.axes[k] = candidate.basis(chain, k) * chain.links[k].axis;
    work.freedoms[k] = freedom(chain.links[k], work.freedoms[k]);
  }
  bool stopped = true;
  for (int round = 0; round < rounds && stopped; ++round) {
    stopped = false;
    Mat3 a = 1e-6 * Mat3::Identity();
    for (int k = 0; k < chain.size(); ++k)
      a += work.freedoms[k] * work.axes[k] * work.axes[k].transpose();
    const Vec3 y = a.inverse() * r;
    for (int k = 0; k < chain.size(); ++k) {
      if (work.freedoms[k] == 0) continue;
      const Link& link = chain.links[k];
      const Real next = candidate.angles[k] + work.freedoms[k] * work.axes[k].dot(y);
      const Real inside = std::clamp(next, link.lo, link.hi);
      work.turns[k] = inside - candidate.angles[k];
      if (inside == next) continue;
      stopped = true;
      work.freedoms[k] = 0;
      r -= work.turns[k] * work.axes[k];
    }
  }
}

}  // namespace

Real close_in(const Chain& chain, const Candidate& candidate, const Goal& goal,
              const ClosingWork& work) noexcept {
  constexpr int steps = 6;
  constexpr Real largest_turn = 0.5;
  const Real near_enough = 0.1 * tolerance_of(goal);
  Vec3 r = residual_of(chain, candidate, goal);
  for (int step = 0; step < steps && r.norm() > near_enough; ++step) {
    least_turns(chain, candidate, r, work);
    Real largest = 0;
    for (const Real turn : work.turns) largest = std::max(largest, std::abs(turn));
    const Real scale = largest > largest_turn ? largest_turn / largest : 1;
    for (int k = 0; k < chain.size(); ++k)
      work.trial.angles[k] = std::clamp(candidate.angles[k] + scale * work.turns[k],
                                        chain.links[k].lo, chain.links[k].hi);
    apply_forward(chain, work.trial);
    const Vec3 next = residual_of(chain, work.trial, goal);
    if (!(next.norm() < r.norm())) break;
    copy(work.trial, candidate);
    r = next;
  }
  return r.norm();
}

}  // namespace gestik::erik
