#include "gestik/math/ellipse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

Vec2 edge_point(Real a, Real b, Real parameter) {
  return {a * std::cos(parameter), b * std::sin(parameter)};
}

/// The nearest edge point by brute force: dense samples, then thirds around the best.
Vec2 slow_nearest(const Vec2& p, Real a, Real b) {
  const auto distance = [&](Real t) { return (edge_point(a, b, t) - p).norm(); };
  constexpr int samples = 4000;
  int best = 0;
  for (int i = 1; i < samples; ++i)
    if (distance(2 * pi * i / samples) < distance(2 * pi * best / samples)) best = i;
  Real lo = 2 * pi * (best - 1) / samples, hi = 2 * pi * (best + 1) / samples;
  for (int i = 0; i < 200; ++i) {
    const Real third = (hi - lo) / 3;
    if (distance(lo + third) < distance(hi - third))
      hi -= third;
    else
      lo += third;
  }
  return edge_point(a, b, (lo + hi) / 2);
}

/// A point outside the ellipse, anywhere from just outside to a million away.
Vec2 point_outside(Random& random, Real a, Real b) {
  for (;;) {
    const Real far = std::abs(random.any_size(1e-6, 1e6));
    const Vec2 edge = edge_point(a, b, random.uniform(-pi, pi));
    const Real angle = random.uniform(-pi, pi);
    const Vec2 p = edge + far * Vec2(std::cos(angle), std::sin(angle));
    if (ellipse_level(p, a, b) > 1) return p;
  }
}

TEST(Ellipse, LevelIsOneOnTheEdge) {
  EXPECT_EQ(ellipse_level({0, 0}, 2, 3), 0);
  EXPECT_EQ(ellipse_level({2, 0}, 2, 3), 1);
  EXPECT_EQ(ellipse_level({0, -3}, 2, 3), 1);
  EXPECT_GT(ellipse_level({2, 0.1}, 2, 3), 1);
}

TEST(Ellipse, OfACircleIsTheRadialProjection) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Real r = random.uniform(0.01, pi);
    const Vec2 p = point_outside(random, r, r);
    EXPECT_LT((nearest_on_ellipse(p, r, r) - r * p.normalized()).norm(), 1e-14);
  }
}

TEST(Ellipse, NearestIsOnTheEdgeAndNoSampledPointIsNearer) {
  Random random(2);
  for (int i = 0; i < 1500; ++i) {
    const Real a = random.uniform(0.05, pi);
    const Real b = a * std::abs(random.any_size(1e-3, 1));
    const Vec2 p = point_outside(random, a, b);
    const Vec2 nearest = nearest_on_ellipse(p, a, b);
    ASSERT_NEAR(ellipse_level(nearest, a, b), 1, 1e-14) << a << " " << b << " " << p.transpose();
    const Real distance = (nearest - p).norm(), slow = (slow_nearest(p, a, b) - p).norm();
    ASSERT_LE(distance, slow * (1 + 1e-14) + 1e-14) << a << " " << b << " " << p.transpose();

    // The line to the nearest point stands square on the edge there.
    const Vec2 normal(nearest.x() / (a * a), nearest.y() / (b * b));
    const Vec2 way = p - nearest;
    const Real cross = normal.x() * way.y() - normal.y() * way.x();
    ASSERT_LE(std::abs(cross), normal.norm() * (1e-9 * way.norm() + 1e-13));
  }
}

TEST(Ellipse, VeryFlatOnesStillProjectRight) {
  for (const Real b : {1e-4, 1e-6, 1e-9, 1e-12})
    for (const Real x : {0.0, 0.3, 0.999, 1.5, 1e6})
      for (const Real y : {1e-3, 1.0, 1e6}) {
        const Vec2 nearest = nearest_on_ellipse({x, y}, 1, b);
        SCOPED_TRACE(testing::Message() << "b " << b << " from " << x << ", " << y);
        EXPECT_NEAR(ellipse_level(nearest, 1, b), 1, 1e-9);
        // A flat ellipse is nearly the segment from -1 to 1 (from 1e6 up, its edge still bows b).
        if (b * y < 1e-5) {
          EXPECT_NEAR(nearest.x(), std::min(x, 1.0), 1e-3);
        }
        EXPECT_LE((nearest - Vec2(x, y)).norm(),
                  (Vec2(std::min(x, 1.0), 0) - Vec2(x, y)).norm() * (1 + 1e-15) + b);
      }
}

TEST(Ellipse, IsTheSameInAllFourQuadrantsAndWithTheAxesSwapped) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Real a = random.uniform(0.05, pi), b = random.uniform(0.01, pi);
    const Vec2 p = point_outside(random, a, b);
    const Vec2 n = nearest_on_ellipse(p, a, b);
    EXPECT_EQ(nearest_on_ellipse({-p.x(), p.y()}, a, b), Vec2(-n.x(), n.y()));
    EXPECT_EQ(nearest_on_ellipse({p.x(), -p.y()}, a, b), Vec2(n.x(), -n.y()));
    EXPECT_LT((nearest_on_ellipse({p.y(), p.x()}, b, a) - Vec2(n.y(), n.x())).norm(), 1e-15 * 8);
  }
}

TEST(Ellipse, OnAnAxisTheNearestIsTheEndOfThatAxis) {
  EXPECT_EQ(nearest_on_ellipse({5, 0}, 2, 1), Vec2(2, 0));
  EXPECT_EQ(nearest_on_ellipse({0, -5}, 2, 1), Vec2(0, -1));
  EXPECT_LT((nearest_on_ellipse({2, 0}, 2, 1) - Vec2(2, 0)).norm(), 1e-15);
}

TEST(Ellipse, ProjectionIsContinuousAndNeverStretches) {  // projecting on a convex set
  Random random(4);
  for (int i = 0; i < 20000; ++i) {
    const Real a = random.uniform(0.05, pi), b = a * std::abs(random.any_size(1e-3, 1));
    const Vec2 p = point_outside(random, a, b);
    const Vec2 q = p + 1e-3 * Vec2(random.uniform(-1, 1), random.uniform(-1, 1));
    if (ellipse_level(q, a, b) <= 1) continue;
    const Real moved = (nearest_on_ellipse(q, a, b) - nearest_on_ellipse(p, a, b)).norm();
    ASSERT_LE(moved, (q - p).norm() * (1 + 1e-9) + 1e-13) << a << " " << b << " " << p.transpose();
  }
}

}  // namespace
}  // namespace gestik
