#include "gestik/io/json_tree.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t most_values = std::size_t{1} << 24;

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

Error error_at(std::string_view file, std::size_t line, std::string what) {
  std::replace_if(what.begin(), what.end(), is_control, '?');
  return {std::move(what), std::string(file) + ":" + std::to_string(line)};
}

std::size_t line_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

/// Hands the parser the text and tells others how far it has read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Cursor(const char* at, const char** last_read) : at_(at), last_read_(last_read) {}
  char operator*() const { return *(*last_read_ = at_); }
  Cursor& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** last_read_;
};

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..." without
/// what our own message says already; what was read may be long and of any bytes.
std::string plain_words(std::string_view said) {
  for (std::string_view lead : {"] ", "column ", ": "})
    if (const auto at = said.find(lead); at != said.npos && at < 80)
      said.remove_prefix(at + lead.size());
  std::string words(said.substr(0, 160));
  std::replace_if(
      words.begin(), words.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7e; }, '?');
  return words;
}

std::string_view in_words(JsonKind kind) {
  switch (kind) {
    case JsonKind::missing:
      return "missing";
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::number:
      return "a number";
    case JsonKind::text:
      return "a text";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "";
}

std::string subject(const JsonValue& value) {
  return value.key().empty() ? "this value" : in_quotes(value.key());
}

}  // namespace

/// What the parser calls with each piece it has read.
class JsonTreeBuilder {
 public:
  JsonTreeBuilder(std::string_view text, std::string_view file)
      : file_(file), last_read_(text.data()), counted_(text.data()) {}

  const char** last_read() { return &last_read_; }
  Error& fault() { return fault_; }
  JsonTree& tree() { return tree_; }

