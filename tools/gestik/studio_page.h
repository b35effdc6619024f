#pragma once

#include <span>

#include "tools/gestik/server.h"

namespace gestik::tool {

/// The studio's page as it was built (scripts/page), carried inside by cmake/embed_page.cmake.
std::span<const Asset> studio_page() noexcept;

}  // namespace gestik::tool
