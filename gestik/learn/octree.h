#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gestik/math/types.h"

namespace gestik::learn {

/// How fine the cells become. The defaults are the paper's.
struct Growth {
  int split = 20;      ///< a cell with more points than this is divided
  int levels = 6;      ///< at most, the root counted
  Real slack = 0.001;  ///< how far the limits learnt lie beyond what was seen (radians, metres)
};
inline constexpr int most_levels = 16;

/// A place and how fast it moved there, in metres and metres per second.
struct Sighting {
  std::array<float, 3> place, velocity;
};

/// Cells over places, each divided at its middle into those of its eight octants that hold points.
/// Every level keeps its points: a cell's are a range of `order`, within its parent's.
class Octree {
 public:
  struct Cell {
    std::array<float, 6> lo, hi;  ///< what its points span, place and velocity
    std::array<float, 3> middle;  ///< where it is divided
    std::uint32_t first, last;    ///< in order(), last not included
    std::uint32_t children = 0;   ///< the first of them
    std::uint8_t child_count = 0;
    std::uint8_t octant =
        0;  ///< which of its parent's it is: bit k set beyond the middle of axis k
    std::uint8_t level = 0;
  };

  Octree() = default;
  Octree(std::span<const Sighting>, const Growth&);

  std::span<const Cell> cells() const noexcept { return cells_; }  ///< parents first
  std::span<const std::uint32_t> order() const noexcept { return order_; }

  /// The cell of a place, at most this deep: from the root down as long as the octant it lies in
  /// holds anything (the paper's pop-up from an empty cell). A place outside the root's box counts
  /// as the box's nearest. There must be a cell.
  std::size_t cell_at(const Vec3& place, int deepest) const noexcept;

  struct Neighbour {
    std::uint32_t point;
    Real distance2;
  };
  /// The points nearest to (place, velocity), nearest first; of equals the one learnt first. The
  /// distance is |place difference|^2 + |time * velocity difference|^2. Returns how many there are,
  /// at most out.size(). `points` are those the tree was made of.
  std::size_t nearest(std::span<const Sighting> points, const Vec3& place, const Vec3& velocity,
                      Real time, std::span<Neighbour> out) const noexcept;

 private:
  void divide(std::size_t cell, std::span<const Sighting>, const Growth&, const Vec3& half);

  std::vector<Cell> cells_;
  std::vector<std::uint32_t> order_;
};

}  // namespace gestik::learn
