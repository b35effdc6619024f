#include "gestik/body/triangulation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "gestik/math/ellipse.h"
#include "gestik/math/predicates.h"
#include "gestik/math/random_for_test.h"

namespace gestik {
namespace {

const Vec2 corner(1.76, 1.65);
constexpr Real half_x = 1.6, half_y = 1.5;  // an ellipse inside

/// What is wrong with it, or nothing: faces go round against the clock and fill the rectangle,
/// neighbours agree, and no circle holds a point. Looks at everything, trusts nothing.
std::string flaw(const Triangulation& t) {
  const auto faces = t.faces();
  if (static_cast<int>(faces.size()) != 2 * t.point_count() - 6) return "number of faces";
  Real area = 0;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto [a, b, c] = faces[f].corner;
    if (side_of(t.point(a), t.point(b), t.point(c)) <= 0) return "a face goes round the wrong way";
    const Vec2 ab = t.point(b) - t.point(a), ac = t.point(c) - t.point(a);
    area += (ab.x() * ac.y() - ab.y() * ac.x()) / 2;
    for (int p = 0; p < t.point_count(); ++p)
      if (p != a && p != b && p != c &&
          side_of_circle(t.point(a), t.point(b), t.point(c), t.point(p)) > 0)
        return "a circle holds a point";
    for (std::size_t k = 0; k < 3; ++k) {
      const int neighbour = faces[f].neighbour[k];
      if (neighbour < 0) continue;
      const auto& back = faces[static_cast<std::size_t>(neighbour)].neighbour;
      if (std::find(back.begin(), back.end(), static_cast<int>(f)) == back.end())
        return "neighbours do not agree";
    }
  }
  if (std::abs(area - 4 * corner.x() * corner.y()) > 1e-12) return "the faces do not fill it";
  return "";
}

/// Points of many kinds: anywhere, on a coarse lattice (in line, on circles, twice), on one circle,
/// a hair from another.
Vec2 random_point(Random& random, const Triangulation& t) {
  switch (random.index(4)) {
    case 0:
      return {random.uniform(-1.7, 1.7), random.uniform(-1.6, 1.6)};
    case 1:
      return {0.25 * (random.index(13) - 6), 0.25 * (random.index(13) - 6)};
    case 2: {
      const Real angle = 2 * pi * random.index(16) / 16;
      return {std::cos(angle), std::sin(angle)};
    }
    default:
      return t.point(random.index(t.point_count())) +
             Vec2(random.any_size(1e-9, 1e-3), random.any_size(1e-9, 1e-3));
  }
}

RC_GTEST_PROP(Triangulation, is_delaunay_after_every_insertion_and_removal, (std::uint64_t seed)) {
  Random random(seed);
  Triangulation t(corner);
  RC_ASSERT(flaw(t) == "");
  for (int i = 0; i < 60; ++i) {
    const int before = t.point_count();
    if (before > Triangulation::corner_count && random.chance(0.3)) {
      const int gone = random.index(before - 4) + 4;
      const Vec2 last = t.point(before - 1);
      t.remove(gone);
      RC_ASSERT(t.point_count() == before - 1);
      if (gone < before - 1) RC_ASSERT(t.point(before - 2) == last);
    } else {
      const Vec2 p = random_point(random, t);
      const bool near = (t.point(t.nearest(p)) - p).norm() < Triangulation::least_gap - 1e-12;
      const auto said = t.insert(p);
      RC_ASSERT(t.point_count() == before + (said == Triangulation::Insertion::done));
      if (near) RC_ASSERT(said != Triangulation::Insertion::done);
    }
    RC_ASSERT(flaw(t) == "");
  }
}

RC_GTEST_PROP(Triangulation, locates_every_point_from_everywhere, (std::uint64_t seed)) {
  Random random(seed);
  Triangulation t(corner);
  for (int i = random.index(40); i > 0; --i) t.insert(random_point(random, t));
  for (int i = 0; i < 200; ++i) {
    Vec2 p{random.uniform(-1.7, 1.7), random.uniform(-1.6, 1.6)};
    if (ellipse_level(p, half_x, half_y) > 1) p = nearest_on_ellipse(p, half_x, half_y);
    if (random.chance(0.2)) p = t.point(random.index(t.point_count()));
    const auto place = t.locate(p, random.index(static_cast<int>(t.faces().size()) + 4) - 2);
    Real sum = 0;
    Vec2 back = Vec2::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      RC_ASSERT(place.weights[k] >= 0);
      sum += place.weights[k];
      back += place.weights[k] * t.point(place.points[k]);
    }
    RC_ASSERT(std::abs(sum - 1) < 1e-15);
    RC_ASSERT((back - p).norm() < 1e-14);
  }
}

