#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "evaluation/erik/evaluate.h"
#include "evaluation/erik/report.h"
#include "evaluation/output_folder.h"
#include "evaluation/parallel.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

namespace erik = evaluation::erik;

struct ErikArguments {
  OptionText skeletons, solvers, postures, orientations, problems, limits, repeat, threads;
  EvalOutput output;
  bool full = false, bound = false, resume = false;
};

erik::Request parse_request(const ErikArguments& arguments) {
  const bool counts = arguments.postures || arguments.orientations;
  if (arguments.full && counts)
    throw BadInput("--full takes the paper's numbers: leave --postures and --orientations out");
  if (arguments.problems && (arguments.full || counts))
    throw BadInput(
        "--problems brings its own postures and targets: leave --postures, --orientations and "
        "--full out");
  constexpr int most = 1'000'000;
  erik::Request request{
      .full = arguments.full, .bound = arguments.bound, .problems = arguments.problems};
  if (arguments.limits) {
    const Real degrees = parse_number(*arguments.limits, "--limits");
    if (!(degrees > 0 && degrees <= 180))
      throw BadInput("--limits takes degrees above 0, at most 180");
    request.limits = degrees * pi / 180;
  }
  if (arguments.repeat) request.repeat = parse_count(*arguments.repeat, "--repeat", 1, 1000);
  if (arguments.skeletons) request.skeletons = parse_names(*arguments.skeletons, "--skeleton");
  if (arguments.output.folder) request.solvers = {"paper"};
  if (arguments.solvers) request.solvers = parse_names(*arguments.solvers, "--solver");
  if (arguments.postures)
    request.postures =
        static_cast<std::size_t>(parse_count(*arguments.postures, "--postures", 1, most));
  if (arguments.orientations)
    request.orientations =
        static_cast<std::size_t>(parse_count(*arguments.orientations, "--orientations", 1, most));
  return request;
}

std::string results_text(const erik::Plan& plan, const erik::Tally& tally) {
  using enum Table::Align;
  Table table({left, left, right, right, right, right, right, right, right, right, right, right});
  table.add({"skeleton", "solver", "samples", "combined", "orientation", "posture",
             "orientation ok", "accepted", "iterations", "mean µs", "median µs", "p99 µs"});
  std::uint64_t broken = 0;
  for (std::size_t p = 0; p < plan.parts.size(); ++p)
    for (std::size_t c = 0; c < plan.parts[p].contenders.size(); ++c) {
      const erik::Row& row = tally.part(p).all[c];
      const auto mean = [](const ExactStatistics& s, int decimals) {
        return fixed(s.summary().mean, decimals);
      };
      table.add({plan.parts[p].skeleton, plan.parts[p].contenders[c].label,
                 fmt::format("{}", row.samples()), mean(row.combined, 5), mean(row.orientation, 5),
                 mean(row.posture, 5), fixed(100 * row.share(row.orientation_ok), 2) + " %",
                 fixed(100 * row.share(row.accepted), 2) + " %", mean(row.iterations, 2),
                 fixed(row.nanoseconds.summary().mean / 1000, 1),
                 fixed(row.time_bins.percentile(0.5) / 1000, 1),
                 fixed(row.time_bins.percentile(0.99) / 1000, 1)});
      broken += row.limits_broken;
    }
  std::string text = table.str();
  if (broken > 0) text += fmt::format("LIMITS BROKEN in {} solves\n", broken);
  return text;
}

ExitCode say_stopped(const erik::Evaluated& run, const OptionText& out) {
  note(fmt::format("stopped after {} of {} samples; {}", run.samples, run.of,
                   !out        ? "with --out DIR it could go on from there"
                   : run.saved ? "the same command with --resume goes on from there"
                               : "its last checkpoint could not be written"));
  return exit_interrupted;
}

/// The results of a file's problems go into a problems.csv: the file itself had better not be it.
void keep_problems(const ErikArguments& arguments) {
  if (!arguments.problems || !arguments.output.folder) return;
  const auto theirs = std::filesystem::path(*arguments.output.folder) / "problems.csv";
  std::error_code absent;
  if (std::filesystem::equivalent(*arguments.problems, theirs, absent))
    throw BadInput(fmt::format("{} would be replaced by its results: name another folder",
                               *arguments.problems));
}

erik::RunControl parse_control(const ErikArguments& arguments) {
  if (arguments.resume && !arguments.output.folder)
    throw BadInput("--resume goes on from a checkpoint in the folder of --out: say which");
  check_folder_name(arguments.output);
  keep_problems(arguments);
  return {.threads = parse_threads(arguments.threads, evaluation::available_threads()),
          .stop = is_interrupted,
          .say = note,
          .folder = arguments.output.folder.value_or(""),
          .resume = arguments.resume};
}

