#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gestik {

/// The candidate that `name` was probably meant to be, or empty when none is near enough to be
/// worth saying. Nearness is the edit distance (swaps count once, case does not count), at most a
/// third of the length.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// "; did you mean 'elbow'?" or nothing: the tail of every message about an unknown name.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace gestik
