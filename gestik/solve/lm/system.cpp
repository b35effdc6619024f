#include "gestik/solve/lm/system.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/ldlt.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik::lm {
namespace {

/// The rows of a goal for a joint's slide along an axis, and for its turn about one at the end of
/// an arm to task.point: residual_jacobian()'s.
inline Vec3 rows_of_slide(const Task& task, const Vec3& axis) noexcept {
  switch (task.kind) {
    case Task::Kind::reach:
      return axis;
    case Task::Kind::orient:
      return Vec3::Zero();
    case Task::Kind::aim:
      return task.nearness * task.wanted.cross(axis);
  }
  return Vec3::Zero();
}
inline Vec3 rows_of_turn(const Task& task, const Vec3& axis, const Vec3& arm) noexcept {
  switch (task.kind) {
    case Task::Kind::reach:
      return axis.cross(arm);
    case Task::Kind::orient:
      return axis;
    case Task::Kind::aim:
      return axis - task.axis * task.axis.dot(axis) + rows_of_slide(task, axis.cross(arm));
  }
  return Vec3::Zero();
}

/// The angle between two points of the unit circle that are so far apart.
Real angle_of_chord(Real chord) noexcept {
  return 2 * std::asin(std::min(chord / 2, 1.0));
}

Bound bound_of(JointType type, const Limits& limits) noexcept {
  switch (type) {
    case JointType::fixed:
      return Bound::none;
    case JointType::hinge:
      return Bound::range;
    case JointType::slider:
      return Bound::range;
    case JointType::ball:
      return is_free_ball(limits) ? Bound::none : Bound::ball;
  }
  return Bound::none;
}

/// J_a J_b^T of one joint, given the first of its columns for the goals a and b.
Mat3 product_of_columns(const Real* a, const Real* b, int length, int dofs) noexcept {
  Mat3 sum = Mat3::Zero();
  for (int c = 0; c < dofs; ++c, a += length, b += length)
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum(i, j) += a[i] * b[j];
  return sum;
}

/// The same of a ball and two reaches. J_a v is v x r_a then, with r_a the arm from the ball to
/// what reaches, and so J_a J_b^T = (r_a . r_b) I - r_b r_a^T.
Mat3 product_of_arms(const Real* a, const Real* b, int length) noexcept {
  const Vec3 r_a(a[2 * length + 1], a[2], a[length]), r_b(b[2 * length + 1], b[2], b[length]);
  Mat3 product = -r_b * r_a.transpose();
  product.diagonal().array() += r_a.dot(r_b);
  return product;
}

}  // namespace

std::size_t System::bytes(const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
  const std::size_t dofs = static_cast<std::size_t>(skeleton.v_size());
  const std::size_t rows = 3 * goals;
  return Scratch::bytes_for<Part>(joints) + Scratch::bytes_for<Task>(goals) +
         Scratch::bytes_for<int>(joints * goals) + Scratch::bytes_for<Pose>(joints) +
         Scratch::bytes_for<Real>(rows * dofs + 2 * rows * rows + 2 * rows + dofs);
}

System::System(const Lm& settings, const Problem& problem, const Reduced& body,
               Scratch& scratch) noexcept
    : settings_(settings),
      skeleton_(problem.skeleton),
      body_(body),
      parts_(scratch.take<Part>(body.joints.size())),
      tasks_(scratch.take<Task>(body.goals.size())),
      beyond_(scratch.take<int>(body.joints.size() * body.goals.size())),
      poses_(scratch.take<Pose>(body.joints.size())) {
  const std::size_t dofs = static_cast<std::size_t>(body.v_size);
  const std::size_t rows = 3 * body.goals.size();
  columns_ = scratch.take<Real>(rows * dofs);
  matrix_ = scratch.take<Real>(rows * rows);
  factor_ = scratch.take<Real>(matrix_.size());
  error_ = scratch.take<Real>(rows);
  solution_ = scratch.take<Real>(rows);
  move_ = scratch.take<Real>(dofs);

  const std::span<const Real> per_joint = problem.intent.per_joint;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const JointId j = body.source[k];
    const Limits& limits = skeleton_.limits(j);
    const Real hold = per_joint.empty() ? 1 : std::max(1.0, per_joint[j]);
    parts_[k] = {.bound = bound_of(body.joints[k].type, limits),
                 .only_arms = body.joints[k].type == JointType::ball,
                 .stopped = false,
                 .first = 0,
                 .goals = 0,
                 .column = 0,
                 .lo = limits.lo,
                 .hi = limits.hi,
                 .share = hold == 1 ? 1 : 1 / std::sqrt(hold),
                 .axis = Vec3::Zero(),
                 .turn = Vec3::Zero()};
  }
  for (std::size_t g = 0; g < tasks_.size(); ++g) {
    const Goal& goal = body.goals[g];
    tasks_[g].kind = static_cast<Task::Kind>(goal.index());
    tasks_[g].joint = joint_of(goal);
    tasks_[g].weight = weight_of(goal);
    tasks_[g].tolerance = tolerance_of(goal);
    tasks_[g].point = Vec3::Zero();
    for (JointId k = tasks_[g].joint; k != no_joint; k = body.joints[k].parent) {
      ++parts_[k].goals;
      parts_[k].only_arms &= tasks_[g].kind == Task::Kind::reach;
    }
  }
  int first = 0, column = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    dense_ = dense_ && part.goals == static_cast<int>(tasks_.size());
    first += part.goals;
    part.first = first;  // the end of its list, which is filled from there
    part.column = column;
    column += 3 * part.goals * v_size(body.joints[k].type);
  }
  for (std::size_t g = tasks_.size(); g-- > 0;)
    for (JointId k = tasks_[g].joint; k != no_joint; k = body.joints[k].parent)
      beyond_[--parts_[k].first] = static_cast<int>(g);
}

