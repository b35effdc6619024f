#include "gestik/solve/erik/erik.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "gestik/math/rotation.h"
#include "gestik/measure/erik_error.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/erik/candidate.h"
#include "gestik/solve/erik/coordinate_descent.h"
#include "gestik/solve/erik/latitude_table_for_test.h"
#include "gestik/solve/erik/phases.h"
#include "gestik/solve/run.h"

namespace gestik::erik {
namespace {

using namespace test;

constexpr std::pair<const char*, Real> papers_skeletons[] = {
    {"YXY", pi / 2},   {"YXZY", pi},       {"YXXZY", pi / 2},   {"YXZXY", pi},
    {"YXZXY", pi / 2}, {"YXXZXY", pi / 2}, {"YXZXYXZY", pi / 2}};

/// A chain as the solver sees it, with what it points to.
struct Read {
  Read(const Problem& problem, JointId end, const Vec3& direction)
      : links(static_cast<std::size_t>(chain_joints(problem.skeleton, end))),
        chain(read_chain(problem, end, direction, 2, links, passes)),
        frames(chain.links.size()) {}

  Candidate at(ConstQ q) {
    angles.clear();
    for (const Link& link : chain.links) angles.push_back(q[link.q_index]);
    const Candidate candidate{angles, frames};
    apply_forward(chain, candidate);
    return candidate;
  }

  int passes = 0;
  std::vector<Link> links;
  Chain chain;
  std::vector<Real> angles;
  std::vector<Quat> frames;
};

/// Random skeletons of hinges and fixed joints only.
Skeleton hinge_tree(Random& random, int joints) {
  SkeletonDraft draft = random_draft(random, joints);
  for (JointDraft& joint : draft.joints) {
    joint.type = random.chance(0.2) ? JointType::fixed : JointType::hinge;
    joint.limits.swing_x = joint.limits.swing_y = pi;
  }
  return std::move(*build(draft));
}

/// A hinge about any axis at the end of a segment along +Y.
Skeleton hinge_on_a_twister(const Vec3& axis) {
  SkeletonDraft draft;
  draft.joints.push_back({.name = "parent", .type = JointType::hinge});
  draft.joints.push_back({.name = "joint",
                          .parent = "parent",
                          .type = JointType::hinge,
                          .parent_from_joint = {Quat::Identity(), Vec3::UnitY()},
                          .axis = axis});
  return std::move(*build(draft));
}

RC_GTEST_PROP(JointModel, TheChainsEndIsWhereForwardKinematicsPutsIt, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const std::vector<Real> q = random_q_inside(random, skeleton);
  std::vector<std::uint8_t> held;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    held.push_back(skeleton.type(j) != JointType::hinge || random.chance(0.2));
  const JointId end = random.index(skeleton.joint_count());
  const Vec3 direction = random.direction();
  const Problem problem{.skeleton = skeleton, .seed = q, .held = held};
  Read read(problem, end, direction);
  RC_PRE(read.chain.size() > 0);

  const Candidate candidate = read.at(q);
  const Goal aim = Aim{.joint = end};
  const Pose expected = poses(skeleton, q)[end];
  const Pose got = end_pose_for(aim, read.chain, candidate);
  const Real reach = 1 + expected.p.norm() * skeleton.joint_count();
  RC_ASSERT(angle_between(got.q, expected.q) < 1e-9);
  RC_ASSERT((got.p - expected.p).norm() < 1e-9 * reach);
  RC_ASSERT((candidate.direction() - expected.q * direction).norm() < 1e-9);
}

RC_GTEST_PROP(JointModel, SwingReachesTheLatitudeOnTheTargetsSide, (std::uint64_t seed)) {
  Random random(seed);
  const Skeleton skeleton = hinge_on_a_twister(random.direction());
  Read read({.skeleton = skeleton, .seed = skeleton.neutral()}, 1, random.direction());
  const Link& joint = read.chain.links[1];
  const Real angle = random.uniform(-pi, pi);
  const Vec3 tip = local_rotation(joint, angle) * Vec3::UnitY();
  const Real found = swing_to(joint, tip);
  RC_ASSERT(((local_rotation(joint, found) * Vec3::UnitY()) - tip).norm() < 1e-6);
}

TEST(JointModel, TheClosedFormAgreesWithTheLookUpTable) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Vec3 segment = random.direction();
    const Vec3 axis = random.direction();
    if (axis.cross(Vec3::UnitY()).norm() < 0.1 || axis.cross(segment).norm() < 0.1) continue;
    const Skeleton skeleton = hinge_on_a_twister(axis);
    Read read({.skeleton = skeleton, .seed = skeleton.neutral()}, 1, segment);
    const LatitudeTable table(axis, segment, -pi, pi, pi / 1800);
    const Vec3 target = random.direction();
    const Real exact = swing_to(read.chain.links[1], target);
    const Vec3 by_form = axis_angle(axis, exact) * segment;
    const Vec3 by_table = axis_angle(axis, table.angle_for(target)) * segment;
    // Near the top of the circle a step of the table is coarse in latitude: directions are
    // compared.
    EXPECT_LT(angle_between(by_form, by_table), 0.06) << i;
    EXPECT_LE(std::abs(by_form.y() - target.y()), std::abs(by_table.y() - target.y()) + 1e-12);
  }
}

