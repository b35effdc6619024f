#include "gestik/collide/mesh.h"

#include <algorithm>

#include "gestik/math/rotation.h"

namespace gestik {
namespace {

const Vec3& corner(const Mesh& mesh, int vertex) {
  return mesh.vertices[static_cast<std::size_t>(vertex)];
}

}  // namespace

// The area is zero, to rounding, when the height over the longest edge is less than the spacing of
// doubles at that length.
std::optional<std::string> fault_of(const Mesh& mesh, const std::array<int, 3>& triangle) {
  const auto count = static_cast<int>(mesh.vertices.size());
  for (const int v : triangle)
    if (v < 0 || v >= count)
      return "it names vertex " + std::to_string(v) + ", and there are only those from 0 to " +
             std::to_string(count - 1);
  const auto [i, j, k] = triangle;
  if (i == j || j == k || k == i) return "two of its corners are the same vertex";
  const Vec3 ab = corner(mesh, j) - corner(mesh, i), ac = corner(mesh, k) - corner(mesh, i);
  const Real longest = std::max({ab.squaredNorm(), ac.squaredNorm(), Vec3(ac - ab).squaredNorm()});
  if (!(ab.cross(ac).norm() > 1e-15 * longest)) return "its area is zero; remove it";
  return std::nullopt;
}

std::optional<Error> check(const Mesh& mesh) {
  if (mesh.triangles.empty()) return Error{"the mesh has no triangles", ""};
  if (mesh.triangles.size() > most_triangles || mesh.vertices.size() > 3 * most_triangles)
    return Error{"the mesh has more than 16 million triangles; simplify it", ""};
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    if (!(mesh.vertices[i].cwiseAbs().maxCoeff() <= farthest_vertex) ||
        !is_finite(mesh.vertices[i]))
      return Error{"its place must be finite numbers of at most 1e9",
                   "vertex " + std::to_string(i)};
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    if (const auto fault = fault_of(mesh, mesh.triangles[i]))
      return Error{*fault, "triangle " + std::to_string(i)};
  if (is_closed(mesh) && signed_volume(mesh) < 0)
    return Error{"the mesh is inside out: turn the order of every triangle's corners round", ""};
  return std::nullopt;
}

// Directed edges in order: each must come once, and its opposite once.
bool is_closed(const Mesh& mesh) {
  using Edge = std::array<int, 2>;
  std::vector<Edge> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles)
    for (const Edge& edge : {Edge{a, b}, Edge{b, c}, Edge{c, a}}) edges.push_back(edge);
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end()) return false;
  return std::all_of(edges.begin(), edges.end(), [&](const Edge& edge) {
    return std::binary_search(edges.begin(), edges.end(), Edge{edge[1], edge[0]});
  });
}

// Six times the volume of the tetrahedra from one vertex to every triangle.
Real signed_volume(const Mesh& mesh) noexcept {
  if (mesh.vertices.empty()) return 0;
  const Vec3 origin = mesh.vertices.front();
  Real sum = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = corner(mesh, i) - origin, b = corner(mesh, j) - origin;
    sum += a.dot(b.cross(corner(mesh, k) - origin));
  }
  return sum / 6;
}

}  // namespace gestik
