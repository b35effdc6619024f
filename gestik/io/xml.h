#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"

namespace gestik {

struct XmlAttribute {
  std::string_view name;
  std::string value;  ///< with &lt; and its kind written out
};

struct XmlElement {
  std::string_view tag;
  int line = 0;
  int parent = -1;  ///< index in the list of elements; -1 for the document's one root
  std::vector<XmlAttribute> attributes;

  /// nullptr where there is none of that name.
  const std::string* attribute(std::string_view name) const noexcept;
};

/// The elements of an XML text in document order, each with its line. It reads what robot
/// descriptions use (elements, attributes, comments, declarations) without recursion, so that depth
/// costs nothing; words between the elements are passed over, and entities of the file's own making
/// are not known. The text must be UTF-8 and must outlive the elements.
Result<std::vector<XmlElement>> scan_xml(std::string_view text, std::string_view file);

/// The text as it must stand between the quotes of an attribute.
std::string xml_escaped(std::string_view);

}  // namespace gestik
