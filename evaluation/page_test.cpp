// What reports are made of: tables of values, pages, pictures, and the folder they go into.

#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/csv.h"
#include "evaluation/folder_for_test.h"
#include "evaluation/html_page.h"
#include "evaluation/output_folder.h"
#include "evaluation/svg_plot.h"

namespace gestik::evaluation {
namespace {

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Csv, WritesNumbersInFullAndQuotesWhatNeedsIt) {
  Csv csv({"name", "number", "count"});
  csv << "plain" << 0.1 << std::uint64_t{18446744073709551615u};
  csv.end_line();
  csv << "a,\"b\"" << 1e-7 << std::uint64_t{0};
  csv.end_line();
  EXPECT_EQ(csv.str(),
            "name,number,count\nplain,0.1,18446744073709551615\n\"a,\"\"b\"\"\",1e-07,0\n");
}

TEST(HtmlPage, EscapesTextAndNeedsNothingElse) {
  HtmlTable table("a < b");
  table.head({{"x & y", 2}});
  table.row({"<script>", "\"1\""}, "paper");
  const std::string page = html_page("T & Co", table.str() + figure("<svg></svg>", "1 < 2"));
  for (const char* part : {"<title>T &amp; Co</title>", "a &lt; b", "x &amp; y", "&lt;script&gt;",
                           "&quot;1&quot;", "colspan=\"2\"", "1 &lt; 2", "class=\"paper\""})
    EXPECT_TRUE(contains(page, part)) << part;
  EXPECT_FALSE(contains(page, "<script>"));
  EXPECT_FALSE(contains(page, "http"));
}

TEST(SvgPlot, DrawsBarsCurvesAndMarks) {
  Plot plot{.title = "errors < 1", .x_label = "error", .y_label = "count", .x = {.to = 0.1}};
  plot.bars.push_back({"bars", 0.01, {1, 5, 2}, Colour::amber});
  plot.curves.push_back({"curve", normal_density(0.02, 0.01, 0.1), Colour::blue, true});
  plot.marks = {{"threshold", 0.04, true}, {"highest", 0.5}};
  const std::string picture = svg(plot);
  for (const char* part : {"<svg", "errors &lt; 1", "bars amber", "curve blue dashed", "threshold",
                           "highest →", "</svg>"})
    EXPECT_TRUE(contains(picture, part)) << part << " missing in\n" << picture;
  EXPECT_FALSE(contains(picture, "nan"));
}

TEST(SvgPlot, OfNothingIsStillAPicture) {
  const std::string picture = svg({.title = "empty"});
  EXPECT_TRUE(contains(picture, "</svg>"));
  EXPECT_FALSE(contains(picture, "nan"));
  EXPECT_FALSE(contains(picture, "inf"));
}

TEST(SvgPlot, TheNormalDensityHoldsOne) {
  const std::vector<Vec2> points = normal_density(0.5, 0.1, 1);
  Real area = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    area += (points[i].x() - points[i - 1].x()) * (points[i].y() + points[i - 1].y()) / 2;
  EXPECT_NEAR(area, 1, 1e-5);
  EXPECT_TRUE(normal_density(0.5, 0, 1).empty());
}

TEST(SvgPlot, TicksAreRound) {
  EXPECT_DOUBLE_EQ(round_up(0.011), 0.02);
  EXPECT_DOUBLE_EQ(round_up(0.02), 0.02);
  EXPECT_DOUBLE_EQ(round_up(2100), 2500);
  EXPECT_DOUBLE_EQ(round_up(6), 10);
  EXPECT_EQ(round_up(0), 1);
}

TEST(OutputFolder, IsMadeWithItsParentsAndLeftEmpty) {
  const TestFolder folder;
  const std::string path = folder.file("a/b/c");
  EXPECT_FALSE(prepare_folder(path));
  EXPECT_FALSE(prepare_folder(path));  // and may be there
  EXPECT_TRUE(std::filesystem::is_empty(path));
}

TEST(OutputFolder, ThatCantBeWrittenIsSaid) {
  const TestFolder folder;
  const std::string file = folder.written("file", "");
  for (const std::string& path : {file, file + "/below", std::string("/proc/gestik/out")}) {
    const std::optional<Error> fault = prepare_folder(path);
    ASSERT_TRUE(fault) << path;
    EXPECT_EQ(fault->where, path);
  }
}

}  // namespace
}  // namespace gestik::evaluation
