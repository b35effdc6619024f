#include "gestik/measure/erik_error.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "gestik/math/rotation.h"
#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

// ---- Orientation: Algorithm 5 ------------------------------------------------------------------

/// Algorithm 5 line by line: phi is the end's orientation, tau the target.
Real algorithm_5(const Quat& phi, const Quat& tau, bool symmetric) {
  const auto z = [](const Quat& a, const Quat& b) {
    return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm()) /
           std::sqrt(2.0);
  };
  Real error = z(tau, phi);
  if (symmetric) {
    const Quat turned = axis_angle(phi * Vec3::UnitY(), pi) * phi;
    error = std::min(error, z(tau, turned));
  }
  return error;
}

RC_GTEST_PROP(OrientationError, IsAlgorithm5, (std::uint64_t seed)) {
  Random random(seed);
  const Quat a = random.rotation(), b = random.rotation();
  for (const bool symmetric : {false, true}) {
    const Real error = orientation_error(a, b, symmetric);
    RC_ASSERT(std::abs(error - algorithm_5(a, b, symmetric)) < 1e-15 * 4);
    RC_ASSERT(std::abs(error - orientation_error(b, a, symmetric)) < 1e-15 * 4);
    RC_ASSERT(error >= 0 && error <= 1);
  }
  Quat twin = b;
  twin.coeffs() = -twin.coeffs();
  RC_ASSERT(std::abs(orientation_error(a, b, false) - orientation_error(a, twin, false)) < 1e-15);
  RC_ASSERT(std::abs(orientation_error(a, b, false) - orientation_error(angle_between(a, b))) <
            1e-14);
}

TEST(OrientationError, KnownValues) {
  const Quat none = Quat::Identity();
  EXPECT_EQ(orientation_error(none, none, false), 0);
  EXPECT_DOUBLE_EQ(orientation_error(none, Quat(0, 1, 0, 0), false), 1);  // half a turn
  EXPECT_DOUBLE_EQ(orientation_error(none, Quat(0, 0, 1, 0), false), 1);
  EXPECT_NEAR(orientation_error(none, Quat(0, 0, 1, 0), true), 0, 1e-15);  // about its own Y
  EXPECT_DOUBLE_EQ(orientation_error(none, Quat(0, 1, 0, 0), true), 1);
  EXPECT_EQ(orientation_error(0.0), 0);
  EXPECT_DOUBLE_EQ(orientation_error(pi), 1);
  EXPECT_DOUBLE_EQ(orientation_error(-pi), 1);
}

// ---- Posture: Algorithm 6 ----------------------------------------------------------------------

/// A chain of hinges with unit segments along +Y, named by its axes: the paper's Table 5 skeletons.
/// An f is a fixed joint.
Skeleton chain(std::string_view axes, const Vec3& segment = Vec3::UnitY()) {
  SkeletonDraft draft;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    JointDraft joint;
    joint.name = numbered("j", static_cast<int>(i));
    if (i > 0) {
      joint.parent = numbered("j", static_cast<int>(i) - 1);
      joint.parent_from_joint.p = segment;
    }
    joint.type = axes[i] == 'f' ? JointType::fixed : JointType::hinge;
    joint.axis = axes[i] == 'x' ? Vec3::UnitX() : axes[i] == 'z' ? Vec3::UnitZ() : Vec3::UnitY();
    draft.joints.push_back(joint);
  }
  return *build(draft);
}

/// Algorithm 6 line by line, from the root to the end, for a chain as above: positions of the
/// joints and of the tip, exponents counting the non-twisters from 0 in the sum and the norm alike
/// (erratum 4).
Real algorithm_6(std::string_view axes, std::span<const Pose> theta, std::span<const Pose> psi,
                 Real a = 2) {
  const auto place = [&](std::span<const Pose> poses, std::size_t k) -> Vec3 {
    return k < axes.size() ? poses[k].p : poses[k - 1] * Vec3::UnitY();
  };
  Real error = 0, norm = 0;
  int i = 0;
  Vec3 s = Vec3::UnitY(), t = Vec3::UnitY();  // the root's segment
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k] == 'y') continue;  // a twister
    const Vec3 u = place(theta, k + 1) - place(theta, k);
    const Vec3 v = place(psi, k + 1) - place(psi, k);
    const Real d_su = 1 - (1 + s.dot(u)) / 2;
    const Real d_tv = 1 - (1 + t.dot(v)) / 2;
    error += std::pow(a, i) * std::abs(d_tv - d_su);
    norm += std::pow(a, i);
    ++i;
    s = u;
    t = v;
  }
  return norm > 0 ? error / norm : 0;
}

