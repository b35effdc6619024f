#pragma once

#include <optional>
#include <string>

#include "evaluation/learnt/evaluate.h"

/// What a finished run came to, for scripts and people. docs/EVALUATION.md describes the files.
namespace gestik::evaluation::learnt {

/// One JSON object, on one line if `indent` is -1.
std::string results_json(const Plan&, const Evaluated&, int indent);
std::string results_csv(const Plan&, const Evaluated&);
std::string report_page(const Plan&, const Evaluated&);

/// results.json, results.csv and report.html.
std::optional<Error> write_results(const std::string& folder, const Plan&, const Evaluated&);

}  // namespace gestik::evaluation::learnt
