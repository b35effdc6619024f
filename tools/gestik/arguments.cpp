#include "tools/gestik/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "tools/gestik/output.h"

namespace gestik::tool {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t stop = std::min(text.find(separator, start), text.size());
    parts.push_back(trimmed(text.substr(start, stop - start)));
    start = stop + 1;
  }
  return parts;
}

std::vector<Real> parse_exactly(std::size_t count, std::string_view text, std::string_view names,
                                std::string_view option) {
  std::vector<Real> numbers = parse_numbers(text, option);
  if (numbers.size() != count)
    throw BadInput(
        fmt::format("{} takes {} numbers ({}), not {}", option, count, names, numbers.size()));
  return numbers;
}

bool is_path(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return true;
  for (const std::string_view ending : {".json", ".urdf", ".bvh", ".glb", ".gltf"})
    if (ends_with_ignoring_case(name, ending)) return true;
  return false;
}

bool is_file(const std::string& path) {
  std::error_code ignored;  // whatever is in the way, reading it will say
  return std::filesystem::is_regular_file(path, ignored);
}

ReadOptions read_options(const CharacterArgument& argument) {
  ReadOptions options;
  options.bvh.unit = parse_unit(argument);
  if (!argument.hinges) return options;
  if (*argument.hinges == "all") {
    options.bvh.hinges = {"*"};
    return options;
  }
  for (const std::string_view name : split(*argument.hinges, ',')) {
    if (name.empty()) throw BadInput("--bvh-hinges takes joint names with commas, or all");
    options.bvh.hinges.emplace_back(name);
  }
  return options;
}

Result<Loaded> read(const CharacterArgument& argument) {
  const std::vector<std::string_view> bundled = bundled_character_names();
  const std::string& name = argument.name;
  if (std::find(bundled.begin(), bundled.end(), name) != bundled.end())
    return bundled_character(name);
  if (is_path(name) || is_file(name)) return read_character_file(name, read_options(argument));
  return Error{
      fmt::format("no bundled character is called '{}'{}", name, did_you_mean(name, bundled)) +
          fmt::format(" (bundled: {}; a file ends in .json, .urdf, .bvh, .glb or .gltf)",
                      listed(bundled)),
      ""};
}

bool is_zero(const Real* quaternion) {
  return std::all_of(quaternion, quaternion + 4, [](Real x) { return x == 0; });
}

std::string coordinates_of(const Skeleton& skeleton) {
  std::vector<std::string> names;
  for (int i = 0; i < skeleton.q_size(); ++i) names.push_back(skeleton.coordinate_name(i));
  return listed({names.begin(), names.end()});
}

}  // namespace

CLI::Option* add_text(CLI::App& command, const std::string& name, OptionText& text,
                      const OptionHelp& help) {
  return command
      .add_option_function<std::string>(
          name, [&text](const std::string& given) { text = given; }, help.help)
      ->type_name(help.value)
      ->group(help.group);
}

void add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                  const OptionHelp& help) {
  command
      .add_option_function<std::string>(
          name, [&values](const std::string& given) { values.push_back(given); },
          help.help + "; may come again")
      ->trigger_on_parse()
      ->type_name(help.value)
      ->group(help.group);
}

void add_read_options(CLI::App& command, CharacterArgument& argument) {
  add_text(command, "--unit", argument.unit,
           {"METRES", "Reading", "BVH: metres per unit of the file (default 1)"});
  add_text(
      command, "--bvh-hinges", argument.hinges,
      {"NAME,...|all", "Reading", "BVH: joints whose rotations become hinges instead of one ball"});
  command.add_flag("--quiet", argument.quiet, "no notes on standard error")->group("Reading");
}

void add_character(CLI::App& command, CharacterArgument& argument) {
  command
      .add_option("CHARACTER", argument.name,
                  "a bundled name (" + listed(bundled_character_names()) +
                      ") or a .json, .urdf, .bvh, .glb or .gltf file")
      ->type_name(" ");
  add_read_options(command, argument);
}

Real parse_unit(const CharacterArgument& argument) {
  if (!argument.unit) return 1;
  const Real unit = parse_number(*argument.unit, "--unit");
  if (!(unit > 0)) throw BadInput("--unit must be above zero: metres per unit of the file");
  return unit;
}

Loaded load(const CharacterArgument& argument) {
  if (argument.name.empty())
    throw BadInput("which character? a bundled name (" + listed(bundled_character_names()) +
                   ") or a .json, .urdf, .bvh, .glb or .gltf file");
  if ((argument.unit || argument.hinges) && !ends_with_ignoring_case(argument.name, ".bvh"))
    throw BadInput(
        fmt::format("--unit and --bvh-hinges are for BVH files; '{}' is none", argument.name));
  Result<Loaded> loaded = read(argument);
  if (!loaded) throw BadInput(to_string(loaded.error()));
  return *std::move(loaded);
}

void print_notes(const std::vector<std::string>& warnings, bool quiet) {
  if (quiet) return;
  constexpr std::size_t most_notes = 20;
  for (std::size_t i = 0; i < std::min(warnings.size(), most_notes); ++i) note(warnings[i]);
  if (warnings.size() > most_notes)
    note(fmt::format("and {} more of these", warnings.size() - most_notes));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

bool ends_with_ignoring_case(std::string_view text, std::string_view lower_case_ending) {
  if (text.size() < lower_case_ending.size()) return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(lower_case_ending.rbegin(), lower_case_ending.rend(), text.rbegin(),
                    [&](char ending, char c) { return ending == lower(c); });
}

Real parse_number(std::string_view text, std::string_view option) {
  std::string_view digits = trimmed(text);
  if (digits.size() > 1 && digits.front() == '+' && digits[1] != '-') digits.remove_prefix(1);
  if (digits.empty()) throw BadInput(fmt::format("{}: a number is missing in '{}'", option, text));
  Real value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, fault] = std::from_chars(digits.data(), end, value);
  if (fault == std::errc::result_out_of_range)
    throw BadInput(fmt::format("{}: '{}' is too large or too small a number", option, digits));
  if (fault != std::errc() || stop != end)
    throw BadInput(fmt::format("{}: '{}' is not a number", option, digits));
  if (!is_finite(value))
    throw BadInput(fmt::format("{}: '{}' is not a finite number", option, digits));
  if (!is_bounded(value))
    throw BadInput(
        fmt::format("{}: '{}' is beyond 1e30, where numbers lose their meaning", option, digits));
  return value;
}

