#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "gestik/math/random_for_test.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

/// Random skeletons and poses for the property tests of this room and the ones after it.
///
///     RC_GTEST_PROP(Forward, StaysUnit, (const SkeletonSeed& seed)) {
///       Random random(seed.seed);
///       const Skeleton skeleton = random_skeleton(random, seed.joints);
///       const std::vector<Real> q = random_q_outside(random, skeleton);
///       ...
namespace gestik {

/// What a random skeleton grows from. RapidCheck shrinks the number of joints; the joints that stay
/// are the same ones.
struct SkeletonSeed {
  int joints = 1;
  std::uint64_t seed = 0;
};

inline std::ostream& operator<<(std::ostream& out, const SkeletonSeed& s) {
  return out << "SkeletonSeed{" << s.joints << ", " << s.seed << "u}";
}

/// Hinge and slider limits, and a ball's twist range: every kind that has its own way to go wrong.
inline void random_range(Random& random, Limits& limits) {
  const Real at = random.uniform(-pi, pi);
  switch (random.index(8)) {
    case 0:  // none
      break;
    case 1:  // around zero
      limits.lo = -random.uniform(0, 3);
      limits.hi = random.uniform(0, 3);
      break;
    case 2:  // anywhere, zero left out as often as not
      limits.lo = at;
      limits.hi = at + random.uniform(0, 3);
      break;
    case 3:  // one value only
      limits.lo = limits.hi = at;
      break;
    case 4:  // one side only
      (random.chance(0.5) ? limits.lo : limits.hi) = at;
      break;
    case 5:  // past pi: as a ball's twist it wraps
      limits.lo = random.uniform(1, pi);
      limits.hi = random.uniform(pi, 5);
      break;
    case 6:  // whole turns away
      limits.lo = random.uniform(-20, 20);
      limits.hi = limits.lo + random.uniform(0, 7);
      break;
    case 7:  // a full turn, or nearly
      limits.lo = -pi;
      limits.hi = random.chance(0.5) ? pi : std::nextafter(pi, 0);
      break;
  }
}

/// A swing ellipse for limits that have a range already: a ball's.
inline void random_swing(Random& random, Limits& limits) {
  if (std::isinf(limits.lo) != std::isinf(limits.hi))  // half a twist range is none
    limits.lo = -infinity, limits.hi = infinity;
  switch (random.index(6)) {
    case 0:  // any
      break;
    case 1:  // free one way
      (random.chance(0.5) ? limits.swing_x : limits.swing_y) = random.uniform(0.01, pi);
      break;
    case 2:  // a flat ellipse
      limits.swing_x = random.uniform(0.1, pi);
      limits.swing_y = limits.swing_x * std::abs(random.any_size(1e-4, 0.1));
      if (random.chance(0.5)) std::swap(limits.swing_x, limits.swing_y);
      break;
    case 3:  // round
      limits.swing_x = limits.swing_y = random.uniform(0.01, pi);
      break;
    case 4:  // all but closed, all but open
      limits.swing_x = std::abs(random.any_size(1e-9, 1e-2));
      limits.swing_y = pi - std::abs(random.any_size(1e-9, 1e-2));
      break;
    case 5:
      limits.swing_x = random.uniform(0.01, pi);
      limits.swing_y = random.uniform(0.01, pi);
      break;
  }
}

inline JointDraft random_joint(Random& random, std::string name, std::string parent) {
  JointDraft joint;
  joint.name = std::move(name);
  joint.parent = std::move(parent);
  constexpr JointType types[] = {JointType::fixed, JointType::hinge,  JointType::hinge,
                                 JointType::ball,  JointType::slider, JointType::ball};
  joint.type = types[random.index(6)];
  if (!random.chance(0.2)) joint.parent_from_joint.p = random.vector(0.5);
  if (!random.chance(0.2)) joint.parent_from_joint.q = random.rotation();
  if (random.chance(0.2)) joint.parent_from_joint.q.coeffs() *= random.any_size(1e-3, 1e3);
  switch (random.index(4)) {
    case 0:
      joint.axis = Vec3::Unit(random.index(3)) * (random.chance(0.5) ? 1 : -1);
      break;
    default:
      joint.axis = random.direction() * std::abs(random.any_size(1e-3, 1e3));
  }
  random_range(random, joint.limits);
  if (joint.type == JointType::ball) random_swing(random, joint.limits);
  return joint;
}

/// "j7". (Not "j" + std::to_string(7): GCC 12 warns of that for no reason, its bug 105651.)
inline std::string numbered(const char* stem, int number) {
  return std::string(stem).append(std::to_string(number));
}

/// A tree, parents first: sometimes a chain, sometimes a bush.
inline SkeletonDraft random_draft(Random& random, int joints) {
  SkeletonDraft draft;
  const Real chain = random.share();
  for (int i = 0; i < joints; ++i) {
    Random own(random.bits());  // so that a joint does not depend on how many follow
    const int parent = own.chance(chain) ? i - 1 : i > 0 ? own.index(i) : -1;
    draft.joints.push_back(
        random_joint(own, numbered("j", i), parent < 0 ? "" : numbered("j", parent)));
  }
  return draft;
}

inline Skeleton random_skeleton(Random& random, int joints) {
  return *build(random_draft(random, joints));
}

/// Anywhere, limits or not; balls of unit length.
inline std::vector<Real> random_q_outside(Random& random, const Skeleton& skeleton) {
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    Real* own = q.data() + joint.q_offset;
    switch (joint.type) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        *own = random.uniform(-7, 7);
        break;
      case JointType::slider:
        *own = random.uniform(-2, 2);
        break;
      case JointType::ball: {
        Quat value = random.rotation();
        if (random.chance(0.2)) {  // a swing of nearly half a turn, where the twist fades
          const Vec3 side = joint.axis.unitOrthogonal();
          value = normalized_or_identity(
              axis_angle(axis_angle(joint.axis, random.uniform(-pi, pi)) * side,
                         pi - std::abs(random.any_size(1e-16, 0.1))) *
              axis_angle(joint.axis, random.uniform(-pi, pi)));
        }
        store_quat(value, own);
        break;
      }
    }
  }
  return q;
}

/// Inside the limits; often on one.
inline std::vector<Real> random_q_inside(Random& random, const Skeleton& skeleton) {
  std::vector<Real> q = random_q_outside(random, skeleton);
  clamp_to_limits(skeleton, q);
  return q;
}

/// Any numbers at all: NaN, infinities, zero quaternions, 1e300.
inline std::vector<Real> random_q_hostile(Random& random, const Skeleton& skeleton) {
  std::vector<Real> q = random_q_outside(random, skeleton);
  for (Real& value : q) {
    if (random.chance(0.2)) value = random.any_bits();
    if (random.chance(0.2)) value *= random.any_size(1e-300, 1e300);
    if (random.chance(0.2)) value = 0;
  }
  return q;
}

inline std::vector<Real> random_v(Random& random, const Skeleton& skeleton, Real largest) {
  std::vector<Real> v(static_cast<std::size_t>(skeleton.v_size()));
  for (Real& value : v) value = random.uniform(-largest, largest);
  return v;
}

}  // namespace gestik

namespace rc {
template <>
struct Arbitrary<gestik::SkeletonSeed> {
  static Gen<gestik::SkeletonSeed> arbitrary() {
    return gen::build<gestik::SkeletonSeed>(
        gen::set(&gestik::SkeletonSeed::joints, gen::inRange(1, 41)),
        gen::set(&gestik::SkeletonSeed::seed, gen::noShrink(gen::arbitrary<std::uint64_t>())));
  }
};
}  // namespace rc
