#include "gestik/learn/octree.h"

#include <algorithm>
#include <numeric>

namespace gestik::learn {
namespace {

using Cell = Octree::Cell;
using Neighbour = Octree::Neighbour;

/// Place and velocity as one row of six.
float coordinate(const Sighting& point, std::size_t k) noexcept {
  return k < 3 ? point.place[k] : point.velocity[k - 3];
}

int octant_of(const std::array<float, 3>& middle, const std::array<float, 3>& place) noexcept {
  return (place[0] > middle[0] ? 1 : 0) | (place[1] > middle[1] ? 2 : 0) |
         (place[2] > middle[2] ? 4 : 0);
}

void span_points(Cell& cell, std::span<const std::uint32_t> order,
                 std::span<const Sighting> points) noexcept {
  for (std::size_t k = 0; k < 6; ++k) {
    cell.lo[k] = cell.hi[k] = coordinate(points[order[cell.first]], k);
    for (std::uint32_t i = cell.first; i < cell.last; ++i) {
      cell.lo[k] = std::min(cell.lo[k], coordinate(points[order[i]], k));
      cell.hi[k] = std::max(cell.hi[k], coordinate(points[order[i]], k));
    }
  }
}

/// The search for the nearest points: the best so far in order, and what is asked for.
struct Search {
  std::span<const Cell> cells;
  std::span<const std::uint32_t> order;
  std::span<const Sighting> points;
  std::array<Real, 6> wanted;
  std::array<Real, 6> scale2;  ///< of each difference, squared
  std::span<Neighbour> best;
  std::size_t found = 0;

  bool full() const noexcept { return found == best.size(); }

  /// No point of the cell is nearer than this.
  Real distance2(const Cell& cell) const noexcept {
    Real sum = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      const Real beyond =
          std::max({Real(0), Real(cell.lo[k]) - wanted[k], wanted[k] - Real(cell.hi[k])});
      sum += scale2[k] * beyond * beyond;
    }
    return sum;
  }

  Real distance2(const Sighting& point) const noexcept {
    Real sum = 0;
    for (std::size_t k = 0; k < 6; ++k) {
      const Real difference = Real(coordinate(point, k)) - wanted[k];
      sum += scale2[k] * difference * difference;
    }
    return sum;
  }

  static bool nearer(const Neighbour& a, const Neighbour& b) noexcept {
    return a.distance2 < b.distance2 || (a.distance2 == b.distance2 && a.point < b.point);
  }

  void offer(const Neighbour& candidate) noexcept {
    if (full() && !nearer(candidate, best[found - 1])) return;
    if (!full()) ++found;
    std::size_t at = found - 1;
    for (; at > 0 && nearer(candidate, best[at - 1]); --at) best[at] = best[at - 1];
    best[at] = candidate;
  }

  /// As deep as there are levels.
  void visit(const Cell& cell) noexcept {
    if (cell.child_count == 0) {
      for (std::uint32_t i = cell.first; i < cell.last; ++i)
        offer({order[i], distance2(points[order[i]])});
      return;
    }
    struct Child {
      Real distance2;
      std::uint32_t cell;
    };
    std::array<Child, 8> children;
    for (std::uint8_t c = 0; c < cell.child_count; ++c) {
      const Child child{distance2(cells[cell.children + c]), cell.children + c};
      std::size_t at = c;
      for (; at > 0 && child.distance2 < children[at - 1].distance2; --at)
        children[at] = children[at - 1];
      children[at] = child;
    }
    for (std::uint8_t c = 0; c < cell.child_count; ++c) {
      // A cell at the very distance may hold an equal that was learnt earlier.
      if (full() && children[c].distance2 > best[found - 1].distance2) return;
      visit(cells[children[c].cell]);
    }
  }
};

}  // namespace

