#include "bench/record.h"

#include <nlohmann/json.hpp>

namespace gestik::bench {
namespace {

using Json = nlohmann::ordered_json;

Json optional_json(const std::optional<Real>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json row_json(const SceneResult& scene, const Row& row) {
  Json json{{"solver", row.solver},
            {"peer", row.peer},
            {"solves", row.solves},
            {"solved", row.solved},
            {"success", row.success()},
            {"limits_broken", row.limits_broken},
            {"us", {{"mean", row.mean_us}, {"median", row.median_us}, {"p99", row.p99_us}}},
            {"forwards", row.forwards},
            {"iterations", row.iterations},
            {"passes", row.passes},
            {"allocations", optional_json(row.allocations)},
            {"from_posture", nullptr}};
  if (row.from_posture)
    json["from_posture"] = {{"angles", row.from_posture->angles},
                            {"shape", row.from_posture->shape}};
  if (row.peer) return json;
  for (const Ratio& ratio : ratios_to_peers(scene, row))
    json["faster"][ratio.peer] = optional_json(ratio.times);
  return json;
}

Json scene_json(const SceneResult& scene) {
  Json json{{"scene", scene.scene}, {"size", scene.size},   {"joints", scene.joints},
            {"dofs", scene.dofs},   {"tasks", scene.tasks}, {"forward_us", scene.forward_us},
            {"rows", Json::array()}};
  for (const Row& row : scene.rows) json["rows"].push_back(row_json(scene, row));
  return json;
}

std::optional<Real> optional_real(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional<Real>(json.get<Real>());
}

std::optional<Row::FromPosture> from_posture_from(const Json& json) {
  if (json.is_null()) return std::nullopt;
  return Row::FromPosture{json.at("angles"), json.at("shape")};
}

Row row_from(const Json& json) {
  const Json& us = json.at("us");
  return {.solver = json.at("solver"),
          .peer = json.at("peer"),
          .solves = json.at("solves"),
          .solved = json.at("solved"),
          .limits_broken = json.at("limits_broken"),
          .mean_us = us.at("mean"),
          .median_us = us.at("median"),
          .p99_us = us.at("p99"),
          .forwards = json.at("forwards"),
          .iterations = json.at("iterations"),
          .passes = json.at("passes"),
          .allocations = optional_real(json.at("allocations")),
          .from_posture = from_posture_from(json.at("from_posture"))};
}

SceneResult scene_from(const Json& json) {
  SceneResult scene{.scene = json.at("scene"),
                    .size = json.at("size"),
                    .joints = json.at("joints"),
                    .dofs = json.at("dofs"),
                    .tasks = json.at("tasks"),
                    .forward_us = json.at("forward_us")};
  for (const Json& row : json.at("rows")) scene.rows.push_back(row_from(row));
  return scene;
}

}  // namespace

std::vector<Ratio> ratios_to_peers(const SceneResult& scene, const Row& row) {
  constexpr Real slack = 0.01;
  std::vector<Ratio> ratios;
  for (const Row& other : scene.rows) {
    if (!other.peer) continue;
    ratios.push_back({other.solver, std::nullopt});
    const bool comparable = other.solves > 0 && row.solves > 0;
    if (comparable && row.success() > other.success() - slack)
      ratios.back().times = other.mean_us / row.mean_us;
  }
  return ratios;
}

std::string run_json(const Measured& run, int indent) {
  Json json{{"gestik_bench", 1},
            {"repeat", run.repeat},
            {"scenes", Json::array()},
            {"growth", Json::array()}};
  for (const SceneResult& scene : run.scenes) json["scenes"].push_back(scene_json(scene));
  for (const Growth& growth : growth_of(run))
    json["growth"].push_back({{"scene", growth.scene},
                              {"solver", growth.solver},
                              {"exponent", growth.exponent},
                              {"from", growth.from},
                              {"to", growth.to}});
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Measured> read_run(std::string_view text, std::string_view file) {
  const auto refused = [&](std::string_view why) {
    return Error{std::string("this is no run recorded by gestik bench: ").append(why),
                 std::string(file)};
  };
  try {
    const Json json = Json::parse(text);
    if (json.at("gestik_bench") != 1) return refused("its version is not 1");
    Measured run{.repeat = json.at("repeat")};
    for (const Json& scene : json.at("scenes")) run.scenes.push_back(scene_from(scene));
    return run;
  } catch (const Json::exception& fault) {
    return refused(fault.what());
  }
}

}  // namespace gestik::bench
