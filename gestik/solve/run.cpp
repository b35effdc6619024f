#include "gestik/solve/run.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

struct Finding {
  Fault fault = Fault::none;
  int index = -1;
};

/// Index of the first coordinate that is NaN, too large or part of a zero quaternion, or -1.
int first_bad_coordinate(const Skeleton& skeleton, ConstQ q) noexcept {
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    const int size = q_size(joint.type);
    bool zero = size == 4;
    for (int k = 0; k < size; ++k) {
      if (!is_bounded(q[joint.q_offset + k])) return joint.q_offset + k;
      zero = zero && q[joint.q_offset + k] == 0;
    }
    if (zero) return joint.q_offset;
  }
  return -1;
}

Finding check_goals(const Problem& problem) noexcept {
  for (std::size_t i = 0; i < problem.goals.size(); ++i) {
    const Goal& goal = problem.goals[i];
    const int index = static_cast<int>(i);
    const JointId joint = joint_of(goal);
    if (joint < 0 || joint >= problem.skeleton.joint_count()) return {Fault::goal_joint, index};
    if (!is_sound(goal)) return {Fault::goal_value, index};
    const Real weight = weight_of(goal), tolerance = tolerance_of(goal);
    if (!is_bounded(weight) || !(weight >= 1 / largest_number) || !is_finite(tolerance) ||
        tolerance < 0 || priority_of(goal) < 0)
      return {Fault::goal_weight, index};
  }
  return {};
}

Finding check_intent(const Problem& problem) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const Intent& intent = problem.intent;
  if (!intent.per_joint.empty() &&
      static_cast<int>(intent.per_joint.size()) != skeleton.joint_count())
    return {Fault::posture_size};
  for (std::size_t j = 0; j < intent.per_joint.size(); ++j)
    if (!(intent.per_joint[j] >= 0) || !is_bounded(intent.per_joint[j]))
      return {Fault::posture_value, static_cast<int>(j)};
  if (intent.posture.empty()) return {};
  if (static_cast<int>(intent.posture.size()) != skeleton.q_size()) return {Fault::posture_size};
  if (!(intent.weight >= 0) || !is_bounded(intent.weight)) return {Fault::posture_value};
  const int bad = first_bad_coordinate(skeleton, intent.posture);
  return bad < 0 ? Finding{} : Finding{Fault::posture_value, bad};
}

Finding check_problem(const Problem& problem) noexcept {
  if (problem.budget.iterations < 0) return {Fault::budget_value};
  if (!problem.seed.empty()) {
    if (static_cast<int>(problem.seed.size()) != problem.skeleton.q_size())
      return {Fault::seed_size};
    const int bad = first_bad_coordinate(problem.skeleton, problem.seed);
    if (bad >= 0) return {Fault::seed_value, bad};
  }
  if (!problem.held.empty() &&
      static_cast<int>(problem.held.size()) != problem.skeleton.joint_count())
    return {Fault::held_size};
  const Finding goals = check_goals(problem);
  return goals.fault != Fault::none ? goals : check_intent(problem);
}

template <class S>
Finding check_settings(const S& solver) noexcept {
  Finding finding;
  int index = 0;
  visit_fields(solver, [&](std::string_view, const auto& value, Range range, std::string_view) {
    const Real v = static_cast<Real>(value);
    if (!(v >= range.lo && v <= range.hi) && finding.fault == Fault::none)
      finding = {Fault::setting_value, index};
    ++index;
  });
  return finding;
}

