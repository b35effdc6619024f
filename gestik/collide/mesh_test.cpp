#include "gestik/collide/mesh.h"

#include <gtest/gtest.h>

#include <limits>

#include "gestik/collide/bodies_for_test.h"

namespace gestik {
namespace {

TEST(Mesh, knows_its_volume_and_whether_it_is_closed) {
  EXPECT_TRUE(is_closed(cube(0.5)));
  EXPECT_NEAR(signed_volume(cube(0.5)), 1, 1e-15);
  EXPECT_EQ(torso().triangles.size(), 12'000u);
  EXPECT_TRUE(is_closed(torso()));
  EXPECT_GT(signed_volume(torso()), 0);
  EXPECT_NEAR(signed_volume(ball(1, 100, 200)), 4 * pi / 3, 5e-3);
  EXPECT_FALSE(check(cube(1)));
  EXPECT_FALSE(check(torso()));

  Mesh open = cube(1);
  open.triangles.pop_back();
  EXPECT_FALSE(is_closed(open));
  EXPECT_FALSE(check(open));
  Mesh twisted = cube(1);
  std::swap(twisted.triangles[3][0], twisted.triangles[3][1]);
  EXPECT_FALSE(is_closed(twisted));
}

/// What check() says of a cube after this has been done to it.
template <class Spoil>
std::string complaint(Spoil spoil) {
  Mesh mesh = cube(1);
  spoil(mesh);
  const std::optional<Error> error = check(mesh);
  return error ? to_string(*error) : "";
}

TEST(Mesh, refuses_bad_meshes_in_words) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(complaint([](Mesh& m) { m = {}; }), "the mesh has no triangles");
  EXPECT_EQ(complaint([](Mesh& m) { m.triangles.clear(); }), "the mesh has no triangles");
  for (const Real bad : {nan, infinity, -infinity, 2e9})
    EXPECT_EQ(complaint([&](Mesh& m) { m.vertices[3].y() = bad; }),
              "vertex 3: its place must be finite numbers of at most 1e9");
  EXPECT_EQ(complaint([](Mesh& m) { m.triangles[5][1] = 8; }),
            "triangle 5: it names vertex 8, and there are only those from 0 to 7");
  EXPECT_EQ(complaint([](Mesh& m) { m.triangles[5][1] = -1; }),
            "triangle 5: it names vertex -1, and there are only those from 0 to 7");
  EXPECT_EQ(complaint([](Mesh& m) {
              m.triangles[2] = {4, 5, 4};
            }),
            "triangle 2: two of its corners are the same vertex");
  EXPECT_EQ(complaint([](Mesh& m) {
              m.vertices.emplace_back(0, 0, 0);
              m.triangles.push_back({0, 8, 7});
            }),
            "triangle 12: its area is zero; remove it");
  EXPECT_EQ(complaint([](Mesh& m) {
              for (auto& t : m.triangles) std::swap(t[0], t[1]);
            }),
            "the mesh is inside out: turn the order of every triangle's corners round");
}

}  // namespace
}  // namespace gestik
