#include "gestik/solve/poise/chain.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "gestik/math/rotation.h"
#include "gestik/math/sincos.h"
#include "gestik/model/joint_ops.h"

namespace gestik::poise {
namespace {

constexpr Real shortest_segment = 1e-9;

/// atan2, quick where axes are at right angles to each other, as most are.
Real angle_of(Real sine, Real cosine) noexcept {
  if (sine == 0 && cosine >= 0) return 0;
  if (cosine == 0) return std::copysign(pi / 2, sine);
  if (std::abs(sine) == std::abs(cosine))
    return std::copysign(cosine > 0 ? pi / 4 : 3 * pi / 4, sine);
  return std::atan2(sine, cosine);
}

Quat about_z(Real angle) noexcept {
  return Quat(std::cos(angle / 2), 0, 0, std::sin(angle / 2));
}

/// q = Z(before) X(tilt) Z(after): w and z hold cos(tilt/2), x and y sin(tilt/2), each turned by
/// half the sum or difference of the other two.
struct Tilted {
  Real before, after;
  Real tilt_cos, tilt_sin;  ///< of half the tilt
};
Tilted split(const Quat& q) noexcept {
  const Real c = std::sqrt(q.w() * q.w() + q.z() * q.z());
  const Real s = std::sqrt(q.x() * q.x() + q.y() * q.y());
  const Real sum = c > 1e-9 ? 2 * angle_of(q.z(), q.w()) : 0;
  const Real difference = s > 1e-9 ? 2 * angle_of(q.y(), q.x()) : 0;
  return {(sum + difference) / 2, (sum - difference) / 2, c, s};
}

/// A frame with this axis as its Z; the common ones without a root.
Quat frame_about(const Vec3& axis) noexcept {
  const Real half = std::numbers::sqrt2 / 2;
  if (axis.x() == 1) return Quat(half, 0, half, 0);
  if (axis.y() == 1) return Quat(half, -half, 0, 0);
  return axis.z() == 1 ? Quat(Quat::Identity()) : shortest_rotation(Vec3::UnitZ(), axis);
}

// The bend at a link is the angle between the segment before it, b, and its own, s; turned by t
// about the axis a, b . R(a, t) s = (b.a)(a.s) + cos(t) (b.s - (b.a)(a.s)) + sin(t) b.(a x s).
struct Bend {
  Real range, straight;
};
Bend bend_of(const Vec3& before, const Vec3& axis, const Vec3& segment) noexcept {
  const Real along = before.dot(axis) * axis.dot(segment);
  const Real cosine = before.dot(segment) - along;
  const Real sine = before.dot(axis.cross(segment));
  const Real range = std::sqrt(cosine * cosine + sine * sine);
  // A twister bends nothing at any angle.
  return {range, range < 1e-9 ? 0 : angle_of(sine, cosine)};
}

}  // namespace

int movable_joints(const Problem& problem) noexcept {
  int count = 0;
  for (JointId j = joint_of(problem.goals.front()); j != no_joint; j = problem.skeleton.parent(j))
    count += may_move(problem, j);
  return count;
}

Chain read_chain(const Problem& problem, const Weights& weights, std::span<Link> room) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const Goal& goal = problem.goals.front();
  const JointId end = joint_of(goal);
  Chain chain;
  const int count = static_cast<int>(room.size());
  chain.links = room;
  Form<Double1>& form = chain.form;
  form.links = count;
  form.measure = weights.measure;
  form.posture_weight = weights.posture;
  form.wish = Wish::orientation;
  form.symmetric = form.aligned = false;
  if (const Aim* aim = std::get_if<Aim>(&goal))
    form.wish = aim->at_infinity ? Wish::direction : Wish::point;
  else
    form.symmetric = std::get_if<Orient>(&goal)->symmetric;

