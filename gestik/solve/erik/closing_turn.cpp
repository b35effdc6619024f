#include "gestik/solve/erik/closing_turn.h"

#include <algorithm>
#include <cmath>

namespace gestik::erik {
namespace {

/// How freely a joint turns, whose latitude changes at `slope`: the inverse of what it costs in
/// shape, with a floor for twisters, which cost nothing, and for straight joints, which cost
/// nothing to first order.
Real freedom(const Link& link, Real slope) noexcept {
  return 1 / (0.02 + link.weight * (0.2 + std::abs(slope)));
}

/// x with a x = r, by Cramer's rule.
Vec3 solved(const Mat3& a, const Vec3& r) noexcept {
  const Vec3 yz = a.col(1).cross(a.col(2)), zx = a.col(2).cross(a.col(0)),
             xy = a.col(0).cross(a.col(1));
  return Vec3(yz.dot(r), zx.dot(r), xy.dot(r)) / a.col(0).dot(yz);
}

/// Turns the joints' axes into what a unit turn of each does to an aim's residual: the roll about
/// the aiming axis is free, and a joint that moves the eye turns the wanted direction w as well, by
/// -(w x velocity) / distance.
void let_the_eye_move(const Chain& chain, const Candidate& candidate, const Aim& aim,
                      std::span<Vec3> axes) noexcept {
  const Pose end = end_pose_for(aim, chain, candidate);
  const Vec3 eye = end * aim.point_in_joint, axis = end.q * aim.axis_in_joint;
  const Vec3 wanted = wanted_direction(aim, end);
  const Real distance = aim.at_infinity ? infinity : (aim.target - eye).norm();
  Vec3 place = chain.base_origin;
  for (int k = 0; k < chain.size(); ++k) {
    place += candidate.basis(chain, k) * chain.links[k].offset;
    if (distance > 0) axes[k] += wanted.cross(axes[k].cross(eye - place)) / distance;
    axes[k] -= axis * axis.dot(axes[k]);
  }
}

// With J = what a unit turn of each joint does to the residual, the turns x that give J x = r at
// the least sum(x^2 / freedom) are x = F J^T (J F J^T)^-1 r: a 3x3 system. A joint that would pass
// a limit goes to it, takes its share out of r and itself out of the system, and the rest is solved
// again.
void least_turns(const Chain& chain, const Candidate& candidate, const Goal& goal, Vec3 r,
                 const ClosingWork& work) noexcept {
  constexpr int rounds = 3;
  Vec3 below = y_axis(chain.base);
  for (int k = 0; k < chain.size(); ++k) {
    const Vec3 above = y_axis(candidate.frames[k]);
    work.axes[k] = candidate.basis(chain, k) * chain.links[k].axis;
    work.freedoms[k] = freedom(chain.links[k], work.axes[k].dot(above.cross(below)));
    below = above;
  }
  if (const Aim* aim = std::get_if<Aim>(&goal)) let_the_eye_move(chain, candidate, *aim, work.axes);
  bool stopped = true;
  for (int round = 0; round < rounds && stopped; ++round) {
    stopped = false;
    Mat3 a = 1e-6 * Mat3::Identity();
    for (int k = 0; k < chain.size(); ++k)
      a += work.freedoms[k] * work.axes[k] * work.axes[k].transpose();
    const Vec3 y = solved(a, r);
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

Real close_in(const Chain& chain, const Candidate& candidate, const Wish& wish, Real best_error,
              const ClosingWork& work) noexcept {
  constexpr int steps = 6;
  constexpr Real largest_turn = 0.5;
  const Goal& goal = wish.goal;
  const Real near_enough = 0.1 * tolerance_of(goal);
  Vec3 r = residual_of(chain, candidate, goal);
  for (int step = 0; step < steps && r.norm() > near_enough; ++step) {
    if (errors_of(chain, candidate, wish, 0, work.freedoms).combined > best_error) break;
    least_turns(chain, candidate, goal, r, work);
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
