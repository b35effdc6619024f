#pragma once

#include <string>

#include "gestik/learn/chain.h"
#include "gestik/learn/octree.h"

/// What is learnt from motion capture: the poses a chain was seen in, by where its end was and how
/// fast it moved, and what each region of space says about the joints. After Huang, Fratarcangeli,
/// Ding & Pelachaud, "Inverse kinematics using dynamic joint parameters" (2016); NOTES.md of the
/// solver `learnt` says what differs.
namespace gestik::learn {

/// One uninterrupted motion of a chain.
struct Take {
  std::string style = {};    ///< takes of one style grow one tree; empty is a style as well
  Real rate = 0;             ///< frames per second
  std::vector<Real> q = {};  ///< the chain's coordinates, frame after frame
};

/// A tree and what it is made of. Poses are kept as floats, in memory as in the file, so that a
/// model read again gives the same bits as the one that was written.
struct Style {
  struct Run {
    Real rate;
    std::uint32_t first, count;  ///< frames
  };
  std::string name;
  std::vector<Run> runs;
  std::vector<float> q;             ///< frame after frame
  std::vector<Sighting> sightings;  ///< one per frame
  Octree tree;
  /// Per cell of the tree: the weighted mean pose (Eqs 9, 10), then how far each tangent coordinate
  /// was seen from it, down and up (Eqs 7, 8), then the squared damping of each (Eq 11).
  std::vector<float> cells;

  std::uint32_t frame_count() const noexcept {
    return static_cast<std::uint32_t>(sightings.size());
  }
};

/// Immutable once learnt: threads and solves share it.
struct Model {
  Chain chain;
  Growth growth;
  std::vector<Style> styles;
  /// Per joint of the chain: whether it was ever seen to move. All of them where none was: a single
  /// pose says nothing about that.
  std::vector<bool> moves = {};

  /// A frame's pose, its quaternions of unit length.
  void pose(const Style&, std::uint32_t frame, Q out) const noexcept;

  /// What a cell says. The spans have q_size and v_size numbers.
  struct CellView {
    std::span<const float> mean, lo, hi, damping2;
  };
  CellView cell(const Style&, std::size_t) const noexcept;

  std::size_t frame_count() const noexcept;
  std::size_t bytes() const noexcept;                    ///< of memory, about
  int find_style(std::string_view name) const noexcept;  ///< -1 where there is none of that name
};

inline constexpr std::size_t most_frames = 20'000'000;
inline constexpr std::size_t most_styles = 8;

/// Refuses: nothing to learn from, too much of it, rates that are not above zero, numbers that are
/// not finite, a take that is not whole frames, settings out of range. A take of one frame is
/// learnt as a pose at rest, and so are constant frames.
Result<Model> learn(Chain, std::span<const Take>, const Growth& = {});

/// The velocity at a frame of a path: the central difference, one-sided at its ends, zero for a
/// path of one frame. `place(f)` gives the path.
template <class Place>
Vec3 path_velocity(std::size_t frame, std::size_t frames, Real rate, Place&& place) {
  const std::size_t before = frame > 0 ? frame - 1 : 0;
  const std::size_t after = frame + 1 < frames ? frame + 1 : frame;
  if (before == after) return Vec3::Zero();
  return (place(after) - place(before)) * (rate / static_cast<Real>(after - before));
}

}  // namespace gestik::learn
