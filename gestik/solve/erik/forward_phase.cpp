#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/solve/erik/phases.h"

namespace gestik::erik {
namespace {

constexpr Real no_projection = 1e-6;

/// The roll about the Y of `above`, in its own frame, that brings the link's axis, seen in `above`,
/// to where it is seen in `below`: what a pure turn of the hinge would leave of it.
Quat roll_to_fit(const Link& link, bool child_is_twister, const Quat& below,
                 const Quat& above) noexcept {
  const Vec3 here = below * link.axis;
  const Vec3 there = above * link.axis_in_frame;
  if (child_is_twister && there.dot(here) < 0) return {0, 0, 1, 0};
  const Vec3 y = y_axis(above);
  const Vec3 from = there - y * y.dot(there);
  const Vec3 to = here - y * y.dot(here);
  const Real from_size = from.squaredNorm(), to_size = to.squaredNorm();
  if (std::min(from_size, to_size) < no_projection * no_projection) return Quat::Identity();
  return axis_turn(Vec3::UnitY(), from.dot(to), y.dot(from.cross(to)),
                   std::sqrt(from_size * to_size));
}

}  // namespace

void forward_phase(const Chain& chain, const Candidate& posture, const Quat& target, Real edge,
                   Bases bases, std::span<Quat> rolls) noexcept {
  const int end = chain.size() - 1;
  bases[end + 1] = target;
  for (int k = end; k >= 0; --k) {
    const Link& link = chain.links[k];
    const Quat& below = posture.basis(chain, k);
    if (k < end) {
      rolls[k] = roll_to_fit(link, chain.links[k + 1].twister, below, bases[k + 1]);
      bases[k + 1] = bases[k + 1] * rolls[k];
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
  if (end < 1) return;
  Quat roll = rolls[0];
  for (int k = 1; k < end; ++k) {
    bases[k + 1] = bases[k + 1] * roll;
    roll = roll * rolls[k];
  }
}

}  // namespace gestik::erik
