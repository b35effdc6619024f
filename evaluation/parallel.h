#pragma once

#include <cstddef>
#include <functional>

/// The one header through which the project runs things side by side (oneTBB behind it).
namespace gestik::evaluation {

/// As many as the machine runs at once.
int available_threads();

/// body(task, worker) for every task in [0, tasks), on so many threads, in any order. No two calls
/// with the same worker, a number in [0, threads), run at the same time: it can index what a
/// thread needs for itself. Tasks should take a tenth of a millisecond or more.
void for_each_task(std::size_t tasks, int threads,
                   const std::function<void(std::size_t task, std::size_t worker)>& body);

}  // namespace gestik::evaluation
