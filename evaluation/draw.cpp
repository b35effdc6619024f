#include "evaluation/draw.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation {

Real Draw::between(Real lo, Real hi) {
  const Real share = static_cast<Real>(bits_() >> 11) * 0x1p-53;
  return lo + (hi - lo) * share;
}

int Draw::index(int count) {
  return static_cast<int>(bits_() % static_cast<std::uint64_t>(count));
}

Vec3 Draw::in_ball(Real radius) {
  Vec3 v;
  do
    for (Real& x : v) x = between(-radius, radius);
  while (v.norm() > radius);
  return v;
}

Quat Draw::rotation() {
  Eigen::Matrix<Real, 4, 1> v;
  do
    for (Real& x : v) x = between(-1, 1);
  while (v.norm() > 1 || v.norm() < 0.1);
  return normalized_or_identity({v[0], v[1], v[2], v[3]});
}

std::vector<Real> Draw::pose(const Skeleton& skeleton) {
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    Real* const own = q.data() + skeleton.q_offset(j);
    const Limits& limits = skeleton.limits(j);
    switch (skeleton.type(j)) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        *own = between(std::max(limits.lo, -pi), std::min(limits.hi, pi));
        break;
      case JointType::slider:
        *own = between(std::max(limits.lo, -1.0), std::min(limits.hi, 1.0));
        break;
      case JointType::ball:
        store_quat(rotation(), own);
        break;
    }
  }
  clamp_to_limits(skeleton, q);
  return q;
}

}  // namespace gestik::evaluation
