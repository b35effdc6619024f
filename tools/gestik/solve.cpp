#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "gestik/base/suggest.h"
#include "gestik/measure/statistics.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/settings.h"
#include "tools/gestik/solve_report.h"
#include "tools/gestik/solver_text.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct SolveArguments {
  CharacterArgument character;
  GoalArguments goals;
  OptionText posture, seed, iterations, solver;
  std::vector<std::string> settings, held;
  bool degrees = false, json = false;
};

struct Timed {
  Report report;
  Real microseconds;
};

/// The first run warms caches and is what a slow solve is judged by; a quick one runs again a few
/// times and the median counts. Every run gives the same bits, so the answer does not depend on it.
Timed timed_run(const AnySolver& solver, const Problem& problem, Q out) {
  Scratch scratch(scratch_bytes(solver, problem.skeleton, problem.goals.size()));
  using Clock = std::chrono::steady_clock;
  const auto once = [&]() -> Timed {
    const Clock::time_point start = Clock::now();
    const Report report = run(solver, problem, scratch, out);
    return {report, std::chrono::duration<Real, std::micro>(Clock::now() - start).count()};
  };
  Timed timed = once();
  constexpr Real slow = 20'000;
  if (timed.microseconds > slow) return timed;
  std::array<Real, 9> times;
  for (Real& time : times) time = once().microseconds;
  timed.microseconds = percentile(times, 0.5);
  return timed;
}

/// "ccd, dls": the solvers whose info says yes.
std::string solvers_with(bool SolverInfo::*ability) {
  std::vector<std::string_view> names;
  for (const AnySolver& solver : all_solvers())
    if (info_of(solver).*ability) names.push_back(info_of(solver).name);
  return listed(names);
}

bool SolverInfo::*ability_for(const Goal& goal) {
  if (std::holds_alternative<Reach>(goal)) return &SolverInfo::reach;
  if (std::holds_alternative<Orient>(goal)) return &SolverInfo::orient;
  return &SolverInfo::aim;
}

bool SolverInfo::*ability_for(JointType type) {
  if (type == JointType::slider) return &SolverInfo::slider;
  if (type == JointType::ball) return &SolverInfo::ball;
  return &SolverInfo::hinge;
}

/// What a solver can't do, by name, and the way out.
std::string why_unsupported(const Report& report, const SolverInfo& info, const Problem& problem) {
  if (report.fault == Fault::goal_count)
    return fmt::format("{} takes one goal at a time; many are taken by {}", info.name,
                       solvers_with(&SolverInfo::many_goals));
  if (report.fault == Fault::goal_kind && report.fault_index >= 0) {
    const Goal& goal = problem.goals[static_cast<std::size_t>(report.fault_index)];
    return fmt::format("{} takes no {} goals (it takes {}); they are taken by {}", info.name,
                       kind_of(goal), goals_text(info), solvers_with(ability_for(goal)));
  }
  if (report.fault == Fault::joint_type && report.fault_index >= 0) {
    const std::string& joint = problem.skeleton.name(report.fault_index);
    const JointType type = problem.skeleton.type(report.fault_index);
    return fmt::format("{} can't move '{}', a {}: hold it with --hold {}, or take one of {}",
                       info.name, joint, to_string(type), joint, solvers_with(ability_for(type)));
  }
  return fmt::format("{}: {}", info.name, to_string(report.fault));
}

void refuse_faults(const Report& report, const SolverInfo& info, const Problem& problem) {
  if (report.status == Status::unsupported) throw BadInput(why_unsupported(report, info, problem));
  if (report.status == Status::bad_problem) throw BadInput(std::string(to_string(report.fault)));
}

void take_posture_and_start(Solved& solved, const SolveArguments& arguments) {
  const Character& character = solved.character;
  if (arguments.posture) {
    solved.posture = parse_posture(*arguments.posture, character, arguments.degrees, "--posture");
    solved.posture_name = find_posture(character, *arguments.posture)
                              ? fmt::format("'{}'", *arguments.posture)
                              : "the given posture";
  }
  const ConstQ neutral = character.skeleton.neutral();
  if (arguments.seed)
    solved.start = parse_q(*arguments.seed, character.skeleton, arguments.degrees, "--seed");
  else if (arguments.posture)
    solved.start = solved.posture;
  else
    solved.start.assign(neutral.begin(), neutral.end());
}

AnySolver make_solver(const SolveArguments& arguments, const Problem& problem) {
  AnySolver solver = arguments.solver ? parse_solver(*arguments.solver) : default_solver(problem);
  const std::string owner = fmt::format("solver '{}'", info_of(solver).name);
  for (const std::string& setting : arguments.settings) apply_setting(setting, owner, solver);
  return solver;
}

Budget make_budget(const SolveArguments& arguments) {
  if (!arguments.iterations) return {};
  return {parse_count(*arguments.iterations, "--iterations")};
}

