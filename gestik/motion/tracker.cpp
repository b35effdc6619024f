#include "gestik/motion/tracker.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/poise/search.h"
#include "gestik/solve/run.h"

namespace gestik {
namespace {

using namespace poise;
static_assert(Tracking::most == lanes);

/// From 0 to 1, at rest at both ends with the least jerk; at most 15/8 as fast as a straight line.
constexpr Real steepest_ease = 15.0 / 8;
Real ease(Real t) noexcept {
  return t * t * t * (10 + t * (6 * t - 15));
}

/// A frame of a chain of hinges: one candidate in each lane of poise's kernel.
class Frame {
 public:
  Frame(const Tracker& tracker, const Problem& problem, Real seconds, Tracking& state,
        const Ahead& ahead, std::span<Link> links, Scratch& scratch) noexcept
      : tracker_(tracker),
        problem_(problem),
        seconds_(seconds),
        ahead_(ahead),
        state_(state),
        chain_(read_chain(problem, weights_of({}), links)),
        form_(single_precision(chain_.form)),
        n_(chain_.form.links),
        exact_(take_ask<Double1>(scratch, n_)),
        pose_(take_state<Double1>(scratch, n_)),
        exact_work_(take<Double1>(scratch, refine_cells(n_))),
        turns_(scratch.take<Real>(links.size())),
        ask_(take_ask<Float8>(scratch, n_)),
        lanes_(take_state<Float8>(scratch, n_)),
        found_(take<Float8>(scratch, n_)),
        work_(take<Float8>(scratch, std::max(refine_cells(n_), seed_cells(n_)))) {}

  static std::size_t bytes(std::size_t links) noexcept {
    const int n = static_cast<int>(links);
    const std::size_t work = static_cast<std::size_t>(std::max(refine_cells(n), seed_cells(n)));
    return ask_bytes<Double1>(links) + state_bytes<Double1>(links) +
           Scratch::bytes_for<Double1>(static_cast<std::size_t>(refine_cells(n))) +
           Scratch::bytes_for<Real>(links) + ask_bytes<Float8>(links) + state_bytes<Float8>(links) +
           Scratch::bytes_for<Float8>(links) + Scratch::bytes_for<Float8>(work);
  }

  Tracked run() noexcept {
    ask_for(problem_.goals.front());
    if (!state_.candidates[at(state_.followed)].alive) {
      state_.candidates[at(state_.followed)] = {.alive = true};
      follow(state_.q);
    }
    const bool search = state_.frame++ % tracker_.refresh == 0 && has_closed_form(form_);
    if (search) kernel().seed(form_, ask_, lanes, found_, scores_, work_);
    load_candidates(seconds_);
    if (search) take_in_new_ones();
    int steps = refine(tracker_.steps);
    store_candidates();
    merge();
    if (!ahead_.goals.empty()) steps += look_ahead();
    choose();
    const bool reposing = state_.duration > 0;
    if (reposing) {
      go_over();
    } else {
      for (int k = 0; k < n_; ++k) pose_.angles[k].at = angle(state_.followed, k);
      close_in_on_the_goal(closing_steps);
      follow(state_.q);
    }
    return {.report = {.status = Status::stalled, .iterations = 1, .passes = 2 + steps},
            .reposing = reposing};
  }

 private:
  template <class T>
  static T* take(Scratch& scratch, int count) noexcept {
    return scratch.take<T>(static_cast<std::size_t>(count)).data();
  }
  static std::size_t at(int k) noexcept { return static_cast<std::size_t>(k); }

  Real speed(int k) const noexcept {
    return std::min(tracker_.speed, state_.speeds[at(link(k).joint)]);
  }
  Real step(int k) const noexcept { return speed(k) * seconds_; }
  const Link& link(int k) const noexcept { return chain_.links[at(k)]; }
  Real& angle(int candidate, int k) noexcept {
    return state_.poses[at(candidate) * state_.q.size() + at(link(k).q_index)];
  }
  Real& now(int k) noexcept { return state_.q[at(link(k).q_index)]; }
  /// What the kernel adds to a joint's angle.
  Real zero(int k) const noexcept { return link(k).zero - turns_[at(k)]; }

  /// A new candidate's angle of a link, by whole turns as near to the pose as the limits allow.
  Real found_angle(int k, int lane) noexcept {
    const Real angle = static_cast<Real>(found_[k].at[lane]) - zero(k);
    const Real turned = nearest_turn(angle, now(k));
    return turned >= link(k).lo && turned <= link(k).hi ? turned
                                                        : std::clamp(angle, link(k).lo, link(k).hi);
  }

