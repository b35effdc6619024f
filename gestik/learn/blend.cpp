#include "gestik/learn/blend.h"

#include <algorithm>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik::learn {
namespace {

bool is_free_hinge(const Limits& limits) noexcept {
  return !(limits.hi - limits.lo < 2 * pi);
}

Real hinge_offset(const Skeleton& skeleton, JointId j, Real from, Real to) noexcept {
  const Real plain = to - from;
  return is_free_hinge(skeleton.limits(j)) ? wrap_angle(plain) : plain;
}

/// Calls ball(joint, q place, v place), hinge(...) or slider(...) for each joint that moves.
template <class Ball, class Hinge, class Slider>
void for_each_joint(const Skeleton& skeleton, Ball&& ball, Hinge&& hinge,
                    Slider&& slider) noexcept {
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const auto at = static_cast<std::size_t>(skeleton.q_offset(j));
    const auto to = static_cast<std::size_t>(skeleton.v_offset(j));
    switch (skeleton.type(j)) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        hinge(j, at, to);
        break;
      case JointType::slider:
        slider(j, at, to);
        break;
      case JointType::ball:
        ball(j, at, to);
        break;
    }
  }
}

template <class Turn>
void between(const Skeleton& skeleton, ConstQ from, ConstQ to, V out, Turn&& turn) noexcept {
  for_each_joint(
      skeleton,
      [&](JointId, std::size_t at, std::size_t v) {
        const Quat a = load_quat(&from[at]), b = load_quat(&to[at]);
        const Vec3 turned = turn(Quat(a.conjugate() * b));
        std::copy_n(turned.data(), 3, out.begin() + static_cast<std::ptrdiff_t>(v));
      },
      [&](JointId j, std::size_t at, std::size_t v) {
        out[v] = hinge_offset(skeleton, j, from[at], to[at]);
      },
      [&](JointId, std::size_t at, std::size_t v) { out[v] = to[at] - from[at]; });
}

}  // namespace

void offset_between(const Skeleton& skeleton, ConstQ from, ConstQ to, V out) noexcept {
  between(skeleton, from, to, out, [](const Quat& turn) { return log(turn); });
}

void chord_between(const Skeleton& skeleton, ConstQ from, ConstQ to, V out) noexcept {
  between(skeleton, from, to, out,
          [](const Quat& turn) { return Vec3((turn.w() < 0 ? -2 : 2) * turn.vec()); });
}

void add_to_blend(const Skeleton& skeleton, ConstQ reference, ConstQ pose, Real weight,
                  Q sum) noexcept {
  for_each_joint(
      skeleton,
      [&](JointId, std::size_t at, std::size_t) {
        Real side = 0;
        for (std::size_t k = at; k < at + 4; ++k) side += reference[k] * pose[k];
        const Real signed_weight = side < 0 ? -weight : weight;
        for (std::size_t k = at; k < at + 4; ++k) sum[k] += signed_weight * pose[k];
      },
      [&](JointId j, std::size_t at, std::size_t) {
        sum[at] += weight * hinge_offset(skeleton, j, reference[at], pose[at]);
      },
      [&](JointId, std::size_t at, std::size_t) {
        sum[at] += weight * (pose[at] - reference[at]);
      });
}

void finish_blend(const Skeleton& skeleton, ConstQ reference, ConstQ sum, Real weights,
                  Q out) noexcept {
  constexpr Real least = 1e-12;  // of the weights: below, a sum of quaternions says nothing
  const auto shift = [&](JointId, std::size_t at, std::size_t) {
    out[at] = reference[at] + (weights > 0 ? sum[at] / weights : 0);
  };
  for_each_joint(
      skeleton,
      [&](JointId, std::size_t at, std::size_t) {
        const Quat total = load_quat(&sum[at]);
        const bool known = weights > 0 && total.norm() > least * weights;
        store_quat(known ? normalized_or_identity(total) : load_quat(&reference[at]), &out[at]);
      },
      shift, shift);
}

}  // namespace gestik::learn
