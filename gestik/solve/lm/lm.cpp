#include "gestik/solve/lm/lm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/ldlt.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/spread.h"
#include "gestik/solve/reduced.h"

namespace gestik {
namespace {

enum class Bound : std::uint8_t { none, range, ball };

/// What the linear problem knows of a joint.
struct Part {
  Bound bound;
  bool stopped;      ///< by its limits, in this step
  Real lo, hi;       ///< of a range
  Real share;        ///< its columns' factor: the root of how freely it moves
  int first, goals;  ///< the goals beyond it: a run of System::beyond
  int column;        ///< where its columns start
  int filled;        ///< goals whose rows are there
};

/// A goal as an iteration sees it.
struct Task {
  std::size_t kind;  ///< Goal::index()
  JointId joint;
  Real weight, tolerance;
  Real scale;     ///< of its rows
  Vec3 point;     ///< what is reached with, or looked from, now
  Vec3 axis;      ///< of an aim, now ...
  Vec3 wanted;    ///< ... and as it should be
  Real nearness;  ///< one over the distance to an aim's target
};

/// The same turn inside the limits, if there is one.
Real turned_inside(Real angle, const Part& part) noexcept {
  if (angle > part.hi && angle - 2 * pi >= part.lo) return angle - 2 * pi;
  if (angle < part.lo && angle + 2 * pi <= part.hi) return angle + 2 * pi;
  return angle;
}

template <int Goals>
struct Normal {
  std::array<Real, 9 * Goals * Goals> matrix;
  std::array<Real, 3 * Goals> solution;
  Normal copy(std::span<Real>, std::span<Real>) const noexcept { return *this; }
};

template <>
struct Normal<0> {
  std::span<Real> matrix, solution;
  Normal copy(std::span<Real> to_matrix, std::span<Real> to_solution) const noexcept {
    std::copy(matrix.begin(), matrix.end(), to_matrix.begin());
    return {to_matrix, to_solution};
  }
};

class Search {
 public:
  Search(const Lm& settings, const Problem& problem, Scratch& scratch) noexcept;
  Report run(Q out) noexcept;

 private:
  enum class End : std::uint8_t { reached, spent, stuck };
  struct Rule {
    Real fall;     ///< share to which the squared error must fall ...
    int patience;  ///< ... in this many iterations ...
    int most;      ///< ... of at most so many
  };

  void measure_reach() noexcept;
  void list_goals_beyond() noexcept;
  void scale_for_search() noexcept;
  void scale_for_closeness() noexcept;

  void evaluate() noexcept;
  Vec3 residual_of(const Goal&, Task&) noexcept;
  template <int Goals>
  void linearize(Normal<Goals>&) noexcept;
  template <int Goals>
  void add_product(const Part&, const Real* column, Real sign, Normal<Goals>&) noexcept;
  template <int Goals>
  Real solve_step(Real damping, const Normal<Goals>&) noexcept;
  template <int Goals>
  bool stop_at_limits(Normal<Goals>&) noexcept;
  Real step(Real damping) noexcept;

  bool budget_left() const noexcept { return report_.iterations < problem_.budget.iterations; }
  End descend(const Rule&) noexcept;
  End polish() noexcept;
  void draw_start() noexcept;
  bool flat() const noexcept;
  void nudge() noexcept;
  void apply(std::size_t k, const Real* v, Real* out) const noexcept;

