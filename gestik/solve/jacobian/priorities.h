#pragma once

#include "gestik/solve/jacobian/iteration.h"

namespace gestik::linear {

/// How a task is inverted.
struct Damping {
  Real constant = 0;  ///< 0: Maciejewski's
  Real max_turn = 1;  ///< no task moves the body farther than this, in Maciejewski's
};

/// The motion that serves the tasks in their order, each as far as those before it leave free.
void serve_in_order(const Damping&, std::span<const Task>, Scratch&, VectorMap u) noexcept;

std::size_t serve_in_order_bytes(Eigen::Index most_rows, Eigen::Index motions) noexcept;

}  // namespace gestik::linear
