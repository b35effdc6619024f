#include "tools/gestik/solve_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/measure/change.h"
#include "gestik/model/joint_ops.h"

namespace gestik::tool {
namespace {

Json number_or_null(const std::optional<Real>& number) {
  return number ? Json(*number) : Json(nullptr);
}

Json joints_json(const Skeleton& skeleton, ConstQ q, bool degrees) {
  Json joints = Json::object();
  // Straight to the end: looking for each name first would make long chains quadratic, and a
  // skeleton's names differ.
  auto& entries = joints.get_ref<Json::object_t&>();
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (skeleton.type(j) != JointType::fixed)
      entries.emplace_back(skeleton.name(j), value_json(skeleton, j, q, degrees));
  return joints;
}

Json goals_json(const Solved& solved) {
  Json goals = Json::array();
  for (std::size_t i = 0; i < solved.goals.size(); ++i) {
    const Explanation::OfGoal& found = solved.explanation.goals[i];
    Json goal{{"kind", found.kind},
              {"joint", solved.character.skeleton.name(found.joint)},
              {"end", solved.goals[i].end.name},
              {"residual", found.residual},
              {"tolerance", found.tolerance},
              {"reached", found.met}};
    if (!found.met) goal["why"] = found.why;
    goals.push_back(std::move(goal));
  }
  return goals;
}

Json limits_json(const Solved& solved) {
  Json limits = Json::array();
  for (const Explanation::OfJoint& found : solved.explanation.at_limit)
    limits.push_back({{"joint", solved.character.skeleton.name(found.joint)},
                      {"which", to_string(found.at)},
                      {"blocking", found.blocking}});
  return limits;
}

/// A joint's value for people: degrees of a hinge, metres of a slider, a ball's turn in all.
std::string big_value(const Skeleton& skeleton, JointId j, ConstQ q) {
  const Real* const own = q.data() + skeleton.q_offset(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return "";
    case JointType::hinge:
      return fixed(degrees_of(*own), 2) + "°";
    case JointType::slider:
      return fixed(*own, 4) + " m";
    case JointType::ball:
      return fixed(degrees_of(log(load_quat(own)).norm()), 2) + "°";
  }
  return "";
}

/// Radians of a hinge, the quaternion of a ball.
std::string exact_value(const Skeleton& skeleton, JointId j, ConstQ q) {
  const Real* const own = q.data() + skeleton.q_offset(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return "";
    case JointType::slider:
      return "";
    case JointType::hinge:
      return fixed(*own, 5);
    case JointType::ball:
      return fmt::format("({} {} {} {})", fixed(own[0], 4), fixed(own[1], 4), fixed(own[2], 4),
                         fixed(own[3], 4));
  }
  return "";
}

std::string change_text(JointType type, Real change) {
  if (loss_of(type, change) == Loss::none) return "none";
  if (type == JointType::slider) return fmt::format("{:+.4f} m", change);
  return type == JointType::ball ? fmt::format("{:.2f}°", degrees_of(change))
                                 : fmt::format("{:+.2f}°", degrees_of(change));
}

std::string limit_text(const Explanation::OfJoint& found, bool reached) {
  const std::string_view which = found.at == AtLimit::lo   ? "lower"
                                 : found.at == AtLimit::hi ? "upper"
                                                           : "swing";
  return fmt::format("at its {} limit{}", which,
                     found.blocking && !reached ? ", which holds it back" : "");
}

std::vector<std::string> limit_column(const Solved& solved) {
  const bool reached = solved.report.status == Status::reached;
  std::vector<std::string> column(
      static_cast<std::size_t>(solved.character.skeleton.joint_count()));
  for (const Explanation::OfJoint& found : solved.explanation.at_limit)
    column[static_cast<std::size_t>(found.joint)] = limit_text(found, reached);
  return column;
}

std::string joint_table(const Solved& solved) {
  const Skeleton& skeleton = solved.character.skeleton;
  const bool has_posture = !solved.posture.empty();
  const ConstQ before = has_posture ? solved.posture : solved.start;
  const std::vector<std::string> limits = limit_column(solved);
  using enum Table::Align;
  Table table({left, right, right, right, right, left});
  const std::span<const Skeleton::Joint> joints = skeleton.joints();
  const bool has_balls =
      std::any_of(joints.begin(), joints.end(),
                  [](const Skeleton::Joint& joint) { return joint.type == JointType::ball; });
  table.add({"joint", "value", has_balls ? "radians (w x y z)" : "radians",
             has_posture ? "posture" : "start", "change", ""});
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const JointType type = skeleton.type(j);
    if (type == JointType::fixed) continue;
    table.add({skeleton.name(j), big_value(skeleton, j, solved.q),
               exact_value(skeleton, j, solved.q), big_value(skeleton, j, before),
               change_text(type, change_of(skeleton, j, before, solved.q)),
               limits[static_cast<std::size_t>(j)]});
  }
  return table.str("  ");
}

std::string in_unit(const Explanation::OfGoal& goal, Real value) {
  if (goal.kind == "reach") return fmt::format("{:.3g} m", value);
  return fmt::format("{:.3g}°", degrees_of(value));
}

std::string goal_table(const Solved& solved) {
  using enum Table::Align;
  Table table({left, right, right, left});
  table.add({"goal", "off by", "allowed", ""});
  for (std::size_t i = 0; i < solved.goals.size(); ++i) {
    const Explanation::OfGoal& found = solved.explanation.goals[i];
    table.add({solved.goals[i].wish, in_unit(found, found.residual),
               in_unit(found, found.tolerance),
               found.met ? "reached" : "not reached: " + found.why});
  }
  return table.str("  ");
}

/// "kept: elbow, head_turn" and "given up: head_nod (+45.82°)", the largest loss first.
std::string posture_summary(const Solved& solved) {
  const Skeleton& skeleton = solved.character.skeleton;
  struct Change {
    JointId joint;
    Real amount;
  };
  std::vector<Change> kept, given_up;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (skeleton.type(j) == JointType::fixed) continue;
    const Real amount = change_of(skeleton, j, solved.posture, solved.q);
    const bool clear = loss_of(skeleton.type(j), amount) == Loss::clear;
    (clear ? given_up : kept).push_back({j, amount});
  }
  std::stable_sort(given_up.begin(), given_up.end(), [](const Change& a, const Change& b) {
    return std::abs(a.amount) > std::abs(b.amount);
  });

