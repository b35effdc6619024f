#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gestik/math/types.h"

namespace gestik::evaluation {

/// Colours that html_page() defines for light and dark pages; a plot inside one needs no other.
enum class Colour { grey, red, amber, green, cyan, blue, purple, ink };

/// A picture of functions of x, from 0 to x_max, y from 0 up: histograms and curves with marks.
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
  /// An upright line. Beyond x_max it becomes an arrow at the edge.
  struct Mark {
    std::string label;
    Real x;
    bool dashed = false;
  };

  std::string title, x_label = {}, y_label = {};
  Real x_max = 1;
  std::optional<Real> y_max = std::nullopt;  ///< else as high as what it shows
  std::vector<Bars> bars = {};
  std::vector<Curve> curves = {};
  std::vector<Mark> marks = {};
  int width = 340, height = 210;
};

/// An <svg> element. Labels of bars and curves make its legend.
std::string svg(const Plot&);

/// The density of the normal distribution, from 0 to x_max.
std::vector<Vec2> normal_density(Real mean, Real sd, Real x_max);

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is no smaller.
Real round_up(Real);

}  // namespace gestik::evaluation
