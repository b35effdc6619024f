#include "gestik/collide/mesh_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gestik {
namespace {

/// The grid has about so many cells for each triangle, but never more than the second: 160 kB.
constexpr Real cells_per_triangle = 64;
constexpr Real most_cells = 40'000;

/// Steps of the walk along a capsule, from each of its ends.
constexpr int most_steps = 8;

Vec3 lowest(const Triangle& t) {
  return t.a.cwiseMin(t.b).cwiseMin(t.c);
}
Vec3 highest(const Triangle& t) {
  return t.a.cwiseMax(t.b).cwiseMax(t.c);
}

/// The next single above: what rounding may have taken away, and more.
float rounded_up(Real x) {
  return std::nextafter(static_cast<float>(x), std::numeric_limits<float>::infinity());
}

}  // namespace

// --- making it ---

MeshTree::MeshTree(const Mesh& mesh) : closed_(is_closed(mesh)) {
  triangles_.reserve(mesh.triangles.size());
  const auto corner = [&](int v) { return mesh.vertices[static_cast<std::size_t>(v)]; };
  for (const auto& [i, j, k] : mesh.triangles)
    triangles_.push_back({corner(i), corner(j), corner(k)});

  lo_ = lowest(triangles_.front());
  hi_ = highest(triangles_.front());
  std::vector<Vec3> centers;
  for (const Triangle& t : triangles_) {
    lo_ = lo_.cwiseMin(lowest(t));
    hi_ = hi_.cwiseMax(highest(t));
    centers.push_back((lowest(t) + highest(t)) / 2);
  }
  scale_ = lo_.cwiseAbs().cwiseMax(hi_.cwiseAbs()).maxCoeff();
  std::vector<std::int32_t> order(triangles_.size());
  std::iota(order.begin(), order.end(), 0);
  nodes_.reserve(triangles_.size() / 2 + 1);
  build(order, centers);
  fill_grid();
}

namespace {

/// Puts the half with the lower centers, along the axis on which they spread most, first.
std::size_t halve(std::span<std::int32_t> order, std::span<const Vec3> centers) {
  const auto center = [&](std::int32_t i) -> const Vec3& {
    return centers[static_cast<std::size_t>(i)];
  };
  Vec3 lo = center(order[0]), hi = lo;
  for (const std::int32_t i : order) {
    lo = lo.cwiseMin(center(i));
    hi = hi.cwiseMax(center(i));
  }
  int axis = 0;
  (hi - lo).maxCoeff(&axis);
  const std::size_t middle = (order.size() + 1) / 2;
  // By place, then by number: the same tree from every library's nth_element.
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(middle), order.end(),
                   [&](std::int32_t a, std::int32_t b) {
                     const Real x = center(a)[axis], y = center(b)[axis];
                     return x != y ? x < y : a < b;
                   });
  return middle;
}

}  // namespace

void MeshTree::set_child(Node& node, int lane, std::span<const std::int32_t> order) {
  Vec3 lo = Vec3::Constant(infinity), hi = -lo;
  for (const std::int32_t i : order) {
    const Triangle& t = triangles_[static_cast<std::size_t>(i)];
    lo = lo.cwiseMin(lowest(t));
    hi = hi.cwiseMax(highest(t));
  }
  for (int k = 0; k < 3; ++k) {
    const auto center = static_cast<float>((lo[k] + hi[k]) / 2);
    node.center[k][lane] = center;
    node.half[k][lane] = rounded_up(std::max(hi[k] - Real{center}, Real{center} - lo[k]));
  }
}