/// What the solver's info rules out. Only joints that some goal can use need to be movable.
Finding check_support(const SolverInfo& info, const Problem& problem) noexcept {
  if (!info.many_goals && problem.goals.size() > 1) return {Fault::goal_count, 1};
  for (std::size_t i = 0; i < problem.goals.size(); ++i) {
    const Goal& goal = problem.goals[i];
    const bool known = std::holds_alternative<Reach>(goal)    ? info.reach
                       : std::holds_alternative<Orient>(goal) ? info.orient
                                                              : info.aim;
    if (!known) return {Fault::goal_kind, static_cast<int>(i)};
    if (info.hinge && info.slider && info.ball) continue;
    for (JointId j = joint_of(goal); j != no_joint; j = problem.skeleton.parent(j)) {
      if (!may_move(problem, j)) continue;
      switch (problem.skeleton.type(j)) {
        case JointType::fixed:
          break;
        case JointType::hinge:
          if (!info.hinge) return {Fault::joint_type, j};
          break;
        case JointType::slider:
          if (!info.slider) return {Fault::joint_type, j};
          break;
        case JointType::ball:
          if (!info.ball) return {Fault::joint_type, j};
          break;
      }
    }
  }
  return {};
}

/// The problem as solvers get it: a seed inside the limits, unit quaternions and axes. Lives in the
/// scratch.
Problem cleaned(const SolverInfo& info, const Problem& problem, ConstQ legal_seed,
                Scratch& scratch) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const std::size_t size = static_cast<std::size_t>(skeleton.q_size());
  const Q seed = scratch.take<Real>(size);
  std::copy(legal_seed.begin(), legal_seed.end(), seed.begin());
  const std::span<Goal> goals = scratch.take<Goal>(problem.goals.size());
  std::transform(problem.goals.begin(), problem.goals.end(), goals.begin(),
                 [](const Goal& goal) { return normalized(goal); });
  const Q posture = scratch.take<Real>(problem.intent.posture.empty() ? 0 : size);
  std::copy(problem.intent.posture.begin(), problem.intent.posture.end(), posture.begin());
  for (const Skeleton::Joint& joint : skeleton.joints())
    if (joint.type == JointType::ball && !posture.empty())
      store_quat(normalized_or_identity(load_quat(&posture[joint.q_offset])),
                 &posture[joint.q_offset]);
  const Budget budget =
      problem.budget.iterations == Budget::recommended ? Budget{info.iterations} : problem.budget;
  return {skeleton, goals,  {posture, problem.intent.weight, problem.intent.per_joint},
          seed,     budget, problem.held};
}

/// Puts held joints back to the seed; changes no bit of a solver that keeps the law itself.
void restore_held(const Problem& problem, Q q) noexcept {
  if (problem.held.empty()) return;
  for (const Skeleton::Joint& joint : problem.skeleton.joints())
    if (problem.held[&joint - problem.skeleton.joints().data()])
      std::copy_n(problem.seed.data() + joint.q_offset, q_size(joint.type),
                  q.data() + joint.q_offset);
}

/// Marks the joints that goals depend on: no other has to be computed to judge them.
std::span<const std::uint8_t> mark_needed(const Problem& problem, Scratch& scratch) noexcept {
  const auto needed =
      scratch.take<std::uint8_t>(static_cast<std::size_t>(problem.skeleton.joint_count()));
  std::fill(needed.begin(), needed.end(), std::uint8_t{0});
  for (const Goal& goal : problem.goals)
    for (JointId j = joint_of(goal); j != no_joint && !needed[j]; j = problem.skeleton.parent(j))
      needed[j] = 1;
  return needed;
}

std::size_t bytes_of_run(const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t size = static_cast<std::size_t>(skeleton.q_size());
  return 2 * Scratch::bytes_for<Real>(size) + Scratch::bytes_for<Goal>(goals) +
         Scratch::bytes_for<Pose>(static_cast<std::size_t>(skeleton.joint_count())) +
         Scratch::bytes_for<std::uint8_t>(static_cast<std::size_t>(skeleton.joint_count()));
}