  const auto names = [&](const std::vector<Change>& changes, bool with_amount) {
    std::vector<std::string> texts;
    for (const auto& [j, amount] : changes)
      texts.push_back(with_amount ? fmt::format("{} ({})", skeleton.name(j),
                                                change_text(skeleton.type(j), amount))
                                  : skeleton.name(j));
    return texts.empty() ? "nothing" : listed({texts.begin(), texts.end()});
  };
  return fmt::format("kept (within 5° or 10 mm of the posture): {}\ngiven up: {}\n",
                     printable(names(kept, false)), printable(names(given_up, true)));
}

std::string errors_text(const ErikErrors& errors) {
  const auto show = [](const std::optional<Real>& error) {
    return error ? fmt::format("{:.4f}", *error) : std::string("none");
  };
  return fmt::format("errors as ERIK measures them: orientation {}, posture {}, combined {}",
                     show(errors.orientation), show(errors.posture), show(errors.combined));
}

std::string title(const Solved& solved) {
  std::vector<std::string> wishes;
  if (!solved.posture.empty()) wishes.push_back("hold " + solved.posture_name);
  for (const EndGoal& goal : solved.goals) wishes.push_back(goal.wish);
  return fmt::format("{}: {}", solved.character.name, fmt::join(wishes, ", "));
}

std::string status_text(const Solved& solved) {
  const bool reached = solved.report.status == Status::reached;
  const bool spent = solved.report.status == Status::out_of_budget;
  const std::string_view status = reached ? "reached"
                                  : spent ? "not reached, out of iterations: the best pose found"
                                          : "not reached, stalled: the best pose found";
  return fmt::format("{} ({}, {} iteration{}, {:.1f} µs)", status, solved.solver,
                     solved.report.iterations, solved.report.iterations == 1 ? "" : "s",
                     solved.microseconds);
}

}  // namespace

Json report_json(const Solved& solved, bool degrees) {
  const Skeleton& skeleton = solved.character.skeleton;
  return {{"status", to_string(solved.report.status)},
          {"solver", solved.solver},
          {"iterations", solved.report.iterations},
          {"microseconds", solved.microseconds},
          {"q", q_json(skeleton, solved.q, degrees)},
          {"joints", joints_json(skeleton, solved.q, degrees)},
          {"goals", goals_json(solved)},
          {"at_limit", limits_json(solved)},
          {"errors",
           {{"orientation", number_or_null(solved.errors.orientation)},
            {"posture", number_or_null(solved.errors.posture)},
            {"combined", number_or_null(solved.errors.combined)}}}};
}

std::string report_text(const Solved& solved) {
  std::string text = printable(title(solved)) + "\n" + status_text(solved) + "\n\n" +
                     joint_table(solved) + "\n" + goal_table(solved) + "\n";
  if (!solved.posture.empty()) text += posture_summary(solved);
  return text + errors_text(solved.errors) + "\n";
}

}  // namespace gestik::tool