// Halved twice, a list becomes four: a node's children.
std::int32_t MeshTree::build(std::span<std::int32_t> order, std::span<const Vec3> centers) {
  const auto self = static_cast<std::int32_t>(nodes_.size());
  Node node{};
  std::fill_n(node.child, width, none);
  for (auto& row : node.half) std::fill_n(row, width, -std::numeric_limits<float>::infinity());
  nodes_.push_back(node);

  std::array<std::span<std::int32_t>, width> parts;
  if (order.size() <= width) {
    for (std::size_t i = 0; i < order.size(); ++i) parts[i] = order.subspan(i, 1);
  } else {
    const std::size_t middle = halve(order, centers);
    const std::span<std::int32_t> low = order.first(middle), high = order.subspan(middle);
    const std::size_t low_middle = halve(low, centers), high_middle = halve(high, centers);
    parts = {low.first(low_middle), low.subspan(low_middle), high.first(high_middle),
             high.subspan(high_middle)};
  }
  for (int lane = 0; lane < width; ++lane) {
    const auto part = parts[static_cast<std::size_t>(lane)];
    if (part.empty()) continue;
    set_child(node, lane, part);
    node.child[lane] = part.size() == 1 ? -1 - part[0] : build(part, centers);
  }
  nodes_[static_cast<std::size_t>(self)] = node;
  return self;
}

// A cell's clearance is that of its middle less its half diagonal. Two neighbours that both know
// something are on one side: their middles are clear by more than half of what is between them. So
// one look at the solid angle serves each connected lot of cells.
void MeshTree::fill_grid() {
  const Vec3 size = (hi_ - lo_).cwiseMax(1e-6 * (hi_ - lo_).maxCoeff());
  const Real wanted =
      std::min(most_cells, cells_per_triangle * static_cast<Real>(triangles_.size()));
  cell_ = std::max(std::cbrt(size.prod() / wanted), size.maxCoeff() / std::sqrt(wanted));
  for (std::size_t k = 0; k < 3; ++k)
    cells_[k] = static_cast<int>(std::ceil(size[static_cast<int>(k)] / cell_));
  const auto [nx, ny, nz] = cells_;
  clearance_.assign(
      static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz),
      0);

  const Real half_diagonal = cell_ * std::sqrt(3.0) / 2;
  const auto middle = [&](int x, int y, int z) -> Vec3 {
    return lo_ + cell_ * Vec3(x + 0.5, y + 0.5, z + 0.5);
  };
  std::size_t i = 0;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y) {
      Real far = infinity;
      for (int x = 0; x < nx; ++x, ++i) {
        const Vec3 p = middle(x, y, z);
        // Most cells of a crowd of triangles are close to one: the first that is found will do.
        if (touches({p, p}, half_diagonal)) {
          far = half_diagonal + 1.001 * cell_;
          continue;
        }
        const Real near = distance({p, p}, far);
        far = near + 1.001 * cell_;
        // A single's rounding must not promise too much.
        clearance_[i] = static_cast<float>(std::max(Real{0}, near - half_diagonal) * (1 - 1e-6));
      }
    }
  if (!closed_) return;

  const std::array<std::ptrdiff_t, 3> stride{1, nx, std::ptrdiff_t{nx} * ny};
  std::vector<std::uint8_t> seen(clearance_.size(), 0);
  std::vector<std::array<int, 3>> waiting;
  const auto index = [&](const std::array<int, 3>& at) {
    return static_cast<std::size_t>(at[0] * stride[0] + at[1] * stride[1] + at[2] * stride[2]);
  };
  const auto visit = [&](const std::array<int, 3>& at) {
    if (seen[index(at)] || clearance_[index(at)] == 0) return;
    seen[index(at)] = 1;
    waiting.push_back(at);
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        visit({x, y, z});
        const bool inside = !waiting.empty() && contains(middle(x, y, z));
        while (!waiting.empty()) {
          const std::array<int, 3> at = waiting.back();
          waiting.pop_back();
          if (inside) clearance_[index(at)] = -clearance_[index(at)];
          for (std::size_t k = 0; k < 3; ++k)
            for (const int step : {-1, 1}) {
              std::array<int, 3> next = at;
              next[k] += step;
              if (next[k] >= 0 && next[k] < cells_[k]) visit(next);
            }
        }
      }
}

// --- asking it ---

