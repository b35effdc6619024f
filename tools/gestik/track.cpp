#include "gestik/motion/tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <thread>

#include "gestik/model/kinematics.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/settings.h"
#include "tools/gestik/track_input.h"
#include "tools/gestik/verbs.h"

// Two cycles, which do not wait for each other. The thinking one reads lines and lets the tracker
// say which pose is wanted; it may take its time. The moving one is clocked: at every deadline it
// takes the newest wanted pose, moves the filter on by one frame and writes. What is written
// therefore comes on time and keeps every limit, whatever the other one is given to chew.

namespace gestik::tool {
namespace {

struct TrackArguments {
  CharacterArgument character;
  OptionText posture, end, preset, rate, duration;
  std::vector<std::string> settings;
  bool no_wait = false;
};

/// What to track, and how, once it is known to be sound.
struct TrackPlan {
  const Character& character;
  std::vector<Real> posture;  ///< empty: none
  Frame end;
  Tracker tracker;
  MotionFilter filter;
  Real rate = 60;
  std::optional<Real> duration;
  bool quiet = false;
};

// --- thinking ---

/// A pose to move to, and what it is for.
struct Wanted {
  std::vector<Real> q;
  std::vector<Goal> goals = {};
  MotionFilter filter = {};
  Json id = {};
  bool reposing = false;
  bool last = false;  ///< the input has ended: nothing new will be asked
};

std::vector<Real> start_of(const TrackPlan& plan) {
  const Skeleton& skeleton = plan.character.skeleton;
  const ConstQ from = plan.posture.empty() ? skeleton.neutral() : ConstQ(plan.posture);
  std::vector<Real> q(from.begin(), from.end());
  clamp_to_limits(skeleton, q);
  return q;
}

/// Remembers what was asked, and has the tracker follow it.
class Follower {
 public:
  explicit Follower(const TrackPlan& plan)
      : skeleton_(plan.character.skeleton),
        tracker_(plan.tracker),
        end_(plan.end),
        posture_(plan.posture),
        filter_(plan.filter),
        scratch_(tracker_bytes(skeleton_, most_goals)) {
    for (const MotionLimits& limits : motion_limits(plan.character))
      speeds_.push_back(limits.velocity);
    tracking_ = track_from(skeleton_, start_of(plan), speeds_);
  }

  void take(const Ask& ask) {
    if (ask.end) end_ = *ask.end;
    if (ask.targets) targets_ = *ask.targets;
    if (ask.posture) posture_ = *ask.posture;
    if (ask.filter) filter_ = *ask.filter;
    if (!ask.id.is_null()) id_ = ask.id;
    if (ask.end || ask.targets) aim_at_targets();
  }

  Wanted think(Real seconds) {
    const Problem problem{skeleton_, goals_, {posture_}, tracking_.q};
    Wanted wanted{.q = tracking_.q, .goals = goals_, .filter = filter_};
    wanted.reposing = track(tracker_, problem, seconds, tracking_, scratch_, wanted.q).reposing;
    std::swap(wanted.id, id_);
    return wanted;
  }

 private:
  static constexpr std::size_t most_goals = 3;  ///< reach, orient and aim

  /// What the tracker knows of other ways to meet a goal is of no use for one of another kind or on
  /// another joint.
  void aim_at_targets() {
    std::vector<Goal> goals;
    for (const Target& target : targets_) goals.push_back(goal_for(end_, target));
    const auto alike = [](const Goal& a, const Goal& b) {
      return a.index() == b.index() && joint_of(a) == joint_of(b);
    };
    if (!std::equal(goals.begin(), goals.end(), goals_.begin(), goals_.end(), alike))
      tracking_ = track_from(skeleton_, tracking_.q, speeds_);
    goals_ = std::move(goals);
  }

