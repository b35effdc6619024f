#pragma once

#include <optional>
#include <string>

#include "evaluation/mocap/evaluate.h"
#include "gestik/measure/statistics.h"

/// What a finished run came to, for scripts, spreadsheets and people. docs/EVALUATION.md describes
/// the files.
namespace gestik::evaluation::mocap {

/// One solver at one interval, in numbers.
struct Row {
  std::size_t samples = 0, reached = 0, limits_broken = 0;
  Box error = {};  ///< of the summed squared errors, square metres
  Real max_error = 0;
  Box distance = {};  ///< from the captured pose, metres
  Real mean_iterations = 0;
  Real mean_us = 0, median_us = 0, p99_us = 0;
};
Row row_of(std::span<const Sample>);

/// By solver, then by interval.
std::vector<std::vector<Row>> rows_of(const Evaluated&);

/// At each interval the solvers in the order of their median errors, the lowest first.
std::vector<std::vector<std::size_t>> ranking(const std::vector<std::vector<Row>>&);

/// "NAME=N,..." for --iterations: the budgets of this run.
std::string iterations_text(const Plan&, const Evaluated&);

/// One JSON object, on one line if `indent` is -1.
std::string results_json(const Plan&, const Evaluated&, int indent);
std::string results_csv(const Plan&, const Evaluated&);
std::string samples_csv(const Plan&, const Evaluated&);
std::string report_page(const Plan&, const Evaluated&);

/// results.json, results.csv, samples.csv and report.html.
std::optional<Error> write_results(const std::string& folder, const Plan&, const Evaluated&);

}  // namespace gestik::evaluation::mocap
