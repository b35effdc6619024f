#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "bench/guide.h"
#include "bench/record.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

struct BenchArguments {
  OptionText solvers, scenes, sizes, repeat, tasks, seconds;
  OptionText out, guide, recorded, baseline, factor;
  bool json = false;
};

constexpr Real usual_factor = 1.5;

std::vector<int> parse_sizes(const std::string& text) {
  constexpr int most = 10000;
  std::vector<int> sizes;
  for (const std::string& size : parse_names(text, "--size"))
    sizes.push_back(parse_count(size, "--size", 1, most));
  return sizes;
}

Real parse_above(const std::string& text, std::string_view option, Real least) {
  const Real value = parse_number(text, option);
  if (!(value > least)) throw BadInput(fmt::format("{} must be above {}", option, least));
  return value;
}

bench::Request parse_request(const BenchArguments& arguments) {
  constexpr int most = 1'000'000;
  bench::Request request;
  if (arguments.solvers) request.solvers = parse_names(*arguments.solvers, "--solver");
  if (arguments.scenes) request.scenes = parse_names(*arguments.scenes, "--scene");
  if (arguments.sizes) request.sizes = parse_sizes(*arguments.sizes);
  if (arguments.repeat) request.repeat = parse_count(*arguments.repeat, "--repeat", 1, most);
  if (arguments.tasks) request.tasks = parse_count(*arguments.tasks, "--tasks", 1, most);
  if (arguments.seconds) request.seconds = parse_above(*arguments.seconds, "--seconds", 0);
  return request;
}

/// What can be known to be wrong before a long run, rather than after it.
void check(const BenchArguments& a) {
  const bool chooses = a.solvers || a.scenes || a.sizes || a.repeat || a.tasks || a.seconds;
  if (a.recorded && chooses)
    throw BadInput("--recorded measures nothing: it goes without options that say what and how");
  if (a.factor && !a.baseline) throw BadInput("--factor goes with --baseline");
  if (!a.out) return;
  if (a.out->empty()) throw BadInput("--out: the file's name is empty");
  const std::filesystem::path folder = std::filesystem::path(*a.out).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored))
    throw BadInput(fmt::format("--out: there is no folder '{}'", folder.string()));
}

bench::Measured read_run(const std::string& path) {
  const Result<std::string> text = read_file(path);
  if (!text) throw BadInput(to_string(text.error()));
  Result<bench::Measured> run = bench::read_run(*text, path);
  if (!run) throw BadInput(to_string(run.error()));
  return *std::move(run);
}

// ---- Text --------------------------------------------------------------------------------------

std::string count_text(Real mean) {
  return mean > 0 ? fixed(mean, 1) : "-";
}

/// Peers in the order of the rows.
std::vector<std::string> peers_in(const bench::SceneResult& scene) {
  std::vector<std::string> names;
  for (const bench::Row& row : scene.rows)
    if (row.peer) names.push_back(row.solver);
  return names;
}

std::string scene_name(std::string_view name, int size) {
  return size > 0 ? fmt::format("{} {}", name, size) : std::string(name);
}

std::string scene_text(const bench::SceneResult& scene) {
  const std::vector<std::string> peers = peers_in(scene);
  const bool has_posture = !scene.rows.empty() && scene.rows.front().from_posture;
  using enum Table::Align;
  std::vector<Table::Align> columns(12 + peers.size(), right);
  columns.front() = left;
  Table table(columns);
  std::vector<std::string> head{"solver",
                                "solved",
                                "of",
                                "µs",
                                "median",
                                "p99",
                                "passes",
                                "iterations",
                                "forwards",
                                "heap",
                                has_posture ? "angles" : "",
                                has_posture ? "shape" : ""};
  for (const std::string& peer : peers) head.push_back("x " + peer);
  table.add(head);
  for (const bench::Row& row : scene.rows) {
    std::vector<std::string> cells{row.solver,
                                   fixed(100 * row.success(), 1) + " %",
                                   fmt::format("{}", row.solves),
                                   fixed(row.mean_us, 2),
                                   fixed(row.median_us, 2),
                                   fixed(row.p99_us, 2),
                                   count_text(row.passes),
                                   count_text(row.iterations),
                                   fixed(row.forwards, 1),
                                   row.allocations ? fmt::format("{:.3g}", *row.allocations) : "-",
                                   row.from_posture ? fixed(row.from_posture->angles, 2) : "",
                                   row.from_posture ? fixed(row.from_posture->shape, 3) : ""};
    for (const bench::Ratio& ratio : bench::ratios_to_peers(scene, row))
      cells.push_back(ratio.times ? fmt::format("{:.3g}", *ratio.times) : "-");
    table.add(cells);
  }
  return fmt::format(
             "{}: {} joints, {} degrees of freedom, {} tasks; a forward pass takes {:.3g} µs\n",
             scene_name(scene.scene, scene.size), scene.joints, scene.dofs, scene.tasks,
             scene.forward_us) +
         table.str("  ") + "\n";
}

