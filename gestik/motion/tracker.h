#pragma once

#include <array>
#include <vector>

#include "gestik/solve/problem.h"
#include "gestik/solve/solver.h"

/// The tracker: a body follows a moving target frame by frame, keeps a posture, and never jumps.
///
///     Tracking state = track_from(skeleton, q);
///     each frame: const Tracked now = track(Tracker{}, problem, 1.0 / 60, state, scratch, q);
///
/// The best pose for one target and the best for the next may lie far apart. So the tracker keeps
/// several candidates alive, follows one of them, and goes over to another only where that has been
/// clearly better for a while. Going over is a re-pose: it is declared, and takes the time that the
/// joints need. That is for the problems poise takes; on others the pose that lm finds, from the
/// last frame and a step towards the posture, is followed. Joints that the goal does not need go to
/// the posture, unless they are held.
///
/// What it promises, for any problem: no joint moves by more than its speed allows in a frame, none
/// leaves its limits, and what can't be solved moves nothing. The same input gives the same bits; a
/// frame takes no memory from the heap.
namespace gestik {

struct Tracker {
  Real speed = 4;
  Real gain = 0.02;
  Real patience = 0.4;
  int refresh = 3;
  int steps = 2;

  template <class F>
  static void fields(F&& f) {
    f("speed", &Tracker::speed, Range{0.001, 1000},
      "radians (of a slider metres) per second that no joint exceeds");
    f("gain", &Tracker::gain, Range{0, 1},
      "how much lower the error of another pose must be to be worth a re-pose ...");
    f("patience", &Tracker::patience, Range{0, 10}, "... and for how many seconds");
    f("refresh", &Tracker::refresh, Range{1, 1000}, "frames between searches for new candidates");
    f("steps", &Tracker::steps, Range{1, 20}, "refinements of the candidates in a frame");
  }
};

/// A way to meet the goal that is kept up from frame to frame.
struct TrackedCandidate {
  bool alive = false;
  Real error = 0;       ///< orientation and posture, as poise weighs them
  Real better_for = 0;  ///< seconds for which it has been worth a re-pose
};

/// What the tracker remembers. Yours to copy and keep.
struct Tracking {
  static constexpr int most = 8;

  std::vector<Real> q = {};       ///< the last frame
  std::vector<Real> speeds = {};  ///< of each joint, at most; Tracker::speed holds as well
  std::vector<Real> poses = {};   ///< the candidates', one after the other; only hinges count
  std::array<TrackedCandidate, most> candidates = {};
  int followed = 0;  ///< the candidate that q follows, or that the re-pose leads to
  int frame = 0;
  int reposes = 0;  ///< declared so far

  std::vector<Real> left = {};     ///< where the re-pose began
  Real elapsed = 0, duration = 0;  ///< seconds into it, and in all; 0 in all: there is none
};

/// At rest at q, brought inside the limits. `speeds`: how fast each joint may move, if less than
/// the tracker's speed.
Tracking track_from(const Skeleton&, ConstQ q, std::span<const Real> speeds = {});

struct Tracked {
  Report report;          ///< of the pose; a re-pose may leave the goal for a while
  bool reposing = false;  ///< on the way to another candidate
};

/// What is known of the future: the same goal some time later, as in a clip. With it the tracker
/// does not go over to what is good now and bad soon.
struct Ahead {
  std::span<const Goal> goals = {};
  Real seconds = 0;
};

std::size_t tracker_bytes(const Skeleton&, std::size_t goals) noexcept;

/// One frame of so many seconds; `out` is also state.q. The problem's seed is not looked at: the
/// last frame is. A time that is not above zero moves nothing.
Tracked track(const Tracker&, const Problem&, Real seconds, Tracking&, Scratch&, Q out,
              const Ahead& = {}) noexcept;

}  // namespace gestik