  // From the end to the root. `above` is what was met last: a link, or at first the end itself.
  Pose here_from_above{};
  Vec3 direction_above = direction_of_end(goal), axis_above = Vec3::Zero();
  Quat above_from_frame = Quat::Identity();  // the link frame of what is above
  int k = count;
  Real power = 1, total = 0;
  bool bends_later = false;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) {
    if (!may_move(problem, j)) {
      Pose step = skeleton.parent_from_joint(j);
      if (skeleton.type(j) != JointType::fixed) {
        std::array<Real, 4> value{};
        std::copy_n(&problem.seed[skeleton.q_offset(j)], q_size(skeleton.type(j)), value.begin());
        step = step * joint_motion(skeleton, j, value.data());
      }
      here_from_above = step * here_from_above;
      continue;
    }
    --k;
    const bool last = k == count - 1;
    const Vec3& axis = skeleton.axis(j);
    const Quat here_from_frame = frame_about(axis);
    const Quat frame_from_here = here_from_frame.conjugate();
    // Most joints are not turned in the one before.
    const bool turned = !here_from_above.q.vec().isZero(0);
    const Real length = here_from_above.p.norm();
    Vec3 segment = direction_above;
    if (!last && length >= shortest_segment)
      segment = here_from_above.p / length;
    else if (turned)
      segment = here_from_above.q * direction_above;
    Link& link = chain.links[static_cast<std::size_t>(k)];
    const Limits& limits = skeleton.limits(j);
    link = {j, skeleton.q_offset(j), 0, 0, limits.lo, limits.hi, 0};
    if (last) {
      chain.last_from_end = frame_from_here * here_from_above.q;
      if (form.symmetric) {
        const Vec3 about = chain.last_from_end * std::get_if<Orient>(&goal)->symmetry_axis;
        form.aligned = std::abs(about.z()) > 1 - 1e-12;
      }
      if (const Aim* aim = std::get_if<Aim>(&goal)) {
        const Vec3 eye = frame_from_here * (here_from_above * aim->point_in_joint);
        const Vec3 looks = chain.last_from_end * aim->axis_in_joint;
        for (int i = 0; i < 3; ++i) form.eye[i] = eye[i], form.axis[i] = looks[i];
      }
    } else {
      Link& above = chain.links[static_cast<std::size_t>(k) + 1];
      const Tilted t = split(turned ? frame_from_here * here_from_above.q * above_from_frame
                                    : frame_from_here * above_from_frame);
      form.tilt_cos[k + 1] = t.tilt_cos;
      form.tilt_sin[k + 1] = t.tilt_sin;
      if (form.wish == Wish::point) {
        const Vec3 place = about_z(-t.before) * (frame_from_here * here_from_above.p);
        for (int i = 0; i < 3; ++i) form.offset[k + 1][i] = place[i];
      }
      link.zero = t.before;
      above.zero += t.after;
      const Vec3 before = turned ? Vec3(here_from_above.q.conjugate() * segment) : segment;
      const Bend bend = bend_of(before, axis_above, direction_above);
      above.straight = bend.straight;
      if (weights.measure == Measure::bend) above.weight *= bend.range;
    }
    // Twisters turn about their own segment. At the end of the chain they change no shape.
    const bool twister = axis.cross(segment).squaredNorm() < 1e-12;
    const Real hold = problem.intent.per_joint.empty() ? 1 : problem.intent.per_joint[j];
    if (weights.measure == Measure::bend) {
      if (!twister) {
        link.weight = power * hold;
        total += power * hold;
        power /= weights.aggravation;
      }
    } else {
      link.weight = power * hold * (twister && !bends_later ? weights.twist : 1);
      total += link.weight;
      if (!twister) power /= weights.aggravation;
    }
    bends_later = bends_later || !twister;
    direction_above = segment;
    axis_above = axis;
    above_from_frame = here_from_frame;
    here_from_above = skeleton.parent_from_joint(j);
  }
  chain.base = here_from_above;
  if (count == 0) return chain;
  chain.base.q = here_from_above.q * above_from_frame;
  Link& root = chain.links[0];
  const Bend bend = bend_of(direction_above, axis_above, direction_above);
  root.straight = bend.straight;
  if (weights.measure == Measure::bend) root.weight *= bend.range;
  // Leading twisters.
  if (weights.measure == Measure::signed_angle &&
      axis_above.cross(direction_above).squaredNorm() < 1e-12) {
    total -= root.weight;
    root.weight *= weights.twist;
    total += root.weight;
  }
  for (Link& link : chain.links) {
    link.straight += link.zero;
    if (total > 0) link.weight /= 2 * total;
    if (weights.measure != Measure::bend || link.straight == 0) continue;
    const SineCosine straight = sincos(link.straight);
    link.straight_cos = straight.cosine;
    link.straight_sin = straight.sine;
  }

  // Angles do not depend on the unit of length: in the kernel the chain is of length 1.
  chain.scale = 1;
  if (form.wish == Wish::point) {
    Real reach = Vec3(form.eye[0], form.eye[1], form.eye[2]).norm();
    for (int i = 1; i < count; ++i)
      reach += Vec3(form.offset[i][0], form.offset[i][1], form.offset[i][2]).norm();
    chain.scale = reach > 0 ? 1 / reach : 1;
    for (Real& x : form.eye) x *= chain.scale;
    for (int i = 1; i < count; ++i)
      for (Real& x : form.offset[i]) x *= chain.scale;
  }
  return chain;
}

