#pragma once

#include <chrono>
#include <cstdint>

namespace gestik::evaluation {

/// A bar with the time left on standard error, where that is a terminal; nothing elsewhere. Call it
/// as often as you like: it draws a few times per second.
class Progress {
 public:
  /// `before` of the total were done by an earlier run: the time left is told from the others.
  explicit Progress(std::uint64_t total, std::uint64_t before = 0);
  ~Progress();  ///< wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t done);
  void wipe();  ///< makes room for a message; the next show() draws it again

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_, before_;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = {};
};

}  // namespace gestik::evaluation
