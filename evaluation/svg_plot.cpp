#include "evaluation/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluation/html_page.h"

namespace gestik::evaluation {
namespace {

constexpr Real left = 52, right = 12, top = 26, bottom = 34, legend_line = 15;

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
      if (static_cast<Real>(i) * bars.width < plot.x_max) most = std::max(most, bars.heights[i]);
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

/// From the plot's numbers to places in the picture.
class Canvas {
 public:
  explicit Canvas(const Plot& plot)
      : plot_(plot),
        y_max_(plot.y_max.value_or(highest(plot))),
        legend_(static_cast<int>(std::count_if(plot.bars.begin(), plot.bars.end(), labelled) +
                                 std::count_if(plot.curves.begin(), plot.curves.end(), labelled))) {
    if (!(y_max_ > 0)) y_max_ = 1;
  }

  std::string draw() {
    text_ = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{}\">\n"
        "<text class=\"title\" x=\"{:.1f}\" y=\"14\">{}</text>\n",
        plot_.width, plot_.height + legend_ * legend_line, plot_.width,
        plot_.height + legend_ * legend_line, escaped(plot_.title), left, escaped(plot_.title));
    axes();
    for (const Plot::Bars& bars : plot_.bars) draw(bars);
    for (const Plot::Curve& curve : plot_.curves) draw(curve);
    for (const Plot::Mark& mark : plot_.marks) draw(mark);
    legend();
    return text_ + "</svg>\n";
  }

 private:
  static constexpr auto labelled = [](const auto& thing) { return !thing.label.empty(); };

  Real x(Real value) const { return left + (plot_.width - left - right) * value / plot_.x_max; }
  Real y(Real value) const {
    return plot_.height - bottom - (plot_.height - top - bottom) * std::min(value / y_max_, 1.0);
  }

  void axes() {
    const Real x_step = round_up(plot_.x_max / 5), y_step = round_up(y_max_ / 4);
    for (int i = 0; i * x_step <= plot_.x_max * 1.0001; ++i)
      text_ += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
          "<text class=\"tick\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>\n",
          x(i * x_step), top, y(0), y(0) + 13, tick_text(i * x_step));
    for (int i = 0; i * y_step <= y_max_ * 1.0001; ++i)
      text_ += fmt::format(
          "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
          "<text class=\"tick\" text-anchor=\"end\" x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
          x(0), x(plot_.x_max), y(i * y_step), left - 4, y(i * y_step) + 3.5,
          tick_text(i * y_step));
    text_ += fmt::format(
        "<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        x(plot_.x_max / 2), y(0) + 28, escaped(plot_.x_label));
    text_ += fmt::format(
        "<text class=\"tick\" text-anchor=\"middle\" transform=\"translate(10 {:.1f}) "
        "rotate(-90)\">{}</text>\n",
        (y(0) + top) / 2, escaped(plot_.y_label));
  }

  void draw(const Plot::Bars& bars) {
    std::string path = fmt::format("M{:.2f} {:.2f}", x(0), y(0));
    Real edge = 0;
    for (std::size_t i = 0; i < bars.heights.size() && edge < plot_.x_max; ++i) {
      const Real next = std::min(static_cast<Real>(i + 1) * bars.width, plot_.x_max);
      path += fmt::format("V{:.2f}H{:.2f}", y(bars.heights[i]), x(next));
      edge = next;
    }
    text_ += fmt::format("<path class=\"bars {}\" d=\"{}V{:.2f}Z\"/>\n", name_of(bars.colour), path,
                         y(0));
  }

  void draw(const Plot::Curve& curve) {
    std::string path;
    for (const Vec2& point : curve.points)
      path += fmt::format("{}{:.2f} {:.2f}", path.empty() ? 'M' : 'L', x(point.x()), y(point.y()));
    text_ += fmt::format("<path class=\"curve {}{}\" d=\"{}\"/>\n", name_of(curve.colour),
                         curve.dashed ? " dashed" : "", path);
  }

  void draw(const Plot::Mark& mark) {
    const bool beyond = mark.x > plot_.x_max;
    const Real at = x(std::min(mark.x, plot_.x_max));
    text_ += fmt::format(
        "<line class=\"mark{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{3:.1f}\"/>",
        mark.dashed ? " dashed" : "", at, top, y(0));
    const bool on_left = at > (left + plot_.width) / 2;
    text_ += fmt::format(
        "<text class=\"tick\" text-anchor=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>\n",
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
  Real y_max_;
  int legend_;
  std::string text_;
};

}  // namespace

std::string svg(const Plot& plot) {
  return Canvas(plot).draw();
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
