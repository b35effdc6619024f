#include "bindings/wasm/gestik_wasm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/wasm/describe.h"
#include "gestik/goal/at_frame.h"
#include "gestik/io/bundled.h"
#include "gestik/io/bvh.h"
#include "gestik/io/gestik_json.h"
#include "gestik/io/gltf.h"
#include "gestik/measure/erik_error.h"
#include "gestik/model/joint_ops.h"
#include "gestik/motion/filter.h"
#include "gestik/motion/tracker.h"
#include "gestik/solve/explain.h"
#include "gestik/solve/run.h"

using namespace gestik;
using wasm::Json;

namespace {

constexpr Real nothing = std::numeric_limits<Real>::quiet_NaN();

// --- text in and out ---

std::string room, text;

void say(const Json& json) {
  // Infinity, which JSON can't say, becomes null: no limit.
  text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Fault>
int refuse(const Fault& fault) {
  text = to_string(fault);
  return 0;
}

std::string_view name_in_room(std::size_t size) {
  return std::string_view(room).substr(0, size);
}

}  // namespace

// --- the character and the desk at which its questions are put ---

struct GestikCharacter {
  Loaded loaded;
  std::vector<Frame> places = {};  ///< ends, links, joints
  std::vector<MotionLimits> motion = {};

  std::vector<Real> q = {}, numbers = {}, wish = {};
  std::size_t goal_count = 0;
  int parts = 0;

  std::vector<Goal> goals = {};
  std::vector<std::uint8_t> held = {};
  std::optional<AnySolver> solver = {};
  Real weight = 1;
  Budget budget = {};
  Scratch scratch{0};

  Report outcome = {};
  GestikReport report = {};
  std::string fault = {};
  std::vector<Real> solution = {};
  std::vector<Pose> world = {};