/// The checkpoints go only when the results are there.
ExitCode write_results(const ErikArguments& arguments, const erik::Plan& plan,
                       const erik::Evaluated& run) {
  std::optional<Error> fault;
  if (const OptionText& folder = arguments.output.folder) {
    fault = erik::write_results(*folder, plan, run.tally);
    if (!fault) erik::remove_checkpoints(*folder);
    if (fault && run.saved) fault->what += "; the same command with --resume writes them again";
  }
  return print_results(
      arguments.output.json ? results_json(plan, run.tally, -1) : results_text(plan, run.tally),
      fault);
}

ExitCode eval_erik(const ErikArguments& arguments) {
  const erik::Request request = parse_request(arguments);
  const erik::RunControl control = parse_control(arguments);
  stop_on_signals();

  // Ranks agree before one of them leaves: the others would wait for it.
  const evaluation::Ranks ranks;
  const Result<erik::Plan> plan = erik::make_plan(request);
  std::optional<Error> refusal;
  if (!plan) refusal = plan.error();
  if (plan && arguments.output.folder)
    refusal = evaluation::prepare_folder(*arguments.output.folder);
  if (ranks.any(refusal.has_value())) {
    if (refusal) throw BadInput(to_string(*refusal));
    return exit_bad_input;
  }

  if (ranks.first() && arguments.output.folder) note_replacing(*arguments.output.folder);
  const Result<erik::Evaluated> run = erik::evaluate(*plan, control, ranks);
  if (!run && run.error().what.empty()) return exit_bad_input;
  if (!run) throw BadInput(to_string(run.error()));
  if (run->stopped)
    return ranks.first() ? say_stopped(*run, arguments.output.folder) : exit_interrupted;
  return ranks.first() ? write_results(arguments, *plan, *run) : exit_reached;
}

std::string erik_footer() {
  return fmt::format(R"(Solvers: {0}; paper.
dls100 (or just dls), dls200 and dls400 are the paper's DLS with so many iterations, dls100_nopost is
that without a posture to keep. paper is erik on every skeleton, and on C these four. The default is erik, or paper
with --out: its report compares them. With dls100_nopost among the solvers, the paper's filter is
applied for Table 9: samples whose orientation it misses by more than 0.12 are left out there.

Without --problems the postures and targets are regular grids over the joints' ranges and over yaw,
pitch and roll. Errors are the ERIK paper's, measured from the pose that came back; posture is already
weighted by 0.2, so combined = orientation + posture. orientation ok and accepted are the shares with
an orientation and a combined error of at most 0.04. All but the times is the same to the last digit
with any number of threads.

--problems: a line each of a target w,x,y,z and the posture's angles, with commas; # starts a comment.
--out DIR gets report.html, results.json, results.csv and histograms.csv, and with --problems
problems.csv, a line for each problem and solver. Ctrl-C leaves a checkpoint there; the same command
with --resume goes on from it.
Exit codes: 0 done, 2 bad input, 1 the results can't be written, 130 stopped.

Example: gestik eval erik --skeleton C --solver erik,dls --out report)",
                     fmt::join(erik::contender_names(), ", "));
}

}  // namespace

Verb add_eval_erik(CLI::App& eval) {
  const auto arguments = std::make_shared<ErikArguments>();
  CLI::App* command =
      eval.add_subcommand("erik", "the evaluation of the ERIK paper: posture and orientation");
  add_text(*command, "--skeleton", arguments->skeletons,
           {"A,...|all", "What", "skeletons of the paper, A to G (default all)"});
  add_text(*command, "--solver", arguments->solvers,
           {"NAME,...", "What", "solvers to compare, of those below"});
  add_text(*command, "--postures", arguments->postures,
           {"N", "What", "postures per skeleton (default 200)"});
  add_text(*command, "--orientations", arguments->orientations,
           {"N", "What", "targets per posture (default 500)"});
  command
      ->add_flag("--full", arguments->full,
                 "the paper's number of postures of each skeleton, and 7609 orientations")
      ->group("What");
  add_text(*command, "--problems", arguments->problems,
           {"FILE.csv", "What", "these problems, for one skeleton, instead of grids"});
  add_text(*command, "--limits", arguments->limits,
           {"DEGREES", "What", "of every joint, either way, instead of the paper's own"});
  command
      ->add_flag("--bound", arguments->bound,
                 "a row for the best error known, from 400 starts per sample: slow")
      ->group("What");
  add_text(*command, "--repeat", arguments->repeat,
           {"N", "Running", "solve each sample so many times and take its fastest (default 1)"});
  add_text(*command, "--threads", arguments->threads,
           {"N", "Running", "how many at once (default: as many as the machine has)"});
  command->add_flag("--resume", arguments->resume, "go on from the checkpoint in --out")
      ->group("Running");
  add_output(*command, arguments->output);
  command->footer(erik_footer());
  return {command, [arguments] { return eval_erik(*arguments); }};
}

}  // namespace gestik::tool