  const Lm& settings_;
  const Problem& problem_;
  Reduced body_;
  int rows_;
  bool dense_ = true;  ///< every goal is beyond every joint
  bool beyond_reach_ = false;
  Real reach_ = 0;
  std::span<Part> parts_;
  std::span<int> beyond_;
  std::span<Task> tasks_;
  std::span<Vec3> axes_;
  std::span<Pose> poses_;
  std::span<Real> columns_, matrix_, factor_, error_, solution_, move_;
  std::span<Real> q_, trial_, best_;
  bool chords_ = true;
  Real squared_ = 0;
  Real trace_ = 0;
  Real goal_error_ = 0;
  std::uint32_t drawn_ = 0;
  Report report_;
};

Search::Search(const Lm& settings, const Problem& problem, Scratch& scratch) noexcept
    : settings_(settings), problem_(problem), body_(reduce(problem, scratch)) {
  const std::size_t joints = body_.joints.size(), goals = body_.goals.size();
  const std::size_t dofs = static_cast<std::size_t>(body_.v_size);
  rows_ = static_cast<int>(3 * goals);
  const std::size_t rows = 3 * goals;
  parts_ = scratch.take<Part>(joints);
  beyond_ = scratch.take<int>(joints * goals);
  tasks_ = scratch.take<Task>(goals);
  axes_ = scratch.take<Vec3>(joints);
  for (std::size_t g = 0; g < goals; ++g) {
    tasks_[g].kind = body_.goals[g].index();
    tasks_[g].joint = joint_of(body_.goals[g]);
    tasks_[g].weight = weight_of(body_.goals[g]);
    tasks_[g].tolerance = tolerance_of(body_.goals[g]);
  }
  poses_ = scratch.take<Pose>(joints);
  columns_ = scratch.take<Real>(rows * dofs);
  matrix_ = scratch.take<Real>(rows * rows);
  factor_ = scratch.take<Real>(rows * rows);
  error_ = scratch.take<Real>(rows);
  solution_ = scratch.take<Real>(rows);
  move_ = scratch.take<Real>(dofs);
  const std::size_t size = static_cast<std::size_t>(body_.q_size);
  q_ = scratch.take<Real>(size);
  trial_ = scratch.take<Real>(size);
  best_ = scratch.take<Real>(size);

  const Skeleton& skeleton = problem.skeleton;
  for (std::size_t k = 0; k < joints; ++k) {
    const Limits& limits = skeleton.limits(body_.source[k]);
    const std::span<const Real> per_joint = problem.intent.per_joint;
    const Real hold = per_joint.empty() ? 1 : std::max(1.0, per_joint[body_.source[k]]);
    Part& part = parts_[k];
    part.lo = limits.lo;
    part.hi = limits.hi;
    part.share = hold == 1 ? 1 : 1 / std::sqrt(hold);
    const bool turns = limits.hi - limits.lo >= 2 * pi;
    switch (body_.joints[k].type) {
      case JointType::fixed:
        part.bound = Bound::none;
        break;
      case JointType::hinge:
      case JointType::slider:
        part.bound = Bound::range;
        break;
      case JointType::ball:
        part.bound =
            turns && limits.swing_x >= pi && limits.swing_y >= pi ? Bound::none : Bound::ball;
        break;
    }
  }
  list_goals_beyond();
  measure_reach();
}

void Search::list_goals_beyond() noexcept {
  for (Part& part : parts_) part.goals = 0;
  for (const Goal& goal : body_.goals)
    for (JointId k = joint_of(goal); k != no_joint; k = body_.joints[k].parent) ++parts_[k].goals;
  int first = 0, column = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    dense_ = dense_ && part.goals == static_cast<int>(body_.goals.size());
    part.first = first;
    part.column = column;
    first += part.goals;
    column += 3 * part.goals * v_size(body_.joints[k].type);
    part.goals = 0;
  }
  for (std::size_t g = 0; g < body_.goals.size(); ++g)
    for (JointId k = joint_of(body_.goals[g]); k != no_joint; k = body_.joints[k].parent)
      beyond_[parts_[k].first + parts_[k].goals++] = static_cast<int>(g);
}

/// How far the longest way from a root joint to a goal stretches.
void Search::measure_reach() noexcept {
  for (const Goal& goal : body_.goals) {
    const Vec3 point = std::visit(
        [](const auto& g) {
          if constexpr (requires { g.point_in_joint; })
            return g.point_in_joint;
          else
            return Vec3(Vec3::Zero());
        },
        goal);
    Real length = point.norm(), slide = 0;
    JointId k = joint_of(goal);
    for (;; k = body_.joints[k].parent) {
      if (body_.joints[k].type == JointType::slider)
        slide += std::max(std::abs(parts_[k].lo), std::abs(parts_[k].hi));
      if (body_.joints[k].parent == no_joint) break;
      length += body_.joints[k].offset.norm();
    }
    reach_ = std::max(reach_, length + std::min(slide, length));
    if (const Reach* reach = std::get_if<Reach>(&goal))
      beyond_reach_ |=
          (reach->target - body_.joints[k].offset).norm() > length + slide + reach->tolerance;
  }
}

void Search::scale_for_search() noexcept {
  chords_ = true;
  for (Task& task : tasks_) task.scale = task.kind == 0 && reach_ > 0 ? 4 / reach_ : 1;
}

void Search::scale_for_closeness() noexcept {
  chords_ = false;
  Real heaviest = 0;
  for (const Task& task : tasks_) heaviest = std::max(heaviest, task.weight);
  for (Task& task : tasks_) task.scale = std::sqrt(task.weight / heaviest);
}

Vec3 Search::residual_of(const Goal& goal, Task& task) noexcept {
  const Pose& world = poses_[task.joint];
  if (const Reach* reach = std::get_if<Reach>(&goal)) {
    task.point = world * reach->point_in_joint;
    return reach->target - task.point;
  }
  if (const Orient* orient = std::get_if<Orient>(&goal)) {
    const Quat turn = nearest_target(*orient, world.q) * world.q.conjugate();
    return turn.w() < 0 ? Vec3(-2 * turn.vec()) : Vec3(2 * turn.vec());
  }
  const Aim& aim = *std::get_if<Aim>(&goal);
  task.point = world * aim.point_in_joint;
  task.axis = world.q * aim.axis_in_joint;
  task.wanted = wanted_direction(aim, world);
  const Real distance = aim.at_infinity ? infinity : (aim.target - task.point).norm();
  task.nearness = distance > 0 ? 1 / distance : 0;
  return residual_vector(goal, world);
}

void Search::evaluate() noexcept {
  forward(body_.joints, q_, poses_);
  ++report_.passes;
  squared_ = 0;
  Real beyond = body_.unmovable;
  Real* error = error_.data();
  for (std::size_t g = 0; g < tasks_.size(); ++g) {
    Task& task = tasks_[g];
    Vec3 e = residual_of(body_.goals[g], task);
    Real size = e.norm();
    if (task.kind == 1) {
      const Real angle = 2 * std::asin(std::min(size / 2, 1.0));
      if (!chords_ && size > 0) e *= angle / size;
      size = angle;
    }
    const Real past = size - task.tolerance;
    if (past > 0) beyond += task.weight * past * past;
    e *= task.scale;
    squared_ += e.squaredNorm();
    for (int i = 0; i < 3; ++i) *error++ = e[i];
  }
  goal_error_ = std::sqrt(beyond);
  if (goal_error_ < (1 - 1e-9) * report_.error) {
    report_.error = goal_error_;
    std::copy(q_.begin(), q_.end(), best_.begin());
  }
}

template <int Goals>
void Search::add_product(const Part& part, const Real* column, Real sign,
                         Normal<Goals>& normal) noexcept {
  if constexpr (Goals > 0) {
    constexpr int rows = 3 * Goals;
    std::array<Real, rows> c;
    std::copy_n(column, rows, c.begin());
    for (int i = 0; i < rows; ++i)
      for (int j = i & ~1; j < rows; ++j) normal.matrix[i * rows + j] += sign * c[i] * c[j];
  } else {
    for (int a = 0; a < part.goals; ++a) {
      const int row = 3 * beyond_[part.first + a];
      for (int b = a; b < part.goals; ++b) {
        const int col = 3 * beyond_[part.first + b];
        for (int i = 0; i < 3; ++i) {
          const Real factor = sign * column[3 * a + i];
          for (int j = 0; j < 3; ++j)
            normal.matrix[(row + i) * rows_ + col + j] += factor * column[3 * b + j];
        }
      }
    }
  }
}

template <int Goals>
void Search::linearize(Normal<Goals>& normal) noexcept {
  const int count = static_cast<int>(parts_.size());
  for (int k = 0; k < count; ++k) {
    parts_[k].stopped = false;
    parts_[k].filled = 0;
    axes_[k] = poses_[k].q * body_.joints[k].axis;
  }
  for (const Task& task : tasks_) {
    const auto fill = [&](const auto& of_turn, const auto& of_slide) {
      for (JointId k = task.joint; k != no_joint; k = body_.joints[k].parent) {
        Part& part = parts_[k];
        const int goals = Goals > 0 ? Goals : part.goals;
        const Real scale = part.share * task.scale;
        Real* const column = &columns_[part.column + 3 * part.filled++];
        const Vec3 arm = task.point - poses_[k].p;
        switch (body_.joints[k].type) {
          case JointType::fixed:
            break;
          case JointType::hinge:
            Eigen::Map<Vec3>{column} = scale * of_turn(axes_[k], arm);
            break;
          case JointType::slider:
            Eigen::Map<Vec3>{column} = scale * of_slide(axes_[k]);
            break;
          case JointType::ball:
            Eigen::Map<Vec3>{column} = scale * of_turn(Vec3::UnitX(), arm);
            Eigen::Map<Vec3>{column + 3 * goals} = scale * of_turn(Vec3::UnitY(), arm);
            Eigen::Map<Vec3>{column + 6 * goals} = scale * of_turn(Vec3::UnitZ(), arm);
            break;
        }
      }
    };
    if (task.kind == 0) {
      fill([](const Vec3& axis, const Vec3& arm) -> Vec3 { return axis.cross(arm); },
           [](const Vec3& axis) -> Vec3 { return axis; });
    } else if (task.kind == 1) {
      fill([](const Vec3& axis, const Vec3&) -> Vec3 { return axis; },
           [](const Vec3&) -> Vec3 { return Vec3::Zero(); });
    } else {
      const auto sweep = [&](const Vec3& velocity) -> Vec3 {
        return task.nearness * task.wanted.cross(velocity);
      };
      fill(
          [&](const Vec3& axis, const Vec3& arm) -> Vec3 {
            return axis - task.axis * task.axis.dot(axis) + sweep(axis.cross(arm));
          },
          sweep);
    }
  }
  std::fill(normal.matrix.begin(), normal.matrix.end(), 0.0);
  for (int k = 0; k < count; ++k) {
    const Part& part = parts_[k];
    const int goals = Goals > 0 ? Goals : part.goals;
    for (int c = 0; c < v_size(body_.joints[k].type); ++c)
      add_product<Goals>(part, &columns_[part.column + 3 * goals * c], 1, normal);
  }
}

template <int Goals>
Real Search::solve_step(Real damping, const Normal<Goals>& normal) noexcept {
  const int rows = Goals > 0 ? 3 * Goals : rows_;
  Normal<Goals> work = normal.copy(factor_, solution_);
  for (int i = 0; i < rows; ++i) {
    work.matrix[i * rows + i] += damping;
    work.solution[i] = error_[i];
  }
  solve_ldlt<3 * Goals>(work.matrix.data(), work.solution.data(), rows);

  Real largest = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const Part& part = parts_[k];
    if (part.stopped) continue;
    const int goals = Goals > 0 ? Goals : part.goals;
    const int dofs = v_size(body_.joints[k].type);
    const Real* column = &columns_[part.column];
    Real squared = 0;
    for (int c = 0; c < dofs; ++c) {
      Real sum = 0;
      for (int a = 0; a < goals; ++a) {
        const int g = Goals > 0 ? a : beyond_[part.first + a];
        for (int i = 0; i < 3; ++i) sum += column[3 * a + i] * work.solution[3 * g + i];
      }
      const Real v = part.share * sum;
      move_[body_.joints[k].v_offset + c] = v;
      squared += v * v;
      column += 3 * goals;
    }
    largest = std::max(largest, squared);
  }
  largest = std::sqrt(largest);
  if (largest <= settings_.max_step) return largest;
  const Real shrink = settings_.max_step / largest;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    if (!parts_[k].stopped)
      for (int c = 0; c < v_size(body_.joints[k].type); ++c)
        move_[body_.joints[k].v_offset + c] *= shrink;
  for (Real& e : error_) e *= shrink;
  return settings_.max_step;
}

