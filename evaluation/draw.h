#pragma once

#include <random>
#include <vector>

#include "gestik/model/skeleton.h"

namespace gestik::evaluation {

/// Random material for experiments and benchmarks: the same numbers from the same seed on every
/// machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : bits_(seed) {}

  Real between(Real lo, Real hi);
  int index(int count);       ///< in [0, count)
  Vec3 in_ball(Real radius);  ///< even over its volume
  Quat rotation();            ///< even over all rotations
  std::vector<Real> pose(
      const Skeleton&);  ///< inside the limits; without any, within a turn or a metre

 private:
  std::mt19937_64 bits_;  ///< its sequence is the standard's, unlike those of the distributions
};

}  // namespace gestik::evaluation
