#include "evaluation/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "evaluation/html_page.h"

namespace gestik::evaluation {
namespace {

constexpr Real left = 52, right = 12, top = 26, bottom = 34, legend_line = 15;
constexpr Real label_left = 104, row_height = 22;  // of box plots

std::string_view name_of(Colour colour) {
  switch (colour) {
    case Colour::grey:
      return "grey";
    case Colour::red:
      return "red";
    case Colour::amber:
      return "amber";
    case Colour::green:
      return "green";
    case Colour::cyan:
      return "cyan";
    case Colour::blue:
      return "blue";
    case Colour::purple:
      return "purple";
    case Colour::ink:
      return "ink";
  }
  return "ink";
}

Real highest(const Plot& plot) {
  Real most = 0;
  for (const Plot::Bars& bars : plot.bars)
    for (std::size_t i = 0; i < bars.heights.size(); ++i)
      if (static_cast<Real>(i) * bars.width < plot.x.to) most = std::max(most, bars.heights[i]);
  for (const Plot::Curve& curve : plot.curves)
    for (const Vec2& point : curve.points) most = std::max(most, point.y());
  return most;
}

/// Large counts and small errors alike, short: 120k, 2.5M, 0.04.
std::string tick_text(Real value) {
  if (value >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (value >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

/// One that can be drawn, whatever was asked for.
Side sound(Side side) {
  if (side.logarithmic && !(side.from > 0)) side.from = 1;
  if (!(side.to > side.from)) side.to = side.logarithmic ? 10 * side.from : side.from + 1;
  return side;
}

/// From numbers to places along one side of the picture, and its round numbers.
class Axis {
 public:
  Axis(const Side& side, Real at_from, Real at_to)
      : side_(sound(side)), at_from_(at_from), at_to_(at_to) {}

  Real operator()(Real value) const {
    const Real share = side_.logarithmic ? std::log(std::max(value, side_.from) / side_.from) /
                                               std::log(side_.to / side_.from)
                                         : (value - side_.from) / (side_.to - side_.from);
    return at_from_ + (at_to_ - at_from_) * std::clamp(share, 0.0, 1.0);
  }

  Real end() const { return side_.to; }
  Real middle() const { return (at_from_ + at_to_) / 2; }

  std::vector<Real> ticks(int about) const {
    std::vector<Real> values;
    constexpr Real slack = 1.0001;
    if (side_.logarithmic) {
      const Real decades = std::log10(side_.to / side_.from);
      const Real factor = std::pow(10.0, std::max(1.0, std::ceil(decades / about)));
      for (Real value = side_.from; value <= side_.to * slack; value *= factor)
        values.push_back(value);
      return values;
    }
    const Real step = round_up((side_.to - side_.from) / about);
    for (int i = 0; side_.from + i * step <= side_.to + (slack - 1) * step; ++i)
      values.push_back(side_.from + i * step);
    return values;
  }

 private:
  Side side_;
  Real at_from_, at_to_;
};

std::string opening(std::string_view title, int width, Real height, Real title_at) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" height=\"{1:.0f}\" role=\"img\" "
      "aria-label=\"{2}\">\n<text class=\"title\" x=\"{3:.1f}\" y=\"14\">{2}</text>\n",
      width, height, escaped(title), title_at);
}

/// Upright lines with numbers below them, and what they are.
std::string x_grid(const Axis& x, const std::string& label, Real from, Real to) {
  std::string text;
  for (const Real tick : x.ticks(5))
    text += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"tick\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
        x(tick), from, to, to + 13, tick_text(tick));
  return text + fmt::format(
                    "<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}"
                    "</text>\n",
                    x.middle(), to + 28, escaped(label));
}

/// With the lines of its legend.
Real whole_height(const Plot& plot) {
  const auto labelled = [](const auto& thing) { return !thing.label.empty(); };
  const auto lines = std::count_if(plot.bars.begin(), plot.bars.end(), labelled) +
                     std::count_if(plot.curves.begin(), plot.curves.end(), labelled);
  return plot.height + static_cast<Real>(lines) * legend_line;
}

class Canvas {
 public:
  explicit Canvas(const Plot& plot)
      : plot_(plot),
        x_(plot.x, left, plot.width - right),
        y_({plot.y.from, plot.y.to > 0 ? plot.y.to : highest(plot), plot.y.logarithmic},
           plot.height - bottom, top) {}

