#include "gestik/math/predicates.h"

#include <gtest/gtest.h>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

__extension__ using Wide = __int128;

/// Points with small whole coordinates, where 128 bits hold every determinant, brought to the scale
/// of the lattice: often in line, often on one circle.
struct Whole {
  long x, y;
};
Whole random_whole(Random& random, int range) {
  return {random.index(2 * range + 1) - range, random.index(2 * range + 1) - range};
}

int sign(Wide x) {
  return (x > 0) - (x < 0);
}

int whole_side(const Whole& a, const Whole& b, const Whole& c) {
  return sign(Wide(b.x - a.x) * (c.y - a.y) - Wide(b.y - a.y) * (c.x - a.x));
}

int whole_circle(const Whole& a, const Whole& b, const Whole& c, const Whole& d) {
  const auto minor = [&](const Whole& p, const Whole& q, const Whole& r) {
    const Wide px = p.x - d.x, py = p.y - d.y, qx = q.x - d.x, qy = q.y - d.y;
    const Wide rx = r.x - d.x, ry = r.y - d.y;
    return (px * px + py * py) * (qx * ry - qy * rx);
  };
  return sign(minor(a, b, c) + minor(b, c, a) + minor(c, a, b));
}

TEST(Predicates, are_those_of_whole_numbers) {
  Random random(1);
  int in_line = 0, on_circle = 0;
  for (int i = 0; i < 300'000; ++i) {
    // Coarse points on the lattice, or points a few of its steps apart.
    const int range = random.chance(0.5) ? 4 : 1 << 28;
    const Real unit = random.chance(0.5) ? 0x1p-49 : 0x1p-26;
    const Whole a = random_whole(random, range), b = random_whole(random, range),
                c = random_whole(random, range), d = random_whole(random, range);
    const auto point = [&](const Whole& p) {
      return Vec2(static_cast<Real>(p.x) * unit, static_cast<Real>(p.y) * unit);
    };
    for (const Whole& p : {a, b, c, d}) ASSERT_EQ(on_lattice(point(p)), point(p));
    const int side = whole_side(a, b, c);
    ASSERT_EQ(side_of(point(a), point(b), point(c)), side);
    const int circle = whole_circle(a, b, c, d);
    ASSERT_EQ(side_of_circle(point(a), point(b), point(c), point(d)), circle);
    in_line += side == 0;
    on_circle += circle == 0 && side != 0;
  }
  EXPECT_GT(in_line, 1000);
  EXPECT_GT(on_circle, 1000);
}

TEST(Predicates, see_one_step_of_the_lattice) {
  Random random(2);
  for (int i = 0; i < 10'000; ++i) {
    // On the unit circle's four poles, which are on the lattice, and one step off it.
    const Vec2 center = on_lattice({random.uniform(-2, 2), random.uniform(-2, 2)});
    const auto at = [&](Real x, Real y) { return Vec2(center + Vec2(x, y)); };
    const Vec2 a = at(1, 0), b = at(0, 1), c = at(-1, 0);
    EXPECT_EQ(side_of_circle(a, b, c, at(0, -1)), 0);
    EXPECT_EQ(side_of_circle(a, b, c, at(0, -1 + 0x1p-49)), 1);
    EXPECT_EQ(side_of_circle(a, b, c, at(0, -1 - 0x1p-49)), -1);
    EXPECT_EQ(side_of(a, c, center), 0);
    EXPECT_EQ(side_of(a, c, at(0, 0x1p-49)), -1);
    EXPECT_EQ(side_of(a, c, at(0, -0x1p-49)), 1);
  }
}

}  // namespace
}  // namespace gestik
