// A character without a file: a small tree of joints, drafted in code, whose two hands reach at
// once. Needs only the core (gestik::gestik), and shows the whole way of the data:
//
//     SkeletonDraft -> build() -> Skeleton;  Skeleton + goals -> Problem -> run() -> q and a
//     Report;  explain()

#include <cstdio>
#include <string>
#include <vector>

#include "gestik/solve/explain.h"
#include "gestik/solve/run.h"

using namespace gestik;

// Metres and radians; a joint's place is given in its parent's frame, at rest.
JointDraft joint(std::string name, std::string parent, JointType type, Vec3 place, Vec3 axis,
                 Limits limits = {}) {
  return {.name = std::move(name),
          .parent = std::move(parent),
          .type = type,
          .parent_from_joint = {.q = Quat::Identity(), .p = place},
          .axis = axis,
          .limits = limits};
}

// A post that can turn, and from its top two arms: a ball at the shoulder, a hinge at the elbow, a
// hand at the end.
SkeletonDraft two_arms() {
  // A ball's limits: how far it may swing about x and y of its limit frame, and how far it may
  // twist.
  const Limits shoulder{.lo = -1.2, .hi = 1.2, .swing_x = 2.0, .swing_y = 1.6};
  const Limits elbow{.lo = 0, .hi = 2.6};
  SkeletonDraft draft;
  draft.joints.push_back(
      joint("waist", "", JointType::hinge, Vec3::Zero(), Vec3::UnitY(), {.lo = -1.5, .hi = 1.5}));
  for (const double side : {+1.0, -1.0}) {
    const std::string name = side > 0 ? "left " : "right ";
    const Vec3 out = side * Vec3::UnitX();
    draft.joints.push_back(joint(name + "shoulder", "waist", JointType::ball,
                                 Vec3(0.2 * side, 1.0, 0), out, shoulder));
    draft.joints.push_back(joint(name + "elbow", name + "shoulder", JointType::hinge, 0.3 * out,
                                 -side * Vec3::UnitY(), elbow));
    draft.joints.push_back(
        joint(name + "hand", name + "elbow", JointType::fixed, 0.3 * out, Vec3::UnitY()));
  }
  return draft;
}

int main() {
  // build() is the only door to a Skeleton: it checks everything, and says in words what it
  // refuses.
  const Result<Skeleton> built = build(two_arms());
  if (!built) {
    std::fprintf(stderr, "%s\n", to_string(built.error()).c_str());
    return 2;
  }
  const Skeleton& skeleton = *built;

  // Both hands take a box in front of the chest. A goal is met when it is within its tolerance:
  // here, half a millimetre.
  const Goal goals[] = {
      Reach{.joint = skeleton.find("left hand"), .target = {0.15, 1.1, 0.35}, .tolerance = 5e-4},
      Reach{.joint = skeleton.find("right hand"), .target = {-0.15, 1.1, 0.35}, .tolerance = 5e-4},
  };

  // Memory is asked for once; a solve takes none from the heap. A problem is a handful of views,
  // made anew each frame.
  const AnySolver solver = Ccd{};
  Scratch scratch(scratch_bytes(solver, skeleton, std::size(goals)));
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  const Problem problem{
      .skeleton = skeleton, .goals = goals, .intent = {}, .seed = {}, .budget = {}};
  const Report report = run(solver, problem, scratch, q);

  std::printf("%s after %d sweeps\n", to_string(report.status).data(), report.iterations);
  for (int i = 0; i < skeleton.q_size(); ++i)
    std::printf("  %-18s %8.4f\n", skeleton.coordinate_name(i).c_str(),
                q[static_cast<std::size_t>(i)]);

  // What the pose makes of the problem, goal by goal, and why where it falls short.
  for (const Explanation::OfGoal& goal : explain(problem, q).goals)
    std::printf("%s misses by %.2g m%s%s\n", skeleton.name(goal.joint).c_str(), goal.residual,
                goal.met ? "" : ": ", goal.why.c_str());
  return report.status == Status::reached ? 0 : 3;
}
