#pragma once

namespace gestik {

// Counts what a program asks of the heap. Only programs that link `gestik_allocations` have these
// two: it stands in front of the C library's allocator, which a library must not do to its users.

/// Whether this build can count: a sanitizer brings its own allocator.
bool can_count_allocations() noexcept;

/// How often this thread has asked the heap for memory since it started.
long allocations() noexcept;

}  // namespace gestik
