#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

namespace gestik::evaluation {

/// Comma-separated values: a line of names, then lines of values. Numbers have every digit that
/// matters and look the same in every locale.
class Csv {
 public:
  explicit Csv(const std::vector<std::string_view>& names);

  Csv& operator<<(std::string_view);  ///< in quotes where it needs them
  Csv& operator<<(const char* text) { return *this << std::string_view(text); }
  Csv& operator<<(Real);
  Csv& operator<<(const std::optional<Real>&);  ///< empty where there is none
  Csv& operator<<(std::uint64_t);
  void end_line();

  const std::string& str() const noexcept { return text_; }

 private:
  void separate();

  std::string text_;
  bool at_start_ = true;
};

/// A line of numbers in a file, and where it stood.
struct NumberRow {
  int line;
  std::vector<Real> numbers;
};

/// Lines of numbers separated by commas, all finite and below 1e30. '#' starts a comment, empty
/// lines are passed over, and so is a first line that begins with a name: the columns'. Errors name
/// file and line; a file without a row is one. How many numbers a row should have is the caller's.
Result<std::vector<NumberRow>> read_number_rows(std::string_view text, std::string_view file);

}  // namespace gestik::evaluation
