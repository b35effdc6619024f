#pragma once

#include <span>
#include <string>
#include <vector>

#include "gestik/solve/limb/bend.h"
#include "gestik/solve/limb/socket.h"

/// Arms and legs in a skeleton: what has to be known of one before it can be solved.
namespace gestik {

/// A hinge along the forearm and the end's ball behind it twist about one axis and share what is
/// asked: the hinge takes all it can, the ball the rest. Ranges as angles about the ball's axis.
struct SharedTwist {
  Real lo = 0, hi = 0;                    ///< the hinge's
  Real ball_lo = 0, ball_hi = 0;          ///< the ball's
  Real ball_rest = 0;                     ///< its twist while the hinge does it all: 0 if it may be
  CircleRange alone, together;            ///< what the hinge can do, and both
  Real slack_cosine = 0, slack_sine = 1;  ///< of the most the ball can twist
};

/// Products of a limb's fixed rotations that every solve would take anew, with L and R the `left`
/// and `right` of its base; closed_form.cpp says what they are for.
struct LimbProducts {
  Vec3 rest_line = Vec3::UnitZ();           ///< L rest_line
  Quat base = Quat::Identity(), base_axis;  ///< L base_from_upper R and L base_from_upper axis R
  Quat end = Quat::Identity(), end_axis;    ///< R^-1 upper_from_end and R^-1 axis upper_from_end
  Real upper_squared = 0;
};

/// An arm or a leg: a base that turns any way (shoulder, hip), a mid that bends (elbow, knee) and
/// an end that turns any way (wrist, ankle). Joints at zero unless it says otherwise.
///
/// The base's frame is that of its first joint at rest, moved to the point it turns about. The
/// upper frame is that of its last joint; it moves with the upper arm.
struct Limb {
  Socket base;
  JointId mid = no_joint;
  bool mid_is_ball = false;
  JointId twist = no_joint;  ///< a hinge along the forearm that shares the end's twist, if any
  Real twist_sign = 1;       ///< of its axis, beside the end's twist axis
  SharedTwist shared;
  /// Kind none: only a place can be reached, with all that follows the mid kept as it is.
  Socket end;
  JointId joint = no_joint;  ///< the last one that moves: targets are for it or what it carries

  JointId base_parent = no_joint;
  Pose parent_from_base;                    ///< the base's frame in its parent's moved frame
  Quat base_from_upper = Quat::Identity();  ///< at zero
  Vec3 upper = Vec3::Zero();               ///< from the base's point to the mid, in the upper frame
  Quat upper_from_mid = Quat::Identity();  ///< the mid's frame at rest
  Vec3 axis = Vec3::Zero();  ///< the mid's, in the upper frame; of a ball, used when it is straight
  Vec3 lower = Vec3::Zero();  ///< from the mid to the end's point, in the mid's moved frame
  Quat mid_from_end = Quat::Identity();  ///< to the end's first joint at rest
  /// From the end's canonical frame at rest to the upper frame, the mid at zero.
  Quat upper_from_end = Quat::Identity();
  Bend bend;                      ///< of a mid that is a hinge
  Vec3 end_point = Vec3::Zero();  ///< the end's point in the frame of `joint`

  /// The swivel: which way the mid points, as an angle about the line from the base to the end. 0
  /// is the way in which the limb bends at zero, carried along by the smallest rotation from the
  /// upper arm at zero to that line (undetermined only where they are opposite). Positive raises an
  /// elbow and turns a knee outward: angle about the line = swivel_sign * swivel + swivel_offset.
  /// Sign and offset are data: change them as you like.
  Real swivel_sign = 1;
  Real swivel_offset = 0;
  Vec3 rest_line = Vec3::UnitZ(),
       rest_side = Vec3::UnitX();  ///< in the base's frame, of unit length
  Real bend_sign = 1;              ///< which way the mid bends by nature

  LimbProducts products;

  /// All joints that a solve writes, root first.
  std::array<JointId, 8> joints{};
  int joint_count = 0;
  std::span<const JointId> moved() const noexcept {
    return {joints.data(), static_cast<std::size_t>(joint_count)};
  }
  Real upper_length() const noexcept { return upper.norm(); }
  Real lower_length() const noexcept { return lower.norm(); }
};

/// Why the joints above one are no limb.
enum class NotLimb : std::uint8_t {
  none,       ///< they are one
  fixed,      ///< nothing moves there
  slider,     ///< `joint` slides
  no_base,    ///< no ball above it, and no three hinges that meet in a point
  open_end,   ///< the last hinges do not meet in a point: a place can be reached, no orientation
  no_length,  ///< upper arm or forearm has no length, or the mid does not bend it
};
std::string_view to_string(NotLimb) noexcept;

struct LimbOr {
  NotLimb why = NotLimb::none;
  JointId where = no_joint;
  Limb limb = {};  ///< sound when why is none or open_end
  bool reaches_places() const noexcept { return why == NotLimb::none || why == NotLimb::open_end; }
  bool reaches_poses() const noexcept { return why == NotLimb::none; }
};

/// The limb that ends at a joint (or at the first above it that moves): what lies between it and
/// the nearest base is looked at, nothing else. `up` decides the sign of the swivel. No allocation.
LimbOr limb_at(const Skeleton&, JointId, const Vec3& up = Vec3::UnitY()) noexcept;

/// An end of a skeleton that is not the end of a limb, and why.
struct OtherEnd {
  JointId joint = no_joint;
  NotLimb why = NotLimb::none;
  JointId where = no_joint;
};

struct LimbsFound {
  std::vector<Limb> limbs = {};
  std::vector<OtherEnd> others = {};
};

/// The arms and legs of a skeleton. Where every joint is a ball (motion capture, skinned meshes)
/// any three in a row could be a limb: names decide ("elbow", "ForeArm", "knee", "LeftLeg"), else
/// length; what is short beside the longest, a neck or a finger, is none, nor is what carries
/// another limb.
LimbsFound find_limbs(const Skeleton&, const Vec3& up = Vec3::UnitY());

/// "right_shoulder - right_elbow - right_forearm - right_wrist: ball, hinge, twist, ball; 0.29 m
/// and 0.26 m".
std::string describe(const Skeleton&, const Limb&);
std::string describe(const Skeleton&, const OtherEnd&);

}  // namespace gestik
