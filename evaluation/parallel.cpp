#include "evaluation/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace gestik::evaluation {

int available_threads() {
  return tbb::info::default_concurrency();
}

void for_each_task(std::size_t tasks, int threads,
                   const std::function<void(std::size_t task, std::size_t worker)>& body) {
  // The control allows more threads than there are cores, the arena holds to the number.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([&] {
    tbb::parallel_for(
        std::size_t{0}, tasks,
        [&](std::size_t task) {
          body(task, static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()));
        },
        tbb::simple_partitioner());
  });
}

}  // namespace gestik::evaluation
