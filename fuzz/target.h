#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "gestik/io/read.h"
#include "gestik/model/kinematics.h"

/// What every fuzz target shares. A reader may refuse anything; what it lets through must be sound.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gestik::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Stops the program, so that the fuzzer keeps the input.
[[noreturn]] inline void fail(const std::string& what) {
  std::cerr << "unsound: " << what << '\n';
  std::abort();
}

inline void require_sound(const Loaded& loaded) {
  const Character& character = loaded.character;
  const Skeleton& skeleton = character.skeleton;
  if (auto fault = check(character)) fail(to_string(*fault));
  for (const Clip& clip : loaded.clips)
    if (auto fault = check(clip, skeleton)) fail(to_string(*fault));
  if (!inside_limits(skeleton, skeleton.neutral())) fail("neutral pose outside the limits");
  (void)poses(skeleton, skeleton.neutral());
}

}  // namespace gestik::fuzz
