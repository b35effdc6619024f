#include "evaluation/html_page.h"

#include <fmt/format.h>

namespace gestik::evaluation {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1c1f; --soft: #63636b; --line: #dcdce1;
  --shade: #f4f4f7; --grey: #8a8a92; --red: #c8362f; --amber: #c98a00; --green: #2c8a3d; --cyan: #0d8f9c;
  --blue: #2b62c9; --purple: #8a3fb5; }
@media (prefers-color-scheme: dark) { :root { --paper: #17181b; --ink: #e6e6ea; --soft: #a3a3ad;
  --line: #35363c; --shade: #202126; --grey: #8f8f99; --red: #f0726b; --amber: #e9b23c; --green: #62c474;
  --cyan: #4cc6d2; --blue: #7ba5f5; --purple: #c58aea; } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
.scroll { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.5rem; max-width: 60rem; }
th, td { padding: 0.2rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
tr.paper td { color: var(--soft); background: var(--shade); font-style: italic; }
figure { margin: 1.5rem 0; } figcaption { color: var(--soft); font-size: 0.9rem; max-width: 60rem; }
.plots { display: flex; flex-wrap: wrap; align-items: flex-start; gap: 0.75rem; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 10.5px system-ui, sans-serif; }
svg .title { font-size: 12px; font-weight: 600; } svg .tick { fill: var(--soft); }
svg .over { paint-order: stroke; stroke: var(--paper); stroke-width: 3; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .mark { stroke: var(--ink); stroke-width: 1.2; } svg .dashed { stroke-dasharray: 5 4; }
svg .bars { fill: var(--c); fill-opacity: 0.45; stroke: var(--c); stroke-width: 0.6; }
svg .cross { fill: none; stroke: var(--c); stroke-width: 0.8; }
svg .curve { fill: none; stroke: var(--c); stroke-width: 1.8; }
svg .grey { --c: var(--grey); } svg .red { --c: var(--red); } svg .amber { --c: var(--amber); }
svg .green { --c: var(--green); } svg .cyan { --c: var(--cyan); } svg .blue { --c: var(--blue); }
svg .purple { --c: var(--purple); } svg .ink { --c: var(--ink); }
@media print { body { max-width: none; } figure, table { break-inside: avoid; } }
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string_view page_style() {
  return style;
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n{2}</body>\n</"
      "html>\n",
      escaped(title), style, body);
}

std::string origin(std::string_view options) {
  return fmt::format("<p>Run with gestik {}: {}.</p>\n", GESTIK_VERSION, options);
}

void HtmlTable::head(const std::vector<Head>& cells) {
  head_ += "<tr>";
  for (const Head& cell : cells) {
    const std::string span = cell.columns == 1 ? "" : fmt::format(" colspan=\"{}\"", cell.columns);
    head_ += fmt::format("<th{}>{}</th>", span, escaped(cell.text));
  }
  head_ += "</tr>\n";
}

void HtmlTable::row(const std::vector<std::string>& cells, std::string_view css_class) {
  rows_ += css_class.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", css_class);
  for (const std::string& cell : cells) rows_ += fmt::format("<td>{}</td>", escaped(cell));
  rows_ += "</tr>\n";
}

std::string HtmlTable::str() const {
  return fmt::format(
      "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead>\n{}</thead>\n<tbody>\n{}"
      "</tbody>\n</table></div>\n",
      escaped(caption_), head_, rows_);
}

std::string figure(std::string_view pictures, std::string_view caption) {
  return fmt::format(
      "<figure>\n<div class=\"plots\">\n{}</div>\n<figcaption>{}</figcaption>\n</figure>\n",
      pictures, escaped(caption));
}

}  // namespace gestik::evaluation
