#include "gestik/io/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace gestik {

// "-0" would read back as an integer.
std::string json_number(Real value) {
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string json_numbers(std::span<const Real> values) {
  std::vector<std::string> items;
  for (Real value : values) items.push_back(json_number(value));
  return "[" + joined(items, ", ") + "]";
}

std::string json_string(std::string_view text, bool& sound) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  sound = true;
  if (std::all_of(text.begin(), text.end(), plain)) return '"' + std::string(text) + '"';
  using Json = nlohmann::json;
  const Json value = std::string(text);
  const std::string out = value.dump(-1, ' ', false, Json::error_handler_t::ignore);
  sound = out == value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return out;
}

std::string joined(const std::vector<std::string>& items, std::string_view between) {
  std::string out;
  for (const std::string& item : items) {
    if (&item != &items.front()) out += between;
    out += item;
  }
  return out;
}

std::array<Real, 3> parts(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

std::array<Real, 4> parts(const Quat& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

}  // namespace gestik
