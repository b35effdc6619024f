#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/math/types.h"

/// The pieces that our JSON files are written of.
namespace gestik {

/// The shortest digits that read back as the same double.
std::string json_number(Real);
/// "[1, 2, 3]".
std::string json_numbers(std::span<const Real>);

/// In quotes. A text that is not UTF-8 can't be written: `sound` is false then.
std::string json_string(std::string_view, bool& sound);

std::string joined(const std::vector<std::string>& items, std::string_view between);

std::array<Real, 3> parts(const Vec3&);
std::array<Real, 4> parts(const Quat&);  ///< w, x, y, z

}  // namespace gestik