template <class S>
Report run_one(const S& solver, const Problem& raw, Scratch& scratch, Q out) noexcept {
  static_assert(Solver<S>, "a solver needs info, scratch_bytes and solve; see solver.h");
  const Skeleton& skeleton = raw.skeleton;
  if (static_cast<int>(out.size()) != skeleton.q_size()) return {.fault = Fault::out_size};

  const bool seeded = static_cast<int>(raw.seed.size()) == skeleton.q_size();
  const ConstQ start = seeded ? raw.seed : skeleton.neutral();
  std::copy(start.begin(), start.end(), out.begin());
  clamp_to_limits(skeleton, out);

  Finding finding = check_problem(raw);
  if (finding.fault == Fault::none) finding = check_settings(solver);
  if (finding.fault == Fault::none &&
      scratch.left() < bytes_of_run(skeleton, raw.goals.size()) +
                           scratch_bytes(solver, skeleton, raw.goals.size()))
    finding = {Fault::scratch_size};
  if (finding.fault != Fault::none) return {.fault = finding.fault, .fault_index = finding.index};
  finding = check_support(S::info, raw);
  if (finding.fault != Fault::none)
    return {.status = Status::unsupported, .fault = finding.fault, .fault_index = finding.index};

  const Scratch::Frame frame(scratch);
  const Problem problem = cleaned(S::info, raw, out, scratch);
  const std::span<Pose> poses =
      scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
  const std::span<const std::uint8_t> needed = mark_needed(problem, scratch);

  const bool has_posture = !problem.intent.posture.empty() && problem.intent.weight > 0;
  if (!(S::info.keeps_posture && has_posture)) {
    forward(skeleton.joints(), problem.seed, poses, needed);
    if (all_met(problem.goals, poses)) return {.status = Status::reached, .error = 0};
  }

  Report report = solve(solver, problem, scratch, out);
  if (report.status == Status::unsupported) {
    std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
    return report;
  }
  clamp_to_limits(skeleton, out);  // changes no bit of a solver that keeps the law itself
  restore_held(problem, out);
  forward(skeleton.joints(), out, poses, needed);
  const Real error = goal_error(problem.goals, poses);
  if (!S::info.keeps_posture) report.error = error;
  if (error == 0)
    report.status = Status::reached;
  else if (report.status == Status::reached)
    report.status = Status::stalled;
  return report;
}

}  // namespace

std::size_t scratch_bytes(const AnySolver& any, const Skeleton& skeleton,
                          std::size_t goals) noexcept {
  return bytes_of_run(skeleton, goals) +
         std::visit([&](const auto& s) { return scratch_bytes(s, skeleton, goals); }, any);
}

Report run(const AnySolver& any, const Problem& problem, Scratch& scratch, Q out) noexcept {
  return std::visit([&](const auto& s) { return run_one(s, problem, scratch, out); }, any);
}

const SolverInfo& info_of(const AnySolver& any) noexcept {
  return std::visit(
      [](const auto& s) -> const SolverInfo& { return std::remove_cvref_t<decltype(s)>::info; },
      any);
}

AnySolver default_solver(const Problem& problem) noexcept {
  const bool sound = check_problem(problem).fault == Fault::none && !problem.goals.empty();
  if (sound && check_support(Poise::info, problem).fault == Fault::none && poise_takes(problem))
    return Poise{};
  return Lm{};
}

namespace {

template <std::size_t... I>
constexpr std::array<AnySolver, sizeof...(I)> defaults(std::index_sequence<I...>) {
  return {AnySolver(std::in_place_index<I>)...};
}

constexpr auto solvers = defaults(std::make_index_sequence<std::variant_size_v<AnySolver>>());

}  // namespace

std::span<const AnySolver> all_solvers() noexcept {
  return solvers;
}

std::optional<AnySolver> find_solver(std::string_view name) noexcept {
  for (const AnySolver& solver : solvers)
    if (info_of(solver).name == name) return solver;
  return std::nullopt;
}

std::vector<Field> fields_of(const AnySolver& any) {
  return std::visit([](const auto& solver) { return fields_of(solver); }, any);
}

SetResult set_field(AnySolver& any, std::string_view wanted, Real number) noexcept {
  return std::visit([&](auto& solver) { return set_field(solver, wanted, number); }, any);
}

}  // namespace gestik
