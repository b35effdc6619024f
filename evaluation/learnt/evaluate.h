#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/control.h"
#include "evaluation/learnt/motion.h"
#include "evaluation/solvers.h"
#include "gestik/motion/passes.h"

/// The evaluation of Huang, Fratarcangeli, Ding & Pelachaud, "Inverse kinematics using dynamic
/// joint parameters" (2016): the end of a chain follows a captured path, and its joints are
/// compared with the captured ones. Beside the paper's rows, which learn from the very motion they
/// are compared with, stand rows about motion that was held out; and beside all of them the nearest
/// captured pose, which no method that learns should lose to.
namespace gestik::evaluation::learnt {

/// What is learnt from.
enum class HoldOut {
  none,    ///< all of the training clips: with the test among them, the paper's train = test
  blocks,  ///< as none, but of the test clip every second block of 0.2 s, and the others are
           ///< compared
  others,  ///< the training clips but the test
};
std::string_view to_string(HoldOut) noexcept;
inline constexpr Real block_seconds = 0.2;

/// What is asked for, in the words of the command line.
struct Request {
  std::vector<std::string> train = {};
  std::string test = {};
  MotionOptions chain = {};
  /// Which rows; none: every one that the clips allow.
  std::optional<HoldOut> hold_out = std::nullopt;
  /// Solvers of the registry that take `learnt`'s place in the passes, beside it.
  std::vector<std::string> solvers = {};
  PassSettings passes = {};
  int most_depth = 5;
};

/// A request, checked.
struct Plan {
  Request request;
  Motions motions;
  std::vector<HoldOut> hold_outs;
  std::vector<NamedSolver> solvers;
};
Result<Plan> make_plan(const Request&);

/// One method's motion and what it came to.
struct Row {
  std::string method;
  Score score = {};
  Real us_per_frame = 0;  ///< on one thread
  /// Frames farther than the tolerance from a target that dls1 reaches.
  std::size_t missed = 0;
  std::vector<Real> q = {};
};

/// Milliseconds of each kind of pass, as Table 1 has them; several rounds are added up.
struct PassTimes {
  std::string method;
  int threads = 1;
  Real crude = 0, align = 0, retarget = 0, correct = 0, close = 0;
  Real sum() const noexcept { return crude + align + retarget + correct + close; }
};

/// The printed method with the tree asked no deeper than this: Table 3 and Figure 11.
struct DepthRow {
  int depth = 0;
  Score score = {};
  Real milliseconds = 0;
  std::vector<Real> errors = {};  ///< per frame
};

/// All that is said about one way to learn.
struct Section {
  HoldOut hold_out = HoldOut::none;
  std::size_t trained_frames = 0, trained_bytes = 0;
  std::vector<Row> rows;
  std::vector<PassTimes> times;
  std::vector<DepthRow> depths;
  /// How the last joint turns after each pass of `learnt`, radians per frame: Figure 13.
  struct Curve {
    std::string label;
    std::vector<Real> radians;
  };
  std::vector<Curve> smoothness;
};

struct Evaluated {
  std::vector<Section> sections;
  bool stopped = false;
};

/// The passes on one thread, then on all that the control allows: the bits are the same, the times
/// are both told.
Evaluated evaluate(const Plan&, const Control&);

/// A runner for the passes of follow_path on so many threads.
BlockRunner blocks_on(int threads);

const Row* find_row(const Section&, std::string_view method);

}  // namespace gestik::evaluation::learnt
