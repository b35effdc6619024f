#include "gestik/io/bvh_parse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gestik/io/text.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<BvhChannel> channel_named(std::string_view word) noexcept {
  if (word.empty()) return std::nullopt;
  const int axis = lower(word[0]) - 'x';
  const bool rotates = same_word(word.substr(1), "rotation");
  if (axis < 0 || axis > 2 || (!rotates && !same_word(word.substr(1), "position")))
    return std::nullopt;
  return BvhChannel{axis, rotates, 0};
}

/// "'abc' stands", or what to say at the end of the file.
std::string finding(std::string_view word) {
  return word.empty() ? "the file ends" : quoted(word) + " stands";
}

/// A joint or end site whose brace is still open.
struct Open {
  bool is_end = false;
  int index = 0;
  bool is_first = false;  ///< of its parent's children
  bool has_offset = false, has_channels = false, has_children = false;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<BvhFile> parse() {
    if (!read_hierarchy() || !read_motion()) return *fault_;
    return std::move(out_);
  }

 private:
  bool refuse(std::string what, int line) {
    fault_ = error_at(file_, line, std::move(what));
    return false;
  }
  bool refuse(std::string what) { return refuse(std::move(what), line_); }

  void skip_blanks() {
    for (; at_ < text_.size() && is_blank(text_[at_]); ++at_)
      if (text_[at_] == '\n') ++line_;
  }

