#include "evaluation/reach/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "evaluation/csv.h"
#include "evaluation/html_page.h"
#include "evaluation/output_folder.h"
#include "evaluation/svg_plot.h"

namespace gestik::evaluation::reach {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Row> rows_of(const Plan& plan, const Evaluated& run) {
  std::vector<Row> rows;
  for (const std::vector<Sample>& samples : run.samples)
    rows.push_back(row_of(samples, plan.request.tolerance));
  return rows;
}

Json row_json(const std::string& solver, const Row& row) {
  return {
      {"solver", solver},
      {"problems", row.problems},
      {"solved", row.solved},
      {"success", row.success()},
      {"status",
       {{"reached", row.reached}, {"stalled", row.stalled}, {"out_of_budget", row.out_of_budget}}},
      {"false_reached", row.false_reached},
      {"limits_broken", row.limits_broken},
      {"us",
       {{"mean", row.mean_us},
        {"median", row.median_us},
        {"p99", row.p99_us},
        {"max", row.max_us}}},
      {"iterations", {{"mean", row.mean_iterations}, {"max", row.max_iterations}}},
      {"passes", {{"mean", row.mean_passes}, {"max", row.max_passes}}}};
}

// ---- The page ----------------------------------------------------------------------------------

/// Of the solvers that solve the most the one that takes the least time on the mean.
std::size_t best_of(const std::vector<Row>& rows) {
  const auto better = [](const Row& a, const Row& b) {
    return a.solved != b.solved ? a.solved > b.solved : a.mean_us < b.mean_us;
  };
  return static_cast<std::size_t>(std::min_element(rows.begin(), rows.end(), better) -
                                  rows.begin());
}

std::string introduction(const Plan& plan, const std::vector<Row>& rows) {
  const std::size_t best = best_of(rows);
  return fmt::format(
      "<p>{} targets for <code>{}</code> of <code>{}</code> ({} degrees of freedom in all), "
      "starting from {}. Solved means: forward kinematics finds the end within {} metres and "
      "radians of the target and every joint inside its limits. Most are solved by "
      "<b>{}</b>, the fastest of those that solve as many: {:.2f} % in {:.3g} µs on the "
      "mean.</p>\n",
      plan.problems.size(), escaped(plan.end.name), escaped(plan.character.name),
      plan.character.skeleton.v_size(),
      plan.request.problems.seeds ? "the seeds given with them" : "the rest pose",
      plan.request.tolerance, escaped(plan.solvers[best].name), 100 * rows[best].success(),
      rows[best].mean_us);
}

std::string options(const Plan& plan) {
  const Request& request = plan.request;
  std::vector<std::string> names;
  for (const NamedSolver& named : plan.solvers) names.push_back(named.name);
  return fmt::format(
      "robot <code>{}</code>, targets <code>{}</code>, seeds {}; {}; {} iterations "
      "at most",
      escaped(request.robot), escaped(request.problems.targets),
      request.problems.seeds ? fmt::format("<code>{}</code>", escaped(*request.problems.seeds))
                             : "none",
      fmt::join(names, " "), request.budget.iterations);
}

std::string table(const Plan& plan, const std::vector<Row>& rows) {
  HtmlTable table(
      "Times are those of run() alone on this machine. False: said to be reached, but not solved.");
  table.head({{"", 2},
              {"Status", 3},
              {"Wrong", 2},
              {"Microseconds", 4},
              {"Iterations", 2},
              {"Forward passes", 2}});
  table.head({{"Solver"},
              {"Solved"},
              {"Reached"},
              {"Stalled"},
              {"Out of budget"},
              {"False"},
              {"Limits"},
              {"Mean"},
              {"Median"},
              {"p99"},
              {"Max"},
              {"Mean"},
              {"Max"},
              {"Mean"},
              {"Max"}});
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const Row& row = rows[s];
    const auto time = [](Real us) { return fmt::format("{:.1f}", us); };
    table.row({plan.solvers[s].name, fmt::format("{:.2f} %", 100 * row.success()),
               fmt::format("{}", row.reached), fmt::format("{}", row.stalled),
               fmt::format("{}", row.out_of_budget), fmt::format("{}", row.false_reached),
               fmt::format("{}", row.limits_broken), time(row.mean_us), time(row.median_us),
               time(row.p99_us), time(row.max_us), fmt::format("{:.1f}", row.mean_iterations),
               fmt::format("{}", row.max_iterations), fmt::format("{:.1f}", row.mean_passes),
               fmt::format("{}", row.max_passes)});
  }
  return table.str();
}

