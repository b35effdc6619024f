#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "gestik/solve/fields.h"
#include "gestik/solve/registry.h"

namespace gestik {

/// The memory run() needs for this solver, skeleton and number of goals.
std::size_t scratch_bytes(const AnySolver&, const Skeleton&, std::size_t goals) noexcept;

/// Checks the problem, lets the solver work and judges what it brought back. Whatever goes in,
/// `out` comes back inside the limits (where it has the right size), and the next call is
/// unaffected. Without a posture to keep, a seed that already meets the goals comes back as it is.
Report run(const AnySolver&, const Problem&, Scratch&, Q out) noexcept;

/// A solver by name with its default settings; nothing for an unknown name.
std::optional<AnySolver> find_solver(std::string_view name) noexcept;

/// Every solver with its default settings, in the registry's order.
std::span<const AnySolver> all_solvers() noexcept;

const SolverInfo& info_of(const AnySolver&) noexcept;

/// What to take when nobody says: poise where it takes the problem, else lm, which takes them all.
AnySolver default_solver(const Problem&) noexcept;

/// The settings of the solver that it holds.
std::vector<Field> fields_of(const AnySolver&);

/// Sets one of them by name; on anything but `done` the solver is unchanged.
SetResult set_field(AnySolver&, std::string_view name, Real value) noexcept;

}  // namespace gestik
