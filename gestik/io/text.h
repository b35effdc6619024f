#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

/// What the readers of text formats share. Nothing here looks at the locale.
namespace gestik {

/// An Error at "arm.urdf:41".
Error error_at(std::string_view file, int line, std::string what);

/// Nothing when the text is UTF-8 without control characters other than white space. Else an Error
/// at the first place where it is not: a binary file, or an old encoding.
std::optional<Error> check_text(std::string_view text, std::string_view file);

/// The text after a UTF-8 byte order mark, if it begins with one.
std::string_view without_byte_order_mark(std::string_view text);

/// Space, tab, carriage return, new line and their rare brothers.
constexpr bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
std::string_view trimmed(std::string_view) noexcept;
std::vector<std::string_view> words_of(std::string_view);

/// The number that is the whole of the text: decimal, finite, a leading plus allowed. "nan", "inf",
/// "0x1", "1,5" and "1e999" are none.
std::optional<Real> parse_real(std::string_view) noexcept;

/// Cut short where it would flood a message; `quoted` puts it in quotes as well.
std::string shortened(std::string_view);
std::string quoted(std::string_view);

/// "robots/arm.urdf" -> "arm".
std::string stem_of(std::string_view file);

}  // namespace gestik