/// A ball's move is in world axes; q (+) v wants it in the joint's own. The Cayley map takes v to
/// the turn by 2 atan(|v| / 2): no trigonometry, and the same to second order.
void Search::apply(std::size_t k, const Real* v, Real* out) const noexcept {
  const Skeleton::Joint& joint = body_.joints[k];
  const Real* const q = &q_[joint.q_offset];
  if (joint.type != JointType::ball) {
    *out = *q + *v;
    return;
  }
  const Vec3 turn = 0.5 * (poses_[k].q.conjugate() * Vec3(v[0], v[1], v[2]));
  Quat next = load_quat(q) * Quat(1, turn.x(), turn.y(), turn.z());
  next.coeffs() *= 1 / next.coeffs().norm();
  store_quat(next, out);
}

template <int Goals>
bool Search::stop_at_limits(Normal<Goals>& normal) noexcept {
  bool any = false;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    Part& part = parts_[k];
    if (part.stopped) continue;
    const Skeleton::Joint& joint = body_.joints[k];
    Real* const v = &move_[joint.v_offset];
    Real* const next = &trial_[joint.q_offset];
    apply(k, v, next);
    if (part.bound == Bound::none) continue;
    std::array<Real, 4> clamped;
    if (part.bound == Bound::range) {
      if (joint.type == JointType::hinge) *next = turned_inside(*next, part);
      clamped[0] = std::clamp(*next, part.lo, part.hi);
      if (clamped[0] == *next) continue;
      *v = clamped[0] - q_[joint.q_offset];
    } else {
      std::copy_n(next, 4, clamped.data());
      clamp_joint(problem_.skeleton, body_.source[k], clamped.data());
      if (std::equal(clamped.begin(), clamped.end(), next)) continue;
      const Vec3 turn =
          poses_[k].q * log(load_quat(&q_[joint.q_offset]).conjugate() * load_quat(clamped.data()));
      std::copy_n(turn.data(), 3, v);
    }
    std::copy_n(clamped.data(), q_size(joint.type), next);
    part.stopped = true;
    any = true;
    const int goals = Goals > 0 ? Goals : part.goals;
    const Real* column = &columns_[part.column];
    for (int c = 0; c < v_size(joint.type); ++c) {
      add_product<Goals>(part, column, -1, normal);
      for (int a = 0; a < goals; ++a) {
        const int g = Goals > 0 ? a : beyond_[part.first + a];
        for (int i = 0; i < 3; ++i) error_[3 * g + i] -= column[3 * a + i] * v[c] / part.share;
      }
      column += 3 * goals;
    }
  }
  return any;
}

