#include "gestik/io/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace gestik {
namespace {

constexpr bool is_continuation(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The bytes of the UTF-8 character at the front of a non-empty text, or 0 where there is none:
/// stray or missing continuation bytes, overlong forms, surrogates, beyond U+10FFFF.
std::size_t utf8_length(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 0;
  return length;
}

constexpr bool is_control(char c) noexcept {
  return (c >= 0 && c < ' ' && !is_blank(c)) || c == 0x7F;
}

}  // namespace

Error error_at(std::string_view file, int line, std::string what) {
  return {std::move(what), std::string(file) + ":" + std::to_string(line)};
}

std::optional<Error> check_text(std::string_view text, std::string_view file) {
  int line = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (is_control(c))
      return error_at(file, line, "there is a control character here; is this a text file?");
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0)
      return error_at(file, line, "the text is not UTF-8 here; save the file as UTF-8");
    at += length;
  }
  return std::nullopt;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto at = text.begin();;) {
    const auto begin = std::find_if_not(at, text.end(), is_blank);
    if (begin == text.end()) return words;
    at = std::find_if(begin, text.end(), is_blank);
    words.emplace_back(begin, at);
  }
}

std::optional<Real> parse_real(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
#if defined(__cpp_lib_to_chars)
  Real value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || stop != end) return std::nullopt;
#else
  // libc++ reads no numbers with from_chars. strtod wants its text ended by a zero, and would take
  // blanks, words and hexadecimal digits; where it is used, WebAssembly, there is one locale only.
  if (text.empty() || text.find_first_not_of("+-.0123456789eE") != text.npos) return std::nullopt;
  if (text.starts_with('+')) return std::nullopt;
  const std::string ended(text);
  char* stop = nullptr;
  const Real value = std::strtod(ended.c_str(), &stop);
  if (stop != ended.c_str() + ended.size()) return std::nullopt;
#endif
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 80;
  if (text.size() <= longest) return std::string(text);
  std::size_t cut = longest;
  while (cut > 0 && is_continuation(text[cut])) --cut;
  return std::string(text.substr(0, cut)) + "...";
}

std::string quoted(std::string_view text) {
  return std::string("'").append(shortened(text)).append("'");
}

std::string stem_of(std::string_view file) {
  const std::size_t slash = file.find_last_of("/\\");
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  const std::size_t dot = file.rfind('.');
  return std::string(dot == 0 ? file : file.substr(0, dot));
}

}  // namespace gestik
