#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gestik::evaluation {

/// Text as it stands in HTML and SVG.
std::string escaped(std::string_view text);

/// The style of html_page(): what tables, figures and svg() look like.
std::string_view page_style();

/// A whole page that needs nothing but itself: the style for tables, figures and svg() is inside.
/// Readable on light and dark screens and on paper. `body` is HTML.
std::string html_page(std::string_view title, std::string_view body);

/// A paragraph that says of which version and options a report is. `options` is HTML.
std::string origin(std::string_view options);

/// A table as HTML. Cells are text.
class HtmlTable {
 public:
  explicit HtmlTable(std::string_view caption) : caption_(caption) {}

  struct Head {
    std::string text;
    int columns = 1;  ///< how many it spans
  };
  void head(const std::vector<Head>&);
  void row(const std::vector<std::string>& cells, std::string_view css_class = "");

  std::string str() const;

 private:
  std::string caption_, head_, rows_;
};

/// Pictures with a caption below, as HTML.
std::string figure(std::string_view pictures, std::string_view caption);

}  // namespace gestik::evaluation
