#include "gestik/body/triangulation.h"

#include <algorithm>
#include <cmath>

#include "gestik/base/assert.h"
#include "gestik/math/predicates.h"

namespace gestik {
namespace {

/// An edge and the face to the left of it, `across` from one of its corners.
struct Edge {
  int from, to, face, across;
};

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

constexpr int next(int i) noexcept {
  return i == 2 ? 0 : i + 1;
}

/// To the last bits even where the products nearly cancel (Kahan): slivers keep their weights.
Real cross(const Vec2& a, const Vec2& b) noexcept {
  const Real right = a.y() * b.x();
  return std::fma(a.x(), b.y(), -right) + std::fma(-a.y(), b.x(), right);
}

}  // namespace

Triangulation::Triangulation(const Vec2& corner) : corner_(on_lattice(corner)) {
  const Real x = corner_.x(), y = corner_.y();
  GESTIK_ASSERT(x > least_gap && y > least_gap && x < lattice_end && y < lattice_end);
  points_ = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
  faces_ = {{{0, 1, 2}}, {{0, 2, 3}}};
  link();
}

int Triangulation::nearest(const Vec2& p) const noexcept {
  int best = 0;
  for (int i = 1; i < point_count(); ++i)
    if ((point(i) - p).squaredNorm() < (point(best) - p).squaredNorm()) best = i;
  return best;
}

// Bowyer and Watson: the faces whose circles hold the new point are just those that it spoils. They
// make one hole that can be seen from the point all over; joining the hole's rim to it mends the
// triangulation. With exact signs that needs no care: the rim's edges all have the point strictly
// to their left, even when it lies on an edge, for then both faces of that edge go. Every face is
// asked and the neighbours are found anew: people edit dozens of points, not thousands.
Triangulation::Insertion Triangulation::insert(const Vec2& wanted) {
  if (!(std::abs(wanted.x()) < corner_.x() && std::abs(wanted.y()) < corner_.y()))
    return Insertion::outside;
  const Vec2 p = on_lattice(wanted);
  if ((point(nearest(p)) - p).norm() < least_gap) return Insertion::too_near;
  if (!(std::abs(p.x()) < corner_.x() && std::abs(p.y()) < corner_.y())) return Insertion::outside;

  const int added = point_count();
  std::vector<Face> kept;
  std::vector<std::array<int, 2>> rim;
  std::vector<bool> spoilt(faces_.size());
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    const auto [a, b, c] = faces_[i].corner;
    spoilt[i] = side_of_circle(point(a), point(b), point(c), p) > 0;
  }
  for (std::size_t i = 0; i < faces_.size(); ++i) {
    if (!spoilt[i]) {
      kept.push_back(faces_[i]);
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      const int neighbour = faces_[i].neighbour[at(k)];
      if (neighbour < 0 || !spoilt[at(neighbour)])
        rim.push_back({faces_[i].corner[at(next(k))], faces_[i].corner[at(next(next(k)))]});
    }
  }
  for (const auto& [from, to] : rim) kept.push_back({{from, to, added}});
  points_.push_back(p);
  faces_ = std::move(kept);
  link();
  return Insertion::done;
}

// The faces around the point leave a hole with its neighbours as corners. Three of these in a row
// make a face of the new triangulation if they turn left and their circle holds none of the others;
// cutting it off leaves a smaller hole of the same kind. There always is one: the leaves of the
// tree of faces that the Delaunay triangulation puts there.
void Triangulation::remove(int gone) {
  GESTIK_ASSERT(gone >= corner_count && gone < point_count());
  std::vector<Face> kept;
  std::vector<std::array<int, 2>> rim;
  for (const Face& face : faces_) {
    const auto it = std::find(face.corner.begin(), face.corner.end(), gone);
    if (it == face.corner.end()) {
      kept.push_back(face);
      continue;
    }
    const int k = static_cast<int>(it - face.corner.begin());
    rim.push_back({face.corner[at(next(k))], face.corner[at(next(next(k)))]});
  }
  std::vector<int> hole{rim.front()[0]};
  while (hole.size() < rim.size())
    for (const auto& [from, to] : rim)
      if (from == hole.back()) {
        hole.push_back(to);
        break;
      }

  const auto is_ear = [&](int a, int b, int c) {
    if (side_of(point(a), point(b), point(c)) <= 0) return false;
    return std::none_of(hole.begin(), hole.end(), [&](int other) {
      return other != a && other != b && other != c &&
             side_of_circle(point(a), point(b), point(c), point(other)) > 0;
    });
  };
  while (hole.size() > 2) {
    std::size_t i = 0;
    const auto corner = [&](std::size_t k) { return hole[(i + k) % hole.size()]; };
    while (i < hole.size() && !is_ear(corner(0), corner(1), corner(2))) ++i;
    GESTIK_ASSERT(i < hole.size());
    kept.push_back({{corner(0), corner(1), corner(2)}});
    hole.erase(hole.begin() + static_cast<std::ptrdiff_t>((i + 1) % hole.size()));
  }

  for (Face& face : kept)
    for (int& corner : face.corner) corner -= corner > gone;
  points_.erase(points_.begin() + gone);
  faces_ = std::move(kept);
  link();
}

/// Finds the neighbours: the other face on each edge runs along it the other way.
void Triangulation::link() {
  std::vector<Edge> edges;
  for (int f = 0; f < static_cast<int>(faces_.size()); ++f)
    for (int k = 0; k < 3; ++k) {
      const auto& corner = faces_[at(f)].corner;
      edges.push_back({corner[at(next(k))], corner[at(next(next(k)))], f, k});
    }
  const auto before = [](const Edge& a, const Edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  };
  std::sort(edges.begin(), edges.end(), before);
  for (const Edge& edge : edges) {
    const Edge back{edge.to, edge.from, 0, 0};
    const auto it = std::lower_bound(edges.begin(), edges.end(), back, before);
    const bool found = it != edges.end() && it->from == back.from && it->to == back.to;
    faces_[at(edge.face)].neighbour[at(edge.across)] = found ? it->face : -1;
  }
}

// Across an edge that has the point on its other side, again and again: in a Delaunay triangulation
// that never comes back to a face, so it ends.
Triangulation::Place Triangulation::locate(const Vec2& wanted, int start) const noexcept {
  const auto inside = [](Real x, Real end) { return x > -end ? (x < end ? x : end) : -end; };
  const Vec2 p = on_lattice({inside(wanted.x(), corner_.x()), inside(wanted.y(), corner_.y())});
  Place place;
  place.face = start >= 0 && start < static_cast<int>(faces_.size()) ? start : 0;
  for (bool moved = true; moved;) {
    moved = false;
    const Face& face = faces_[at(place.face)];
    for (int k = 0; k < 3 && !moved; ++k) {
      const int from = face.corner[at(next(k))], to = face.corner[at(next(next(k)))];
      if (side_of(point(from), point(to), p) >= 0 || face.neighbour[at(k)] < 0) continue;
      place.face = face.neighbour[at(k)];
      moved = true;
    }
  }
  place.points = faces_[at(place.face)].corner;
  const auto [a, b, c] = place.points;
  const Vec2 to_a = point(a) - p, to_b = point(b) - p, to_c = point(c) - p;
  std::array<Real, 3> areas{cross(to_b, to_c), cross(to_c, to_a), cross(to_a, to_b)};
  for (Real& area : areas) area = std::max<Real>(0, area);
  const Real sum = areas[0] + areas[1] + areas[2];
  for (std::size_t i = 0; i < 3; ++i) place.weights[i] = areas[i] / sum;
  return place;
}

}  // namespace gestik
