#include "gestik/solve/erik/coordinate_descent.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"

namespace gestik::erik {
namespace {

/// CCDTest, Algorithm 20: (1 - t . e) / 2, from the difference so that it does not cancel.
bool close(const Vec3& target, const Vec3& end, Real precision) noexcept {
  return (target - end).squaredNorm() / 4 <= precision;
}

/// The turn of a hinge that brings the end's direction as near as it can get to the target.
struct Turn {
  Quat rotation;   ///< of all that the link carries, in the world
  Vec3 direction;  ///< of the end after it
  Real angle;      ///< the link's new angle
};

/// Without a limit in the way, the direction's part across the axis comes to lie along the
/// target's: neither it nor the rotation waits for the arc tangent. False where one of them is on
/// the axis.
template <class Limit>
bool best_turn(const Link& link, Real angle, const Vec3& axis, const Vec3& from, const Vec3& to,
               Limit&& limit, Turn& turn) noexcept {
  const Real from_along = axis.dot(from), to_along = axis.dot(to);
  const Vec3 from_across = from - from_along * axis, to_across = to - to_along * axis;
  const Real cosine = from_across.dot(to_across);
  const Real sine = axis.dot(from_across.cross(to_across));
  const Real from_size = from_across.squaredNorm(), to_size = to_across.squaredNorm();
  const Real size = std::sqrt(from_size * to_size);
  constexpr Real on_axis = 1e-9;
  if (size < on_axis) return false;
  const Real wished = angle + std::atan2(sine, cosine);
  turn.angle = limit(link, wished);
  if (std::abs(turn.angle - wished) > 1e-12) {
    turn.rotation = axis_angle(axis, turn.angle - angle);
    turn.direction = turn.rotation * from;
    return true;
  }
  turn.direction = from_along * axis + (size / to_size) * to_across;
  turn.rotation = axis_turn(axis, cosine, sine, size);
  return true;
}

/// One sweep from the root up. Each turn carries everything above it along: `carried` is what all
/// of them have done so far, and the end's direction is the only thing above that the next one asks
/// for.
template <class Limit>
bool sweep_up(const Chain& chain, const Candidate& candidate, const Vec3& target,
              const Descent& descent, Vec3& direction, Limit&& limit) noexcept {
  Quat carried = Quat::Identity();
  bool there = false;
  for (int k = 0; k < chain.size(); ++k) {
    const Link& link = chain.links[k];
    Turn turn;
    if (!there && k != descent.held &&
        best_turn(link, candidate.angles[k], candidate.basis(chain, k) * link.axis, direction,
                  target, limit, turn)) {
      candidate.angles[k] = turn.angle;
      carried = turn.rotation * carried;
      direction = turn.direction;
      there = close(target, direction, descent.precision);
    }
    candidate.frames[k] = carried * candidate.frames[k];
  }
  return there;
}

}  // namespace

void warp_posture(const Chain& chain, const Candidate& posture, const Quat& target,
                  const Descent& descent) noexcept {
  const Vec3 wanted = y_axis(target);
  Vec3 direction = posture.direction();
  const auto no_limit = [](const Link&, Real angle) { return angle; };
  for (int i = 0; i < descent.sweeps && !close(wanted, direction, descent.precision); ++i)
    if (sweep_up(chain, posture, wanted, descent, direction, no_limit)) return;
}

namespace {

/// The closing twist: the last link, if it is a twister, takes the roll of the target. A symmetric
/// end takes the nearer of the two rolls that the limits allow.
void twist_end(const Chain& chain, const Candidate& candidate, const Quat& target,
               const Descent& descent) noexcept {
  const int k = chain.size() - 1;
  const Link& link = chain.links[k];
  if (descent.roll_is_open || !link.twister) return;
  const Real wished = twist_angle(link, candidate.basis(chain, k).conjugate() * target);
  candidate.angles[k] = descent.symmetric ? safe_twist(link, wished) : safe_angle(link, wished);
  apply_forward(chain, candidate, k);
}

}  // namespace

void descend_from_root(const Chain& chain, const Candidate& candidate, const Quat& target,
                       const Descent& descent) noexcept {
  const Vec3 wanted = y_axis(target);
  Vec3 direction = candidate.direction();
  for (int i = 0; i < descent.sweeps && !close(wanted, direction, descent.precision); ++i)
    if (sweep_up(chain, candidate, wanted, descent, direction, safe_angle)) break;
  twist_end(chain, candidate, target, descent);
}

void descend_from_end(const Chain& chain, const Candidate& candidate, const Quat& target,
                      const Descent& descent, Real edge) noexcept {
  const Vec3 wanted = y_axis(target);
  Real last_gap = infinity;
  for (int i = 0; i < descent.sweeps; ++i) {
    Vec3 direction = candidate.direction();
    const Real gap = (wanted - direction).squaredNorm() / 4;
    if (gap <= descent.precision || std::abs(last_gap - gap) <= descent.precision * 1e-3) break;
    last_gap = gap;
    const auto off_edges = [edge](const Link& link, Real angle) {
      const Real inside = safe_angle(link, angle);
      return edge > 0 ? off_the_edge(link, inside, edge) : inside;
    };
    for (int k = chain.size() - 1; k >= 0; --k) {
      const Link& link = chain.links[k];
      Turn turn;
      if (!best_turn(link, candidate.angles[k], candidate.basis(chain, k) * link.axis, direction,
                     wanted, off_edges, turn))
        continue;
      candidate.angles[k] = turn.angle;
      direction = turn.direction;
      if (close(wanted, direction, descent.precision)) break;
    }
    apply_forward(chain, candidate);
  }
  twist_end(chain, candidate, target, descent);
}

}  // namespace gestik::erik