/// One number per joint, 1 for those named with --hold.
std::vector<std::uint8_t> parse_held(const std::vector<std::string>& names,
                                     const Skeleton& skeleton) {
  std::vector<std::uint8_t> held(static_cast<std::size_t>(skeleton.joint_count()), 0);
  for (const std::string& name : names) {
    const JointId joint = skeleton.find(name);
    if (joint == no_joint) {
      std::vector<std::string_view> known;
      for (JointId j = 0; j < skeleton.joint_count(); ++j) known.push_back(skeleton.name(j));
      throw BadInput(
          fmt::format("--hold: no joint is called '{}'{}", name, did_you_mean(name, known)));
    }
    held[joint] = 1;
  }
  return held;
}

ErikErrors errors_of_first_end(const Solved& solved) {
  const Frame& end = solved.goals.front().end;
  std::vector<Goal> goals;
  for (const EndGoal& goal : solved.goals)
    if (goal.end.name == end.name) goals.push_back(goal.goal);
  return erik_errors(solved.character.skeleton, goals, end.joint, end.joint_from_frame.p, solved.q,
                     solved.posture);
}

Solved solved_for(const SolveArguments& arguments, const Character& character) {
  Solved solved{.character = character, .goals = make_goals(arguments.goals, character)};
  take_posture_and_start(solved, arguments);
  std::vector<Goal> goals;
  for (const EndGoal& goal : solved.goals) goals.push_back(goal.goal);
  Intent intent;
  intent.posture = solved.posture;
  const std::vector<std::uint8_t> held = parse_held(arguments.held, character.skeleton);
  const Problem problem{character.skeleton,     goals, intent, solved.start,
                        make_budget(arguments), held};
  const AnySolver solver = make_solver(arguments, problem);
  solved.solver = info_of(solver).name;
  solved.q.resize(static_cast<std::size_t>(character.skeleton.q_size()));
  const Timed timed = timed_run(solver, problem, solved.q);
  refuse_faults(timed.report, info_of(solver), problem);

  solved.report = timed.report;
  solved.microseconds = timed.microseconds;
  solved.explanation = explain(problem, solved.q);
  solved.errors = errors_of_first_end(solved);
  return solved;
}

ExitCode solve_verb(const SolveArguments& arguments) {
  const Loaded loaded = load(arguments.character);
  const Solved solved = solved_for(arguments, loaded.character);
  print_notes(loaded.warnings, arguments.character.quiet);
  if (arguments.json)
    write_json(report_json(solved, arguments.degrees));
  else
    write_text(report_text(solved));
  return solved.report.status == Status::reached ? exit_reached : exit_not_reached;
}

std::string solve_footer() {
  std::string text = "Solvers and their settings:\n";
  for (const AnySolver& solver : all_solvers()) text += solver_text(solver, "  ");
  return text + R"(
Residuals and tolerances are metres (reach) and radians (orient, aim), always.
The time is that of the solver's run alone, without reading or printing: the median of nine runs
after a first one, or of the one run where it takes longer than 20 ms.
The errors are the ERIK paper's, of the first goal's end: orientation, posture, and combined =
1.0 * orientation + 0.2 * posture.
Exit codes: 0 every goal reached, 3 not (the best pose is still printed), 2 bad input.

Example: gestik solve lamp --posture curious --aim 0.4,0.3,0.5)";
}

}  // namespace

Verb add_solve(CLI::App& tool) {
  const auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command =
      tool.add_subcommand("solve", "find a pose that meets goals and holds a posture");
  add_character(*command, arguments->character);
  add_goals(*command, arguments->goals);
  add_text(*command, "--posture", arguments->posture,
           {"NAME|a,b,...", "Posture and start",
            "the posture to hold, and where to start unless --seed says otherwise"});
  add_text(*command, "--seed", arguments->seed,
           {"a,b,...", "Posture and start",
            "where to start: one number per coordinate (a ball: w,x,y,z)"});
  add_repeated(*command, "--hold", arguments->held,
               {"JOINT", "Posture and start",
                "a joint that stays where the start has it (inside its limits)"});
  add_text(*command, "--solver", arguments->solver,
           {"NAME", "Solver",
            "one of those below (default: poise where it can, for one orient or aim on a chain of "
            "hinges; else lm)"});
  add_repeated(*command, "--set", arguments->settings,
               {"KEY=VALUE", "Solver", "a setting of the solver"});
  add_text(*command, "--iterations", arguments->iterations,
           {"N", "Solver",
            "how many at most (default: the solver's own, below); a smaller max_iterations of the "
            "solver counts"});
  command
      ->add_flag("--degrees", arguments->degrees,
                 "hinges in degrees, in --posture, --seed, q and joints")
      ->group("Output");
  command->add_flag("--json", arguments->json, "one JSON object on standard output")
      ->group("Output");
  command->footer(solve_footer());
  return {command, [arguments] { return solve_verb(*arguments); }};
}

}  // namespace gestik::tool
