#include "tools/gestik/goal_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "gestik/base/suggest.h"
#include "gestik/goal/at_frame.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

using Kind = GoalArguments::Kind;

void add_wish(CLI::App& command, GoalArguments& goals, Kind kind, const std::string& option,
              const std::string& values, const std::string& help) {
  command
      .add_option_function<std::string>(
          option,
          [&goals, kind](const std::string& text) {
            goals.wishes.push_back({kind, text, goals.ends.size()});
          },
          help)
      ->trigger_on_parse()  // in the order they are typed, among the --end
      ->type_name(values)
      ->group("Goals");
}

struct Tolerances {
  Real reach = Reach{}.tolerance;
  Real orient = Orient{}.tolerance;
  Real aim = Aim{}.tolerance;
};

Real parse_tolerance(std::string_view text) {
  const Real tolerance = parse_number(text, "--tolerance");
  if (tolerance < 0) throw BadInput("--tolerance can't be below zero");
  return tolerance;
}

/// "1e-3" for every kind, or "reach=1e-3,aim=0.01".
Tolerances parse_tolerances(std::string_view text) {
  if (text.find('=') == std::string_view::npos) {
    const Real one = parse_tolerance(text);
    return {one, one, one};
  }
  Tolerances tolerances;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::string_view kind = part.substr(0, part.find('='));
    constexpr std::array<std::string_view, 3> kinds{"reach", "orient", "aim"};
    Real* const fields[] = {&tolerances.reach, &tolerances.orient, &tolerances.aim};
    const auto found = std::find(kinds.begin(), kinds.end(), kind);
    if (found == kinds.end())
      throw BadInput(fmt::format("--tolerance: '{}' is no kind of goal{} (reach, orient, aim)",
                                 kind, did_you_mean(kind, kinds)));
    *fields[found - kinds.begin()] =
        parse_tolerance(part.substr(std::min(kind.size() + 1, part.size())));
  }
  return tolerances;
}

/// The place a wish is for.
Frame end_of(const GoalArguments::Wish& wish, const GoalArguments& arguments,
             const Character& character) {
  if (arguments.ends.empty()) return parse_end({}, character);
  return parse_end(arguments.ends[std::max<std::size_t>(wish.ends_before, 1) - 1], character);
}

EndGoal reach_goal(const Frame& end, const std::string& text, const Tolerances& tolerances) {
  const Vec3 target = parse_point(text, "--reach");
  Reach goal = reach(end, target);
  goal.tolerance = tolerances.reach;
  return {goal, end, fmt::format("reach {} with '{}'", text_of(target), end.name)};
}

EndGoal orient_goal(const Frame& end, const std::string& text, bool symmetric,
                    const Tolerances& tolerances) {
  const Quat target = parse_orientation(text, "--orient");
  Orient goal = orient(end, target);
  goal.symmetric = symmetric;
  goal.tolerance = tolerances.orient;
  return {goal, end,
          fmt::format("orient '{}' to {} (w, x, y, z){}", end.name, text_of(target),
                      symmetric ? " or its twin" : "")};
}

EndGoal aim_goal(const Frame& end, const std::string& text, bool direction,
                 const Tolerances& tolerances) {
  const Vec3 target =
      direction ? parse_direction(text, "--aim-direction") : parse_point(text, "--aim");
  Aim goal = aim(end, target);
  goal.at_infinity = direction;
  goal.tolerance = tolerances.aim;
  return {goal, end,
          fmt::format("aim '{}' {} {}", end.name, direction ? "along" : "at", text_of(target))};
}

EndGoal make_goal(const GoalArguments::Wish& wish, const Frame& end, bool symmetric,
                  const Tolerances& tolerances) {
  switch (wish.kind) {
    case Kind::reach:
      return reach_goal(end, wish.text, tolerances);
    case Kind::orient:
      return orient_goal(end, wish.text, symmetric, tolerances);
    case Kind::aim:
      return aim_goal(end, wish.text, false, tolerances);
    case Kind::aim_direction:
      return aim_goal(end, wish.text, true, tolerances);
  }
  throw BadInput("unknown kind of goal");
}

/// Every --end needs a goal; a second goal of a kind for one end is most likely a misplaced --end.
void check_groups(const GoalArguments& arguments, const std::vector<EndGoal>& goals) {
  for (const std::string& name : arguments.ends)
    if (std::none_of(goals.begin(), goals.end(),
                     [&](const EndGoal& goal) { return goal.end.name == name; }))
      throw BadInput(fmt::format("--end {} has no goal; its goals come after it", name));
  for (std::size_t i = 0; i < goals.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (goals[i].end.name == goals[k].end.name && goals[i].goal.index() == goals[k].goal.index())
        throw BadInput(fmt::format("'{}' has two {} goals; each end takes one of a kind",
                                   goals[i].end.name, kind_of(goals[i].goal)));
}

}  // namespace

void add_goals(CLI::App& command, GoalArguments& goals) {
  command
      .add_option_function<std::string>(
          "--end", [&goals](const std::string& name) { goals.ends.push_back(name); },
          "the end-point, link or joint that the goals after it are for (default: the first "
          "end-point); may come again with goals of its own")
      ->trigger_on_parse()
      ->type_name("NAME")
      ->group("Goals");
  add_wish(command, goals, Kind::aim, "--aim", "x,y,z", "point the end at a place");
  add_wish(command, goals, Kind::aim_direction, "--aim-direction", "x,y,z",
           "point the end along a direction");
  add_wish(command, goals, Kind::orient, "--orient", "w,x,y,z", "turn the end to an orientation");
  add_wish(command, goals, Kind::reach, "--reach", "x,y,z", "bring the end to a place");
  command
      .add_flag("--symmetric", goals.symmetric,
                "--orient also takes the end turned half round the direction in which it looks")
      ->group("Goals");
  add_text(command, "--tolerance", goals.tolerance,
           {"NUMBER|KIND=NUMBER,...", "Goals",
            "how near is near enough: one number, or such as reach=0.001,aim=0.01"});
}

std::vector<EndGoal> make_goals(const GoalArguments& arguments, const Character& character) {
  if (arguments.wishes.empty())
    throw BadInput("nothing to solve: give a goal (--aim, --aim-direction, --orient or --reach)");
  const Tolerances tolerances =
      arguments.tolerance ? parse_tolerances(*arguments.tolerance) : Tolerances{};
  std::vector<EndGoal> goals;
  for (const GoalArguments::Wish& wish : arguments.wishes)
    goals.push_back(
        make_goal(wish, end_of(wish, arguments, character), arguments.symmetric, tolerances));
  check_groups(arguments, goals);
  if (arguments.symmetric && std::none_of(goals.begin(), goals.end(), [](const EndGoal& goal) {
        return std::holds_alternative<Orient>(goal.goal);
      }))
    throw BadInput("--symmetric says something about --orient, which is not given");
  return goals;
}

}  // namespace gestik::tool
