#include <cmath>

#include "gestik/solve/erik/phases.h"

namespace gestik::erik {
namespace {

constexpr Real no_projection = 1e-6;

/// The roll about the Y of `above` that brings the link's axis, seen in `above`, to where it is
/// seen in `below`: what a pure turn of the hinge would leave of it.
Real roll_to_fit(const Link& link, bool child_is_twister, const Quat& below,
                 const Quat& above) noexcept {
  const Vec3 here = below * link.axis;
  const Vec3 there = above * link.axis_in_frame;
  if (child_is_twister && there.dot(here) < 0) return pi;
  const Vec3 y = y_axis(above);
  const Vec3 from = there - y * y.dot(there);
  const Vec3 to = here - y * y.dot(here);
  if (from.norm() < no_projection || to.norm() < no_projection) return 0;
  return std::atan2(y.dot(from.cross(to)), from.dot(to));
}

}  // namespace

void forward_phase(const Chain& chain, const Candidate& posture, const Quat& target, Real edge,
                   Bases bases, std::span<Real> rolls) noexcept {
  const int end = chain.size() - 1;
  bases[end + 1] = target;
  for (int k = end; k >= 0; --k) {
    const Link& link = chain.links[k];
    const Quat& below = posture.basis(chain, k);
    rolls[k] = 0;
    if (k < end) {
      rolls[k] = roll_to_fit(link, chain.links[k + 1].twister, below, bases[k + 1]);
      if (rolls[k] != 0) bases[k + 1] = bases[k + 1] * about_y(rolls[k]);
    }
    const Quat seen = below.conjugate() * bases[k + 1];
    Real angle = link.twister ? safe_twist(link, twist_angle(link, seen))
                              : safe_angle(link, swing_to(link, y_axis(seen)));
    if (edge > 0) angle = off_the_edge(link, angle, edge);
    bases[k] = k == end ? below : Quat(bases[k + 1] * local_rotation(link, angle).conjugate());
  }
  // A roll belongs to every basis above its link (PropagateRollUp, Algorithm 10), but each is
  // needed only by the link below it before the backward phase: they are added up here, in one
  // pass.
  Real roll = 0;
  for (int k = 0; k < end; ++k) {
    if (roll != 0) bases[k + 1] = bases[k + 1] * about_y(roll);
    roll += rolls[k];
  }
}

}  // namespace gestik::erik
