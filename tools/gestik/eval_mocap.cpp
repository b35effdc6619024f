#include <fmt/format.h>

#include <memory>

#include "evaluation/mocap/report.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

namespace mocap = evaluation::mocap;

struct MocapArguments {
  OptionText clip, unit, tolerance, slot, iterations, solvers, threads;
  std::vector<std::string> intervals, goals;
  EvalOutput output;
  bool free_root = false, quiet = false;
};

/// "40" for all, "lm=3" for one, and both with commas.
std::vector<mocap::Iterations> parse_iterations(const std::string& text) {
  constexpr int most = 1'000'000;
  std::vector<mocap::Iterations> list;
  for (const std::string& part : parse_names(text, "--iterations")) {
    const std::size_t equals = part.find('=');
    const bool named = equals != std::string::npos;
    if (equals == 0) throw BadInput("--iterations: a name is missing");
    const std::string count = named ? part.substr(equals + 1) : part;
    list.push_back(
        {named ? part.substr(0, equals) : "", parse_count(count, "--iterations", 1, most)});
  }
  return list;
}

mocap::Request parse_request(const MocapArguments& arguments) {
  if (!arguments.clip) throw BadInput("which motion? --clip FILE.bvh");
  if (arguments.slot && arguments.iterations)
    throw BadInput("--slot finds the iterations that --iterations gives: leave one of them out");
  mocap::Request request{.capture = {.clip = *arguments.clip,
                                     .goals = arguments.goals,
                                     .free_root = arguments.free_root}};
  if (arguments.unit) request.capture.unit = parse_above_zero(*arguments.unit, "--unit");
  if (!arguments.intervals.empty()) request.intervals.clear();
  for (const std::string& interval : arguments.intervals)
    request.intervals.push_back(parse_above_zero(interval, "--every"));
  if (arguments.tolerance)
    request.tolerance = parse_above_zero(*arguments.tolerance, "--tolerance");
  if (arguments.slot) request.slot_us = parse_above_zero(*arguments.slot, "--slot");
  if (arguments.iterations) request.iterations = parse_iterations(*arguments.iterations);
  if (arguments.solvers) request.solvers = parse_names(*arguments.solvers, "--solver");
  return request;
}

/// Who is best at an interval, and by how much.
std::string best_text(const mocap::Plan& plan, const std::vector<std::vector<mocap::Row>>& rows,
                      const std::vector<std::size_t>& order, std::size_t interval) {
  const auto median = [&](std::size_t rank) { return rows[order[rank]][interval].error.median; };
  std::string text = fmt::format("best every {} s: {}", plan.request.intervals[interval],
                                 plan.solvers[order[0]].name);
  if (order.size() > 1 && median(0) > 0)
    text += fmt::format("; then {}, {:.3g} times as much", plan.solvers[order[1]].name,
                        median(1) / median(0));
  return text + "\n";
}

std::string results_text(const mocap::Plan& plan, const mocap::Evaluated& run) {
  using enum Table::Align;
  Table table({left, right, right, right, right, right, right, right, right, right});
  table.add({"solver", "every s", "samples", "median m²", "quartile 1", "quartile 3", "distance mm",
             "budget", "iterations", "median µs"});
  const std::vector<std::vector<mocap::Row>> rows = mocap::rows_of(run);
  const auto error = [](Real square_metres) { return fmt::format("{:.2e}", square_metres); };
  std::size_t broken = 0;
  for (std::size_t i = 0; i < plan.request.intervals.size(); ++i)
    for (std::size_t s = 0; s < plan.solvers.size(); ++s) {
      const mocap::Row& row = rows[s][i];
      table.add({plan.solvers[s].name, fmt::format("{}", plan.request.intervals[i]),
                 fmt::format("{}", row.samples), error(row.error.median),
                 error(row.error.quartile_1), error(row.error.quartile_3),
                 fixed(1000 * row.distance.median, 1), fmt::format("{}", run.solvers[s].iterations),
                 fixed(row.mean_iterations, 1), fixed(row.median_us, 1)});
      broken += row.limits_broken;
    }
  std::string text = table.str();
  const std::vector<std::vector<std::size_t>> orders = mocap::ranking(rows);
  for (std::size_t i = 0; i < orders.size(); ++i) text += best_text(plan, rows, orders[i], i);
  text += fmt::format("again: --iterations {}\n", mocap::iterations_text(plan, run));
  if (broken > 0) text += fmt::format("LIMITS BROKEN in {} poses\n", broken);
  return text;
}

