#include "gestik/solve/limb/reach.h"

#include <gtest/gtest.h>

#include "gestik/measure/allocations.h"
#include "gestik/solve/bodies_for_test.h"
#include "gestik/solve/limb/limbs_for_test.h"

namespace gestik {
namespace {

using namespace test;

struct Limber {
  std::string name;
  Skeleton skeleton;
  JointId end;
  Limb limb = limb_at(skeleton, end).limb;
};

std::vector<Limber> limbs_to_try() {
  std::vector<Limber> all;
  const auto add = [&](const char* name, Skeleton skeleton, const char* end) {
    const JointId joint = skeleton.find(end);
    all.push_back({name, std::move(skeleton), joint});
  };
  add("arm", human_arm(), "hand");
  add("leg", human_leg(), "ankle");
  add("robot", seven_hinges(), "flange");
  add("capture", capture_rig(), "LeftHand");
  return all;
}

/// A place and an orientation that a pose has.
struct Wanted {
  Reach reach;
  Orient orient;
};

Wanted wanted_by(const Limber& limber, ConstQ q) {
  const std::vector<Pose> world = poses(limber.skeleton, q);
  const Vec3 point(0.03, -0.05, 0.02);
  return {{.joint = limber.end, .point_in_joint = point, .target = world[limber.end] * point},
          {.joint = limber.end, .target = world[limber.end].q}};
}

/// Another pose of the limb; the rest of the body stays.
std::vector<Real> other_start(const Limber& limber, const std::vector<Real>& q, Random& random) {
  const std::vector<Real> other = random_pose(limber.skeleton, random);
  std::vector<Real> start = q;
  for (const JointId j : limber.limb.moved())
    std::copy_n(other.data() + limber.skeleton.q_offset(j), q_size(limber.skeleton.type(j)),
                start.data() + limber.skeleton.q_offset(j));
  return start;
}

LimbReport reach(const Limber& limber, const Wanted& wanted, const SwivelSearch& search, Q q,
                 const PoseTest& test = {}, bool oriented = true) {
  Scratch scratch(reach_scratch_bytes(limber.skeleton));
  return reach_with_limb(limber.limb, limber.skeleton, wanted.reach,
                         oriented ? &wanted.orient : nullptr, search, test, scratch, q);
}

void expect_there(const Limber& limber, const Wanted& wanted, ConstQ q) {
  const Pose end = poses(limber.skeleton, q)[limber.end];
  EXPECT_LT((end * wanted.reach.point_in_joint - wanted.reach.target).norm(), 1e-12);
  EXPECT_LT(angle_between(end.q, wanted.orient.target), 1e-12);
  EXPECT_TRUE(inside_limits(limber.skeleton, q));
}

TEST(ReachWithLimb, ComesBackToEveryPoseAndItsSwivel) {
  for (const Limber& limber : limbs_to_try()) {
    SCOPED_TRACE(limber.name);
    Random random(1);
    for (int i = 0; i < 5000; ++i) {
      const std::vector<Real> q = random_pose(limber.skeleton, random);
      const Wanted wanted = wanted_by(limber, q);
      const Real swivel = swivel_of(limber.limb, limber.skeleton, q);
      std::vector<Real> found = limber.limb.mid_is_ball ? q : other_start(limber, q, random);
      const LimbReport report = reach(limber, wanted, {.preferred = swivel}, found);
      ASSERT_TRUE(report.reached()) << i << ": " << describe(limber.skeleton, report);
      EXPECT_EQ(report.swivel, wrap_angle(swivel));
      EXPECT_NEAR(wrap_angle(swivel_of(limber.limb, limber.skeleton, found) - swivel), 0, 1e-7);
      expect_there(limber, wanted, found);
    }
  }
}

TEST(ReachWithLimb, MissesNothingThatCanBeReached) {
  for (const Limber& limber : limbs_to_try()) {
    SCOPED_TRACE(limber.name);
    Random random(2);
    for (int i = 0; i < 5000; ++i) {
      const std::vector<Real> q = random_pose(limber.skeleton, random);
      const Wanted wanted = wanted_by(limber, q);
      std::vector<Real> found = other_start(limber, q, random);
      const LimbReport report = reach(limber, wanted, {.tests = 1000}, found);
      ASSERT_TRUE(report.reached()) << i << ": " << describe(limber.skeleton, report);
      expect_there(limber, wanted, found);
    }
  }
}

// The paper's arm and its equations, word for word with the corrections of NOTES.md: an oracle that
// shares nothing with the code under test.
struct PaperAngles {
  Real v[7];
};

constexpr Real upper_arm = 0.3, forearm = 0.25;

Skeleton paper_arm() {
  return std::move(*build({{
      limb_joint("base", "", JointType::ball, {0, 0, 0}, {0, 0, 1}),
      limb_joint("mid", "base", JointType::hinge, {0, 0, upper_arm}, {0, 1, 0},
                 {.lo = 0, .hi = pi}),
      limb_joint("twist", "mid", JointType::hinge, {0, 0, 0.1}, {0, 0, 1}, {.lo = -pi, .hi = pi}),
      limb_joint("end", "twist", JointType::ball, {0, 0, forearm - 0.1}, {0, 0, 1},
                 {.lo = 0, .hi = 0}),
  }}));
}

PaperAngles paper_solution(const Vec3& e, const Quat& turn, Real swivel) {
  PaperAngles out;
  const Vec3 n = e.normalized(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  const Vec3 u = (-y + y.dot(n) * n).normalized(), v = u.cross(n);
  const Real length = e.norm();
  const Real flexion =
      pi - std::acos((upper_arm * upper_arm + forearm * forearm - length * length) /
                     (2 * upper_arm * forearm));
  const Real cos_alpha =
      (forearm * forearm - upper_arm * upper_arm - length * length) / (-2 * upper_arm * length);
  const Real radius = upper_arm * std::sqrt(1 - cos_alpha * cos_alpha);
  const Vec3 m = n * upper_arm * cos_alpha + radius * (u * std::cos(swivel) + v * std::sin(swivel));
  const Vec3 s = z.cross(m).normalized() * std::acos(z.dot(m) / upper_arm);
  const Vec3 f = exp({0, flexion, 0}) * Vec3(0, 0, forearm) + Vec3(0, 0, upper_arm);
  const Vec3 g = exp(s).conjugate() * e;
  const Real twist = std::atan2(f.x() * g.y() - f.y() * g.x(), f.x() * g.x() + f.y() * g.y());
  Quat q = (exp(s) * exp({0, 0, twist}) * exp({0, flexion, 0})).conjugate() * turn;
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const Real v4 = 2 * std::atan2(q.z(), q.w());
  const Real beta = std::atan2(std::hypot(q.x(), q.y()), std::hypot(q.z(), q.w()));
  const Real scale = 2 * beta / std::sin(beta), c = std::cos(v4 / 2), k = std::sin(v4 / 2);
  const Real angles[] = {s.x(),
                         s.y(),
                         twist,
                         flexion,
                         v4,
                         scale * (c * q.x() + k * q.y()),
                         scale * (-k * q.x() + c * q.y())};
  std::copy_n(angles, 7, out.v);
  return out;
}

TEST(ReachWithLimb, AgreesWithThePapersEquations) {
  const Skeleton skeleton = paper_arm();
  const Limber limber{"paper", paper_arm(), skeleton.find("end")};
  ASSERT_TRUE(limb_at(skeleton, limber.end).reaches_poses());
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Vec3 e = random.uniform(0.1, 0.54) * random.direction();
    const Quat turn = random.rotation();
    const Real swivel = random.uniform(-pi, pi);
    const PaperAngles paper = paper_solution(e, turn, swivel);
    std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
    store_quat(exp({paper.v[0], paper.v[1], 0}) * exp({0, 0, paper.v[2]}), q.data());
    q[4] = paper.v[3];
    q[5] = paper.v[4];
    store_quat(exp({paper.v[5], paper.v[6], 0}), q.data() + 6);

    const Wanted wanted{{.joint = limber.end, .target = e}, {.joint = limber.end, .target = turn}};
    std::vector<Real> found(skeleton.neutral().begin(), skeleton.neutral().end());
    const LimbReport report =
        reach(limber, wanted, {.preferred = swivel_of(limber.limb, skeleton, q)}, found);
    ASSERT_TRUE(report.reached()) << describe(skeleton, report);
    std::vector<Real> difference_of(static_cast<std::size_t>(skeleton.v_size()));
    difference(skeleton, q, found, difference_of);
    for (const Real x : difference_of) EXPECT_NEAR(wrap_angle(x), 0, 2e-6) << i;
  }
}

TEST(ReachWithLimb, SolvesTheDirectionThatThePaperGivesUp) {
  const Skeleton skeleton = paper_arm();
  const Limber limber{"paper", paper_arm(), skeleton.find("end")};
  for (const Real side : {1.0, -1.0})
    for (const Vec3& axis : {Vec3(0, 1, 0), Vec3(0, 0, -1)}) {
      const Wanted wanted{{.joint = limber.end, .target = 0.4 * side * axis},
                          {.joint = limber.end, .target = exp({0.3, 0.2, 0.1})}};
      std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
      const LimbReport report = reach(limber, wanted, {.preferred = 0.5}, q);
      ASSERT_TRUE(report.reached()) << describe(skeleton, report);
      const Pose end = poses(skeleton, q)[limber.end];
      EXPECT_LT((end.p - wanted.reach.target).norm(), 1e-14);
    }
}

// Why a target can't be reached, found out anew for every swivel of a fine grid: the mid from the
// triangle's geometry, the base from two directions, the end from what is left.
struct Oracle {
  const Limber& limber;
  Pose base;  // the base's frame in the world

