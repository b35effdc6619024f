#include "gestik/solve/limb/geometry.h"

#include <algorithm>
#include <cctype>

namespace gestik {
namespace {

/// What counts as zero beside one metre or one radian. Files write half pi with at least ten
/// digits, or mean something else.
constexpr Real tolerance = 1e-9;

/// The joints that move, from one up to the root.
struct Way {
  static constexpr int most = 32;
  std::array<JointId, most> joints{};
  int count = 0;
};

Way way_up(const Skeleton& skeleton, JointId from) noexcept {
  Way way;
  for (JointId j = from; j != no_joint && way.count < Way::most; j = skeleton.parent(j))
    if (skeleton.type(j) != JointType::fixed) way.joints[way.count++] = j;
  return way;
}

/// A joint's frame in another's moved frame, all between them at zero. The other must be above it.
Pose above_from(const Skeleton& skeleton, JointId above, JointId joint) noexcept {
  Pose pose;
  for (JointId j = joint; j != above; j = skeleton.parent(j))
    pose = skeleton.parent_from_joint(j) * pose;
  return pose;
}

/// A socket and where it turns.
struct Found {
  Socket socket;
  Vec3 point_in_first = Vec3::Zero();  ///< in the frame of its first joint at rest
  Vec3 point_in_last = Vec3::Zero();   ///< in the frame of its last joint
  Quat at_zero = Quat::Identity();
  bool ok() const noexcept { return socket.kind != Socket::Kind::none; }
};

Real distance_to_line(const Vec3& point, const Vec3& origin, const Vec3& axis) noexcept {
  return axis.cross(point - origin).norm();
}

/// Three hinges as a socket: each axis at right angles to the next, all through one point. The
/// first two lines keep their place to each other whatever the joints do, and so do the last two:
/// what holds at zero holds everywhere.
Found hinges_at(const Skeleton& skeleton, const std::array<JointId, 3>& joints) noexcept {
  std::array<Pose, 3> first_from;
  std::array<Vec3, 3> axes;
  for (std::size_t i = 0; i < 3; ++i) {
    if (skeleton.type(joints[i]) != JointType::hinge) return {};
    first_from[i] = above_from(skeleton, joints[0], joints[i]);
    axes[i] = first_from[i].q * skeleton.axis(joints[i]);
  }
  if (std::abs(axes[0].dot(axes[1])) > tolerance || std::abs(axes[1].dot(axes[2])) > tolerance)
    return {};
  // The point of the first line nearest to the second: the axes are at right angles.
  const Vec3 point = axes[0] * axes[0].dot(first_from[1].p);
  const Real size = std::max({1.0, first_from[1].p.norm(), first_from[2].p.norm()});
  for (std::size_t i = 1; i < 3; ++i)
    if (distance_to_line(point, first_from[i].p, axes[i]) > tolerance * size) return {};
  Found found;
  found.at_zero = first_from[2].q;
  found.socket = hinge_socket(skeleton, joints, axes, found.at_zero);
  found.point_in_first = point;
  found.point_in_last = inverse(first_from[2]) * point;
  return found;
}

/// The socket whose last joint is way[at].
Found socket_at(const Skeleton& skeleton, const Way& way, int at) noexcept {
  if (at >= way.count) return {};
  if (skeleton.type(way.joints[at]) == JointType::ball) {
    Found found;
    found.socket = ball_socket(skeleton, way.joints[at]);
    return found;
  }
  if (at + 2 >= way.count) return {};
  return hinges_at(skeleton, {way.joints[at + 2], way.joints[at + 1], way.joints[at]});
}

/// A hinge whose axis runs through a point that it carries turns it on the spot.
bool turns_on_the_spot(const Skeleton& skeleton, JointId hinge, const Vec3& point_in_it) noexcept {
  return skeleton.type(hinge) == JointType::hinge &&
         distance_to_line(point_in_it, Vec3::Zero(), skeleton.axis(hinge)) <=
             tolerance * std::max(1.0, point_in_it.norm());
}

/// Everything about the mid and what follows it; false where there is nothing to bend.
bool set_middle(const Skeleton& skeleton, const Found& base, const Found& end,
                Limb& limb) noexcept {
  const JointId last = base.socket.last();
  const Pose upper_from_mid = above_from(skeleton, last, limb.mid);
  limb.upper = upper_from_mid.p - base.point_in_last;
  limb.upper_from_mid = upper_from_mid.q;
  const JointId first = end.ok() ? end.socket.joints[0] : limb.joint;
  const Pose mid_from_end = above_from(skeleton, limb.mid, first);
  limb.lower = mid_from_end * end.point_in_first;
  limb.mid_from_end = mid_from_end.q;
  limb.upper_from_end = limb.upper_from_mid * limb.mid_from_end * limb.end.left.conjugate();
  limb.end_point = end.point_in_last;
  const Vec3 lower = limb.upper_from_mid * limb.lower;
  const Vec3 across = normalized_or_zero(limb.upper.cross(lower));
  if (skeleton.type(limb.mid) == JointType::hinge)
    limb.axis = limb.upper_from_mid * skeleton.axis(limb.mid);
  else
    limb.axis = limb.upper.cross(lower).norm() > 1e-6 * limb.upper.norm() * lower.norm()
                    ? across
                    : any_perpendicular(normalized_or_zero(limb.upper));
  limb.bend = Bend(limb.upper, limb.axis, lower);
  // Without an end, the place asked for decides how far it bends.
  return limb.upper.norm() > tolerance && (!end.ok() || limb.bend.reach > tolerance);
}

/// By how much more of its range the mid bends to the positive side of being straight.
Real natural_side(const Skeleton& skeleton, const Limb& limb) noexcept {
  if (limb.mid_is_ball) return 1;
  const Real straight = limb.bend.straight;
  const Limits& limits = skeleton.limits(limb.mid);
  const Real middle = std::isfinite(limits.lo + limits.hi) ? (limits.lo + limits.hi) / 2 : straight;
  return std::sin(middle - straight) < -tolerance ? -1 : 1;
}

void set_products(Limb& limb) noexcept {
  const Quat axis(0, limb.axis.x(), limb.axis.y(), limb.axis.z());
  const Quat& left = limb.base.left;
  const Quat& right = limb.base.right;
  limb.products = {.rest_line = left * limb.rest_line,
                   .base = left * limb.base_from_upper * right,
                   .base_axis = left * limb.base_from_upper * axis * right,
                   .end = right.conjugate() * limb.upper_from_end,
                   .end_axis = right.conjugate() * axis * limb.upper_from_end,
                   .upper_squared = limb.upper.squaredNorm()};
}

void set_swivel(const Skeleton& skeleton, const Vec3& up, Limb& limb) noexcept {
  limb.rest_line = limb.base_from_upper * normalized_or_zero(limb.upper);
  const Vec3 axis = limb.base_from_upper * limb.axis;
  const Vec3 side = normalized_or_zero(axis.cross(limb.rest_line));
  limb.rest_side =
      side.isZero(0) ? any_perpendicular(limb.rest_line) : Vec3(-limb.bend_sign * side);
  Quat world_from_base = limb.parent_from_base.q;
  for (JointId j = limb.base_parent; j != no_joint; j = skeleton.parent(j))
    world_from_base = skeleton.parent_from_joint(j).q * world_from_base;
  const Vec3 forth = world_from_base * limb.rest_line.cross(limb.rest_side);
  limb.swivel_sign = forth.dot(up) < 0 ? -1 : 1;
}

void list_joints(const Skeleton& skeleton, Limb& limb) noexcept {
  const auto add = [&](JointId j) { limb.joints[limb.joint_count++] = j; };
  for (int i = 0; i < limb.base.joint_count(); ++i) add(limb.base.joints[i]);
  add(limb.mid);
  if (limb.twist != no_joint) add(limb.twist);
  for (int i = 0; i < limb.end.joint_count(); ++i) add(limb.end.joints[i]);
  limb.mid_is_ball = skeleton.type(limb.mid) == JointType::ball;
}

SharedTwist shared_twist(const Limits& hinge, const Limits& ball, Real sign) noexcept {
  SharedTwist shared;
  shared.lo = sign > 0 ? hinge.lo : -hinge.hi;
  shared.hi = sign > 0 ? hinge.hi : -hinge.lo;
  const bool free = ball.hi - ball.lo >= 2 * pi;
  shared.ball_lo = free ? -pi : ball.lo;
  shared.ball_hi = free ? pi : ball.hi;
  shared.ball_rest = std::clamp<Real>(0, shared.ball_lo, shared.ball_hi);
  shared.alone = CircleRange(shared.lo, shared.hi);
  if (shared.ball_rest != 0) {  // the quick test is of a ball that does not twist: never sure
    shared.alone.limited = true;
    shared.alone.cos_half = 2;
  }
  shared.together = CircleRange(shared.lo + shared.ball_lo, shared.hi + shared.ball_hi);
  const Real most = std::min(pi / 2, std::max(std::abs(shared.ball_lo), std::abs(shared.ball_hi)));
  shared.slack_cosine = std::cos(most);
  shared.slack_sine = std::sin(most);
  return shared;
}

/// Completes a limb whose mid is way[at] and whose base ends at way[at + 1].
LimbOr completed(const Skeleton& skeleton, const Way& way, int at, const Found& base,
                 const Found& end, JointId twist, const Vec3& up) noexcept {
  LimbOr out{.why = end.ok() ? NotLimb::none : NotLimb::open_end, .where = way.joints[0]};
  Limb& limb = out.limb;
  limb.base = base.socket;
  limb.end = end.socket;
  limb.mid = way.joints[at];
  limb.joint = way.joints[0];
  if (twist != no_joint && limb.end.kind == Socket::Kind::ball) {
    const Quat twist_from_end = above_from(skeleton, twist, limb.end.joints[0]).q;
    const Real along = skeleton.axis(twist).dot(twist_from_end * skeleton.axis(limb.end.joints[0]));
    if (1 - std::abs(along) < tolerance) {
      limb.twist = twist;
      limb.twist_sign = along < 0 ? -1 : 1;
      limb.shared = shared_twist(skeleton.limits(twist), skeleton.limits(limb.end.joints[0]),
                                 limb.twist_sign);
    }
  }
  list_joints(skeleton, limb);
  const JointId first = limb.base.joints[0];
  limb.base_parent = skeleton.parent(first);
  const Pose& rest = skeleton.parent_from_joint(first);
  limb.parent_from_base = {rest.q, rest * base.point_in_first};
  limb.base_from_upper = base.at_zero;
  if (!set_middle(skeleton, base, end, limb)) return {NotLimb::no_length, limb.mid, {}};
  limb.bend_sign = natural_side(skeleton, limb);
  set_swivel(skeleton, up, limb);
  set_products(limb);
  return out;
}

/// Words that a joint in the middle of a limb is called by, in lower case.
bool sounds_like_a_mid(std::string_view name) {
  std::string plain;
  for (const char c : name)
    if (std::isalpha(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&](std::string_view word) { return plain.find(word) != std::string::npos; };
  if (has("upleg") || has("upperleg")) return false;
  return has("elbow") || has("forearm") || has("lowerarm") || has("knee") || has("shin") ||
         has("calf") || has("leg");
}

bool is_above(const Skeleton& skeleton, JointId above, JointId joint) noexcept {
  for (JointId j = skeleton.parent(joint); j != no_joint; j = skeleton.parent(j))
    if (j == above) return true;
  return false;
}

bool share_a_joint(const Limb& a, const Limb& b) noexcept {
  return std::any_of(a.moved().begin(), a.moved().end(), [&](JointId j) {
    return std::find(b.moved().begin(), b.moved().end(), j) != b.moved().end();
  });
}

struct Candidate {
  Limb limb;
  int rank;  ///< 2: the mid is a hinge; 1: it is called like one; 0: neither
  Real size;
};

Candidate rated(const Skeleton& skeleton, const Limb& limb) {
  const Real a = limb.upper_length(), b = limb.lower_length();
  const int rank = !limb.mid_is_ball ? 2 : sounds_like_a_mid(skeleton.name(limb.mid)) ? 1 : 0;
  return {limb, rank, (a + b) * std::min(a, b) / std::max(a, b)};
}

std::vector<Candidate> candidates_of(const Skeleton& skeleton, const Vec3& up) {
  std::vector<Candidate> candidates;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (skeleton.type(j) == JointType::fixed) continue;
    const LimbOr found = limb_at(skeleton, j, up);
    if (found.reaches_poses()) candidates.push_back(rated(skeleton, found.limb));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return a.rank != b.rank ? a.rank > b.rank : a.size > b.size;
                   });
  return candidates;
}

/// A knee's axis lies flat: there, positive is away from the other limbs.
void turn_knees_outward(const Skeleton& skeleton, const Vec3& up, std::vector<Limb>& limbs) {
  std::vector<Pose> world(static_cast<std::size_t>(skeleton.joint_count()));
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    world[j] = skeleton.parent(j) == no_joint
                   ? skeleton.parent_from_joint(j)
                   : world[skeleton.parent(j)] * skeleton.parent_from_joint(j);
  const auto base_of = [&](const Limb& limb) {
    return limb.base_parent == no_joint ? limb.parent_from_base
                                        : world[limb.base_parent] * limb.parent_from_base;
  };
  Vec3 centre = Vec3::Zero();
  for (const Limb& limb : limbs) centre += base_of(limb).p / static_cast<Real>(limbs.size());
  for (Limb& limb : limbs) {
    const Pose base = base_of(limb);
    const Vec3 forth = base.q * limb.rest_line.cross(limb.rest_side);
    if (std::abs(forth.dot(up)) < 0.1 * up.norm())
      limb.swivel_sign = forth.dot(base.p - centre) < 0 ? -1 : 1;
  }
}

std::string_view word_of(Socket::Kind kind) noexcept {
  switch (kind) {
    case Socket::Kind::none:
      return "none";
    case Socket::Kind::ball:
      return "ball";
    case Socket::Kind::hinges:
      return "three hinges";
  }
  return "";
}

std::string metres(Real length) {
  std::string text = std::to_string(std::round(length * 1000) / 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text.append(" m");
}

}  // namespace

std::string_view to_string(NotLimb why) noexcept {
  switch (why) {
    case NotLimb::none:
      return "a limb";
    case NotLimb::fixed:
      return "nothing moves there";
    case NotLimb::slider:
      return "a joint slides, which limbs don't";
    case NotLimb::no_base:
      return "no base: there is no ball above it, and no three hinges whose axes meet in a point "
             "at "
             "right angles";
    case NotLimb::open_end:
      return "an open end: its last joint is no ball, and the last three hinges don't meet in a "
             "point "
             "at right angles, so it can reach places but not take orientations";
    case NotLimb::no_length:
      return "a part of it has no length, or its middle joint does not bend it";
  }
  return "";
}

LimbOr limb_at(const Skeleton& skeleton, JointId joint, const Vec3& up) noexcept {
  const Way way = way_up(skeleton, joint);
  if (way.count == 0) return {NotLimb::fixed, joint, {}};
  const Found end = socket_at(skeleton, way, 0);
  int at = end.socket.joint_count();
  JointId twist = no_joint;
  if (end.ok() && at < way.count) {
    const Vec3 point =
        above_from(skeleton, way.joints[at], end.socket.joints[0]) * end.point_in_first;
    if (turns_on_the_spot(skeleton, way.joints[at], point)) twist = way.joints[at++];
  }
  // With an end, the mid is the next joint; without, the first that hangs on a base.
  for (; at < way.count; ++at) {
    if (skeleton.type(way.joints[at]) == JointType::slider)
      return {NotLimb::slider, way.joints[at], {}};
    const Found base = socket_at(skeleton, way, at + 1);
    if (base.ok()) return completed(skeleton, way, at, base, end, twist, up);
    if (end.ok()) break;
  }
  return {NotLimb::no_base, way.joints[0], {}};
}

LimbsFound find_limbs(const Skeleton& skeleton, const Vec3& up) {
  std::vector<Candidate> chosen;
  Real longest = 0;
  for (const Candidate& candidate : candidates_of(skeleton, up)) {
    const bool taken = std::any_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
      return share_a_joint(candidate.limb, other.limb);
    });
    constexpr Real least_share = 0.4;
    const bool short_one = candidate.rank == 0 && candidate.size < least_share * longest;
    if (taken || short_one) continue;
    longest = std::max(longest, candidate.size);
    chosen.push_back(candidate);
  }
  LimbsFound found;
  std::vector<Limb>& limbs = found.limbs;
  for (const Candidate& candidate : chosen) {
    const bool carries = std::any_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
      return is_above(skeleton, candidate.limb.base.joints[0], other.limb.base.joints[0]);
    });
    if (candidate.rank > 0 || !carries) limbs.push_back(candidate.limb);
  }
  std::sort(limbs.begin(), limbs.end(),
            [](const Limb& a, const Limb& b) { return a.joint < b.joint; });
  turn_knees_outward(skeleton, up, limbs);

  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    // What slides is a gripper: the arm ends before it.
    const auto turns = [&](JointId k) {
      return skeleton.type(k) == JointType::hinge || skeleton.type(k) == JointType::ball;
    };
    bool last = turns(j);
    for (JointId k = j + 1; k < skeleton.joint_count() && last; ++k)
      last = !turns(k) || !is_above(skeleton, j, k);
    const bool on_a_limb = std::any_of(limbs.begin(), limbs.end(), [&](const Limb& limb) {
      return limb.joint == j || is_above(skeleton, limb.joint, j);
    });
    if (!last || on_a_limb) continue;
    const LimbOr refused = limb_at(skeleton, j, up);
    found.others.push_back({j, refused.why, refused.where});
  }
  return found;
}

std::string describe(const Skeleton& skeleton, const Limb& limb) {
  std::string text;
  for (const JointId j : limb.moved())
    text.append(text.empty() ? "" : " - ").append(skeleton.name(j));
  text.append(": ").append(word_of(limb.base.kind));
  text.append(limb.mid_is_ball ? ", ball" : ", hinge");
  if (limb.twist != no_joint) text.append(", twist");
  if (limb.end.kind == Socket::Kind::none) return text.append(", open end");
  text.append(", ").append(word_of(limb.end.kind)).append("; ");
  return text.append(metres(limb.upper_length()))
      .append(" and ")
      .append(metres(limb.lower_length()));
}

std::string describe(const Skeleton& skeleton, const OtherEnd& other) {
  std::string text(skeleton.name(other.joint));
  if (other.why == NotLimb::none)
    return text.append(": no limb of its own; it is short, or belongs to a longer chain of balls");
  text.append(": ").append(to_string(other.why));
  if (other.where != other.joint && other.where != no_joint)
    text.append(" ('").append(skeleton.name(other.where)).append("')");
  return text;
}

}  // namespace gestik
