#include "evaluation/solvers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gestik/base/suggest.h"

namespace gestik::evaluation {
namespace {

/// The variants first: one may stand in for a solver of the registry.
std::optional<NamedSolver> find(std::string_view name, std::span<const NamedSolver> variants) {
  for (const NamedSolver& variant : variants)
    if (variant.name == name) return variant;
  if (const std::optional<AnySolver> solver = find_solver(name))
    return NamedSolver{std::string(name), *solver};
  return std::nullopt;
}

Error unknown(std::string_view name, std::span<const NamedSolver> variants) {
  std::vector<std::string_view> names;
  for (const AnySolver& solver : all_solvers()) names.push_back(info_of(solver).name);
  for (const NamedSolver& variant : variants) names.push_back(variant.name);
  return {fmt::format("no solver is called '{}'{} (there is {})", name, did_you_mean(name, names),
                      fmt::join(names, ", ")),
          ""};
}

}  // namespace

Result<std::vector<NamedSolver>> find_solvers(std::span<const std::string> names,
                                              std::span<const NamedSolver> variants) {
  std::vector<NamedSolver> found;
  for (const std::string& name : names) {
    const auto is_it = [&](const NamedSolver& other) { return other.name == name; };
    if (std::any_of(found.begin(), found.end(), is_it)) continue;
    std::optional<NamedSolver> solver = find(name, variants);
    if (!solver) return unknown(name, variants);
    found.push_back(*std::move(solver));
  }
  return found;
}

std::vector<std::string> solvers_that(const std::function<bool(const SolverInfo&)>& can) {
  std::vector<std::string> names;
  for (const AnySolver& solver : all_solvers())
    if (can(info_of(solver))) names.emplace_back(info_of(solver).name);
  return names;
}

bool moves_joints_of(const SolverInfo& info, const Skeleton& skeleton) noexcept {
  const auto can_move = [&](const Skeleton::Joint& joint) {
    switch (joint.type) {
      case JointType::fixed:
        return true;
      case JointType::hinge:
        return info.hinge;
      case JointType::slider:
        return info.slider;
      case JointType::ball:
        return info.ball;
    }
    return false;
  };
  return std::all_of(skeleton.joints().begin(), skeleton.joints().end(), can_move);
}

std::size_t most_scratch(std::span<const NamedSolver> solvers, const Skeleton& skeleton,
                         std::size_t goals) noexcept {
  std::size_t most = 0;
  for (const NamedSolver& named : solvers)
    most = std::max(most, scratch_bytes(named.solver, skeleton, goals));
  return most;
}

Timed timed_run(const AnySolver& solver, const Problem& problem, Scratch& scratch, Q out) noexcept {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const Report report = run(solver, problem, scratch, out);
  return {report, std::chrono::duration<Real, std::micro>(Clock::now() - start).count()};
}

}  // namespace gestik::evaluation
