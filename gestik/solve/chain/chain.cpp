#include "gestik/solve/chain/chain.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/ldlt.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// Vectors by coordinate, so that loops over them become vector code.
struct Vectors {
  std::span<Real> x, y, z;

  std::size_t size() const noexcept { return x.size(); }
  Vec3 operator[](std::size_t i) const noexcept { return {x[i], y[i], z[i]}; }
  void set(std::size_t i, const Vec3& v) noexcept {
    x[i] = v.x();
    y[i] = v.y();
    z[i] = v.z();
  }
};

Vectors take_vectors(Scratch& scratch, std::size_t count) noexcept {
  return {scratch.take<Real>(count), scratch.take<Real>(count), scratch.take<Real>(count)};
}

void copy(const Vectors& from, Vectors& to) noexcept {
  std::copy(from.x.begin(), from.x.end(), to.x.begin());
  std::copy(from.y.begin(), from.y.end(), to.y.begin());
  std::copy(from.z.begin(), from.z.end(), to.z.begin());
}

Vec3 sum(const Vectors& v) noexcept {
  Vec3 total = Vec3::Zero();
  for (std::size_t i = 0; i < v.size(); ++i) total += v[i];
  return total;
}

/// The balls that may move, root first, and a bone from each to the next, the last one to the point
/// that reaches, in world axes. Everything between two of them is rigid.
struct Bones {
  std::span<JointId> joints;
  std::span<Real> share;  ///< how freely each turns
  Vectors d;
};

/// A ball on the way to the goal that may move but not freely, or no_joint.
JointId first_with_limits(const Problem& problem, JointId end) noexcept {
  for (JointId j = end; j != no_joint; j = problem.skeleton.parent(j))
    if (may_move(problem, j) && !is_free_ball(problem.skeleton.limits(j))) return j;
  return no_joint;
}

Bones find_bones(const Problem& problem, const Reach& goal, std::span<const Pose> poses,
                 Scratch& scratch) noexcept {
  std::size_t count = 0;
  for (JointId j = goal.joint; j != no_joint; j = problem.skeleton.parent(j))
    count += may_move(problem, j);
  Bones bones{scratch.take<JointId>(count), scratch.take<Real>(count),
              take_vectors(scratch, count)};
  const std::span<const Real> per_joint = problem.intent.per_joint;
  Vec3 end = poses[goal.joint] * goal.point_in_joint;
  for (JointId j = goal.joint; j != no_joint; j = problem.skeleton.parent(j)) {
    if (!may_move(problem, j)) continue;
    --count;
    bones.joints[count] = j;
    bones.share[count] = per_joint.empty() ? 1 : 1 / std::max(1.0, per_joint[j]);
    bones.d.set(count, end - poses[j].p);
    end = poses[j].p;
  }
  return bones;
}

/// The step y: every bone is to turn by share * (d x y).
//
// A bone d turned by the small rotation w moves its end by w x d, so the tip moves by the sum of
// w x d: J = [-[d]x ...], J J^T = sum of |d|^2 I - d d^T, and the least-squares step for the error
// e is w = d x y with (J J^T + damping) y = e.
Vec3 find_step(const Bones& bones, const Vec3& error, Real damping) noexcept {
  const Vectors& d = bones.d;
  Real xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Real x = bones.share[i] * d.x[i], y = bones.share[i] * d.y[i],
               z = bones.share[i] * d.z[i];
    xx += x * d.x[i];
    xy += x * d.y[i];
    xz += x * d.z[i];
    yy += y * d.y[i];
    yz += y * d.z[i];
    zz += z * d.z[i];
  }
  const Real trace = xx + yy + zz, most = trace * (1 + damping);
  if (!(trace > 0)) return Vec3::Zero();
  std::array<Real, 9> matrix{most - xx, -xy, -xz, 0, most - yy, -yz, 0, 0, most - zz};
  Vec3 y = error;
  solve_ldlt<3>(matrix.data(), y.data(), 3);
  return y;
}