Real Search::step(Real damping) noexcept {
  const auto with = [&]<int Goals>() {
    Normal<Goals> normal;
    if constexpr (Goals == 0) normal = {matrix_, solution_};
    linearize(normal);
    Real largest = solve_step(damping, normal);
    for (int round = 0; stop_at_limits(normal) && round < 3; ++round)
      largest = std::max(largest, solve_step(damping, normal));
    trace_ = 0;
    for (int i = 0; i < rows_; ++i) trace_ += normal.matrix[i * rows_ + i];
    return largest;
  };
  if (!dense_ || body_.goals.size() > 2) return with.template operator()<0>();
  return body_.goals.size() == 1 ? with.template operator()<1>() : with.template operator()<2>();
}

Search::End Search::descend(const Rule& rule) noexcept {
  evaluate();
  Real mark = squared_;
  int idle = 0;
  for (int n = 0;; ++n) {
    if (report_.error == 0) return End::reached;
    if (!budget_left()) return End::spent;
    if (n >= rule.most || idle >= rule.patience) return End::stuck;
    const Real largest = step(std::min(settings_.damping * squared_, 0.5) + 1e-9);
    ++report_.iterations;
    if (largest < 1e-12) return End::stuck;
    std::swap(q_, trial_);
    evaluate();
    ++idle;
    if (squared_ < rule.fall * mark) {
      mark = squared_;
      idle = 0;
    }
  }
}

