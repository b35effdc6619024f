#include <fmt/format.h>

#include <memory>

#include "evaluation/reach/report.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

namespace reach = evaluation::reach;

struct ReachArguments {
  OptionText robot, targets, seeds, end, tolerance, solvers, iterations, threads;
  EvalOutput output;
  bool quiet = false;
};

reach::Request parse_request(const ReachArguments& arguments) {
  if (!arguments.robot) throw BadInput("which robot? --robot FILE.urdf");
  if (!arguments.targets) throw BadInput("where to? --targets FILE.csv");
  reach::Request request{.robot = *arguments.robot,
                         .problems = {*arguments.targets, arguments.seeds},
                         .end = arguments.end};
  if (arguments.tolerance) {
    request.tolerance = parse_number(*arguments.tolerance, "--tolerance");
    if (!(request.tolerance > 0)) throw BadInput("--tolerance must be above zero");
  }
  if (arguments.solvers) request.solvers = parse_names(*arguments.solvers, "--solver");
  if (arguments.iterations) request.budget = {parse_count(*arguments.iterations, "--iterations")};
  return request;
}

std::string results_text(const reach::Plan& plan, const reach::Evaluated& run) {
  using enum Table::Align;
  Table table({left, right, right, right, right, right, right, right});
  table.add(
      {"solver", "problems", "solved", "mean µs", "median µs", "p99 µs", "iterations", "passes"});
  std::size_t lies = 0, broken = 0;
  for (std::size_t s = 0; s < plan.solvers.size(); ++s) {
    const reach::Row row = reach::row_of(run.samples[s], plan.request.tolerance);
    table.add({plan.solvers[s].name, fmt::format("{}", row.problems),
               fixed(100 * row.success(), 2) + " %", fixed(row.mean_us, 1), fixed(row.median_us, 1),
               fixed(row.p99_us, 1), fixed(row.mean_iterations, 1), fixed(row.mean_passes, 1)});
    lies += row.false_reached;
    broken += row.limits_broken;
  }
  std::string text = table.str();
  if (lies > 0) text += fmt::format("SAID TO BE REACHED BUT NOT SO in {} solves\n", lies);
  if (broken > 0) text += fmt::format("LIMITS BROKEN in {} solves\n", broken);
  return text;
}

ExitCode eval_reach(const ReachArguments& arguments) {
  const reach::Request request = parse_request(arguments);
  // Times are measured: by default nobody shares the machine with the solve.
  const evaluation::Control control{.threads = parse_threads(arguments.threads, 1),
                                    .stop = is_interrupted};
  check_folder_name(arguments.output);
  stop_on_signals();
  const Result<reach::Plan> plan = reach::make_plan(request);
  if (!plan) throw BadInput(to_string(plan.error()));
  prepare_folder(arguments.output, arguments.quiet);
  print_notes(plan->warnings, arguments.quiet);

  const reach::Evaluated run = reach::evaluate(*plan, control);
  if (run.stopped) {
    note(fmt::format("stopped after {} of {} solves", run.done, run.of));
    return exit_interrupted;
  }
  std::optional<Error> fault;
  if (arguments.output.folder) fault = reach::write_results(*arguments.output.folder, *plan, run);
  return print_results(
      arguments.output.json ? results_json(*plan, run, -1) : results_text(*plan, run), fault);
}

std::string reach_footer() {
  return R"(--targets: a line each of a number, the pose px,py,pz,qw,qx,qy,qz of the end in the robot's root frame
and, if known, the joints that take it there. --seeds: a line each of that number and the joints to
start from. Joints are those from the root to the end, radians and metres; a first line of names and
# comments are passed over. Without --seeds every solve starts at rest, inside the limits.

solved is the share whose end is within --tolerance (metres and radians) of its target with all joints
inside their limits, recomputed by forward kinematics. Solvers have their own budgets unless
--iterations says otherwise. Without --solver all that take a reach and an orientation at once take
part. Times are those of the solves alone, warm; everything else is the same on every run.

--out DIR gets report.html, results.json, results.csv and samples.csv.
Exit codes: 0 done, 2 bad input, 1 the results can't be written, 130 stopped.

Example: gestik eval reach --robot panda.urdf --targets targets.csv --seeds seeds.csv --out report)";
}

}  // namespace

Verb add_eval_reach(CLI::App& eval) {
  const auto arguments = std::make_shared<ReachArguments>();
  CLI::App* command =
      eval.add_subcommand("reach", "a robot's end to given poses: success, time, effort");
  add_text(*command, "--robot", arguments->robot, {"FILE.urdf", "What", "the robot"});
  add_text(*command, "--targets", arguments->targets,
           {"FILE.csv", "What", "the poses that its end should take"});
  add_text(*command, "--seeds", arguments->seeds,
           {"FILE.csv", "What", "where to start, a line for each target"});
  add_text(*command, "--end", arguments->end,
           {"LINK", "What", "the link that should get there (default: the only leaf)"});
  add_text(*command, "--tolerance", arguments->tolerance,
           {"T", "What", "how near is there, metres and radians (default 1e-5)"});
  add_text(*command, "--solver", arguments->solvers, {"NAME,...", "What", "solvers to compare"});
  add_text(*command, "--iterations", arguments->iterations,
           {"N", "What", "how many at most (default: each solver's own budget)"});
  add_text(*command, "--threads", arguments->threads,
           {"N", "Running", "how many at once (default 1: times are measured)"});
  command->add_flag("--quiet", arguments->quiet, "no notes on standard error")->group("Running");
  add_output(*command, arguments->output);
  command->footer(reach_footer());
  return {command, [arguments] { return eval_reach(*arguments); }};
}

}  // namespace gestik::tool
