#pragma once

#include <chrono>
#include <cstdint>

namespace gestik::evaluation {

/// A bar with the time left on standard error, where that is a terminal; nothing elsewhere. Call it
/// as often as you like: it draws a few times per second.
class Progress {
 public:
  explicit Progress(std::uint64_t total);
  ~Progress();  ///< wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t total_;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_ = {};
};

}  // namespace gestik::evaluation
