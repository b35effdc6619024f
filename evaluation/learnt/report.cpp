#include "evaluation/learnt/report.h"

#include <nlohmann/json.hpp>

#include "evaluation/csv.h"
#include "evaluation/output_folder.h"

namespace gestik::evaluation::learnt {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const Section& section, const Row& row) {
  return {{"hold_out", to_string(section.hold_out)},
          {"method", row.method},
          {"degrees", row.score.degrees},
          {"turn_degrees", row.score.turn_degrees},
          {"mse", row.score.mse},
          {"distance_mse", row.score.distance_mse},
          {"miss_mm", {{"mean", 1000 * row.score.miss_mean}, {"max", 1000 * row.score.miss_max}}},
          {"missed", row.missed},
          {"acceleration", row.score.acceleration ? Json(*row.score.acceleration) : Json()},
          {"us_per_frame", row.us_per_frame},
          {"frames", row.score.frames}};
}

Json times_json(const Section& section, const PassTimes& times) {
  return {{"hold_out", to_string(section.hold_out)},
          {"method", times.method},
          {"threads", times.threads},
          {"crude_ms", times.crude},
          {"align_ms", times.align},
          {"retarget_ms", times.retarget},
          {"correct_ms", times.correct},
          {"close_ms", times.close},
          {"sum_ms", times.sum()}};
}

Json depth_json(const Section& section, const DepthRow& row) {
  return {{"hold_out", to_string(section.hold_out)},
          {"depth", row.depth},
          {"degrees", row.score.degrees},
          {"mse", row.score.mse},
          {"ms", row.milliseconds}};
}

}  // namespace

std::string results_json(const Plan& plan, const Evaluated& run, int indent) {
  Json train = Json::array(), trained = Json::array(), rows = Json::array(), times = Json::array(),
       depths = Json::array();
  for (const Motion& motion : plan.motions.train) train.push_back(motion.name);
  for (const Section& section : run.sections) {
    trained.push_back({{"hold_out", to_string(section.hold_out)},
                       {"frames", section.trained_frames},
                       {"bytes", section.trained_bytes}});
    for (const Row& row : section.rows) rows.push_back(row_json(section, row));
    for (const PassTimes& each : section.times) times.push_back(times_json(section, each));
    for (const DepthRow& row : section.depths) depths.push_back(depth_json(section, row));
  }
  const Json json{{"evaluation", "learnt"},
                  {"test", plan.motions.test.name},
                  {"train", std::move(train)},
                  {"root", plan.request.chain.root},
                  {"end", plan.request.chain.end},
                  {"dofs", plan.motions.chain.skeleton.v_size()},
                  {"frames", plan.motions.test.frame_count()},
                  {"rate", plan.motions.test.take.rate},
                  {"unit", plan.motions.unit},
                  {"tolerance", plan.request.passes.tolerance},
                  {"latency_frames", latency_of(plan.request.passes)},
                  {"trained", std::move(trained)},
                  {"rows", std::move(rows)},
                  {"times", std::move(times)},
                  {"depths", std::move(depths)}};
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string results_csv(const Plan&, const Evaluated& run) {
  Csv csv({"hold_out", "method", "degrees", "turn_degrees", "mse", "distance_mse", "miss_mean_mm",
           "miss_max_mm", "missed", "acceleration", "us_per_frame", "frames"});
  for (const Section& section : run.sections)
    for (const Row& row : section.rows) {
      csv << to_string(section.hold_out) << row.method << row.score.degrees
          << row.score.turn_degrees << row.score.mse << row.score.distance_mse
          << 1000 * row.score.miss_mean << 1000 * row.score.miss_max << std::uint64_t{row.missed}
          << row.score.acceleration << row.us_per_frame << std::uint64_t{row.score.frames};
      csv.end_line();
    }
  return csv.str();
}

std::optional<Error> write_results(const std::string& folder, const Plan& plan,
                                   const Evaluated& run) {
  return write_files(folder, {{"results.json", results_json(plan, run, 2)},
                              {"results.csv", results_csv(plan, run)},
                              {"report.html", report_page(plan, run)}});
}

}  // namespace gestik::evaluation::learnt