  /// The pose of arm or leg at an angle about the line to the target.
  std::vector<Real> pose(const Wanted& wanted, Real angle) const {
    const Skeleton& skeleton = limber.skeleton;
    const Limb& limb = limber.limb;
    const Pose goal{wanted.orient.target,
                    wanted.reach.target - wanted.orient.target * wanted.reach.point_in_joint};
    Pose end_from_goal;
    for (JointId j = limber.end; j != limb.joint; j = skeleton.parent(j))
      end_from_goal = skeleton.parent_from_joint(j) * end_from_goal;
    const Pose end = goal * inverse(end_from_goal);
    const Vec3 to = base.q.conjugate() * (end.p - base.p);
    std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
    // Bisection on the mid's angle: the distance falls as it bends.
    Real lo = limb.bend.straight, hi = lo + pi;
    const auto reach_at = [&](Real angle_of_mid) {
      q[skeleton.q_offset(limb.mid)] = angle_of_mid;
      const std::vector<Pose> world = poses(skeleton, q);
      return (world[limb.joint].p - base.p).norm();
    };
    for (int i = 0; i < 60; ++i) {
      const Real middle = (lo + hi) / 2;
      (reach_at(middle) > to.norm() ? lo : hi) = middle;
    }
    q[skeleton.q_offset(limb.mid)] = (lo + hi) / 2;
    // Turn the base so that the end falls on the target, then about that line.
    const JointId first = limb.base.joints[0];
    const std::vector<Pose> bent = poses(skeleton, q);
    const Quat before = bent[first].q;
    const Vec3 now = (bent[limb.joint].p - base.p).normalized();
    const Quat turn = axis_angle((base.q * to).normalized(), angle) *
                      shortest_rotation(now, (base.q * to).normalized());
    store_quat(base.q.conjugate() * turn * before, q.data() + skeleton.q_offset(first));
    // What is left for the end.
    const std::vector<Pose> placed = poses(skeleton, q);
    const JointId last = limb.joint;
    const Quat rest = placed[skeleton.parent(last)].q * skeleton.parent_from_joint(last).q;
    store_quat(rest.conjugate() * end.q, q.data() + skeleton.q_offset(last));
    return q;
  }

