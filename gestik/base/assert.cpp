#include "gestik/base/assert.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace gestik {
namespace {

void print_and_return(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "gestik: %s:%d: this must hold: %s\n", file, line, expression);
}

std::atomic<AssertHook> hook{print_and_return};

}  // namespace

AssertHook set_assert_hook(AssertHook replacement) noexcept {
  return hook.exchange(replacement ? replacement : print_and_return);
}

void assertion_failed(const char* expression, const char* file, int line) noexcept {
  hook.load()(expression, file, line);
  std::abort();
}

}  // namespace gestik
