#include "gestik/solve/explain.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "gestik/math/rotation.h"

namespace gestik {
namespace {

std::string number(Real x) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.4g", x);
  return text.data();
}

/// The farthest a point of the chain can get from where the chain's first moving joint sits, if the
/// limits allowed everything: the lengths added up. Infinite with a slider that has no end.
struct Span {
  JointId first = no_joint;  ///< first moving joint, no_joint when nothing moves
  Real length = 0;
};

Span longest_span(const Problem& problem, JointId joint, const Vec3& point_in_joint) {
  const Skeleton& skeleton = problem.skeleton;
  Span span;
  Real beyond = point_in_joint.norm();
  for (JointId j = joint; j != no_joint; j = skeleton.parent(j)) {
    if (may_move(problem, j)) {
      const Limits& limits = skeleton.limits(j);
      if (skeleton.type(j) == JointType::slider)
        beyond += std::max(std::abs(limits.lo), std::abs(limits.hi));
      span = {j, beyond};
    }
    beyond += skeleton.parent_from_joint(j).p.norm();
  }
  return span;
}

/// Where the first moving joint's frame starts: nothing above it moves.
Vec3 anchor(const Skeleton& skeleton, std::span<const Pose> poses, JointId first) {
  const JointId parent = skeleton.parent(first);
  const Vec3& offset = skeleton.parent_from_joint(first).p;
  return parent == no_joint ? offset : Vec3(poses[parent] * offset);
}

struct Why {
  Reason reason = Reason::none;
  std::string words;
};

bool moves(const Problem& problem, JointId joint) {
  while (joint != no_joint && !may_move(problem, joint)) joint = problem.skeleton.parent(joint);
  return joint != no_joint;
}

std::string out_of_reach(const Reach& goal, const Problem& problem, std::span<const Pose> poses) {
  const Skeleton& skeleton = problem.skeleton;
  const Span span = longest_span(problem, goal.joint, goal.point_in_joint);
  const Real distance = (goal.target - anchor(skeleton, poses, span.first)).norm();
  if (distance <= span.length + goal.tolerance) return {};
  return "out of reach: the target is " + number(distance) + " m from joint '" +
         skeleton.name(span.first) + "', the chain spans at most " + number(span.length) + " m";
}

/// The step that would bring the goals nearer fastest: sum of weight * J^T residual.
std::vector<Real> descent(const Problem& problem, std::span<const Pose> poses) {
  const Eigen::Index size = problem.skeleton.v_size();
  Jacobian work(6, size);
  ResidualJacobian rows(3, size);
  Eigen::VectorXd step = Eigen::VectorXd::Zero(size);
  for (const Goal& goal : problem.goals) {
    residual_jacobian(goal, problem.skeleton, poses, work, rows);
    const Vec3 residual = residual_vector(goal, poses[joint_of(goal)]);
    step += weight_of(goal) * rows.transpose() * residual;
  }
  return {step.data(), step.data() + size};
}

/// Whether a small step of the joint along the descent leaves its limits.
bool blocks(const Skeleton& skeleton, JointId j, ConstQ q, const std::vector<Real>& step) {
  const Real* v = step.data() + skeleton.v_offset(j);
  Real length = 0;
  for (int k = 0; k < v_size(skeleton.type(j)); ++k) length = std::hypot(length, v[k]);
  if (length < 1e-9) return false;
  std::array<Real, 3> small{};
  for (int k = 0; k < v_size(skeleton.type(j)); ++k) small[k] = 1e-4 * v[k] / length;
  std::array<Real, 4> moved{};
  integrate_joint(skeleton.type(j), q.data() + skeleton.q_offset(j), small.data(), moved.data());
  return !joint_inside_limits(skeleton, j, moved.data(), 1e-8);
}

/// The blocking joints that carry `joint`, nearest first, a few of them by name. One climb: both
/// the way up and at_limit (in joint order) are read from their ends.
std::string held_by(JointId joint, const Skeleton& skeleton,
                    const std::vector<Explanation::OfJoint>& at_limit) {
  constexpr int most_names = 5;
  std::string words;
  int found = 0;
  auto limit = at_limit.rbegin();
  for (JointId j = joint; j != no_joint; j = skeleton.parent(j)) {
    while (limit != at_limit.rend() && limit->joint > j) ++limit;
    if (limit == at_limit.rend() || limit->joint != j || !limit->blocking) continue;
    if (found++ < most_names)
      words += (words.empty() ? "held by the limit of '" : "', '") + skeleton.name(j);
  }
  if (words.empty()) return words;
  const int unnamed = found - most_names;
  return words + (unnamed > 0 ? "' and " + std::to_string(unnamed) + " more" : "'");
}

Why why_not(const Goal& goal, const Problem& problem, std::span<const Pose> poses,
            const std::vector<Explanation::OfJoint>& at_limit) {
  const Skeleton& skeleton = problem.skeleton;
  const JointId joint = joint_of(goal);
  if (!moves(problem, joint))
    return {Reason::nothing_moves,
            "nothing that moves carries joint '" + skeleton.name(joint) + "'"};
  if (const Reach* reach = std::get_if<Reach>(&goal))
    if (std::string far = out_of_reach(*reach, problem, poses); !far.empty())
      return {Reason::out_of_reach, std::move(far)};
  if (std::string held = held_by(joint, skeleton, at_limit); !held.empty())
    return {Reason::limits, std::move(held)};
  if (problem.goals.size() > 1)
    return {Reason::unfinished, "at odds with another goal, or not finished; try another seed"};
  return {Reason::unfinished,
          "not finished or stuck; try another seed, a larger budget or another solver"};
}

}  // namespace

Explanation explain(const Problem& raw, ConstQ q) {
  std::vector<Goal> goals(raw.goals.begin(), raw.goals.end());
  for (Goal& goal : goals) goal = normalized(goal);
  Problem problem = raw;
  problem.goals = goals;
  const Skeleton& skeleton = problem.skeleton;
  const std::vector<Pose> world = poses(skeleton, q);
  const std::vector<Real> step = descent(problem, world);

  Explanation explanation;
  constexpr Real near_enough = 1e-6;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const AtLimit at = joint_at_limit(skeleton, j, q.data() + skeleton.q_offset(j), near_enough);
    if (at != AtLimit::none)
      explanation.at_limit.push_back({j, at, may_move(problem, j) && blocks(skeleton, j, q, step)});
  }
  for (const Goal& goal : goals) {
    const JointId joint = joint_of(goal);
    const Real rest = residual(goal, world[joint]);
    const bool met = rest <= tolerance_of(goal);
    Why why = met ? Why{} : why_not(goal, problem, world, explanation.at_limit);
    explanation.goals.push_back(
        {kind_of(goal), joint, rest, tolerance_of(goal), met, why.reason, std::move(why.words)});
  }
  return explanation;
}

}  // namespace gestik