Vec3 System::residual_of(const Goal& goal, Task& task) noexcept {
  const Pose& world = poses_[task.joint];
  if (const Reach* reach = std::get_if<Reach>(&goal)) {
    task.point = world * reach->point_in_joint;
    return reach->target - task.point;
  }
  if (const Orient* orient = std::get_if<Orient>(&goal)) {
    const Quat turn = nearest_target(*orient, world.q) * world.q.conjugate();
    return std::copysign(2.0, turn.w()) * turn.vec();
  }
  const Aim& aim = *std::get_if<Aim>(&goal);
  task.point = world * aim.point_in_joint;
  task.axis = world.q * aim.axis_in_joint;
  task.wanted = wanted_direction(aim, world);
  const Real distance = aim.at_infinity ? infinity : (aim.target - task.point).norm();
  task.nearness = distance > 0 ? 1 / distance : 0;
  return residual_vector(goal, world);
}

void System::evaluate(ConstQ q, bool chords) noexcept {
  forward(body_.joints, q, poses_);
  chords_ = chords;
  squared_ = 0;
  for (std::size_t g = 0; g < tasks_.size(); ++g) {
    Task& task = tasks_[g];
    Vec3 e = residual_of(body_.goals[g], task);
    task.squared = e.squaredNorm();
    if (!chords && task.kind == Task::Kind::orient && task.squared > 0) {
      const Real chord = std::sqrt(task.squared), angle = angle_of_chord(chord);
      e *= angle / chord;
      task.squared = angle * angle;
    }
    e *= task.scale;
    squared_ += e.squaredNorm();
    Eigen::Map<Vec3>{error_.data() + 3 * g} = e;
  }
}

Real System::lacking() const noexcept {
  Real sum = body_.unmovable;
  for (const Task& task : tasks_) {
    const Real length = std::sqrt(task.squared);
    const bool is_chord = chords_ && task.kind == Task::Kind::orient;
    const Real beyond = (is_chord ? angle_of_chord(length) : length) - task.tolerance;
    if (!(beyond <= 0)) sum += task.weight * beyond * beyond;  // NaN counts, too
  }
  return sum;
}

void System::linearize() noexcept {
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    const Skeleton::Joint& joint = body_.joints[k];
    const Pose& world = poses_[k];
    part.stopped = false;
    part.axis = world.q * joint.axis;
    Real* column = columns_.data() + part.column;
    for (int a = 0; a < part.goals; ++a, column += 3) {
      const Task& task = tasks_[beyond_[part.first + a]];
      const Real scale = part.share * task.scale;
      const Vec3 arm = task.point - world.p;
      const auto write = [&](int dof, const Vec3& rows) {
        Eigen::Map<Vec3>(column + 3 * dof * part.goals) = scale * rows;
      };
      switch (joint.type) {
        case JointType::fixed:
          break;
        case JointType::hinge:
          write(0, rows_of_turn(task, part.axis, arm));
          break;
        case JointType::slider:
          write(0, rows_of_slide(task, part.axis));
          break;
        case JointType::ball:  // about the world's axes; see moved()
          write(0, rows_of_turn(task, Vec3::UnitX(), arm));
          write(1, rows_of_turn(task, Vec3::UnitY(), arm));
          write(2, rows_of_turn(task, Vec3::UnitZ(), arm));
          break;
      }
    }
  }
}

