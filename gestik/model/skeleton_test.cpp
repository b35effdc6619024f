#include "gestik/model/skeleton.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>

#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

JointDraft joint(std::string name, std::string parent, JointType type = JointType::hinge) {
  JointDraft draft;
  draft.name = std::move(name);
  draft.parent = std::move(parent);
  draft.type = type;
  draft.parent_from_joint.p = Vec3::UnitY();
  return draft;
}

/// base - shoulder - elbow - wrist, one joint of each type.
SkeletonDraft arm() {
  return {{joint("base", "", JointType::fixed), joint("shoulder", "base", JointType::ball),
           joint("elbow", "shoulder", JointType::hinge),
           joint("wrist", "elbow", JointType::slider)}};
}

struct BadDraft {
  const char* name;
  std::function<void(SkeletonDraft&)> spoil;
  const char* where;  ///< must be in the error's place
  const char* what;   ///< and this in its text
};

const Real nan_value = std::numeric_limits<Real>::quiet_NaN();

std::vector<BadDraft> bad_drafts() {
  using Draft = SkeletonDraft;
  std::vector<BadDraft> all{
      {"NoJoints", [](Draft& d) { d.joints.clear(); }, "", "at least one joint"},
      {"EmptyName", [](Draft& d) { d.joints[2].name.clear(); }, "joint number 3", "name"},
      {"DuplicateName", [](Draft& d) { d.joints[3].name = "elbow"; }, "'elbow'", "two joints"},
      {"UnknownParent", [](Draft& d) { d.joints[2].parent = "tail"; }, "'elbow'",
       "unknown parent 'tail'"},
      {"NearlyKnownParent", [](Draft& d) { d.joints[2].parent = "shuolder"; }, "'elbow'",
       "did you mean 'shoulder'?"},
      {"TwoRoots", [](Draft& d) { d.joints[2].parent.clear(); }, "'elbow'", "'base' is the root"},
      {"NoRoot", [](Draft& d) { d.joints[0].parent = "wrist"; }, "'base'", "cycle"},
      {"OwnParent", [](Draft& d) { d.joints[2].parent = "elbow"; }, "'elbow'", "cycle"},
      {"OwnParentAndOnlyJoint", [](Draft& d) { d.joints = {joint("a", "a")}; }, "'a'", "cycle"},
      {"CycleOfTwo", [](Draft& d) { d.joints[2].parent = "wrist"; }, "'elbow'", "cycle"},
      {"CycleOfThreeBesideARoot", [](Draft& d) { d.joints[1].parent = "wrist"; }, "'shoulder'",
       "cycle"},
      {"ZeroAxis", [](Draft& d) { d.joints[2].axis.setZero(); }, "'elbow'", "axis"},
      {"ZeroAxisOfABall", [](Draft& d) { d.joints[1].axis.setZero(); }, "'shoulder'", "axis"},
      {"InfiniteAxis", [](Draft& d) { d.joints[2].axis.y() = infinity; }, "'elbow'", "axis"},
      {"InfinitePosition", [](Draft& d) { d.joints[2].parent_from_joint.p.x() = -infinity; },
       "'elbow'", "position"},
      {"ZeroRest", [](Draft& d) { d.joints[2].parent_from_joint.q.coeffs().setZero(); }, "'elbow'",
       "zero quaternion"},
      {"InfiniteRest", [](Draft& d) { d.joints[2].parent_from_joint.q.w() = infinity; }, "'elbow'",
       "orientation"},
      {"LoAboveHi", [](Draft& d) { d.joints[2].limits = {.lo = 1, .hi = 0.5}; }, "'elbow'",
       "lower limit"},
      {"LoAboveHiOfATwist", [](Draft& d) { d.joints[1].limits.lo = 9, d.joints[1].limits.hi = 8; },
       "'shoulder'", "lower limit"},
      {"NothingBetweenTheLimits", [](Draft& d) { d.joints[3].limits.lo = infinity; }, "'wrist'",
       "limits"},
      {"NothingBelowTheUpperLimit", [](Draft& d) { d.joints[3].limits.hi = -infinity; }, "'wrist'",
       "limits"},
      {"HalfATwistRange",
       [](Draft& d) { d.joints[1].limits.lo = -infinity, d.joints[1].limits.hi = 1; }, "'shoulder'",
       "both or none"},
      {"PositionBeyondMeaning", [](Draft& d) { d.joints[2].parent_from_joint.p.x() = 1e31; },
       "'elbow'", "1e30"},
      {"EllipseWithoutWidth", [](Draft& d) { d.joints[1].limits.swing_x = 0; }, "'shoulder'",
       "ellipse"},
      {"EllipseWithoutHeight", [](Draft& d) { d.joints[1].limits.swing_y = -0.0; }, "'shoulder'",
       "ellipse"},
      {"NegativeEllipse", [](Draft& d) { d.joints[1].limits.swing_y = -1; }, "'shoulder'",
       "ellipse"},
      {"EllipseBeyondPi", [](Draft& d) { d.joints[1].limits.swing_x = 3.2; }, "'shoulder'",
       "ellipse"},
      {"InfiniteEllipse", [](Draft& d) { d.joints[1].limits.swing_x = infinity; }, "'shoulder'",
       "ellipse"},
  };
  // NaN in every number of every type of joint, whether the type uses it or not.
  static const char* const names[] = {"'base'", "'shoulder'", "'elbow'", "'wrist'"};
  for (std::size_t j = 0; j < 4; ++j) {
    const auto nan_in = [&](const char* name, std::function<Real&(JointDraft&)> field,
                            const char* what) {
      all.push_back({name, [=](Draft& d) { field(d.joints[j]) = nan_value; }, names[j], what});
    };
    for (int k = 0; k < 3; ++k) {
      nan_in(
          "NaNPosition", [k](JointDraft& d) -> Real& { return d.parent_from_joint.p[k]; },
          "position");
      nan_in(
          "NaNAxis", [k](JointDraft& d) -> Real& { return d.axis[k]; }, "axis");
    }
    for (int k = 0; k < 4; ++k)
      nan_in(
          "NaNRest", [k](JointDraft& d) -> Real& { return d.parent_from_joint.q.coeffs()[k]; },
          "orientation");
    nan_in(
        "NaNLo", [](JointDraft& d) -> Real& { return d.limits.lo; }, "limit");
    nan_in(
        "NaNHi", [](JointDraft& d) -> Real& { return d.limits.hi; }, "limit");
    nan_in(
        "NaNSwingX", [](JointDraft& d) -> Real& { return d.limits.swing_x; }, "swing");
    nan_in(
        "NaNSwingY", [](JointDraft& d) -> Real& { return d.limits.swing_y; }, "swing");
  }
  return all;
}

