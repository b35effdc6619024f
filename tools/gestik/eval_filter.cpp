#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "evaluation/filter/report.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

namespace filter = evaluation::filter;

struct FilterArguments {
  EvalOutput output;
};

std::string table_text(const filter::Comparison& comparison) {
  using enum Table::Align;
  Table table({left, right, right, right, right, right});
  table.add({"filter", "seconds", "overshoot", "velocity", "acceleration", "jerk"});
  for (const filter::Track& track : comparison.tracks)
    table.add({track.name, fixed(track.seconds_to_target, 2),
               fixed(100 * track.overshoot, 2) + " %", fixed(track.most_velocity, 2),
               fixed(track.most_acceleration, 2), fixed(track.most_jerk, 2)});
  return table.str();
}

/// The pictures' names with their folder, a line each.
std::string written_text(const std::string& folder,
                         const std::vector<evaluation::NamedText>& pictures) {
  std::string text = "\n";
  for (const evaluation::NamedText& picture : pictures)
    text += fmt::format("wrote {}\n",
                        printable((std::filesystem::path(folder) / picture.name).string()));
  return text;
}

ExitCode eval_filter(const FilterArguments& arguments) {
  const auto& [folder, json] = arguments.output;
  check_folder_name(arguments.output);
  std::string text =
      json ? filter::results_json(-1)
           : table_text(filter::compare_filters()) + "\n" + table_text(filter::compare_presets());
  if (!folder) return print_results(text, std::nullopt);
  if (const std::optional<Error> refusal = evaluation::prepare_folder(*folder))
    throw BadInput(to_string(*refusal));
  const std::vector<evaluation::NamedText> pictures = filter::pictures();
  const std::optional<Error> fault = evaluation::write_files(*folder, pictures);
  if (!fault && !json) text += written_text(*folder, pictures);
  return print_results(text, fault);
}

}  // namespace

Verb add_eval_filter(CLI::App& eval) {
  const auto arguments = std::make_shared<FilterArguments>();
  CLI::App* command =
      eval.add_subcommand("filter", "the motion filter, the ERIK paper's, and the presets");
  add_output(*command, arguments->output, "write two pictures into this folder");
  command->footer(
      "A servo (3 rad/s, 30 rad/s², 600 rad/s³) follows a target that jumps, at 100 samples a\n"
      "second. seconds: until within 2 % of the first target; velocity, acceleration and jerk: "
      "the\n"
      "largest difference of samples, as a share of its limit. Nothing is measured but the "
      "motion,\n"
      "so every run gives the same.\n\n"
      "--out DIR gets filter.svg and filter_presets.svg, the pictures of docs/MOTION.md.\n"
      "Exit codes: 0 done, 2 bad input, 1 the pictures can't be written.\n\n"
      "Example: gestik eval filter --out docs");
  return {command, [arguments] { return eval_filter(*arguments); }};
}

}  // namespace gestik::tool