/// A height over each point, blended.
Real height(const Triangulation& t, const Vec2& p, int start) {
  const auto place = t.locate(p, start);
  Real sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += place.weights[k] * std::sin(7.0 * place.points[k]);
  return sum;
}

RC_GTEST_PROP(Triangulation, blending_is_continuous_across_edges, (std::uint64_t seed)) {
  Random random(seed);
  Triangulation t(corner);
  // Points a hair apart make a steep slope between them, which is no jump: they are kept apart
  // here.
  for (int i = 0; i < 30; ++i) {
    const Vec2 p = random_point(random, t);
    if ((t.point(t.nearest(p)) - p).norm() > 0.05) t.insert(p);
  }
  for (const auto& face : t.faces())
    for (std::size_t k = 0; k < 3; ++k) {
      const int other = face.neighbour[k];
      if (other < 0) continue;
      const Vec2 a = t.point(face.corner[(k + 1) % 3]), b = t.point(face.corner[(k + 2) % 3]);
      const Vec2 on = a + random.share() * (b - a);
      const Vec2 across = Vec2(b.y() - a.y(), a.x() - b.x()).normalized();
      const Real here = height(t, on, other);
      for (const Real step : {-1e-10, 1e-10})
        RC_ASSERT(std::abs(height(t, on + step * across, 0) - here) < 1e-6);
    }
}

TEST(Triangulation, refuses_what_is_outside_or_there_already) {
  using Insertion = Triangulation::Insertion;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  Triangulation t(corner);
  EXPECT_EQ(t.insert({0.5, 0.5}), Insertion::done);
  EXPECT_EQ(t.insert({0.5, 0.5}), Insertion::too_near);
  EXPECT_EQ(t.insert({0.5, 0.5 + 0.9e-6}), Insertion::too_near);
  EXPECT_EQ(t.insert({0.5, 0.5 + 1.1e-6}), Insertion::done);
  for (const Vec2& p : {Vec2(2, 0), Vec2(0, -2), Vec2(nan, 0), Vec2(0, infinity),
                        Vec2(-infinity, 0), Vec2(corner.x(), 0), Vec2(1e300, 1e300)})
    EXPECT_EQ(t.insert(p), Insertion::outside);
  EXPECT_EQ(t.insert({corner.x() - 1e-7, -corner.y() + 1e-7}), Insertion::too_near);
  EXPECT_EQ(t.point_count(), 6);
  EXPECT_EQ(flaw(t), "");
  for (const Vec2& p : {Vec2(nan, nan), Vec2(infinity, -infinity), Vec2(1e300, 0)}) {
    const auto place = t.locate(p);
    EXPECT_NEAR(place.weights[0] + place.weights[1] + place.weights[2], 1, 1e-15);
  }
}

TEST(Triangulation, takes_points_in_line_and_on_one_circle) {
  Triangulation t(corner);
  for (int i = -15; i <= 15; ++i) {
    ASSERT_EQ(t.insert({0.1 * i, 0}), Triangulation::Insertion::done);
    ASSERT_EQ(flaw(t), "");
  }
  while (t.point_count() > 4) {
    t.remove(4 + (t.point_count() - 4) / 2);
    ASSERT_EQ(flaw(t), "");
  }
  for (int i = 0; i < 64; ++i) {
    const Real angle = 2 * pi * ((i * 37) % 64) / 64;
    ASSERT_EQ(t.insert({std::cos(angle), std::sin(angle)}), Triangulation::Insertion::done);
    ASSERT_EQ(flaw(t), "");
  }
  t.insert({0, 0});
  ASSERT_EQ(flaw(t), "");
  t.remove(t.point_count() - 1);
  ASSERT_EQ(flaw(t), "");
}

}  // namespace
}  // namespace gestik
