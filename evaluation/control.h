#pragma once

#include <functional>

namespace gestik::evaluation {

/// How an experiment is run, as far as that changes none of its numbers but the times.
struct Control {
  int threads = 1;
  /// Looked at before every solve, from every thread: true ends the run soon.
  std::function<bool()> stop = [] { return false; };
};

}  // namespace gestik::evaluation
