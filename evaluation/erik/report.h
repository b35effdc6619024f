#pragma once

#include <optional>
#include <string>

#include "evaluation/erik/plan.h"
#include "evaluation/erik/tally.h"

/// What a finished run came to, for scripts, spreadsheets and people. docs/EVALUATION.md describes
/// the files.
namespace gestik::evaluation::erik {

/// One JSON object, on one line if `indent` is -1.
std::string results_json(const Plan&, const Tally&, int indent);
std::string results_csv(const Plan&, const Tally&);
std::string histograms_csv(const Plan&, const Tally&);

/// What came of every problem of a file, in its order.
std::string problems_csv(const Plan&, const Tally&);

/// The paper's tables and figures with our numbers, and the paper's beside them, as a page of HTML.
std::string report_page(const Plan&, const Tally&);

/// results.json, results.csv, histograms.csv and report.html; of a file of problems also
/// problems.csv.
std::optional<Error> write_results(const std::string& folder, const Plan&, const Tally&);

}  // namespace gestik::evaluation::erik
