#include "evaluation/csv.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "gestik/io/text.h"
#include "gestik/math/rotation.h"

namespace gestik::evaluation {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// A name begins with a letter; "nan" and "inf" are numbers that went wrong.
bool is_name(std::string_view field) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !field.empty() && is_letter(field.front()) && field != "nan" && field != "inf";
}

/// What is wrong with a line, or nothing.
std::optional<std::string> take_numbers(const std::vector<std::string_view>& fields,
                                        std::vector<Real>& numbers) {
  for (const std::string_view field : fields) {
    const std::optional<Real> number = parse_real(field);
    if (!number) return fmt::format("{} is not a finite number", quoted(field));
    if (!is_bounded(*number))
      return fmt::format("{} is beyond 1e30, where numbers lose their meaning", quoted(field));
    numbers.push_back(*number);
  }
  return std::nullopt;
}

}  // namespace

Csv::Csv(const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) *this << name;
  end_line();
}

void Csv::separate() {
  if (!at_start_) text_ += ',';
  at_start_ = false;
}

Csv& Csv::operator<<(std::string_view text) {
  separate();
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
    text_ += text;
    return *this;
  }
  text_ += '"';
  for (const char c : text) {
    if (c == '"') text_ += '"';
    text_ += c;
  }
  text_ += '"';
  return *this;
}

Csv& Csv::operator<<(Real number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

Csv& Csv::operator<<(const std::optional<Real>& number) {
  return number ? *this << *number : *this << "";
}

Csv& Csv::operator<<(std::uint64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

void Csv::end_line() {
  text_ += '\n';
  at_start_ = true;
}

Result<std::vector<NumberRow>> read_number_rows(std::string_view text, std::string_view file) {
  if (const std::optional<Error> fault = check_text(text, file)) return *fault;
  std::vector<NumberRow> rows;
  bool first = true;
  text = without_byte_order_mark(text);
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view content = trimmed(whole.substr(0, whole.find('#')));
    if (content.empty()) continue;
    const std::vector<std::string_view> fields = fields_of(content);
    if (std::exchange(first, false) && is_name(fields.front())) continue;
    rows.push_back({line, {}});
    if (std::optional<std::string> wrong = take_numbers(fields, rows.back().numbers))
      return error_at(file, line, *std::move(wrong));
  }
  if (rows.empty()) return Error{"there is no line of numbers in this file", std::string(file)};
  return rows;
}

}  // namespace gestik::evaluation
