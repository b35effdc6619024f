#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/goal/goal.h"
#include "gestik/model/character.h"
#include "gestik/motion/filter.h"
#include "tools/gestik/goal_arguments.h"
#include "tools/gestik/output.h"

/// What comes in while `gestik track` runs: lines of text that may be anything, and what they ask.
namespace gestik::tool {

/// A target for whichever end it is that should meet it.
struct Target {
  GoalArguments::Kind kind;
  Vec3 point = Vec3::Zero();  ///< of a reach or an aim; a direction for aim_direction
  Quat turn = Quat::Identity();
  bool symmetric = false;
};
Goal goal_for(const Frame& end, const Target&);

/// What a line asks for. What it does not name stays as it is.
struct Ask {
  std::optional<Real> t;  ///< when, in seconds from the start
  Json id;                ///< null: none
  std::optional<Frame> end;
  std::optional<std::vector<Target>> targets;  ///< in place of those before; empty: none any more
  std::optional<std::vector<Real>> posture;
  std::optional<MotionFilter> filter;
};

/// One JSON object, or BadInput that says what is wrong with it.
Ask parse_ask(std::string_view line, const Character&);

/// A line of standard input, without its end.
struct Line {
  long number;  ///< from 1
  std::string_view text;
  bool too_long;  ///< and not kept
};

/// Standard input in lines. Whatever comes, it keeps no more than a line's worth of it.
class Lines {
 public:
  static constexpr std::size_t longest = std::size_t{1} << 18;

  /// Waits until there is more or the time, not below zero, is over, and takes in some of it. A
  /// signal ends the wait as well.
  void wait(Real seconds);

  /// The next whole line, valid until the next wait().
  std::optional<Line> next();

  /// No more will come, but next() may still have some.
  bool ended() const { return ended_; }

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what next() has not given yet
  long number_ = 0;
  bool too_long_ = false;  ///< the line that is being read
  bool ended_ = false;
};

/// Complaints about lines, on standard error. Where they flood, some are only counted: the first
/// few of each second are said, and how many more there were.
class Complaints {
 public:
  void add(long line, std::string_view what, Real now);
  void count_to(Real now);  ///< says what has only been counted, once its second is over
  void say_rest();

 private:
  static constexpr int most_in_a_second = 10;
  Real since_ = 0;
  long said_ = 0, unsaid_ = 0;
};

}  // namespace gestik::tool
