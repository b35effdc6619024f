#include "evaluation/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gestik::evaluation {
namespace {

std::string clock_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

Progress::Progress(std::uint64_t total, std::uint64_t before)
    : total_(total), before_(before), visible_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  wipe();
}

void Progress::wipe() {
  if (visible_ && drawn_ != Clock::time_point()) std::fputs("\r\x1b[K", stderr);
  drawn_ = {};
}

void Progress::show(std::uint64_t done) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  if (!visible_ || now - drawn_ < 200ms) return;
  drawn_ = now;
  done = std::min(done, total_);

  constexpr int width = 40;
  const double share = total_ == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total_);
  const int filled = std::clamp(static_cast<int>(share * width), 0, width);
  std::string line =
      fmt::format("\r[{:#>{}}{:.>{}}] {:5.1f} %", "", filled, "", width - filled, 100 * share);
  if (done > before_) {
    const double spent = std::chrono::duration<double>(now - start_).count();
    const double each = spent / static_cast<double>(done - before_);
    line += fmt::format(", {} left", clock_text(each * static_cast<double>(total_ - done)));
  }
  std::fputs((line + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace gestik::evaluation
