#include "evaluation/csv.h"

#include <fmt/format.h>

namespace gestik::evaluation {

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

Csv& Csv::operator<<(std::uint64_t number) {
  separate();
  text_ += fmt::format("{}", number);
  return *this;
}

void Csv::end_line() {
  text_ += '\n';
  at_start_ = true;
}

}  // namespace gestik::evaluation
