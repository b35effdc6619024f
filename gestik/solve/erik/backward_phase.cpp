#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/solve/erik/phases.h"

namespace gestik::erik {
namespace {

/// The sine and cosine, but for their size, of the turn about a unit axis that carries one vector
/// as near to another as it can.
struct TurnAbout {
  TurnAbout(const Vec3& axis, const Vec3& from, const Vec3& to) noexcept
      : sine(axis.dot(from.cross(to))),
        cosine(from.dot(to) - axis.dot(from) * axis.dot(to)),
        size(std::sqrt(sine * sine + cosine * cosine)) {}

  Real sine, cosine, size;
  /// Either vector lies on the axis: every turn is as good.
  bool is_open() const noexcept { return size < 1e-9; }
};

/// Rolls the basis a twister should lead to about the direction of the link above it, which stays,
/// until its Y comes as near as it can to the Y it will really have (BackwardChildRoll, Algorithm
/// 16).
Quat rolled_child(const Quat& wanted, const Vec3& child_direction, const Quat& real) noexcept {
  const TurnAbout turn(child_direction, y_axis(wanted), y_axis(real));
  if (turn.is_open()) return wanted;
  return axis_turn(child_direction, turn.cosine, turn.sine, turn.size) * wanted;
}

/// The angle of a hinge that brings its segment nearest to a direction within the limits: on the
/// direction's own side, or mirrored where the limits make that the nearer one.
Real best_swing(const Link& link, const Vec3& direction_in_basis) noexcept {
  const Real wished = swing_to(link, direction_in_basis);
  const Real straight = safe_angle(link, wished);
  if (straight == wished || std::abs(std::sin((straight - wished) / 2)) < 1e-9) return straight;
  const Real mirrored = safe_angle(link, swing_to(link, direction_in_basis, true));
  const auto nearness = [&](Real angle) {
    return y_axis(local_rotation(link, angle)).dot(direction_in_basis);
  };
  return nearness(mirrored) > nearness(straight) ? mirrored : straight;
}

}  // namespace

void backward_phase(const Chain& chain, Bases bases, bool symmetric,
                    const Candidate& out) noexcept {
  const int end = chain.size() - 1;
  for (int k = 0; k <= end; ++k) {
    const Link& link = chain.links[k];
    const Quat basis = out.basis(chain, k);
    if (link.twister) {
      Quat wanted = bases[k + 1];
      if (k < end)
        wanted = bases[k + 1] = rolled_child(wanted, y_axis(bases[k + 2]), basis * link.rest);
      const Real angle = twist_angle(link, basis.conjugate() * wanted);
      out.angles[k] = k < end || symmetric ? safe_twist(link, angle) : safe_angle(link, angle);
      out.frames[k] = basis * local_rotation(link, out.angles[k]);
      continue;
    }
    const Vec3 direction = y_axis(bases[k + 1]);
    out.angles[k] = best_swing(link, basis.conjugate() * direction);
    out.frames[k] = basis * local_rotation(link, out.angles[k]);
    if (k == 0 || !chain.links[k - 1].twister) continue;

    // A twister below turns this link's segment on into the direction (lines 27-40).
    const Link& twister = chain.links[k - 1];
    const Quat under = out.basis(chain, k - 1);
    const Vec3 axis = under * twister.axis;
    const TurnAbout more(axis, y_axis(out.frames[k]), direction);
    if (more.is_open()) continue;
    out.angles[k - 1] = safe_twist(twister, out.angles[k - 1] + std::atan2(more.sine, more.cosine));
    out.frames[k - 1] = under * local_rotation(twister, out.angles[k - 1]);
    out.angles[k] = best_swing(link, out.frames[k - 1].conjugate() * direction);
    out.frames[k] = out.frames[k - 1] * local_rotation(link, out.angles[k]);
  }
}

}  // namespace gestik::erik