std::string growth_text(const bench::Measured& run) {
  const std::vector<bench::Growth> growths = bench::growth_of(run);
  if (growths.empty()) return "";
  using enum Table::Align;
  Table table({left, left, right, left});
  for (const bench::Growth& growth : growths)
    table.add({growth.scene, growth.solver, fmt::format("size^{:.2f}", growth.exponent),
               fmt::format("from {} to {}", growth.from, growth.to)});
  return "Time grows as\n" + table.str("  ") + "\n";
}

std::string broken_text(const bench::Measured& run) {
  std::string text;
  for (const bench::SceneResult& scene : run.scenes)
    for (const bench::Row& row : scene.rows)
      if (row.limits_broken > 0 && !row.peer)
        text += fmt::format("LIMITS BROKEN by {} in {} solves of {}\n", row.solver,
                            row.limits_broken, scene.scene);
  return text;
}

std::string run_text(const bench::Measured& run) {
  std::string text;
  for (const bench::SceneResult& scene : run.scenes) text += scene_text(scene);
  return text + growth_text(run) + broken_text(run);
}

std::string comparison_text(const bench::Comparison& comparison, const std::string& file,
                            Real factor) {
  std::string text = fmt::format(
      "{} rows compared with {}: {} worse (times in forward passes, more than {:g}-fold, or fewer "
      "solved)\n",
      comparison.compared, file, comparison.worse.size(), factor);
  using enum Table::Align;
  Table table({left, right, left, right, right});
  for (const bench::Worse& worse : comparison.worse)
    table.add({worse.scene, worse.size > 0 ? fmt::format("{}", worse.size) : "", worse.solver,
               fmt::format("{:.4g} -> {:.4g} forward passes ({:.2f}-fold)", worse.forwards_before,
                           worse.forwards_now, worse.forwards_now / worse.forwards_before),
               fmt::format("{:.1f} -> {:.1f} % solved", 100 * worse.success_before,
                           100 * worse.success_now)});
  return text + table.str("  ");
}

// ---- The verb ----------------------------------------------------------------------------------

bench::Plan make_plan(const BenchArguments& arguments) {
  Result<bench::Plan> plan = bench::make_plan(parse_request(arguments));
  if (!plan) throw BadInput(to_string(plan.error()));
  return *std::move(plan);
}

/// The guide's text, if one is to be written: before a long run, not after it.
std::optional<std::string> read_guide(const OptionText& path) {
  if (!path) return std::nullopt;
  const Result<std::string> text = read_file(*path);
  if (!text) throw BadInput(to_string(text.error()));
  const Result<std::string> sound = bench::with_tables(*text, {}, *path);
  if (!sound) throw BadInput(to_string(sound.error()));
  return *text;
}

/// What --out and --guide ask for. One that can't be written keeps the other not away.
std::optional<Error> write_files(const BenchArguments& arguments,
                                 const std::optional<std::string>& guide,
                                 const bench::Measured& run) {
  std::optional<Error> of_record, of_guide;
  if (arguments.out) of_record = write_file(*arguments.out, bench::run_json(run, 1));
  if (guide)
    of_guide = write_file(*arguments.guide, *bench::with_tables(*guide, run, *arguments.guide));
  return of_record ? of_record : of_guide;
}

/// Whether something got worse. Beside JSON, which has standard output for itself, it is told on
/// standard error.
bool print_comparison(const BenchArguments& arguments, const bench::Measured& run,
                      const bench::Measured& baseline, Real factor) {
  const bench::Comparison comparison = bench::compare(run, baseline, factor);
  const std::string text = comparison_text(comparison, *arguments.baseline, factor);
  if (arguments.json)
    std::fputs(text.c_str(), stderr);
  else
    write_text(text);
  return !comparison.worse.empty();
}

/// Says which scenes were measured by nobody; all of them is BadInput.
void tell_left_out(const bench::Plan& plan, const bench::Measured& run) {
  if (run.scenes.empty())
    throw BadInput("there is nothing to measure: none of these solvers takes any of these scenes");
  for (const bench::Plan::Entry& entry : plan.scenes) {
    const auto is_it = [&](const bench::SceneResult& result) {
      return result.scene == entry.kind->name && result.size == entry.size;
    };
    if (std::none_of(run.scenes.begin(), run.scenes.end(), is_it))
      note(fmt::format("{} is left out: none of these solvers takes it",
                       scene_name(entry.kind->name, entry.size)));
  }
}

