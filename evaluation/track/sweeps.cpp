#include "evaluation/track/sweeps.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "evaluation/draw.h"
#include "evaluation/solvers.h"
#include "gestik/goal/at_frame.h"
#include "gestik/math/rotation.h"
#include "gestik/model/spread.h"
#include "gestik/solve/run.h"

namespace gestik::evaluation::track {
namespace {

Real deviation(ConstQ q, ConstQ posture) noexcept {
  Real sum = 0;
  for (std::size_t k = 1; k + 1 < q.size(); ++k) sum += 1 - std::cos(q[k] - posture[k]);
  return q.size() > 2 ? sum / static_cast<Real>(q.size() - 2) : 0;
}

Real largest_step(ConstQ a, ConstQ b) noexcept {
  Real largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

}  // namespace

Row follow(const Sweeps& sweeps, const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  const Frame& end = character.ends.front();
  const AnySolver poise = Poise{};
  Scratch scratch(std::max(tracker_bytes(skeleton, 1), scratch_bytes(poise, skeleton, 1)));
  const std::size_t size = static_cast<std::size_t>(skeleton.q_size());
  std::vector<Real> posture(size), q(size), last(size), cold(size), last_cold(size);
  const long frames = std::lround(sweeps.seconds * sweeps.rate);
  Draw draw(1);
  Row row;
  for (int sweep = 0; sweep < sweeps.count; ++sweep) {
    const Quat from = draw.rotation(), to = draw.rotation();
    const Vec3 way = log(from.conjugate() * to);
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      if (skeleton.type(j) != JointType::hinge) continue;
      const Limits& limits = skeleton.limits(j);
      const bool inner = j != 0 && skeleton.q_offset(j) + 1 != skeleton.q_size();
      posture[static_cast<std::size_t>(skeleton.q_offset(j))] =
          inner ? draw.between(limits.lo, limits.hi) : 0;
    }
    const auto goal_at = [&](long f) -> Goal {
      const Real t = static_cast<Real>(std::min(f, frames)) / static_cast<Real>(frames);
      Orient goal = orient(end, from * exp(t * way));
      goal.symmetric = true;
      return goal;
    };
    Tracking state;
    bool jumps = false;
    for (long f = 0; f < frames; ++f) {
      const Goal goal = goal_at(f);
      const Goal later = goal_at(f + std::lround(sweeps.look_ahead * sweeps.rate));
      const Problem problem{
          .skeleton = skeleton, .goals = {&goal, 1}, .intent = {posture}, .seed = posture};
      const Timed timed = timed_run(poise, problem, scratch, cold);
      if (f == 0) {
        state = track_from(skeleton, cold);
        last = last_cold = cold;
      }
      using Clock = std::chrono::steady_clock;
      const Clock::time_point start = Clock::now();
      const Tracked now = gestik::track(sweeps.tracker, problem, 1 / sweeps.rate, state, scratch, q,
                                        {{&later, 1}, sweeps.look_ahead});
      row.us += std::chrono::duration<Real, std::micro>(Clock::now() - start).count();
      row.cold_us += timed.microseconds;
      row.met += now.report.status == Status::reached;
      row.reposing += now.reposing;
      row.largest_step = std::max(row.largest_step, largest_step(q, last));
      jumps = jumps || largest_step(cold, last_cold) > pi / 18;
      row.posture += deviation(q, posture);
      row.cold_posture += deviation(cold, posture);
      last = q;
      last_cold = cold;
    }
    row.frames += frames;
    row.reposes += state.reposes;
    row.jumps += jumps;
  }
  for (Real* mean : {&row.us, &row.cold_us, &row.posture, &row.cold_posture})
    *mean /= static_cast<Real>(std::max(row.frames, 1L));
  return row;
}

}  // namespace gestik::evaluation::track
