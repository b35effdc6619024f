#include "gestik/motion/check.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// How far outside its range a joint is; zero inside.
Real outside(const Skeleton& skeleton, JointId j, const Real* q) noexcept {
  if (joint_inside_limits(skeleton, j, q)) return 0;
  std::array<Real, 4> nearest = {};
  std::copy_n(q, q_size(skeleton.type(j)), nearest.begin());
  clamp_joint(skeleton, j, nearest.data());
  Vec3 away = Vec3::Zero();
  difference_joint(skeleton.type(j), q, nearest.data(), away.data());
  return away.norm();
}

/// One joint through a clip: velocity, acceleration and jerk, each the difference of the one
/// before.
class Differences {
 public:
  Differences(JointType type, const Limits& limits, Real rate)
      : type_(type),
        turns_round_(type == JointType::hinge && limits.lo == -infinity && limits.hi == infinity),
        rate_(rate) {}

  static constexpr std::size_t orders = 3;

  void see(const Real* q) {
    std::array<Vec3, orders> now;
    now.fill(Vec3::Zero());
    if (count_ > 0) {
      difference_joint(type_, last_.data(), q, now[0].data());
      if (turns_round_) now[0].x() = wrap_angle(now[0].x());
      now[0] *= rate_;
    }
    for (std::size_t k = 1; k < orders; ++k) now[k] = (now[k - 1] - latest_[k - 1]) * rate_;
    latest_ = now;
    std::copy_n(q, q_size(type_), last_.begin());
    largest_ = std::max(largest_, type_ == JointType::ball ? 1 : std::abs(*q));
    ++count_;
  }

  /// Of velocity (0), acceleration or jerk; zero until there are frames enough.
  Real size(std::size_t order) const {
    return count_ > static_cast<int>(order) + 1 ? latest_[order].norm() : 0;
  }

  /// The rounding of frames that were added up from numbers as large as any so far.
  Real rounding(std::size_t order) const {
    constexpr Real units = 8 * std::numeric_limits<Real>::epsilon();
    return units * largest_ * std::pow(2 * rate_, static_cast<Real>(order + 1));
  }

 private:
  JointType type_;
  bool turns_round_;  ///< without limits, half a turn to either side is the same place
  Real rate_;
  int count_ = 0;
  Real largest_ = 0;
  std::array<Real, 4> last_ = {};
  std::array<Vec3, orders> latest_ = {Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
};

/// The factor on time that brings a value down to its limit.
Real stretch_for(std::size_t order, Real ratio) noexcept {
  const Real roots[] = {ratio, std::sqrt(ratio), std::cbrt(ratio)};
  constexpr Real rounding = 1e-9;  // so that the stretched clip passes
  return roots[order] * (1 + rounding);
}

}  // namespace

std::string_view to_string(MotionLimit limit) noexcept {
  switch (limit) {
    case MotionLimit::range:
      return "range";
    case MotionLimit::velocity:
      return "velocity";
    case MotionLimit::acceleration:
      return "acceleration";
    case MotionLimit::jerk:
      return "jerk";
  }
  return "";
}

MotionCheck check_motion(const Clip& clip, const Skeleton& skeleton,
                         std::span<const MotionLimits> limits) {
  constexpr std::array kinds{MotionLimit::velocity, MotionLimit::acceleration, MotionLimit::jerk};
  constexpr Real slack = 1e-9;
  MotionCheck result;
  std::vector<Differences> differences;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    differences.emplace_back(skeleton.type(j), skeleton.limits(j), clip.rate);
  for (int f = 0; f < clip.frame_count(); ++f) {
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      if (skeleton.type(j) == JointType::fixed) continue;
      const auto k = static_cast<std::size_t>(j);
      const Real* const q = clip.frame(f).data() + skeleton.q_offset(j);
      if (const Real beyond = outside(skeleton, j, q); beyond > 0) {
        result.breaches.push_back({f, j, MotionLimit::range, beyond, 0});
        result.range_kept = false;
      }
      differences[k].see(q);
      const std::array most{limits[k].velocity, limits[k].acceleration, limits[k].jerk};
      for (std::size_t order = 0; order < kinds.size(); ++order) {
        const Real value = differences[k].size(order);
        if (value <= most[order] * (1 + slack) + differences[k].rounding(order)) continue;
        result.breaches.push_back({f, j, kinds[order], value, most[order]});
        result.stretch = std::max(result.stretch, stretch_for(order, value / most[order]));
      }
    }
  }
  return result;
}

}  // namespace gestik
