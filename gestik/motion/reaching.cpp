#include "gestik/motion/reaching.h"

#include <algorithm>
#include <cmath>

namespace gestik {

Real bell_share(Real t) noexcept {
  t = std::clamp<Real>(t, 0, 1);
  return t * t * t * (10 + t * (6 * t - 15));
}

Real duration(Real way, Real limb_length) noexcept {
  constexpr Real least = 0.5, more = 0.6;
  return least + (limb_length > 0 ? more * std::min<Real>(way / limb_length, 10) : 0);
}

Reached reach_motion(const Reaching& settings, const Limb& limb, const Skeleton& skeleton,
                     const Reach& reach, const Orient* orient, const PoseTest& test, ConstQ start) {
  std::vector<Real> q(start.begin(), start.end());
  std::vector<Pose> world(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, q, world);
  const Pose from = world[reach.joint];
  const Vec3 from_place = from * reach.point_in_joint;
  const Real length = limb.bend.farthest;
  const Real seconds = settings.seconds > 0 ? settings.seconds
                                            : duration((reach.target - from_place).norm(), length);
  const int frames = std::max(1, static_cast<int>(std::ceil(seconds * settings.rate)));

  Reached out{.clip = clip_for(skeleton, "reach", settings.rate)};
  out.clip.values = q;
  Scratch scratch(reach_scratch_bytes(skeleton));
  const Real most_turn = settings.swivel_speed / settings.rate;
  SwivelSearch search = settings.search;
  for (int f = 1; f <= frames; ++f) {
    const Real share = bell_share(static_cast<Real>(f) / frames);
    Reach place = reach;
    place.target = from_place + share * (reach.target - from_place);
    Orient turn;
    if (orient) {
      turn = *orient;
      turn.target = from.q.slerp(share, nearest_target(*orient, from.q));
      turn.symmetric = false;
    }
    const std::vector<Real> before = q;
    const LimbReport report = follow_with_limb(limb, skeleton, place, orient ? &turn : nullptr,
                                               search, most_turn, test, scratch, q);
    if (!report.reached()) {
      if (out.missed++ == 0) {
        out.first_missed = f;
        out.why = report;
      }
      q = before;
    } else if (report.jumped) {
      out.jumps.push_back({f, report.preferred, report.swivel});
    }
    out.clip.values.insert(out.clip.values.end(), q.begin(), q.end());
    out.last = report;
  }
  return out;
}

}  // namespace gestik