TEST(JointModel, SafeTwistTurnsHalfRoundRatherThanStopping) {
  const Skeleton skeleton = hinge_chain("YX");
  const Problem problem{.skeleton = skeleton, .seed = skeleton.neutral()};
  Read read(problem, 1, Vec3::UnitY());
  const Link& twister = read.chain.links[0];
  EXPECT_TRUE(twister.twister);
  EXPECT_FALSE(read.chain.links[1].twister);
  EXPECT_NEAR(safe_twist(twister, 1), 1, 1e-15);
  EXPECT_NEAR(safe_twist(twister, 2), 2 - pi, 1e-15);
  EXPECT_NEAR(safe_twist(twister, 2 * pi + 1), 1, 1e-14);
  EXPECT_NEAR(safe_angle(twister, 2), pi / 2, 1e-15);
  EXPECT_NEAR(safe_angle(twister, 2 * pi - 1), -1, 1e-14);
}

TEST(JointModel, EdgesAreLeftOnlyWhereThereIsRoom) {
  const Skeleton skeleton = hinge_chain("X", 0.5), stiff = hinge_chain("X", 0.005);
  Read read({.skeleton = skeleton, .seed = skeleton.neutral()}, 0, Vec3::UnitY());
  Read narrow({.skeleton = stiff, .seed = stiff.neutral()}, 0, Vec3::UnitY());
  EXPECT_EQ(off_the_edge(read.chain.links[0], 0.5, 0.02), 0.48);
  EXPECT_EQ(off_the_edge(read.chain.links[0], -0.5, 0.02), -0.48);
  EXPECT_EQ(off_the_edge(read.chain.links[0], 0.4, 0.02), 0.4);
  EXPECT_EQ(off_the_edge(narrow.chain.links[0], 0.005, 0.02), 0.005);
}

TEST(Errors, AreTheMeasuresOnThePapersSkeletons) {
  Random random(5);
  for (const auto& [axes, range] : papers_skeletons) {
    const Skeleton skeleton = hinge_chain(axes, range);
    const JointId end = skeleton.joint_count() - 1;
    const std::vector<Real> q = random_pose(skeleton, random),
                            posture = random_pose(skeleton, random);
    Read read({.skeleton = skeleton, .seed = q}, end, Vec3::UnitY());
    const Quat target = exp(3 * random.share() * random.direction());
    const Goal goal = Orient{.joint = end, .target = target, .symmetric = true};
    std::vector<Real> latitudes(posture.size()), work(posture.size());
    latitudes_of(read.chain, read.at(posture), latitudes);
    const Errors errors = errors_of(read.chain, read.at(q), {goal, {}, latitudes, 1, 0.2},
                                    residual(goal, poses(skeleton, q)[end]), work);
    const std::vector<Pose> solved = poses(skeleton, q), wished = poses(skeleton, posture);
    EXPECT_NEAR(errors.posture, posture_error(skeleton, end, Vec3::UnitY(), solved, wished), 1e-12);
    EXPECT_NEAR(errors.combined,
                orientation_error(solved[end].q, target, true) + 0.2 * errors.posture, 1e-9);
  }
}

