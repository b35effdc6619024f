#include "gestik/math/predicates.h"

#include <array>
#include <cmath>
#include <span>

namespace gestik {
namespace {

int sign(Real x) noexcept {
  return (x > 0) - (x < 0);
}

/// A product and what its rounding took away: a * b = high + low, exactly.
struct Product {
  Real high, low;
};
Product product(Real a, Real b) noexcept {
  const Real high = a * b;
  return {high, std::fma(a, b, -high)};
}

/// The sign of a sum of many numbers, exactly. The sum is held as numbers that do not overlap, the
/// largest last (Shewchuk, "Adaptive precision floating-point arithmetic", Grow-Expansion): each
/// new one is added through all of them, and what rounding takes away stays behind.
class ExactSum {
 public:
  void add(Real x) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      const Real sum = x + parts_[i];
      const Real rounded = sum - x;
      parts_[i] = (x - (sum - rounded)) + (parts_[i] - rounded);
      x = sum;
    }
    parts_[count_++] = x;
  }

  int sign_of() const noexcept {
    for (std::size_t i = count_; i-- > 0;)
      if (parts_[i] != 0) return sign(parts_[i]);
    return 0;
  }

 private:
  std::array<Real, 96> parts_;
  std::size_t count_ = 0;
};

}  // namespace

Vec2 on_lattice(const Vec2& p) noexcept {
  constexpr Real fine = 0x1p49;
  return {std::nearbyint(p.x() * fine) / fine, std::nearbyint(p.y() * fine) / fine};
}

// Rounding keeps order: where the rounded products differ they differ the right way, and where they
// do not, what was rounded off decides.
int side_of(const Vec2& a, const Vec2& b, const Vec2& c) noexcept {
  const Product left = product(b.x() - a.x(), c.y() - a.y());
  const Product right = product(b.y() - a.y(), c.x() - a.x());
  return left.high != right.high ? sign(left.high - right.high) : sign(left.low - right.low);
}

// The determinant of the rows (x, y, x^2 + y^2) of a - d, b - d and c - d. In doubles it is wrong
// by less than ten roundings of the sum of its terms' sizes; nearer to zero it is added up exactly:
// 12 products of four differences, each as 8 numbers.
int side_of_circle(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) noexcept {
  const std::array<Vec2, 3> p{Vec2(a - d), Vec2(b - d), Vec2(c - d)};
  Real sum = 0, size = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec2 &u = p[(i + 1) % 3], &v = p[(i + 2) % 3];
    const Real lift = p[i].x() * p[i].x() + p[i].y() * p[i].y();
    const Real left = u.x() * v.y(), right = u.y() * v.x();
    sum += lift * (left - right);
    size += lift * (std::abs(left) + std::abs(right));
  }
  if (std::abs(sum) > 2e-15 * size) return sign(sum);

  ExactSum exact;
  const auto add = [&](Real x, Real y, Real z, Real w) {
    const Product left = product(x, y), right = product(z, w);
    for (const Real l : {left.high, left.low})
      for (const Real r : {right.high, right.low}) {
        const Product part = product(l, r);
        exact.add(part.low);
        exact.add(part.high);
      }
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec2 &u = p[(i + 1) % 3], &v = p[(i + 2) % 3];
    for (const Real x : {p[i].x(), p[i].y()}) {
      add(x, x, u.x(), v.y());
      add(x, x, -u.y(), v.x());
    }
  }
  return exact.sign_of();
}

}  // namespace gestik
