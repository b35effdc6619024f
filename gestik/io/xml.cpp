#include "gestik/io/xml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "gestik/io/text.h"

namespace gestik {
namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> known_entities{
    {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};

bool ends_name(char c) noexcept {
  return is_blank(c) || std::string_view("/>=<\"'").find(c) != std::string_view::npos;
}

/// Appends a character that may stand in a name or a number; says no to all others.
bool append_utf8(std::uint32_t code, std::string& out) {
  const auto push = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x20 || code == 0x7F || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF)
    return false;
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0 | code >> 6);
    push(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    push(0xE0 | code >> 12);
    push(0x80 | (code >> 6 & 0x3F));
    push(0x80 | (code & 0x3F));
  } else {
    push(0xF0 | code >> 18);
    push(0x80 | (code >> 12 & 0x3F));
    push(0x80 | (code >> 6 & 0x3F));
    push(0x80 | (code & 0x3F));
  }
  return true;
}

/// Appends what "&name;" stands for, if it is known.
bool append_entity(std::string_view name, std::string& out) {
  for (const auto& [known, character] : known_entities)
    if (name == known) {
      out.push_back(character);
      return true;
    }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const bool hexadecimal = name.starts_with('x');
  if (hexadecimal) name.remove_prefix(1);
  std::uint32_t code = 0;
  const char* end = name.data() + name.size();
  const auto [stop, fault] = std::from_chars(name.data(), end, code, hexadecimal ? 16 : 10);
  return fault == std::errc() && stop == end && append_utf8(code, out);
}

