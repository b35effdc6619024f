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
  return {std::sqrt(cosine * cosine + sine * sine), angle_of(sine, cosine)};
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
    const Vec3 segment = last || here_from_above.p.norm() < shortest_segment
                             ? Vec3(here_from_above.q * direction_above)
                             : normalized_or_zero(here_from_above.p);
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
      const Tilted t = split(frame_from_here * here_from_above.q * above_from_frame);
      form.tilt_cos[k + 1] = t.tilt_cos;
      form.tilt_sin[k + 1] = t.tilt_sin;
      if (form.wish == Wish::point) {
        const Vec3 place = about_z(-t.before) * (frame_from_here * here_from_above.p);
        for (int i = 0; i < 3; ++i) form.offset[k + 1][i] = place[i];
      }
      link.zero = t.before;
      above.zero += t.after;
      const Bend bend =
          bend_of(here_from_above.q.conjugate() * segment, axis_above, direction_above);
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

void store(const Quat& q, Double1* cells) noexcept {
  cells[0].at = q.w(), cells[1].at = q.x(), cells[2].at = q.y(), cells[3].at = q.z();
}
void store(const Vec3& v, Double1* cells) noexcept {
  for (int i = 0; i < 3; ++i) cells[i].at = v[i];
  cells[3].at = 0;
}

void set_target(const Chain& chain, const Goal& goal, const Ask<Double1>& ask) noexcept {
  const Quat to_base = chain.base.q.conjugate();
  if (const Orient* orient = std::get_if<Orient>(&goal)) {
    const Quat end_from_last = chain.last_from_end.conjugate();
    const Vec3& a = orient->symmetry_axis;
    store(to_base * orient->target * end_from_last, ask.target);
    store(to_base * orient->target * Quat(0, a.x(), a.y(), a.z()) * end_from_last, ask.target + 4);
    return;
  }
  const Aim& aim = *std::get_if<Aim>(&goal);
  if (aim.at_infinity) {
    store(to_base * aim.target, ask.target);
    store(to_base * aim.target, ask.target + 4);
    return;
  }
  const Vec3 place = to_base * (chain.scale * (aim.target - chain.base.p));
  const Vec3 line = normalized_or_zero(place - eye_at(chain.form, ask.posture));
  store(place, ask.target);
  store(line.isZero(0) ? Vec3(Vec3::UnitZ()) : line, ask.target + 4);
}

}  // namespace

// Between the start s and the posture p, (1 - style) (1 - cos(t - s)) + style (1 - cos(t - p)) is,
// but for a constant, a single r (1 - cos(t - m)): the two as vectors, added.
//
// A joint that can turn right round needs no more than one turn: half of it to either side of the
// mark, or up to a limit and the rest to the other side.
void pose_question(const Chain& chain, const Wanted& wanted, const Ask<Double1>& ask,
                   std::span<Real> turns) noexcept {
  const bool keeps = !wanted.posture.empty() && wanted.style > 0;
  const bool both = keeps && wanted.style < 1;
  const bool bends = chain.form.measure == Measure::bend;
  const std::size_t n = chain.links.size();
  // Of each link the mark and, for a bend, the angle that the posture has beyond it.
  std::array<Real, 2 * most_links> angles, sines, cosines;
  for (int k = 0; k < chain.form.links; ++k) {
    const Link& link = chain.links[static_cast<std::size_t>(k)];
    Real posture = keeps ? wanted.posture[link.q_index] : wanted.seed[link.q_index];
    Real strength = 1;
    if (both) {
      const Real start = wanted.seed[link.q_index];
      const Real apart = posture - start;
      const Real along = (1 - wanted.style) + wanted.style * std::cos(apart);
      const Real across = wanted.style * std::sin(apart);
      strength = std::sqrt(along * along + across * across);
      posture = start + std::atan2(across, along);
    }
    const Real angle = posture + link.zero;
    const Real turn = std::abs(angle) > pi ? 2 * pi * std::round(angle / (2 * pi)) : 0;
    const Real mark = angle - turn;
    turns[static_cast<std::size_t>(k)] = turn;
    const Real lo = link.lo + link.zero - turn, hi = link.hi + link.zero - turn;
    ask.lo[k].at = std::max(lo, std::min(mark - pi, hi - 2 * pi));
    ask.hi[k].at = std::min(hi, std::max(mark + pi, lo + 2 * pi));
    ask.posture[k].at = mark;
    ask.straight[k].at = mark + wrap_angle(link.straight - angle);
    const std::size_t at = static_cast<std::size_t>(k);
    angles[at] = bends ? link.straight : mark;
    angles[n + at] = angle - angles[at];
    ask.weight[k].at = link.weight * strength;
  }
  const std::size_t count = bends ? 2 * n : n;
  sincos({angles.data(), count}, {sines.data(), count}, {cosines.data(), count});
  for (std::size_t k = 0; k < n; ++k) {
    ask.mark_cos[k].at = cosines[k];
    ask.mark_sin[k].at = sines[k];
    ask.bend[k].at = bends ? cosines[n + k] : 1;
  }
  set_target(chain, wanted.goal, ask);
}

Form<Float8> single_precision(const Form<Double1>& form) noexcept {
  Form<Float8> single;
  single.links = form.links;
  single.wish = form.wish;
  single.measure = form.measure;
  single.symmetric = form.symmetric;
  single.aligned = form.aligned;
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

/// Calls f(from, to) for every cell of a question.
template <class F>
void for_each_cell(const Form<Double1>& form, const Ask<Double1>& from, const Ask<Float8>& to,
                   F&& f) noexcept {
  for (int k = 0; k < form.links; ++k) {
    f(from.lo[k].at, to.lo[k]);
    f(from.hi[k].at, to.hi[k]);
    f(from.mark_cos[k].at, to.mark_cos[k]);
    f(from.mark_sin[k].at, to.mark_sin[k]);
    f(from.bend[k].at, to.bend[k]);
    f(from.weight[k].at, to.weight[k]);
    f(from.posture[k].at, to.posture[k]);
    f(from.straight[k].at, to.straight[k]);
  }
  // A place too far away for single precision is as good as one not quite so far.
  constexpr Real far = 1e6;
  Real shrink = 1;
  if (form.wish == Wish::point) {
    const Real distance = Vec3(from.target[0].at, from.target[1].at, from.target[2].at).norm();
    if (distance > far) shrink = far / distance;
  }
  for (int i = 0; i < 8; ++i)
    f(i < 4 ? shrink * from.target[i].at : from.target[i].at, to.target[i]);
}

}  // namespace

void copy_to_lane(const Form<Double1>& form, const Ask<Double1>& from, const Ask<Float8>& to,
                  int lane) noexcept {
  for_each_cell(form, from, to,
                [&](Real x, Float8& cell) { cell.at[lane] = static_cast<float>(x); });
}

void copy_to_all(const Form<Double1>& form, const Ask<Double1>& from,
                 const Ask<Float8>& to) noexcept {
  for_each_cell(form, from, to, [&](Real x, Float8& cell) {
    const float value = static_cast<float>(x);
    for (float& lane : cell.at) lane = value;
  });
}

}  // namespace gestik::poise