namespace {

/// Where the eye is when the links are at these angles, in the frame that frame[0] turns in.
Vec3 eye_at(const Form<Double1>& form, const Double1* angles) noexcept {
  Vec3 place = Vec3::Zero();
  Quat q = about_z(angles[0].at);
  for (int k = 1; k < form.links; ++k) {
    place += q * Vec3(form.offset[k][0], form.offset[k][1], form.offset[k][2]);
    q = q * Quat(form.tilt_cos[k], form.tilt_sin[k], 0, 0) * about_z(angles[k].at);
  }
  return place + q * Vec3(form.eye[0], form.eye[1], form.eye[2]);
}

double& lane_of(Double1& cell, int) noexcept {
  return cell.at;
}
double& lane_of(Double8& cell, int lane) noexcept {
  return cell.at[lane];
}
template <class Cell>
constexpr int lane_count = static_cast<int>(sizeof(Cell) / sizeof(double));

template <class Cell>
void store(const Quat& q, Cell* cells, int lane) noexcept {
  lane_of(cells[0], lane) = q.w();
  for (int i = 0; i < 3; ++i) lane_of(cells[i + 1], lane) = q.vec()[i];
}
template <class Cell>
void store(const Vec3& v, Cell* cells, int lane) noexcept {
  for (int i = 0; i < 3; ++i) lane_of(cells[i], lane) = v[i];
  lane_of(cells[3], lane) = 0;
}

template <class Cell>
void set_target(const Chain& chain, const Goal& goal, const Ask<Cell>& ask, int lane) noexcept {
  const Quat to_base = chain.base.q.conjugate();
  if (const Orient* orient = std::get_if<Orient>(&goal)) {
    const Quat end_from_last = chain.last_from_end.conjugate();
    const Vec3& a = orient->symmetry_axis;
    const Quat turned = to_base * orient->target;
    store(turned * end_from_last, ask.target, lane);
    store(orient->symmetric ? Quat(turned * Quat(0, a.x(), a.y(), a.z()) * end_from_last)
                            : Quat(Quat::Identity()),
          ask.target + 4, lane);
    return;
  }
  const Aim& aim = *std::get_if<Aim>(&goal);
  if (aim.at_infinity) {
    store(to_base * aim.target, ask.target, lane);
    store(to_base * aim.target, ask.target + 4, lane);
    return;
  }
  std::array<Double1, most_links> posture;
  for (int k = 0; k < chain.form.links; ++k)
    posture[static_cast<std::size_t>(k)].at = lane_of(ask.links[k].posture, lane);
  const Vec3 place = to_base * (chain.scale * (aim.target - chain.base.p));
  const Vec3 line = normalized_or_zero(place - eye_at(chain.form, posture.data()));
  store(place, ask.target, lane);
  store(line.isZero(0) ? Vec3(Vec3::UnitZ()) : line, ask.target + 4, lane);
}

struct Kept {
  Real angle, strength;
};

/// A joint that can turn right round needs no more than one turn: half of it to either side of the
/// mark, or up to a limit and the rest to the other side. `kept` is the angle to keep and how
/// strongly, of a link in a lane.
template <class Cell, class F>
void ask_links(const Chain& chain, const Ask<Cell>& ask, Real* turns, F&& kept) noexcept {
  constexpr int count = lane_count<Cell>;
  const bool bends = chain.form.measure == Measure::bend;
  // Of each link the mark or, for a bend, the angle that the posture has beyond it.
  std::array<Real, (most_links + 1) * count> angles, sines, cosines;
  Real* at = angles.data();
  for (int k = 0; k < chain.form.links; ++k) {
    const Link& link = chain.links[static_cast<std::size_t>(k)];
    // Loops without a branch become vector code; angles beyond half a turn are rare.
    const Real zero = link.zero, low = link.lo + zero, high = link.hi + zero;
    const Real away = link.straight, weight = link.weight;
    Real angle[count], straight[count];
    bool beyond = false;
    for (int lane = 0; lane < count; ++lane) {
      const auto [posture, strength] = kept(link, lane);
      lane_of(ask.links[k].weight, lane) = weight * strength;
      angle[lane] = posture + zero;
    }
    for (int lane = 0; lane < count; ++lane) {
      straight[lane] = away - angle[lane];
      beyond |= std::abs(angle[lane]) > pi;
      beyond |= std::abs(straight[lane]) > pi;
      turns[lane] = 0;
    }
    for (int lane = 0; beyond && lane < count; ++lane) {
      if (std::abs(angle[lane]) > pi) turns[lane] = 2 * pi * std::round(angle[lane] / (2 * pi));
      straight[lane] = wrap_angle(straight[lane]);
    }
#pragma GCC ivdep
    for (int lane = 0; lane < count; ++lane) {
      const Real mark = angle[lane] - turns[lane];
      const Real lo = low - turns[lane], hi = high - turns[lane];
      lane_of(ask.links[k].lo, lane) = std::max(lo, std::min(mark - pi, hi - 2 * pi));
      lane_of(ask.links[k].hi, lane) = std::min(hi, std::max(mark + pi, lo + 2 * pi));
      lane_of(ask.links[k].posture, lane) = mark;
      lane_of(ask.links[k].straight, lane) = mark + straight[lane];
      at[lane] = bends ? angle[lane] - away : mark;
    }
    at += count;
    turns += count;
  }
  if ((at - angles.data()) % 2 == 1) *at++ = 0;  // sincos() takes them in pairs
  const std::size_t used = static_cast<std::size_t>(at - angles.data());
  sincos({angles.data(), used}, {sines.data(), used}, {cosines.data(), used});
  for (int k = 0; k < chain.form.links; ++k) {
    const Link& link = chain.links[static_cast<std::size_t>(k)];
    for (int lane = 0; lane < count; ++lane) {
      const std::size_t i = static_cast<std::size_t>(k * count + lane);
      lane_of(ask.links[k].mark_cos, lane) = bends ? link.straight_cos : cosines[i];
      lane_of(ask.links[k].mark_sin, lane) = bends ? link.straight_sin : sines[i];
      lane_of(ask.links[k].bend, lane) = bends ? cosines[i] : 1;
    }
  }
}

}  // namespace

