#include "gestik/motion/warp.h"

#include <algorithm>
#include <cmath>

#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"
#include "gestik/solve/run.h"

namespace gestik {
namespace {

/// Which joints stay as the clip has them: all but the hinges of the chain.
std::vector<std::uint8_t> held_by(const Skeleton& skeleton, const WarpChain& chain) {
  std::vector<std::uint8_t> held(static_cast<std::size_t>(skeleton.joint_count()), 1);
  for (JointId j = chain.end; j != no_joint; j = skeleton.parent(j)) {
    held[static_cast<std::size_t>(j)] = 0;
    if (j == chain.first) break;
  }
  return held;
}

/// Held joints take the clip's values.
void take_held(const Skeleton& skeleton, std::span<const std::uint8_t> held, ConstQ from, Q to) {
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (held[static_cast<std::size_t>(j)])
      std::copy_n(from.data() + skeleton.q_offset(j), q_size(skeleton.type(j)),
                  to.data() + skeleton.q_offset(j));
}

}  // namespace

std::optional<WarpChain> hinges_below(const Skeleton& skeleton, JointId end) noexcept {
  std::optional<WarpChain> chain;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) {
    if (skeleton.type(j) == JointType::fixed) continue;
    if (skeleton.type(j) != JointType::hinge) break;
    chain = WarpChain{j, end};
  }
  return chain;
}

Warped warp(const Warp& settings, const Skeleton& skeleton, const Clip& clip,
            const WarpChain& chain, std::span<const Goal> goals, std::span<const Real> speeds) {
  const std::vector<std::uint8_t> held = held_by(skeleton, chain);
  const int frames = clip.frame_count();
  const int ahead = static_cast<int>(std::lround(settings.look_ahead * clip.rate));
  Scratch scratch(
      std::max(tracker_bytes(skeleton, 1), scratch_bytes(AnySolver(Poise{}), skeleton, 1)));
  Warped warped{.clip = clip};
  Tracking state;
  std::vector<Real> posture(static_cast<std::size_t>(skeleton.q_size()));
  for (int f = 0; f < frames; ++f) {
    const ConstQ source = clip.frame(f);
    std::copy(source.begin(), source.end(), posture.begin());
    clamp_to_limits(skeleton, posture);
    const Q out(warped.clip.values.data() + static_cast<std::size_t>(f) * posture.size(),
                posture.size());
    Problem problem{.skeleton = skeleton,
                    .goals = goals.subspan(static_cast<std::size_t>(f), 1),
                    .intent = {posture},
                    .seed = posture,
                    .held = held};
    if (f == 0) {
      (void)run(default_solver(problem), problem, scratch, out);
      state = track_from(skeleton, out, speeds);
    }
    take_held(skeleton, held, posture, state.q);
    const std::size_t later = static_cast<std::size_t>(std::min(f + ahead, frames - 1));
    const Tracked now = track(settings.tracker, problem, 1 / clip.rate, state, scratch, out,
                              {goals.subspan(later, 1), settings.look_ahead});
    warped.met += now.report.status == Status::reached;
  }
  warped.reposes = state.reposes;
  return warped;
}

}  // namespace gestik