  const Skeleton& skeleton() const { return loaded.character.skeleton; }
  std::size_t joint_count() const { return static_cast<std::size_t>(skeleton().joint_count()); }
  std::size_t q_size() const { return static_cast<std::size_t>(skeleton().q_size()); }
};

struct GestikTracker {
  GestikCharacter& character;
  Tracker settings = {};
  Tracking state = {};
};

struct GestikFilter {
  GestikCharacter& character;
  MotionFilter settings = {};
  FilterState state = {};
};

namespace {

// --- loading ---

Result<Loaded> load(std::string_view source, std::string_view name, int format, Real unit) {
  if (format == gestik_bvh) return read_bvh(source, name, {.unit = unit, .hinges = {}});
  if (format == gestik_gltf) return read_gltf(source, name);
  if (format == gestik_json) return read_gestik_json(source, name);
  for (const BundledFile& file : bundled_files())
    if (file.name == source) return read_gestik_json(file.text, file.name);
  return Error{"no bundled character is called '" + std::string(source) + "'", ""};
}

std::vector<Frame> places_of(const Character& character) {
  std::vector<Frame> places = character.ends;
  places.insert(places.end(), character.links.begin(), character.links.end());
  for (JointId j = 0; j < character.skeleton.joint_count(); ++j)
    places.push_back({.name = character.skeleton.name(j), .joint = j});
  return places;
}

// --- the wish ---

/// A part of the wish; empty where it has none.
std::span<const Real> part(const GestikCharacter& character, GestikPart wanted) {
  const std::size_t q_size = character.q_size(), joints = character.joint_count();
  std::size_t start = character.goal_count * sizeof(GestikGoal) / sizeof(Real);
  for (const auto& [one, size] :
       {std::pair{gestik_posture, q_size}, std::pair{gestik_weights, joints},
        std::pair{gestik_held, joints}, std::pair{gestik_seed, q_size}}) {
    if (!(character.parts & one)) continue;
    if (one == wanted) return std::span<const Real>(character.wish).subspan(start, size);
    start += size;
  }
  return {};
}

/// A count that came as a number: what is none is -1, which no check lets pass.
int whole(Real number) {
  return number >= 0 && number <= 1e9 ? static_cast<int>(number) : -1;
}

Goal goal_from(const GestikGoal& wish, const Frame& place) {
  const Real* const t = wish.target;
  Goal goal = wish.kind == 0   ? Goal(reach(place, {t[0], t[1], t[2]}))
              : wish.kind == 1 ? Goal(orient(place, {t[0], t[1], t[2], t[3]}))
                               : Goal(aim(place, {t[0], t[1], t[2]}));
  if (auto* const as_orient = std::get_if<Orient>(&goal)) as_orient->symmetric = wish.flag != 0;
  if (auto* const as_aim = std::get_if<Aim>(&goal)) as_aim->at_infinity = wish.flag != 0;
  std::visit(
      [&](auto& any) {
        any.weight = wish.weight;
        if (!std::isnan(wish.tolerance)) any.tolerance = wish.tolerance;
        any.priority = whole(wish.priority);
      },
      goal);
  return goal;
}

const GestikGoal& wished_goal(const GestikCharacter& character, std::size_t i) {
  return reinterpret_cast<const GestikGoal*>(character.wish.data())[i];
}

const Frame& place_of(const GestikCharacter& character, const GestikGoal& wish) {
  const int place = whole(wish.place);
  GESTIK_ASSERT(place >= 0 && static_cast<std::size_t>(place) < character.places.size());
  return character.places[static_cast<std::size_t>(place)];
}

void read_wish(GestikCharacter& character) {
  character.goals.clear();
  for (std::size_t i = 0; i < character.goal_count; ++i) {
    const GestikGoal& wish = wished_goal(character, i);
    character.goals.push_back(goal_from(wish, place_of(character, wish)));
  }
  character.held.clear();
  for (const Real held : part(character, gestik_held)) character.held.push_back(held != 0);
}

/// Views of what read_wish left.
Problem problem_of(const GestikCharacter& character) {
  const std::span<const Real> posture = part(character, gestik_posture);
  const std::span<const Real> seed = part(character, gestik_seed);
  return {character.skeleton(),
          character.goals,
          {posture, character.weight, part(character, gestik_weights)},
          seed.empty() ? posture : seed,
          character.budget,
          character.held};
}

void grow_scratch(GestikCharacter& character, std::size_t bytes) {
  if (character.scratch.capacity() < bytes) character.scratch = Scratch(bytes);
}

// --- answers ---

/// The paper's errors for the end of the first goal.
ErikErrors errors_of(const GestikCharacter& character, ConstQ q) {
  if (character.goal_count == 0) return {};
  const Real first = wished_goal(character, 0).place;
  std::vector<Goal> own;
  for (std::size_t i = 0; i < character.goal_count; ++i)
    if (wished_goal(character, i).place == first) own.push_back(normalized(character.goals[i]));
  const Frame& end = place_of(character, wished_goal(character, 0));
  return erik_errors(character.skeleton(), own, end.joint, end.joint_from_frame.p, q,
                     part(character, gestik_posture));
}

bool is_turned_away(const Report& report) {
  return report.status == Status::unsupported || report.status == Status::bad_problem;
}

/// "poise: the solver can't move this type of joint ('hips', a ball)"
std::string words_of(const Report& report, std::string_view solver, const Problem& problem) {
  std::string words(solver);
  words.append(": ").append(to_string(report.fault));
  if (report.fault == Fault::joint_type && report.fault_index >= 0)
    words.append(" ('")
        .append(problem.skeleton.name(report.fault_index))
        .append("', a ")
        .append(to_string(problem.skeleton.type(report.fault_index)))
        .append(")");
  else if (report.fault == Fault::goal_kind && report.fault_index >= 0)
    words.append(" (")
        .append(kind_of(problem.goals[static_cast<std::size_t>(report.fault_index)]))
        .append(")");
  return words;
}

void take_report(GestikCharacter& character, const Report& report, std::string_view solver,
                 const Tracked* tracked, int reposes) {
  character.fault = is_turned_away(report) ? words_of(report, solver, problem_of(character)) : "";
  character.report = {.status = static_cast<Real>(report.status),
                      .iterations = static_cast<Real>(report.iterations),
                      .error = report.error,
                      .orientation = nothing,
                      .posture = nothing,
                      .combined = nothing,
                      .reposing = tracked && tracked->reposing ? 1.0 : 0.0,
                      .reposes = static_cast<Real>(reposes)};
  if (is_turned_away(report)) return;
  const ErikErrors errors = errors_of(character, character.solution);
  character.report.orientation = errors.orientation.value_or(nothing);
  character.report.posture = errors.posture.value_or(nothing);
  character.report.combined = errors.combined.value_or(nothing);
}

void append(std::vector<Real>& numbers, std::span<const Pose> poses) {
  for (const Pose& pose : poses)
    numbers.insert(numbers.end(), {pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z(), pose.p.x(),
                                   pose.p.y(), pose.p.z()});
}

/// Sets one of the settings of a tracker or filter; its name is in the room.
template <class Settings>
int set(Settings& settings, std::size_t name_size, Real value) {
  const std::string name(name_in_room(name_size));
  switch (set_field(settings, name, value)) {
    case SetResult::done:
      return 1;
    case SetResult::unknown_name:
      text = "there is no setting '" + name + "'";
      return 0;
    case SetResult::out_of_range:
      text = "the setting '" + name + "' is out of its range";
      return 0;
    case SetResult::not_whole:
      text = "the setting '" + name + "' must be a whole number";
      return 0;
  }
  return 0;
}

std::vector<Real> settings;

}  // namespace

// --- the interface ---

char* gestik_room(size_t bytes) {
  room.resize(bytes);
  return room.data();
}

const char* gestik_text() {
  return text.data();
}

size_t gestik_text_size() {
  return text.size();
}

void gestik_about() {
  say(wasm::library_json());
}

GestikCharacter* gestik_load(size_t text_size, size_t name_size, int format, double unit) {
  const std::string_view source = name_in_room(text_size);
  const std::string_view name = std::string_view(room).substr(text_size, name_size);
  Result<Loaded> loaded = load(source, name, format, unit);
  room = {};  // it may have been large
  if (!loaded) {
    refuse(loaded.error());
    return nullptr;
  }
  auto character = std::make_unique<GestikCharacter>(GestikCharacter{*std::move(loaded)});
  const ConstQ neutral = character->skeleton().neutral();
  character->places = places_of(character->loaded.character);
  character->motion = motion_limits(character->loaded.character);
  character->q.assign(neutral.begin(), neutral.end());
  character->solution = character->q;
  character->world.resize(character->joint_count());
  return character.release();
}

void gestik_free_character(GestikCharacter* character) {
  delete character;
}

void gestik_describe(const GestikCharacter* character) {
  say(wasm::character_json(character->loaded, character->motion));
}

const double* gestik_clip(const GestikCharacter* character, size_t clip) {
  return character->loaded.clips[clip].values.data();
}

void gestik_clear_postures(GestikCharacter* character) {
  character->loaded.character.postures.clear();
}

void gestik_add_posture(GestikCharacter* character, size_t name_size) {
  character->loaded.character.postures.push_back(
      {.name = std::string(name_in_room(name_size)), .q = character->q});
}

int gestik_save(const GestikCharacter* character) {
  Result<std::string> written =
      write_gestik_json(character->loaded.character, character->loaded.clips);
  if (!written) return refuse(written.error());
  text = *std::move(written);
  return 1;
}

double* gestik_q(GestikCharacter* character) {
  return character->q.data();
}

const double* gestik_forward(GestikCharacter* character) {
  forward(character->skeleton(), character->q, character->world);
  character->numbers.clear();
  append(character->numbers, character->world);
  return character->numbers.data();
}

void gestik_clamp(GestikCharacter* character) {
  clamp_to_limits(character->skeleton(), character->q);
}

const double* gestik_at_limits(GestikCharacter* character) {
  const Skeleton& skeleton = character->skeleton();
  character->numbers.clear();
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    character->numbers.push_back(
        static_cast<Real>(joint_at_limit(skeleton, j, character->q.data() + skeleton.q_offset(j))));
  return character->numbers.data();
}

const double* gestik_difference(GestikCharacter* character) {
  character->numbers.resize(static_cast<std::size_t>(character->skeleton().v_size()));
  difference(character->skeleton(), part(*character, gestik_seed), character->q,
             character->numbers);
  return character->numbers.data();
}

void gestik_ball_angles(GestikCharacter* character, int joint) {
  Real* const q = character->q.data();
  const BallAngles angles =
      ball_angles(character->skeleton(), joint, normalized_or_identity(load_quat(q)));
  q[0] = angles.swing_x;
  q[1] = angles.swing_y;
  q[2] = angles.twist;
}

void gestik_ball_from_angles(GestikCharacter* character, int joint) {
  Real* const q = character->q.data();
  store_quat(ball_from_angles(character->skeleton(), joint, {q[0], q[1], q[2]}), q);
}

double* gestik_wish(GestikCharacter* character, size_t goals, int parts) {
  static_assert(sizeof(GestikGoal) % sizeof(Real) == 0);
  const std::size_t q_size = character->q_size(), joints = character->joint_count();
  character->goal_count = goals;
  character->parts = parts;
  character->wish.resize(goals * sizeof(GestikGoal) / sizeof(Real) +
                         (parts & gestik_posture ? q_size : 0) +
                         (parts & gestik_weights ? joints : 0) +
                         (parts & gestik_held ? joints : 0) + (parts & gestik_seed ? q_size : 0));
  return character->wish.data();
}

int gestik_suitable_solver(GestikCharacter* character) {
  read_wish(*character);
  return static_cast<int>(default_solver(problem_of(*character)).index());
}

double* gestik_settings(int solver) {
  settings.clear();
  for (const Field& field : fields_of(all_solvers()[static_cast<std::size_t>(solver)]))
    settings.push_back(field.value);
  return settings.data();
}

int gestik_prepare(GestikCharacter* character, int solver, double style, int iterations) {
  read_wish(*character);
  AnySolver chosen = all_solvers()[static_cast<std::size_t>(solver)];
  const std::vector<Field> fields = fields_of(chosen);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    room = fields[i].name;
    if (!set(chosen, room.size(), settings[i])) return 0;
  }
  // The one that has a setting of this name takes the style there; it multiplies what was set.
  const auto own_style = std::find_if(fields.begin(), fields.end(),
                                      [](const Field& field) { return field.name == "style"; });
  if (!(style >= 0 && style <= 1)) {
    text = "the style must be from 0 to 1";
    return 0;
  }
  character->weight = style;
  if (own_style != fields.end()) {
    const Real set_style = settings[static_cast<std::size_t>(own_style - fields.begin())];
    set_field(chosen, "style", style * set_style);
    character->weight = 1;
  }
  character->budget = iterations < 0 ? Budget{} : Budget{iterations};
  character->solver = chosen;
  grow_scratch(*character, scratch_bytes(chosen, character->skeleton(), character->goals.size()));
  return 1;
}

