#include "gestik/math/sincos.h"

namespace gestik {

void sincos(std::span<const Real> angles, std::span<Real> sines, std::span<Real> cosines) noexcept {
  const Real* const x = angles.data();
  Real* const s = sines.data();
  Real* const c = cosines.data();
  const std::size_t n = angles.size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const SineCosine both = reduced::sincos(x[i]);
    s[i] = both.sine;
    c[i] = both.cosine;
  }
  // What is too far out is done again on its own, so that no angle's bits depend on its neighbours.
  bool all_reduced = true;
  for (std::size_t i = 0; i < n; ++i) all_reduced &= std::abs(x[i]) <= reduced::largest;
  if (all_reduced) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(x[i]) <= reduced::largest) continue;
    const SineCosine both = sincos(x[i]);
    s[i] = both.sine;
    c[i] = both.cosine;
  }
}

}  // namespace gestik