TEST(Build, TakesTheArmThatTheBadDraftsSpoil) {
  ASSERT_TRUE(build(arm()).ok());
}

TEST(Build, RefusesBadDraftsAndNamesTheJoint) {
  for (const BadDraft& bad : bad_drafts()) {
    SCOPED_TRACE(bad.name);
    SkeletonDraft draft = arm();
    bad.spoil(draft);
    const Result<Skeleton> built = build(draft);
    if (built.ok()) {
      ADD_FAILURE() << "was built";
      continue;
    }
    EXPECT_NE(built.error().where.find(bad.where), std::string::npos) << built.error().where;
    EXPECT_NE(built.error().what.find(bad.what), std::string::npos) << built.error().what;
  }
}

TEST(Build, RefusesALongCycleQuicklyAndNamesAJointOfIt) {
  SkeletonDraft draft{{joint("root", "")}};
  constexpr int length = 100'000;
  for (int i = 0; i < length; ++i)
    draft.joints.push_back(joint(numbered("c", i), numbered("c", (i + 1) % length)));
  const Result<Skeleton> built = build(draft);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().where.substr(0, 8), "joint 'c");
  EXPECT_NE(built.error().what.find("cycle"), std::string::npos);
}

TEST(Build, TakesWhatIsUnusualButSound) {
  SkeletonDraft draft = arm();
  draft.joints[0].axis.setZero();                   // a fixed joint has no use for its axis
  draft.joints[1].limits.swing_x = 5e-324;          // hardly any area, but some
  draft.joints[2].limits = {.lo = 0.5, .hi = 0.5};  // one value
  draft.joints[2].axis = Vec3(0, 0, 1e-300);        // a direction is a direction
  draft.joints[3].parent_from_joint.q = Quat(0, 1e300, 0, 0);
  const Result<Skeleton> built = build(draft);
  ASSERT_TRUE(built) << to_string(built.error());
  EXPECT_EQ(built->axis(2), Vec3::UnitZ());
  EXPECT_TRUE(same_bits(built->parent_from_joint(3).q, Quat(0, 1, 0, 0)));
  EXPECT_EQ(built->neutral()[4], 0.5);
}

