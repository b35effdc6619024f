#include "gestik/motion/passes.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "gestik/learn/motions_for_test.h"
#include "gestik/measure/allocations.h"

namespace gestik {
namespace {

using namespace test;

struct Arm {
  learn::Chain chain = small_chain();
  learn::Take take = small_take(chain, 300);
  learn::Model model = *learn::learn(chain, std::vector{small_take(chain, 300, 0.05)});
  AnySolver solver = Learnt{.model = &model};
  std::vector<Vec3> path = path_of(chain, take.q);

  PassTask task() const {
    return {.solver = solver,
            .skeleton = chain.skeleton,
            .joint = chain.end(),
            .point = chain.point,
            .rate = 120};
  }
};

void run_backwards(std::size_t blocks, const std::function<void(std::size_t)>& body) {
  for (std::size_t b = blocks; b-- > 0;) body(b);
}

void run_on_threads(std::size_t blocks, const std::function<void(std::size_t)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t b = t; b < blocks; b += 3) body(b);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Passes, EveryFrameIsInPlaceAndTheMotionIsSmooth) {
  const Arm arm;
  const Result<std::vector<Real>> q = follow_path(arm.task(), arm.path);
  ASSERT_TRUE(q.ok());
  const std::vector<Vec3> reached = path_of(arm.chain, *q);
  for (std::size_t f = 0; f < arm.path.size(); ++f)
    EXPECT_LE((reached[f] - arm.path[f]).norm(), 1e-3) << f;
  for (std::size_t i = 12; i < q->size(); ++i) EXPECT_NEAR((*q)[i], (*q)[i - 12], 0.05);
}

TEST(Passes, TheOrderOfBlocksAndThreadsChangeNoBit) {
  const Arm arm;
  const std::vector<Real> q = *follow_path(arm.task(), arm.path);
  EXPECT_EQ(*follow_path(arm.task(), arm.path, run_backwards), q);
  EXPECT_EQ(*follow_path(arm.task(), arm.path, run_on_threads), q);
}

TEST(Passes, AStreamGivesTheSameBitsAtItsLatency) {
  const Arm arm;
  for (const int frames : {1, 2, 15, 40, 300}) {
    const std::span<const Vec3> path = std::span(arm.path).first(static_cast<std::size_t>(frames));
    const std::vector<Real> whole = *follow_path(arm.task(), path);
    Result<PassStream> stream = PassStream::make(arm.task());
    ASSERT_TRUE(stream.ok());
    EXPECT_EQ(stream->latency(), 1 + 10 + 2 * 4);
    std::vector<Real> q, pose(12);
    for (int f = 0; f < frames; ++f) {
      const bool came = stream->push(path[static_cast<std::size_t>(f)], pose);
      EXPECT_EQ(came, f >= stream->latency());
      if (came) q.insert(q.end(), pose.begin(), pose.end());
    }
    while (stream->drain(pose)) q.insert(q.end(), pose.begin(), pose.end());
    EXPECT_EQ(q, whole) << frames << " frames";
  }
}

TEST(Passes, AStreamAllocatesNothingOnceMade) {
  if (!can_count_allocations()) GTEST_SKIP() << "the sanitizer owns the allocator";
  const Arm arm;
  Result<PassStream> stream = PassStream::make(arm.task());
  std::vector<Real> pose(12);
  const long before = allocations();
  for (const Vec3& target : arm.path) (void)stream->push(target, pose);
  EXPECT_EQ(allocations(), before);
}

TEST(Passes, AnySolverTakesThePlaceOfLearnt) {
  const Arm arm;
  for (const AnySolver& solver : all_solvers()) {
    PassTask task{.solver = solver,
                  .skeleton = arm.chain.skeleton,
                  .joint = arm.chain.end(),
                  .point = arm.chain.point};
    const Result<std::vector<Real>> q = follow_path(task, std::span(arm.path).first(60));
    const SolverInfo& info = info_of(solver);
    if (!info.reach || !info.ball) {
      EXPECT_FALSE(q.ok()) << info.name;
      continue;
    }
    if (!q.ok()) continue;  // a chain of another shape, by the solver's own word
    const std::vector<Vec3> reached = path_of(arm.chain, *q);
    std::size_t in_place = 0;
    for (std::size_t f = 0; f < reached.size(); ++f)
      in_place += (reached[f] - arm.path[f]).norm() <= 1e-3;
    EXPECT_GE(in_place, 55U) << info.name;
  }
}

TEST(Passes, APathFarOutsideNeverBecomesNaN) {
  const Arm arm;
  std::vector<Vec3> path;
  for (int f = 0; f < 60; ++f)
    path.push_back(f % 20 == 0 ? Vec3(1e20, -1e20, 5) : Vec3(f, -f, 0.1 * f));
  const std::vector<Real> q = *follow_path(arm.task(), path);
  for (const Real x : q) EXPECT_TRUE(std::isfinite(x));
  for (std::size_t f = 0; f < path.size(); ++f)
    EXPECT_TRUE(inside_limits(arm.chain.skeleton, ConstQ(q).subspan(12 * f, 12)));
}

TEST(Passes, RefuseWhatMakesNoSense) {
  const Arm arm;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Vec3> path = arm.path;
  path[7].y() = nan;
  const auto refused = follow_path(arm.task(), path);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(to_string(refused.error()).find("frame 7"), std::string::npos);
  PassTask stopped = arm.task(), astray = arm.task(), narrow = arm.task();
  stopped.rate = 0;
  astray.joint = 3;
  narrow.settings.correct = 0;
  for (const PassTask* task : {&stopped, &astray, &narrow}) {
    EXPECT_FALSE(follow_path(*task, arm.path).ok());
    EXPECT_FALSE(PassStream::make(*task).ok());
  }
  EXPECT_TRUE(follow_path(arm.task(), {})->empty());
}

TEST(Passes, AStreamPassesOverTargetsThatAreNoNumbers) {
  const Arm arm;
  Result<PassStream> stream = PassStream::make(arm.task());
  std::vector<Real> pose(12);
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (int f = 0; f < 100; ++f) {
    const Vec3& target = arm.path[static_cast<std::size_t>(f)];
    if (!stream->push(f % 3 == 0 ? Vec3(nan, 0, 0) : target, pose)) continue;
    for (const Real x : pose) ASSERT_TRUE(std::isfinite(x));
  }
}

}  // namespace
}  // namespace gestik