  /// By how much the worst of base and end are beyond their limits; the mid does not depend on it.
  Real broken(const std::vector<Real>& q) const {
    Real most = -infinity;
    for (const JointId j : {limber.limb.base.joints[0], limber.limb.joint})
      most = std::max(
          most, joint_excess(limber.skeleton, j, q.data() + limber.skeleton.q_offset(j)).amount);
    return most;
  }
};

TEST(ReachWithLimb, NamesTheRightReason) {
  const Skeleton skeleton = human_leg();
  const Limber leg{"leg", human_leg(), skeleton.find("ankle")};
  const Oracle oracle{leg, skeleton.parent_from_joint(0)};
  Random random(4);
  int counts[5] = {};
  for (int i = 0; i < 600; ++i) {
    const Quat turn = random.rotation();
    const Wanted wanted{
        {.joint = leg.end, .target = oracle.base.p + random.uniform(0, 1.1) * random.direction()},
        {.joint = leg.end, .target = turn}};
    std::vector<Real> q = random_pose(skeleton, random);
    const LimbReport report = reach(leg, wanted, {.tests = 1000}, q);
    ++counts[static_cast<int>(report.fault)];
    EXPECT_TRUE(inside_limits(skeleton, q));
    const Real distance = (wanted.reach.target - oracle.base.p).norm();
    switch (report.fault) {
      case LimbFault::none:
        expect_there(leg, wanted, q);
        break;
      case LimbFault::too_far:
        EXPECT_NEAR(report.amount, distance - 0.86, 1e-9);
        EXPECT_GT(distance, 0.86);
        break;
      case LimbFault::too_near:
        ADD_FAILURE() << "bones of one length fold to nothing";
        break;
      case LimbFault::limit: {
        EXPECT_LT(distance, 0.86);
        const Real knee = oracle.pose(wanted, 0)[skeleton.q_offset(leg.limb.mid)];
        if (report.joint == leg.limb.mid) {
          EXPECT_EQ(report.at, AtLimit::hi);
          EXPECT_NEAR(report.amount, knee - 1.7, 1e-6);
          EXPECT_GT(knee, 1.7);
          break;
        }
        EXPECT_LE(knee, 1.7 + 1e-9);
        Real least = infinity;
        for (Real angle = -pi; angle < pi; angle += 0.01)
          least = std::min(least, oracle.broken(oracle.pose(wanted, angle)));
        EXPECT_GT(least, 0);
        EXPECT_GT(report.amount, 0);
        if (least > 1) break;  // swings near half a turn: how far beyond is not a smooth question
        EXPECT_LE(report.amount, least + 1e-9) << "there is a better swivel";
        EXPECT_GT(report.amount, least - 0.02);
        break;
      }
      case LimbFault::clash:
        ADD_FAILURE() << "nothing to meet";
        break;
    }
  }
  EXPECT_GT(counts[static_cast<int>(LimbFault::too_far)], 20);
  EXPECT_GT(counts[static_cast<int>(LimbFault::limit)], 100);
}

TEST(ReachWithLimb, SaysTooNear) {
  const Skeleton skeleton = paper_arm();
  const Limber limber{"paper", paper_arm(), skeleton.find("end")};
  const Wanted wanted{{.joint = limber.end, .target = {0, 0, 0.02}}, {.joint = limber.end}};
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  const LimbReport report = reach(limber, wanted, {}, q);
  EXPECT_EQ(report.fault, LimbFault::too_near);
  EXPECT_NEAR(report.amount, 0.03, 1e-12);
  EXPECT_EQ(describe(skeleton, report), "too near by 0.03 m");
}

TEST(ReachWithLimb, ReachesAPlaceAloneWithWhatFollowsTheMidKept) {
  const Skeleton skeleton = human_arm();
  const Limber arm{"arm", human_arm(), skeleton.find("hand")};
  Random random(5);
  for (int i = 0; i < 500; ++i) {
    const std::vector<Real> q = random_pose(skeleton, random);
    const Wanted wanted = wanted_by(arm, q);
    std::vector<Real> found = q;
    for (const char* joint : {"shoulder", "elbow"}) {
      const JointId j = skeleton.find(joint);
      const std::vector<Real> other = random_pose(skeleton, random);
      std::copy_n(other.data() + skeleton.q_offset(j), q_size(skeleton.type(j)),
                  found.data() + skeleton.q_offset(j));
    }
    const LimbReport report = reach(arm, wanted, {.tests = 1000}, found, {}, false);
    ASSERT_TRUE(report.reached()) << describe(skeleton, report);
    const Pose hand = poses(skeleton, found)[arm.end];
    EXPECT_LT((hand * wanted.reach.point_in_joint - wanted.reach.target).norm(), 1e-12);
    EXPECT_EQ(found[skeleton.q_offset(skeleton.find("forearm"))],
              q[skeleton.q_offset(skeleton.find("forearm"))]);
  }
}

TEST(ReachWithLimb, TakesEitherWayUpOfASymmetricEnd) {
  const Skeleton skeleton = human_arm();
  const Limber arm{"arm", human_arm(), skeleton.find("hand")};
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    const std::vector<Real> q = random_pose(skeleton, random);
    Wanted wanted = wanted_by(arm, q);
    wanted.orient.symmetric = true;
    wanted.orient.symmetry_axis = Vec3::UnitX();
    wanted.orient.target = wanted.orient.target * axis_angle(Vec3::UnitX(), pi);
    std::vector<Real> found = other_start(arm, q, random);
    const LimbReport report = reach(arm, wanted, {.tests = 3000}, found);
    ASSERT_TRUE(report.reached()) << describe(skeleton, report);
    EXPECT_LT(residual(wanted.orient, poses(skeleton, found)[arm.end]), 1e-12);
  }
}

/// Forbids the mid beyond a plane.
struct Wall {
  JointId mid;
  Vec3 normal;
  Real at;
  int asked = 0, end_asked = 0;
  static Clash clash(void* self, std::span<const Pose> world) noexcept {
    Wall& wall = *static_cast<Wall*>(self);
    ++wall.asked;
    return wall.normal.dot(world[wall.mid].p) > wall.at ? Clash{7, 9} : Clash{};
  }
  static Clash clash_of_end(void* self, std::span<const Pose>) noexcept {
    ++static_cast<Wall*>(self)->end_asked;
    return {};
  }
};

TEST(SwivelSearch, ReturnsTheNearestSwivelThatATestAllows) {
  const Skeleton skeleton = paper_arm();
  const Limber limber{"paper", paper_arm(), skeleton.find("end")};
  const Wanted wanted{{.joint = limber.end, .target = {0.1, 0.2, 0.3}}, {.joint = limber.end}};
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  Wall wall{limber.limb.mid, Vec3::UnitY(), 0.05};
  const PoseTest test{&wall, Wall::clash, Wall::clash_of_end};
  for (Real preferred = -3; preferred < 3; preferred += 0.1) {
    std::copy(skeleton.neutral().begin(), skeleton.neutral().end(), q.begin());
    wall.asked = wall.end_asked = 0;
    const LimbReport report = reach(limber, wanted, {.preferred = preferred}, q, test);
    ASSERT_TRUE(report.reached());
    EXPECT_EQ(wall.end_asked, 1);
    EXPECT_LE(wall.asked, 80);
    // The nearest by brute force.
    Real nearest = infinity;
    for (Real offset = -pi; offset < pi; offset += 1e-3) {
      std::vector<Real> other(q);
      const LimbReport fixed = reach(limber, wanted, {.preferred = preferred + offset}, other);
      ASSERT_TRUE(fixed.reached());
      if (poses(skeleton, other)[limber.limb.mid].p.y() <= wall.at)
        nearest = std::min(nearest, std::abs(offset));
    }
    EXPECT_NEAR(std::abs(wrap_angle(report.swivel - preferred)), nearest, 2e-3);
  }
}

TEST(SwivelSearch, KeepsToItsWindowAndSaysWhatIsInTheWay) {
  const Skeleton skeleton = paper_arm();
  const Limber limber{"paper", paper_arm(), skeleton.find("end")};
  const Wanted wanted{{.joint = limber.end, .target = {0.1, 0.2, 0.3}}, {.joint = limber.end}};
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  Wall wall{limber.limb.mid, Vec3::UnitY(), -10};
  const LimbReport report =
      reach(limber, wanted, {.preferred = 0.3}, q, {&wall, Wall::clash, nullptr});
  EXPECT_EQ(report.fault, LimbFault::clash);
  EXPECT_EQ(report.clash.a, 7);
  EXPECT_EQ(report.clash.b, 9);
  EXPECT_LE(wall.asked, 64);

  const Skeleton arm_skeleton = human_arm();
  const Limber arm{"arm", human_arm(), arm_skeleton.find("hand")};
  Random random(8);
  int found = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<Real> pose = random_pose(arm_skeleton, random);
    std::vector<Real> out = other_start(arm, pose, random);
    const SwivelSearch search{.preferred = random.uniform(-0.4, 0.9), .lo = -0.4, .hi = 0.9};
    const LimbReport windowed = reach(arm, wanted_by(arm, pose), search, out);
    if (!windowed.reached()) continue;
    ++found;
    EXPECT_GE(windowed.swivel, -0.4 - 1e-12);
    EXPECT_LE(windowed.swivel, 0.9 + 1e-12);
  }
  EXPECT_GT(found, 50);
}