// Between the start s and the posture p, (1 - style) (1 - cos(t - s)) + style (1 - cos(t - p)) is,
// but for a constant, a single r (1 - cos(t - m)): the two as vectors, added.
void pose_question(const Chain& chain, const Wanted& wanted, const Ask<Double1>& ask,
                   std::span<Real> turns) noexcept {
  const bool keeps = !wanted.posture.empty() && wanted.style > 0;
  const bool both = keeps && wanted.style < 1;
  ask_links(chain, ask, turns.data(), [&](const Link& link, int) -> Kept {
    const Real posture = keeps ? wanted.posture[link.q_index] : wanted.seed[link.q_index];
    if (!both) return {posture, 1};
    const Real start = wanted.seed[link.q_index];
    const Real apart = posture - start;
    const Real along = (1 - wanted.style) + wanted.style * std::cos(apart);
    const Real across = wanted.style * std::sin(apart);
    return {start + std::atan2(across, along), std::sqrt(along * along + across * across)};
  });
  set_target(chain, wanted.goal, ask, 0);
}

void pose_questions(const Chain& chain, std::span<const Goal, lanes> goals, const Real* kept,
                    const Ask<Double8>& ask, Double8* turns) noexcept {
  ask_links(chain, ask, turns->at, [&](const Link& link, int lane) -> Kept {
    return {kept[link.q_index * lanes + lane], 1};
  });
  for (int lane = 0; lane < lanes; ++lane)
    set_target(chain, goals[static_cast<std::size_t>(lane)], ask, lane);
}

