#include "bench/peers/peers.h"

#include <array>

namespace gestik::bench {

std::span<const Peer> all_peers() noexcept {
#ifdef GESTIK_PEERS
  static constexpr std::array peers{
      Peer{"kdl_lma", "Orocos KDL, Levenberg-Marquardt, from random poses until inside the limits",
           enter_kdl_lma},
      Peer{"kdl_nr_jl", "Orocos KDL, Newton-Raphson with joint limits, from random poses likewise",
           enter_kdl_nr_jl},
      Peer{"nlopt_slsqp",
           "NLopt, sequential quadratic programming: nearest to the posture that meets the goals",
           enter_nlopt_slsqp},
  };
  return peers;
#else
  return {};
#endif
}

}  // namespace gestik::bench