  const Skeleton& skeleton_;
  Tracker tracker_;
  Frame end_;
  std::vector<Target> targets_;
  std::vector<Goal> goals_;
  std::vector<Real> posture_;
  MotionFilter filter_;
  Json id_;
  std::vector<Real> speeds_;
  Tracking tracking_;
  Scratch scratch_;
};

/// The sound lines of standard input; it complains about the others.
class Listener {
 public:
  /// Timed: lines should come in the order of their t.
  Listener(const Character& character, bool timed) : character_(character), timed_(timed) {}

  void wait(Real seconds) { lines_.wait(seconds); }
  bool ended() const { return lines_.ended(); }

  /// What the next sound line of those that are there asks; `now` is for complaints that flood.
  std::optional<Ask> next(Real now) {
    complaints_.count_to(now);
    while (const std::optional<Line> line = lines_.next()) {
      if (std::optional<Ask> ask = understood(*line, now)) return ask;
    }
    return std::nullopt;
  }

  /// The same, but waits for one until the input ends or a signal comes.
  std::optional<Ask> await(Real now) {
    while (!is_interrupted()) {
      if (std::optional<Ask> ask = next(now)) return ask;
      if (lines_.ended()) break;
      lines_.wait(0.1);  // a signal that came just before must not be slept over
    }
    return std::nullopt;
  }

  void finish() { complaints_.say_rest(); }

 private:
  std::optional<Ask> understood(const Line& line, Real now) {
    if (line.too_long) {
      complaints_.add(line.number, fmt::format("longer than {} bytes", Lines::longest), now);
      return std::nullopt;
    }
    if (trimmed(line.text).empty()) return std::nullopt;
    try {
      Ask ask = parse_ask(line.text, character_);
      if (timed_ && ask.t) {
        if (*ask.t < t_)
          complaints_.add(line.number,
                          fmt::format("'t' goes back from {} to {}: taken at once", t_, *ask.t),
                          now);
        t_ = std::max(t_, *ask.t);
      }
      return ask;
    } catch (const std::exception& fault) {
      complaints_.add(line.number, fault.what(), now);
      return std::nullopt;
    }
  }

  const Character& character_;
  const bool timed_;
  Real t_ = 0;  ///< the latest so far
  Lines lines_;
  Complaints complaints_;
};

// --- moving ---

/// The body: goes where it is wanted as its joints can, and says where it is.
class Body {
 public:
  explicit Body(const TrackPlan& plan)
      : skeleton_(plan.character.skeleton),
        limits_(motion_limits(plan.character)),
        rate_(plan.rate),
        q_(start_of(plan)),
        poses_(static_cast<std::size_t>(skeleton_.joint_count())),
        filter_(start(skeleton_, q_)) {}

  long frame() const { return frame_; }
  Real t() const { return static_cast<Real>(frame_) / rate_; }

  /// For how many seconds it has been at rest with nothing more to come, and has had nothing more
  /// to come.
  Real settled() const { return settled_; }
  Real alone() const { return alone_; }

  /// The first frame is where it starts; every one after it moves on by 1 / rate.
  Json next_frame(const Wanted& wanted) {
    const Real seconds = ++frame_ == 0 ? 0 : 1 / rate_;
    const std::vector<Real> before = q_;
    step(wanted.filter, skeleton_, limits_, wanted.q, seconds, filter_, q_);
    alone_ = wanted.last ? alone_ + seconds : 0;
    settled_ = wanted.last && is_still(before, seconds) ? settled_ + seconds : 0;
    return described(wanted);
  }

 private:
  bool is_still(const std::vector<Real>& before, Real seconds) const {
    constexpr Real still = 1e-4;  // radians or metres per second
    return std::equal(q_.begin(), q_.end(), before.begin(),
                      [&](Real a, Real b) { return std::abs(a - b) <= still * seconds; });
  }

