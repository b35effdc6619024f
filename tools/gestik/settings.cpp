#include "tools/gestik/settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "gestik/base/suggest.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

std::string option_of(const std::string& name) {
  return fmt::format("--set {}", name);
}

std::string range_text(const Field& field) {
  if (field.kind == Field::Kind::boolean) return "true or false";
  return fmt::format("{} .. {}", field.range.lo, field.range.hi);
}

}  // namespace

Setting parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw BadInput(fmt::format("--set {}: write it as name=value", text));
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  if (value == "true") return {name, 1};
  if (value == "false") return {name, 0};
  return {name, parse_number(value, option_of(name))};
}

void refuse_unless_done(SetResult result, const Setting& setting, std::string_view owner,
                        std::span<const Field> known) {
  const auto& [name, value] = setting;
  const auto field =
      std::find_if(known.begin(), known.end(), [&](const Field& f) { return f.name == name; });
  switch (result) {
    case SetResult::done:
      return;
    case SetResult::out_of_range:
      throw BadInput(fmt::format("{}: {} is outside {} .. {}", option_of(name), value,
                                 field->range.lo, field->range.hi));
    case SetResult::not_whole:
      throw BadInput(fmt::format("{} takes a whole number, not {}", option_of(name), value));
    case SetResult::unknown_name:
      break;
  }
  std::vector<std::string_view> names;
  for (const Field& one : known) names.push_back(one.name);
  throw BadInput(fmt::format("{} has no setting '{}'{} (it has {})", owner, name,
                             did_you_mean(name, names), names.empty() ? "none" : listed(names)));
}

std::string settings_text(std::span<const Field> fields, std::string_view indent) {
  using enum Table::Align;
  Table table({left, left, left, left});
  for (const Field& field : fields)
    table.add({fmt::format("--set {}=", field.name), fmt::format("default {}", field.value),
               range_text(field), std::string(field.help)});
  return table.str(indent);
}

}  // namespace gestik::tool
