#include "bench/guide.h"

#include <fmt/format.h>

#include <algorithm>

namespace gestik::bench {
namespace {

using Cells = std::vector<std::string>;

std::string line_of(const Cells& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string head_of(const Cells& names) {
  std::string rule = "|";
  for (std::size_t i = 0; i < names.size(); ++i) rule += "---|";
  return line_of(names) + rule + "\n";
}

std::string mark(bool yes) {
  return yes ? "yes" : "";
}

/// Three digits of anything from a fraction to thousands.
std::string brief(Real number) {
  return number < 99.5 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
}

std::string cost_of(const Row& row) {
  std::string text = brief(row.forwards);
  // Rounded down: 99.9 % is not all.
  if (row.solved < row.solves) text += fmt::format(" ({:.0f} %)", std::floor(100 * row.success()));
  return text;
}

using Sizes = std::vector<const SceneResult*>;

/// Everyone who took part in any of the sizes, in the order of the rows.
std::vector<std::string> names_in(const Sizes& sizes) {
  std::vector<std::string> names;
  for (const SceneResult* scene : sizes)
    for (const Row& row : scene->rows)
      if (std::find(names.begin(), names.end(), row.solver) == names.end())
        names.push_back(row.solver);
  return names;
}

std::string growth_cell(const std::vector<Growth>& growths, std::string_view scene,
                        std::string_view solver) {
  for (const Growth& growth : growths)
    if (growth.scene == scene && growth.solver == solver)
      return fmt::format("n^{:.1f}", growth.exponent);
  return "";
}

std::string posture_cell(const Sizes& sizes, std::string_view solver) {
  const Row* row = sizes.front()->find(solver);
  return row && row->from_posture ? fmt::format("{:.2f} rad, {:.2f}", row->from_posture->angles,
                                                row->from_posture->shape)
                                  : "";
}

std::string scene_table(const SceneKind& kind, const Sizes& sizes,
                        const std::vector<Growth>& growths) {
  const bool grows = sizes.size() > 1;
  const bool has_posture = !sizes.front()->rows.empty() && sizes.front()->rows.front().from_posture;
  std::string text = fmt::format("\n**{}**: {}. A forward pass takes", kind.name, kind.summary);
  Cells head{""};
  for (const SceneResult* scene : sizes) {
    text += fmt::format("{} {} µs", scene == sizes.front() ? "" : ",", brief(scene->forward_us));
    head.push_back(scene->size > 0 ? fmt::format("{} joints", scene->size) : "cost");
  }
  if (grows) head.push_back("grows as");
  if (has_posture) head.push_back("from the posture");
  text += ".\n\n" + head_of(head);
  for (const std::string& name : names_in(sizes)) {
    Cells cells{name};
    for (const SceneResult* scene : sizes) {
      const Row* row = scene->find(name);
      cells.push_back(row && row->solves > 0 ? cost_of(*row) : "");
    }
    if (grows) cells.push_back(growth_cell(growths, kind.name, name));
    if (has_posture) cells.push_back(posture_cell(sizes, name));
    text += line_of(cells);
  }
  return text;
}

/// Replaces what stands between the marker of this name and the next end.
std::optional<Error> put(std::string& guide, std::string_view name, const std::string& table,
                         std::string_view file) {
  const std::string begin = fmt::format("<!-- {} -->\n", name), end = "<!-- end -->\n";
  const std::size_t start = guide.find(begin);
  const std::size_t stop = start == std::string::npos ? start : guide.find(end, start);
  if (stop == std::string::npos)
    return Error{fmt::format("there must be a line <!-- {} --> and, after it, <!-- end -->", name),
                 std::string(file)};
  const std::size_t first = start + begin.size();
  guide.replace(first, stop - first, table);
  return std::nullopt;
}

}  // namespace

std::string abilities_table() {
  std::string text =
      head_of({"solver", "reach", "orient", "aim", "hinges", "sliders", "balls", "many goals",
               "priorities", "keeps the posture", "iterations", "source"});
  for (const AnySolver& solver : all_solvers()) {
    const SolverInfo& info = info_of(solver);
    text += line_of({fmt::format("`{}`", info.name), mark(info.reach), mark(info.orient),
                     mark(info.aim), mark(info.hinge), mark(info.slider), mark(info.ball),
                     mark(info.many_goals), mark(info.priorities), mark(info.keeps_posture),
                     fmt::format("{}", info.iterations), std::string(info.source)});
  }
  return text;
}

std::string costs_tables(const Measured& run) {
  const std::vector<Growth> growths = growth_of(run);
  std::string text;
  for (const SceneKind& kind : all_scenes()) {
    Sizes sizes;
    for (const SceneResult& scene : run.scenes)
      if (scene.scene == kind.name) sizes.push_back(&scene);
    if (!sizes.empty()) text += scene_table(kind, sizes, growths);
  }
  return text + "\n";
}

Result<std::string> with_tables(std::string_view guide, const Measured& run,
                                std::string_view file) {
  std::string text(guide);
  if (std::optional<Error> error = put(text, "abilities", abilities_table(), file))
    return *std::move(error);
  if (std::optional<Error> error = put(text, "costs", costs_tables(run), file))
    return *std::move(error);
  return text;
}

}  // namespace gestik::bench
