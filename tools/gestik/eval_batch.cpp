#include <fmt/format.h>

#include <memory>

#include "evaluation/batch/batch.h"
#include "evaluation/parallel.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"
#include "tools/gestik/settings.h"

namespace gestik::tool {
namespace {

namespace batch = evaluation::batch;

struct BatchArguments {
  OptionText characters, count, threads;
  std::vector<std::string> settings;
  bool json = false;
};

std::string table_text(const batch::Request& request, const std::vector<batch::Row>& rows) {
  using enum Table::Align;
  Table table({left, right, right, right, right, right, right, right, right, right});
  table.add({"character", "joints", "solved", "alone", "together", "times",
             fmt::format("{} threads", request.threads), "apart", "error", "of eight"});
  for (const batch::Row& row : rows)
    table.add({row.character, fmt::format("{}", row.joints),
               fmt::format("{} of {}", row.reached, row.count), fixed(row.alone_us, 2) + " µs",
               fixed(row.together_us, 2) + " µs", fixed(row.alone_us / row.together_us, 2),
               fixed(row.side_by_side_us, 2) + " µs", fmt::format("{:.1g}", row.most_apart),
               fixed(row.error, 5), fixed(row.error_of_eight, 5)});
  return table.str();
}

ExitCode eval_batch(const BatchArguments& arguments) {
  constexpr int most = 10'000'000;
  batch::Request request;
  if (arguments.characters) request.characters = parse_names(*arguments.characters, "--character");
  if (arguments.count)
    request.count = static_cast<std::size_t>(parse_count(*arguments.count, "--count", 1, most));
  for (const std::string& text : arguments.settings)
    apply_setting(text, "solver 'poise'", request.poise);
  request.threads = parse_threads(arguments.threads, evaluation::available_threads());
  stop_on_signals();
  const Result<std::vector<batch::Row>> rows = batch::evaluate(request, {.stop = is_interrupted});
  if (!rows) throw BadInput(to_string(rows.error()));
  if (is_interrupted()) return exit_interrupted;
  return print_results(
      arguments.json ? batch::results_json(request, *rows, -1) : table_text(request, *rows),
      std::nullopt);
}

}  // namespace

Verb add_eval_batch(CLI::App& eval) {
  const auto arguments = std::make_shared<BatchArguments>();
  CLI::App* command =
      eval.add_subcommand("batch", "many characters at once beside one after the other, by poise");
  add_text(*command, "--character", arguments->characters,
           {"NAME,...", "What", "bundled characters (default C,G)"});
  add_text(*command, "--count", arguments->count,
           {"N", "What", "characters of each (default 5000)"});
  add_repeated(*command, "--set", arguments->settings,
               {"NAME=VALUE", "How", "a setting of poise (default measure=1, starts=1)"});
  add_text(*command, "--threads", arguments->threads,
           {"N", "How", "of the last way (default: as many as the machine runs at once)"});
  command->add_flag("--json", arguments->json, "one JSON object on standard output")
      ->group("Output");
  command->footer(
      "Microseconds for one character, the fastest of five runs: each alone by run(), together in\n"
      "blocks on one thread, and blocks on many. times: how much faster together is than alone.\n"
      "apart: the largest difference between the answers. error: their mean error; of eight: with\n"
      "starts=8, where lanes are full of one character's starts and a batch saves little.\n\n"
      "Exit codes: 0 done, 2 bad input, 130 stopped.\n\n"
      "Example: gestik eval batch --character C,E,F,G --count 20000");
  return {command, [arguments] { return eval_batch(*arguments); }};
}

}  // namespace gestik::tool
