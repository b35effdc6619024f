#pragma once

#include <string>
#include <string_view>

#include "gestik/solve/run.h"

/// The one place where the tool puts solvers into words.
namespace gestik::tool {

/// A solver by name, or BadInput that says what was probably meant.
AnySolver parse_solver(std::string_view name);

/// "reach, orient", "hinges, balls"
std::string goals_text(const SolverInfo&);
std::string joints_text(const SolverInfo&);

/// Name, source, summary, what it can do and all its settings.
std::string solver_text(const AnySolver&, std::string_view indent);

}  // namespace gestik::tool