  Json described(const Wanted& wanted) {
    forward(skeleton_, q_, poses_);
    Real error = 0;
    for (const Goal& goal : wanted.goals)
      error = std::max(error, residual(goal, poses_[static_cast<std::size_t>(joint_of(goal))]));
    const std::string_view status = wanted.goals.empty()            ? "holding"
                                    : wanted.reposing               ? "reposing"
                                    : all_met(wanted.goals, poses_) ? "reached"
                                                                    : "following";
    Json joints = Json::object();
    for (JointId j = 0; j < skeleton_.joint_count(); ++j)
      if (skeleton_.type(j) != JointType::fixed)
        joints[skeleton_.name(j)] = value_json(skeleton_, j, q_, false);
    Json json{{"frame", frame_},
              {"t", t()},
              {"q", std::move(joints)},
              {"status", status},
              {"error", error}};
    if (!wanted.id.is_null()) json["id"] = wanted.id;
    return json;
  }

  const Skeleton& skeleton_;
  std::vector<MotionLimits> limits_;
  Real rate_;
  std::vector<Real> q_;
  std::vector<Pose> poses_;
  FilterState filter_;
  long frame_ = -1;
  Real settled_ = 0, alone_ = 0;
};

/// Whether the frame just written was the last: the time is over, or the input has ended and the
/// body has come to rest, or should have.
bool is_over(const TrackPlan& plan, const Body& body) {
  constexpr Real longest_wait = 10;               // seconds
  const Real rest = 0.1 + plan.tracker.patience;  // until then the tracker may re-pose
  if (plan.duration) return body.t() >= *plan.duration;
  return body.settled() >= rest || body.alone() >= longest_wait;
}

ExitCode stopped(const Body& body, bool quiet) {
  if (!quiet) note(fmt::format("stopped after {} frames", body.frame() + 1));
  return exit_interrupted;
}

// --- without a clock ---

/// Time is what the lines say it is.
ExitCode track_at_once(const TrackPlan& plan) {
  Follower follower(plan);
  Body body(plan);
  Listener listener(plan.character, true);
  std::optional<Ask> ask = listener.await(0);
  while (body.frame() < 0 || !is_over(plan, body)) {
    const Real t = static_cast<Real>(body.frame() + 1) / plan.rate;
    for (; ask && ask->t.value_or(t) <= t; ask = listener.await(t)) follower.take(*ask);
    if (is_interrupted()) break;
    Wanted wanted = follower.think(body.frame() < 0 ? 0 : 1 / plan.rate);
    wanted.last = !ask;
    write_json(body.next_frame(wanted));
  }
  listener.finish();
  return is_interrupted() ? stopped(body, plan.quiet) : exit_reached;
}

// --- with a clock ---

using Clock = std::chrono::steady_clock;

Clock::duration duration_of(Real seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<Real>(seconds));
}

Real seconds_of(Clock::duration duration) {
  return std::chrono::duration<Real>(duration).count();
}

/// When frames are due. Each deadline counts from the start, so small delays do not add up. A delay
/// of more than a frame puts the clock back: frames that came faster to make up for it would move a
/// servo beyond its limits.
class FrameClock {
 public:
  explicit FrameClock(Real rate) : rate_(rate) {}

  Clock::time_point due(long frame) const {
    return start_ + duration_of(static_cast<Real>(frame) / rate_);
  }

  void wait_for(long frame) {
    due_ = due(frame);
    std::this_thread::sleep_until(due_);
    const Clock::duration behind = Clock::now() - due_;
    if (is_late(behind)) start_ += behind;
  }

  /// The frame that was waited for has been written.
  void done() {
    const Clock::duration behind = Clock::now() - due_;
    if (!is_late(behind)) return;
    ++late_;
    worst_ = std::max(worst_, behind);
  }

  void say_late(long frames) const {
    if (late_ > 0)
      note(fmt::format("{} of {} frames were late, by up to {:.0f} ms; those after them waited",
                       late_, frames, 1000 * seconds_of(worst_)));
  }

 private:
  bool is_late(Clock::duration behind) const { return seconds_of(behind) > 1 / rate_; }