TEST(SwivelSearch, VerdictsWithoutTrigonometryAreTheExactOnes) {
  for (const Limber& limber : limbs_to_try()) {
    SCOPED_TRACE(limber.name);
    Random random(9);
    int unsure = 0;
    for (int i = 0; i < 20000; ++i) {
      const Socket& socket = random.chance(0.5) ? limber.limb.base : limber.limb.end;
      const Quat rotation = random.rotation();
      std::vector<Real> q = random_pose(limber.skeleton, random);
      const Verdict verdict = quick_verdict(socket, socket.left * rotation * socket.right);
      write(socket, limber.skeleton, rotation, std::vector<Real>(q), q);
      bool exact = true;
      for (int k = 0; k < socket.joint_count(); ++k)
        exact = exact && joint_inside_limits(limber.skeleton, socket.joints[k],
                                             q.data() + limber.skeleton.q_offset(socket.joints[k]));
      unsure += verdict == Verdict::unsure;
      EXPECT_TRUE(verdict == Verdict::unsure || (verdict == Verdict::inside) == exact);
      EXPECT_LT(angle_between(read(socket, limber.skeleton, q), rotation), 1e-12);
    }
    EXPECT_LT(unsure, 200);
  }
}

TEST(TwoBone, PutsTheEndInPlaceAndTheMidTowardsThePole) {
  for (const Limber& limber : limbs_to_try()) {
    SCOPED_TRACE(limber.name);
    Random random(10);
    const Skeleton& skeleton = limber.skeleton;
    for (int i = 0; i < 500; ++i) {
      std::vector<Real> q = random_pose(skeleton, random);
      const Pose base = world_from_base(limber.limb, poses(skeleton, q));
      const Real reach_of =
          limber.limb.upper_length() * 0.2 + random.share() * limber.limb.lower_length();
      const Vec3 place = reach_of * random.direction(), pole = random.direction();
      two_bone(limber.limb, skeleton, place, pole, std::vector<Real>(q), q);
      const std::vector<Pose> world = poses(skeleton, q);
      const Vec3 end = inverse(base) * (world[limber.limb.joint] * limber.limb.end_point);
      EXPECT_LT((end - place).norm(), 1e-12);
      const Vec3 mid = inverse(base) * world[limber.limb.mid].p, line = place.normalized();
      const Vec3 off = mid - line * line.dot(mid), wanted = pole - line * line.dot(pole);
      EXPECT_GT(off.normalized().dot(wanted.normalized()), 1 - 1e-9);
    }
  }
}

