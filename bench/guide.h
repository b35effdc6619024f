#pragma once

#include <string>
#include <string_view>

#include "bench/measure.h"

/// The tables of docs/CHOOSING.md: what solvers can do, from their infos, and what they cost, from
/// a run.
namespace gestik::bench {

std::string abilities_table();

/// A table for each scene: of each solver the time in forward passes and, where it is not all of
/// them, the share it solves.
std::string costs_tables(const Measured&);

/// The guide with its tables made anew: what stands between the lines "<!-- abilities -->" or
/// "<!-- costs -->" and the next "<!-- end -->" is replaced.
Result<std::string> with_tables(std::string_view guide, const Measured&, std::string_view file);

}  // namespace gestik::bench
