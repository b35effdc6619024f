#include "gestik/measure/allocations.h"

#include <cerrno>
#include <cstddef>

namespace {
thread_local long count = 0;
}

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)

bool gestik::can_count_allocations() noexcept {
  return false;
}

#else

// Stands in front of the C library's allocator, so operator new, Eigen and everything else is seen.
// free is here as well, so that memory goes back to where it came from whoever else stands in line.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

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
void* memalign(std::size_t alignment, std::size_t size) {
  ++count;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  void* const made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *memory = made;
  return 0;
}
void free(void* memory) {
  __libc_free(memory);
}
}

bool gestik::can_count_allocations() noexcept {
  return true;
}

#endif

long gestik::allocations() noexcept {
  return count;
}
