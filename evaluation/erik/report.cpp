#include "evaluation/erik/report.h"

#include <nlohmann/json.hpp>

#include "evaluation/csv.h"
#include "evaluation/erik/paper.h"
#include "evaluation/output_folder.h"
#include "gestik/measure/erik_error.h"

namespace gestik::evaluation::erik {
namespace {

using Json = nlohmann::ordered_json;

constexpr Real per_microsecond = 1000;  // nanoseconds

/// f(part, contender, row, filtered) for all rows, then for all filtered ones.
template <class F>
void each_row(const Plan& plan, const Tally& tally, F&& f) {
  for (const bool filtered : {false, true})
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      const PartTally& part = tally.part(p);
      const std::vector<Row>& rows = filtered ? part.filtered : part.all;
      for (std::size_t c = 0; c < rows.size(); ++c)
        f(plan.parts[p], plan.parts[p].contenders[c], rows[c], filtered);
    }
}

Json error_json(const ExactStatistics& statistics) {
  const Summary summary = statistics.summary();
  return {{"mean", summary.mean}, {"sd", summary.sd}, {"max", summary.max}};
}

Json row_json(const Part& part, const Contender& contender, const Row& row) {
  const Summary iterations = row.iterations.summary(), time = row.nanoseconds.summary();
  return {{"skeleton", part.skeleton},
          {"solver", contender.label},
          {"postures", part.sweep.posture_count()},
          {"samples", row.samples()},
          {"combined", error_json(row.combined)},
          {"orientation", error_json(row.orientation)},
          {"posture", error_json(row.posture)},
          {"orientation_ok", row.share(row.orientation_ok)},
          {"accepted", row.share(row.accepted)},
          {"iterations",
           {{"mean", iterations.mean},
            {"sd", iterations.sd},
            {"min", row.iterations.min()},
            {"max", iterations.max}}},
          {"us",
           {{"mean", time.mean / per_microsecond},
            {"sd", time.sd / per_microsecond},
            {"min", row.nanoseconds.min() / per_microsecond},
            {"max", time.max / per_microsecond},
            {"median", row.time_bins.percentile(0.5) / per_microsecond},
            {"p99", row.time_bins.percentile(0.99) / per_microsecond}}},
          {"limits_broken", row.limits_broken}};
}

}  // namespace

std::string results_json(const Plan& plan, const Tally& tally, int indent) {
  Json rows = Json::array(), filtered = Json::array();
  each_row(plan, tally,
           [&](const Part& part, const Contender& contender, const Row& row, bool is_filtered) {
             (is_filtered ? filtered : rows).push_back(row_json(part, contender, row));
           });
  const Json json{{"evaluation", "erik"},
                  {"version", GESTIK_VERSION},
                  {"problems", plan.problems ? Json(*plan.problems) : Json(nullptr)},
                  {"threshold", paper::threshold},
                  {"posture_weight", ErikMeasure{}.posture_weight},
                  {"rows", std::move(rows)},
                  {"filtered", std::move(filtered)}};
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string results_csv(const Plan& plan, const Tally& tally) {
  Csv csv({"skeleton",         "solver",         "filtered",        "postures",
           "samples",          "combined_mean",  "combined_sd",     "combined_max",
           "orientation_mean", "orientation_sd", "orientation_max", "posture_mean",
           "posture_sd",       "posture_max",    "orientation_ok",  "accepted",
           "iterations_mean",  "iterations_sd",  "iterations_min",  "iterations_max",
           "us_mean",          "us_sd",          "us_min",          "us_max",
           "us_median",        "us_p99",         "limits_broken"});
  each_row(plan, tally,
           [&](const Part& part, const Contender& contender, const Row& row, bool filtered) {
             csv << part.skeleton << contender.label << (filtered ? "yes" : "no")
                 << std::uint64_t{part.sweep.posture_count()} << row.samples();
             for (const ExactStatistics* error : {&row.combined, &row.orientation, &row.posture}) {
               const Summary summary = error->summary();
               csv << summary.mean << summary.sd << summary.max;
             }
             const Summary iterations = row.iterations.summary(), time = row.nanoseconds.summary();
             csv << row.share(row.orientation_ok) << row.share(row.accepted) << iterations.mean
                 << iterations.sd << row.iterations.min() << iterations.max
                 << time.mean / per_microsecond << time.sd / per_microsecond
                 << row.nanoseconds.min() / per_microsecond << time.max / per_microsecond
                 << row.time_bins.percentile(0.5) / per_microsecond
                 << row.time_bins.percentile(0.99) / per_microsecond << row.limits_broken;
             csv.end_line();
           });
  return csv.str();
}

std::string histograms_csv(const Plan& plan, const Tally& tally) {
  Csv csv({"skeleton", "solver", "filtered", "measure", "from", "to", "count"});
  each_row(plan, tally,
           [&](const Part& part, const Contender& contender, const Row& row, bool filtered) {
             const auto write = [&](std::string_view measure, const Histogram& histogram) {
               for (std::size_t bin = 0; bin < histogram.counts().size(); ++bin) {
                 if (histogram.counts()[bin] == 0) continue;
                 csv << part.skeleton << contender.label << (filtered ? "yes" : "no") << measure
                     << histogram.edge(bin) << histogram.edge(bin + 1) << histogram.counts()[bin];
                 csv.end_line();
               }
             };
             write("combined", row.combined_bins);
             write("orientation", row.orientation_bins);
             write("posture", row.posture_bins);
           });
  return csv.str();
}

std::string problems_csv(const Plan& plan, const Tally& tally) {
  Csv csv(
      {"line", "skeleton", "solver", "status", "combined", "orientation", "posture", "iterations"});
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const Part& part = plan.parts[p];
    auto outcome = tally.part(p).outcomes.begin();
    for (const int line : part.sweep.lines)
      for (const Contender& contender : part.contenders) {
        csv << static_cast<std::uint64_t>(line) << part.skeleton << contender.label
            << to_string(outcome->status) << outcome->orientation + outcome->posture
            << outcome->orientation << outcome->posture
            << static_cast<std::uint64_t>(outcome->iterations);
        csv.end_line();
        ++outcome;
      }
  }
  return csv.str();
}

std::optional<Error> write_results(const std::string& folder, const Plan& plan,
                                   const Tally& tally) {
  std::vector<NamedText> files{{"results.json", results_json(plan, tally, 2)},
                               {"results.csv", results_csv(plan, tally)},
                               {"histograms.csv", histograms_csv(plan, tally)},
                               {"report.html", report_page(plan, tally)}};
  if (plan.problems) files.push_back({"problems.csv", problems_csv(plan, tally)});
  return write_files(folder, files);
}

}  // namespace gestik::evaluation::erik
