#pragma once

#include <array>
#include <span>
#include <vector>

#include "gestik/math/types.h"

namespace gestik {

/// A Delaunay triangulation of points inside a rectangle, whose corners are its first four points:
/// so every point of the rectangle lies in a triangle. Points come and go one by one and it is
/// Delaunay after each; of points on one circle any triangulation will do. Signs are exact
/// (math/predicates.h): points in line or on a circle are no special case.
class Triangulation {
 public:
  static constexpr int corner_count = 4;
  /// Points nearer to each other than this are one.
  static constexpr Real least_gap = 1e-6;

  /// Corners (-x, -y), (x, -y), (x, y), (-x, y); x and y in (least_gap, 8).
  explicit Triangulation(const Vec2& corner);

  int point_count() const noexcept { return static_cast<int>(points_.size()); }
  const Vec2& point(int i) const noexcept { return points_[static_cast<std::size_t>(i)]; }

  /// A triangle by its points, against the clock; neighbour[i] lies across from corner[i], -1 for
  /// none.
  struct Face {
    std::array<int, 3> corner;
    std::array<int, 3> neighbour{-1, -1, -1};
  };
  std::span<const Face> faces() const noexcept { return faces_; }

  enum class Insertion : std::uint8_t { done, outside, too_near };

  /// Adds a point, the last of all; where it can't, nothing changes. Outside is what does not lie
  /// strictly inside the rectangle, NaN too.
  Insertion insert(const Vec2&);

  /// The point nearest to this one.
  int nearest(const Vec2&) const noexcept;

  /// Takes a point away that is no corner; those after it move up by one.
  void remove(int point);

  /// Where a point is: the face and the weights of its corners, none below zero, 1 in sum. Points
  /// outside the rectangle, NaN too, are taken to lie at a place of it nearby. Walks from face
  /// `start`, the nearer the better; it need not exist.
  struct Place {
    int face = 0;
    std::array<int, 3> points{};
    std::array<Real, 3> weights{};
  };
  Place locate(const Vec2&, int start = 0) const noexcept;

 private:
  void link();

  Vec2 corner_;
  std::vector<Vec2> points_;  ///< on the lattice
  std::vector<Face> faces_;
};

}  // namespace gestik