  Real rate_;
  Clock::time_point start_ = Clock::now(), due_ = start_;
  Clock::duration worst_{};
  long late_ = 0;
};

/// Where the two cycles meet: what is wanted, and which frame is due next.
class Board {
 public:
  struct Due {
    long frame = 0;
    Clock::time_point at = {};
  };

  Board(Wanted wanted, Due due) : wanted_(std::move(wanted)), due_(due) {}

  void put(Wanted wanted) {
    const std::lock_guard lock(mutex_);
    if (wanted.id.is_null()) wanted.id = std::move(wanted_.id);
    wanted_ = std::move(wanted);
  }

  /// An id is given out once.
  Wanted take() {
    const std::lock_guard lock(mutex_);
    Wanted wanted = wanted_;
    wanted_.id = nullptr;
    return wanted;
  }

  void set_due(Due due) {
    const std::lock_guard lock(mutex_);
    due_ = due;
  }
  Due due() {
    const std::lock_guard lock(mutex_);
    return due_;
  }

 private:
  std::mutex mutex_;
  Wanted wanted_;
  Due due_;
};

/// Thinks whenever something was asked, so that it shows in the next frame, and in any case a
/// little before each frame.
void think_along(const std::stop_token& stop, const TrackPlan& plan, Follower& follower,
                 Listener& listener, Board& board) {
  const Clock::duration period = duration_of(1 / plan.rate), lead = period / 4;
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start;
  long thought_of = -1;
  while (!stop.stop_requested()) {
    const auto [frame, at] = board.due();
    const Clock::time_point wake = at - lead + (thought_of < frame ? Clock::duration() : period);
    constexpr Real longest_wait = 0.05, longest_step = 0.25;
    listener.wait(std::clamp(seconds_of(wake - Clock::now()), 0.0, longest_wait));

    bool asked = false;
    for (const Clock::time_point heard = Clock::now();
         const std::optional<Ask> ask = listener.next(seconds_of(heard - start)); asked = true)
      follower.take(*ask);
    const Clock::time_point now = Clock::now();
    const bool is_time = thought_of < frame && now >= at - lead;
    if (!asked && !is_time) continue;
    if (is_time) thought_of = frame;
    Wanted wanted = follower.think(std::min(seconds_of(now - last), longest_step));
    wanted.last = listener.ended();
    board.put(std::move(wanted));
    last = now;
  }
}

/// Time is what the clock says.
ExitCode track_live(const TrackPlan& plan) {
  Follower follower(plan);
  Body body(plan);
  Listener listener(plan.character, false);
  FrameClock clock(plan.rate);
  Board board({.q = start_of(plan), .filter = plan.filter}, {0, clock.due(0)});
  std::jthread thinker(
      [&](const std::stop_token& stop) { think_along(stop, plan, follower, listener, board); });
  while (!is_interrupted() && (body.frame() < 0 || !is_over(plan, body))) {
    clock.wait_for(body.frame() + 1);
    write_json(body.next_frame(board.take()));
    clock.done();
    board.set_due({body.frame() + 1, clock.due(body.frame() + 1)});
  }
  thinker.request_stop();
  thinker.join();
  listener.finish();
  if (!plan.quiet) clock.say_late(body.frame() + 1);
  return is_interrupted() ? stopped(body, plan.quiet) : exit_reached;
}

// --- the verb ---

TrackPlan plan_for(const TrackArguments& arguments, const Character& character) {
  TrackPlan plan{.character = character,
                 .posture = {},
                 .end = parse_end(arguments.end, character),
                 .tracker = {},
                 .filter = {},
                 .duration = {},
                 .quiet = arguments.character.quiet};
  if (arguments.posture)
    plan.posture = parse_posture(*arguments.posture, character, false, "--posture");
  if (arguments.preset) plan.filter = parse_preset(*arguments.preset);
  for (const std::string& setting : arguments.settings)
    apply_setting(setting, "track", plan.tracker, plan.filter);
  if (arguments.rate) plan.rate = parse_within(*arguments.rate, "--rate", 1, 1000);
  if (arguments.duration) plan.duration = parse_within(*arguments.duration, "--duration", 0, 1e6);
  return plan;
}

ExitCode track_verb(const TrackArguments& arguments) {
  const Loaded loaded = load(arguments.character);
  const TrackPlan plan = plan_for(arguments, loaded.character);
  print_notes(loaded.warnings, arguments.character.quiet);
  stop_on_signals();
  try {
    return arguments.no_wait ? track_at_once(plan) : track_live(plan);
  } catch (const CantWrite&) {
    if (is_interrupted()) return exit_interrupted;  // it was the signal that ended the writing
    throw;
  }
}

std::string track_footer() {
  std::vector<Field> settings = fields_of(Tracker{});
  for (const Field& field : fields_of(MotionFilter{})) settings.push_back(field);
  std::string text = fmt::format("Settings:\n{}\nPresets:\n", settings_text(settings, "  "));
  using enum Table::Align;
  Table presets({left, left});
  for (const FilterPreset& preset : filter_presets())
    presets.add({std::string(preset.name), std::string(preset.summary)});
  text += presets.str("  ");
  return text + R"(
Each line on standard input is a JSON object with any of these; what it leaves out stays as it is:
  "aim": [x, y, z]             point the end at a place; "aim_direction": along a direction
  "orient": [w, x, y, z]       turn the end to an orientation; "symmetric": true takes its half turn
  "reach": [x, y, z]           bring the end to a place
                               these take the place of those before; null lets go
  "end": NAME                  the end-point, link or joint that should meet them
  "posture": NAME, or {"elbow": 0.5, ...}   the posture to hold; joints left out are neutral
  "preset": NAME               how to move
  "id": number or text         comes back in the next frame (of several, the last)
  "t": seconds                 with --no-wait: when to take the line; without: not looked at
Each line on standard output is a frame: {"frame", "t", "q": {joint: value}, "status", "error"}.
A ball's value is w,x,y,z. The status is reached, following, reposing (on the way to another way to
meet the target) or holding (there is no target; it holds the posture). The error is the largest
residual, in radians, of a reach in metres. Every frame keeps range, velocity, acceleration and
jerk of the joints. Lines that make no sense are named on standard error and change nothing.
Exit codes: 0 the input ended and the body came to rest, 2 bad input (of the command line),
130 stopped.

Example: echo '{"aim": [0.4, 0.3, 0.5]}' | gestik track lamp --posture curious)";
}

}  // namespace

