#include "gestik/measure/change.h"

#include <array>
#include <cmath>

#include "gestik/model/joint_ops.h"

namespace gestik {

Real change_of(const Skeleton& skeleton, JointId j, ConstQ from, ConstQ to) noexcept {
  std::array<Real, 3> v{};
  const int offset = skeleton.q_offset(j);
  difference_joint(skeleton.type(j), from.data() + offset, to.data() + offset, v.data());
  return v_size(skeleton.type(j)) == 1 ? v[0] : std::hypot(v[0], v[1], v[2]);
}

std::string_view to_string(Loss loss) noexcept {
  switch (loss) {
    case Loss::none:
      return "none";
    case Loss::slight:
      return "slight";
    case Loss::clear:
      return "clear";
  }
  return "";
}

Loss loss_of(JointType type, Real change) noexcept {
  const Real degree = pi / 180, millimetre = 1e-3;
  const Real unit = type == JointType::slider ? 2 * millimetre : degree;
  if (std::abs(change) < 0.05 * unit) return Loss::none;
  return std::abs(change) < 5 * unit ? Loss::slight : Loss::clear;
}

}  // namespace gestik
