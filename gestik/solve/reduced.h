#pragma once

#include "gestik/base/scratch.h"
#include "gestik/solve/problem.h"

namespace gestik {

/// The part of a problem that a solver works on: the joints that may move and that some goal
/// depends on, parents first, with every fixed and held joint folded into its neighbours. An arm of
/// a robot with a hundred joints becomes a chain of seven.
struct Reduced {
  std::span<Skeleton::Joint> joints;  ///< parent, q_offset, v_offset count in this list
  std::span<JointId> source;          ///< which joint of the skeleton each of them is
  std::span<Goal> goals;              ///< the same wishes, said of joints in this list
  Real unmovable = 0;  ///< squared goal_error of the goals that nothing moves; not in `goals`
  int q_size = 0;
  int v_size = 0;
};

std::size_t reduced_bytes(const Skeleton&, std::size_t goals) noexcept;

/// Lives in the scratch. Held joints stand where the problem's seed has them.
Reduced reduce(const Problem&, Scratch&) noexcept;

/// Its coordinates out of the skeleton's, and back.
void gather(const Reduced&, const Skeleton&, ConstQ whole, Q part) noexcept;
void scatter(const Reduced&, const Skeleton&, ConstQ part, Q whole) noexcept;

}  // namespace gestik