  std::string draw() {
    text_ = opening(plot_.title, plot_.width, whole_height(plot_), left);
    axes();
    for (const Plot::Bars& bars : plot_.bars) draw(bars);
    for (const Plot::Curve& curve : plot_.curves) draw(curve);
    for (const Plot::Mark& mark : plot_.marks) draw(mark);
    for (const Plot::Mark& mark : plot_.marks) label(mark);
    legend();
    return text_ + "</svg>\n";
  }

 private:
  Real floor() const { return plot_.height - bottom; }

  void axes() {
    text_ += x_grid(x_, plot_.x_label, top, floor());
    for (const Real tick : y_.ticks(4))
      text_ += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
          "<text class=\"tick\" text-anchor=\"end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
          left, plot_.width - right, y_(tick), left - 4, y_(tick) + 3.5, tick_text(tick));
    text_ += fmt::format(
        "<text class=\"tick\" text-anchor=\"middle\" transform=\"translate(10 {:.1f}) "
        "rotate(-90)\">{}</text>\n",
        y_.middle(), escaped(plot_.y_label));
  }

  void draw(const Plot::Bars& bars) {
    std::string path = fmt::format("M{:.2f} {:.2f}", x_(0), floor());
    Real edge = 0;
    for (std::size_t i = 0; i < bars.heights.size() && edge < x_.end(); ++i) {
      edge = std::min(static_cast<Real>(i + 1) * bars.width, x_.end());
      path += fmt::format("V{:.2f}H{:.2f}", y_(bars.heights[i]), x_(edge));
    }
    text_ += fmt::format("<path class=\"bars {}\" d=\"{}V{:.2f}Z\"/>\n", name_of(bars.colour), path,
                         floor());
  }

  void draw(const Plot::Curve& curve) {
    std::string path;
    for (const Vec2& point : curve.points)
      path +=
          fmt::format("{}{:.2f} {:.2f}", path.empty() ? 'M' : 'L', x_(point.x()), y_(point.y()));
    text_ += fmt::format("<path class=\"curve {}{}\" d=\"{}\"/>\n", name_of(curve.colour),
                         curve.dashed ? " dashed" : "", path);
  }

  void draw(const Plot::Mark& mark) {
    text_ += fmt::format(
        "<line class=\"mark{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{3:.1f}\"/>",
        mark.dashed ? " dashed" : "", x_(mark.x), top, floor());
  }

  /// Over all the lines, with a rim that keeps them away from its letters.
  void label(const Plot::Mark& mark) {
    const bool beyond = mark.x > x_.end();
    const Real at = x_(mark.x);
    const bool on_left = at > (left + plot_.width) / 2;
    text_ += fmt::format(
        "<text class=\"tick over\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n",
        on_left ? "end" : "start", at + (on_left ? -3 : 3), top + (mark.dashed ? 21 : 9),
        escaped(mark.label), beyond ? " →" : "");
  }

  void legend() {
    Real at = plot_.height + 8;
    const auto entry = [&](std::string_view css, const std::string& label) {
      if (label.empty()) return;
      text_ += fmt::format(
          "<line class=\"curve {0}\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\"/>"
          "<text class=\"tick\" x=\"{4:.1f}\" y=\"{5:.1f}\">{6}</text>\n",
          css, left, left + 22, at - 3.5, left + 28, at, escaped(label));
      at += legend_line;
    };
    for (const Plot::Bars& bars : plot_.bars) entry(name_of(bars.colour), bars.label);
    for (const Plot::Curve& curve : plot_.curves)
      entry(fmt::format("{}{}", name_of(curve.colour), curve.dashed ? " dashed" : ""), curve.label);
  }

