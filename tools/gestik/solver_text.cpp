#include "tools/gestik/solver_text.h"

#include <fmt/format.h>

#include "gestik/base/suggest.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/settings.h"

namespace gestik::tool {
namespace {

std::string abilities_text(const SolverInfo& info) {
  return fmt::format("goals: {}{}{}; moves {}; {}", goals_text(info),
                     info.many_goals ? ", many at once" : ", one at a time",
                     info.priorities ? ", with priorities" : "", joints_text(info),
                     info.keeps_posture ? "holds the posture throughout"
                                        : "starts from the posture, holds it no further");
}

}  // namespace

AnySolver parse_solver(std::string_view name) {
  if (const std::optional<AnySolver> solver = find_solver(name)) return *solver;
  std::vector<std::string_view> names;
  for (const AnySolver& solver : all_solvers()) names.push_back(info_of(solver).name);
  throw BadInput(fmt::format("no solver is called '{}'{} (there is {})", name,
                             did_you_mean(name, names), listed(names)));
}

std::string goals_text(const SolverInfo& info) {
  std::vector<std::string_view> goals;
  if (info.reach) goals.push_back("reach");
  if (info.orient) goals.push_back("orient");
  if (info.aim) goals.push_back("aim");
  return fmt::format("{}", fmt::join(goals, ", "));
}

std::string joints_text(const SolverInfo& info) {
  std::vector<std::string_view> joints;
  if (info.hinge) joints.push_back("hinges");
  if (info.slider) joints.push_back("sliders");
  if (info.ball) joints.push_back("balls");
  return fmt::format("{}", fmt::join(joints, ", "));
}

std::string solver_text(const AnySolver& solver, std::string_view indent) {
  const SolverInfo& info = info_of(solver);
  std::string text =
      fmt::format("{0}{1} ({2})\n{0}    {3}\n{0}    {4}; {5} iterations\n", indent, info.name,
                  info.source, info.summary, abilities_text(info), info.iterations);
  return text + settings_text(fields_of(solver), fmt::format("{}    ", indent));
}

}  // namespace gestik::tool