/// Adds a joint's columns times their transpose, the upper triangle (and a little more), to J J^T.
void System::add_product(std::size_t k, Real sign) noexcept {
  const Part& part = parts_[k];
  const int rows = static_cast<int>(error_.size());
  const int dofs = v_size(body_.joints[k].type), length = 3 * part.goals;
  for (int a = 0; a < part.goals; ++a)
    for (int b = a; b < part.goals; ++b) {
      const Real* const of_a = columns_.data() + part.column + 3 * a;
      const Real* const of_b = columns_.data() + part.column + 3 * b;
      Real* const block =
          matrix_.data() + 3 * (beyond_[part.first + a] * rows + beyond_[part.first + b]);
      const Mat3 product = part.only_arms ? product_of_arms(of_a, of_b, length)
                                          : product_of_columns(of_a, of_b, length, dofs);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) block[i * rows + j] += sign * product(i, j);
    }
}

/// J J^T where every goal is beyond every joint: the columns are whole and stand one behind the
/// other, and the sums stay in registers.
template <int Goals>
void System::multiply(Real* matrix) const noexcept {
  constexpr int rows = 3 * Goals;
  const Real* const end = columns_.data() + rows * body_.v_size;
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
    std::array<Real, rows> sum{};
    for (const Real* column = columns_.data(); column != end; column += rows)
#pragma GCC unroll 6
      for (int j = i & ~1; j < rows; ++j) sum[j] += column[i] * column[j];
#pragma GCC unroll 6
    for (int j = i & ~1; j < rows; ++j) matrix[i * rows + j] = sum[j];
  }
}

/// The joints' moves J^T (J J^T + damping)^-1 error; no joint's larger than the settings allow.
template <int Goals>
Real System::find_move(Real damping) noexcept {
  std::array<Real, 9 * Goals * Goals + 1> own_matrix;
  std::array<Real, 3 * Goals + 1> own_solution;
  Real* const matrix = Goals > 0 ? own_matrix.data() : factor_.data();
  Real* const solution = Goals > 0 ? own_solution.data() : solution_.data();
  const int rows = Goals > 0 ? 3 * Goals : static_cast<int>(error_.size());
  if constexpr (Goals > 0)
    multiply<Goals>(matrix);
  else
    std::copy(matrix_.begin(), matrix_.end(), matrix);
  for (int i = 0; i < rows; ++i) {
    matrix[i * rows + i] += damping;
    solution[i] = error_[i];
  }
  solve_ldlt<3 * Goals>(matrix, solution, rows);

  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (part.stopped) continue;
    const int goals = Goals > 0 ? Goals : part.goals;
    const Real* column = columns_.data() + part.column;
    Real* const v = move_.data() + body_.joints[k].v_offset;
    for (int c = 0; c < v_size(body_.joints[k].type); ++c, column += 3 * goals) {
      Real sum = 0;
      for (int a = 0; a < goals; ++a) {
        const Real* const y = solution + 3 * (Goals > 0 ? a : beyond_[part.first + a]);
        sum += column[3 * a] * y[0] + column[3 * a + 1] * y[1] + column[3 * a + 2] * y[2];
      }
      v[c] = part.share * sum;
    }
  }
  return cap_move();
}

/// Shrinks the move until no joint turns in the world, or slides, by more than the settings allow.
/// The turns of a long chain add up: capping each joint's own would let its tip spin.
Real System::cap_move() noexcept {
  Real largest = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    const Skeleton::Joint& joint = body_.joints[k];
    const Real* const v = move_.data() + joint.v_offset;
    if (joint.parent == no_joint)
      part.turn.setZero();
    else
      part.turn = parts_[joint.parent].turn;
    switch (joint.type) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        part.turn += v[0] * part.axis;
        break;
      case JointType::slider:
        largest = std::max(largest, v[0] * v[0]);
        break;
      case JointType::ball:
        part.turn += Vec3(v[0], v[1], v[2]);
        break;
    }
    largest = std::max(largest, part.turn.squaredNorm());
  }
  const Real allowed = settings_.max_step * settings_.max_step;
  if (!(largest > allowed)) return largest;
  // Only a part of the way is wanted, then.
  const Real shrink = settings_.max_step / std::sqrt(largest);
  for (std::size_t k = 0; k < parts_.size(); ++k)
    for (int c = 0; c < v_size(body_.joints[k].type) && !parts_[k].stopped; ++c)
      move_[body_.joints[k].v_offset + c] *= shrink;
  for (Real& e : error_) e *= shrink;
  return allowed;
}