Form<Float8> single_precision(const Form<Double1>& form) noexcept {
  Form<Float8> single;
  single.links = form.links;
  single.wish = form.wish;
  single.measure = form.measure;
  single.symmetric = form.symmetric;
  single.aligned = form.aligned;
  single.last_left_out = single.mirrors = false;
  single.posture_weight = static_cast<float>(form.posture_weight);
  const bool aim = form.wish != Wish::orientation;
  for (int i = 0; i < 3; ++i) {
    single.eye[i] = aim ? static_cast<float>(form.eye[i]) : 0;
    single.axis[i] = aim ? static_cast<float>(form.axis[i]) : 0;
  }
  for (int k = 1; k < form.links; ++k) {
    single.tilt_cos[k] = static_cast<float>(form.tilt_cos[k]);
    single.tilt_sin[k] = static_cast<float>(form.tilt_sin[k]);
    for (int i = 0; i < 3; ++i)
      single.offset[k][i] = form.wish == Wish::point ? static_cast<float>(form.offset[k][i]) : 0;
  }
  return single;
}

namespace {

bool last_turns_freely(const Chain& chain) noexcept {
  const Form<Double1>& form = chain.form;
  if (form.wish != Wish::orientation || form.links < 3 || (form.symmetric && !form.aligned))
    return false;
  const Link& last = chain.links.back();
  const Real once_round = form.symmetric ? pi : 2 * pi;
  return last.weight == 0 && last.hi - last.lo >= once_round - 1e-9;
}

void leave_out_last(Form<Float8>& form) noexcept {
  const int last = --form.links;
  form.wish = Wish::direction;
  form.last_left_out = true;
  const float c = form.tilt_cos[last], s = form.tilt_sin[last];
  form.axis[0] = 0;
  form.axis[1] = -2 * s * c;
  form.axis[2] = 1 - 2 * s * s;
}

bool is_zero(Real x) noexcept {
  return std::abs(x) < 1e-6;
}

/// Whether a link's limits are the same when it is mirrored at its straight angle.
bool is_even(const Link& link) noexcept {
  const Real twice = link.lo + link.hi + 2 * (link.zero - link.straight);
  return is_zero(twice) || is_zero(std::remainder(twice, 2 * pi));
}

// Half a turn of the first link, put before the chain, wanders through it. Let K be the half turn
// (about X, Y or Z) that stands before a link.
//
// A link: K Z(t) = Z(t) K where K is about Z; else Z(-t) K, which is Z(pi - t) Z(pi) K as well: the
// angle is mirrored at 0 or at a quarter turn, whichever of them its straight angle is.
//
// A tilt: K X(t) = X(t) K where K is about X; else X(-t) K = X(t) X(-2t) K: the same K where t is a
// whole number of half turns, the other one of Y and Z where it is an odd number of quarters.
//
// If what comes out at the end leaves the axis where it is, the chain can be mirrored.
void find_mirror(const Chain& chain, Form<Float8>& form) noexcept {
  enum { x, y, z };
  const Link& root = chain.links.front();
  if (form.wish != Wish::direction || form.measure != Measure::bend || root.weight != 0 ||
      root.hi - root.lo < pi - 1e-9)
    return;
  int half_turn = z;
  for (int k = 1; k <= form.links; ++k) {
    const bool end = k == form.links;
    if (end && !form.last_left_out) break;
    if (half_turn == y || half_turn == z) {
      const Real c = chain.form.tilt_cos[k], s = chain.form.tilt_sin[k];
      const bool quarter = is_zero(c * c - s * s);
      if (!quarter && !is_zero(s * c)) return;
      if (quarter) half_turn = half_turn == y ? z : y;
    }
    if (end) break;
    const Link& link = chain.links[static_cast<std::size_t>(k)];
    form.flips[k] = half_turn == x || half_turn == y;
    if (!form.flips[k]) continue;
    const bool quarter = is_zero(link.straight_cos);
    if ((!quarter && !is_zero(link.straight_sin)) || !is_even(link)) return;
    if (quarter) half_turn = half_turn == y ? x : y;
  }
  const Vec3 axis = form.last_left_out
                        ? Vec3(Vec3::UnitZ())
                        : Vec3(chain.form.axis[0], chain.form.axis[1], chain.form.axis[2]);
  form.mirrors = std::abs(axis[half_turn]) > 1 - 1e-9;
}

}  // namespace

