#include "tools/gestik/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "gestik/model/joint_ops.h"

namespace gestik::tool {
namespace {

/// Characters on the screen: bytes of UTF-8 that don't continue one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string without_tail_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

void write_text(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return;
  if (errno == EPIPE) throw CantWrite{};
  throw CantWrite{fmt::format("can't write to standard output: {}", std::strerror(errno))};
}

void write_json(const Json& json) {
  write_text(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

// Not fmt::print, which throws where standard error is closed.
void complain(std::string_view message) {
  std::fputs(fmt::format("gestik: {}\n", printable(message)).c_str(), stderr);
}

void note(std::string_view message) {
  std::fputs(fmt::format("gestik: note: {}\n", printable(message)).c_str(), stderr);
}

std::string printable(std::string_view text) {
  std::string clean(text);
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return clean;
}

void Table::add(std::vector<std::string> row) {
  row.resize(columns_.size());
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::string Table::str(std::string_view indent) const {
  constexpr std::size_t widest = 60;  // one endless name must not widen a hundred thousand rows
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], std::min(width_of(row[c]), widest));

  std::string text;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - std::min(width_of(row[c]), widths[c]), ' ');
      line += columns_[c] == Align::left ? row[c] + blanks : blanks + row[c];
      line += "  ";
    }
    text += without_tail_blanks(std::move(line)) + "\n";
  }
  return text;
}

Real degrees_of(Real radians) {
  return radians * (180 / pi);
}

std::string fixed(Real number, int decimals) {
  std::string text = fmt::format("{:.{}f}", number, decimals);
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

Json value_json(const Skeleton& skeleton, JointId j, ConstQ q, bool degrees) {
  const Real* const own = q.data() + skeleton.q_offset(j);
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return nullptr;
    case JointType::hinge:
      return degrees ? degrees_of(*own) : *own;
    case JointType::slider:
      return *own;
    case JointType::ball:
      return json_of(load_quat(own));
  }
  return nullptr;
}

Json q_json(const Skeleton& skeleton, ConstQ q, bool degrees) {
  Json list = Json::array();
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    const Json value = value_json(skeleton, j, q, degrees);
    if (value.is_array())
      list.insert(list.end(), value.begin(), value.end());
    else if (!value.is_null())
      list.push_back(value);
  }
  return list;
}

Json json_of(const Vec3& v) {
  return Json::array({v.x(), v.y(), v.z()});
}

Json json_of(const Quat& q) {
  return Json::array({q.w(), q.x(), q.y(), q.z()});
}

// Adding zero turns -0 into 0.
std::string text_of(const Vec3& v) {
  return fmt::format("{:.6g}, {:.6g}, {:.6g}", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

std::string text_of(const Quat& q) {
  return fmt::format("{:.6g}, {:.6g}, {:.6g}, {:.6g}", q.w() + 0.0, q.x() + 0.0, q.y() + 0.0,
                     q.z() + 0.0);
}

}  // namespace gestik::tool
