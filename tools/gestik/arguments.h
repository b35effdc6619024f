#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/io/read.h"
#include "gestik/motion/filter.h"

/// From the words of a command line to values. Whatever does not fit ends in BadInput, whose text
/// names the option and says what was expected.
namespace gestik::tool {

struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The text of an option, if it was given: empty text is text too, and refused by whoever reads it.
using OptionText = std::optional<std::string>;

/// How options with a value show in the help.
struct OptionHelp {
  std::string value, group, help;
};
CLI::Option* add_text(CLI::App&, const std::string& name, OptionText&, const OptionHelp&);

/// An option that may come again, with one value each time.
void add_repeated(CLI::App&, const std::string& name, std::vector<std::string>&, const OptionHelp&);

/// A character and how to read it.
struct CharacterArgument {
  std::string name;
  OptionText unit, hinges;
  bool quiet = false;
};

/// Adds --unit, --bvh-hinges and --quiet; add_character also the argument itself.
void add_read_options(CLI::App&, CharacterArgument&);
void add_character(CLI::App&, CharacterArgument&);

/// --unit in metres, 1 when not given.
Real parse_unit(const CharacterArgument&);

/// A bundled name, or a path. A bundled name wins over a file of that very name: "./lamp" is the
/// file.
Loaded load(const CharacterArgument&);

/// What the reader found worth saying, on standard error. Verbs call it once nothing can be refused
/// any more: bad input gets one line, not ten.
void print_notes(const std::vector<std::string>& warnings, bool quiet);

std::string_view trimmed(std::string_view text);  ///< without blanks on either side
bool ends_with_ignoring_case(std::string_view text, std::string_view lower_case_ending);

/// Finite numbers; the whole text must be used up. `option` is what messages call it.
Real parse_number(std::string_view text, std::string_view option);
Real parse_within(std::string_view text, std::string_view option, Real lo, Real hi);
Real parse_above_zero(std::string_view text, std::string_view option);
std::vector<Real> parse_numbers(std::string_view text, std::string_view option);
int parse_count(std::string_view text, std::string_view option, int least = 0,
                int most = 1'000'000'000);
Vec3 parse_point(std::string_view text, std::string_view option);
Vec3 parse_direction(std::string_view text, std::string_view option);
Quat parse_orientation(std::string_view text, std::string_view option);  ///< w,x,y,z

/// Coordinates for a whole skeleton: the right number of them, hinges turned to radians where they
/// came in `degrees`, quaternions made unit.
std::vector<Real> parse_q(std::string_view text, const Skeleton&, bool degrees,
                          std::string_view option);

/// A posture by name, or as numbers.
std::vector<Real> parse_posture(std::string_view text, const Character&, bool degrees,
                                std::string_view option);

/// An end-point, link or joint by name; none given: the first end-point.
Frame parse_end(const OptionText& name, const Character&);

/// How a character moves, by name. "plain", where that may be asked for, is the filter as it comes.
MotionFilter parse_preset(std::string_view name, bool or_plain = false);

/// "a, b, c"; long lists are cut short.
std::string listed(const std::vector<std::string_view>& names);

/// BadInput where the output is one of the files that are read, by whatever name.
void check_is_no_input(std::string_view option, const std::string& output,
                       const std::vector<std::string>& inputs);

}  // namespace gestik::tool
