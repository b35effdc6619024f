#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/solve/run.h"

/// What experiments that compare solvers share.
namespace gestik::evaluation {

struct NamedSolver {
  std::string name;
  AnySolver solver;
};

/// Solvers by their names, each once, in the order given: those of the registry and an experiment's
/// own variants. The error about an unknown name says what was probably meant.
Result<std::vector<NamedSolver>> find_solvers(std::span<const std::string> names,
                                              std::span<const NamedSolver> variants = {});

/// Those of the registry whose info says that they can.
std::vector<std::string> solvers_that(const std::function<bool(const SolverInfo&)>& can);

/// Whether a solver's info lets it move every joint that this skeleton has.
bool moves_joints_of(const SolverInfo&, const Skeleton&) noexcept;

/// The scratch memory that the hungriest of them needs.
std::size_t most_scratch(std::span<const NamedSolver>, const Skeleton&, std::size_t goals) noexcept;

/// A solve by the clock on the wall, that of run() alone.
struct Timed {
  Report report;
  Real microseconds;
};
Timed timed_run(const AnySolver&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik::evaluation
