#include <fmt/format.h>

#include <memory>

#include "evaluation/learnt/report.h"
#include "evaluation/parallel.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

namespace learnt = evaluation::learnt;

struct LearntArguments {
  std::vector<std::string> train;
  OptionText test, root, end, unit, hold_out, solvers, tolerance, threads;
  EvalOutput output;
  bool quiet = false;
};

learnt::HoldOut parse_hold_out(const std::string& text) {
  for (const learnt::HoldOut each :
       {learnt::HoldOut::none, learnt::HoldOut::blocks, learnt::HoldOut::others})
    if (text == to_string(each)) return each;
  throw BadInput("--hold-out is none, blocks or others");
}

learnt::Request parse_request(const LearntArguments& arguments) {
  if (arguments.train.empty()) throw BadInput("what to learn from? --train FILE.bvh");
  if (!arguments.test) throw BadInput("which motion to compare with? --test FILE.bvh");
  if (!arguments.root || !arguments.end)
    throw BadInput("which chain? --root JOINT and --end JOINT");
  learnt::Request request{.train = arguments.train,
                          .test = *arguments.test,
                          .chain = {.root = *arguments.root, .end = *arguments.end}};
  if (arguments.unit) request.chain.unit = parse_above_zero(*arguments.unit, "--unit");
  if (arguments.hold_out) request.hold_out = parse_hold_out(*arguments.hold_out);
  if (arguments.solvers) request.solvers = parse_names(*arguments.solvers, "--solver");
  if (arguments.tolerance)
    request.passes.tolerance = parse_within(*arguments.tolerance, "--tolerance", 1e-9, 1e3);
  return request;
}

std::string results_text(const learnt::Plan& plan, const learnt::Evaluated& run) {
  using enum Table::Align;
  std::string text = fmt::format(
      "{}: {} frames, {} degrees of freedom from {} to {}\n", printable(plan.motions.test.name),
      plan.motions.test.frame_count(), plan.motions.chain.skeleton.v_size(),
      printable(plan.request.chain.root), printable(plan.request.chain.end));
  for (const learnt::Section& section : run.sections) {
    text += fmt::format("\nheld out: {}; learnt from {} frames, {} compared\n",
                        to_string(section.hold_out), section.trained_frames,
                        section.rows.front().score.frames);
    Table table({left, right, right, right, right, right, right, right, right});
    table.add({"method", "degrees", "mse", "turn", "miss mm", "largest", "missed", "acceleration",
               "µs/frame"});
    for (const learnt::Row& row : section.rows)
      table.add({row.method, fixed(row.score.degrees, 3), fmt::format("{:.3e}", row.score.mse),
                 fixed(row.score.turn_degrees, 3), fixed(1000 * row.score.miss_mean, 3),
                 fixed(1000 * row.score.miss_max, 3), fmt::format("{}", row.missed),
                 row.score.acceleration ? fixed(*row.score.acceleration, 3) : "-",
                 fixed(row.us_per_frame, 1)});
    text += table.str();
    Table depths({right, right, right, right});
    depths.add({"depth", "degrees", "mse", "ms"});
    for (const learnt::DepthRow& row : section.depths)
      depths.add({fmt::format("{}", row.depth), fixed(row.score.degrees, 3),
                  fmt::format("{:.3e}", row.score.mse), fixed(row.milliseconds, 1)});
    text += depths.str();
    for (std::size_t i = 0; i + 1 < section.times.size(); i += 2)
      text += fmt::format("{}: {:.1f} ms on one thread, {:.1f} on {}\n", section.times[i].method,
                          section.times[i].sum(), section.times[i + 1].sum(),
                          section.times[i + 1].threads);
  }
  return text;
}

ExitCode eval_learnt(const LearntArguments& arguments) {
  const learnt::Request request = parse_request(arguments);
  const evaluation::Control control{
      .threads = parse_threads(arguments.threads, evaluation::available_threads()),
      .stop = is_interrupted};
  check_folder_name(arguments.output);
  stop_on_signals();
  const Result<learnt::Plan> plan = learnt::make_plan(request);
  if (!plan) throw BadInput(to_string(plan.error()));
  prepare_folder(arguments.output, arguments.quiet);
  const learnt::Evaluated run = learnt::evaluate(*plan, control);
  if (run.stopped) {
    note(fmt::format("stopped after {} of {} ways to learn", run.sections.size(),
                     plan->hold_outs.size()));
    return exit_interrupted;
  }
  std::optional<Error> fault;
  if (arguments.output.folder) fault = learnt::write_results(*arguments.output.folder, *plan, run);
  return print_results(
      arguments.output.json ? results_json(*plan, run, -1) : results_text(*plan, run), fault);
}

constexpr const char* footer =
    R"(The chain's end follows the path it took in the test clip, and its joints are compared with
the captured ones. Three ways to learn, of which those that the clips allow are shown:
  none    from all of --train; with the test among them, the paper's train = test
  blocks  the test clip without every second block of 0.2 s, on which the methods are compared
  others  from the clips of --train but the test; they are played on the test's bones
Methods: learnt (the solver with its neighbours), printed (the paper's), dls1 and dls2 (damped least
squares from the rest pose and from the frame before), nearest (the captured pose whose end was
nearest, not solved at all; nearest_velocity minds the velocity too), and the solvers of --solver in
learnt's place. degrees is RMS over joint angles, the root of mse (radians squared over Euler
angles); turn is RMS over joints of their whole rotation. acceleration is the largest of any joint,
in shares of the capture's (- where that stands still). missed counts frames out of place whose
target dls1 reaches.
Without --unit the test's body is taken to be 1.8 m high at rest.

--out DIR gets report.html, results.json and results.csv.
Exit codes: 0 done, 2 bad input, 1 the results can't be written, 130 stopped.

Example: gestik eval learnt --train swing.bvh --test swing.bvh --root LowerBack --end RightForeArm)";

}  // namespace

Verb add_eval_learnt(CLI::App& eval) {
  const auto arguments = std::make_shared<LearntArguments>();
  CLI::App* command = eval.add_subcommand(
      "learnt", "the paper on dynamic joint parameters: motion learnt from captures");
  command->add_option("--train", arguments->train, "captures to learn from")
      ->type_name("FILE.bvh...")
      ->group("What");
  add_text(*command, "--test", arguments->test,
           {"FILE.bvh", "What", "the capture whose path is followed"});
  add_text(*command, "--root", arguments->root, {"JOINT", "What", "the chain's first joint"});
  add_text(*command, "--end", arguments->end,
           {"JOINT", "What", "its last joint, whose first child follows the path"});
  add_text(*command, "--hold-out", arguments->hold_out,
           {"none|blocks|others", "What", "one way to learn only"});
  add_text(*command, "--solver", arguments->solvers,
           {"NAME,...", "What", "solvers to try in learnt's place"});
  add_text(*command, "--unit", arguments->unit,
           {"METRES", "What", "metres per unit of the files (default: by the body's height)"});
  add_text(*command, "--tolerance", arguments->tolerance,
           {"METRES", "What", "a frame this near its target is in place (default 0.001)"});
  add_text(*command, "--threads", arguments->threads,
           {"N", "Running", "how many at once in the second run (default: all)"});
  command->add_flag("--quiet", arguments->quiet, "no notes on standard error")->group("Running");
  add_output(*command, arguments->output);
  command->footer(footer);
  return {command, [arguments] { return eval_learnt(*arguments); }};
}

}  // namespace gestik::tool
