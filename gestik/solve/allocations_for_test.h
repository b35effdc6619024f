#pragma once

namespace gestik::test {

/// Whether this build can count (a sanitizer brings its own allocator).
bool can_count_allocations();

/// How often this thread has asked the heap for memory since it started.
long allocations();

}  // namespace gestik::test
