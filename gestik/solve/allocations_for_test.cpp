#include "gestik/solve/allocations_for_test.h"

#include <cstddef>

namespace {
thread_local long count = 0;
}

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)

namespace gestik::test {
bool can_count_allocations() {
  return false;
}
}  // namespace gestik::test

#else

// Stands in front of the C library's allocator, so operator new, Eigen and everything else is seen.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++count;
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  ++count;
  return __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) {
  ++count;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
}

namespace gestik::test {
bool can_count_allocations() {
  return true;
}
}  // namespace gestik::test

#endif

long gestik::test::allocations() {
  return count;
}
