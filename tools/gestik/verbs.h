#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gestik::tool {

/// What the shell is told.
enum ExitCode : int {
  exit_reached = 0,  ///< done; for solve: every goal reached; for check: safe; for track: at rest
  exit_cant_write = 1,   ///< the answer is there, but its file or standard output does not take it
  exit_bad_input = 2,    ///< one line on standard error says what and where
  exit_not_reached = 3,  ///< solved, but not every goal reached; the best pose was printed
  exit_unsafe = 3,       ///< checked, but some limit is broken
  exit_slower = 3,       ///< measured, but somewhere worse than the baseline
  exit_interrupted = 130,  ///< stopped by a signal; a note says how far it came
};

/// A verb of the tool: its command line, and what to do once that was parsed.
struct Verb {
  CLI::App* command;
  std::function<ExitCode()> run;
};

Verb add_solve(CLI::App& tool);
Verb add_pose(CLI::App& tool);
Verb add_inspect(CLI::App& tool);
Verb add_convert(CLI::App& tool);
Verb add_check(CLI::App& tool);
Verb add_warp(CLI::App& tool);
Verb add_learn(CLI::App& tool);
Verb add_synth(CLI::App& tool);
Verb add_track(CLI::App& tool);
Verb add_reach(CLI::App& tool);
Verb add_eval(CLI::App& tool);
Verb add_bench(CLI::App& tool);
Verb add_solvers(CLI::App& tool);
Verb add_studio(CLI::App& tool);

}  // namespace gestik::tool