Real parse_within(std::string_view text, std::string_view option, Real lo, Real hi) {
  const Real value = parse_number(text, option);
  if (!(value >= lo && value <= hi))
    throw BadInput(fmt::format("{} takes a number from {} to {}", option, lo, hi));
  return value;
}

Real parse_above_zero(std::string_view text, std::string_view option) {
  const Real value = parse_number(text, option);
  if (!(value > 0)) throw BadInput(fmt::format("{} must be above zero", option));
  return value;
}

std::vector<Real> parse_numbers(std::string_view text, std::string_view option) {
  std::vector<Real> numbers;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty()) throw BadInput(fmt::format("{}: a number is missing in '{}'", option, text));
    numbers.push_back(parse_number(part, option));
  }
  return numbers;
}

int parse_count(std::string_view text, std::string_view option, int least, int most) {
  const Real value = parse_number(text, option);
  if (value != std::floor(value) || value < least || value > most)
    throw BadInput(fmt::format("{} takes a whole number from {} to {}", option, least, most));
  return static_cast<int>(value);
}

Vec3 parse_point(std::string_view text, std::string_view option) {
  const std::vector<Real> n = parse_exactly(3, text, "x,y,z", option);
  return {n[0], n[1], n[2]};
}

Vec3 parse_direction(std::string_view text, std::string_view option) {
  const Vec3 direction = parse_point(text, option);
  if (direction.isZero(0)) throw BadInput(fmt::format("{}: 0,0,0 is no direction", option));
  return normalized_or_zero(direction);
}

Quat parse_orientation(std::string_view text, std::string_view option) {
  const std::vector<Real> n = parse_exactly(4, text, "a quaternion w,x,y,z", option);
  if (is_zero(n.data()))
    throw BadInput(
        fmt::format("{}: a zero quaternion is no orientation; 1,0,0,0 leaves it unturned", option));
  return normalized_or_identity(load_quat(n.data()));
}

std::vector<Real> parse_q(std::string_view text, const Skeleton& skeleton, bool degrees,
                          std::string_view option) {
  const std::size_t expected = static_cast<std::size_t>(skeleton.q_size());
  std::vector<Real> q;
  if (expected > 0 || !trimmed(text).empty())
    q = parse_exactly(expected, text, coordinates_of(skeleton), option);
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    Real* const own = q.data() + skeleton.q_offset(j);
    switch (skeleton.type(j)) {
      case JointType::fixed:
        break;
      case JointType::slider:
        break;
      case JointType::hinge:
        if (degrees) *own *= pi / 180;
        break;
      case JointType::ball:
        if (is_zero(own))
          throw BadInput(
              fmt::format("{}: the quaternion of '{}' is zero", option, skeleton.name(j)));
        store_quat(normalized_or_identity(load_quat(own)), own);
        break;
    }
  }
  return q;
}

std::vector<Real> parse_posture(std::string_view text, const Character& character, bool degrees,
                                std::string_view option) {
  if (const Posture* posture = find_posture(character, text)) return posture->q;
  const bool looks_like_numbers =
      text.find(',') != std::string_view::npos || text.find_first_of("0123456789+-.") == 0;
  if (looks_like_numbers) return parse_q(text, character.skeleton, degrees, option);
  std::vector<std::string_view> names;
  for (const Posture& posture : character.postures) names.push_back(posture.name);
  throw BadInput(fmt::format(
      "'{}' has no posture '{}'{} ({})", character.name, text, did_you_mean(text, names),
      names.empty() ? "it has none; give numbers" : "it has " + listed(names)));
}

Frame parse_end(const OptionText& name, const Character& character) {
  if (!name && character.ends.empty())
    throw BadInput(fmt::format("'{}' has no end-points; name a joint with --end", character.name));
  if (!name) return character.ends.front();
  Result<Frame> frame = find_frame(character, *name);
  if (!frame) throw BadInput(to_string(frame.error()));
  return *std::move(frame);
}

MotionFilter parse_preset(std::string_view name, bool or_plain) {
  std::vector<std::string_view> names;
  if (or_plain) {
    if (name == "plain") return {};
    names.push_back("plain");
  }
  for (const FilterPreset& preset : filter_presets()) {
    if (preset.name == name) return preset.filter;
    names.push_back(preset.name);
  }
  throw BadInput(fmt::format("no preset is called '{}'{} (there is {})", name,
                             did_you_mean(name, names), listed(names)));
}

std::string listed(const std::vector<std::string_view>& names) {
  constexpr std::size_t most = 40;
  const std::size_t shown = std::min(names.size(), most);
  std::string list = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  if (shown < names.size()) list += fmt::format(", and {} more", names.size() - shown);
  return list;
}

void check_is_no_input(std::string_view option, const std::string& output,
                       const std::vector<std::string>& inputs) {
  std::error_code ignored;
  for (const std::string& input : inputs)
    if (std::filesystem::equivalent(output, input, ignored))
      throw BadInput(
          fmt::format("{}: '{}' is what is read; write to another file", option, output));
}

}  // namespace gestik::tool
