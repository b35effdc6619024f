#include "gestik/solve/run.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

struct Finding {
  Fault fault = Fault::none;
  int index = -1;
};

/// Index of the first coordinate that is NaN, infinite or part of a zero quaternion, or -1.
int first_bad_coordinate(const Skeleton& skeleton, ConstQ q) noexcept {
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    const int size = q_size(joint.type);
    bool zero = size == 4;
    for (int k = 0; k < size; ++k) {
      if (!is_finite(q[joint.q_offset + k])) return joint.q_offset + k;
      zero = zero && q[joint.q_offset + k] == 0;
    }
    if (zero) return joint.q_offset;
  }
  return -1;
}

bool is_direction(const Vec3& v) noexcept {
  return is_finite(v) && !v.isZero(0);
}

bool sound(const Reach& goal) noexcept {
  return is_finite(goal.point_in_joint) && is_finite(goal.target);
}
bool sound(const Orient& goal) noexcept {
  return is_finite(goal.target) && !goal.target.coeffs().isZero(0) &&
         (!goal.symmetric || is_direction(goal.symmetry_axis));
}
bool sound(const Aim& goal) noexcept {
  return is_direction(goal.axis_in_joint) && is_finite(goal.point_in_joint) &&
         (goal.at_infinity ? is_direction(goal.target) : is_finite(goal.target));
}

Finding check_goals(const Problem& problem) noexcept {
  for (std::size_t i = 0; i < problem.goals.size(); ++i) {
    const Goal& goal = problem.goals[i];
    const int index = static_cast<int>(i);
    const JointId joint = joint_of(goal);
    if (joint < 0 || joint >= problem.skeleton.joint_count()) return {Fault::goal_joint, index};
    if (!std::visit([](const auto& g) { return sound(g); }, goal))
      return {Fault::goal_value, index};
    const Real weight = weight_of(goal), tolerance = tolerance_of(goal);
    if (!(weight > 0) || !is_finite(weight) || !(tolerance >= 0))
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
    if (!(intent.per_joint[j] >= 0) || !is_finite(intent.per_joint[j]))
      return {Fault::posture_value, static_cast<int>(j)};
  if (intent.posture.empty()) return {};
  if (static_cast<int>(intent.posture.size()) != skeleton.q_size()) return {Fault::posture_size};
  if (!(intent.weight >= 0) || !is_finite(intent.weight)) return {Fault::posture_value};
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
  const Finding goals = check_goals(problem);
  return goals.fault != Fault::none ? goals : check_intent(problem);
}

/// Visits every field of a solver as f(name, reference to its value, range, help).
template <class S, class F>
void visit_fields(S& solver, F&& f) {
  std::remove_const_t<S>::fields(
      [&](std::string_view name, auto member, Range range, std::string_view help) {
        f(name, solver.*member, range, help);
      });
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

Goal cleaned(Goal goal) noexcept {
  if (Orient* orient = std::get_if<Orient>(&goal)) {
    orient->target = normalized_or_identity(orient->target);
    orient->symmetry_axis = normalized_or_zero(orient->symmetry_axis);
  } else if (Aim* aim = std::get_if<Aim>(&goal)) {
    aim->axis_in_joint = normalized_or_zero(aim->axis_in_joint);
    if (aim->at_infinity) aim->target = normalized_or_zero(aim->target);
  }
  return goal;
}

/// The problem as solvers get it: a seed inside the limits, unit quaternions and axes. Lives in the
/// scratch.
Problem cleaned(const Problem& problem, ConstQ legal_seed, Scratch& scratch) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const std::size_t size = static_cast<std::size_t>(skeleton.q_size());
  const Q seed = scratch.take<Real>(size);
  std::copy(legal_seed.begin(), legal_seed.end(), seed.begin());
  const std::span<Goal> goals = scratch.take<Goal>(problem.goals.size());
  std::transform(problem.goals.begin(), problem.goals.end(), goals.begin(),
                 [](const Goal& goal) { return cleaned(goal); });
  const Q posture = scratch.take<Real>(problem.intent.posture.empty() ? 0 : size);
  std::copy(problem.intent.posture.begin(), problem.intent.posture.end(), posture.begin());
  for (const Skeleton::Joint& joint : skeleton.joints())
    if (joint.type == JointType::ball && !posture.empty())
      store_quat(normalized_or_identity(load_quat(&posture[joint.q_offset])),
                 &posture[joint.q_offset]);
  return {skeleton,
          goals,
          {posture, problem.intent.weight, problem.intent.per_joint},
          seed,
          problem.budget};
}

std::size_t bytes_of_run(const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t size = static_cast<std::size_t>(skeleton.q_size());
  return 2 * Scratch::bytes_for<Real>(size) + Scratch::bytes_for<Goal>(goals) +
         Scratch::bytes_for<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
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
  const Problem problem = cleaned(raw, out, scratch);
  const std::span<Pose> poses =
      scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));

  const bool has_posture = !problem.intent.posture.empty() && problem.intent.weight > 0;
  if (!(S::info.keeps_posture && has_posture)) {
    forward(skeleton, problem.seed, poses);
    if (all_met(problem.goals, poses))
      return {.status = Status::reached, .error = goal_error(problem.goals, poses)};
  }

  Report report = solve(solver, problem, scratch, out);
  if (report.status == Status::unsupported) return report;
  forward(skeleton, out, poses);
  if (all_met(problem.goals, poses))
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

namespace {

template <std::size_t... I>
std::vector<AnySolver> defaults(std::index_sequence<I...>) {
  return {AnySolver(std::in_place_index<I>)...};
}

}  // namespace

std::vector<AnySolver> all_solvers() {
  return defaults(std::make_index_sequence<std::variant_size_v<AnySolver>>());
}

std::optional<AnySolver> find_solver(std::string_view name) noexcept {
  for (const AnySolver& solver : all_solvers())
    if (info_of(solver).name == name) return solver;
  return std::nullopt;
}

std::vector<Field> fields_of(const AnySolver& any) {
  std::vector<Field> fields;
  std::visit(
      [&](const auto& solver) {
        visit_fields(solver, [&](std::string_view name, const auto& value, Range range,
                                 std::string_view help) {
          using T = std::remove_cvref_t<decltype(value)>;
          const Field::Kind kind = std::is_same_v<T, bool>   ? Field::Kind::boolean
                                   : std::is_same_v<T, Real> ? Field::Kind::real
                                                             : Field::Kind::integer;
          fields.push_back({name, kind, range, help, static_cast<Real>(value)});
        });
      },
      any);
  return fields;
}

SetResult set_field(AnySolver& any, std::string_view wanted, Real number) noexcept {
  SetResult result = SetResult::unknown_name;
  std::visit(
      [&](auto& solver) {
        visit_fields(solver,
                     [&](std::string_view name, auto& value, Range range, std::string_view) {
                       if (name != wanted) return;
                       using T = std::remove_cvref_t<decltype(value)>;
                       if (!(number >= range.lo && number <= range.hi)) {
                         result = SetResult::out_of_range;
                       } else if (!std::is_same_v<T, Real> && number != std::floor(number)) {
                         result = SetResult::not_whole;
                       } else {
                         value = static_cast<T>(number);
                         result = SetResult::done;
                       }
                     });
      },
      any);
  return result;
}

}  // namespace gestik
