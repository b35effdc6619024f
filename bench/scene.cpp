#include "bench/scene.h"

#include <array>

#include "bench/iiwa14.h"
#include "evaluation/draw.h"
#include "gestik/goal/at_frame.h"
#include "gestik/io/read.h"
#include "gestik/math/rotation.h"

namespace gestik::bench {
namespace {

constexpr int usual_tasks = 256;

// ---- A robot's pose ----------------------------------------------------------------------------

/// Place and orientation of the flange as the solution has them, ten micrometres and microradians.
std::vector<Goal> flange_goals(const Skeleton& arm, ConstQ solution) {
  const JointId flange = arm.joint_count() - 1;
  const Pose pose = poses(arm, solution)[flange];
  constexpr Real tolerance = 1e-5;
  return {Reach{.joint = flange, .target = pose.p, .tolerance = tolerance},
          Orient{.joint = flange, .target = pose.q, .tolerance = tolerance}};
}

Scene robot_pose(int) {
  Scene scene{.skeleton = iiwa14()};
  evaluation::Draw draw(1);
  for (int i = 0; i < usual_tasks; ++i)
    scene.tasks.push_back({.goals = flange_goals(scene.skeleton, draw.pose(scene.skeleton)),
                           .seed = draw.pose(scene.skeleton)});
  return scene;
}

Scene robot_near(int) {
  Scene scene{.skeleton = iiwa14()};
  evaluation::Draw draw(2);
  for (int i = 0; i < usual_tasks; ++i) {
    std::vector<Real> q = draw.pose(scene.skeleton);
    std::vector<Goal> goals = flange_goals(scene.skeleton, q);
    for (Real& angle : q) angle += draw.between(-0.1, 0.1);
    clamp_to_limits(scene.skeleton, q);
    scene.tasks.push_back({.goals = std::move(goals), .seed = std::move(q)});
  }
  return scene;
}

// ---- An orientation, with a posture to keep ----------------------------------------------------

/// The last joint takes an orientation that some pose gives it; another pose is to be kept.
Scene orient_scene(Skeleton skeleton, std::uint64_t seed) {
  Scene scene{.skeleton = std::move(skeleton), .tip = Vec3::UnitY()};
  const JointId end = scene.skeleton.joint_count() - 1;
  evaluation::Draw draw(seed);
  for (int i = 0; i < usual_tasks; ++i) {
    const std::vector<Pose> solution = poses(scene.skeleton, draw.pose(scene.skeleton));
    const std::vector<Real> posture = draw.pose(scene.skeleton);
    scene.tasks.push_back({.goals = {Orient{.joint = end, .target = solution[end].q}},
                           .seed = posture,
                           .posture = posture});
  }
  return scene;
}

Scene orient_c(int) {
  return orient_scene(bundled_character("C")->character.skeleton, 3);
}

Scene orient_g(int) {
  return orient_scene(bundled_character("G")->character.skeleton, 4);
}

/// Joints in a line along +Y, `bone` apart, the first at the origin.
SkeletonDraft line_of(int joints, Real bone) {
  SkeletonDraft draft;
  for (int i = 0; i < joints; ++i) {
    JointDraft joint{.name = std::to_string(i)};
    if (i > 0) {
      joint.parent = std::to_string(i - 1);
      joint.parent_from_joint.p = {0, bone, 0};
    }
    draft.joints.push_back(std::move(joint));
  }
  return draft;
}

Scene hinge_chain(int size) {
  const std::array axes{Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitZ(), Vec3::UnitX()};
  SkeletonDraft draft = line_of(size, 1);
  for (int i = 0; i < size; ++i) {
    JointDraft& joint = draft.joints[i];
    joint.type = JointType::hinge;
    joint.axis = axes[i % 4];
    joint.limits = {.lo = -pi / 2, .hi = pi / 2};
  }
  return orient_scene(std::move(*build(draft)), 5);
}

// ---- Long chains -------------------------------------------------------------------------------

/// A metre of balls without limits, straight up; its tip should come to these points.
Scene rope(int size, const std::vector<Vec3>& targets) {
  const Real bone = 1.0 / size;
  SkeletonDraft draft = line_of(size, bone);
  for (JointDraft& joint : draft.joints) joint.type = JointType::ball;
  Scene scene{.skeleton = std::move(*build(draft))};
  const ConstQ straight = scene.skeleton.neutral();
  for (const Vec3& target : targets)
    scene.tasks.push_back({.goals = {Reach{.joint = size - 1,
                                           .point_in_joint = {0, bone, 0},
                                           .target = target,
                                           .tolerance = 1e-3}},
                           .seed = {straight.begin(), straight.end()}});
  return scene;
}

Scene ball_chain(int size) {
  evaluation::Draw draw(6);
  std::vector<Vec3> targets;
  for (int i = 0; i < usual_tasks; ++i) targets.push_back(draw.in_ball(0.9));
  return rope(size, targets);
}

Scene straight_chain(int size) {
  std::vector<Vec3> targets;
  for (int i = 1; i < 20; ++i) targets.push_back({0, 0.05 * i, 0});
  return rope(size, targets);
}

// ---- Characters --------------------------------------------------------------------------------

/// A pose on the way from one to another, easing in and out.
std::vector<Real> between(const Skeleton& skeleton, ConstQ from, ConstQ to, Real share) {
  std::vector<Real> way(static_cast<std::size_t>(skeleton.v_size()));
  difference(skeleton, from, to, way);
  for (Real& x : way) x *= share * share * (3 - 2 * share);
  std::vector<Real> q(from.begin(), from.end());
  integrate(skeleton, q, way, q);
  clamp_to_limits(skeleton, q);
  return q;
}

std::vector<Goal> reaches(const Character& character, ConstQ q) {
  const std::vector<Pose> world_from_joint = poses(character.skeleton, q);
  std::vector<Goal> goals;
  for (const Frame& end : character.ends) {
    Reach goal = reach(end, world_from_joint[end.joint] * end.joint_from_frame.p);
    goal.tolerance = 1e-3;
    goals.push_back(goal);
  }
  return goals;
}

Scene humanoid(int) {
  const Character character = std::move(bundled_character("humanoid")->character);
  const std::vector<Posture>& postures = character.postures;
  constexpr int frames = 60;  // a second from posture to posture
  Scene scene{.skeleton = character.skeleton, .in_a_row = true};
  for (std::size_t p = 0; p + 1 < postures.size(); ++p)
    for (int frame = 1; frame <= frames; ++frame)
      scene.tasks.push_back(
          {.goals = reaches(character, between(scene.skeleton, postures[p].q, postures[p + 1].q,
                                               static_cast<Real>(frame) / frames)),
           .seed = postures.front().q});
  return scene;
}

Scene lamp_aim(int) {
  const Character lamp = std::move(bundled_character("lamp")->character);
  const Frame& head = lamp.ends.front();
  const int postures = static_cast<int>(lamp.postures.size());
  Scene scene{.skeleton = lamp.skeleton, .tip = head.joint_from_frame.p};
  evaluation::Draw draw(7);
  for (int i = 0; i < usual_tasks; ++i) {
    const Pose world_from_head =
        poses(lamp.skeleton, draw.pose(lamp.skeleton))[head.joint] * head.joint_from_frame;
    const std::vector<Real>& posture = lamp.postures[draw.index(postures)].q;
    scene.tasks.push_back(
        {.goals = {aim(head, world_from_head * Vec3(draw.between(0.3, 2) * head.aim))},
         .seed = posture,
         .posture = posture});
  }
  return scene;
}

}  // namespace

std::span<const SceneKind> all_scenes() {
  static const std::vector<SceneKind> kinds{
      {"robot_pose",
       "7 hinges (iiwa 14): place and orientation of the flange to 1e-5, from anywhere",
       {},
       robot_pose},
      {"robot_near", "the same from within 0.1 rad of a solution", {}, robot_near},
      {"orient_C", "skeleton C: an orientation, with a posture to keep", {}, orient_c},
      {"orient_G", "skeleton G: an orientation, with a posture to keep", {}, orient_g},
      {"hinge_chain",
       "hinges: an orientation, with a posture to keep",
       {4, 8, 16, 32, 64},
       hinge_chain},
      {"ball_chain",
       "a metre of balls without limits, straight: a point to 1 mm",
       {10, 50, 100, 1000},
       ball_chain},
      {"straight_chain",
       "the same; the point is on the chain, where no joint knows a way to turn",
       {10, 100},
       straight_chain},
      {"humanoid",
       "the body in motion, 60 frames a second: 5 points to 1 mm, from the last frame",
       {},
       humanoid},
      {"lamp_aim", "the lamp looks at points, with a posture to keep", {}, lamp_aim},
  };
  return kinds;
}

Scene make_scene(const SceneKind& kind, int size) {
  Scene scene = kind.tasks(size);
  scene.name = kind.name;
  scene.size = kind.sizes.empty() ? 0 : size;
  return scene;
}

}  // namespace gestik::bench
