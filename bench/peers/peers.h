#pragma once

#include <optional>
#include <span>

#include "bench/contender.h"

/// What users pick elsewhere, to be measured beside our own solvers on the same tasks. There are
/// none unless the build has them: -DGESTIK_PEERS=ON.
namespace gestik::bench {

struct Peer {
  std::string_view name;
  std::string_view summary;
  /// Nothing where it does not fit the scene.
  std::optional<Contender> (*enter)(const Scene&);
};

std::span<const Peer> all_peers() noexcept;

/// Peers that find nothing start again from somewhere else, at most so often.
inline constexpr int most_attempts = 50;

std::optional<Contender> enter_kdl_lma(const Scene&);
std::optional<Contender> enter_kdl_nr_jl(const Scene&);
std::optional<Contender> enter_nlopt_slsqp(const Scene&);

}  // namespace gestik::bench
