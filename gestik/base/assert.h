#pragma once

namespace gestik {

/// Called when the library catches its caller in a mistake that no input can excuse (reading the
/// value of a failed Result, a scratch that was never sized). The default prints the place to
/// standard error; whatever a hook does, the program is stopped when it returns.
using AssertHook = void (*)(const char* expression, const char* file, int line);

/// Installs a hook and returns the one before it; nullptr brings the default back.
AssertHook set_assert_hook(AssertHook) noexcept;

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line) noexcept;

}  // namespace gestik

/// Always on: it guards programming errors in cold places, never data and never a hot loop.
#define GESTIK_ASSERT(expression) \
  ((expression) ? (void)0 : ::gestik::assertion_failed(#expression, __FILE__, __LINE__))
