#include "gestik/model/spread.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "gestik/model/random_skeleton_for_test.h"

namespace gestik {
namespace {

std::vector<Real> spread(const Skeleton& skeleton, std::uint32_t index) {
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  spread_pose(skeleton, index, q);
  return q;
}

RC_GTEST_PROP(Spread, EveryPoseIsInsideTheLimits, (const SkeletonSeed& seed)) {
  Random random(seed.seed);
  const Skeleton skeleton = random_skeleton(random, seed.joints);
  for (const std::uint32_t index : {0u, 1u, 2u, 3u, 1000u, 0xffffffffu}) {
    const std::vector<Real> q = spread(skeleton, index);
    RC_ASSERT(inside_limits(skeleton, q));
    RC_ASSERT(same_bits(q, spread(skeleton, index)));
  }
}

Skeleton hinges(int count) {
  SkeletonDraft draft;
  for (int i = 0; i < count; ++i)
    draft.joints.push_back({.name = numbered("j", i),
                            .parent = i == 0 ? "" : numbered("j", i - 1),
                            .type = JointType::hinge,
                            .limits = {.lo = 0, .hi = 4}});
  return *build(draft);
}

TEST(Spread, EveryPairOfJointsIsCoveredEvenly) {
  constexpr int joints = 40, poses = 1600, cells = 4;
  const Skeleton skeleton = hinges(joints);
  std::vector<std::vector<Real>> all;
  for (std::uint32_t i = 0; i < poses; ++i) all.push_back(spread(skeleton, i));
  for (int a = 0; a < joints; ++a)
    for (int b = a + 1; b < joints; ++b) {
      std::array<int, cells * cells> hits{};
      for (const std::vector<Real>& q : all)
        ++hits[static_cast<std::size_t>(q[a]) * cells + static_cast<std::size_t>(q[b])];
      for (const int hit : hits) EXPECT_NEAR(hit, poses / (cells * cells), 50) << a << ", " << b;
    }
}

TEST(Spread, AFewPosesReachAllOverARange) {
  const Skeleton skeleton = hinges(7);
  for (int j = 0; j < 7; ++j) {
    std::array<int, 4> hits{};
    for (std::uint32_t i = 0; i < 16; ++i) ++hits[static_cast<std::size_t>(spread(skeleton, i)[j])];
    for (const int hit : hits) EXPECT_GE(hit, 2) << j;
  }
}

TEST(Spread, WhatHasNoEndStaysNear) {
  const Skeleton skeleton = *build(
      {{{.name = "turn", .type = JointType::hinge},
        {.name = "rail", .parent = "turn", .type = JointType::slider},
        {.name = "from", .parent = "rail", .type = JointType::slider, .limits = {.lo = 5}}}});
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::vector<Real> q = spread(skeleton, i);
    EXPECT_LE(std::abs(q[0]), pi);
    EXPECT_LE(std::abs(q[1]), 1);
    EXPECT_LE(std::abs(q[2] - 6), 1);
  }
}

}  // namespace
}  // namespace gestik