TEST(ReachWithLimb, AllocatesNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer owns the allocator";
  const std::vector<Limber> limbs = limbs_to_try();
  for (const Limber& limber : limbs) {
    Random random(11);
    const std::vector<Real> q = random_pose(limber.skeleton, random);
    Wanted wanted = wanted_by(limber, q);
    Scratch scratch(reach_scratch_bytes(limber.skeleton));
    std::vector<Real> found = other_start(limber, q, random);
    const long before = allocations();
    (void)reach_with_limb(limber.limb, limber.skeleton, wanted.reach, &wanted.orient, {}, {},
                          scratch, found);
    wanted.reach.target *= 10;
    (void)reach_with_limb(limber.limb, limber.skeleton, wanted.reach, &wanted.orient, {}, {},
                          scratch, found);
    EXPECT_EQ(allocations() - before, 0);
  }
}

// A hand dragged to and fro over a fine grid. The swivel is the one nearest to the preferred one,
// so where it jumps there must be no way round: the swivels between must be closed.
TEST(FollowWithLimb, JumpsOnlyWhereItMustAndSaysSo) {
  const Skeleton skeleton = human_arm();
  const Limber arm{"arm", human_arm(), skeleton.find("hand")};
  Scratch scratch(reach_scratch_bytes(skeleton));
  Random random(12);
  constexpr Real most_turn = 0.05;
  int frames = 0, jumps = 0;
  for (int path = 0; path < 40; ++path) {
    std::vector<Real> q = random_pose(skeleton, random);
    const Wanted from = wanted_by(arm, q), to = wanted_by(arm, random_pose(skeleton, random));
    constexpr int steps = 400;
    for (int i = 1; i <= steps; ++i) {
      const Real share = static_cast<Real>(i) / steps;
      Wanted now = from;
      now.reach.target += share * (to.reach.target - from.reach.target);
      now.orient.target = from.orient.target.slerp(share, to.orient.target);
      const std::vector<Real> before = q;
      const Real swivel = swivel_of(arm.limb, skeleton, q);
      const LimbReport report =
          follow_with_limb(arm.limb, skeleton, now.reach, &now.orient,
                           {.preferred = 0, .tests = 2000}, most_turn, {}, scratch, q);
      EXPECT_TRUE(inside_limits(skeleton, q));
      if (!report.reached()) break;
      ++frames;
      const Real turned = std::abs(wrap_angle(report.swivel - swivel));
      EXPECT_EQ(report.jumped, turned > most_turn + 1e-9);
      jumps += report.jumped;
      if (!report.jumped) continue;
      // Everything nearer than where it went must be closed: no swivel within most_turn will do.
      for (Real offset = -most_turn; offset <= most_turn; offset += most_turn / 50) {
        std::vector<Real> other = before;
        const LimbReport fixed = reach(arm, now, {.preferred = swivel + offset, .tests = 1}, other);
        EXPECT_FALSE(fixed.reached()) << "it could have stayed";
      }
    }
  }
  EXPECT_GT(frames, 4000);
  EXPECT_LT(jumps, frames / 50);
}