/// A ball's move is in world axes; q (+) v wants it in the joint's own. The Cayley map takes v to
/// the turn by 2 atan(|v| / 2): no trigonometry, and the same to second order. In plain numbers:
/// Eigen would load in pairs what was just stored one by one, and wait for it.
void System::moved(std::size_t k, const Real* q, const Real* v, Real* out) const noexcept {
  if (body_.joints[k].type != JointType::ball) {
    *out = *q + *v;
    return;
  }
  const Quat& world = poses_[k].q;
  const Real w = world.w(), x = world.x(), y = world.y(), z = world.z();
  const Real tx = v[1] * z - v[2] * y, ty = v[2] * x - v[0] * z, tz = v[0] * y - v[1] * x;
  const Real hx = v[0] / 2 + (w * tx + (ty * z - tz * y));
  const Real hy = v[1] / 2 + (w * ty + (tz * x - tx * z));
  const Real hz = v[2] / 2 + (w * tz + (tx * y - ty * x));
  const Real unit = 1 / std::sqrt(1 + (hx * hx + hy * hy + hz * hz));
  const Real qw = q[0], qx = q[1], qy = q[2], qz = q[3];
  out[0] = unit * ((qw - qx * hx) - (qy * hy + qz * hz));
  out[1] = unit * ((qx + qw * hx) + (qy * hz - qz * hy));
  out[2] = unit * ((qy + qw * hy) + (qz * hx - qx * hz));
  out[3] = unit * ((qz + qw * hz) + (qx * hy - qy * hx));
}

/// What a stopped joint does to the goals is done; the others see only what is left, and nothing of
/// its columns.
void System::stop(std::size_t k) noexcept {
  Part& part = parts_[k];
  part.stopped = true;
  if (!few_goals()) add_product(k, -1);
  Real* column = columns_.data() + part.column;
  for (int c = 0; c < v_size(body_.joints[k].type); ++c) {
    const Real v = move_[body_.joints[k].v_offset + c] / part.share;
    for (int a = 0; a < part.goals; ++a, column += 3)
      for (int i = 0; i < 3; ++i) {
        error_[3 * beyond_[part.first + a] + i] -= v * column[i];
        column[i] = 0;
      }
  }
}

/// Applies the move. Joints that would leave their limits go as far as these let them and are
/// stopped; whether there was one.
bool System::move_within_limits(ConstQ q, Q out) noexcept {
  bool any = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    if (part.stopped) continue;
    const Skeleton::Joint& joint = body_.joints[k];
    const Real* const from = q.data() + joint.q_offset;
    Real* const to = out.data() + joint.q_offset;
    Real* const v = move_.data() + joint.v_offset;
    moved(k, from, v, to);
    switch (part.bound) {
      case Bound::none:
        continue;
      case Bound::range: {
        if (*to >= part.lo && *to <= part.hi) continue;
        const bool turns = joint.type == JointType::hinge;
        const Real wanted = turns ? turned_inside(*to, part.lo, part.hi) : *to;
        const Real clamped = std::clamp(wanted, part.lo, part.hi);
        *to = turns && leaps_ ? nearest_inside(wanted, part.lo, part.hi) : clamped;
        if (clamped == wanted) continue;
        *v = *to == clamped ? *to - *from : wrap_angle(*to - *from);
        break;
      }
      case Bound::ball: {
        const Quat wanted = load_quat(to);
        clamp_joint(skeleton_, body_.source[k], to);
        if (load_quat(to).coeffs() == wanted.coeffs()) continue;
        const Vec3 turn = poses_[k].q * log(load_quat(from).conjugate() * load_quat(to));
        std::copy_n(turn.data(), 3, v);
        break;
      }
    }
    stop(k);
    any = true;
  }
  return any;
}

Real System::stiffness() const noexcept {
  Real sum = 0;
  for (const Real element : columns_) sum += element * element;
  return sum / static_cast<Real>(error_.size());
}

bool System::flat() const noexcept {
  constexpr Real little = 1e-6;
  Real pull = 0, all = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    const Real* column = columns_.data() + part.column;
    for (int c = 0; c < v_size(body_.joints[k].type); ++c) {
      Real sum = 0;
      for (int a = 0; a < part.goals; ++a, column += 3)
        for (int i = 0; i < 3; ++i) {
          sum += column[i] * error_[3 * beyond_[part.first + a] + i];
          all += column[i] * column[i];
        }
      pull += sum * sum;
    }
  }
  return pull < little * squared_ * all;
}

Real System::step(ConstQ q, Real damping, Q out) noexcept {
  constexpr int rounds = 4;
  if (!few_goals()) {
    std::fill(matrix_.begin(), matrix_.end(), 0.0);
    for (std::size_t k = 0; k < parts_.size(); ++k) add_product(k, 1);
  }
  Real largest = 0;
  for (int round = 0; round < rounds; ++round) {
    const Real move = !few_goals()         ? find_move<0>(damping)
                      : tasks_.size() == 1 ? find_move<1>(damping)
                                           : find_move<2>(damping);
    largest = std::max(largest, move);
    if (!move_within_limits(q, out)) break;
  }
  return largest;
}

}  // namespace gestik::lm