std::vector<Real> angles(Random& random, const Skeleton& skeleton, Real largest = pi) {
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (Real& angle : q) angle = random.uniform(-largest, largest);
  return q;
}

Real error_between(const Skeleton& skeleton, ConstQ solution, ConstQ posture, Real aggravation = 2,
                   const Vec3& end_point = Vec3::UnitY()) {
  return posture_error(skeleton, skeleton.joint_count() - 1, end_point, poses(skeleton, solution),
                       poses(skeleton, posture), aggravation);
}

RC_GTEST_PROP(PostureError, IsAlgorithm6OnThePapersSkeletons, (std::uint64_t seed)) {
  Random random(seed);
  for (const std::string_view axes :
       {"yxy", "yxxy", "yxxxy", "xyxyx", "yxyxyxy", "xzxzxzxz", "yxxzyxzxxyzx", "x", "y", "yy"}) {
    const Skeleton skeleton = chain(axes);
    const std::vector<Real> solution = angles(random, skeleton), posture = angles(random, skeleton);
    for (const Real aggravation : {1.0, 2.0, 3.5}) {
      const Real error = error_between(skeleton, solution, posture, aggravation);
      const Real wanted =
          algorithm_6(axes, poses(skeleton, solution), poses(skeleton, posture), aggravation);
      RC_ASSERT(std::abs(error - wanted) < 1e-13);
      RC_ASSERT(error >= 0 && error <= 1);
    }
    RC_ASSERT(error_between(skeleton, posture, posture) == 0);
  }
}

RC_GTEST_PROP(PostureError, DoesNotSeeTwistersNorTheRootsTwist, (std::uint64_t seed)) {
  Random random(seed);
  const Skeleton skeleton = chain("yxxyzy");
  std::vector<Real> solution = angles(random, skeleton);
  const std::vector<Real> posture = angles(random, skeleton);
  const Real before = error_between(skeleton, solution, posture);
  solution[0] = random.uniform(-pi, pi);  // the whole body turns
  solution[5] = random.uniform(-pi, pi);  // the end rolls
  RC_ASSERT(std::abs(error_between(skeleton, solution, posture) - before) < 1e-14);
}

TEST(PostureError, IsOneAtTheWorst) {
  const Skeleton skeleton = chain("xxx");
  const std::vector<Real> straight{0, 0, 0}, folded{pi, pi, pi};
  EXPECT_NEAR(error_between(skeleton, folded, straight), 1, 1e-15);
  EXPECT_LE(error_between(skeleton, folded, straight), 1);
}

TEST(PostureError, ABendNearerTheEndCountsTwice) {
  const Skeleton skeleton = chain("xxx");
  const std::vector<Real> straight{0, 0, 0};
  const Real bent = (1 - std::cos(0.5)) / 2;
  for (int j = 0; j < 3; ++j) {
    std::vector<Real> q = straight;
    q[j] = 0.5;
    EXPECT_NEAR(error_between(skeleton, q, straight), std::pow(2, j) * bent / 7, 1e-15);
  }
}

// A segment made of two pieces by a fixed joint is still one segment.
RC_GTEST_PROP(PostureError, FixedJointsChangeNothing, (std::uint64_t seed)) {
  Random random(seed);
  const Skeleton plain = chain("yxzx", 2 * Vec3::UnitY());
  const Skeleton pieces = chain("fyfxfzfxf");
  const std::vector<Real> solution = angles(random, plain), posture = angles(random, plain);
  RC_ASSERT(std::abs(error_between(plain, solution, posture, 2, 2 * Vec3::UnitY()) -
                     error_between(pieces, solution, posture)) < 1e-14);
}

