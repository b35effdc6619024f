#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

namespace gestik {

/// Index of a joint in its Skeleton: 0 is the root, a parent always comes before its children.
using JointId = int;
inline constexpr JointId no_joint = -1;

/// Joint coordinates. A hinge (radians) and a slider (metres) take one number, a ball four (a unit
/// quaternion w, x, y, z), a fixed joint none, in joint order.
using Q = std::span<Real>;
using ConstQ = std::span<const Real>;

/// Tangent (velocity) coordinates: as q, but three for a ball, a rotation vector in the joint's own
/// moved frame: q (+) v = q * exp(v).
using V = std::span<Real>;
using ConstV = std::span<const Real>;

enum class JointType : std::uint8_t { fixed, hinge, slider, ball };
std::string_view to_string(JointType) noexcept;

/// How far a joint may move. The defaults are "no limit".
struct Limits {
  /// Hinge: radians; slider: metres. Ball: the twist, on the circle (t and t + 2 pi are one), both
  /// ends or none; a range of 2 pi or more is no limit.
  Real lo = -infinity;
  Real hi = infinity;

  /// Ball only: the swing ellipse, half axes in (0, pi]. The swing, as a rotation vector (x, y) in
  /// the limit frame, must satisfy (x/swing_x)^2 + (y/swing_y)^2 <= 1; pi and pi means any swing.
  /// The limit frame's z is the joint's axis; its x and y are the joint's x and y carried along by
  /// the smallest rotation from z to the axis.
  Real swing_x = pi;
  Real swing_y = pi;
};

/// One joint as a file or a program describes it. Nothing here is checked: build() does that.
struct JointDraft {
  std::string name = {};
  std::string parent = {};  ///< empty for the root
  JointType type = JointType::fixed;
  Pose parent_from_joint =
      {};  ///< where the joint sits in its parent's moved frame when its q is zero
  Vec3 axis =
      Vec3::UnitY();  ///< in the joint's frame: hinge and slider axis, or a ball's twist axis
  Limits limits = {};
};

struct SkeletonDraft {
  std::vector<JointDraft> joints = {};  ///< in any order
};

/// A tree of joints, checked and immutable: share it between threads and solves as you like. It
/// keeps the draft's order of joints wherever that already puts parents first.
class Skeleton {
 public:
  int joint_count() const noexcept { return static_cast<int>(joints_.size()); }
  int q_size() const noexcept { return q_size_; }
  int v_size() const noexcept { return v_size_; }  ///< the degrees of freedom

  const std::string& name(JointId j) const noexcept { return names_[j]; }
  JointId parent(JointId j) const noexcept { return joints_[j].parent; }  ///< no_joint for the root
  JointType type(JointId j) const noexcept { return joints_[j].type; }
  const Pose& parent_from_joint(JointId j) const noexcept { return rest_[j]; }
  const Vec3& axis(JointId j) const noexcept { return joints_[j].axis; }  ///< of unit length
  const Limits& limits(JointId j) const noexcept { return limits_[j]; }
  /// Takes the limit frame of a ball to its joint's frame: z to the axis by the smallest rotation.
  const Quat& joint_from_limit(JointId j) const noexcept { return joint_from_limit_[j]; }
  int q_offset(JointId j) const noexcept { return joints_[j].q_offset; }
  int v_offset(JointId j) const noexcept { return joints_[j].v_offset; }

  /// no_joint where there is none of that name.
  JointId find(std::string_view name) const noexcept;

  /// All zero, or the nearest to it that the limits allow.
  ConstQ neutral() const noexcept { return neutral_; }

  /// "elbow", or for a ball "hip.w", "hip.x", "hip.y", "hip.z".
  std::string coordinate_name(int q_index) const;

  /// The joint that a coordinate of q belongs to; the index must be one of q's.
  JointId joint_of_coordinate(int q_index) const noexcept;

  /// What one forward pass needs of a joint, side by side in memory; see kinematics.cpp.
  struct Joint {
    JointId parent;
    JointType type;
    int q_offset, v_offset;
    Quat rest;       ///< parent_from_joint.q
    Quat rest_axis;  ///< parent_from_joint.q * (0, axis): a hinge is cos(h) rest + sin(h) rest_axis
    Vec3 offset;     ///< parent_from_joint.p
    Vec3 slide;      ///< the axis in the parent's frame
    Vec3 axis;
  };
  std::span<const Joint> joints() const noexcept { return joints_; }

 private:
  friend Result<Skeleton> build(const SkeletonDraft&);
  Skeleton() = default;

  std::vector<Joint> joints_;
  std::vector<std::string> names_;
  std::vector<Pose> rest_;
  std::vector<Limits> limits_;
  std::vector<Quat> joint_from_limit_;
  std::vector<JointId> by_name_;  ///< sorted by name
  std::vector<Real> neutral_;
  int q_size_ = 0;
  int v_size_ = 0;
};

/// The only door to a Skeleton. Refuses, naming the joint and the way out: no joints, empty or
/// duplicate names, an unknown parent, no root or a second one, a cycle, numbers that are not
/// finite, a zero axis or rest quaternion, lo > hi, a swing outside (0, pi].
Result<Skeleton> build(const SkeletonDraft&);

/// The draft that builds this skeleton again: what the writers write.
SkeletonDraft draft_of(const Skeleton&);

}  // namespace gestik
