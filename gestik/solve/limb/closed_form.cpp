#include "gestik/solve/limb/closed_form.h"

#include <algorithm>

#include "gestik/math/arc_tangent.h"

namespace gestik {
namespace {

/// A distance, beside the limb's length, that counts as none: what rounding does to a straight
/// limb.
constexpr Real distance_slack = 1e-12;

/// The zero of the swivel for a line: `side` carried along by the smallest rotation from `from` to
/// `line`, all of unit length and side square to from. It is side - (side.line) / (1 + from.line)
/// (from + line); where that fades, 1 + c = |from x line|^2 / (1 - c).
Vec3 carried(const Vec3& side, const Vec3& from, const Vec3& line) noexcept {
  const Real c = from.dot(line);
  const Real more = c > 0 ? 1 + c : from.cross(line).squaredNorm() / (1 - c);
  if (more < 1e-24) return side;
  const Vec3 moved = side - side.dot(line) / more * (from + line);
  if (more > 0.1) return moved;
  // Near the far pole rounding tilts it: square it up.
  return (moved - line * line.dot(moved)).normalized();
}

/// The direction from the line to the mid when the limb bends to a side; in the upper frame.
Vec3 mid_side(const Bend& bend, const Vec3& to_end, Real side) noexcept {
  const Vec3 across = bend.axis.cross(to_end);
  if (bend.planar) return -side * across;
  const Real length = across.norm();
  return length > 0 ? Vec3(-side / length * across) : any_perpendicular(bend.axis);
}

/// The rotation that takes one pair of directions at right angles to another.
Quat rotation_between(const Vec3& a, const Vec3& b, const Vec3& to_a, const Vec3& to_b) noexcept {
  const Vec3 c = a.cross(b), to_c = to_a.cross(to_b);
  Mat3 rotation;
  for (int k = 0; k < 3; ++k) rotation.col(k) = to_a * a[k] + to_b * b[k] + to_c * c[k];
  return Quat(rotation);
}

Quat about(const Vec3& axis, const HalfTurn& turn) noexcept {
  return {turn.c, turn.s * axis.x(), turn.s * axis.y(), turn.s * axis.z()};
}

/// (0, v) * q
Quat pure_times(const Vec3& v, const Quat& q) noexcept {
  return {
      -v.x() * q.x() - v.y() * q.y() - v.z() * q.z(), v.x() * q.w() + v.y() * q.z() - v.z() * q.y(),
      v.y() * q.w() + v.z() * q.x() - v.x() * q.z(), v.z() * q.w() + v.x() * q.y() - v.y() * q.x()};
}

Quat mid_rotation(const Limb& limb, const Skeleton& skeleton, ConstQ q) noexcept {
  return limb.mid_is_ball ? load_quat(q.data() + skeleton.q_offset(limb.mid))
                          : Quat(Quat::Identity());
}

/// Whether the bend is the one that the limb carries with it, whatever the start.
bool is_own_bend(const Limb& limb, const Vec3& lower) noexcept {
  return !limb.mid_is_ball && lower == limb.lower;
}

/// A mid that is a ball: the bend turns about an axis of the upper frame, before what the start
/// has.
Quat bent_ball(const Limb& limb, const Bend& bend, const HalfTurn& half,
               const Real* start) noexcept {
  const Vec3 axis = limb.upper_from_mid.conjugate() * bend.axis;
  return normalized_or_identity(about(axis, half) * load_quat(start));
}

/// To which side of straight a mid is bent at an angle. Straight up to rounding is straight: there
/// it is the side to which it bends by nature.
Real side_of(const Limb& limb, const Bend& bend, Real angle) noexcept {
  constexpr Real straight = 1e-9;
  const Real beyond = wrap_angle(angle - bend.straight);
  return beyond > straight ? 1 : beyond < -straight ? -1 : limb.bend_sign;
}

}  // namespace

Bend bend_of(const Limb& limb, const Skeleton& skeleton, ConstQ q, const Vec3& lower) noexcept {
  if (is_own_bend(limb, lower)) return limb.bend;
  const Vec3 forearm = limb.upper_from_mid * (mid_rotation(limb, skeleton, q) * lower);
  Vec3 axis = limb.axis;
  if (limb.mid_is_ball) {
    const Vec3 across = limb.upper.cross(forearm);
    const Real length = across.norm();
    if (length > 1e-6 * limb.upper.norm() * forearm.norm()) axis = across / length;
  }
  return {limb.upper, axis, forearm};
}

Real swivel_of(const Limb& limb, const Skeleton& skeleton, ConstQ q, const Vec3& lower) noexcept {
  const Bend bend = bend_of(limb, skeleton, q, lower);
  const Real angle = limb.mid_is_ball ? 0 : q[skeleton.q_offset(limb.mid)];
  const auto [sine, cosine] = sincos(angle);
  const Real side = side_of(limb, bend, angle);
  const Vec3 end = bend.point(cosine, sine);
  const Vec3 to_end = end.norm() > 0 ? Vec3(end.normalized()) : normalized_or_zero(bend.upper);
  const Quat base = read(limb.base, skeleton, q);
  const Vec3 line = base * to_end, mid = base * mid_side(bend, to_end, side);
  const Vec3 zero = carried(limb.rest_side, limb.rest_line, line);
  const Real about_line = arc_tangent(mid.dot(line.cross(zero)), mid.dot(zero));
  return wrap_angle(limb.swivel_sign * (about_line - limb.swivel_offset));
}

LimbAtTarget::LimbAtTarget(const Limb& limb, const Skeleton& skeleton, ConstQ start,
                           const LimbTarget& target, const Vec3& lower) noexcept
    : limb_(limb),
      skeleton_(skeleton),
      start_(start),
      target_(target),
      own_bend_(is_own_bend(limb, lower)
                    ? std::nullopt
                    : std::optional<Bend>(bend_of(limb, skeleton, start, lower))),
      bend_(own_bend_ ? *own_bend_ : limb.bend) {
  distance_ = target.place.norm();
  line_ = distance_ > 0 && std::isfinite(distance_) ? Vec3((1 / distance_) * target.place)
                                                    : limb.rest_line;
  canonical_line_ = turned(limb.base.left, line_);
  find_bends();
}

void LimbAtTarget::bend_to(Real side, const HalfTurn& from_straight, Real angle,
                           BendChoice& choice) const noexcept {
  choice.side = side;
  const Real length = 2 * bend_.farthest;
  choice.miss = std::max(distance_ - bend_.farthest, bend_.nearest - distance_);
  if (choice.miss > distance_slack * length)
    choice.fault = distance_ > bend_.farthest ? LimbFault::too_far : LimbFault::too_near;
  choice.from_straight = {from_straight.c, side * from_straight.s};
  choice.half = bend_.half_straight * choice.from_straight;
  choice.angle = bend_.straight + side * angle;
  const int at = skeleton_.q_offset(limb_.mid);
  if (limb_.mid_is_ball) {
    std::array<Real, 4> value;
    store_quat(bent_ball(limb_, bend_, choice.half, start_.data() + at), value.data());
    if (choice.fault == LimbFault::none &&
        !joint_inside_limits(skeleton_, limb_.mid, value.data())) {
      choice.fault = LimbFault::limit;
      choice.excess = joint_excess(skeleton_, limb_.mid, value.data());
    }
    return;
  }
  const Limits& limits = skeleton_.limits(limb_.mid);
  const Real wanted = nearest_turn(choice.angle, limits, start_[at]);
  choice.angle = std::clamp(wanted, limits.lo, limits.hi);
  if (choice.angle == wanted) return;
  // Inside the limits it leaves some of the distance; what rounding left is none.
  choice.excess = joint_excess(skeleton_, limb_.mid, &wanted);
  choice.half = half_turn(choice.angle);
  choice.from_straight = HalfTurn{bend_.half_straight.c, -bend_.half_straight.s} * choice.half;
  const auto [sine, cosine] = sincos(choice.angle);
  const Real miss = std::abs(bend_.point(cosine, sine).norm() - distance_);
  choice.miss = std::max(choice.miss, miss);
  if (choice.fault == LimbFault::none && miss > distance_slack * length &&
      choice.excess.amount > limit_slack)
    choice.fault = LimbFault::limit;
}

// |f|^2 = c + 2 m cos(d), d the angle from straight, so cos^2(d/2) = near / 2m and sin^2(d/2) =
// far / 2m with far = m - (|e|^2 - c) / 2, near = m + (|e|^2 - c) / 2: the form that is precise
// when straight and when folded. The bend to the side where the start is comes first; what misses
// the distance comes last.
void LimbAtTarget::find_bends() noexcept {
  const Real wanted = (target_.place.squaredNorm() - bend_.middle) / 2;
  const Real more = std::max(-bend_.reach, std::min(bend_.reach, wanted));  // of NaN, straight
  const HalfTurn from_straight = bend_.reach > 0
                                     ? HalfTurn{std::sqrt((bend_.reach + more) * bend_.inverse),
                                                std::sqrt((bend_.reach - more) * bend_.inverse)}
                                     : HalfTurn{};
  const Real angle = 2 * arc_tangent(from_straight.s, from_straight.c);
  if (limb_.mid_is_ball) {  // its axis is such that the start bends to this side
    bend_to(1, from_straight, angle, choices_[0]);
    bends_ = 1;
    return;
  }
  const Real side = side_of(limb_, bend_, start_[skeleton_.q_offset(limb_.mid)]);
  bend_to(side, from_straight, angle, choices_[0]);
  bends_ = 1;
  const bool first_good = choices_[0].fault == LimbFault::none;
  if (first_good && !some_turn_fits(bend_.straight - side * angle, skeleton_.limits(limb_.mid)))
    return;
  BendChoice& other = choices_[1];
  bend_to(-side, from_straight, angle, other);
  const bool other_good = other.fault == LimbFault::none;
  if (first_good && other_good) {
    bends_ = 2;
  } else if (!first_good && (other_good || other.miss < choices_[0].miss)) {
    choices_[0] = other;
  }
}

Quat LimbAtTarget::base_at_zero(const BendChoice& choice) const noexcept {
  const Real cosine = choice.half.c * choice.half.c - choice.half.s * choice.half.s;
  const Vec3 end = bend_.point(cosine, 2 * choice.half.c * choice.half.s);
  const Real length = end.norm();
  const Vec3 to_end = length > 0 ? Vec3(end / length) : normalized_or_zero(bend_.upper);
  return rotation_between(to_end, mid_side(bend_, to_end, choice.side), line_,
                          carried(limb_.rest_side, limb_.rest_line, line_));
}

// At rest, straightened, a limb that stays in a plane points along rest_line, r, and it bends with
// its mid to rest_side. So does a bent one once it is turned back, about its axis a, by the angle
// between upper arm and line. The smallest rotation from r to the line n then carries both along:
// that is what the swivel's zero is. Bent to its other side, it lacks half a turn about the line.
//
// Turned back: with d the bend from straight, the line lies along (|u|^2 + m cos d, m sin d) in the
// plane, u its first axis; axis_turn() has the half of its angle, h. With all that is fixed
// multiplied beforehand the base is, in canonical coordinates,
//
//     (1 + r.n, L(r x n)) (cos h L Z R - sin h L Z a R),   Z the base's rotation at zero,
//
// brought to unit length: one product. False where that is not what the limb is like, or not
// precise; all the rest takes the long way.
bool LimbAtTarget::choose_in_plane(const BendChoice& choice) noexcept {
  const LimbProducts& products = limb_.products;
  const HalfTurn& d = choice.from_straight;
  const Real cosine = products.upper_squared + bend_.reach * (d.c * d.c - d.s * d.s);
  const Real sine = bend_.reach * (2 * d.c * d.s);
  const Real size = std::sqrt(cosine * cosine + sine * sine);
  const Real along = products.rest_line.dot(canonical_line_);
  if (!bend_.planar || own_bend_ || !(size > 0) || along < -0.9) return false;
  const Real more = size + std::abs(cosine);
  const Real unit = 1 / std::sqrt(4 * size * more * (1 + along));
  const Vec3 w = products.rest_line.cross(canonical_line_);
  const HalfTurn back =
      cosine > 0 ? HalfTurn{unit * more, -unit * sine} : HalfTurn{-unit * sine, unit * more};
  const Quat base =
      times({1 + along, w.x(), w.y(), w.z()}, blend(products.base, products.base_axis, back));
  const Quat half_round = pure_times(canonical_line_, base);
  const bool natural = choice.side == limb_.bend_sign;
  canonical_0_ = natural ? base : half_round;
  canonical_1_ = natural ? half_round : Quat(-base.w(), -base.x(), -base.y(), -base.z());
  return true;
}

// The base turns so that the limb's line and the mid's side of it fall on the target's: at the
// swivel's zero by B, at an angle a about the line n by (cos a/2, sin a/2 n) B. Quaternion products
// are linear, so in canonical coordinates L B R the two parts are C = L B R and L n B R = (L n
// L^-1) C, a rotated vector times C. The same is true of what is left for the end: with E from the
// end's canonical frame to the upper one and t the target's turn, it is
// E^-1 B^-1 (cos a/2, -sin a/2 n) t R' = (C R^-1 E)^-1 (cos a/2, -sin a/2 L n L^-1) L t R'.
void LimbAtTarget::choose(int bend) noexcept {
  chosen_ = bend;
  const BendChoice& choice = choices_[bend];
  if (!choose_in_plane(choice)) {
    canonical_0_ = times(times(limb_.base.left, base_at_zero(choice)), limb_.base.right);
    canonical_1_ = pure_times(canonical_line_, canonical_0_);
  }
  if (!target_.oriented) return;
  Quat from_end = blend(limb_.products.end, limb_.products.end_axis, choice.half);
  if (limb_.mid_is_ball)
    from_end = limb_.base.right.conjugate() * about(bend_.axis, choice.half) *
               limb_.upper_from_mid * mid_rotation(limb_, skeleton_, start_) * limb_.mid_from_end *
               limb_.end.left.conjugate();
  const Quat before = times(canonical_0_, from_end).conjugate();
  const Quat turn = times(times(limb_.base.left, target_.turn), limb_.end.right);
  end_0_ = times(before, turn);
  end_1_ = times(before, pure_times(-canonical_line_, turn));
}

Real LimbAtTarget::angle_of(Real swivel) const noexcept {
  return limb_.swivel_sign * swivel + limb_.swivel_offset;
}

Real LimbAtTarget::swivel_of(Real angle) const noexcept {
  return wrap_angle(limb_.swivel_sign * (angle - limb_.swivel_offset));
}

// With a hinge along the twist axis before the ball, q = T(f) S T(b): the twists f + b make that of
// q, t, and the ball's swing is that of q turned back by f. As a vector it is (x, y) turned by b -
// t/2. The hinge takes all if it can; then b = 0. Whatever b is, the swing comes no nearer to the
// ellipse's long axis than the most the ball can twist.
Verdict LimbAtTarget::shared_verdict(const Quat& q) const noexcept {
  const Socket& end = limb_.end;
  const Real w = q.w(), x = q.x(), y = q.y(), z = q.z();
  const Real upright = w * w + z * z, lying = x * x + y * y;
  const Real cosine = w * w - z * z, sine = 2 * w * z;
  const SharedTwist& shared = limb_.shared;
  const Real swing_x = w * x + z * y, swing_y = w * y - z * x;
  if (shared.together.clearance(cosine, sine, upright) < -quick_margin) return Verdict::outside;
  const bool long_x = end.inverse_x2 < end.inverse_y2;
  const Real along = std::abs(long_x ? swing_x : swing_y);
  const Real across = std::abs(long_x ? swing_y : swing_x);
  const Real least_across =
      std::max<Real>(0, across * shared.slack_cosine - along * shared.slack_sine);
  const Real most_along = std::sqrt(upright * lying - least_across * least_across);
  const Verdict best = swing_verdict(end, long_x ? most_along : least_across,
                                     long_x ? least_across : most_along, upright, lying);
  return best == Verdict::outside ? Verdict::outside : Verdict::unsure;
}

namespace {

/// The twist of the ball, near `twist` and within [lo, hi], at which the swing falls inside the
/// ellipse; `twist` itself, brought into the range, where it does anyway or where none will do.
//
// The swing is a vector of length r at the angle g + twist. Inside, its angle from the long axis is
// at most k, sin^2 k = (1 - r^2 / L^2) / (r^2 (1 / S^2 - 1 / L^2)), on either end of that axis.
Real ball_twist(const Vec2& swing_at_zero, const Limits& limits, Real twist, Real lo,
                Real hi) noexcept {
  twist = std::clamp(twist, lo, std::max(lo, hi));
  const Real a = std::max(limits.swing_x, limits.swing_y),
             b = std::min(limits.swing_x, limits.swing_y);
  const Real r = swing_at_zero.norm();
  if (r <= b || r > a || a >= pi) return twist;
  const Real sine2 = (1 - r * r / (a * a)) / (r * r * (1 / (b * b) - 1 / (a * a)));
  const Real most = std::asin(std::sqrt(std::clamp<Real>(sine2, 0, 1)));
  const Real zero = limits.swing_x >= limits.swing_y ? 0 : pi / 2;
  const Real from_axis =
      std::remainder(std::atan2(swing_at_zero.y(), swing_at_zero.x()) + twist - zero, pi);
  if (std::abs(from_axis) <= most) return twist;
  const Real near_way = twist + std::copysign(most, from_axis) - from_axis;
  const Real far_way = twist + std::copysign(pi - most, from_axis) - from_axis;
  if (near_way >= lo && near_way <= hi) return near_way;
  if (far_way >= lo && far_way <= hi) return far_way;
  return std::clamp(near_way, lo, std::max(lo, hi));
}

}  // namespace

void LimbAtTarget::write_end(const Quat& canonical, Q q) const noexcept {
  const Socket& end = limb_.end;
  if (limb_.twist == no_joint) {
    write_canonical(end, skeleton_, canonical, start_, q);
    return;
  }
  const SharedTwist& shared = limb_.shared;
  const int at = skeleton_.q_offset(limb_.twist);
  if (hinge_takes_the_twist(canonical)) {
    // The hinge takes the whole twist, and what is left of q is S turned back: T(-t) q.
    const Real w = canonical.w(), x = canonical.x(), y = canonical.y(), z = canonical.z();
    const Real size = std::copysign(std::sqrt(w * w + z * z), w);
    const Real unit = 1 / size, c = unit * w, s = unit * z;
    const Real twist = 2 * arc_tangent(std::copysign(1, w) * z, std::abs(w));
    q[at] = limb_.twist_sign *
            nearest_turn(twist, {.lo = shared.lo, .hi = shared.hi}, limb_.twist_sign * start_[at]);
    write_canonical(end, skeleton_, {size, c * x + s * y, c * y - s * x, 0}, start_, q);
    return;
  }
  const SwingTwist parts = split_swing_twist(canonical, Vec3::UnitZ());
  const Real twist = shared.ball_rest + nearest_turn(parts.twist - shared.ball_rest,
                                                     {.lo = shared.lo, .hi = shared.hi},
                                                     limb_.twist_sign * start_[at]);
  const Real hinge_alone = std::clamp(twist - shared.ball_rest, shared.lo, shared.hi);
  const Vec3 swing = axis_angle(Vec3::UnitZ(), -twist) * log(parts.swing);
  const Real ball = ball_twist({swing.x(), swing.y()}, skeleton_.limits(end.joints[0]),
                               twist - hinge_alone, std::max(shared.ball_lo, twist - shared.hi),
                               std::min(shared.ball_hi, twist - shared.lo));
  const Real hinge = std::clamp(twist - ball, shared.lo, shared.hi);
  q[at] = limb_.twist_sign * hinge;
  write_canonical(end, skeleton_, axis_angle(Vec3::UnitZ(), -hinge) * canonical, start_, q);
}

void LimbAtTarget::write(const HalfTurn& turn, Q q) const noexcept {
  const BendChoice& choice = choices_[chosen_];
  write_canonical(limb_.base, skeleton_, blend(canonical_0_, canonical_1_, turn), start_, q);
  Real* const mid = q.data() + skeleton_.q_offset(limb_.mid);
  if (limb_.mid_is_ball) {
    store_quat(bent_ball(limb_, bend_, choice.half, start_.data() + skeleton_.q_offset(limb_.mid)),
               mid);
  } else {
    *mid = choice.angle;
  }
  if (target_.oriented) write_end(blend(end_0_, end_1_, turn), q);
}

void two_bone(const Limb& limb, const Skeleton& skeleton, const Vec3& place, const Vec3& pole,
              ConstQ start, Q q) noexcept {
  const Bend bend = bend_of(limb, skeleton, start, limb.lower);
  const Real bend_to = limb.mid_is_ball ? 1 : limb.bend_sign;
  const Real distance = place.norm();
  const Vec3 line = distance > 0 ? Vec3(place / distance) : limb.rest_line;
  const Vec3 off = pole - line * line.dot(pole);
  const Real length = off.norm();
  const Vec3 side = length > 1e-12 * pole.norm() ? Vec3(off / length)
                                                 : carried(limb.rest_side, limb.rest_line, line);
  const Real more = std::clamp((distance * distance - bend.middle) / 2, -bend.reach, bend.reach);
  const Real a = std::sqrt(bend.reach + more), b = std::sqrt(bend.reach - more);
  const Real unit = 1 / std::sqrt(2 * bend.reach);
  const HalfTurn half = bend.half_straight * HalfTurn{unit * a, bend_to * unit * b};
  const Vec3 end = bend.point(half.c * half.c - half.s * half.s, 2 * half.c * half.s);
  const Vec3 to_end = end / end.norm();
  const Quat base = rotation_between(to_end, mid_side(bend, to_end, bend_to), line, side);
  write(limb.base, skeleton, base, start, q);
  const int mid = skeleton.q_offset(limb.mid);
  if (limb.mid_is_ball)
    store_quat(bent_ball(limb, bend, half, start.data() + mid), q.data() + mid);
  else
    q[mid] = bend.straight + bend_to * 2 * arc_tangent(b, a);
}

}  // namespace gestik
