#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/solve/run.h"

/// A whole path of an end becomes a motion, every frame by itself in each of a few passes: crude
/// solve, temporal alignment, retargeting, then rounds of correction and closing steps (Huang et
/// al. 2016, section 4; NOTES.md of the solver `learnt` says what differs). A pass reads what the
/// one before it made of a frame and its neighbours in time, so its frames may be computed in any
/// order, on any number of threads, and the bits are the same.
namespace gestik {

/// Windows are in frames to either side, as the paper has them for captures of 120 a second.
struct PassSettings {
  int align = 10;
  int correct = 5;
  Real trust = 0.05;
  int rounds = 2;
  int closing = 2;
  Real tolerance = 1e-3;

  template <class F>
  static void fields(F&& f) {
    f("align", &PassSettings::align, Range{0, 1000},
      "frames to either side that the temporal alignment averages");
    f("correct", &PassSettings::correct, Range{1, 1000},
      "frames to either side where the correction's kernel ends; 1 for none");
    f("trust", &PassSettings::trust, Range{1e-6, 1e3},
      "metres from its target at which a frame no longer counts in the correction");
    f("rounds", &PassSettings::rounds, Range{0, 20}, "corrections, each with closing steps");
    f("closing", &PassSettings::closing, Range{0, 20},
      "solver steps that bring each frame back to its target after a correction");
    f("tolerance", &PassSettings::tolerance, Range{0, 1e3},
      "metres from its target within which a frame is in place");
  }
};

enum class PassKind : std::uint8_t { crude, align, retarget, correct, close };
std::string_view to_string(PassKind) noexcept;

/// One pass: which, and how many frames to either side of a frame it looks at.
struct Pass {
  PassKind kind;
  int radius;
  bool last = false;
};

/// In the order they run.
std::vector<Pass> passes_of(const PassSettings&);

/// How many frames behind the newest target a stream's poses are: the passes' radii, added up.
int latency_of(const PassSettings&);

/// What moves, and with which solver. What is pointed to is kept by the caller.
struct PassTask {
  const AnySolver& solver;   ///< `learnt` with its model, or any other
  const Skeleton& skeleton;  ///< a chain of its own, or a body whose other joints stay neutral
  JointId joint;             ///< whose point follows the path
  Vec3 point = Vec3::Zero();
  Real rate = 120;  ///< frames per second
  PassSettings settings = {};
  /// For `learnt`: takes a velocity from the skeleton's world to the chain's base frame.
  Quat base_from_world = Quat::Identity();
};

/// body(block) for every block in [0, blocks), in any order, side by side if it likes.
using BlockRunner =
    std::function<void(std::size_t blocks, const std::function<void(std::size_t block)>& body)>;

/// One after the other.
void run_in_order(std::size_t blocks, const std::function<void(std::size_t block)>& body);

/// Hears of each pass when it is done, with the poses as they are then: to time and to draw them.
using PassListener = std::function<void(const Pass&, std::span<const Real> q)>;

/// The motion that follows the path: q_size numbers a frame. Every frame whose target the solver
/// can reach is within the tolerance of it. Refuses settings out of range, a joint that is not
/// there, targets that are not finite, a rate that is not above zero. The time is linear in the
/// frames, and so is the memory: two poses a frame.
Result<std::vector<Real>> follow_path(const PassTask&, std::span<const Vec3> path,
                                      const BlockRunner& = run_in_order, const PassListener& = {});

/// The same passes for targets that come one by one: pose f leaves when target f + latency arrives,
/// or when the path ends. The poses are those of follow_path, bit for bit. Allocates when it is
/// made, never after.
class PassStream {
 public:
  /// As follow_path refuses.
  static Result<PassStream> make(const PassTask&);

  int latency() const noexcept { return latency_; }

  /// Takes the next target. True: `out` has the next pose. A target that is not finite counts as
  /// the one before it (the first: the neutral pose's place).
  bool push(const Vec3& target, Q out) noexcept;

  /// After the last target: the poses still under way, one each call; false when all are out.
  bool drain(Q out) noexcept;

 private:
  explicit PassStream(const PassTask&);
  bool advance(Q out) noexcept;

  /// Frames of one pass: the newest few, each at its number modulo how many are kept.
  struct Ring {
    std::vector<Real> values;
    std::size_t kept, done = 0;
  };

  PassTask task_;
  std::vector<Pass> passes_;
  std::vector<Vec3> path_;  ///< a ring as well
  std::vector<Ring> rings_;
  Scratch scratch_;
  int latency_;
  std::size_t received_ = 0;
  bool ended_ = false;
};

}  // namespace gestik