void gestik_solve(GestikCharacter* character, int repeats) {
  const Problem problem = problem_of(*character);
  for (int i = 0; i < std::max(repeats, 1); ++i)
    character->outcome = run(*character->solver, problem, character->scratch, character->solution);
}

void gestik_judge(GestikCharacter* character) {
  take_report(*character, character->outcome, info_of(*character->solver).name, nullptr, 0);
}

const double* gestik_answer(GestikCharacter* character) {
  forward(character->skeleton(), character->solution, character->world);
  const auto* const report = reinterpret_cast<const Real*>(&character->report);
  std::vector<Real>& numbers = character->numbers;
  numbers.assign(report, report + sizeof(GestikReport) / sizeof(Real));
  numbers.insert(numbers.end(), character->solution.begin(), character->solution.end());
  append(numbers, character->world);
  text = character->fault;
  return numbers.data();
}

int gestik_explain(GestikCharacter* character, double style) {
  read_wish(*character);
  character->weight = style;
  const Problem problem = problem_of(*character);
  // What no solver takes can't be explained: a run without work tells.
  const AnySolver judge = *find_solver("lm");
  grow_scratch(*character, scratch_bytes(judge, problem.skeleton, problem.goals.size()));
  Problem unmoved = problem;
  unmoved.budget = {0};
  const Report report = run(judge, unmoved, character->scratch, character->solution);
  if (is_turned_away(report)) {
    text = words_of(report, "the wish", problem);
    return 0;
  }
  say(wasm::explanation_json(explain(problem, character->q), problem, character->q));
  return 1;
}

