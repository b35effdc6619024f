#include "gestik/io/obj.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "gestik/io/read.h"
#include "gestik/io/text.h"

namespace gestik {
namespace {

/// What says nothing about the shape of a mesh.
constexpr std::array<std::string_view, 10> silent{"vt", "vn", "vp",     "o",      "g",
                                                  "s",  "mg", "mtllib", "usemtl", "usemap"};

/// One logical line: a backslash at its end joins the next one to it.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    words_.clear();
    number_ = ++last_;
    while (true) {
      const std::size_t end = rest_.find('\n');
      std::string_view line = rest_.substr(0, end);
      rest_ = end == rest_.npos ? std::string_view() : rest_.substr(end + 1);
      line = trimmed(line.substr(0, line.find('#')));
      const bool goes_on = line.ends_with('\\');
      if (goes_on) line.remove_suffix(1);
      for (const std::string_view word : words_of(line)) words_.push_back(word);
      if (!goes_on || rest_.empty()) return true;
      ++last_;
    }
  }

  int number() const { return number_; }
  const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::string_view rest_;
  std::vector<std::string_view> words_;
  int number_ = 0, last_ = 0;
};

class ObjReader {
 public:
  explicit ObjReader(std::string_view file) : file_(file) {}

  Result<LoadedMesh> mesh(std::string_view text) {
    if (auto fault = check_text(text, file_)) return *std::move(fault);
    Lines lines(without_byte_order_mark(text));
    while (!fault_ && lines.next()) {
      line_ = lines.number();
      if (!lines.words().empty()) line(lines.words());
    }
    if (!fault_) check_triangles();
    if (fault_) return *std::move(fault_);
    if (loaded_.mesh.triangles.empty())
      return Error{"there is no face in it; a mesh needs lines such as `f 1 2 3`",
                   std::string(file_)};
    if (auto fault = check(loaded_.mesh)) return Error{to_string(*fault), std::string(file_)};
    return std::move(loaded_);
  }

 private:
  void refuse(int line, std::string what) {
    if (!fault_) fault_ = error_at(file_, line, std::move(what));
  }

  void line(const std::vector<std::string_view>& words) {
    if (words[0] == "v") return vertex(words);
    if (words[0] == "f") return face(words);
    if (std::find(silent.begin(), silent.end(), words[0]) != silent.end()) return;
    pass_over(words[0]);
  }

  /// Once for each keyword.
  void pass_over(std::string_view word) {
    if (std::find(passed_over_.begin(), passed_over_.end(), word) != passed_over_.end()) return;
    if (passed_over_.size() == most_warnings) return;
    passed_over_.emplace_back(word);
    loaded_.warnings.push_back(std::string(file_) + ":" + std::to_string(line_) + ": lines with " +
                               quoted(word) + " are passed over: only vertices and faces are read");
  }

  void vertex(const std::vector<std::string_view>& words) {
    if (words.size() < 4) return refuse(line_, "a vertex needs three numbers, x y z");
    Vec3 place;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::optional<Real> number = parse_real(words[k + 1]);
      if (!number || !(std::abs(*number) <= farthest_vertex))
        return refuse(line_, quoted(words[k + 1]) + " is not a number of at most 1e9");
      place[static_cast<int>(k)] = *number;
    }
    loaded_.mesh.vertices.push_back(place);
  }

  /// A corner is a vertex, and what follows a slash is none of ours: "7", "7/1", "7//3", "-1".
  std::optional<int> corner(std::string_view word) {
    const std::string_view digits = word.substr(0, word.find('/'));
    int index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (error != std::errc() || end != digits.data() + digits.size() || index == 0) {
      refuse(line_, quoted(word) + " is no corner; corners are numbers of vertices from 1 on");
      return std::nullopt;
    }
    const auto count = static_cast<int>(loaded_.mesh.vertices.size());
    if (index < -count) {
      refuse(line_, "vertex " + std::to_string(index) + " counts back beyond the first of the " +
                        std::to_string(count) + " so far");
      return std::nullopt;
    }
    return index > 0 ? index - 1 : count + index;
  }

  void face(const std::vector<std::string_view>& words) {
    if (words.size() < 4) return refuse(line_, "a face needs at least three corners");
    const std::optional<int> first = corner(words[1]);
    std::optional<int> last = corner(words[2]);
    for (std::size_t k = 3; k < words.size() && !fault_; ++k) {
      const std::optional<int> next = corner(words[k]);
      if (!first || !last || !next) return;
      if (loaded_.mesh.triangles.size() == most_triangles)
        return refuse(line_, "more than 16 million triangles; simplify the mesh");
      loaded_.mesh.triangles.push_back({*first, *last, *next});
      triangle_lines_.push_back(line_);
      last = next;
    }
  }

  /// At the end, for a face may come before its vertices.
  void check_triangles() {
    const auto count = static_cast<int>(loaded_.mesh.vertices.size());
    for (std::size_t i = 0; i < triangle_lines_.size() && !fault_; ++i) {
      const std::array<int, 3>& triangle = loaded_.mesh.triangles[i];
      for (const int v : triangle)
        if (v >= count)
          refuse(triangle_lines_[i], "there is no vertex " + std::to_string(std::int64_t{v} + 1) +
                                         "; the file has " + std::to_string(count));
      if (fault_) return;
      if (const auto fault = fault_of(loaded_.mesh, triangle))
        refuse(triangle_lines_[i], "a triangle of this face: " + *fault);
    }
  }

  static constexpr std::size_t most_warnings = 20;

  std::string_view file_;
  int line_ = 0;
  LoadedMesh loaded_;
  std::vector<int> triangle_lines_;
  std::vector<std::string> passed_over_;
  std::optional<Error> fault_;
};

}  // namespace

Result<LoadedMesh> read_obj(std::string_view text, std::string_view file) {
  return ObjReader(file).mesh(text);
}

Result<LoadedMesh> read_mesh_file(const std::string& path) {
  std::string ending = path.size() < 4 ? "" : path.substr(path.size() - 4);
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (ending != ".obj") return Error{"unknown kind of file; a mesh's file ends in .obj", path};
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return read_obj(*text, path);
}

}  // namespace gestik
