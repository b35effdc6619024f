#include "evaluation/mocap/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "evaluation/csv.h"
#include "evaluation/output_folder.h"

namespace gestik::evaluation::mocap {
namespace {

using Json = nlohmann::ordered_json;

Json box_json(const Box& box) {
  return {{"low", box.low},       {"quartile_1", box.quartile_1},
          {"median", box.median}, {"quartile_3", box.quartile_3},
          {"high", box.high},     {"outliers", box.outliers.size()}};
}

Json row_json(const Plan& plan, const Evaluated& run, std::size_t s, std::size_t i,
              const Row& row) {
  Json error = box_json(row.error);
  error["max"] = row.max_error;
  return {{"solver", plan.solvers[s].name},
          {"interval", plan.request.intervals[i]},
          {"samples", row.samples},
          {"budget", run.solvers[s].iterations},
          {"error", std::move(error)},
          {"distance", box_json(row.distance)},
          {"reached", row.reached},
          {"iterations", row.mean_iterations},
          {"us", {{"mean", row.mean_us}, {"median", row.median_us}, {"p99", row.p99_us}}},
          {"limits_broken", row.limits_broken}};
}

Json trials_json(const Plan& plan, const Evaluated& run) {
  Json trials = Json::array();
  for (std::size_t s = 0; s < run.solvers.size(); ++s)
    for (const Trial& trial : run.solvers[s].trials)
      trials.push_back({{"solver", plan.solvers[s].name},
                        {"budget", trial.iterations},
                        {"us", trial.microseconds},
                        {"error", trial.error}});
  return trials;
}

/// f(solver, interval) for all of them.
template <class F>
void each_row(const Plan& plan, F&& f) {
  for (std::size_t i = 0; i < plan.request.intervals.size(); ++i)
    for (std::size_t s = 0; s < plan.solvers.size(); ++s) f(s, i);
}

}  // namespace

Row row_of(std::span<const Sample> samples) {
  Row row{.samples = samples.size()};
  std::vector<Real> errors, distances, times, iterations;
  for (const Sample& sample : samples) {
    row.reached += sample.reached;
    row.limits_broken += !sample.inside_limits;
    errors.push_back(sample.error);
    distances.push_back(sample.distance);
    times.push_back(sample.microseconds);
    iterations.push_back(sample.iterations);
  }
  row.error = box_of(errors);
  row.max_error = summarize(errors).max;
  row.distance = box_of(distances);
  row.mean_iterations = summarize(iterations).mean;
  row.mean_us = summarize(times).mean;
  row.median_us = percentile(times, 0.5);
  row.p99_us = percentile(times, 0.99);
  return row;
}

std::vector<std::vector<Row>> rows_of(const Evaluated& run) {
  std::vector<std::vector<Row>> rows;
  for (const SolverRun& solver : run.solvers) {
    rows.emplace_back();
    for (const std::vector<Sample>& samples : solver.samples)
      rows.back().push_back(row_of(samples));
  }
  return rows;
}

std::vector<std::vector<std::size_t>> ranking(const std::vector<std::vector<Row>>& rows) {
  std::vector<std::vector<std::size_t>> orders;
  for (std::size_t i = 0; !rows.empty() && i < rows.front().size(); ++i) {
    std::vector<std::size_t>& order = orders.emplace_back(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return rows[a][i].error.median < rows[b][i].error.median;
    });
  }
  return orders;
}

std::string iterations_text(const Plan& plan, const Evaluated& run) {
  std::vector<std::string> budgets;
  for (std::size_t s = 0; s < run.solvers.size(); ++s)
    budgets.push_back(fmt::format("{}={}", plan.solvers[s].name, run.solvers[s].iterations));
  return fmt::format("{}", fmt::join(budgets, ","));
}

std::string results_json(const Plan& plan, const Evaluated& run, int indent) {
  Json goals = Json::array(), rows = Json::array(), best = Json::array();
  for (const Frame& goal : plan.capture.goals) goals.push_back(goal.name);
  const std::vector<std::vector<Row>> all = rows_of(run);
  each_row(plan, [&](std::size_t s, std::size_t i) {
    rows.push_back(row_json(plan, run, s, i, all[s][i]));
  });
  for (const std::vector<std::size_t>& order : ranking(all))
    best.push_back(plan.solvers[order.front()].name);
  const Json json{
      {"evaluation", "mocap"},
      {"clip", plan.capture.name},
      {"frames", plan.capture.frame_count()},
      {"rate", plan.capture.rate},
      {"unit", plan.capture.unit},
      {"dofs", plan.capture.skeleton.v_size()},
      {"movable", plan.capture.movable},
      {"goals", std::move(goals)},
      {"tolerance", plan.request.tolerance},
      {"slot_us", plan.request.iterations.empty() ? Json(plan.request.slot_us) : Json()},
      {"iterations", iterations_text(plan, run)},
      {"intervals", plan.request.intervals},
      {"best", std::move(best)},
      {"rows", std::move(rows)},
      {"trials", trials_json(plan, run)}};
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string results_csv(const Plan& plan, const Evaluated& run) {
  Csv csv({"solver",       "interval",        "samples",         "budget",      "error_low",
           "error_q1",     "error_median",    "error_q3",        "error_high",  "error_max",
           "distance_low", "distance_q1",     "distance_median", "distance_q3", "distance_high",
           "reached",      "iterations_mean", "us_mean",         "us_median",   "us_p99",
           "limits_broken"});
  const std::vector<std::vector<Row>> rows = rows_of(run);
  each_row(plan, [&](std::size_t s, std::size_t i) {
    const Row& row = rows[s][i];
    csv << plan.solvers[s].name << plan.request.intervals[i] << std::uint64_t{row.samples}
        << Real(run.solvers[s].iterations) << row.error.low << row.error.quartile_1
        << row.error.median << row.error.quartile_3 << row.error.high << row.max_error
        << row.distance.low << row.distance.quartile_1 << row.distance.median
        << row.distance.quartile_3 << row.distance.high << std::uint64_t{row.reached}
        << row.mean_iterations << row.mean_us << row.median_us << row.p99_us
        << std::uint64_t{row.limits_broken};
    csv.end_line();
  });
  return csv.str();
}

std::string samples_csv(const Plan& plan, const Evaluated& run) {
  Csv csv({"solver", "interval", "frame", "error", "distance", "reached", "iterations", "us"});
  each_row(plan, [&](std::size_t s, std::size_t i) {
    const std::vector<Sample>& samples = run.solvers[s].samples[i];
    for (std::size_t k = 0; k < samples.size(); ++k) {
      csv << plan.solvers[s].name << plan.request.intervals[i] << std::uint64_t{k + plan.strides[i]}
          << samples[k].error << samples[k].distance << (samples[k].reached ? "yes" : "no")
          << Real(samples[k].iterations) << samples[k].microseconds;
      csv.end_line();
    }
  });
  return csv.str();
}

std::optional<Error> write_results(const std::string& folder, const Plan& plan,
                                   const Evaluated& run) {
  return write_files(folder, {{"results.json", results_json(plan, run, 2)},
                              {"results.csv", results_csv(plan, run)},
                              {"samples.csv", samples_csv(plan, run)},
                              {"report.html", report_page(plan, run)}});
}

}  // namespace gestik::evaluation::mocap
