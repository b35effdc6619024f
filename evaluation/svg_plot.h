#pragma once

#include <span>
#include <string>
#include <vector>

#include "gestik/measure/statistics.h"

namespace gestik::evaluation {

/// Colours that html_page() defines for light and dark pages; a plot inside one needs no other.
enum class Colour { grey, red, amber, green, cyan, blue, purple, ink };

/// Colours for a row of things, told apart as well as eight can be; the ninth is the first again.
Colour nth_colour(std::size_t);

/// One side of a picture. A logarithmic one starts above zero; what lies below its start, zero
/// included, is drawn there.
struct Side {
  Real from = 0, to = 1;
  bool logarithmic = false;
};

/// A picture of functions of x: histograms and curves with marks.
struct Plot {
  /// Columns of equal width from x = 0.
  struct Bars {
    std::string label;
    Real width;
    std::vector<Real> heights;
    Colour colour;
  };
  struct Curve {
    std::string label;
    std::vector<Vec2> points;
    Colour colour;
    bool dashed = false;
  };
  /// An upright line. Beyond the end of x it becomes an arrow at the edge.
  struct Mark {
    std::string label;
    Real x;
    bool dashed = false;
  };

  std::string title, x_label = {}, y_label = {};
  Side x = {};
  Side y = {.to = 0};  ///< to 0: as high as what it shows
  std::vector<Bars> bars = {};
  std::vector<Curve> curves = {};
  std::vector<Mark> marks = {};
  int width = 340, height = 210;
};

/// An <svg> element. Labels of bars and curves make its legend.
std::string svg(const Plot&);

/// Plots one below the other as a file of its own, with the style that a page would give them.
std::string svg_file(std::span<const Plot>);

/// Distributions side by side: of each a box from quartile to quartile with its median, whiskers to
/// the ends of what lies within one and a half boxes beyond, crosses for the rest.
struct BoxPlot {
  struct Row {
    std::string label;
    Box box;
    Colour colour;
  };
  std::string title, x_label = {};
  Side x = {};
  std::vector<Row> rows = {};
  int width = 340;
};
std::string svg(const BoxPlot&);

/// A logarithmic side, from one power of ten to another, that shows all positive numbers among
/// these.
Side logarithmic_side(std::span<const Real>);

/// The density of the normal distribution, from 0 to x_max.
std::vector<Vec2> normal_density(Real mean, Real sd, Real x_max);

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is no smaller.
Real round_up(Real);

}  // namespace gestik::evaluation
