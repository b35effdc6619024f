#include "evaluation/checkpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "gestik/io/read.h"

namespace gestik::evaluation {
namespace {

// A text file:
//     gestik checkpoint 1
//     postures 200            one line per option
//     = 3                     how many words follow
//     0 c8 ffffffffffffffff   in hexadecimal, sixteen to a line
//     # 9ae16a3b2f90404f      of all that stands above
constexpr std::string_view title = "gestik checkpoint 1\n";

/// FNV-1a: against accidents, not against malice.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value, base);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// The text up to a separator (or its end), cut off the front.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view front = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(front.size() + 1, text.size()));
  return front;
}

std::optional<Checkpoint> parse(std::string_view text) {
  const std::size_t last_line = text.rfind("# ");
  if (!text.starts_with(title) || last_line == std::string_view::npos) return std::nullopt;
  std::string_view body = text.substr(0, last_line);
  std::string_view hash_line = text.substr(last_line + 2);
  if (number(cut(hash_line, '\n'), 16) != hash_of(body)) return std::nullopt;

  Checkpoint checkpoint;
  body.remove_prefix(title.size());
  while (!body.empty() && !body.starts_with("= ")) {
    std::string_view line = cut(body, '\n');
    const std::string_view name = cut(line, ' ');
    checkpoint.options.emplace_back(name, line);
  }
  cut(body, ' ');
  const std::optional<std::uint64_t> count = number(cut(body, '\n'), 10);
  while (!body.empty()) {
    const std::optional<std::uint64_t> word =
        number(cut(body, body.find(' ') < body.find('\n') ? ' ' : '\n'), 16);
    if (!word) return std::nullopt;
    checkpoint.words.push_back(*word);
  }
  if (count != checkpoint.words.size()) return std::nullopt;
  return checkpoint;
}

std::string_view value_of(const Checkpoint::Options& options, std::string_view name) {
  for (const auto& [option, value] : options)
    if (option == name) return value;
  return {};
}

}  // namespace

std::optional<Error> write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  std::string text(title);
  for (const auto& [name, value] : checkpoint.options) text += fmt::format("{} {}\n", name, value);
  text += fmt::format("= {}\n", checkpoint.words.size());
  for (std::size_t i = 0; i < checkpoint.words.size(); ++i) {
    const bool line_ends = i % 16 == 15 || i + 1 == checkpoint.words.size();
    text += fmt::format("{:x}{}", checkpoint.words[i], line_ends ? '\n' : ' ');
  }
  text += fmt::format("# {:x}\n", hash_of(text));
  return write_file(path, text);
}

Result<Checkpoint> read_checkpoint(const std::string& path, const Checkpoint::Options& options) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  std::optional<Checkpoint> checkpoint = parse(*text);
  if (!checkpoint)
    return Error{"this checkpoint is damaged; remove it to start from the beginning", path};
  for (const auto& [name, value] : options) {
    const std::string_view theirs = value_of(checkpoint->options, name);
    if (theirs != value)
      return Error{fmt::format("this checkpoint is of another run: its {} is {}, not {}", name,
                               theirs.empty() ? "missing" : theirs, value),
                   path};
  }
  if (checkpoint->options.size() != options.size())
    return Error{"this checkpoint is of another run, with more options than this one", path};
  return *std::move(checkpoint);
}

}  // namespace gestik::evaluation
