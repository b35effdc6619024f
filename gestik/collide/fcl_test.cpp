#include "gestik/collide/fcl.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>
#include <gtest/gtest.h>

#include "gestik/collide/bodies_for_test.h"
#include "gestik/math/random_for_test.h"
#include "gestik/model/kinematics.h"

/// FCL as the oracle: it knows nothing of our code.
namespace gestik {
namespace {

struct Oracle {
  std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> mesh =
      std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();

  explicit Oracle(const MeshTree& tree) {
    mesh->beginModel();
    for (const Triangle& t : tree.triangles()) mesh->addTriangle(t.a, t.b, t.c);
    mesh->endModel();
  }

  bool touches(const Segment& axis, Real radius) const {
    const fcl::Capsuled capsule(radius, (axis.b - axis.a).norm());
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    const Quat turn = shortest_rotation(Vec3::UnitZ(), normalized_or_zero(axis.b - axis.a));
    pose.linear() = turn.toRotationMatrix();
    pose.translation() = (axis.a + axis.b) / 2;
    fcl::CollisionResultd result;
    return fcl::collide(&capsule, pose, mesh.get(), fcl::Transform3d::Identity(),
                        fcl::CollisionRequestd(), result) > 0;
  }
};

TEST(AgainstFcl, capsules_near_a_body_of_12000_triangles_get_the_same_verdicts) {
  const MeshTree tree(torso());
  ASSERT_EQ(tree.triangle_count(), 12'000);
  const Oracle oracle(tree);
  Random random(1);
  int hits = 0, close_calls = 0;
  constexpr int cases = 100'000;
  for (int i = 0; i < cases; ++i) {
    const Vec3 a = random.vector(0.4) + Vec3(0, 0.3, 0);
    const Segment axis{a, a + random.uniform(0.05, 0.35) * random.direction()};
    const Real radius = random.uniform(0.02, 0.07);
    const bool ours = tree.touches(axis, radius), theirs = oracle.touches(axis, radius);
    hits += ours;
    // The grid in front of the tree changes nothing, but that what is inside counts.
    if (ours || i % 50 == 0) {
      const bool inside = !ours && tree.contains(axis.a);
      ASSERT_EQ(tree.overlaps(axis, radius), ours || inside) << i;
    }
    if (ours == theirs) continue;
    // FCL iterates to a tolerance of 1e-6.
    ++close_calls;
    ASSERT_NEAR(tree.distance(axis), radius, 2e-6) << i;
  }
  EXPECT_GT(hits, cases / 10);
  EXPECT_LT(hits, cases * 9 / 10);
  EXPECT_LE(close_calls, 5);
  RecordProperty("hits", hits);
  RecordProperty("close_calls", close_calls);
}

const Skeleton& two_free_bodies() {
  static const Skeleton skeleton = *build(SkeletonDraft{
      {{.name = "root"},
       {.name = "x", .parent = "root", .type = JointType::slider, .axis = Vec3::UnitX()},
       {.name = "turn", .parent = "x", .type = JointType::ball}}});
  return skeleton;
}

/// How far two solids are apart when the second slides to x.
Real apart(const Collider& collider, Real x) {
  const Skeleton& skeleton = two_free_bodies();
  const std::vector<Real> q{x, 1, 0, 0, 0};
  std::vector<Pose> world(3);
  forward(skeleton, q, world);
  Placement placed = placement_for(collider);
  place(collider, world, placed);
  const Real gap = distance(collider, collider.pairs()[0], placed);
  EXPECT_EQ(overlap(collider, collider.pairs()[0], placed), gap == 0) << x;
  return gap;
}

TEST(WithFcl, boxes_and_meshes_can_meet) {
  const Cuboid box{{}, {0.5, 0.5, 0.5}};
  const MeshBody mesh{{}, cube(0.5)};
  const auto collider = [&](auto first, auto second) {
    ColliderDraft draft{.solids = {{"still", 0, first}, {"moves", 2, second}},
                        .may_touch = {},
                        .rest = {5, 1, 0, 0, 0}};
    Result<Collider> built = build(two_free_bodies(), draft, fcl_general_pairs);
    if (!built) throw std::runtime_error(to_string(built.error()));
    return *std::move(built);
  };
  for (const Collider& c :
       {collider(box, box), collider(mesh, mesh), collider(box, mesh), collider(mesh, box)}) {
    ASSERT_EQ(c.pairs().size(), 1u);
    EXPECT_NEAR(apart(c, 3), 2, 1e-5);
    EXPECT_NEAR(apart(c, 1.25), 0.25, 1e-5);
    EXPECT_EQ(apart(c, 0.75), 0);
  }
}

}  // namespace
}  // namespace gestik
