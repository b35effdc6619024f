#include "gestik/collide/nearest.h"

#include <gtest/gtest.h>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

/// The least value of a convex function on [0, 1].
template <class F>
Real least(F f) {
  Real lo = 0, hi = 1;
  for (int i = 0; i < 90; ++i) {
    const Real a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
    (f(a) < f(b) ? hi : lo) = f(a) < f(b) ? b : a;
  }
  return std::min({f((lo + hi) / 2), f(0.0), f(1.0)});
}

Vec3 between(const Vec3& a, const Vec3& b, Real t) {
  return a + t * (b - a);
}

Segment random_segment(Random& random) {
  const Vec3 a = random.vector(1);
  if (random.chance(0.1)) return {a, a};
  return {a, random.chance(0.2) ? Vec3(a + random.vector(1e-3)) : random.vector(1)};
}

TEST(Nearest, segments_are_as_near_as_a_search_finds_them) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Segment p = random_segment(random);
    Segment q = random_segment(random);
    if (random.chance(0.2)) q.b = q.a + random.uniform(-2, 2) * (p.b - p.a);  // parallel
    if (random.chance(0.1)) q = p;
    const Real searched = least([&](Real s) {
      return least(
          [&](Real t) { return (between(p.a, p.b, s) - between(q.a, q.b, t)).squaredNorm(); });
    });
    EXPECT_NEAR(std::sqrt(squared_distance(p, q)), std::sqrt(searched), 2e-8) << i;
    EXPECT_NEAR(squared_distance(p, q), squared_distance(q, p), 1e-14) << i;
  }
}

TEST(Nearest, triangles_are_as_near_as_a_search_finds_them) {
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    Triangle t{random.vector(1), random.vector(1), random.vector(1)};
    const bool flat = random.chance(0.1);
    if (flat) t.c = between(t.a, t.b, random.uniform(-1, 2));
    const Segment s = random_segment(random);
    const auto to_point = [&](const Vec3& p) {
      return least([&](Real u) {
        const Vec3 c = between(t.b, t.c, u);
        return least([&](Real v) { return (p - between(t.a, c, v)).squaredNorm(); });
      });
    };
    // The inner search is exact only to the root of rounding, and so is the outer.
    EXPECT_NEAR(std::sqrt(squared_distance(s.a, t)), std::sqrt(to_point(s.a)), 1e-7) << i;
    const Real searched = least([&](Real w) { return squared_distance(between(s.a, s.b, w), t); });
    EXPECT_NEAR(std::sqrt(squared_distance(s, t)), std::sqrt(searched), 1e-7) << i;
    if (flat) continue;  // its plane is noise
    for (const Real share : {0.5, 0.999, 1.001, 2.0}) {
      const Real squared = share * squared_distance(s, t);
      EXPECT_EQ(within(s, t, squared), squared_distance(s, t) <= squared) << i;
    }
  }
}

TEST(Nearest, a_segment_through_a_triangle_is_at_distance_zero) {
  const Triangle t{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(squared_distance(Segment{{0.2, 0.2, -1}, {0.2, 0.2, 1}}, t), 0);
  EXPECT_EQ(squared_distance(Segment{{0.2, 0.2, 0}, {0.2, 0.2, 1}}, t), 0);
  EXPECT_NEAR(squared_distance(Segment{{0.2, 0.2, 0}, {0.4, 0.2, 0}}, t), 0, 1e-30);
  EXPECT_NEAR(squared_distance(Segment{{-1, 0.2, 0}, {2, 0.2, 0}}, t), 0, 1e-30);
  EXPECT_NEAR(squared_distance(Segment{{-1, 0, -1}, {-1, 0, 1}}, t), 1, 1e-15);
}

TEST(Nearest, boxes_are_as_near_as_a_search_finds_them) {
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    const Vec3 half = random.vector(0.5).cwiseAbs() + Vec3::Constant(0.01);
    Segment s = random_segment(random);
    for (int k = 0; k < 3; ++k)
      if (random.chance(0.2)) s.b[k] = s.a[k];
    const Real searched = least([&](Real t) {
      const Vec3 p = between(s.a, s.b, t);
      return (p - p.cwiseMax(-half).cwiseMin(half)).squaredNorm();
    });
    EXPECT_NEAR(std::sqrt(squared_distance_to_box(s, half)), std::sqrt(searched), 2e-8) << i;
  }
}

}  // namespace
}  // namespace gestik
