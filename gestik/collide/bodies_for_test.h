#pragma once

#include <cmath>

#include "gestik/collide/mesh.h"

/// Meshes for tests and benchmarks, made in code.
namespace gestik {

/// A closed surface of `rings` by `around` quads between two poles on the y axis, whose point at
/// height share `v` in (0, 1) and angle `phi` is at(v, phi). `at` must go round against the clock
/// seen from above (from z to x).
template <class At>
Mesh round_body(int rings, int around, const Vec3& bottom, const Vec3& top, At at) {
  Mesh mesh;
  mesh.vertices.push_back(bottom);
  for (int r = 0; r < rings; ++r)
    for (int k = 0; k < around; ++k)
      mesh.vertices.push_back(at((r + 1.0) / (rings + 1), 2 * pi * k / around));
  mesh.vertices.push_back(top);
  const auto ring = [&](int r, int k) { return 1 + r * around + k % around; };
  const int last = static_cast<int>(mesh.vertices.size()) - 1;
  for (int k = 0; k < around; ++k) {
    mesh.triangles.push_back({0, ring(0, k + 1), ring(0, k)});
    for (int r = 0; r + 1 < rings; ++r) {
      mesh.triangles.push_back({ring(r, k), ring(r, k + 1), ring(r + 1, k + 1)});
      mesh.triangles.push_back({ring(r, k), ring(r + 1, k + 1), ring(r + 1, k)});
    }
    mesh.triangles.push_back({ring(rings - 1, k), ring(rings - 1, k + 1), last});
  }
  return mesh;
}

/// A torso with a waist, 0.6 m tall from the origin up and 0.36 m wide; 12,000 triangles by
/// default.
inline Mesh torso(int rings = 60, int around = 100) {
  return round_body(rings, around, {0, 0, 0}, {0, 0.6, 0}, [](Real v, Real phi) -> Vec3 {
    const Real closing = std::sqrt(std::sin(pi * v));
    const Real waist = 1 - 0.2 * std::exp(-std::pow((v - 0.4) / 0.15, 2));
    return {0.18 * closing * waist * std::sin(phi), 0.6 * v,
            0.12 * closing * waist * std::cos(phi) * (1 + 0.1 * std::cos(3 * phi))};
  });
}

inline Mesh ball(Real radius, int rings = 12, int around = 16) {
  return round_body(rings, around, {0, -radius, 0}, {0, radius, 0}, [&](Real v, Real phi) -> Vec3 {
    const Real s = radius * std::sin(pi * v);
    return {s * std::sin(phi), -radius * std::cos(pi * v), s * std::cos(phi)};
  });
}

inline Mesh cube(Real half) {
  Mesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

}  // namespace gestik
