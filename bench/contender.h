#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/scene.h"
#include "evaluation/solvers.h"

namespace gestik::bench {

/// What a solve says of its work; 0 where it doesn't.
struct Effort {
  int iterations = 0, passes = 0;
};

/// Who takes part in a scene: one of our solvers or a peer. It holds what its solves need, so that
/// a call is the solve and nothing else. The scene must outlive it.
struct Contender {
  std::string name;
  bool peer = false;
  std::function<Effort(const Task&, ConstQ seed, Q out)> solve;
};

/// Nothing where run() says that the solver does not take the scene.
std::optional<Contender> enter(const evaluation::NamedSolver&, const Scene&);

}  // namespace gestik::bench
