#pragma once

#include <string>
#include <string_view>

#include "bench/measure.h"

namespace gestik::bench {

/// A run as JSON, to be read again or by scripts; docs/BENCHMARKS.md has the fields.
std::string run_json(const Measured&, int indent);

/// A run that run_json wrote.
Result<Measured> read_run(std::string_view text, std::string_view file);

/// How often a contender's mean time fits into a peer's: above 1, it is the faster one. Nothing for
/// one that solves less than the peer by a hundredth or more: to fail is quick.
struct Ratio {
  std::string peer;
  std::optional<Real> times;
};
std::vector<Ratio> ratios_to_peers(const SceneResult&, const Row&);

}  // namespace gestik::bench
