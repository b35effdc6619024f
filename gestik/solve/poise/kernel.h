#pragma once

#include <cstdint>

/// The arithmetic of poise: eight candidates side by side in single precision. Plain data and plain
/// functions, because it is compiled twice: for the instruction set that every processor of a kind
/// has, and for AVX2. Both give the same bits (lanes.h says why). A third time it is compiled for
/// one candidate in double precision: the last polish.
namespace gestik::poise {

inline constexpr int lanes = 8;
inline constexpr int most_links = 64;

struct alignas(32) Float8 {
  using Number = float;
  float at[lanes];
};

struct Double1 {
  using Number = double;
  double at;
};

struct alignas(32) Double8 {
  using Number = double;
  double at[lanes];
};

/// What the end of the chain is asked for.
enum class Wish : std::uint8_t {
  orientation,
  direction,  ///< an aim at something infinitely far
  point,      ///< an aim at a place: the eye moves
};

/// Which deviation from the posture counts, of a link at `angle`:
enum class Measure : std::uint8_t {
  signed_angle,  ///< weight * (1 - cos(angle - mark)), the mark being the posture's angle
  bend,          ///< weight * |cos(angle - mark) - bend|, the mark being the straightest angle
};

/// What all candidates of a solve, and all characters of a batch, have in common. Links are counted
/// from the root. The frame of a link has the hinge's axis as its Z, and
///     frame[k] = frame[k - 1] * X(tilt[k]) * Z(angle[k]),   frame[0] = Z(angle[0]),
/// after Denavit and Hartenberg: what else lies between two axes has gone into the angles' zeros,
/// the base and the end.
template <class Cell>
struct Form {
  using Number = typename Cell::Number;
  int links;
  Wish wish;
  Measure measure;
  bool symmetric;  ///< the end looks the same turned half round
  bool aligned;    ///< ... about the last link's axis
  /// One more link turns the end about the axis that is aimed; of the kernel's form only, as what
  /// follows: kernel_form() in chain.h.
  bool last_left_out;
  /// Mirrored at its straight angle in all links that `flips` names, the chain aims as before but
  /// for half a turn of the first link, at the same cost and inside the same limits.
  bool mirrors;
  Number posture_weight;        ///< beside the orientation's, which is 1
  Number eye[3], axis[3];       ///< of an aim, in the last frame
  Number tilt_cos[most_links];  ///< of half the tilt
  Number tilt_sin[most_links];
  Number offset[most_links][3];  ///< the link's place in the frame before it
  bool flips[most_links];        ///< where it mirrors
};

/// What is asked of a link.
template <class Cell>
struct AskOfLink {
  Cell lo, hi;
  Cell mark_cos, mark_sin;
  Cell bend;
  Cell weight;    ///< 0 is free
  Cell posture;   ///< the angle to keep
  Cell straight;  ///< the angle nearest to it at which the chain is bent least
};

/// What may differ from lane to lane.
template <class Cell>
struct Ask {
  AskOfLink<Cell>* links;
  /// target_cells: w, x, y, z of the last frame, and of its twin turned half round; or x, y, z of a
  /// direction or place, from the fifth on the direction to begin with, and from the ninth on,
  /// where the last link was left out, the first two axes of its frame.
  Cell* target;
};
inline constexpr int target_cells = 14;

template <class Cell>
struct State {
  Cell* angles;  ///< one per link
  Cell* best;    ///< the best angles met so far
  Cell* error;   ///< of the best: orientation + posture_weight * posture
};

/// Cells that refine() needs to work in.
inline constexpr int refine_cells(int links) {
  return 11 * links;
}

/// Cells that seed() needs to work in: its tables.
inline constexpr int seed_cells(int links) {
  return 320 * (links < 9 ? links : 9);
}

/// What seed_each() can take: so many links, and as many combinations as there is room for.
inline constexpr int each_links = 16;
inline constexpr int each_entries = 640;
inline constexpr int seed_each_cells = 10 * each_entries;

struct Kernel {
  /// Up to eight starts in closed form for what all lanes ask alike, best first; `scores` says how
  /// good each promises to be, 1e8 where there is none and the best stands in. For an orientation
  /// three links are needed, for an aim two.
  void (*seed)(const Form<Float8>&, const Ask<Float8>&, int starts, Float8* angles, Float8& scores,
               Float8* work);
  /// The best start of each lane's asker, as seed() would find it for him alone with `starts` 1; or
  /// only those `perfect_ones` that the first pivot finds. All have to weigh their links alike. Who
  /// asks for a target about which both ends turn gets a start only where all do. Bit i of what it
  /// returns: lane i has got one.
  unsigned (*seed_each)(const Form<Float8>&, const Ask<Float8>&, bool perfect_ones, Float8* angles,
                        Float8* work);
  /// Improves eight candidates by a number of steps; fewer, unless `gain` is below zero, where the
  /// best of them is perfect or gains less than that, as a share, in two. Returns how many it made.
  int (*refine)(const Form<Float8>&, const Ask<Float8>&, const State<Float8>&, int steps,
                double gain, Float8* work);
  /// Each candidate of `who`, bit by bit, as refine() would improve it alone; `gain` is not below
  /// zero.
  void (*refine_each)(const Form<Float8>&, const Ask<Float8>&, const State<Float8>&, unsigned who,
                      int steps, double gain, Float8* work);
  /// How far poses are from what is asked: sines of half the angles that are left. Of an
  /// orientation whose last link was left out it is the direction's: as far as the orientation is
  /// off when that link is turned best, as refine() turns it.
  void (*rest)(const Form<Float8>&, const Ask<Float8>&, const Float8* angles, Float8& sines,
               Float8* work);
};

/// The fastest that this processor can run.
const Kernel& kernel() noexcept;
const Kernel& portable_kernel() noexcept;

}  // namespace gestik::poise
