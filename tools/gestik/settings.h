#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/solve/run.h"

/// Settings as the command line has them: --set name=value.
namespace gestik::tool {

struct Setting {
  std::string name;
  Real value;
};

/// From "name=value"; true and false are numbers as well.
Setting parse_setting(const std::string& text);

/// BadInput that says what is wrong and what `owner` ("solver 'ccd'") would take, unless it is
/// done.
void refuse_unless_done(SetResult, const Setting&, std::string_view owner,
                        std::span<const Field> known);

/// Applies "name=value" to the first of `parts` that has such a setting.
template <class... Parts>
void apply_setting(const std::string& text, std::string_view owner, Parts&... parts) {
  const Setting setting = parse_setting(text);
  SetResult result = SetResult::unknown_name;
  std::vector<Field> known;
  const auto offer = [&](auto& part) {
    for (const Field& field : fields_of(part)) known.push_back(field);
    if (result == SetResult::unknown_name) result = set_field(part, setting.name, setting.value);
  };
  (offer(parts), ...);
  refuse_unless_done(result, setting, owner, known);
}

/// A line for each: name, default, range and meaning.
std::string settings_text(std::span<const Field>, std::string_view indent);

}  // namespace gestik::tool