TEST(Build, LaysOutCoordinatesByType) {
  const Skeleton skeleton = *build(arm());
  EXPECT_EQ(skeleton.joint_count(), 4);
  EXPECT_EQ(skeleton.q_size(), 0 + 4 + 1 + 1);
  EXPECT_EQ(skeleton.v_size(), 0 + 3 + 1 + 1);
  EXPECT_EQ(skeleton.q_offset(1), 0);
  EXPECT_EQ(skeleton.q_offset(2), 4);
  EXPECT_EQ(skeleton.q_offset(3), 5);
  EXPECT_EQ(skeleton.v_offset(3), 4);
  EXPECT_EQ(skeleton.parent(0), no_joint);
  EXPECT_EQ(skeleton.parent(3), 2);
  EXPECT_EQ(to_string(skeleton.type(0)), "fixed");
  EXPECT_EQ(to_string(skeleton.type(1)), "ball");
  EXPECT_EQ(to_string(skeleton.type(2)), "hinge");
  EXPECT_EQ(to_string(skeleton.type(3)), "slider");
  const std::vector<Real> neutral{1, 0, 0, 0, 0, 0};
  EXPECT_TRUE(same_bits(skeleton.neutral(), neutral));
}

TEST(Build, KeepsTheDraftsOrderWhereParentsComeFirst) {
  const Skeleton skeleton = *build({{joint("root", ""), joint("b", "root"), joint("a", "root"),
                                     joint("b1", "b"), joint("a1", "a"), joint("b2", "b")}});
  const std::vector<std::string> wanted{"root", "b", "a", "b1", "a1", "b2"};
  for (JointId j = 0; j < skeleton.joint_count(); ++j) EXPECT_EQ(skeleton.name(j), wanted[j]);
}

TEST(Build, PullsAncestorsForwardWhereTheyComeTooLate) {
  const Skeleton skeleton = *build({{joint("hand", "arm"), joint("root", ""), joint("arm", "body"),
                                     joint("body", "root"), joint("leg", "body")}});
  const std::vector<std::string> wanted{"root", "body", "arm", "hand", "leg"};
  for (JointId j = 0; j < skeleton.joint_count(); ++j) EXPECT_EQ(skeleton.name(j), wanted[j]);
}

RC_GTEST_PROP(Build, PutsParentsFirstAndFindsEveryName, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  SkeletonDraft draft = random_draft(random, seed.joints);
  for (std::size_t i = draft.joints.size(); i > 1; --i)
    std::swap(draft.joints[i - 1], draft.joints[random.index(static_cast<int>(i))]);
  const Skeleton skeleton = *build(draft);
  RC_ASSERT(skeleton.joint_count() == seed.joints);
  RC_ASSERT(skeleton.parent(0) == no_joint);
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (j > 0) RC_ASSERT(skeleton.parent(j) >= 0 && skeleton.parent(j) < j);
    RC_ASSERT(skeleton.find(skeleton.name(j)) == j);
    RC_ASSERT(std::abs(skeleton.axis(j).norm() - 1) < 1e-15);
    RC_ASSERT(std::abs(skeleton.parent_from_joint(j).q.norm() - 1) < 1e-15);
    RC_ASSERT((skeleton.joint_from_limit(j) * Vec3::UnitZ() - skeleton.axis(j)).norm() < 1e-14);
  }
  RC_ASSERT(skeleton.find("j") == no_joint);
  RC_ASSERT(skeleton.find("") == no_joint);
  RC_ASSERT(skeleton.find("zzz") == no_joint);
}

RC_GTEST_PROP(Build, NeutralIsInsideTheLimits, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  RC_ASSERT(inside_limits(skeleton, skeleton.neutral()));
}

