#pragma once

#include <array>
#include <optional>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

namespace gestik {

/// A surface of triangles, as a file or a program describes it. Seen from outside, the corners of a
/// triangle go round against the clock. Nothing here is checked: check() does that.
struct Mesh {
  std::vector<Vec3> vertices = {};
  std::vector<std::array<int, 3>> triangles = {};
};

/// More than this many triangles are refused.
inline constexpr std::size_t most_triangles = std::size_t{1} << 24;
/// Nor may a vertex be farther out: the squares of single precision would overflow.
inline constexpr Real farthest_vertex = 1e9;

/// What is wrong with one triangle of a mesh whose vertices are sound, in words, or nothing: an
/// index out of range, a corner that comes twice, an area of zero.
std::optional<std::string> fault_of(const Mesh&, const std::array<int, 3>& triangle);

/// What is wrong with the mesh, or nothing: no triangles or too many, a vertex that is not finite
/// or beyond 1e9, a triangle that fault_of refuses, and a closed surface that is inside out.
std::optional<Error> check(const Mesh&);

/// Whether the surface has an inside: every edge belongs to two triangles, which run along it in
/// opposite directions.
bool is_closed(const Mesh&);

/// Of a closed surface, what it encloses; below zero when it is inside out.
Real signed_volume(const Mesh&) noexcept;

}  // namespace gestik
