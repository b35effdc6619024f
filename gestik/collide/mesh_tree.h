#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gestik/collide/mesh.h"
#include "gestik/collide/nearest.h"

namespace gestik {

/// A mesh made ready for questions about capsules near it: a tree of boxes over its triangles and,
/// before it, a grid of clearances. Made once, immutable, shared as you like; no question
/// allocates. Everything is in the mesh's own frame.
///
/// The grid says of each of its cells how far at least all of it is from the surface, and on which
/// side. Walking along a capsule in steps of what is clear decides most questions in a few looks,
/// and shortens the capsule to what the tree has to look at for the others. Its inner cells are
/// what makes a capsule that lies wholly inside the body collide: no surface tells of that.
class MeshTree {
 public:
  /// The mesh must have passed check().
  explicit MeshTree(const Mesh&);

  bool closed() const noexcept { return closed_; }
  int triangle_count() const noexcept { return static_cast<int>(triangles_.size()); }
  /// The triangles in the tree's own order.
  std::span<const Triangle> triangles() const noexcept { return triangles_; }

  /// Whether a capsule meets the body: its surface or, if that is closed, what is inside.
  bool overlaps(const Segment&, Real radius) const noexcept;

  /// Whether it meets the surface: one tree walk, without the grid.
  bool touches(const Segment&, Real radius) const noexcept;

  /// How near the segment comes to the surface, or any number of at least `far` where that is not
  /// nearer than `far`.
  Real distance(const Segment&, Real far = infinity) const noexcept;

  /// Whether a point off the surface is inside it, by the solid angle of all triangles: exact, and
  /// as slow as there are many.
  bool contains(const Vec3&) const noexcept;

 private:
  static constexpr int width = 4;

  /// The boxes of up to four children, numbers side by side. Singles, made larger by their
  /// rounding: half the memory, and four fit into one register.
  struct Node {
    float center[3][width];
    float half[3][width];
    std::int32_t child[width];  ///< a node, or -1 - a triangle; `none` where there is none
  };
  static constexpr std::int32_t none = INT32_MAX;
  static constexpr int deepest = 64;  ///< nodes that can wait on a walk; 16 levels need 49

  /// What remains of a capsule once the grid has spoken.
  enum class Verdict : std::uint8_t { clear, inside, undecided };

  struct Query;
  std::int32_t build(std::span<std::int32_t> order, std::span<const Vec3> centers);
  void fill_grid();
  void set_child(Node&, int lane, std::span<const std::int32_t> order);
  Real clearance(const Vec3&) const noexcept;
  Verdict trim(Segment&, Real radius, bool& outside) const noexcept;

  std::vector<Triangle> triangles_;
  std::vector<Node> nodes_;
  bool closed_ = false;

  Vec3 lo_ = Vec3::Zero(), hi_ = Vec3::Zero();  ///< the box around all
  Real scale_ = 0;                              ///< the largest coordinate
  Real cell_ = 1;                               ///< the size of a cell
  std::array<int, 3> cells_ = {0, 0, 0};
  std::vector<float> clearance_;  ///< below zero inside, zero where nothing is known
};

}  // namespace gestik
