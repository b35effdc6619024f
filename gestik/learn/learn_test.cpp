#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "gestik/learn/blend.h"
#include "gestik/learn/file.h"
#include "gestik/learn/motions_for_test.h"
#include "gestik/math/random_for_test.h"
#include "gestik/model/joint_ops.h"

namespace gestik::learn {
namespace {

using namespace test;

bool mentions(const Error& error, std::string_view text) {
  return to_string(error).find(text) != std::string::npos;
}

// Chains

TEST(LearnChain, IsTheJointsBetweenTwoOnTheirOwn) {
  const Chain chain = small_chain();
  ASSERT_EQ(chain.skeleton.joint_count(), 3);
  EXPECT_EQ(chain.skeleton.name(0), "trunk");
  EXPECT_EQ(chain.skeleton.name(2), "elbow");
  EXPECT_EQ(chain.point, Vec3(-0.25, 0, 0)) << "where the elbow's first child sits";
}

TEST(LearnChain, RefusesByName) {
  const Skeleton body = small_body();
  EXPECT_TRUE(mentions(chain_between(body, "trunkk", "elbow").error(), "did you mean 'trunk'"));
  EXPECT_TRUE(mentions(chain_between(body, "other", "elbow").error(), "'other'"));
  EXPECT_TRUE(mentions(chain_between(body, "trunk", "wrist").error(), "'wrist'"))
      << "nothing is attached to it";
  EXPECT_TRUE(chain_between(body, "trunk", "wrist", Vec3(0, 0.1, 0)).ok());
}

TEST(LearnChain, FitsItsOwnBodyOnly) {
  const Chain chain = small_chain();
  EXPECT_EQ(*find_chain(chain, small_body()), (std::vector<JointId>{1, 2, 3}));

  SkeletonDraft longer = draft_of(small_body());
  longer.joints[3].parent_from_joint.p.x() = -0.31;
  EXPECT_TRUE(mentions(find_chain(chain, *build(longer)).error(), "'elbow'"));
  EXPECT_TRUE(find_alike(chain, *build(longer)).ok());

  SkeletonDraft renamed = draft_of(small_body());
  renamed.joints[2].name = renamed.joints[3].parent = "schulter";
  EXPECT_TRUE(mentions(find_chain(chain, *build(renamed)).error(), "'shoulder'"));
  EXPECT_FALSE(find_alike(chain, *build(renamed)).ok());

  SkeletonDraft hinged = draft_of(small_body());
  hinged.joints[3].type = JointType::hinge;
  EXPECT_TRUE(mentions(find_alike(chain, *build(hinged)).error(), "hinge"));
}

TEST(LearnChain, KnowsARestPosePutBeforeAMotion) {
  const Skeleton body = small_body();
  Clip clip = clip_for(body, "clip", 120);
  const auto add = [&](Real angle) {
    for (JointId j = 0; j < body.joint_count(); ++j) {
      const Quat q = axis_angle(Vec3::UnitX(), angle);
      if (body.type(j) == JointType::ball)
        clip.values.insert(clip.values.end(), {q.w(), q.x(), q.y(), q.z()});
      else
        clip.values.push_back(angle);
    }
  };
  add(0), add(0.2), add(0.3);
  EXPECT_TRUE(starts_with_rest_pose(body, clip));
  clip.values.erase(clip.values.begin(), clip.values.begin() + body.q_size());
  add(0.4);
  EXPECT_FALSE(starts_with_rest_pose(body, clip));
}

// Means

TEST(LearnBlend, CountsHingesOnTheCircleAndQuaternionsWithoutSign) {
  SkeletonDraft draft;
  draft.joints.push_back({.name = "turn", .type = JointType::hinge});
  draft.joints.push_back({.name = "ball", .parent = "turn", .type = JointType::ball});
  const Skeleton skeleton = *build(draft);
  const auto pose = [](Real angle, Real tilt, Real sign) {
    const Quat q = axis_angle(Vec3::UnitX(), tilt);
    return std::vector<Real>{angle, sign * q.w(), sign * q.x(), sign * q.y(), sign * q.z()};
  };
  const std::vector<Real> a = pose(pi - 0.1, 0.2, 1), b = pose(-pi + 0.1, 0.4, -1);
  std::vector<Real> sum(5, 0), mean(5), v(4);
  add_to_blend(skeleton, a, a, 1, sum);
  add_to_blend(skeleton, a, b, 1, sum);
  finish_blend(skeleton, a, sum, 2, mean);
  EXPECT_NEAR(wrap_angle(mean[0] - pi), 0, 1e-12);
  EXPECT_NEAR(angle_between(load_quat(&mean[1]), axis_angle(Vec3::UnitX(), 0.3)), 0, 1e-9);
  offset_between(skeleton, a, b, v);
  EXPECT_NEAR(v[0], 0.2, 1e-12);
  EXPECT_NEAR(v[1], 0.2, 1e-12);
  chord_between(skeleton, a, b, v);
  EXPECT_NEAR(v[1], 2 * std::sin(0.1), 1e-12);
}

TEST(LearnBlend, OppositeRotationsStayAtTheReference) {
  SkeletonDraft draft;
  draft.joints.push_back({.name = "ball", .type = JointType::ball});
  const Skeleton skeleton = *build(draft);
  const std::vector<Real> reference{1, 0, 0, 0};
  std::vector<Real> out(4), none(4, 0);
  finish_blend(skeleton, reference, none, 0, out);
  EXPECT_EQ(out, reference);
}

// The tree

std::vector<Sighting> random_sightings(int count, Random& random) {
  std::vector<Sighting> points;
  for (int i = 0; i < count; ++i) {
    Sighting point;
    for (float& x : point.place) x = static_cast<float>(random.uniform(-1, 1));
    for (float& x : point.velocity) x = static_cast<float>(random.uniform(-5, 5));
    if (random.chance(0.1) && !points.empty()) point = points.front();  // twins
    points.push_back(point);
  }
  return points;
}

TEST(LearnOctree, EveryLevelKeepsItsPointsAndSplitsAtTwenty) {
  Random random(3);
  const std::vector<Sighting> points = random_sightings(3000, random);
  const Octree tree(points, {});
  std::size_t deepest = 0;
  for (const Octree::Cell& cell : tree.cells()) {
    deepest = std::max<std::size_t>(deepest, cell.level);
    std::uint32_t at = cell.first;
    for (int c = 0; c < cell.child_count; ++c) {
      const Octree::Cell& child = tree.cells()[cell.children + static_cast<std::uint32_t>(c)];
      EXPECT_EQ(child.first, at);
      EXPECT_EQ(child.level, cell.level + 1);
      at = child.last;
    }
    const bool is_leaf = cell.child_count == 0;
    EXPECT_TRUE(is_leaf || at == cell.last);
    EXPECT_TRUE(!is_leaf || cell.last - cell.first <= 20 || cell.level == 5 || cell.lo == cell.hi);
  }
  EXPECT_LE(deepest, 5U);
}

TEST(LearnOctree, FindsTheNearestAsASearchThroughAllDoes) {
  Random random(5);
  for (const int count : {1, 5, 21, 700}) {
    const std::vector<Sighting> points = random_sightings(count, random);
    const Octree tree(points, {});
    for (int trial = 0; trial < 50; ++trial) {
      const Vec3 place =
          2 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      const Vec3 velocity(random.uniform(-5, 5), random.uniform(-5, 5), random.uniform(-5, 5));
      const Real time = trial % 2 == 0 ? 0.1 : 0;
      std::vector<std::pair<Real, std::uint32_t>> all;
      for (std::uint32_t i = 0; i < points.size(); ++i) {
        Real d = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const Real p = Real(points[i].place[k]) - place[static_cast<int>(k)];
          d += p * p;
        }
        for (std::size_t k = 0; k < 3; ++k) {
          const Real v = Real(points[i].velocity[k]) - velocity[static_cast<int>(k)];
          d += time * time * v * v;
        }
        all.emplace_back(d, i);
      }
      std::sort(all.begin(), all.end());
      std::vector<Octree::Neighbour> found(12);
      const std::size_t near = tree.nearest(points, place, velocity, time, found);
      ASSERT_EQ(near, std::min<std::size_t>(12, points.size()));
      for (std::size_t i = 0; i < near; ++i) {
        EXPECT_EQ(found[i].point, all[i].second);
        EXPECT_NEAR(found[i].distance2, all[i].first, 1e-12);
      }
    }
  }
}

TEST(LearnOctree, APlaceOutsideIsTheBoxsNearestAndAnEmptyOctantPopsUp) {
  std::vector<Sighting> points;
  for (int i = 0; i < 30; ++i) {  // two opposite corners only
    const float at = i % 2 == 0 ? 0.0F : 1.0F;
    points.push_back({{at, at, at + 0.001F * static_cast<float>(i)}, {}});
  }
  const Octree tree(points, {});
  EXPECT_GT(tree.cells()[tree.cell_at({0, 0, 0}, 5)].level, 0);
  EXPECT_EQ(tree.cell_at({-9, -9, -9}, 5), tree.cell_at({0, 0, 0}, 5));
  EXPECT_EQ(tree.cell_at({1, 0, 0}, 5), 0U) << "nobody was there";
  EXPECT_EQ(tree.cell_at({0, 0, 0}, 0), 0U);
}

// What is learnt

TEST(LearnModel, CellsHoldTheirPosesBetweenTheirLimits) {
  const Chain chain = small_chain();
  const Model model = *learn(chain, std::vector{small_take(chain, 600)});
  const Style& style = model.styles.front();
  std::vector<Real> q(12), mean(12), v(9);
  for (std::size_t c = 0; c < style.tree.cells().size(); ++c) {
    const Model::CellView view = model.cell(style, c);
    std::copy(view.mean.begin(), view.mean.end(), mean.begin());
    for (std::uint32_t i = style.tree.cells()[c].first; i < style.tree.cells()[c].last; ++i) {
      model.pose(style, style.tree.order()[i], q);
      offset_between(chain.skeleton, mean, q, v);
      for (std::size_t k = 0; k < 9; ++k) {
        EXPECT_GE(v[k], Real(view.lo[k]) - 1e-5);
        EXPECT_LE(v[k], Real(view.hi[k]) + 1e-5);
      }
    }
    for (const float damping2 : view.damping2) EXPECT_GE(damping2, 0.99e-6F);
  }
}

TEST(LearnModel, ConstantFramesAndASingleOneDivideByNothing) {
  const Chain chain = small_chain();
  Take still = small_take(chain, 1);
  const std::vector<Real> one = still.q;
  for (const int copies : {0, 100}) {
    for (int i = 0; i < copies; ++i) still.q.insert(still.q.end(), one.begin(), one.end());
    const Result<Model> model = learn(chain, std::vector{still});
    ASSERT_TRUE(model.ok());
    for (const float x : model->styles.front().cells) EXPECT_TRUE(std::isfinite(x));
    for (const Sighting& sighting : model->styles.front().sightings)
      for (const float x : sighting.velocity) EXPECT_EQ(x, 0);
  }
}

TEST(LearnModel, RefusesWhatIsNoMotion) {
  const Chain chain = small_chain();
  const Take sound = small_take(chain, 10);
  EXPECT_FALSE(learn(chain, {}).ok());
  Take bad = sound;
  bad.q[15] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_TRUE(mentions(learn(chain, std::vector{sound, bad}).error(), "take 2"));
  EXPECT_TRUE(mentions(learn(chain, std::vector{bad}).error(), "frame 1"));
  bad = sound, bad.q.pop_back();
  EXPECT_FALSE(learn(chain, std::vector{bad}).ok());
  bad = sound, bad.rate = 0;
  EXPECT_FALSE(learn(chain, std::vector{bad}).ok());
  bad = sound, bad.rate = 1e-300;
  EXPECT_FALSE(learn(chain, std::vector{bad}).ok());
  bad = sound, bad.style = "a\x1b[2J";
  EXPECT_TRUE(mentions(learn(chain, std::vector{bad}).error(), "control"));
  bad = sound, std::fill(bad.q.begin(), bad.q.end(), 0);
  EXPECT_TRUE(mentions(learn(chain, std::vector{bad}).error(), "zero quaternion"));
  bad = sound, bad.q.clear();
  EXPECT_FALSE(learn(chain, std::vector{bad}).ok());
  EXPECT_FALSE(learn(chain, std::vector{sound}, {.levels = 0}).ok());
  EXPECT_FALSE(learn(chain, std::vector{sound}, {.split = 0}).ok());
}

TEST(LearnModel, KnowsWhichJointsEverMoved) {
  const Chain chain = small_chain();
  const std::vector<bool> all(3, true);
  EXPECT_EQ(learn(chain, std::vector{small_take(chain, 10)})->moves, all);
  EXPECT_EQ(learn(chain, std::vector{small_take(chain, 1)})->moves, all) << "nothing is known";
  Take still = small_take(chain, 10);
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  const auto at = static_cast<std::size_t>(chain.skeleton.q_offset(1));
  const auto size = static_cast<std::size_t>(q_size(chain.skeleton.type(1)));
  for (std::size_t f = 1; f < 10; ++f)
    for (std::size_t k = 0; k < size; ++k)
      still.q[f * width + at + k] = (f % 2 == 1 && size == 4 ? -1 : 1) * still.q[at + k];
  EXPECT_EQ(learn(chain, std::vector{still})->moves, (std::vector<bool>{true, false, true}));
}

TEST(LearnModel, VelocitiesDoNotReachFromOneTakeIntoTheNext) {
  const Chain chain = small_chain();
  const Take first = small_take(chain, 2), second = small_take(chain, 2, 1);
  const Model model = *learn(chain, std::vector{first, second});
  const Model alone = *learn(chain, std::vector{second});
  for (std::size_t f = 0; f < 2; ++f)
    EXPECT_EQ(model.styles[0].sightings[2 + f].velocity, alone.styles[0].sightings[f].velocity);
}

TEST(LearnModel, HundredThousandFramesTakeLessThanAHundredMegabytes) {
  const Chain chain = small_chain();
  std::vector<Take> takes;
  for (int i = 0; i < 10; ++i) takes.push_back(small_take(chain, 10'000, 0.1 * i));
  const Model model = *learn(chain, takes);
  EXPECT_EQ(model.frame_count(), 100'000U);
  EXPECT_LT(model.bytes(), 100'000'000U);
}

// The file

TEST(LearnFile, ReadsBackTheSameBits) {
  const Chain chain = small_chain();
  const Model model =
      *learn(chain, std::vector{small_take(chain, 50), small_take(chain, 30, 1, "sad"),
                                small_take(chain, 20, 2)});
  const std::string bytes = write_model(model);
  const Result<Model> again = read_model(bytes, "a.learnt");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(write_model(*again), bytes);
  ASSERT_EQ(again->styles.size(), 2U);
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(again->styles[s].name, model.styles[s].name);
    EXPECT_EQ(again->styles[s].cells, model.styles[s].cells);
    EXPECT_EQ(again->styles[s].q, model.styles[s].q);
  }
  EXPECT_TRUE(find_chain(again->chain, small_body()).ok());
}

TEST(LearnFile, EveryCutIsRefusedAndNoDamageHurts) {
  const Chain chain = small_chain();
  const std::string bytes = write_model(*learn(chain, std::vector{small_take(chain, 8)}));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_model(std::string_view(bytes).substr(0, size), "cut").ok()) << size;
  EXPECT_FALSE(read_model(bytes + "x", "longer").ok());
  Random random(9);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = bytes;
    for (int k = 0; k < 3; ++k)
      damaged[static_cast<std::size_t>(random.index(static_cast<int>(bytes.size())))] =
          static_cast<char>(random.index(256));
    (void)read_model(damaged, "damaged").ok();
  }
}

TEST(LearnFile, SaysWhatItIsNot) {
  EXPECT_TRUE(mentions(read_model("HIERARCHY", "a.bvh").error(), "gestik learn"));
  const Chain chain = small_chain();
  std::string bytes = write_model(*learn(chain, std::vector{small_take(chain, 8)}));
  bytes[14] = 9;
  EXPECT_TRUE(mentions(read_model(bytes, "newer").error(), "version 9"));
}

}  // namespace
}  // namespace gestik::learn