ExitCode bench_verb(const BenchArguments& arguments) {
  check(arguments);
  const bench::Plan plan = make_plan(arguments);
  const Real factor =
      arguments.factor ? parse_above(*arguments.factor, "--factor", 1) : usual_factor;
  std::optional<bench::Measured> baseline;
  if (arguments.baseline) baseline = read_run(*arguments.baseline);
  const std::optional<std::string> guide = read_guide(arguments.guide);

  stop_on_signals();
  const bench::Measured run = arguments.recorded ? read_run(*arguments.recorded)
                                                 : bench::measure(plan, {.stop = is_interrupted});
  if (run.stopped) {
    note("stopped; nothing is recorded");
    return exit_interrupted;
  }
  if (!arguments.recorded) tell_left_out(plan, run);
  const std::string text = arguments.json ? bench::run_json(run, -1) : run_text(run);
  const ExitCode code = print_results(text, write_files(arguments, guide, run));
  const bool got_worse = baseline && print_comparison(arguments, run, *baseline, factor);
  return code == exit_reached && got_worse ? exit_slower : code;
}

std::string bench_footer() {
  std::string text = "Scenes:\n";
  using enum Table::Align;
  Table scenes({left, left, left});
  for (const bench::SceneKind& kind : bench::all_scenes())
    scenes.add({std::string(kind.name), fmt::format("{}", fmt::join(kind.sizes, ",")),
                std::string(kind.summary)});
  text += scenes.str("  ") + "\nPeers:\n";
  Table peers({left, left});
  for (const bench::Peer& peer : bench::all_peers())
    peers.add({std::string(peer.name), std::string(peer.summary)});
  text += bench::all_peers().empty() ? "  none in this build; they need -DGESTIK_PEERS=ON\n"
                                     : peers.str("  ");
  return text + R"(
Solvers that do not take a scene are left out of it. solved: goals met and inside the limits, by
forward kinematics. µs: mean, median and p99 over the tasks, of each task the shortest of its repeats.
forwards: the mean time in forward passes of that skeleton, which hardly depends on the machine. heap:
allocations per solve. angles, shape: mean distance from the posture, of all coordinates and as the
ERIK paper measures it (0 to 1). x PEER: how many times as fast, for those that solve as much.

Exit codes: 0 measured, 3 measured but somewhere worse than --baseline, 2 bad input, 1 the results
can't be written, 130 stopped.

Example: gestik bench --scene robot_pose,ball_chain --size 10,100 --baseline bench/baseline.json)";
}

}  // namespace

Verb add_bench(CLI::App& tool) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command = tool.add_subcommand("bench", "what solvers cost: time, effort, growth");
  add_text(*command, "--solver", arguments->solvers,
           {"NAME,...", "What", "solvers and peers to measure (default: all)"});
  add_text(*command, "--scene", arguments->scenes,
           {"NAME,...", "What", "scenes to measure them on (default: all)"});
  add_text(*command, "--size", arguments->sizes,
           {"N,...", "What", "joints, in scenes that come in sizes (default: the scene's own)"});
  add_text(*command, "--repeat", arguments->repeat,
           {"N", "How", "solve every task so often (default 5)"});
  add_text(*command, "--tasks", arguments->tasks,
           {"N", "How", "at most so many tasks of each scene (default: all)"});
  add_text(
      *command, "--seconds", arguments->seconds,
      {"S", "How", "no further tasks for a solver that took so long in a scene (default 1.5)"});
  add_text(*command, "--recorded", arguments->recorded,
           {"FILE.json", "How", "measure nothing; take a run that --out wrote"});
  add_text(*command, "--baseline", arguments->baseline,
           {"FILE.json", "Output", "compare with a run that --out wrote"});
  add_text(*command, "--factor", arguments->factor,
           {"F", "Output", "slower than the baseline by this factor is too slow (default 1.5)"});
  add_text(*command, "--out", arguments->out, {"FILE.json", "Output", "record the run"});
  add_text(*command, "--guide", arguments->guide,
           {"FILE.md", "Output", "put its numbers into the tables of docs/CHOOSING.md"});
  command->add_flag("--json", arguments->json, "one JSON object on standard output")
      ->group("Output");
  command->footer(bench_footer());
  return {command, [arguments] { return bench_verb(*arguments); }};
}

}  // namespace gestik::tool