Form<Float8> kernel_form(const Chain& chain) noexcept {
  Form<Float8> form = single_precision(chain.form);
  if (last_turns_freely(chain)) leave_out_last(form);
  find_mirror(chain, form);
  return form;
}

namespace {

/// The orientations that are asked for, as the kernel wants them where the last link is left out.
void leave_out_last(const Ask<Float8>& ask) noexcept {
  for (int lane = 0; lane < lanes; ++lane) {
    const auto number = [&](int i) { return ask.target[i].at[lane]; };
    const float w = number(0), x = number(1), y = number(2), z = number(3);
    const float first[]{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)};
    const float second[]{2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)};
    const float last[]{2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; ++i) {
      // What is rounded off an upright axis has squares too small for single precision: slow ones.
      const float wanted = std::abs(last[i]) < 1e-12f ? 0 : last[i];
      ask.target[i].at[lane] = ask.target[4 + i].at[lane] = wanted;
      ask.target[8 + i].at[lane] = first[i];
      ask.target[11 + i].at[lane] = second[i];
    }
  }
}

/// Calls f(from, to) for every cell of a question.
template <class From, class To, class F>
void for_each_cell(int links, const Ask<From>& from, const Ask<To>& to, F&& f) noexcept {
  for (int k = 0; k < links; ++k) {
    f(from.links[k].lo, to.links[k].lo);
    f(from.links[k].hi, to.links[k].hi);
    f(from.links[k].mark_cos, to.links[k].mark_cos);
    f(from.links[k].mark_sin, to.links[k].mark_sin);
    f(from.links[k].bend, to.links[k].bend);
    f(from.links[k].weight, to.links[k].weight);
    f(from.links[k].posture, to.links[k].posture);
    f(from.links[k].straight, to.links[k].straight);
  }
  for (int i = 0; i < 8; ++i) f(from.target[i], to.target[i]);
}

int all_links(const Form<Float8>& form) noexcept {
  return form.links + (form.last_left_out ? 1 : 0);
}

/// A place too far away for single precision is as good as one not quite so far.
template <class Cell>
void bring_near(const Form<Float8>& form, const Ask<Cell>& from, const Ask<Float8>& to) noexcept {
  if (form.wish != Wish::point) return;
  constexpr Real far = 1e6;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto number = [&](int i) { return lane_of(from.target[i], lane); };
    const Real distance = Vec3(number(0), number(1), number(2)).norm();
    for (int i = 0; i < 3 && distance > far; ++i)
      to.target[i].at[lane] = static_cast<float>(far / distance * number(i));
  }
}

}  // namespace

void copy_to_all(const Form<Float8>& form, const Ask<Double1>& from,
                 const Ask<Float8>& to) noexcept {
  for_each_cell(all_links(form), from, to, [](const Double1& x, Float8& cell) {
    const float value = static_cast<float>(x.at);
    for (float& lane : cell.at) lane = value;
  });
  bring_near(form, from, to);
  if (form.last_left_out) leave_out_last(to);
}

void copy_each(const Form<Float8>& form, const Ask<Double8>& from, const Ask<Float8>& to) noexcept {
  for_each_cell(all_links(form), from, to, [](const Double8& x, Float8& cell) {
    for (int i = 0; i < lanes; ++i) cell.at[i] = static_cast<float>(x.at[i]);
  });
  bring_near(form, from, to);
  if (form.last_left_out) leave_out_last(to);
}

void copy_one(const Form<Double1>& form, const Ask<Double8>& from, int lane,
              const Ask<Double1>& to) noexcept {
  for_each_cell(form.links, from, to,
                [&](const Double8& x, Double1& cell) { cell.at = x.at[lane]; });
}

}  // namespace gestik::poise
