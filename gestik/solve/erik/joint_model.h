#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "gestik/base/scratch.h"
#include "gestik/math/rotation.h"
#include "gestik/solve/problem.h"

namespace gestik::erik {

/// One hinge of the chain as the paper's joint model sees it (section 3.4, Eqs 16-18).
///
/// Every link has a frame whose Y is its segment; its basis is the frame of the link before it, so
/// the parent's segment is the basis' Y, whatever the axes and offsets of the real skeleton. At
/// angle t, frame = basis * (cos(t/2) rest + sin(t/2) rest_axis).
struct Link {
  Quat rest;           ///< basis_from_frame at angle 0
  Quat rest_axis;      ///< rest * (0, axis_in_frame)
  Vec3 axis;           ///< RA, in the basis
  Vec3 axis_in_frame;  ///< the same in the link's own, turned frame
  Vec3 hemisphere;     ///< POA: which of two angles of one latitude a target asks for
  Vec3 offset;         ///< from the link before to this one, in the basis
  Real lo, hi;
  Real middle;  ///< of lo and hi, or 0 where there is no such thing
  /// The height of the segment's tip over the basis: latitude_mean + latitude_range * cos(t -
  /// latitude_top).
  Real latitude_mean, latitude_range, latitude_top;
  Real weight;  ///< of its bend in the posture error, all of them adding up to 1; 0 for twisters
  JointId joint;
  int q_index;
  bool twister;  ///< turns about its own segment: changes no shape
};

/// A chain of links from the root of the skeleton to the goal's joint. Joints that are fixed or
/// held have gone into the offsets and rests of the next link.
struct Chain {
  std::span<const Link> links;
  Quat base;            ///< basis of the first link; without links, the end's own pose
  Vec3 base_origin;     ///< the first link's place
  Quat frame_from_end;  ///< last link's frame to the goal's joint
  Vec3 end_offset;      ///< from the last link to the goal's joint, in the last link's frame
  int& passes;          ///< counts forward passes
  int size() const noexcept { return static_cast<int>(links.size()); }
};

/// Reads the chain below `end`, whose own direction (what it points with) is given in its joint's
/// frame. `links` holds as many as there are joints on the way.
Chain read_chain(const Problem&, JointId end, const Vec3& direction_in_end, Real aggravation,
                 std::span<Link> links, int& passes) noexcept;
int chain_joints(const Skeleton&, JointId end) noexcept;

/// Where a rotation takes Y: the segment of a link, from its frame.
inline Vec3 y_axis(const Quat& q) noexcept {
  return {2 * (q.x() * q.y() - q.w() * q.z()), 1 - 2 * (q.x() * q.x() + q.z() * q.z()),
          2 * (q.y() * q.z() + q.w() * q.x())};
}

/// The link's local rotation.
Quat local_rotation(const Link&, Real angle) noexcept;

/// The same angle within half a turn of the middle of the link's range.
inline Real wrapped_angle(const Link& link, Real angle) noexcept {
  return std::abs(angle - link.middle) <= pi ? angle : nearest_turn(angle, link.middle);
}

/// Wraps an angle into the limits where whole turns allow it, else clamps it (SafeAngle).
inline Real safe_angle(const Link& link, Real angle) noexcept {
  return std::clamp(wrapped_angle(link, angle), link.lo, link.hi);
}

/// As safe_angle, but half a turn off rather than clamped, if that is inside: joints above can be
/// bent the other way (Algorithm 12).
Real safe_twist(const Link&, Real angle) noexcept;

/// The angle that brings the segment to the latitude of a direction given in the basis, on the same
/// side of the axis (Algorithm 13, closed form), before any limit. `mirrored`: on the other side.
Real swing_to(const Link&, const Vec3& direction_in_basis, bool mirrored = false) noexcept;

/// The angle unless it is on a limit: then moved off it (AvoidJointEdge).
Real off_the_edge(const Link&, Real angle, Real by) noexcept;

/// The angle of a twister whose frame should look like this from its basis.
Real twist_angle(const Link&, const Quat& basis_from_wanted) noexcept;

/// The part of a rotation that turns about Y, in [-pi, pi].
Real twist_about_y(const Quat&) noexcept;

}  // namespace gestik::erik
