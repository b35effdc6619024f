#pragma once

#include <span>
#include <string_view>

namespace gestik {

/// A file of characters/, built into the library by cmake/embed.cmake.
struct BundledFile {
  std::string_view name;  ///< without its ending
  std::string_view text;
};

/// In the order of their names.
std::span<const BundledFile> bundled_files() noexcept;

}  // namespace gestik
