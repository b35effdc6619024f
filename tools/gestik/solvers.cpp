#include <fmt/format.h>

#include <memory>

#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/solver_text.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct SolversArguments {
  OptionText name;
  bool json = false;
};

Json setting_json(const Field& field) {
  const auto number = [&](Real value) {
    switch (field.kind) {
      case Field::Kind::real:
        break;
      case Field::Kind::integer:
        return Json(static_cast<std::int64_t>(value));
      case Field::Kind::boolean:
        return Json(value != 0);
    }
    return Json(value);
  };
  return {{"name", field.name},
          {"kind", to_string(field.kind)},
          {"default", number(field.value)},
          {"lo", number(field.range.lo)},
          {"hi", number(field.range.hi)},
          {"help", field.help}};
}

Json solver_json(const AnySolver& solver) {
  const SolverInfo& info = info_of(solver);
  Json json{{"name", info.name},
            {"source", info.source},
            {"summary", info.summary},
            {"goals", {{"reach", info.reach}, {"orient", info.orient}, {"aim", info.aim}}},
            {"joints", {{"hinge", info.hinge}, {"slider", info.slider}, {"ball", info.ball}}},
            {"many_goals", info.many_goals},
            {"priorities", info.priorities},
            {"keeps_posture", info.keeps_posture},
            {"iterations", info.iterations},
            {"settings", Json::array()}};
  for (const Field& field : fields_of(solver)) json["settings"].push_back(setting_json(field));
  return json;
}

std::string all_text() {
  using enum Table::Align;
  Table table({left, left, left, left, left, left, right, left});
  table.add({"solver", "goals", "joints", "many goals", "priorities", "posture", "iterations", ""});
  const auto mark = [](bool yes) { return std::string(yes ? "yes" : "-"); };
  for (const AnySolver& solver : all_solvers()) {
    const SolverInfo& info = info_of(solver);
    table.add({std::string(info.name), goals_text(info), joints_text(info), mark(info.many_goals),
               mark(info.priorities), info.keeps_posture ? "kept" : "start",
               fmt::format("{}", info.iterations), std::string(info.source)});
  }
  return table.str() +
         "\nposture: kept throughout, or only where the solve starts. iterations: the budget "
         "unless "
         "one is given.\n`gestik solvers NAME` has a solver's settings; docs/CHOOSING.md says when "
         "to take which.\n";
}

ExitCode solvers_verb(const SolversArguments& arguments) {
  if (arguments.name) {
    const AnySolver solver = parse_solver(*arguments.name);
    if (arguments.json)
      write_json(solver_json(solver));
    else
      write_text(solver_text(solver, ""));
    return exit_reached;
  }
  if (!arguments.json) {
    write_text(all_text());
    return exit_reached;
  }
  Json list = Json::array();
  for (const AnySolver& solver : all_solvers()) list.push_back(solver_json(solver));
  write_json({{"solvers", list}});
  return exit_reached;
}

}  // namespace

Verb add_solvers(CLI::App& tool) {
  const auto arguments = std::make_shared<SolversArguments>();
  CLI::App* command = tool.add_subcommand("solvers", "what each solver can do, and its settings");
  command
      ->add_option_function<std::string>(
          "NAME", [arguments](const std::string& name) { arguments->name = name; },
          "one of them, with its settings")
      ->type_name(" ");
  command->add_flag("--json", arguments->json, "one JSON object on standard output");
  command->footer("Example: gestik solvers dls");
  return {command, [arguments] { return solvers_verb(*arguments); }};
}

}  // namespace gestik::tool