/// The share of problems solved with no more than a cost, as steps of a curve.
template <class Cost>
std::vector<Vec2> solved_within(std::span<const Sample> samples, Real tolerance, Cost&& cost) {
  std::vector<Real> costs;
  for (const Sample& sample : samples)
    if (sample.solved(tolerance)) costs.push_back(cost(sample));
  std::sort(costs.begin(), costs.end());
  const Real all = static_cast<Real>(samples.size());
  constexpr std::size_t most_points = 400;
  const std::size_t stride = std::max<std::size_t>(1, costs.size() / most_points);
  std::vector<Vec2> points;
  for (std::size_t i = 0; i < costs.size(); i += stride)
    points.emplace_back(costs[i], 100 * static_cast<Real>(i + 1) / all);
  if (!costs.empty())
    points.emplace_back(costs.back(), 100 * static_cast<Real>(costs.size()) / all);
  return points;
}

template <class Cost>
Plot solved_plot(const Plan& plan, const Evaluated& run, std::string title, std::string unit,
                 Cost&& cost) {
  Plot plot{.title = std::move(title),
            .x_label = std::move(unit),
            .y_label = "% solved",
            .y = {.to = 100},
            .width = 510,
            .height = 280};
  std::vector<Real> all;
  for (std::size_t s = 0; s < plan.solvers.size(); ++s) {
    plot.curves.push_back({plan.solvers[s].name,
                           solved_within(run.samples[s], plan.request.tolerance, cost),
                           nth_colour(s), s >= 8});
    for (const Vec2& point : plot.curves.back().points) all.push_back(point.x());
  }
  plot.x = logarithmic_side(all);
  return plot;
}

std::string pictures(const Plan& plan, const Evaluated& run) {
  const Plot times = solved_plot(plan, run, "Solved within a time", "microseconds",
                                 [](const Sample& sample) { return sample.microseconds; });
  const Plot passes =
      solved_plot(plan, run, "Solved with so many forward passes", "forward passes",
                  [](const Sample& sample) { return static_cast<Real>(sample.passes); });
  return figure(svg(times) + svg(passes),
                "The share of problems that each solver solves with no more than a given effort. "
                "Passes over the robot are the same on every machine.");
}

}  // namespace

std::string results_json(const Plan& plan, const Evaluated& run, int indent) {
  Json json{{"evaluation", "reach"},
            {"robot", plan.character.name},
            {"end", plan.end.name},
            {"dofs", plan.character.skeleton.v_size()},
            {"problems", plan.problems.size()},
            {"seeded", plan.request.problems.seeds.has_value()},
            {"tolerance", plan.request.tolerance},
            {"misplaced", plan.problems.misplaced},
            {"rows", Json::array()}};
  const std::vector<Row> rows = rows_of(plan, run);
  for (std::size_t s = 0; s < rows.size(); ++s)
    json["rows"].push_back(row_json(plan.solvers[s].name, rows[s]));
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string results_csv(const Plan& plan, const Evaluated& run) {
  Csv csv({"solver", "problems", "solved", "success", "reached", "stalled", "out_of_budget",
           "false_reached", "limits_broken", "us_mean", "us_median", "us_p99", "us_max",
           "iterations_mean", "iterations_max", "passes_mean", "passes_max"});
  const std::vector<Row> rows = rows_of(plan, run);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const Row& row = rows[s];
    csv << plan.solvers[s].name << std::uint64_t{row.problems} << std::uint64_t{row.solved}
        << row.success() << std::uint64_t{row.reached} << std::uint64_t{row.stalled}
        << std::uint64_t{row.out_of_budget} << std::uint64_t{row.false_reached}
        << std::uint64_t{row.limits_broken} << row.mean_us << row.median_us << row.p99_us
        << row.max_us << row.mean_iterations << Real(row.max_iterations) << row.mean_passes
        << Real(row.max_passes);
    csv.end_line();
  }
  return csv.str();
}

std::string samples_csv(const Plan& plan, const Evaluated& run) {
  Csv csv({"solver", "problem", "solved", "status", "distance", "turn", "inside_limits",
           "iterations", "passes", "us"});
  for (std::size_t s = 0; s < plan.solvers.size(); ++s)
    for (std::size_t i = 0; i < run.samples[s].size(); ++i) {
      const Sample& sample = run.samples[s][i];
      csv << plan.solvers[s].name << std::uint64_t{i}
          << (sample.solved(plan.request.tolerance) ? "yes" : "no") << to_string(sample.status)
          << sample.miss.distance << sample.miss.turn << (sample.inside_limits ? "yes" : "no")
          << Real(sample.iterations) << Real(sample.passes) << sample.microseconds;
      csv.end_line();
    }
  return csv.str();
}

std::string report_page(const Plan& plan, const Evaluated& run) {
  const std::vector<Row> rows = rows_of(plan, run);
  return html_page(
      fmt::format("Reaching with {}", plan.character.name),
      introduction(plan, rows) + origin(options(plan)) + table(plan, rows) + pictures(plan, run));
}

std::optional<Error> write_results(const std::string& folder, const Plan& plan,
                                   const Evaluated& run) {
  return write_files(folder, {{"results.json", results_json(plan, run, 2)},
                              {"results.csv", results_csv(plan, run)},
                              {"samples.csv", samples_csv(plan, run)},
                              {"report.html", report_page(plan, run)}});
}

}  // namespace gestik::evaluation::reach
