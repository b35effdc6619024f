#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

/// JSON whose every value knows its line, so that a reader can say where a file is wrong: what the
/// readers of our own files stand on. nlohmann-json does the parsing.
namespace gestik {

enum class JsonKind : std::uint8_t { missing, null, boolean, number, text, array, object };

class JsonTree;

/// One value of a tree that outlives it. A default one is "missing": it has no fields, no elements,
/// no text and the number zero, so that asking it anything is harmless.
class JsonValue {
 public:
  class Iterator;

  JsonValue() = default;

  JsonKind kind() const noexcept;
  explicit operator bool() const noexcept { return kind() != JsonKind::missing; }
  int line() const noexcept;               ///< from 1; of an array or object, where it opens
  std::string_view key() const noexcept;   ///< its name in the object that holds it, else empty
  Real number() const noexcept;            ///< zero where it is none
  std::string_view text() const noexcept;  ///< empty where it is none
  bool boolean() const noexcept;           ///< false where it is none

  /// The elements of an array or the fields of an object, in the file's order.
  Iterator begin() const noexcept;
  Iterator end() const noexcept;
  int size() const noexcept;

  /// The field of that name, or a missing value. It looks at one field after the other.
  JsonValue operator[](std::string_view key) const noexcept;

 private:
  friend class JsonTree;
  JsonValue(const JsonTree* tree, std::uint32_t index) : tree_(tree), index_(index) {}

  const JsonTree* tree_ = nullptr;
  std::uint32_t index_ = 0;
};

/// A whole document: its values in the order of the text, each container followed by what it holds.
class JsonTree {
 public:
  JsonValue root() const noexcept { return {this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonValue::Iterator;
  friend class JsonTreeBuilder;

  static constexpr std::uint32_t no_text = UINT32_MAX;

  struct Node {
    JsonKind kind;
    std::uint32_t line;
    std::uint32_t key;   ///< in texts_, or no_text
    std::uint32_t next;  ///< the value after this one and all that it holds
    union {
      Real number;         ///< of a number; of a boolean 0 or 1
      std::uint32_t text;  ///< of a text, in texts_
    };
  };

  std::vector<Node> nodes_;
  std::deque<std::string> texts_;
};

class JsonValue::Iterator {
 public:
  JsonValue operator*() const noexcept { return {tree_, index_}; }
  Iterator& operator++() noexcept {
    index_ = tree_->nodes_[index_].next;
    return *this;
  }
  bool operator==(const Iterator&) const = default;

 private:
  friend class JsonValue;
  Iterator(const JsonTree* tree, std::uint32_t index) : tree_(tree), index_(index) {}

  const JsonTree* tree_;
  std::uint32_t index_;
};

/// Refuses what is not JSON, a key that comes twice in an object, numbers beyond the range of a
/// double, more than 64 levels of nesting and more than 16 million values.
Result<JsonTree> parse_json(std::string_view text, std::string_view file);

/// Reads values off a tree and keeps the first thing that is wrong. After a fault every call is
/// cheap and gives a default, so a reader is written straight down and asks once at the end.
/// Missing values give defaults without complaint: required() complains for them.
class JsonReader {
 public:
  explicit JsonReader(std::string_view file) : file_(file) {}

  bool ok() const noexcept { return !fault_; }
  const Error& error() const { return *fault_; }

  void refuse(int line, std::string what);
  void refuse(const JsonValue& at, std::string what) { refuse(at.line(), std::move(what)); }

  /// Refuses a name that is not among those known, with the nearest of them or a list.
  void refuse_unknown(const JsonValue& at, std::string_view what_it_is, std::string_view name,
                      std::span<const std::string_view> known);

  /// The value itself if it is an object with no other fields than these, else a missing value.
  JsonValue object(const JsonValue&, std::initializer_list<std::string_view> fields);
  JsonValue object(const JsonValue&);  ///< with any fields
  JsonValue array(const JsonValue&);

  JsonValue required(const JsonValue& object, std::string_view field);

  Real number(const JsonValue&);
  bool boolean(const JsonValue&);
  std::string text(const JsonValue&);
  std::string name(const JsonValue&);  ///< a text that is not empty
  std::vector<Real> numbers(const JsonValue&, int count);
  Vec3 vector(const JsonValue&);    ///< x, y, z
  Quat rotation(const JsonValue&);  ///< w, x, y, z of any length but zero, normalised

 private:
  bool expect(const JsonValue&, JsonKind);

  std::string file_;
  std::optional<Error> fault_;
};

/// A name in quotes for a message, shortened where it is very long.
std::string in_quotes(std::string_view name);

}  // namespace gestik
