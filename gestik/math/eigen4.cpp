#include "gestik/math/eigen4.h"

#include <cmath>

namespace gestik {

// Cyclic Jacobi: each step turns one pair of axes so that their shared element vanishes. The
// angle's tangent is the smaller root of t^2 + 2 t theta - 1 = 0 with theta = (a_qq - a_pp) / (2
// a_pq), which keeps the turn within 45 degrees; convergence is quadratic, so few sweeps do.
Vec4 top_eigenvector(const Mat4& symmetric) noexcept {
  Mat4 a = symmetric;
  Mat4 axes = Mat4::Identity();
  const Real negligible = 1e-16 * a.norm();
  for (int sweep = 0; sweep < 12; ++sweep) {
    Real largest = 0;
    for (int p = 0; p < 3; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        largest = std::max(largest, std::abs(a(p, q)));
        if (std::abs(a(p, q)) <= negligible) continue;
        const Real theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const Real t = std::copysign(1 / (std::abs(theta) + std::sqrt(theta * theta + 1)), theta);
        const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 4; ++k) {
          const Real kp = a(k, p), kq = a(k, q);
          a(k, p) = c * kp - s * kq;
          a(k, q) = s * kp + c * kq;
        }
        for (int k = 0; k < 4; ++k) {
          const Real pk = a(p, k), qk = a(q, k);
          a(p, k) = c * pk - s * qk;
          a(q, k) = s * pk + c * qk;
          const Real vp = axes(k, p), vq = axes(k, q);
          axes(k, p) = c * vp - s * vq;
          axes(k, q) = s * vp + c * vq;
        }
      }
    }
    if (largest <= negligible) break;
  }
  int top = 0;
  for (int k = 1; k < 4; ++k)
    if (a(k, k) > a(top, top)) top = k;
  return axes.col(top);
}

}  // namespace gestik