ExitCode eval_mocap(const MocapArguments& arguments) {
  const mocap::Request request = parse_request(arguments);
  // Times are measured: by default nobody shares the machine with the solve.
  const evaluation::Control control{.threads = parse_threads(arguments.threads, 1),
                                    .stop = is_interrupted};
  check_folder_name(arguments.output);
  stop_on_signals();
  const Result<mocap::Plan> plan = mocap::make_plan(request);
  if (!plan) throw BadInput(to_string(plan.error()));
  prepare_folder(arguments.output, arguments.quiet);
  print_notes(plan->capture.warnings, arguments.quiet);

  const mocap::Evaluated run = mocap::evaluate(*plan, control);
  if (run.stopped) {
    note(fmt::format("stopped in solver {} of {}", run.solvers.size(), plan->solvers.size()));
    return exit_interrupted;
  }
  std::optional<Error> fault;
  if (arguments.output.folder) fault = mocap::write_results(*arguments.output.folder, *plan, run);
  return print_results(
      arguments.output.json ? results_json(*plan, run, -1) : results_text(*plan, run), fault);
}

std::string mocap_footer() {
  std::vector<std::string> variants;
  for (const evaluation::NamedSolver& variant : mocap::variants()) variants.push_back(variant.name);
  return fmt::format(R"(Solvers are those of `gestik solve --help` and, as the paper has them, {0}:
the Jacobian transpose with a fixed step, and the pseudo-inverse clamped to the limits afterwards.
Without --solver these and all that take many reaches take part.

Every channel of the file is one joint, whose limits are its range in the clip and a tenth more. A body
follows the goals through the clip, one sample to the next, and each solve starts from the pose before
it. Every frame is a sample: with an interval of n frames there are n runs, from each of the first n.
median, quartile 1 and quartile 3 are of the summed squared distance of all goals; distance is how far
joints and end sites are from the captured ones on the mean, its median.

Each solver gets the most iterations that fit into --slot, measured before its run, so the numbers
depend on the machine; --iterations makes them the same everywhere. Without --unit the body is taken
to be {1} m high at rest.

--out DIR gets report.html, results.json, results.csv and samples.csv.
Exit codes: 0 done, 2 bad input, 1 the results can't be written, 130 stopped.

Example: gestik eval mocap --clip cartwheel.bvh --every 0.05 --every 1 --out report)",
                     fmt::join(variants, " and "), mocap::body_height);
}

}  // namespace

Verb add_eval_mocap(CLI::App& eval) {
  const auto arguments = std::make_shared<MocapArguments>();
  const mocap::Request defaults;
  CLI::App* command = eval.add_subcommand(
      "mocap", "the line-search paper's experiment: a body follows a captured exercise");
  add_text(*command, "--clip", arguments->clip, {"FILE.bvh", "What", "the capture"});
  add_repeated(
      *command, "--every", arguments->intervals,
      {"S", "What",
       fmt::format("seconds between samples (default {})", fmt::join(defaults.intervals, ", "))});
  add_repeated(*command, "--goal", arguments->goals,
               {"JOINT", "What",
                fmt::format("a joint or end site to follow (default {})",
                            fmt::join(mocap::default_goals(), ", "))});
  add_text(*command, "--unit", arguments->unit,
           {"METRES", "What", "metres per unit of the file (default: by the body's height)"});
  command
      ->add_flag("--free-root", arguments->free_root,
                 "no limits on where the root is and how it is turned")
      ->group("What");
  add_text(
      *command, "--tolerance", arguments->tolerance,
      {"METRES", "What", fmt::format("a goal this near is met (default {})", defaults.tolerance)});
  add_text(*command, "--solver", arguments->solvers, {"NAME,...", "What", "solvers to compare"});
  add_text(*command, "--slot", arguments->slot,
           {"MICROSECONDS", "What", fmt::format("time for a pose (default {})", defaults.slot_us)});
  add_text(*command, "--iterations", arguments->iterations,
           {"N|NAME=N,...", "What", "iterations for a pose, for all or by solver"});
  add_text(*command, "--threads", arguments->threads,
           {"N", "Running", "how many at once (default 1: times are measured)"});
  command->add_flag("--quiet", arguments->quiet, "no notes on standard error")->group("Running");
  add_output(*command, arguments->output);
  command->footer(mocap_footer());
  return {command, [arguments] { return eval_mocap(*arguments); }};
}

}  // namespace gestik::tool