Search::End Search::polish() noexcept {
  constexpr Real worthwhile = 1e-6;
  scale_for_closeness();
  std::copy(best_.begin(), best_.end(), q_.begin());
  evaluate();
  Real damping = 1e-3;
  int idle = 0;
  while (budget_left() && idle < 8) {
    const Real before = squared_;
    const Real largest = step(damping * std::max(trace_, 1e-30) + 1e-12);
    ++report_.iterations;
    if (largest < 1e-12) break;
    std::swap(q_, trial_);
    evaluate();
    if (report_.error == 0) return End::reached;
    if (squared_ < before) {
      damping = std::max(damping / 4, 1e-9);
      idle = squared_ < (1 - worthwhile) * before ? 0 : idle + 1;
    } else {
      std::swap(q_, trial_);
      evaluate();
      damping *= 8;
      ++idle;
    }
  }
  scale_for_search();
  return budget_left() ? End::stuck : End::spent;
}

/// The best of the next few spread poses.
void Search::draw_start() noexcept {
  Real least = infinity;
  for (int n = 0; n < settings_.draws; ++n) {
    for (std::size_t k = 0; k < body_.joints.size(); ++k)
      spread_joint(problem_.skeleton, body_.source[k], drawn_, &q_[body_.joints[k].q_offset]);
    ++drawn_;
    evaluate();
    if (squared_ < least) {
      least = squared_;
      std::swap(q_, trial_);
    }
  }
  std::swap(q_, trial_);
}

