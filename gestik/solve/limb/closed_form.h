#pragma once

#include <optional>

#include "gestik/solve/limb/geometry.h"

/// The closed form of a limb: bend, swivel, and everything that follows from them. All vectors are
/// in the base's frame unless a name says otherwise.
namespace gestik {

/// What a limb is asked: where its end's point shall be and, if it has an orientation, the
/// orientation of its last joint's frame.
struct LimbTarget {
  Vec3 place = Vec3::Zero();
  Quat turn = Quat::Identity();
  bool oriented = false;
};

/// What stands between a limb and its target.
enum class LimbFault : std::uint8_t {
  none,
  too_far,   ///< farther than the straight limb
  too_near,  ///< nearer than the limb can fold
  limit,     ///< a joint's limit
  clash,     ///< whatever a PoseTest says: two things would meet
};

/// One bend of the mid that brings the end to the right distance, or as near to it as limits allow.
struct BendChoice {
  Real angle = 0;  ///< of a hinge: its coordinate; of a ball: from where the start has it
  Real side = 1;   ///< +1 beyond straight, -1 before
  HalfTurn half;
  HalfTurn from_straight;
  LimbFault fault = LimbFault::none;
  Real miss = 0;       ///< metres of distance that it leaves
  Excess excess = {};  ///< of the mid's limits before it was brought inside
};

/// A limb before one target: everything that does not depend on the swivel is worked out once.
///
///     LimbAtTarget at(limb, skeleton, start, target);
///     at.choose(0);                  // the first of the one or two bends
///     at.verdict(half_turn(...));    // limits at a swivel, without trigonometry
///     at.write(half_turn(...), q);   // the joints at a swivel
class LimbAtTarget {
 public:
  /// `start` decides what the target leaves open; joints beyond the mid that are no part of the end
  /// stay as it has them. `lower`: from the mid to what is to be at the target, in the mid's moved
  /// frame: the limb's own for its end's point.
  LimbAtTarget(const Limb&, const Skeleton&, ConstQ start, const LimbTarget&,
               const Vec3& lower) noexcept;
  LimbAtTarget(const LimbAtTarget&) = delete;
  LimbAtTarget& operator=(const LimbAtTarget&) = delete;

  /// Whether the end stands still while the limb swivels: it does if it is turned as asked.
  bool keeps_end() const noexcept { return target_.oriented; }

  int bends() const noexcept { return bends_; }  ///< at least one, the more natural one first
  const BendChoice& bend(int i) const noexcept { return choices_[i]; }
  void choose(int bend) noexcept;

  /// The angle about the line to the target of a swivel of the limb, and back.
  Real angle_of(Real swivel) const noexcept;
  Real swivel_of(Real angle) const noexcept;

  Verdict verdict(const HalfTurn& turn) const noexcept {
    const Verdict base = quick_verdict(limb_.base, blend(canonical_0_, canonical_1_, turn));
    if (base == Verdict::outside || !target_.oriented) return base;
    return worse(base, end_verdict(blend(end_0_, end_1_, turn)));
  }

  /// Writes the limb's joints, not looking at their limits but where there is a choice.
  void write(const HalfTurn& turn, Q q) const noexcept;

 private:
  static Quat blend(const Quat& a, const Quat& b, const HalfTurn& turn) noexcept {
    return {turn.c * a.w() + turn.s * b.w(), turn.c * a.x() + turn.s * b.x(),
            turn.c * a.y() + turn.s * b.y(), turn.c * a.z() + turn.s * b.z()};
  }
  Verdict end_verdict(const Quat& canonical) const noexcept {
    if (limb_.twist == no_joint) return quick_verdict(limb_.end, canonical);
    return hinge_takes_the_twist(canonical) ? Verdict::inside : shared_verdict(canonical);
  }
  /// Whether the hinge along the forearm does the whole twist and the ball's swing is fine then.
  bool hinge_takes_the_twist(const Quat& q) const noexcept {
    const Real w = q.w(), x = q.x(), y = q.y(), z = q.z();
    const Real upright = w * w + z * z, lying = x * x + y * y;
    return limb_.shared.alone.clearance(w * w - z * z, 2 * w * z, upright) > quick_margin &&
           swing_verdict(limb_.end, w * x + z * y, w * y - z * x, upright, lying) ==
               Verdict::inside;
  }
  Verdict shared_verdict(const Quat& canonical) const noexcept;
  void write_end(const Quat& canonical, Q q) const noexcept;
  bool choose_in_plane(const BendChoice&) noexcept;
  Quat base_at_zero(const BendChoice&) const noexcept;
  void find_bends() noexcept;
  void bend_to(Real side, const HalfTurn& from_straight, Real angle, BendChoice&) const noexcept;

  const Limb& limb_;
  const Skeleton& skeleton_;
  ConstQ start_;
  LimbTarget target_;
  std::optional<Bend> own_bend_;  ///< where it is not the limb's
  const Bend& bend_;
  Real distance_ = 0;
  Vec3 line_;            ///< to the target
  Vec3 canonical_line_;  ///< the base's `left` times it
  std::array<BendChoice, 2> choices_;
  int bends_ = 0;
  int chosen_ = 0;
  // The rotations of base and end in canonical coordinates: at the angle a, cos(a/2) of the first
  // and sin(a/2) of the second.
  Quat canonical_0_, canonical_1_, end_0_, end_1_;
};

/// The bend of the limb as these coordinates have it, for `lower` as above.
Bend bend_of(const Limb&, const Skeleton&, ConstQ q, const Vec3& lower) noexcept;

/// The swivel that a limb has in these coordinates.
Real swivel_of(const Limb&, const Skeleton&, ConstQ q, const Vec3& lower) noexcept;
inline Real swivel_of(const Limb& limb, const Skeleton& skeleton, ConstQ q) noexcept {
  return swivel_of(limb, skeleton, q, limb.lower);
}

/// The world's place of the base's frame, from the pose of the whole body.
inline Pose world_from_base(const Limb& limb, std::span<const Pose> world_from_joint) noexcept {
  return limb.base_parent == no_joint ? limb.parent_from_base
                                      : world_from_joint[limb.base_parent] * limb.parent_from_base;
}

/// The cheap special case: the end's point to a place, the mid towards a pole direction, no limits.
/// Writes base and mid only; the end comes as near as the limb is long.
void two_bone(const Limb&, const Skeleton&, const Vec3& place, const Vec3& pole, ConstQ start,
              Q q) noexcept;

}  // namespace gestik
