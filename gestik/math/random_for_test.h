#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "gestik/math/rotation.h"

/// Random material for tests: the same numbers from the same seed on every machine, so that a
/// failure can be met again. Tests only; the library itself never draws a random number.
namespace gestik {

/// A small generator (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t bits() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// In [0, 1).
  Real share() noexcept { return static_cast<Real>(bits() >> 11) * 0x1p-53; }
  Real uniform(Real lo, Real hi) noexcept { return lo + (hi - lo) * share(); }
  bool chance(Real probability) noexcept { return share() < probability; }

  /// In [0, count).
  int index(int count) noexcept {
    return static_cast<int>(bits() % static_cast<std::uint64_t>(count));
  }

  /// Either sign, with the magnitude's logarithm uniform: as often near 1e-9 as near 1e9.
  Real any_size(Real smallest, Real largest) noexcept {
    const Real magnitude = std::exp(uniform(std::log(smallest), std::log(largest)));
    return chance(0.5) ? magnitude : -magnitude;
  }

  /// Any of the 2^64 doubles: NaN, infinities and denormals among them.
  Real any_bits() noexcept {
    switch (index(8)) {
      case 0:
        return std::numeric_limits<Real>::quiet_NaN();
      case 1:
        return chance(0.5) ? infinity : -infinity;
      case 2:
        return chance(0.5) ? 0.0 : -0.0;
      case 3:
        return any_size(1e-320, 1e-300);
      default:
        return std::bit_cast<Real>(bits());
    }
  }

  Vec3 vector(Real largest) noexcept {
    const Real x = uniform(-largest, largest), y = uniform(-largest, largest);
    return {x, y, uniform(-largest, largest)};
  }

  Vec3 direction() noexcept {
    Vec3 v;
    do v = vector(1);
    while (v.norm() < 0.1 || v.norm() > 1);
    return normalized_or_zero(v);
  }

  /// Uniform over all rotations.
  Quat rotation() noexcept {
    Eigen::Matrix<Real, 4, 1> v;
    do {
      for (int k = 0; k < 4; ++k) v[k] = uniform(-1, 1);
    } while (v.norm() < 0.1 || v.norm() > 1);
    return normalized_or_identity({v[0], v[1], v[2], v[3]});
  }

 private:
  std::uint64_t state_;
};

/// Equal to the last bit; NaN equals itself and 0 differs from -0.
inline bool same_bits(Real a, Real b) noexcept {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same_bits(const Vec3& a, const Vec3& b) noexcept {
  return same_bits(a.x(), b.x()) && same_bits(a.y(), b.y()) && same_bits(a.z(), b.z());
}
inline bool same_bits(const Quat& a, const Quat& b) noexcept {
  return same_bits(Vec3(a.vec()), Vec3(b.vec())) && same_bits(a.w(), b.w());
}
inline bool same_bits(const Pose& a, const Pose& b) noexcept {
  return same_bits(a.q, b.q) && same_bits(a.p, b.p);
}

inline bool same_bits(std::span<const Real> a, std::span<const Real> b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](Real x, Real y) { return same_bits(x, y); });
}

}  // namespace gestik