/// Turns the bones by the step.
//
// The rotation w = share * (d x y) is across d, so the Cayley map turns d by it without
// trigonometry:
// ((1 - h^2) d + w x d) / (1 + h^2) with h = |w| / 2. However long w is, that is less than half a
// turn: nothing else has to bound the step.
void turn(const Bones& bones, const Vec3& step, Vectors& next) noexcept {
  const Vectors& d = bones.d;
  const Real* const share = bones.share.data();
  const Real* const x = d.x.data();
  const Real* const y = d.y.data();
  const Real* const z = d.z.data();
  Real* const to_x = next.x.data();
  Real* const to_y = next.y.data();
  Real* const to_z = next.z.data();
  const Real a = step.x(), b = step.y(), c = step.z();
  const std::size_t count = d.size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const Real wx = share[i] / 2 * (y[i] * c - z[i] * b);
    const Real wy = share[i] / 2 * (z[i] * a - x[i] * c);
    const Real wz = share[i] / 2 * (x[i] * b - y[i] * a);
    const Real h2 = wx * wx + wy * wy + wz * wz;
    const Real scale = 1 / (1 + h2);
    to_x[i] = scale * ((1 - h2) * x[i] + 2 * (wy * z[i] - wz * y[i]));
    to_y[i] = scale * ((1 - h2) * y[i] + 2 * (wz * x[i] - wx * z[i]));
    to_z[i] = scale * ((1 - h2) * z[i] + 2 * (wx * y[i] - wy * x[i]));
  }
}

/// Lays the bones along one line so that their end comes as near to the target as it can, where the
/// target is farther away than all of them together, or nearer than the longest one can fold back.
/// Whether it is.
bool line_up(const Vec3& to_target, Vectors& d) noexcept {
  Real total = 0, longest = 0;
  std::size_t which = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Real length = d[i].norm();
    total += length;
    if (length > longest) {
      longest = length;
      which = i;
    }
  }
  const Real distance = to_target.norm();
  const bool too_far = distance >= total, too_near = distance <= longest - (total - longest);
  if (!too_far && !too_near) return false;
  const Vec3 line = distance > 0 ? normalized_or_zero(to_target) : normalized_or_zero(d[which]);
  for (std::size_t i = 0; i < d.size(); ++i)
    d.set(i, (too_far || i == which ? 1 : -1) * d[i].norm() * line);
  return true;
}

/// Bones that all but line up can't see which way to fold: no step bends them.
bool is_straight(const Vectors& d) noexcept {
  Real total = 0;
  for (std::size_t i = 0; i < d.size(); ++i) total += d[i].norm();
  return sum(d).norm() > 0.999 * total;
}

/// h in [0, pi] with sin(h) / h = ratio, to a thousandth or so, for a ratio in [0, 1].
Real half_angle_of_arc(Real ratio) noexcept {
  const Real less = 1 - ratio;
  const Real h = std::sqrt(6 * less + (pi * pi - 6) * less * less);  // right at both ends
  if (h < 1e-6) return h;
  const Real sine = std::sin(h);
  return h - (sine / h - ratio) * h * h / (h * std::cos(h) - sine);
}

/// Lays the bones along the arc of a circle whose chord leads to the target, on the side where they
/// are: very short ones would be there already.
//
// An arc over the angle 2h has a chord of sin(h) / h of its length.
void lay_on_arc(const Vec3& to_target, Vectors& d) noexcept {
  Real total = 0;
  for (std::size_t i = 0; i < d.size(); ++i) total += d[i].norm();
  const Vec3 before = normalized_or_zero(sum(d));
  const Vec3 line = before.isZero(0) ? Vec3(Vec3::UnitY()) : before;
  const Real distance = to_target.norm();
  const Vec3 chord = distance > 0 ? Vec3(to_target / distance) : line;
  const Vec3 across = normalized_or_zero(line - chord.dot(line) * chord);
  const Vec3 side = across.isZero(0) ? any_perpendicular(chord) : across;
  const Real h = half_angle_of_arc(std::min(1.0, distance / total));
  Real done = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Real length = d[i].norm();
    const Real angle = h * (1 - (2 * done + length) / total);
    d.set(i, length * (std::cos(angle) * chord + std::sin(angle) * side));
    done += length;
  }
}

/// The smallest rotation that takes one bone to another of the same length.
Quat shortest_turn(const Vec3& from, const Vec3& to) noexcept {
  const Real length2 = from.squaredNorm(), cosine = length2 + from.dot(to);
  if (length2 == 0) return {1, 0, 0, 0};
  if (cosine < 1e-3 * length2)  // all but opposite
    return shortest_rotation(normalized_or_zero(from), normalized_or_zero(to));
  const Vec3 sine = from.cross(to);
  const Real unit = 1 / std::sqrt(cosine * cosine + sine.squaredNorm());
  return {unit * cosine, unit * sine.x(), unit * sine.y(), unit * sine.z()};
}