/// Inserts a joint on top of joint j: the same place, its own axis, and j's length after it.
SkeletonDraft with_joint_at(SkeletonDraft draft, std::size_t j, char axis) {
  JointDraft extra = draft.joints[j];
  extra.name = "extra";
  extra.parent = draft.joints[j].name;
  extra.parent_from_joint = {};
  extra.type = axis == 'f' ? JointType::fixed : JointType::hinge;
  extra.axis = axis == 'x' ? Vec3::UnitX() : axis == 'z' ? Vec3::UnitZ() : Vec3::UnitY();
  for (JointDraft& other : draft.joints)
    if (other.parent == extra.parent) other.parent = "extra";
  draft.joints.insert(draft.joints.begin() + static_cast<std::ptrdiff_t>(j) + 1, extra);
  return draft;
}

// A bending hinge followed in the same place by a fixed joint or by a twister (a shoulder that
// pitches and then rolls) still bends the chain.
RC_GTEST_PROP(PostureError, JointsInOnePlaceBendTogether, (std::uint64_t seed)) {
  Random random(seed);
  const Skeleton plain = chain("xyzx");
  const std::vector<Real> solution = angles(random, plain), posture = angles(random, plain);
  const Real wanted = error_between(plain, solution, posture);
  for (const std::size_t j : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    const Skeleton with_fixed = *build(with_joint_at(draft_of(plain), j, 'f'));
    RC_ASSERT(std::abs(error_between(with_fixed, solution, posture) - wanted) < 1e-14);
    const Skeleton with_twister = *build(with_joint_at(draft_of(plain), j, 'y'));
    std::vector<Real> q = solution, p = posture;  // the twister stays at zero in both
    q.insert(q.begin() + static_cast<std::ptrdiff_t>(j) + 1, 0);
    p.insert(p.begin() + static_cast<std::ptrdiff_t>(j) + 1, 0);
    RC_ASSERT(std::abs(error_between(with_twister, q, p) - wanted) < 1e-14);
  }
}

TEST(PostureError, AnElbowWithARollInItsPlaceIsStillAnElbow) {
  const Skeleton skeleton = *build(with_joint_at(draft_of(chain("xx")), 1, 'y'));
  const std::vector<Real> straight{0, 0, 0}, bent{0, 1, 0}, rolled{0, 0, 1};
  EXPECT_NEAR(error_between(skeleton, bent, straight), 2 * (1 - std::cos(1)) / 2 / 3, 1e-15);
  EXPECT_NEAR(error_between(skeleton, rolled, straight), 0, 1e-15);
}