Report Search::run(Q out) noexcept {
  std::copy(problem_.seed.begin(), problem_.seed.end(), out.begin());
  gather(body_, problem_.skeleton, problem_.seed, q_);
  scale_for_search();
  End end = descend({0.7, 5, 40});
  for (int start = 1; end == End::stuck && start < settings_.starts; ++start) {
    draw_start();
    end = descend({0.4, 2, 30});
  }
  if (end == End::stuck) end = polish();
  report_.status = end == End::reached ? Status::reached
                   : end == End::spent ? Status::out_of_budget
                                       : Status::stalled;
  scatter(body_, problem_.skeleton, best_, out);
  return report_;
}

}  // namespace

std::size_t scratch_bytes(const Lm&, const Skeleton& skeleton, std::size_t goals) noexcept {
  const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
  const std::size_t dofs = static_cast<std::size_t>(skeleton.v_size());
  const std::size_t rows = 3 * goals;
  return reduced_bytes(skeleton, goals) + Scratch::bytes_for<Part>(joints) +
         Scratch::bytes_for<int>(joints * goals) + Scratch::bytes_for<Task>(goals) +
         Scratch::bytes_for<Vec3>(joints) + Scratch::bytes_for<Pose>(joints) +
         Scratch::bytes_for<Real>(rows * dofs + 2 * rows * rows + 2 * rows + dofs +
                                  3 * static_cast<std::size_t>(skeleton.q_size()));
}

Report solve(const Lm& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  return Search(settings, problem, scratch).run(out);
}

}  // namespace gestik