  void ask_for(const Goal& goal) noexcept {
    pose_question(chain_, {goal, state_.q, problem_.intent.posture, 1}, exact_, turns_);
    copy_to_all(form_, exact_, ask_);
  }

  /// A link's angle in a lane, and how far it may move from there.
  void load(int k, int lane, Real angle, Real reach) noexcept {
    lanes_.angles[k].at[lane] = static_cast<float>(angle + zero(k));
    ask_.links[k].lo.at[lane] = static_cast<float>(std::max(link(k).lo, angle - reach) + zero(k));
    ask_.links[k].hi.at[lane] = static_cast<float>(std::min(link(k).hi, angle + reach) + zero(k));
  }
  void load_candidates(Real seconds) noexcept {
    for (int c = 0; c < lanes; ++c)
      for (int k = 0; k < n_; ++k)
        load(k, c, angle(state_.candidates[at(c)].alive ? c : state_.followed, k),
             seconds * speed(k));
  }

  int refine(int steps) noexcept {
    for (float& error : lanes_.error->at) error = 1e9f;
    return kernel().refine(form_, ask_, lanes_, steps, -1, work_);
  }

  /// What is a good candidate now need not be one soon.
  int look_ahead() noexcept {
    ask_for(normalized(ahead_.goals.front()));
    load_candidates(ahead_.seconds);
    const int steps = refine(2 * tracker_.steps);
    for (int c = 0; c < lanes; ++c) {
      Real& error = state_.candidates[at(c)].error;
      error = (error + static_cast<Real>(lanes_.error->at[c])) / 2;
    }
    ask_for(problem_.goals.front());
    return steps;
  }

  bool are_near(int lane, int candidate) noexcept {
    for (int k = 0; k < n_; ++k)
      if (std::abs(found_angle(k, lane) - angle(candidate, k)) > near) return false;
    return true;
  }

  /// The best of those found that are not there yet take the places that are free; if there is
  /// none, the worst candidate's.
  void take_in_new_ones() noexcept {
    bool displaced = false;
    for (int lane = 0; lane < lanes && scores_.at[lane] < 1e7f; ++lane) {
      bool known = false;
      for (int c = 0; c < lanes; ++c)
        known = known || (state_.candidates[at(c)].alive && are_near(lane, c));
      if (known) continue;
      int place = free_place();
      if (place < 0 && !displaced) {
        place = worst();
        displaced = true;
      }
      if (place < 0) return;
      state_.candidates[at(place)] = {.alive = true, .error = infinity};
      for (int k = 0; k < n_; ++k) {
        angle(place, k) = found_angle(k, lane);
        load(k, place, angle(place, k), pi);
      }
    }
  }

  int free_place() const noexcept {
    for (int c = 0; c < lanes; ++c)
      if (!state_.candidates[at(c)].alive) return c;
    return -1;
  }
  int worst() const noexcept {
    int worst = -1;
    for (int c = 0; c < lanes; ++c)
      if (c != state_.followed &&
          (worst < 0 || state_.candidates[at(c)].error > state_.candidates[at(worst)].error))
        worst = c;
    return worst;
  }

  void store_candidates() noexcept {
    for (int c = 0; c < lanes; ++c) {
      if (!state_.candidates[at(c)].alive) continue;
      state_.candidates[at(c)].error = static_cast<Real>(lanes_.error->at[c]);
      for (int k = 0; k < n_; ++k)
        angle(c, k) =
            std::clamp(static_cast<Real>(lanes_.best[k].at[c]) - zero(k), link(k).lo, link(k).hi);
    }
  }

  /// Of candidates that have come together one remains.
  void merge() noexcept {
    for (int a = 0; a < lanes; ++a)
      for (int b = 0; b < lanes; ++b) {
        if (a == b || b == state_.followed) continue;
        if (!state_.candidates[at(a)].alive || !state_.candidates[at(b)].alive) continue;
        bool same = true;
        for (int k = 0; k < n_ && same; ++k) same = std::abs(angle(a, k) - angle(b, k)) < near;
        if (same) state_.candidates[at(b)].alive = false;
      }
  }