/// A segment as the boxes see it: middle, half of its way, and what its cross products with the
/// axes need.
struct MeshTree::Query {
  float middle[3], half[3], reach[3];  ///< reach: |half| + radius
  float radius_across[3];              ///< radius times the length of half without axis k

  /// `scale`: the largest coordinate of the mesh.
  Query(const Segment& s, Real radius, Real scale) noexcept {
    // Larger than they are, by more than singles can lose.
    constexpr float margin = 1e-6f;
    const Vec3 m = (s.a + s.b) / 2, h = (s.b - s.a) / 2;
    const auto size = static_cast<float>(m.cwiseAbs().maxCoeff() + h.cwiseAbs().maxCoeff() + scale);
    const float r = static_cast<float>(radius) * (1 + margin) + margin * size;
    for (int k = 0; k < 3; ++k) {
      middle[k] = static_cast<float>(m[k]);
      half[k] = static_cast<float>(h[k]);
      reach[k] = std::abs(half[k]) + r;
    }
    for (int k = 0; k < 3; ++k) {
      const float u = half[(k + 1) % 3], v = half[(k + 2) % 3];
      radius_across[k] = r * std::sqrt(u * u + v * v) * (1 + margin);
    }
  }
};

// Boxes and capsules are apart if one of six axes parts them: the box's three and their cross
// products with the segment. The rounding of a capsule's ends is taken as square there, so a few
// boxes more are looked into.
bool MeshTree::touches(const Segment& s, Real radius) const noexcept {
  const Query q(s, radius, scale_);
  const Real squared = radius * radius;
  std::array<std::int32_t, deepest> waiting;
  int count = 0;
  waiting[static_cast<std::size_t>(count++)] = 0;
  while (count > 0) {
    const Node& node = nodes_[static_cast<std::size_t>(waiting[static_cast<std::size_t>(--count)])];
    std::int32_t apart[width];
    for (int i = 0; i < width; ++i) {
      const float dx = node.center[0][i] - q.middle[0], dy = node.center[1][i] - q.middle[1],
                  dz = node.center[2][i] - q.middle[2];
      const float hx = node.half[0][i], hy = node.half[1][i], hz = node.half[2][i];
      const float ax = std::abs(q.half[0]), ay = std::abs(q.half[1]), az = std::abs(q.half[2]);
      const float x = std::abs(dx) - hx - q.reach[0];
      const float y = std::abs(dy) - hy - q.reach[1];
      const float z = std::abs(dz) - hz - q.reach[2];
      const float cx = std::abs(dy * q.half[2] - dz * q.half[1]) - hy * az - hz * ay;
      const float cy = std::abs(dz * q.half[0] - dx * q.half[2]) - hz * ax - hx * az;
      const float cz = std::abs(dx * q.half[1] - dy * q.half[0]) - hx * ay - hy * ax;
      apart[i] = (x > 0) | (y > 0) | (z > 0) | (cx > q.radius_across[0]) |
                 (cy > q.radius_across[1]) | (cz > q.radius_across[2]);
    }
    for (int i = 0; i < width; ++i) {
      const std::int32_t child = node.child[i];
      if (apart[i] || child == none) continue;
      if (child >= 0) {
        waiting[static_cast<std::size_t>(count++)] = child;
      } else if (within(s, triangles_[static_cast<std::size_t>(-1 - child)], squared)) {
        return true;
      }
    }
  }
  return false;
}

