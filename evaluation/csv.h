#pragma once

#include <string>
#include <string_view>
#include <vector>

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
  Csv& operator<<(std::uint64_t);
  void end_line();

  const std::string& str() const noexcept { return text_; }

 private:
  void separate();

  std::string text_;
  bool at_start_ = true;
};

}  // namespace gestik::evaluation