  /// The next word; a brace or a colon is one of its own. Empty at the end of the file.
  std::string_view word() {
    constexpr std::string_view alone = "{}:";
    const auto is_alone = [&](char c) { return alone.find(c) != std::string_view::npos; };
    skip_blanks();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_alone(text_[at_])) return text_.substr(at_++, 1);
    while (at_ < text_.size() && !is_blank(text_[at_]) && !is_alone(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// What is left of the line, up to a brace: a name may have spaces inside.
  std::string_view rest_of_line() {
    const std::size_t end = std::min(text_.find_first_of("\r\n{", at_), text_.size());
    const std::string_view rest = text_.substr(at_, end - at_);
    at_ = end;
    return trimmed(rest);
  }

  bool expect(std::string_view wanted, const std::string& hint) {
    const std::string_view found = word();
    if (same_word(found, wanted)) return true;
    return refuse(finding(found) + " where " + std::string(wanted) + " is expected" + hint);
  }

  bool read_hierarchy() {
    if (!expect("HIERARCHY", "; is this a BVH file?") ||
        !expect("ROOT", "; the hierarchy begins with ROOT and a name") || !open_joint())
      return false;
    while (!open_.empty())
      if (!read_member()) return false;
    return true;
  }

  /// One thing inside the braces of a joint or an end site.
  bool read_member() {
    const std::string_view key = word();
    if (key.empty()) return refuse("the file ends inside " + owner() + "; is it cut short?");
    if (key == "}") return close();
    if (same_word(key, "OFFSET")) return read_offset();
    if (open_.back().is_end)
      return refuse(quoted(key) + " stands in " + owner() + ", where only OFFSET may");
    if (same_word(key, "CHANNELS")) return read_channels();
    if (same_word(key, "JOINT")) return open_joint();
    if (same_word(key, "End")) return open_end();
    return refuse(quoted(key) + " stands in " + owner() +
                  ", where OFFSET, CHANNELS, JOINT, End Site or } is expected");
  }

  /// Whose braces we are in, in words.
  std::string owner() const {
    const Open& open = open_.back();
    const int joint = open.is_end ? out_.ends[open.index].joint : open.index;
    return (open.is_end ? "the end site of joint " : "joint ") + quoted(out_.joints[joint].name);
  }

  bool open_joint() {
    BvhJoint joint;
    joint.line = line_;
    joint.name = std::string(rest_of_line());
    if (joint.name.empty()) return refuse("a joint has no name; write one behind JOINT or ROOT");
    if (!expect("{", " behind the name of joint " + quoted(joint.name))) return false;
    if (!open_.empty()) joint.parent = open_.back().index;
    push(false, out_.joints.size());
    out_.joints.push_back(std::move(joint));
    return true;
  }

  bool open_end() {
    rest_of_line();  // "Site", and a name in some files
    if (!expect("{", " behind End Site")) return false;
    out_.ends.push_back({.joint = open_.back().index});
    push(true, out_.ends.size() - 1);
    return true;
  }

  void push(bool is_end, std::size_t index) {
    const bool is_first = !open_.empty() && !std::exchange(open_.back().has_children, true);
    open_.push_back({.is_end = is_end, .index = static_cast<int>(index), .is_first = is_first});
  }

  bool close() {
    const Open& open = open_.back();
    if (!open.has_offset)
      return refuse(owner() + " has no OFFSET; write one, such as OFFSET 0 1 0");
    if (!open.is_end && !open.has_children)
      out_.ends.push_back({.joint = open.index, .offset = Vec3::Zero(), .is_joint = true});
    open_.pop_back();
    return true;
  }

  bool read_offset() {
    Open& open = open_.back();
    if (open.has_offset) return refuse(owner() + " has a second OFFSET; remove one");
    open.has_offset = true;
    Vec3& offset = open.is_end ? out_.ends[open.index].offset : out_.joints[open.index].offset;
    for (int i = 0; i < 3; ++i) {
      const std::string_view found = word();
      const std::optional<Real> number = parse_real(found);
      if (!number)
        return refuse(finding(found) + " where OFFSET needs three finite numbers, such as 0 1.5 0");
      offset[i] = *number;
    }
    if (open.is_first) out_.joints[open_[open_.size() - 2].index].towards = offset;
    return true;
  }

  /// The columns of the motion follow the CHANNELS lines; before the children, that is the order of
  /// the joints.
  bool read_channels() {
    Open& open = open_.back();
    if (open.has_children)
      return refuse("CHANNELS of " + owner() + " must stand before its children");
    if (open.has_channels) return refuse(owner() + " has a second CHANNELS; remove one");
    open.has_channels = true;
    const std::string_view count = word();
    if (count.size() != 1 || count[0] < '0' || count[0] > '6')
      return refuse(finding(count) + " where CHANNELS needs their number, 0 to 6");
    for (int i = 0; i < count[0] - '0'; ++i)
      if (!read_channel(out_.joints[open.index].channels)) return false;
    return true;
  }

  bool read_channel(std::vector<BvhChannel>& channels) {
    const std::string_view name = word();
    std::optional<BvhChannel> channel = channel_named(name);
    if (!channel)
      return refuse(finding(name) +
                    " where a channel is expected: Xposition, Yposition, "
                    "Zposition, Xrotation, Yrotation or Zrotation");
    for (const BvhChannel& other : channels)
      if (other.axis == channel->axis && other.rotates == channel->rotates)
        return refuse("channel " + quoted(name) + " of " + owner() + " is there twice; remove one");
    channel->column = out_.columns++;
    channels.push_back(*channel);
    return true;
  }

  /// The motion may be missing: the file is a skeleton then.
  bool read_motion() {
    const std::string_view key = word();
    if (key.empty()) return true;
    if (same_word(key, "ROOT"))
      return refuse("a second ROOT begins here; put each skeleton into a file of its own");
    if (!same_word(key, "MOTION"))
      return refuse(finding(key) + " where MOTION is expected, behind the last }");

    if (!expect("Frames", " behind MOTION") || !expect(":", " behind Frames")) return false;
    const int frames_line = line_;
    const std::string_view frames = word();
    const std::optional<Real> announced = parse_real(frames);
    if (!announced || *announced < 0 || *announced != std::floor(*announced))
      return refuse(finding(frames) + " where the number of frames is expected");

    BvhMotion& motion = out_.motion.emplace();
    if (!expect("Frame", " Time: behind the number of frames") ||
        !expect("Time", ": behind Frame") || !expect(":", " behind Frame Time") ||
        !read_frame_time(motion))
      return false;
    std::size_t found = 0;
    for (; skip_blanks(), at_ < text_.size(); ++found)
      if (!read_row(motion, found + 1)) return false;
    if (out_.columns > 0 && static_cast<Real>(found) != *announced)
      return refuse("Frames: announces " + quoted(frames) + " frames, but there are " +
                        std::to_string(found) + "; correct the number, or the file is cut short",
                    frames_line);
    return true;
  }

  bool read_frame_time(BvhMotion& motion) {
    constexpr Real shortest = 1e-9, longest = 1e9;
    const std::string_view found = word();
    const std::optional<Real> seconds = parse_real(found);
    if (!seconds || !(*seconds >= shortest && *seconds <= longest))
      return refuse(finding(found) + " where Frame Time: needs seconds above zero, such as 0.0333");
    motion.frame_time = *seconds;
    return true;
  }

  /// One frame is one line.
  bool read_row(BvhMotion& motion, std::size_t number) {
    const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
    int count = 0;
    while (at_ < end) {
      const std::size_t begin = at_;
      while (at_ < end && !is_blank(text_[at_])) ++at_;
      const std::string_view found = text_.substr(begin, at_ - begin);
      const std::optional<Real> value = parse_real(found);
      if (!value || !is_bounded(*value))
        return refuse(finding(found) + " where the motion needs a finite number below 1e30");
      motion.values.push_back(*value);
      ++count;
      while (at_ < end && is_blank(text_[at_])) ++at_;
    }
    if (count == out_.columns) return true;
    return refuse("frame " + std::to_string(number) + " has " + std::to_string(count) +
                  " numbers on its line, but the joints have " + std::to_string(out_.columns) +
                  " channels; is the file cut short?");
  }

  std::string_view text_, file_;
  std::size_t at_ = 0;
  int line_ = 1;
  BvhFile out_;
  std::vector<Open> open_;
  std::optional<Error> fault_;
};

}  // namespace

Result<BvhFile> parse_bvh(std::string_view text, std::string_view file) {
  if (auto fault = check_text(text, file)) return *fault;
  return Parser(without_byte_order_mark(text), file).parse();
}

}  // namespace gestik