const double* gestik_measure(GestikCharacter* character) {
  read_wish(*character);
  const ErikErrors errors = errors_of(*character, character->q);
  forward(character->skeleton(), character->q, character->world);
  character->numbers = {errors.orientation.value_or(nothing), errors.posture.value_or(nothing),
                        errors.combined.value_or(nothing)};
  for (const Goal& goal : character->goals)
    character->numbers.push_back(residual(normalized(goal), character->world[joint_of(goal)]));
  return character->numbers.data();
}

GestikTracker* gestik_make_tracker(GestikCharacter* character) {
  auto* const tracker = new GestikTracker{*character};
  gestik_reset_tracker(tracker);
  return tracker;
}

void gestik_free_tracker(GestikTracker* tracker) {
  delete tracker;
}

void gestik_reset_tracker(GestikTracker* tracker) {
  GestikCharacter& character = tracker->character;
  tracker->state = track_from(character.skeleton(), character.q);
}

int gestik_set_tracker(GestikTracker* tracker, size_t name_size, double value) {
  return set(tracker->settings, name_size, value);
}

void gestik_track(GestikTracker* tracker, double style, double seconds) {
  GestikCharacter& character = tracker->character;
  read_wish(character);
  character.weight = style;
  character.budget = {};
  grow_scratch(character, tracker_bytes(character.skeleton(), character.goals.size()));
  Problem problem = problem_of(character);
  problem.seed = {};
  const Tracked tracked = track(tracker->settings, problem, seconds, tracker->state,
                                character.scratch, character.solution);
  take_report(character, tracked.report, "tracker", &tracked, tracker->state.reposes);
}

GestikFilter* gestik_make_filter(GestikCharacter* character) {
  auto* const filter = new GestikFilter{*character};
  gestik_reset_filter(filter);
  return filter;
}

void gestik_free_filter(GestikFilter* filter) {
  delete filter;
}

void gestik_reset_filter(GestikFilter* filter) {
  GestikCharacter& character = filter->character;
  filter->state = start(character.skeleton(), character.q);
}

int gestik_set_filter(GestikFilter* filter, size_t name_size, double value) {
  return set(filter->settings, name_size, value);
}

void gestik_filter(GestikFilter* filter, double seconds) {
  GestikCharacter& character = filter->character;
  std::vector<Real>& out = character.solution;
  step(filter->settings, character.skeleton(), character.motion, character.q, seconds,
       filter->state, out);
  character.q = out;
}