Octree::Octree(std::span<const Sighting> points, const Growth& growth) {
  if (points.empty()) return;
  order_.resize(points.size());
  std::iota(order_.begin(), order_.end(), 0U);
  Cell root{};
  root.last = static_cast<std::uint32_t>(points.size());
  span_points(root, order_, points);
  Vec3 half;
  for (std::size_t k = 0; k < 3; ++k) {
    half[static_cast<int>(k)] = (Real(root.hi[k]) - Real(root.lo[k])) / 2;
    root.middle[k] = static_cast<float>((Real(root.lo[k]) + Real(root.hi[k])) / 2);
  }
  cells_.push_back(root);
  divide(0, points, growth, half);
}

void Octree::divide(std::size_t index, std::span<const Sighting> points, const Growth& growth,
                    const Vec3& half) {
  const Cell cell = cells_[index];
  const bool crowded = cell.last - cell.first > static_cast<std::uint32_t>(growth.split);
  const bool one_place = std::equal(cell.lo.begin(), cell.lo.begin() + 3, cell.hi.begin());
  if (!crowded || one_place || cell.level + 1 >= growth.levels) return;
  const auto begin = order_.begin() + cell.first, end = order_.begin() + cell.last;
  const auto octant = [&](std::uint32_t point) {
    return octant_of(cell.middle, points[point].place);
  };
  std::stable_sort(begin, end,
                   [&](std::uint32_t a, std::uint32_t b) { return octant(a) < octant(b); });

  const std::size_t children = cells_.size();
  for (auto at = begin; at != end;) {
    const int which = octant(*at);
    const auto stop = std::find_if(at, end, [&](std::uint32_t p) { return octant(p) != which; });
    Cell child{};
    child.first = static_cast<std::uint32_t>(at - order_.begin());
    child.last = static_cast<std::uint32_t>(stop - order_.begin());
    child.octant = static_cast<std::uint8_t>(which);
    child.level = static_cast<std::uint8_t>(cell.level + 1);
    for (std::size_t k = 0; k < 3; ++k) {
      const Real quarter = half[static_cast<int>(k)] / 2;
      child.middle[k] =
          static_cast<float>(Real(cell.middle[k]) + ((which >> k & 1) != 0 ? quarter : -quarter));
    }
    span_points(child, order_, points);
    cells_.push_back(child);
    at = stop;
  }
  cells_[index].children = static_cast<std::uint32_t>(children);
  cells_[index].child_count = static_cast<std::uint8_t>(cells_.size() - children);
  for (std::size_t c = children, stop = cells_.size(); c < stop; ++c)
    divide(c, points, growth, half / 2);
}

std::size_t Octree::cell_at(const Vec3& place, int deepest) const noexcept {
  const Cell& root = cells_.front();
  std::array<float, 3> inside;
  for (std::size_t k = 0; k < 3; ++k)
    inside[k] = static_cast<float>(
        std::clamp(place[static_cast<int>(k)], Real(root.lo[k]), Real(root.hi[k])));
  std::size_t at = 0;
  while (cells_[at].level < deepest && cells_[at].child_count > 0) {
    const Cell& cell = cells_[at];
    const auto first = cells_.begin() + cell.children;
    const auto child = std::find_if(first, first + cell.child_count, [&](const Cell& c) {
      return c.octant == octant_of(cell.middle, inside);
    });
    if (child == first + cell.child_count) return at;
    at = static_cast<std::size_t>(child - cells_.begin());
  }
  return at;
}

std::size_t Octree::nearest(std::span<const Sighting> points, const Vec3& place,
                            const Vec3& velocity, Real time,
                            std::span<Neighbour> out) const noexcept {
  if (cells_.empty() || out.empty()) return 0;
  const Real t2 = time * time;
  Search search{cells_,
                order_,
                points,
                {place[0], place[1], place[2], velocity[0], velocity[1], velocity[2]},
                {1, 1, 1, t2, t2, t2},
                out};
  search.visit(cells_.front());
  return search.found;
}

}  // namespace gestik::learn