TEST(WarpPosture, TurnsTheEndToTheTargetMostlyAtTheRoot) {
  Random random(9);
  const Skeleton skeleton = hinge_chain("YXXZY");
  for (int i = 0; i < 100; ++i) {
    const std::vector<Real> posture = random_pose(skeleton, random);
    Read read({.skeleton = skeleton, .seed = posture}, 4, Vec3::UnitY());
    const Candidate candidate = read.at(posture);
    const Quat target = exp(3 * random.share() * random.direction());
    warp_posture(read.chain, candidate, target, {20, 1e-5, false, true});
    EXPECT_LT((candidate.direction() - target * Vec3::UnitY()).squaredNorm() / 4, 1e-5);
  }
}

// The one case in which nothing has to give: both phases must lead back to the posture itself.
TEST(Phases, KeepThePostureThatAlreadyLooksTheRightWay) {
  Random random(2);
  for (const auto& [axes, range] : papers_skeletons) {
    const Skeleton skeleton = hinge_chain(axes, range);
    for (int i = 0; i < 50; ++i) {
      const std::vector<Real> posture = random_pose(skeleton, random);
      Read read({.skeleton = skeleton, .seed = posture}, skeleton.joint_count() - 1, Vec3::UnitY());
      const Candidate warped = read.at(posture);
      const std::size_t links = read.chain.links.size();
      std::vector<Quat> bases(links + 1), rolls(links), frames(links);
      std::vector<Real> angles(links);
      forward_phase(read.chain, warped, warped.end(), 0, bases, rolls);
      backward_phase(read.chain, bases, true, {angles, frames});
      EXPECT_LT(angle_between(frames.back(), warped.end()), 1e-6) << axes;
      for (std::size_t k = 0; k < angles.size(); ++k)
        EXPECT_NEAR(std::cos(angles[k]), std::cos(posture[k]), 1e-6) << axes << " " << k;
    }
  }
}

struct Shares {
  Real combined = 0, accepted = 0, met = 0;
};

/// Random postures and targets, judged by the paper's measure.
Shares shares_of(const Skeleton& skeleton, const Erik& erik, int samples) {
  Random random(1);
  const JointId end = skeleton.joint_count() - 1;
  const AnySolver solver = erik;
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  Shares shares;
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (int i = 0; i < samples; ++i) {
    std::vector<Real> posture = random_pose(skeleton, random);
    posture.front() = posture.back() = 0;
    const Quat target = axis_angle(Vec3::UnitY(), random.uniform(-pi, pi)) *
                        axis_angle(Vec3::UnitX(), random.uniform(-pi, pi)) *
                        axis_angle(Vec3::UnitY(), random.uniform(-pi, pi));
    const Goal goal = Orient{.joint = end, .target = target, .symmetric = true};
    const Problem problem{
        .skeleton = skeleton, .goals = {&goal, 1}, .intent = {.posture = posture}};
    (void)run(solver, problem, scratch, q);
    const std::vector<Pose> solved = poses(skeleton, q);
    const Real orientation = orientation_error(solved[end].q, target, true);
    const Real combined = orientation + 0.2 * posture_error(skeleton, end, Vec3::UnitY(), solved,
                                                            poses(skeleton, posture));
    shares.combined += combined / samples;
    shares.accepted += (combined <= 0.04) / static_cast<Real>(samples);
    shares.met += (orientation <= 0.04) / static_cast<Real>(samples);
  }
  return shares;
}

TEST(Erik, MeetsTheOrientationAndKeepsTheShapeOnThePapersSkeletons) {
  // What a careful reading of the paper reaches on these skeletons (NOTES.md), with room for
  // another draw of samples: the evaluation compares grids.
  struct Bar {
    const char* axes;
    Real range, combined;
  };
  for (const Bar& bar : {Bar{"YXZY", pi, 0.05}, Bar{"YXXZY", pi / 2, 0.029},
                         Bar{"YXZXY", pi, 0.0202}, Bar{"YXZXY", pi / 2, 0.0242},
                         Bar{"YXXZXY", pi / 2, 0.018}, Bar{"YXZXYXZY", pi / 2, 0.0147}}) {
    const Shares shares = shares_of(hinge_chain(bar.axes, bar.range), {}, 2000);
    EXPECT_LT(shares.combined, bar.combined) << bar.axes;
    EXPECT_GE(shares.met, 0.999) << bar.axes;
  }
}

