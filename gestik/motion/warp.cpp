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

std::vector<MotionLimits> limits_or_usual(std::span<const MotionLimits> limits,
                                          const Skeleton& skeleton) {
  std::vector<MotionLimits> all(limits.begin(), limits.end());
  for (JointId j = static_cast<JointId>(all.size()); j < skeleton.joint_count(); ++j)
    all.push_back(motion_limits(skeleton.type(j)));
  return all;
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
            const WarpChain& chain, std::span<const Goal> goals,
            std::span<const MotionLimits> limits) {
  const std::vector<std::uint8_t> held = held_by(skeleton, chain);
  const std::vector<MotionLimits> all_limits = limits_or_usual(limits, skeleton);
  std::vector<Real> speeds;
  for (const MotionLimits& limit : limits) speeds.push_back(limit.velocity);
  const int frames = clip.frame_count();
  const int ahead = static_cast<int>(
      std::lround(std::min(settings.look_ahead * clip.rate, static_cast<Real>(frames))));
  Scratch scratch(
      std::max(tracker_bytes(skeleton, 1), scratch_bytes(AnySolver(Poise{}), skeleton, 1)));
  Warped warped{.clip = clip};
  Tracking state;
  FilterState filter;
  std::vector<Real> posture(static_cast<std::size_t>(skeleton.q_size())), wanted(posture);
  std::vector<Pose> poses(static_cast<std::size_t>(skeleton.joint_count()));
  for (int f = 0; f < frames; ++f) {
    const ConstQ source = clip.frame(f);
    std::copy(source.begin(), source.end(), posture.begin());
    clamp_to_limits(skeleton, posture);
    const Q out(warped.clip.values.data() + static_cast<std::size_t>(f) * posture.size(),
                posture.size());
    const Problem problem{.skeleton = skeleton,
                          .goals = goals.subspan(static_cast<std::size_t>(f), 1),
                          .intent = {posture},
                          .seed = posture,
                          .held = held};
    if (f == 0) {
      (void)run(default_solver(problem), problem, scratch, out);
      state = track_from(skeleton, out, speeds);
      filter = start(skeleton, out);
    }
    take_held(skeleton, held, posture, state.q);
    const std::size_t later = static_cast<std::size_t>(std::min(f + ahead, frames - 1));
    (void)track(settings.tracker, problem, 1 / clip.rate, state, scratch, wanted,
                {goals.subspan(later, 1), settings.look_ahead});
    if (settings.filter)
      step(*settings.filter, skeleton, all_limits, wanted, 1 / clip.rate, filter, out);
    else
      std::copy(wanted.begin(), wanted.end(), out.begin());
    take_held(skeleton, held, posture, out);
    forward(skeleton, out, poses);
    warped.met += all_met(problem.goals, poses);
  }
  warped.reposes = state.reposes;
  return warped;
}

}  // namespace gestik