  const Plot& plot_;
  Axis x_, y_;
  std::string text_;
};

std::string draw(const BoxPlot::Row& row, const Axis& x, Real middle) {
  const Box& box = row.box;
  constexpr Real half = 6;
  std::string text = fmt::format(
      "<g class=\"{}\"><text class=\"tick\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
      "<path class=\"curve\" d=\"M{:.2f} {:.2f}H{:.2f}M{:.2f} {:.2f}H{:.2f}\"/>"
      "<path class=\"bars\" d=\"M{:.2f} {:.2f}H{:.2f}v{:.2f}H{:.2f}Z\"/>"
      "<path class=\"mark\" d=\"M{:.2f} {:.2f}v{:.2f}\"/>",
      name_of(row.colour), label_left - 6, middle + 3.5, escaped(row.label), x(box.low), middle,
      x(box.quartile_1), x(box.quartile_3), middle, x(box.high), x(box.quartile_1), middle - half,
      x(box.quartile_3), 2 * half, x(box.quartile_1), x(box.median), middle - half, 2 * half);
  std::string crosses;
  for (const Real outlier : box.outliers)
    crosses += fmt::format("M{:.2f} {:.2f}l4 4m0 -4l-4 4", x(outlier) - 2, middle - 2);
  if (!crosses.empty()) text += fmt::format("<path class=\"cross\" d=\"{}\"/>", crosses);
  return text + "</g>\n";
}

}  // namespace

Colour nth_colour(std::size_t i) {
  constexpr std::array colours{Colour::blue,   Colour::amber, Colour::green, Colour::red,
                               Colour::purple, Colour::cyan,  Colour::grey,  Colour::ink};
  return colours[i % colours.size()];
}

std::string svg(const Plot& plot) {
  return Canvas(plot).draw();
}

std::string svg_file(std::span<const Plot> plots) {
  int width = 0;
  Real height = 0;
  std::string text;
  for (const Plot& plot : plots) {
    text += fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g>\n", height, svg(plot));
    width = std::max(width, plot.width);
    height += whole_height(plot);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1:.0f}\" width=\"{0}\" "
      "height=\"{1:.0f}\">\n<style>{2}</style>\n<rect width=\"{0}\" height=\"{1:.0f}\" "
      "fill=\"var(--paper)\"/>\n{3}</svg>\n",
      width, height, page_style(), text);
}

std::string svg(const BoxPlot& plot) {
  const Real floor = top + row_height * static_cast<Real>(plot.rows.size());
  const Axis x(plot.x, label_left, plot.width - right);
  std::string text = opening(plot.title, plot.width, floor + bottom, label_left);
  text += x_grid(x, plot.x_label, top, floor);
  for (std::size_t i = 0; i < plot.rows.size(); ++i)
    text += draw(plot.rows[i], x, top + row_height * (static_cast<Real>(i) + 0.5));
  return text + "</svg>\n";
}

Side logarithmic_side(std::span<const Real> values) {
  Real least = infinity, most = 0;
  for (const Real value : values) {
    if (!(value > 0) || std::isinf(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (!(most > 0)) return {1, 10, true};
  const auto power = [](Real exponent) { return std::pow(10.0, exponent); };
  const Real from = std::floor(std::log10(least));
  return {power(from), power(std::max(std::ceil(std::log10(most)), from + 1)), true};
}

std::vector<Vec2> normal_density(Real mean, Real sd, Real x_max) {
  constexpr int steps = 240;
  if (!(sd > 0)) return {};
  std::vector<Vec2> points;
  for (int i = 0; i <= steps; ++i) {
    const Real x = x_max * i / steps, z = (x - mean) / sd;
    points.emplace_back(x, std::exp(-z * z / 2) / (sd * std::sqrt(2 * std::numbers::pi)));
  }
  return points;
}

Real round_up(Real value) {
  if (!(value > 0)) return 1;
  const Real power = std::pow(10.0, std::floor(std::log10(value)));
  for (const Real factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace gestik::evaluation
