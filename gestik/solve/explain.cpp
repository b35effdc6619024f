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

Span longest_span(const Skeleton& skeleton, JointId joint, const Vec3& point_in_joint) {
  Span span;
  Real beyond = point_in_joint.norm();
  for (JointId j = joint; j != no_joint; j = skeleton.parent(j)) {
    if (skeleton.type(j) != JointType::fixed) {
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

std::string out_of_reach(const Reach& goal, const Skeleton& skeleton, std::span<const Pose> poses) {
  const Span span = longest_span(skeleton, goal.joint, goal.point_in_joint);
  if (span.first == no_joint)
    return "nothing that moves carries joint '" + skeleton.name(goal.joint) + "'";
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

bool carries(const Skeleton& skeleton, JointId ancestor, JointId joint) {
  while (joint > ancestor) joint = skeleton.parent(joint);
  return joint == ancestor;
}

std::string why_not(const Goal& goal, const Problem& problem, std::span<const Pose> poses,
                    const std::vector<Explanation::OfJoint>& at_limit) {
  const Skeleton& skeleton = problem.skeleton;
  if (const Reach* reach = std::get_if<Reach>(&goal))
    if (std::string far = out_of_reach(*reach, skeleton, poses); !far.empty()) return far;
  std::string held;
  for (const Explanation::OfJoint& joint : at_limit)
    if (joint.blocking && carries(skeleton, joint.joint, joint_of(goal)))
      held += (held.empty() ? "held by the limit of '" : "', '") + skeleton.name(joint.joint);
  if (!held.empty()) return held + "'";
  if (problem.goals.size() > 1) return "at odds with another goal, or stuck; try another seed";
  return "stuck or not finished; try another seed, a larger budget or another solver";
}

}  // namespace

Explanation explain(const Problem& problem, ConstQ q) {
  const Skeleton& skeleton = problem.skeleton;
  std::vector<Pose> poses(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, q, poses);
  const std::vector<Real> step = descent(problem, poses);

  Explanation explanation;
  constexpr Real near_enough = 1e-6;
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const AtLimit at = joint_at_limit(skeleton, j, q.data() + skeleton.q_offset(j), near_enough);
    if (at != AtLimit::none) explanation.at_limit.push_back({j, at, blocks(skeleton, j, q, step)});
  }
  for (const Goal& goal : problem.goals) {
    const JointId joint = joint_of(goal);
    const Real rest = residual(goal, poses[joint]);
    const bool met = rest <= tolerance_of(goal);
    explanation.goals.push_back(
        {kind_of(goal), joint, rest, tolerance_of(goal), met,
         met ? std::string() : why_not(goal, problem, poses, explanation.at_limit)});
  }
  return explanation;
}

}  // namespace gestik