TEST(FollowWithLimb, GoesTowardsThePreferredSwivelAndStopsBeforeAWall) {
  const Skeleton skeleton = paper_arm();
  const Limber limber{"paper", paper_arm(), skeleton.find("end")};
  const Wanted wanted{{.joint = limber.end, .target = {0.1, 0.2, 0.3}}, {.joint = limber.end}};
  std::vector<Real> q(skeleton.neutral().begin(), skeleton.neutral().end());
  ASSERT_TRUE(reach(limber, wanted, {.preferred = -1.5}, q).reached());
  Scratch scratch(reach_scratch_bytes(skeleton));
  Wall wall{limber.limb.mid, Vec3::UnitY(), 0};
  wall.at = poses(skeleton, q)[limber.limb.mid].p.y() + 0.05;
  Real last = -1.5;
  for (int frame = 0; frame < 100; ++frame) {
    const LimbReport report =
        follow_with_limb(limber.limb, skeleton, wanted.reach, &wanted.orient, {.preferred = 1.5},
                         0.1, {&wall, Wall::clash, nullptr}, scratch, q);
    ASSERT_TRUE(report.reached());
    EXPECT_FALSE(report.jumped);
    EXPECT_LE(std::abs(wrap_angle(report.swivel - last)), 0.1 + 1e-9);
    EXPECT_LE(poses(skeleton, q)[limber.limb.mid].p.y(), wall.at);
    last = report.swivel;
  }
  EXPECT_GT(poses(skeleton, q)[limber.limb.mid].p.y(), wall.at - 0.01);
}

}  // namespace
}  // namespace gestik
