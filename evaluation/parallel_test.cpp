#include "evaluation/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace gestik::evaluation {
namespace {

TEST(ForEachTask, RunsEveryTaskOnceAndNoWorkerTwiceAtOnce) {
  for (const int threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> ran(500), busy(static_cast<std::size_t>(threads));
    std::atomic<bool> clash = false;
    for_each_task(ran.size(), threads, [&](std::size_t task, std::size_t worker) {
      if (worker >= busy.size() || busy[worker]++ != 0) clash = true;
      ++ran[task];
      --busy[worker];
    });
    EXPECT_FALSE(clash);
    for (const std::atomic<int>& times : ran) EXPECT_EQ(times, 1);
  }
  for_each_task(0, 2, [](std::size_t, std::size_t) { FAIL(); });
  EXPECT_GE(available_threads(), 1);
}

}  // namespace
}  // namespace gestik::evaluation
