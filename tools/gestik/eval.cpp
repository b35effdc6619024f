#include "tools/gestik/eval.h"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <system_error>

#include "evaluation/output_folder.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

// A handler may do no more than set this; runs look at it before every solve.
volatile std::sig_atomic_t interrupted = 0;

}  // namespace

std::vector<std::string> parse_names(const std::string& text, std::string_view option) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t stop = std::min(text.find(',', start), text.size());
    names.emplace_back(trimmed(std::string_view(text).substr(start, stop - start)));
    if (names.back().empty()) throw BadInput(fmt::format("{}: a name is missing", option));
    start = stop + 1;
  }
  return names;
}

int parse_threads(const OptionText& text, int otherwise) {
  constexpr int most = 1024;
  return text ? parse_count(*text, "--threads", 1, most) : otherwise;
}

void add_output(CLI::App& command, EvalOutput& output, const std::string& written) {
  add_text(command, "--out", output.folder, {"DIR", "Output", written});
  command.add_flag("--json", output.json, "one JSON object on standard output")->group("Output");
}

void check_folder_name(const EvalOutput& output) {
  if (output.folder && output.folder->empty()) throw BadInput("--out: the folder's name is empty");
}

void prepare_folder(const EvalOutput& output, bool quiet) {
  if (!output.folder) return;
  if (const std::optional<Error> refusal = evaluation::prepare_folder(*output.folder))
    throw BadInput(to_string(*refusal));
  if (!quiet) note_replacing(*output.folder);
}

void note_replacing(const std::string& folder) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::path(folder) / "results.json", ignored))
    note(fmt::format("the results in {} will be replaced", folder));
}

ExitCode print_results(std::string_view text, const std::optional<Error>& fault) {
  if (fault) complain(to_string(*fault));
  write_text(text);
  return fault ? exit_cant_write : exit_reached;
}

void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool is_interrupted() {
  return interrupted != 0;
}

Verb add_eval(CLI::App& tool) {
  CLI::App* eval =
      tool.add_subcommand("eval", "experiments that compare solvers and filters, as reports");
  const std::vector<Verb> experiments{
      add_eval_batch(*eval), add_eval_erik(*eval),  add_eval_filter(*eval), add_eval_learnt(*eval),
      add_eval_mocap(*eval), add_eval_reach(*eval), add_eval_track(*eval)};
  eval->footer(
      "Each has a help of its own: gestik eval erik --help. They print a table, or with --json "
      "one\n"
      "JSON object; most write more into a folder with --out.\n"
      "Exit codes: 0 done, 2 bad input, 1 the results can't be written, 130 stopped.\n\n"
      "Example: gestik eval erik --skeleton C --out report");
  return {eval, [experiments] {
            std::string names;
            for (const Verb& experiment : experiments) {
              if (experiment.command->parsed()) return experiment.run();
              names += (names.empty() ? "" : ", ") + experiment.command->get_name();
            }
            throw BadInput("which evaluation? there are " + names);
          }};
}

}  // namespace gestik::tool
