#pragma once

#include <span>
#include <string_view>

namespace gestik {

/// A file of characters/ or behaviours/, built into the library by cmake/embed.cmake.
struct BundledFile {
  std::string_view name;  ///< without its ending
  std::string_view text;
};

/// The characters, in the order of their names.
std::span<const BundledFile> bundled_files() noexcept;

/// The behaviours, in the order of their names.
std::span<const BundledFile> bundled_behaviours() noexcept;

}  // namespace gestik
