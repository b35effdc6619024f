#pragma once

#include <array>
#include <cmath>

#include "gestik/model/joint_ops.h"

namespace gestik {

/// A range of angles on the circle, ready to be asked without trigonometry.
struct CircleRange {
  Real cos_middle = 1, sin_middle = 0, cos_half = -1;
  bool limited = false;

  CircleRange() = default;
  CircleRange(Real lo, Real hi) noexcept;

  /// Above zero inside, below outside, for the angle of the vector (x, y) of this length.
  Real clearance(Real x, Real y, Real length) const noexcept {
    return limited ? x * cos_middle + y * sin_middle - length * cos_half : infinity;
  }
};

/// What can be said of a pose without trigonometry. `unsure` within a hair of a limit.
enum class Verdict : std::uint8_t { inside, unsure, outside };

inline Verdict worse(Verdict a, Verdict b) noexcept {
  return a < b ? b : a;
}
inline Verdict better(Verdict a, Verdict b) noexcept {
  return a < b ? a : b;
}

/// Joints that turn about one point and together can turn any way: a ball, or three hinges whose
/// axes meet there, each at right angles to the next. Its rotation takes the frame of its first
/// joint at rest to that of its last joint, moved.
///
/// Limits are asked in canonical coordinates, left * rotation * right:
///   ball    the rotation in the limit frame, whose z is the twist axis;
///   hinges  Rz(first) Ry(second + bias) Rz(third). Any three such hinges are of this form: with
///           the axes A1, A2, A3 at zero, A3 is A1 turned about A2 by some `bias`.
/// `left` and `right` are fixed, so whatever is linear in the rotation is linear here too.
struct Socket {
  enum class Kind : std::uint8_t { none, ball, hinges };
  Kind kind = Kind::none;
  std::array<JointId, 3> joints{no_joint, no_joint, no_joint};  ///< root first; of a ball, one
  Quat left = Quat::Identity(), right = Quat::Identity();
  Real bias = 0;
  std::array<CircleRange, 3> ranges = {};  ///< the hinges', biased; the first is a ball's twist
  bool any_swing = true;
  Real inverse_x2 = 0, inverse_y2 = 0;  ///< of the swing ellipse's half axes