// The whole point of sorting inside build(): the order in a file is no one's business.
RC_GTEST_PROP(Build, OrderOfTheDraftChangesNoBitOfForwardKinematics, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  SkeletonDraft draft = random_draft(random, seed.joints);
  const Skeleton one = *build(draft);
  for (std::size_t i = draft.joints.size(); i > 1; --i)
    std::swap(draft.joints[i - 1], draft.joints[random.index(static_cast<int>(i))]);
  const Skeleton other = *build(draft);

  std::vector<Real> q_one = random_q_outside(random, one);
  if (random.chance(0.3))  // a far-out angle must not disturb its neighbours either
    for (JointId j = 0; j < one.joint_count(); ++j)
      if (one.type(j) == JointType::hinge && random.chance(0.2)) q_one[one.q_offset(j)] = 1e7;
  std::vector<Real> q_other(q_one.size());
  for (JointId j = 0; j < one.joint_count(); ++j)
    std::copy_n(q_one.begin() + one.q_offset(j), q_size(one.type(j)),
                q_other.begin() + other.q_offset(other.find(one.name(j))));

  const std::vector<Pose> poses_one = poses(one, q_one), poses_other = poses(other, q_other);
  for (JointId j = 0; j < one.joint_count(); ++j)
    RC_ASSERT(same_bits(poses_one[j], poses_other[other.find(one.name(j))]));
}

RC_GTEST_PROP(DraftOf, BuildsTheSameSkeletonBitForBit, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton one = random_skeleton(random, seed.joints);
  const Skeleton two = *build(draft_of(one));
  RC_ASSERT(two.joint_count() == one.joint_count());
  for (JointId j = 0; j < one.joint_count(); ++j) {
    RC_ASSERT(two.name(j) == one.name(j));
    RC_ASSERT(two.parent(j) == one.parent(j));
    RC_ASSERT(two.type(j) == one.type(j));
    RC_ASSERT(same_bits(two.axis(j), one.axis(j)));
    RC_ASSERT(same_bits(two.parent_from_joint(j), one.parent_from_joint(j)));
    RC_ASSERT(same_bits(two.joint_from_limit(j), one.joint_from_limit(j)));
    const Limits &a = one.limits(j), &b = two.limits(j);
    RC_ASSERT(same_bits(a.lo, b.lo) && same_bits(a.hi, b.hi));
    RC_ASSERT(same_bits(a.swing_x, b.swing_x) && same_bits(a.swing_y, b.swing_y));
  }
  RC_ASSERT(same_bits(one.neutral(), two.neutral()));
}

TEST(Coordinates, AreNamedAndFoundAcrossFixedJoints) {
  const auto fixed = JointType::fixed;
  const Skeleton skeleton = *build(
      {{joint("f0", "", fixed), joint("f1", "f0", fixed), joint("hip", "f1", JointType::ball),
        joint("f2", "hip", fixed), joint("f3", "f2", fixed), joint("knee", "f3"),
        joint("ankle", "knee", JointType::slider), joint("f4", "ankle", fixed),
        joint("f5", "f4", fixed)}});
  const std::vector<std::string> names{"hip.w", "hip.x", "hip.y", "hip.z", "knee", "ankle"};
  const std::vector<JointId> joints{2, 2, 2, 2, 5, 6};
  ASSERT_EQ(skeleton.q_size(), 6);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(skeleton.coordinate_name(i), names[i]);
    EXPECT_EQ(skeleton.joint_of_coordinate(i), joints[i]);
  }
}

RC_GTEST_PROP(Coordinates, BelongToTheJointWhoseOffsetsSaySo, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    for (int k = 0; k < q_size(skeleton.type(j)); ++k)
      RC_ASSERT(skeleton.joint_of_coordinate(skeleton.q_offset(j) + k) == j);
}

TEST(Build, AChainOfAHundredThousandJointsIsNoTrouble) {
  constexpr int length = 100'000;
  SkeletonDraft draft;
  for (int i = 0; i < length; ++i) {
    draft.joints.push_back(joint(numbered("j", i), i ? numbered("j", i - 1) : ""));
    draft.joints.back().axis = Vec3::UnitZ();
  }
  std::reverse(draft.joints.begin(), draft.joints.end());  // the worst order: every parent late
  const auto start = std::chrono::steady_clock::now();
  const Result<Skeleton> built = build(draft);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(built);
  EXPECT_LT(seconds.count(), 5);  // quadratic work would take minutes

  // Bent a little at every joint it closes: 100 turns of a polygon with 1000 corners.
  const std::vector<Real> q(length, 2 * pi / 1000);
  const std::vector<Pose> world = poses(*built, q);
  const Vec3 first = world.front().p, again = world[length - 1000].p;
  EXPECT_LT((first - again).norm(), 1e-5);  // over 100 km of chain
  EXPECT_NEAR(world.back().q.norm(), 1, 1e-10);
  EXPECT_NEAR((world[500].p - first).norm(), 1 / std::sin(pi / 1000), 1e-6);
}

}  // namespace
}  // namespace gestik