/// An attribute's value: entities written out, other white space as spaces. An ampersand that
/// begins nothing known stands for itself, as the XML library of urdfdom has it.
std::string decoded(std::string_view raw) {
  constexpr std::size_t longest_entity = 10;
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '&') {
      const std::string_view ahead = raw.substr(at + 1, longest_entity);
      const std::size_t length = ahead.find(';');
      if (length != std::string_view::npos && append_entity(ahead.substr(0, length), out)) {
        at += length + 1;
        continue;
      }
    }
    out.push_back(is_blank(raw[at]) ? ' ' : raw[at]);
  }
  return out;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<std::vector<XmlElement>> scan() {
    while (skip_to("<")) {
      if (!step()) return *fault_;
    }
    if (!open_.empty()) {
      const XmlElement& last = elements_[open_.back()];
      return error_at(file_, line_,
                      "the file ends inside " + shown(last) + " of line " +
                          std::to_string(last.line) + "; is it cut short?");
    }
    if (elements_.empty())
      return error_at(file_, 1, "there is no XML element here; is this a robot description?");
    return std::move(elements_);
  }

 private:
  static std::string shown(const XmlElement& element) {
    return std::string("<").append(shortened(element.tag)).append(">");
  }

  bool refuse(std::string what, int line) {
    fault_ = error_at(file_, line, std::move(what));
    return false;
  }
  bool refuse(std::string what) { return refuse(std::move(what), line_); }

  bool at(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  char front() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void advance(std::size_t to) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  /// To the first place where the word stands; to the end and false if it stands nowhere.
  bool skip_to(std::string_view word) {
    const std::size_t found = text_.find(word, at_);
    advance(std::min(found, text_.size()));
    return found != std::string_view::npos;
  }

  bool skip_past(std::string_view word, const char* what) {
    const int begun = line_;
    if (!skip_to(word))
      return refuse(
          std::string(what) + " begins here and never ends; close it with " + std::string(word),
          begun);
    advance(at_ + word.size());
    return true;
  }

  void skip_blanks() {
    std::size_t to = at_;
    while (to < text_.size() && is_blank(text_[to])) ++to;
    advance(to);
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool step() {
    if (at("<!--")) return skip_past("-->", "a comment");
    if (at("<?")) return skip_past("?>", "a declaration");
    if (at("<![CDATA[")) return skip_past("]]>", "a CDATA section");
    if (at("<!")) return skip_document_type();
    if (at("</")) return close();
    return open();
  }

  bool skip_document_type() {
    const std::size_t end = text_.find_first_of("[>", at_);
    if (end != std::string_view::npos && text_[end] == '[')
      return refuse("a document type with definitions of its own is not read; remove it");
    return skip_past(">", "a declaration");
  }

  bool close() {
    at_ += 2;
    const std::string_view tag = name();
    skip_blanks();
    const std::string written = std::string("</") + shortened(tag) + ">";
    if (front() != '>') return refuse("the closing tag " + written + " lacks its '>'");
    if (open_.empty()) return refuse(written + " closes nothing; remove it");
    const XmlElement& element = elements_[open_.back()];
    if (element.tag != tag)
      return refuse(written + " stands where " + shown(element) + " must be closed, from line " +
                    std::to_string(element.line));
    open_.pop_back();
    ++at_;
    return true;
  }

  bool open() {
    ++at_;
    XmlElement element{.tag = {}, .line = line_, .parent = -1, .attributes = {}};
    element.tag = name();
    if (element.tag.empty()) return refuse("'<' begins no tag; write &lt; if it is meant as text");
    if (open_.empty() && !elements_.empty())
      return refuse(shown(element) + " stands after the end of " + shown(elements_[0]) +
                    "; a document has one outermost element");
    if (!open_.empty()) element.parent = static_cast<int>(open_.back());

    for (skip_blanks(); front() != '>' && !at("/>"); skip_blanks())
      if (!attribute(element)) return false;
    const bool closed = front() == '/';
    at_ += closed ? 2 : 1;
    elements_.push_back(std::move(element));
    if (!closed) open_.push_back(elements_.size() - 1);
    return true;
  }

  bool attribute(XmlElement& element) {
    constexpr std::size_t most_attributes = 100;  // each is compared with all before it
    const std::string where = " in " + shown(element);
    const std::string_view key = name();
    if (key.empty())
      return refuse(at_ == text_.size() ? "the file ends" + where + "; is it cut short?"
                                        : "an attribute such as name=\"...\" is expected" + where);
    skip_blanks();
    if (front() != '=') return refuse("attribute " + quoted(key) + " lacks its '='" + where);
    ++at_;
    skip_blanks();
    const char quote = front();
    if (quote != '"' && quote != '\'')
      return refuse("the value of " + quoted(key) + " must stand in quotes" + where);
    const std::size_t begin = at_ + 1;
    const std::size_t end = std::min(text_.find(quote, begin), text_.find('<', begin));
    if (end == std::string_view::npos || text_[end] == '<')
      return refuse("the value of " + quoted(key) + " lacks its closing quote" + where);
    if (element.attribute(key) != nullptr)
      return refuse("attribute " + quoted(key) + " is given twice" + where);
    if (element.attributes.size() == most_attributes)
      return refuse("there are more than " + std::to_string(most_attributes) + " attributes" +
                    where);
    element.attributes.push_back({key, decoded(text_.substr(begin, end - begin))});
    advance(end + 1);
    return true;
  }

  std::string_view text_, file_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<XmlElement> elements_;
  std::vector<std::size_t> open_;
  std::optional<Error> fault_;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view name) const noexcept {
  for (const XmlAttribute& attribute : attributes)
    if (attribute.name == name) return &attribute.value;
  return nullptr;
}

Result<std::vector<XmlElement>> scan_xml(std::string_view text, std::string_view file) {
  return Scanner(without_byte_order_mark(text), file).scan();
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto entity = std::find_if(known_entities.begin(), known_entities.end(),
                                     [c](const auto& known) { return known.second == c; });
    if (entity == known_entities.end())
      out.push_back(c);
    else
      out.append("&").append(entity->first).append(";");
  }
  return out;
}

}  // namespace gestik
