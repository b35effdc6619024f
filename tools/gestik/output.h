#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/model/character.h"

/// What the verbs print, and how.
namespace gestik::tool {

/// Keys in the order they were added, numbers with every digit that matters.
using Json = nlohmann::ordered_json;

/// Standard output is closed or full.
struct CantWrite {
  std::string why;  ///< empty when a reader went away: who closed the pipe knows
};

/// Text to standard output, all of it or CantWrite.
void write_text(std::string_view text);

/// One value and a line's end to standard output. NaN and infinity, which JSON can't say, are null.
void write_json(const Json&);

/// "gestik: ..." on standard error, on one line whatever the message holds.
void complain(std::string_view message);
void note(std::string_view message);

/// Text with control characters replaced: names come from files that may not mean well.
std::string printable(std::string_view text);

/// Columns of text, as wide as what they hold.
class Table {
 public:
  enum class Align { left, right };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}

  void add(std::vector<std::string> row);
  std::string str(std::string_view indent = "") const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

Real degrees_of(Real radians);

/// A number with so many decimals, and no minus before nothing.
std::string fixed(Real, int decimals);

/// A joint's value in q: a number (hinges in degrees if asked), or w, x, y, z for a ball.
Json value_json(const Skeleton&, JointId, ConstQ q, bool degrees);
Json q_json(const Skeleton&, ConstQ q, bool degrees);

Json json_of(const Vec3&);
Json json_of(const Quat&);  ///< [w, x, y, z]

/// "0.1, 0, -2"
std::string text_of(const Vec3&);
std::string text_of(const Quat&);  ///< w, x, y, z

}  // namespace gestik::tool