TEST(Erik, EveryExtensionCanBeLeftOut) {
  const Skeleton skeleton = hinge_chain("YXXZY");
  for (bool Erik::*extension :
       {&Erik::avoid_edges, &Erik::offset_trick, &Erik::ccd_trick, &Erik::closing_turn}) {
    Erik without;
    without.*extension = false;
    EXPECT_GT(shares_of(skeleton, without, 300).met, 0.9);
  }
}

RC_GTEST_PROP(Erik, TakesAnyHingesInsideAnyTree, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = hinge_tree(random, seed.joints);
  const std::vector<Real> posture = random_q_inside(random, skeleton);
  const JointId end = random.index(skeleton.joint_count());
  const Quat target = poses(skeleton, posture)[end].q;
  const Goal goal = Orient{.joint = end, .target = target};
  const AnySolver solver = Erik{};
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> q(posture.size());
  const Problem problem{.skeleton = skeleton, .goals = {&goal, 1}, .intent = {.posture = posture}};
  const Report report = run(solver, problem, scratch, q);
  RC_ASSERT(report.status != Status::unsupported);
  RC_ASSERT(inside_limits(skeleton, q));
  // The posture itself is an answer, so the answer may not be far from it.
  if (report.status == Status::reached) RC_ASSERT(report.error < 0.2);
}

TEST(Erik, AimsAtPointsNearBy) {
  // So near that the eye's own motion turns the wanted direction as much as the joints turn it.
  Random random(7);
  const Skeleton skeleton = hinge_chain("YXZXYXZY");
  const AnySolver solver = Erik{};
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> posture(8), q(8);
  for (int i = 0; i < 100; ++i) {
    for (Real& angle : posture) angle = random.uniform(-1, 1);
    const Goal goal = Aim{.joint = 7,
                          .axis_in_joint = Vec3::UnitY(),
                          .point_in_joint = Vec3::UnitY(),
                          .target = random.uniform(5, 10) * random.direction()};
    const Report report =
        run(solver, {.skeleton = skeleton, .goals = {&goal, 1}, .intent = {.posture = posture}},
            scratch, q);
    EXPECT_EQ(report.status, Status::reached);
  }
}

TEST(Erik, PerJointWeightsSayWhoHoldsOn) {
  const Skeleton skeleton = hinge_chain("YXXXY");
  const std::vector<Real> posture{0, 0.3, 0.3, 0.3, 0};
  const Goal goal =
      Aim{.joint = 4, .target = exp(Vec3(1.6, 0, 0)) * Vec3::UnitY(), .at_infinity = true};
  const auto bend_of = [&](int joint, std::vector<Real> per_joint) {
    const AnySolver solver = Erik{.threshold = 0};
    Scratch scratch(scratch_bytes(solver, skeleton, 1));
    std::vector<Real> q(5);
    const Report report = run(solver,
                              {.skeleton = skeleton,
                               .goals = {&goal, 1},
                               .intent = {.posture = posture, .per_joint = per_joint}},
                              scratch, q);
    EXPECT_EQ(report.status, Status::reached);
    return std::abs(q[joint] - posture[joint]);
  };
  EXPECT_LT(bend_of(1, {1, 100, 1, 1, 1}), bend_of(1, {1, 0.01, 1, 1, 1}));
}

TEST(Erik, ContinuousJointsStayOnThePosturesTurn) {
  const Skeleton skeleton = hinge_chain("YXXZY", 20);
  const std::vector<Real> posture{4 * pi, 0.5, 0.5, 0.2, -6 * pi};
  const Goal goal = Orient{.joint = 4, .target = exp(Vec3(0.3, 0.1, 0.2))};
  const AnySolver solver = Erik{};
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> q(5);
  (void)run(solver, {.skeleton = skeleton, .goals = {&goal, 1}, .intent = {.posture = posture}},
            scratch, q);
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_LE(std::abs(q[k] - posture[k]), pi + 1e-9);
}

}  // namespace
}  // namespace gestik::erik
