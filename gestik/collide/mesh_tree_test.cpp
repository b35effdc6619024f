#include "gestik/collide/mesh_tree.h"

#include <gtest/gtest.h>

#include "gestik/collide/bodies_for_test.h"
#include "gestik/math/random_for_test.h"
#include "gestik/measure/allocations.h"

namespace gestik {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int share = 20;
#else
constexpr int share = 1;
#endif

Real brute_distance(const MeshTree& tree, const Segment& s) {
  Real best = infinity;
  for (const Triangle& t : tree.triangles()) best = std::min(best, squared_distance(s, t));
  return std::sqrt(best);
}

/// Capsules about a body of some half a metre: near it, far away, thick, thin, of no length.
struct Probe {
  Segment axis;
  Real radius;
};
Probe random_probe(Random& random, Real reach = 0.35) {
  const Vec3 a = random.vector(reach) + Vec3(0, 0.3, 0);
  const Vec3 b = a + random.direction() * std::abs(random.any_size(1e-3, 0.6));
  const Real radius = std::abs(random.any_size(1e-3, 0.2));
  return {{a, random.chance(0.1) ? a : b}, radius};
}

TEST(MeshTree, agrees_with_a_look_at_every_triangle) {
  Random random(1);
  for (const Mesh& mesh : {torso(12, 20), ball(0.3), cube(0.25)}) {
    const MeshTree tree(mesh);
    ASSERT_TRUE(tree.closed());
    int hits = 0, wholly_inside = 0;
    const int cases = 6'000 / share;
    for (int i = 0; i < cases; ++i) {
      const auto [axis, radius] = random_probe(random);
      const Real brute = brute_distance(tree, axis);
      ASSERT_NEAR(tree.distance(axis), brute, 1e-15) << i;
      ASSERT_GE(tree.distance(axis, brute / 2), brute / 2) << i;
      const bool touches = brute <= radius;
      const bool inside = !touches && tree.contains(axis.a);
      ASSERT_EQ(tree.touches(axis, radius), touches) << i;
      ASSERT_EQ(tree.overlaps(axis, radius), touches || inside) << i;
      hits += touches;
      wholly_inside += inside;
    }
    EXPECT_GT(hits, cases / 10);
    EXPECT_LT(hits, cases * 9 / 10);
    EXPECT_GT(wholly_inside, cases / 200);
  }
}

TEST(MeshTree, counts_what_is_wholly_inside) {
  const MeshTree tree(torso());
  EXPECT_FALSE(tree.touches({{0, 0.3, 0}, {0, 0.35, 0}}, 0.01));
  EXPECT_TRUE(tree.overlaps({{0, 0.3, 0}, {0, 0.35, 0}}, 0.01));
  EXPECT_TRUE(tree.overlaps({{0, 0.3, 0}, {0, 0.3, 0}}, 1e-9));
  EXPECT_FALSE(tree.overlaps({{0, 0.8, 0}, {0, 0.9, 0}}, 0.01));

  Mesh open = torso();
  open.triangles.resize(open.triangles.size() - 10);
  const MeshTree shell(open);
  EXPECT_FALSE(shell.closed());
  EXPECT_FALSE(shell.overlaps({{0, 0.3, 0}, {0, 0.35, 0}}, 0.01)) << "a shell has no inside";
}

TEST(MeshTree, sees_the_hole_of_a_body_within_a_body) {
  // A ball with a smaller ball of air in it.
  Mesh mesh = ball(1, 20, 30);
  Mesh hole = ball(0.5, 20, 30);
  const int offset = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), hole.vertices.begin(), hole.vertices.end());
  for (const auto& [a, b, c] : hole.triangles)
    mesh.triangles.push_back({offset + a, offset + c, offset + b});
  ASSERT_FALSE(check(mesh));
  const MeshTree tree(mesh);
  EXPECT_FALSE(tree.overlaps({{0, 0, 0}, {0.1, 0, 0}}, 0.1));
  EXPECT_TRUE(tree.overlaps({{0.75, 0, 0}, {0.75, 0.05, 0}}, 0.1));
  EXPECT_FALSE(tree.overlaps({{1.5, 0, 0}, {1.5, 0.1, 0}}, 0.1));
}

TEST(MeshTree, takes_flat_small_large_and_distant_meshes) {
  Random random(2);
  Mesh flat;  // an open square of 200 triangles
  for (int y = 0; y <= 10; ++y)
    for (int x = 0; x <= 10; ++x) flat.vertices.emplace_back(0.1 * x, 0, 0.1 * y);
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 10; ++x) {
      const int a = 11 * y + x;
      flat.triangles.push_back({a, a + 11, a + 1});
      flat.triangles.push_back({a + 1, a + 11, a + 12});
    }
  Mesh single;
  single.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  single.triangles = {{0, 1, 2}};
  for (const Mesh& mesh : {flat, single})
    for (const Real scale : {1e-6, 1.0, 1e6})
      for (const Real away : {0.0, 1e2}) {
        Mesh moved = mesh;
        for (Vec3& v : moved.vertices) v = scale * (v + away * Vec3(1, 2, -1));
        ASSERT_FALSE(check(moved));
        const MeshTree tree(moved);
        for (int i = 0; i < 300; ++i) {
          auto [axis, radius] = random_probe(random, 1);
          axis.a = scale * (axis.a + away * Vec3(1, 2, -1));
          axis.b = scale * (axis.b + away * Vec3(1, 2, -1));
          radius *= scale;
          const Real brute = brute_distance(tree, axis);
          ASSERT_NEAR(tree.distance(axis), brute, 1e-13 * scale) << i;
          ASSERT_EQ(tree.overlaps(axis, radius), brute <= radius) << i;
        }
      }
}

TEST(MeshTree, answers_anything_without_allocating) {
  const MeshTree tree(torso());
  Random random(3);
  const long before = allocations();
  int hits = 0;
  for (int i = 0; i < 10'000 / share; ++i) {
    const auto [axis, radius] = random_probe(random);
    hits += tree.overlaps(axis, radius) + (tree.distance(axis) < radius);
    if (i % 100 > 0) continue;
    const Vec3 wild(random.any_bits(), random.any_bits(), random.any_bits());
    hits += tree.overlaps({wild, axis.b}, radius) + (tree.distance({wild, axis.b}) < radius);
  }
  EXPECT_GT(hits, 0);
  if (can_count_allocations()) {
    EXPECT_EQ(allocations(), before);
  }
}

}  // namespace
}  // namespace gestik
