#pragma once

#include "tools/gestik/arguments.h"
#include "tools/gestik/verbs.h"

/// What the experiments of `gestik eval` share: each has a file of its own.
namespace gestik::tool {

Verb add_eval_batch(CLI::App& eval);
Verb add_eval_erik(CLI::App& eval);
Verb add_eval_filter(CLI::App& eval);
Verb add_eval_learnt(CLI::App& eval);
Verb add_eval_mocap(CLI::App& eval);
Verb add_eval_reach(CLI::App& eval);
Verb add_eval_track(CLI::App& eval);

/// Names with commas, and blanks if you like, between them.
std::vector<std::string> parse_names(const std::string& text, std::string_view option);
int parse_threads(const OptionText&, int otherwise);

/// Where an experiment's results go besides the table on standard output.
struct EvalOutput {
  OptionText folder;
  bool json = false;
};
void add_output(CLI::App&, EvalOutput&,
                const std::string& written = "write a report and the numbers into this folder");
void check_folder_name(const EvalOutput&);  ///< an empty one is BadInput

/// Makes the folder, if there is one to be, or BadInput: before a long run, not after it. A note
/// says that results of an earlier run will be replaced.
void prepare_folder(const EvalOutput&, bool quiet);
void note_replacing(const std::string& folder);

/// Prints the results, whether or not they could also be written into the folder.
ExitCode print_results(std::string_view text, const std::optional<Error>& fault);

/// From here on a first Ctrl-C or SIGTERM only makes is_interrupted() true; a second one ends the
/// program.
void stop_on_signals();
bool is_interrupted();

}  // namespace gestik::tool