// A turntable whose next joint sits right on it (most robots): its turn is no change of posture,
// whichever axis is up.
TEST(PostureError, DoesNotSeeATurntableOfNoHeight) {
  for (const Vec3& up : {Vec3(Vec3::UnitX()), Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    const Vec3 side = any_perpendicular(up);
    SkeletonDraft draft;
    for (int i = 0; i < 3; ++i) {
      JointDraft joint;
      joint.name = numbered("j", i);
      if (i > 0) joint.parent = numbered("j", i - 1);
      if (i == 2) joint.parent_from_joint.p = up;
      joint.type = JointType::hinge;
      joint.axis = i == 0 ? up : side;
      draft.joints.push_back(joint);
    }
    const Skeleton skeleton = *build(draft);
    const std::vector<Real> posture{0, 0.4, -0.7}, turned{2, 0.4, -0.7}, bent{2, 0.9, -0.7};
    EXPECT_NEAR(error_between(skeleton, turned, posture, 2, up), 0, 1e-15);
    EXPECT_NEAR(error_between(skeleton, bent, posture, 2, up),
                (std::cos(0.4) - std::cos(0.9)) / 2 / 3, 1e-15);
  }
}

TEST(PostureError, ASliderDoesNotBend) {
  SkeletonDraft draft = draft_of(chain("xxx"));
  draft.joints[1].type = JointType::slider;
  draft.joints[1].axis = Vec3::UnitY();
  const Skeleton skeleton = *build(draft);
  const std::vector<Real> posture{0.3, 0.5, 0.2}, longer{0.3, 0.9, 0.2}, bent{0.3, 0.5, 0.6};
  EXPECT_NEAR(error_between(skeleton, longer, posture), 0, 1e-15);
  EXPECT_NEAR(error_between(skeleton, bent, posture), 2 * (std::cos(0.2) - std::cos(0.6)) / 2 / 3,
              1e-15);
}

TEST(PostureError, ABallBends) {
  SkeletonDraft draft = draft_of(chain("xx"));
  draft.joints[1].type = JointType::ball;
  const Skeleton skeleton = *build(draft);
  const Quat swing = axis_angle(Vec3(0.6, 0, 0.8), 0.8);
  const std::vector<Real> straight{0, 1, 0, 0, 0},
      swung{0, swing.w(), swing.x(), swing.y(), swing.z()};
  EXPECT_NEAR(error_between(skeleton, swung, straight), 2 * (1 - std::cos(0.8)) / 2 / 3, 1e-15);
}

TEST(PostureError, OfAChainWithoutLengthIsZero) {
  const Skeleton skeleton = chain("x");
  const std::vector<Real> straight{0}, bent{1};
  EXPECT_EQ(error_between(skeleton, bent, straight, 2, Vec3::Zero()), 0);
}

RC_GTEST_PROP(PostureError, OfAnySkeletonIsBetweenZeroAndOne, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  const JointId end = random.index(skeleton.joint_count());
  const std::vector<Pose> solution = poses(skeleton, random_q_outside(random, skeleton));
  const std::vector<Pose> posture = poses(skeleton, random_q_outside(random, skeleton));
  const Vec3 tip = random.chance(0.3) ? Vec3(Vec3::Zero()) : random.vector(1);
  const Real error = posture_error(skeleton, end, tip, solution, posture);
  RC_ASSERT(error >= 0 && error <= 1);
  RC_ASSERT(posture_error(skeleton, end, tip, posture, posture) == 0);
  RC_ASSERT(error == posture_error(skeleton, end, tip, posture, solution));
}

TEST(PostureError, OfAVeryLongChainIsFinite) {
  const std::string axes(5000, 'x');
  const Skeleton skeleton = chain(axes);
  const std::vector<Real> straight(5000, 0), bent(5000, 0.5);
  EXPECT_NEAR(error_between(skeleton, bent, straight), (1 - std::cos(0.5)) / 2, 1e-12);
}

// ---- All three for one end ---------------------------------------------------------------------

TEST(ErikErrors, AreThoseOfTheirParts) {
  SkeletonDraft draft;
  draft.joints = {{.name = "a", .type = JointType::hinge, .axis = Vec3::UnitX()},
                  {.name = "b",
                   .parent = "a",
                   .type = JointType::hinge,
                   .parent_from_joint = {Quat::Identity(), {0, 1, 0}},
                   .axis = Vec3::UnitX()}};
  const Skeleton skeleton = *build(draft);
  const Vec3 tip(0, 1, 0);
  const std::vector<Real> q{0.3, 0.4}, posture{0, 1};
  const Aim aim{.joint = 1, .point_in_joint = tip, .target = {0, 5, 0}};
  const Orient orient{.joint = 1, .target = axis_angle(Vec3::UnitX(), 0.5)};
  const Reach reach{.joint = 1, .point_in_joint = tip};

  // An orientation counts before an aim, wherever it stands; a reach has no part in it.
  const Goal both[] = {aim, reach, orient};
  const ErikErrors errors = erik_errors(skeleton, both, 1, tip, q, posture);
  EXPECT_NEAR(*errors.orientation, orientation_error(0.2), 1e-12);
  EXPECT_GT(*errors.posture, 0);
  EXPECT_NEAR(*errors.combined, *errors.orientation + 0.2 * *errors.posture, 1e-15);

  const Goal reached[] = {reach};
  EXPECT_FALSE(erik_errors(skeleton, reached, 1, tip, q, posture).combined);
  const Goal aimed[] = {aim};
  const ErikErrors without = erik_errors(skeleton, aimed, 1, tip, q, {});
  EXPECT_FALSE(without.posture);
  EXPECT_EQ(*without.combined, *without.orientation);
}

}  // namespace
}  // namespace gestik