  /// Goes over to the best candidate that has been worth it for long enough.
  void choose() noexcept {
    const Real wanted = state_.candidates[at(state_.followed)].error - tracker_.gain;
    int best = -1;
    for (int c = 0; c < lanes; ++c) {
      TrackedCandidate& candidate = state_.candidates[at(c)];
      const bool better = candidate.alive && c != state_.followed && candidate.error < wanted;
      candidate.better_for = better ? candidate.better_for + seconds_ : 0;
      if (candidate.better_for > tracker_.patience &&
          (best < 0 || candidate.error < state_.candidates[at(best)].error))
        best = c;
    }
    if (best < 0 || state_.duration > 0) return;
    Real longest = 0;
    for (int k = 0; k < n_; ++k)
      longest = std::max(longest, std::abs(angle(best, k) - now(k)) / speed(k));
    state_.followed = best;
    for (TrackedCandidate& candidate : state_.candidates) candidate.better_for = 0;
    state_.left = state_.q;
    state_.elapsed = 0;
    state_.duration = steepest_ease * longest + seconds_;
    ++state_.reposes;
  }

  /// A frame of the re-pose. The candidate moves on meanwhile: arrived is who is beside it. For the
  /// planned time the goal is kept as well as it can be; a chain that could not pass by it then
  /// goes straight on.
  void go_over() noexcept {
    state_.elapsed += seconds_;
    const Real share = ease(std::min(1.0, state_.elapsed / state_.duration));
    bool arrived = state_.elapsed >= state_.duration;
    for (int k = 0; k < n_; ++k) {
      const Real from = state_.left[at(link(k).q_index)];
      const Real wished = from + share * (angle(state_.followed, k) - from);
      arrived = arrived && std::abs(wished - now(k)) <= step(k);
      pose_.angles[k].at = wished;
    }
    close_in_on_the_goal(state_.elapsed < state_.duration ? closing_steps : 0);
    if (arrived) state_.duration = 0;
  }

  /// Moves to the pose's angles, brought as near to the goal as the box around the last frame
  /// allows.
  void close_in_on_the_goal(int steps) noexcept {
    for (int k = 0; k < n_; ++k) {
      exact_.links[k].lo.at = std::max(link(k).lo, now(k) - step(k)) + zero(k);
      exact_.links[k].hi.at = std::min(link(k).hi, now(k) + step(k)) + zero(k);
      pose_.angles[k].at =
          std::clamp(pose_.angles[k].at + zero(k), exact_.links[k].lo.at, exact_.links[k].hi.at);
    }
    int passes = 0;
    (void)close_in(chain_.form, exact_, pose_, 0.5 * tolerance_of(problem_.goals.front()), steps,
                   exact_work_, passes);
    for (int k = 0; k < n_; ++k) {
      const Real moved =
          std::clamp(pose_.angles[k].at - zero(k), now(k) - step(k), now(k) + step(k));
      now(k) = std::clamp(moved, link(k).lo, link(k).hi);
    }
  }

  void follow(ConstQ q) noexcept {
    for (int k = 0; k < n_; ++k) angle(state_.followed, k) = q[at(link(k).q_index)];
  }

  static constexpr Real near = 0.05;  ///< radians by which candidates differ at least
  static constexpr int closing_steps = 4;

  const Tracker& tracker_;
  const Problem& problem_;
  const Real seconds_;
  const Ahead& ahead_;
  Tracking& state_;
  const poise::Chain chain_;
  const Form<Float8> form_;
  const int n_;
  Ask<Double1> exact_;
  State<Double1> pose_;
  Double1* exact_work_;
  std::span<Real> turns_;
  Ask<Float8> ask_;
  State<Float8> lanes_;
  Float8* found_;
  Float8 scores_;
  Float8* work_;
};

/// Moves the joints that may move towards a pose, none faster than it may.
void approach(const Problem& problem, const Tracker& tracker, ConstQ wanted, Real seconds,
              std::span<const Real> speeds, Q q) noexcept {
  for (JointId j = 0; j < problem.skeleton.joint_count(); ++j) {
    if (!may_move(problem, j)) continue;
    const Skeleton::Joint& joint = problem.skeleton.joints()[j];
    const Real step = seconds * std::min(tracker.speed, speeds[static_cast<std::size_t>(j)]);
    Real* const now = q.data() + joint.q_offset;
    const Real* const there = wanted.data() + joint.q_offset;
    switch (joint.type) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        *now += std::clamp(*there - *now, -step, step);
        break;
      case JointType::slider:
        *now += std::clamp(*there - *now, -step, step);
        break;
      case JointType::ball: {
        const Quat from = load_quat(now);
        const Vec3 turn = log(from.conjugate() * load_quat(there));
        const Real size = turn.norm();
        store_quat(size > step ? Quat(from * exp(step / size * turn)) : load_quat(there), now);
        break;
      }
    }
  }
}

/// Whether what is known of the future is the same goal, only elsewhere.
bool same_kind(std::span<const Goal> now, std::span<const Goal> later) noexcept {
  if (now.size() != later.size()) return false;
  const Orient *orient = std::get_if<Orient>(&now.front()),
               *then = std::get_if<Orient>(&later.front());
  return now.front().index() == later.front().index() &&
         joint_of(now.front()) == joint_of(later.front()) &&
         (!orient || orient->symmetric == then->symmetric);
}

/// Joints that no goal needs want to be where the posture has them.
void take_posture(const Problem& problem, Scratch& scratch, Q wanted) noexcept {
  if (problem.intent.posture.empty()) return;
  const Skeleton& skeleton = problem.skeleton;
  const auto needed = scratch.take<bool>(static_cast<std::size_t>(skeleton.joint_count()));
  std::fill(needed.begin(), needed.end(), false);
  for (const Goal& goal : problem.goals)
    for (JointId j = joint_of(goal); j != no_joint; j = skeleton.parent(j)) needed[j] = true;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (!needed[j])
      std::copy_n(problem.intent.posture.data() + skeleton.q_offset(j), q_size(skeleton.type(j)),
                  wanted.data() + skeleton.q_offset(j));
}

}  // namespace

