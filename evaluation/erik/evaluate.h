#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "evaluation/erik/plan.h"
#include "evaluation/erik/tally.h"
#include "evaluation/ranks.h"

namespace gestik::evaluation::erik {

struct RunControl {
  int threads = 1;
  /// Looked at before every solve, from every thread: true ends the run soon.
  std::function<bool()> stop = [] { return false; };
  /// Called after each task, never twice at once.
  std::function<void()> after_task = [] {};
  /// Told what the user should hear at once; never twice at once.
  std::function<void(std::string_view)> say = [](std::string_view) {};
  std::string folder = {};  ///< where checkpoints go, now and then and at the end; or nowhere
  std::chrono::steady_clock::duration between_checkpoints = std::chrono::seconds(30);
  bool resume = false;  ///< go on from the checkpoints there
};

/// A plan's numbers so far. The first rank has everybody's, unless stopped.
struct Evaluated {
  Tally tally;
  bool stopped = false;
  bool saved = false;                 ///< every rank's checkpoint holds all that it did
  std::uint64_t samples = 0, of = 0;  ///< how far it came: this rank's own and what it began with
};

/// Works through a plan together with the other ranks. Leaves its checkpoints in the folder;
/// remove_checkpoints() when the results are safe. One that can't be written is no reason to end:
/// that is said, and tried again at the next. An Error without words means that another rank has
/// it.
Result<Evaluated> evaluate(const Plan&, const RunControl&, const Ranks&);

void remove_checkpoints(const std::string& folder);

}  // namespace gestik::evaluation::erik