  int joint_count() const noexcept { return kind == Kind::hinges ? 3 : kind == Kind::ball ? 1 : 0; }
  JointId last() const noexcept { return joints[kind == Kind::hinges ? 2 : 0]; }
};

Socket ball_socket(const Skeleton&, JointId) noexcept;

/// Three hinges, root first, with their axes at zero and the rotation of the whole at zero, in the
/// frame of the first at rest. The axes must be at right angles, each to the next.
Socket hinge_socket(const Skeleton&, const std::array<JointId, 3>& joints,
                    const std::array<Vec3, 3>& axes, const Quat& at_zero) noexcept;

/// The rotation that these coordinates make.
Quat read(const Socket&, const Skeleton&, ConstQ) noexcept;

/// The coordinates that make this rotation; where there are several, those inside the limits and
/// then those nearest to `start`.
void write(const Socket&, const Skeleton&, const Quat& rotation, ConstQ start, Q out) noexcept;

/// The same for a rotation in canonical coordinates.
void write_canonical(const Socket&, const Skeleton&, const Quat& canonical, ConstQ start,
                     Q out) noexcept;

/// The angle, or it and some whole turns: inside the limits if that can be, then nearest to
/// `start`. Most are as they should be.
Real nearest_other_turn(Real angle, const Limits&, Real start) noexcept;
inline Real nearest_turn(Real angle, const Limits& limits, Real start) noexcept {
  const bool inside = angle >= limits.lo && angle <= limits.hi;
  // No other turn fits, or none is nearer.
  const bool best = limits.hi - limits.lo < 2 * pi || std::abs(angle - start) <= pi;
  return inside && best ? angle : nearest_other_turn(angle, limits, start);
}

/// Whether some whole turns, or none, bring the angle inside the limits.
inline bool some_turn_fits(Real angle, const Limits& limits) noexcept {
  if (angle >= limits.lo && angle <= limits.hi) return true;
  if (std::abs(angle) < pi && limits.lo > -pi && limits.hi < pi) return false;
  const Real nearest = nearest_other_turn(angle, limits, angle);
  return nearest >= limits.lo && nearest <= limits.hi;
}

// The tests below ask for cosines with this much to spare and leave the rest to who knows better.
inline constexpr Real quick_margin = 1e-9;

inline Verdict verdict_of(Real clearance) noexcept {
  return clearance > quick_margin    ? Verdict::inside
         : clearance < -quick_margin ? Verdict::outside
                                     : Verdict::unsure;
}

/// Whether a swing lies in the ellipse. (x, y) is the swing's vector part in the limit frame times
/// sqrt(upright), upright = cos^2 and lying = sin^2 of half the swing s.
//
// Equation 7 asks for (s / sin(s/2))^2 (x^2 / a^2 + y^2 / b^2) <= 1 with the unit vector part. With
// t = tan(s/2), s/2 = atan(t) lies between two convergents of its continued fraction,
//
//     t (105 + 55 t^2) / (105 + 90 t^2 + 9 t^4)  and  t (945 + 735 t^2 + 64 t^4) / (945 + 1050 t^2
//     + 225 t^4),
//
// so two polynomials in `upright` and `lying` decide, but for a narrow band between them.
inline Verdict swing_verdict(const Socket& socket, Real x, Real y, Real upright,
                             Real lying) noexcept {
  if (socket.any_swing) return Verdict::inside;
  const Real level = 4 * (x * x * socket.inverse_x2 + y * y * socket.inverse_y2);
  const Real uu = upright * upright, ul = upright * lying, ll = lying * lying;
  const Real most = 945 * uu + 735 * ul + 64 * ll, over_most = 945 * uu + 1050 * ul + 225 * ll;
  if (level * most * most < (1 - quick_margin) * uu * over_most * over_most) return Verdict::inside;
  const Real least = 105 * uu + 55 * ul, over_least = 105 * uu + 90 * ul + 9 * ll;
  if (level * least * least > (1 + quick_margin) * uu * over_least * over_least)
    return Verdict::outside;
  return Verdict::unsure;
}

/// Whether a rotation, canonical and of unit length, keeps the socket's limits.
//
// Swing and twist of q = (w, x, y, z): the twist's half angle is that of (w, z), and the swing's
// vector part is (x, y) turned by it. Angles of the hinges: with h = (first + third) / 2 the angle
// of (w, z) and k = (first - third) / 2 that of (y, -x), the first is h + k and the third h - k;
// the cosine and sine of the middle one are (w^2 + z^2) - (x^2 + y^2) and 2 sqrt of the product of
// the two. The other way to make the same rotation turns the outer two half round and the middle
// one back.
inline Verdict quick_verdict(const Socket& socket, const Quat& q) noexcept {
  const Real w = q.w(), x = q.x(), y = q.y(), z = q.z();
  const Real upright = w * w + z * z, lying = x * x + y * y;
  switch (socket.kind) {
    case Socket::Kind::none:
      return Verdict::inside;
    case Socket::Kind::ball: {
      const Verdict twist =
          verdict_of(socket.ranges[0].clearance(w * w - z * z, 2 * w * z, upright));
      if (twist == Verdict::outside) return twist;
      return worse(twist, swing_verdict(socket, w * x - z * y, z * x + w * y, upright, lying));
    }
    case Socket::Kind::hinges: {
      const Real length = std::sqrt(upright * lying);
      const Real wy = w * y, zx = z * x, zy = z * y, wx = w * x;
      const auto all = [&](Real side) {
        const Real first = socket.ranges[0].clearance(side * (wy + zx), side * (zy - wx), length);
        const Real second = socket.ranges[1].clearance(upright - lying, side * 2 * length, 1);
        const Real third = socket.ranges[2].clearance(side * (wy - zx), side * (zy + wx), length);
        return verdict_of(std::min(first, std::min(second, third)));
      };
      const Verdict one_way = all(1);
      return one_way == Verdict::inside ? one_way : better(one_way, all(-1));
    }
  }
  return Verdict::unsure;
}

}  // namespace gestik