/// Turns every ball so that its bone points where it shall, without a twist.
//
// With X a joint's orientation in the world before, and D the turn its bone makes in the world, the
// new orientation is D X; the ball before has turned by D', and all between them with it. So
// X = P q becomes D X = D' P q', and q' = P^-1 D'^-1 D X = q X^-1 (D'^-1 D) X: the turn relative to
// the ball before, its axis seen from the joint.
void write_turns(const Bones& bones, const Vectors& wanted, const Skeleton& skeleton,
                 std::span<const Pose> poses, Q q) noexcept {
  Quat before = Quat::Identity();
  for (std::size_t i = 0; i < bones.joints.size(); ++i) {
    const Quat now = shortest_turn(bones.d[i], wanted[i]);
    const Quat relative = before.conjugate() * now;
    const Vec3 axis = poses[bones.joints[i]].q.conjugate() * Vec3(relative.vec());
    Real* const own = q.data() + skeleton.q_offset(bones.joints[i]);
    Quat turned = load_quat(own) * Quat(relative.w(), axis.x(), axis.y(), axis.z());
    turned.coeffs() *= 1 / turned.coeffs().norm();
    store_quat(turned, own);
    before = now;
  }
}

/// Where the tip is to go, from the first ball, and what may be spent on it.
struct Errand {
  Vec3 to_target;
  Real tolerance;
  int iterations;
};

/// Turns the seed's bones until their end is at the target: damped least squares, where a step that
/// brings it nearer is taken and eases the damping. `best` becomes the nearest they came.
Report reach(const Chain& settings, const Errand& errand, const Bones& seed, Scratch& scratch,
             Vectors& best) noexcept {
  const std::size_t count = seed.joints.size();
  Bones bones{seed.joints, seed.share, take_vectors(scratch, count)};
  Vectors next = take_vectors(scratch, count);
  copy(seed.d, bones.d);
  copy(seed.d, best);
  Vec3 error = errand.to_target - sum(bones.d);
  Report report{.status = Status::out_of_budget, .passes = 1, .error = error.norm()};
  Real damping = settings.damping;
  bool to_bend = is_straight(seed.d), bent = false;
  while (report.error > errand.tolerance && report.iterations < errand.iterations) {
    ++report.iterations;
    ++report.passes;
    if (to_bend && !bent) {
      bent = true;
      lay_on_arc(errand.to_target, bones.d);
      error = errand.to_target - sum(bones.d);
      damping = settings.damping;
    } else {
      turn(bones, find_step(bones, error, damping), next);
      const Vec3 left = errand.to_target - sum(next);
      if (left.norm() < (1 - 1e-9) * error.norm()) {
        std::swap(bones.d, next);
        error = left;
        damping = std::max(damping / 10, 1e-12);
      } else if (damping < 1e3) {
        damping = 10 * damping;
      } else if (!bent) {
        to_bend = true;
      } else {
        report.status = Status::stalled;
        break;
      }
    }
    if (error.norm() < report.error) {
      report.error = error.norm();
      copy(bones.d, best);
    }
  }
  return report;
}

}  // namespace

std::size_t scratch_bytes(const Chain&, const Skeleton& skeleton, std::size_t) noexcept {
  const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
  return Scratch::bytes_for<Pose>(joints) + Scratch::bytes_for<JointId>(joints) +
         Scratch::bytes_for<Real>(13 * joints);
}

Report solve(const Chain& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
  if (problem.goals.empty()) return {.status = Status::reached, .error = 0};
  const Reach& goal = *std::get_if<Reach>(&problem.goals.front());
  if (const JointId j = first_with_limits(problem, goal.joint); j != no_joint)
    return {.status = Status::unsupported, .fault = Fault::chain_shape, .fault_index = j};

  const auto poses = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, problem.seed, poses);
  const Bones seed = find_bones(problem, goal, poses, scratch);
  const Vec3 root = poses[goal.joint] * goal.point_in_joint - sum(seed.d);
  const Errand errand{goal.target - root, goal.tolerance, problem.budget.iterations};

  Vectors wanted = take_vectors(scratch, seed.joints.size());
  copy(seed.d, wanted);
  const bool out_of_reach = errand.iterations > 0 && line_up(errand.to_target, wanted);
  Report report = out_of_reach ? Report{.status = Status::stalled,
                                        .iterations = 1,
                                        .passes = 1,
                                        .error = (errand.to_target - sum(wanted)).norm()}
                               : reach(settings, errand, seed, scratch, wanted);
  report.error = std::sqrt(goal.weight) * std::max(0.0, report.error - goal.tolerance);
  write_turns(seed, wanted, skeleton, poses, out);
  return report;
}

}  // namespace gestik
