#pragma once

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gestik/solve/solver.h"

/// Settings by name, for whatever documents its own in a `fields` as solvers do (solver.h).
namespace gestik {

/// A setting as the command line and the studio see it.
struct Field {
  enum class Kind : std::uint8_t { real, integer, boolean };
  std::string_view name;
  Kind kind;
  Range range;
  std::string_view help;
  Real value;  ///< of what it was read from; a boolean is 0 or 1
};

constexpr std::string_view to_string(Field::Kind kind) noexcept {
  switch (kind) {
    case Field::Kind::real:
      return "real";
    case Field::Kind::integer:
      return "integer";
    case Field::Kind::boolean:
      return "boolean";
  }
  return "";
}

enum class SetResult : std::uint8_t { done, unknown_name, out_of_range, not_whole };

template <class S>
concept HasFields = requires {
  S::fields([](std::string_view, auto, Range, std::string_view) {});
};

/// Calls f(name, reference to the value, range, help) for each.
template <class S, class F>
void visit_fields(S& settings, F&& f) {
  std::remove_const_t<S>::fields(
      [&](std::string_view name, auto member, Range range, std::string_view help) {
        f(name, settings.*member, range, help);
      });
}

template <HasFields S>
std::vector<Field> fields_of(const S& settings) {
  std::vector<Field> fields;
  visit_fields(
      settings, [&](std::string_view name, const auto& value, Range range, std::string_view help) {
        using T = std::remove_cvref_t<decltype(value)>;
        static_assert(std::is_same_v<T, Real> || std::is_same_v<T, int> || std::is_same_v<T, bool>);
        const Field::Kind kind = std::is_same_v<T, bool>   ? Field::Kind::boolean
                                 : std::is_same_v<T, Real> ? Field::Kind::real
                                                           : Field::Kind::integer;
        fields.push_back({name, kind, range, help, static_cast<Real>(value)});
      });
  return fields;
}

namespace detail {

template <class T>
SetResult assign(T& value, Range range, Real number) noexcept {
  if (!(number >= range.lo && number <= range.hi)) return SetResult::out_of_range;
  if constexpr (!std::is_same_v<T, Real>) {
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max())
      return SetResult::out_of_range;
    if (number != std::floor(number)) return SetResult::not_whole;
  }
  value = static_cast<T>(number);
  return SetResult::done;
}

}  // namespace detail

/// On anything but `done` nothing is changed.
template <HasFields S>
SetResult set_field(S& settings, std::string_view wanted, Real number) noexcept {
  SetResult result = SetResult::unknown_name;
  visit_fields(settings, [&](std::string_view name, auto& value, Range range, std::string_view) {
    if (name == wanted) result = detail::assign(value, range, number);
  });
  return result;
}

}  // namespace gestik