  bool null() { return add(JsonKind::null); }
  bool boolean(bool value) {
    if (!add(JsonKind::boolean)) return false;
    tree_.nodes_.back().number = value ? 1 : 0;
    return true;
  }
  bool number_integer(std::int64_t value) { return add_number(static_cast<Real>(value)); }
  bool number_unsigned(std::uint64_t value) { return add_number(static_cast<Real>(value)); }
  bool number_float(Real value, const std::string&) { return add_number(value); }
  bool string(std::string& value) {
    if (!add(JsonKind::text)) return false;
    tree_.nodes_.back().text = keep(value);
    return true;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(JsonKind::object); }
  bool start_array(std::size_t) { return open(JsonKind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& value) {
    key_ = keep(value);
    const std::string_view name = tree_.texts_.back();
    if (open_.back().keys.insert(name).second) return true;
    return refuse("the field " + in_quotes(name) + " comes twice; remove one");
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& fault) {
    return refuse("not sound JSON: " + plain_words(fault.what()));
  }

 private:
  struct Open {
    std::uint32_t node;
    std::set<std::string_view> keys;
  };

  bool refuse(std::string what) {
    fault_ = error_at(file_, line(), std::move(what));
    return false;
  }

  /// The line of the last character read: a line end counts once it has been passed, for a number
  /// is known to end only by what follows it.
  std::uint32_t line() {
    for (; counted_ < last_read_; ++counted_)
      if (*counted_ == '\n') ++line_;
    return line_;
  }

  std::uint32_t keep(std::string& text) {
    tree_.texts_.push_back(std::move(text));
    return static_cast<std::uint32_t>(tree_.texts_.size() - 1);
  }

  bool add(JsonKind kind) {
    const auto index = static_cast<std::uint32_t>(tree_.nodes_.size());
    if (index >= most_values)
      return refuse("more than " + std::to_string(most_values) + " values; split the file");
    tree_.nodes_.push_back(
        {.kind = kind, .line = line(), .key = key_, .next = index + 1, .number = 0});
    key_ = JsonTree::no_text;
    return true;
  }

  bool add_number(Real value) {
    if (!add(JsonKind::number)) return false;
    tree_.nodes_.back().number = value;
    return true;
  }

  bool open(JsonKind kind) {
    if (open_.size() >= deepest)
      return refuse("nested deeper than " + std::to_string(deepest) + " levels");
    open_.push_back({.node = static_cast<std::uint32_t>(tree_.nodes_.size()), .keys = {}});
    return add(kind);
  }

  bool close() {
    tree_.nodes_[open_.back().node].next = static_cast<std::uint32_t>(tree_.nodes_.size());
    open_.pop_back();
    return true;
  }

  std::string_view file_;
  const char* last_read_;
  const char* counted_;
  std::uint32_t line_ = 1;
  std::uint32_t key_ = JsonTree::no_text;
  std::vector<Open> open_;
  JsonTree tree_;
  Error fault_;
};

Result<JsonTree> parse_json(std::string_view text, std::string_view file) {
  if (text.empty()) return error_at(file, 1, "the file is empty");
  if (const auto nul = text.find('\0'); nul != text.npos)
    return error_at(file, line_of(text, nul), "it holds a zero byte; JSON is UTF-8 text");
  JsonTreeBuilder builder(text, file);
  const Cursor first(text.data(), builder.last_read());
  const Cursor last(text.data() + text.size(), builder.last_read());
  if (!nlohmann::json::sax_parse(first, last, &builder)) return std::move(builder.fault());
  return std::move(builder.tree());
}

JsonKind JsonValue::kind() const noexcept {
  return tree_ ? tree_->nodes_[index_].kind : JsonKind::missing;
}

int JsonValue::line() const noexcept {
  return tree_ ? static_cast<int>(tree_->nodes_[index_].line) : 1;
}

std::string_view JsonValue::key() const noexcept {
  if (!tree_ || tree_->nodes_[index_].key == JsonTree::no_text) return {};
  return tree_->texts_[tree_->nodes_[index_].key];
}

Real JsonValue::number() const noexcept {
  return kind() == JsonKind::number ? tree_->nodes_[index_].number : 0;
}

std::string_view JsonValue::text() const noexcept {
  if (kind() != JsonKind::text) return {};
  return tree_->texts_[tree_->nodes_[index_].text];
}

bool JsonValue::boolean() const noexcept {
  return kind() == JsonKind::boolean && tree_->nodes_[index_].number != 0;
}

JsonValue::Iterator JsonValue::begin() const noexcept {
  return {tree_, tree_ ? index_ + 1 : 0};
}

JsonValue::Iterator JsonValue::end() const noexcept {
  return {tree_, tree_ ? tree_->nodes_[index_].next : 0};
}

int JsonValue::size() const noexcept {
  int count = 0;
  for (auto it = begin(); it != end(); ++it) ++count;
  return count;
}

JsonValue JsonValue::operator[](std::string_view key) const noexcept {
  if (kind() != JsonKind::object) return {};
  for (const JsonValue field : *this)
    if (field.key() == key) return field;
  return {};
}

void JsonReader::refuse(int line, std::string what) {
  if (ok()) fault_ = error_at(file_, static_cast<std::size_t>(line), std::move(what));
}

void JsonReader::refuse_unknown(const JsonValue& at, std::string_view what_it_is,
                                std::string_view name, std::span<const std::string_view> known) {
  if (!ok()) return;
  constexpr std::size_t longest_list = 12;
  std::string advice = did_you_mean(name, known);
  if (advice.empty() && known.size() <= longest_list) {
    for (std::string_view one : known)
      advice += (advice.empty() ? "; known here: " : ", ") + in_quotes(one);
  }
  refuse(at, "unknown " + std::string(what_it_is) + " " + in_quotes(name) + advice);
}

bool JsonReader::expect(const JsonValue& value, JsonKind kind) {
  if (value && value.kind() != kind)
    refuse(value, subject(value) + " must be " + std::string(in_words(kind)) + ", but is " +
                      std::string(in_words(value.kind())));
  return ok() && value.kind() == kind;
}

JsonValue JsonReader::object(const JsonValue& value) {
  return expect(value, JsonKind::object) ? value : JsonValue();
}

JsonValue JsonReader::object(const JsonValue& value,
                             std::initializer_list<std::string_view> fields) {
  for (const JsonValue field : object(value)) {
    if (std::find(fields.begin(), fields.end(), field.key()) != fields.end()) continue;
    refuse_unknown(field, "field", field.key(), {fields.begin(), fields.size()});
    return {};
  }
  return object(value);
}

JsonValue JsonReader::array(const JsonValue& value) {
  return expect(value, JsonKind::array) ? value : JsonValue();
}

JsonValue JsonReader::required(const JsonValue& object, std::string_view field) {
  const JsonValue found = object[field];
  if (object && !found) refuse(object, "the field " + in_quotes(field) + " is missing; add it");
  return found;
}

Real JsonReader::number(const JsonValue& value) {
  return expect(value, JsonKind::number) ? value.number() : 0;
}

bool JsonReader::boolean(const JsonValue& value) {
  return expect(value, JsonKind::boolean) && value.boolean();
}

std::string JsonReader::text(const JsonValue& value) {
  return std::string(expect(value, JsonKind::text) ? value.text() : "");
}

std::string JsonReader::name(const JsonValue& value) {
  if (value.kind() == JsonKind::text && value.text().empty())
    refuse(value, subject(value) + " is empty; give it a name");
  return text(value);
}

std::vector<Real> JsonReader::numbers(const JsonValue& value, int count) {
  std::vector<Real> result(static_cast<std::size_t>(count));
  if (!value || !ok()) return result;
  const std::string wanted =
      subject(value) + " must be an array of " + std::to_string(count) + " numbers";
  if (value.kind() != JsonKind::array) {
    refuse(value, wanted + ", but is " + std::string(in_words(value.kind())));
    return result;
  }
  if (const int size = value.size(); size != count) {
    refuse(value, wanted + ", but has " + std::to_string(size));
    return result;
  }
  auto out = result.begin();
  for (const JsonValue element : value) {
    if (element.kind() != JsonKind::number)
      refuse(element, wanted + ", but holds " + std::string(in_words(element.kind())));
    *out++ = element.number();
  }
  return result;
}

Vec3 JsonReader::vector(const JsonValue& value) {
  const std::vector<Real> n = numbers(value, 3);
  return {n[0], n[1], n[2]};
}

Quat JsonReader::rotation(const JsonValue& value) {
  const std::vector<Real> n = numbers(value, 4);
  const Quat q(n[0], n[1], n[2], n[3]);
  if (value && q.coeffs().isZero(0))
    refuse(value, subject(value) + " is a zero quaternion; no rotation is 1, 0, 0, 0");
  return normalized_or_identity(q);
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::size_t cut = std::min(name.size(), longest);
  const auto inside_character = [&](std::size_t i) {  // of UTF-8
    return i < name.size() && (static_cast<unsigned char>(name[i]) & 0xc0) == 0x80;
  };
  while (cut > 0 && inside_character(cut)) --cut;
  std::string out = "'";
  out += name.substr(0, cut);
  out += cut < name.size() ? "...'" : "'";
  return out;
}

}  // namespace gestik