Verb add_track(CLI::App& tool) {
  const auto arguments = std::make_shared<TrackArguments>();
  CLI::App* command = tool.add_subcommand(
      "track", "follow targets that come in line by line, moving as the joints can");
  add_character(*command, arguments->character);
  add_text(*command, "--posture", arguments->posture,
           {"NAME|a,b,...", "What", "the posture to hold, and where to start (default: neutral)"});
  add_text(*command, "--end", arguments->end,
           {"NAME", "What",
            "the end-point, link or joint that targets are for (default: the first end-point)"});
  add_text(*command, "--preset", arguments->preset,
           {"NAME", "How", "how the character moves: one of those below (default: light)"});
  add_repeated(*command, "--set", arguments->settings,
               {"KEY=VALUE", "How", "a setting of the tracker or, after the preset, the filter"});
  add_text(*command, "--rate", arguments->rate,
           {"HZ", "Output", "frames per second, from 1 to 1000 (default 60)"});
  add_text(*command, "--duration", arguments->duration,
           {"SECONDS", "Output",
            "for how long, moving or not (default: until the input has ended and the body rests, "
            "which is waited for 10 s)"});
  command
      ->add_flag("--no-wait", arguments->no_wait,
                 "as fast as it goes, at the times that the lines name; the same input gives the "
                 "same output")
      ->group("Output");
  command->footer(track_footer());
  return {command, [arguments] { return track_verb(*arguments); }};
}

}  // namespace gestik::tool
