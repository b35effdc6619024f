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

TEST(Csv, ReadsNumbersUnderNamesAndComments) {
  const Result<std::vector<NumberRow>> rows =
      read_number_rows("id,x # names\r\n\n1, -2.5\n# nothing\n3,4,5 # and one more\n", "t.csv");
  ASSERT_TRUE(rows) << to_string(rows.error());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].line, 3);
  EXPECT_EQ((*rows)[0].numbers, (std::vector<Real>{1, -2.5}));
  EXPECT_EQ((*rows)[1].line, 5);
  EXPECT_EQ((*rows)[1].numbers, (std::vector<Real>{3, 4, 5}));
}

TEST(Csv, RefusesWhatIsNoNumberByItsLine) {
  for (const auto& [text, where] :
       std::initializer_list<std::pair<std::string, std::string>>{{"1,2\n1,nan\n", "t.csv:2"},
                                                                  {"nan,1\n", "t.csv:1"},
                                                                  {"id\nid\n", "t.csv:2"},
                                                                  {"1,2,\n", "t.csv:1"},
                                                                  {"1,1e31\n", "t.csv:1"},
                                                                  {"", "t.csv"},
                                                                  {"id,x\n", "t.csv"}}) {
    const Result<std::vector<NumberRow>> rows = read_number_rows(text, "t.csv");
    ASSERT_FALSE(rows) << text;
    EXPECT_EQ(rows.error().where, where) << text;
  }
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
  const std::string picture = svg(Plot{.title = "empty"});
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

TEST(SvgPlot, LogarithmicSidesTakeZeroAndPowersOfTen) {
  const Real values[] = {0, 0.02, 30, infinity};
  const Side side = logarithmic_side(values);
  EXPECT_DOUBLE_EQ(side.from, 0.01);
  EXPECT_DOUBLE_EQ(side.to, 100);
  Plot plot{.title = "curve", .x = side, .y = side};
  plot.curves.push_back({"", {{0, 0}, {0.02, 30}}, Colour::red});
  const std::string picture = svg(plot);
  for (const char* part : {">0.01<", ">1<", ">100<"}) EXPECT_TRUE(contains(picture, part)) << part;
  EXPECT_FALSE(contains(picture, "nan"));
  EXPECT_FALSE(contains(picture, "inf"));
  EXPECT_TRUE(logarithmic_side({}).logarithmic);
  const Real one[] = {10};
  EXPECT_LT(logarithmic_side(one).from, logarithmic_side(one).to);
}

TEST(SvgPlot, DrawsBoxesWithTheirOutliers) {
  const Real values[] = {1, 2, 3, 4, 5, 90};
  BoxPlot plot{.title = "spreads", .x_label = "error", .x = {.to = 100}};
  plot.rows.push_back({"a < b", box_of(values), nth_colour(0)});
  plot.rows.push_back({"none", {}, nth_colour(1)});
  const std::string picture = svg(plot);
  for (const char* part : {"a &lt; b", "none", "class=\"cross\"", "class=\"mark\"", "</svg>"})
    EXPECT_TRUE(contains(picture, part)) << part << " missing in\n" << picture;
  EXPECT_EQ(picture.find("class=\"cross\""), picture.rfind("class=\"cross\""));
  EXPECT_FALSE(contains(picture, "nan"));
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

TEST(OutputFolder, TakesFiles) {
  const TestFolder folder;
  EXPECT_FALSE(write_files(folder.path().string(), {{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(folder.read("a") + folder.read("b"), "12");
  EXPECT_TRUE(write_files(folder.file("nowhere"), {{"a", "1"}}));
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
