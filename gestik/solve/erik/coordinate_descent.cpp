#include "gestik/solve/erik/coordinate_descent.h"

#include <algorithm>
#include <cmath>

namespace gestik::erik {
namespace {

/// CCDTest, Algorithm 20: (1 - t . e) / 2, from the difference so that it does not cancel.
bool close(const Vec3& target, const Vec3& end, Real precision) noexcept {
  return (target - end).squaredNorm() / 4 <= precision;
}

/// The angle about `axis` that turns `from` as near as it can get to `to`; 0 where either lies on
/// the axis.
Real best_turn(const Vec3& axis, const Vec3& from, const Vec3& to) noexcept {
  const Real along_from = axis.dot(from), along_to = axis.dot(to);
  const Real cosine = from.dot(to) - along_from * along_to;
  const Real sine = axis.dot(from.cross(to));
  constexpr Real on_axis = 1e-9;
  if (cosine * cosine + sine * sine < on_axis * on_axis) return 0;
  return std::atan2(sine, cosine);
}

Vec3 turned(const Vec3& axis, Real angle, const Vec3& v) noexcept {
  const Real c = std::cos(angle), s = std::sin(angle);
  return c * v + s * axis.cross(v) + (1 - c) * axis.dot(v) * axis;
}

/// One sweep from the root up. Only the end's direction has to be carried along: a link's basis is
/// final when its turn comes.
template <class Limit>
bool sweep_up(const Chain& chain, const Candidate& candidate, const Vec3& target, Real precision,
              Vec3& direction, Limit&& limit) noexcept {
  for (int k = 0; k < chain.size(); ++k) {
    const Link& link = chain.links[k];
    const Vec3 axis = candidate.basis(chain, k) * link.axis;
    const Real wished = best_turn(axis, direction, target);
    if (wished != 0) {
      const Real next = limit(link, candidate.angles[k] + wished);
      direction = turned(axis, next - candidate.angles[k], direction);
      candidate.angles[k] = next;
    }
    if (close(target, direction, precision)) {
      apply_forward(chain, candidate, k);
      return true;
    }
    candidate.frames[k] = candidate.basis(chain, k) * local_rotation(link, candidate.angles[k]);
  }
  return false;
}

}  // namespace

void warp_posture(const Chain& chain, const Candidate& posture, const Quat& target,
                  const Descent& descent) noexcept {
  const Vec3 wanted = target * Vec3::UnitY();
  Vec3 direction = posture.direction();
  const auto no_limit = [](const Link&, Real angle) { return angle; };
  for (int i = 0; i < descent.sweeps && !close(wanted, direction, descent.precision); ++i)
    if (sweep_up(chain, posture, wanted, descent.precision, direction, no_limit)) return;
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
  const Vec3 wanted = target * Vec3::UnitY();
  Vec3 direction = candidate.direction();
  for (int i = 0; i < descent.sweeps && !close(wanted, direction, descent.precision); ++i)
    if (sweep_up(chain, candidate, wanted, descent.precision, direction, safe_angle)) break;
  twist_end(chain, candidate, target, descent);
}

void descend_from_end(const Chain& chain, const Candidate& candidate, const Quat& target,
                      const Descent& descent, Real edge) noexcept {
  const Vec3 wanted = target * Vec3::UnitY();
  Real last_gap = infinity;
  for (int i = 0; i < descent.sweeps; ++i) {
    Vec3 direction = candidate.direction();
    const Real gap = (wanted - direction).squaredNorm() / 4;
    if (gap <= descent.precision || std::abs(last_gap - gap) <= descent.precision * 1e-3) break;
    last_gap = gap;
    for (int k = chain.size() - 1; k >= 0; --k) {
      const Link& link = chain.links[k];
      const Vec3 axis = candidate.basis(chain, k) * link.axis;
      const Real wished = best_turn(axis, direction, wanted);
      if (wished == 0) continue;
      Real next = safe_angle(link, candidate.angles[k] + wished);
      if (edge > 0) next = off_the_edge(link, next, edge);
      direction = turned(axis, next - candidate.angles[k], direction);
      candidate.angles[k] = next;
      if (close(wanted, direction, descent.precision)) break;
    }
    apply_forward(chain, candidate);
  }
  twist_end(chain, candidate, target, descent);
}

}  // namespace gestik::erik