// The gap between a box and the segment's own box is no more than the distance; the nearest child
// waits on top, and what has become too far when its turn comes is dropped.
Real MeshTree::distance(const Segment& s, Real far) const noexcept {
  const Query q(s, 0, scale_);
  struct Waiting {
    float gap;  ///< squared
    std::int32_t node;
  };
  std::array<Waiting, deepest> waiting;
  int count = 0;
  waiting[static_cast<std::size_t>(count++)] = {0, 0};
  Real best = far * far;
  while (count > 0) {
    const Waiting top = waiting[static_cast<std::size_t>(--count)];
    if (top.gap > best) continue;
    const Node& node = nodes_[static_cast<std::size_t>(top.node)];
    float gap[width];
    for (int i = 0; i < width; ++i) {
      gap[i] = 0;
      for (int k = 0; k < 3; ++k) {
        const float outside =
            std::abs(node.center[k][i] - q.middle[k]) - node.half[k][i] - q.reach[k];
        gap[i] += outside > 0 ? outside * outside : 0.f;
      }
      gap[i] *= 1 - 1e-6f;
    }
    const int first = count;
    for (int i = 0; i < width; ++i) {
      const std::int32_t child = node.child[i];
      if (child == none || gap[i] > best) continue;
      if (child < 0) {
        best =
            std::min(best, squared_distance(s, triangles_[static_cast<std::size_t>(-1 - child)]));
        continue;
      }
      int place = count++;
      for (; place > first && waiting[static_cast<std::size_t>(place - 1)].gap < gap[i]; --place)
        waiting[static_cast<std::size_t>(place)] = waiting[static_cast<std::size_t>(place - 1)];
      waiting[static_cast<std::size_t>(place)] = {gap[i], child};
    }
  }
  return std::sqrt(best);
}

// van Oosterom and Strackee: tan(angle / 2) of a triangle seen from the origin. The angles of a
// closed surface add up to 4 pi inside and to 0 outside.
bool MeshTree::contains(const Vec3& point) const noexcept {
  if (!closed_) return false;
  Real sum = 0;
  for (const Triangle& t : triangles_) {
    const Vec3 a = t.a - point, b = t.b - point, c = t.c - point;
    const Real la = a.norm(), lb = b.norm(), lc = c.norm();
    sum +=
        std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum > pi;
}

/// Off the grid, the distance to its box.
Real MeshTree::clearance(const Vec3& p) const noexcept {
  std::size_t index = 0, stride = 1;
  for (int k = 0; k < 3; ++k) {
    const Real place = (p[k] - lo_[k]) / cell_;
    const int cells = cells_[static_cast<std::size_t>(k)];
    if (!(place >= 0 && place < cells)) return (p - p.cwiseMax(lo_).cwiseMin(hi_)).norm();
    index += stride * static_cast<std::size_t>(place);
    stride *= static_cast<std::size_t>(cells);
  }
  return clearance_[index];
}

// From a point with clearance c, the capsule is clear for the next c - radius along its axis: so it
// goes on, from both ends, until it meets the other end or a place too close to the surface. The
// capsule that is left reaches from one such place to the other.
MeshTree::Verdict MeshTree::trim(Segment& s, Real radius, bool& outside) const noexcept {
  const Vec3 way = s.b - s.a;
  const Real length = way.norm();
  const Vec3 along = length > 0 ? Vec3(way / length) : Vec3(Vec3::Zero());
  const Real least_step = cell_ / 4;
  Real lo = 0, hi = length;
  const auto walk = [&](Real& from, Real sign) {
    for (int i = 0; i < most_steps && lo <= hi; ++i) {
      const Real c = clearance(s.a + from * along);
      if (c < 0) return Verdict::inside;
      if (c > 0) outside = true;
      if (c - radius < least_step) return Verdict::undecided;
      from += sign * (c - radius);
    }
    return lo > hi ? Verdict::clear : Verdict::undecided;
  };
  Verdict verdict = walk(lo, 1);
  if (verdict == Verdict::undecided) verdict = walk(hi, -1);
  if (verdict == Verdict::undecided) s = {s.a + lo * along, s.a + hi * along};
  return verdict;
}

bool MeshTree::overlaps(const Segment& s, Real radius) const noexcept {
  Segment left = s;
  bool outside = false;
  switch (trim(left, radius, outside)) {
    case Verdict::clear:
      return false;
    case Verdict::inside:
      return true;
    case Verdict::undecided:
      break;
  }
  return touches(left, radius) || (closed_ && !outside && contains(s.a));
}

}  // namespace gestik
