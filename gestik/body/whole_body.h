#pragma once

#include <array>

#include "gestik/body/behaviour.h"
#include "gestik/collide/limb_clash.h"
#include "gestik/solve/limb/reach.h"

/// Reaching with the whole body: a behaviour moves the trunk, the legs keep the feet where they
/// were, and the arms reach exactly.
namespace gestik {

/// A checked behaviour of one character; it knows the limbs it needs.
class Behaviour {
 public:
  static constexpr int most_limbs = 4;  ///< arms, and as many feet

  struct Arm {
    Frame hand = {};
    Limb limb = {};
    Real length = 0;  ///< stretched, from the shoulder to the hand's point
    Real weight = 1;
    SwingKeys keys;
  };
  struct Foot {
    Frame foot = {};
    Limb limb = {};
  };

  const std::string& name() const noexcept { return name_; }
  Real fullness() const noexcept { return fullness_; }
  std::span<const Arm> arms() const noexcept { return arms_; }
  std::span<const Foot> feet() const noexcept { return feet_; }
  /// The arm of that hand; -1 where there is none.
  int find_arm(std::string_view hand) const noexcept;
  /// For each joint, whether where it starts matters: those above shoulders and down to the feet.
  std::span<const std::uint8_t> needed() const noexcept { return needed_; }
  /// For those who design a behaviour: keys come and go, everything else stays.
  SwingKeys& keys(int arm) noexcept { return arms_[static_cast<std::size_t>(arm)].keys; }

 private:
  friend Result<Behaviour> build(const Character&, const BehaviourDraft&);
  Behaviour() = default;

  std::string name_;
  Real fullness_ = 0.8;
  std::vector<Arm> arms_;
  std::vector<Foot> feet_;
  std::vector<std::uint8_t> needed_;
};

/// The only door to a Behaviour. Refuses, naming the arm and the key: what build() of its keys
/// refuses, hands and feet that are not there, that are on one limb or no limb at all, weights that
/// are not above zero, a fullness outside (0, 1].
Result<Behaviour> build(const Character&, const BehaviourDraft&);

/// What meets what while a body reaches. Made once for a behaviour and a collider, which must
/// outlive it; asked without allocating, one thread at a time.
struct BodyClash {
  Placement placement = {};
  LimbClash trunk = {};                    ///< all but the arms
  std::vector<LimbClash> feet = {};        ///< each leg, but for the arms and the legs after it
  std::vector<LimbClash> arms = {};        ///< each arm
  std::vector<LimbClash> arms_first = {};  ///< each arm, but for the arms after it
};
BodyClash body_clash(const Collider&, const Behaviour&);

/// Where a hand shall be, in the world.
struct HandTarget {
  int arm = 0;
  Vec3 place = Vec3::Zero();
  std::optional<Quat> turn = {};  ///< none: any
};

/// What a body is asked.
struct BodyProblem {
  ConstQ start = {};           ///< the posture it starts from, sound and inside the limits
  Pose world_from_start = {};  ///< where it stands
  std::span<const HandTarget> targets = {};  ///< at most one for an arm
  SwivelSearch search = {};  ///< preferred, lo and hi are the behaviour's where it has wishes
  /// In how many steps the behaviour is taken back while the body collides or the feet can't stay.
  int reductions = 8;
};

struct BodyReport {
  std::array<LimbReport, Behaviour::most_limbs> arms = {};  ///< of those with a target
  std::array<LimbReport, Behaviour::most_limbs> feet = {};
  std::array<Real, Behaviour::most_limbs> weight = {};  ///< how much of the behaviour an arm asked
  Real kept = 1;     ///< the share of it that was left; below 1 something was in the way
  Clash clash = {};  ///< of the trunk, where taking back did not help
  bool feet_kept = true;
  bool hands_reached = true;

  bool reached() const noexcept { return hands_reached && feet_kept && !clash; }
};

std::size_t scratch_bytes(const Behaviour&, const Skeleton&) noexcept;

/// Writes the pose: `q` and where the body stands now. What can't be reached is come near to; the
/// report says why. The pose is always inside the limits. Targets must be finite, and of arms that
/// exist. No allocation; `clash` may be none.
BodyReport reach_with_body(const Behaviour&, const Skeleton&, const BodyProblem&, BodyClash* clash,
                           Scratch&, Q q, Pose& world_from_body) noexcept;

/// "right_hand: too far by 0.12 m"; a line for each thing that is not as asked. Empty when all is.
std::string describe(const Behaviour&, const Skeleton&, const BodyProblem&, const BodyReport&,
                     const Collider* = nullptr);

}  // namespace gestik