std::size_t tracker_bytes(const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
  const std::size_t links = std::min<std::size_t>(joints, most_links);
  return Scratch::bytes_for<Goal>(goals) + Scratch::bytes_for<Pose>(joints) +
         Scratch::bytes_for<bool>(joints) +
         2 * Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size())) +
         std::max(Scratch::bytes_for<Link>(links) + Frame::bytes(links),
                  scratch_bytes(AnySolver(Lm{}), skeleton, goals));
}

Tracking track_from(const Skeleton& skeleton, ConstQ q, std::span<const Real> speeds) {
  Tracking state;
  state.speeds.assign(speeds.begin(), speeds.end());
  state.speeds.resize(static_cast<std::size_t>(skeleton.joint_count()), infinity);
  state.q.assign(q.begin(), q.end());
  state.q.resize(static_cast<std::size_t>(skeleton.q_size()));
  clamp_to_limits(skeleton, state.q);
  state.left = state.q;
  state.poses.resize(Tracking::most * state.q.size());
  return state;
}

Tracked track(const Tracker& tracker, const Problem& asked, Real seconds, Tracking& state,
              Scratch& scratch, Q out, const Ahead& ahead) noexcept {
  const Skeleton& skeleton = asked.skeleton;
  Problem problem{skeleton, asked.goals, asked.intent, state.q, asked.budget, asked.held};
  if (!(seconds > 0)) seconds = 0;
  const Scratch::Frame frame(scratch);
  const auto wanted = scratch.take<Real>(state.q.size());
  const AnySolver solver = default_solver(problem);
  Tracked tracked;
  if (std::holds_alternative<Poise>(solver) && movable_joints(problem) > 0) {
    const auto goals = scratch.take<Goal>(1);
    goals.front() = normalized(problem.goals.front());
    problem.goals = goals;
    const Problem later{skeleton, ahead.goals, asked.intent, state.q, asked.budget, asked.held};
    const bool knows = ahead.seconds > 0 && same_kind(problem.goals, ahead.goals) &&
                       std::holds_alternative<Poise>(default_solver(later));
    const auto links = scratch.take<Link>(static_cast<std::size_t>(movable_joints(problem)));
    tracked =
        Frame(tracker, problem, seconds, state, knows ? ahead : Ahead{}, links, scratch).run();
    std::copy(state.q.begin(), state.q.end(), wanted.begin());
  } else {
    // From the last frame, and a frame nearer to the posture: so it stays near both.
    const auto start = scratch.take<Real>(state.q.size());
    std::copy(state.q.begin(), state.q.end(), start.begin());
    if (problem.intent.posture.size() == start.size())
      approach(problem, tracker, problem.intent.posture, seconds, state.speeds, start);
    problem.seed = start;
    tracked.report = run(solver, problem, scratch, wanted);
  }
  const Status status = tracked.report.status;
  if (status != Status::bad_problem && status != Status::unsupported) {
    take_posture(problem, scratch, wanted);
    approach(problem, tracker, wanted, seconds, state.speeds, state.q);
    clamp_to_limits(skeleton, state.q);
    const auto poses = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
    forward(skeleton, state.q, poses);
    tracked.report.error = goal_error(problem.goals, poses);
    tracked.report.status = tracked.report.error == 0 ? Status::reached : Status::stalled;
  }
  std::copy(state.q.begin(), state.q.end(), out.begin());
  return tracked;
}

}  // namespace gestik
