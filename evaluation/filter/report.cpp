#include "evaluation/filter/report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "evaluation/svg_plot.h"
#include "gestik/motion/nutty.h"

namespace gestik::evaluation::filter {
namespace {

constexpr Real rate = 100;
constexpr Real first_jump = 0.2, first_target = 1;

/// A hobby servo's.
const AxisLimits servo{
    .lo = -1.5, .hi = 1.5, .motion = {.velocity = 3, .acceleration = 30, .jerk = 600}};

/// Moves on by a sample towards the target.
using Follow = std::function<Real(Real target)>;

Follow ours(const MotionFilter& filter) {
  return [filter, axis = start_axis(0)](Real target) mutable {
    return step_axis(filter, servo, target, 1 / rate, axis);
  };
}

Follow papers() {
  return [state = NuttyState{}](Real target) mutable {
    return step(Nutty{}, servo, target, 1 / rate, state);
  };
}

std::vector<Real> differences(const std::vector<Real>& values) {
  std::vector<Real> result(values.size(), 0);
  for (std::size_t i = 1; i < values.size(); ++i) result[i] = (values[i] - values[i - 1]) * rate;
  return result;
}

Real scaled_to(std::vector<Real>& values, Real limit) {
  Real most = 0;
  for (Real& value : values) most = std::max(most, std::abs(value /= limit));
  return most;
}

Track track(std::string name, const std::vector<Real>& target, Follow follow) {
  Track result;
  result.name = std::move(name);
  for (const Real t : target) result.x.push_back(follow(t));
  result.velocity = differences(result.x);
  result.acceleration = differences(result.velocity);
  result.jerk = differences(result.acceleration);
  result.most_velocity = scaled_to(result.velocity, servo.motion.velocity);
  result.most_acceleration = scaled_to(result.acceleration, servo.motion.acceleration);
  result.most_jerk = scaled_to(result.jerk, servo.motion.jerk);
  const auto there = std::find_if(result.x.begin(), result.x.end(),
                                  [](Real x) { return x >= 0.98 * first_target; });
  result.seconds_to_target = there == result.x.end()
                                 ? infinity
                                 : static_cast<Real>(there - result.x.begin()) / rate - first_jump;
  for (const Real x : result.x) result.overshoot = std::max(result.overshoot, x - first_target);
  return result;
}

/// There and back, and a small step.
std::vector<Real> jumps() {
  std::vector<Real> target;
  for (int i = 0; i < 3 * rate; ++i) {
    const Real t = i / rate;
    target.push_back(t < first_jump ? 0 : t < 1.3 ? first_target : t < 2.3 ? -0.8 : -0.7);
  }
  return target;
}

/// There and back, then a target that jitters as a bad camera's does.
std::vector<Real> jumps_and_jitter() {
  std::vector<Real> target;
  for (int i = 0; i < 10 * rate; ++i) {
    const Real t = i / rate;
    const Real jitter = 0.15 * (std::sin(41 * t) + std::sin(67 * t));
    target.push_back(t < first_jump ? 0 : t < 3.5 ? first_target : t < 7 ? -0.5 : -0.5 + jitter);
  }
  return target;
}

Plot::Curve curve(std::string label, const std::vector<Real>& values, Colour colour,
                  bool dashed = false) {
  Plot::Curve result{std::move(label), {}, colour, dashed};
  for (std::size_t i = 0; i < values.size(); ++i)
    result.points.emplace_back(static_cast<Real>(i) / rate, values[i]);
  return result;
}

Plot panel(const Comparison& comparison, std::string title, Side y) {
  return {.title = std::move(title),
          .x_label = "seconds",
          .x = {0, static_cast<Real>(comparison.target.size()) / comparison.rate},
          .y = y,
          .width = 720,
          .height = 170};
}

std::string filters_picture() {
  const Comparison comparison = compare_filters();
  constexpr std::array colours{Colour::blue, Colour::green, Colour::red};
  const std::vector<Real> one(comparison.target.size(), 1), minus_one(one.size(), -1);
  std::vector<Plot> plots{panel(comparison, "place, radians", {-1, 1.5}),
                          panel(comparison, "velocity, of its limit", {-2, 2}),
                          panel(comparison, "acceleration, of its limit", {-2, 2}),
                          panel(comparison, "jerk, of its limit", {-2, 2})};
  constexpr std::array parts{&Track::x, &Track::velocity, &Track::acceleration, &Track::jerk};
  for (std::size_t p = 0; p < plots.size(); ++p) {
    const bool last = p + 1 == plots.size();
    if (p == 0) plots[p].curves.push_back(curve("", comparison.target, Colour::grey, true));
    for (std::size_t i = comparison.tracks.size(); i-- > 0;) {  // ours on top
      const Track& track = comparison.tracks[i];
      plots[p].curves.push_back(curve(last ? track.name : "", track.*parts[p], colours[i]));
    }
    for (const auto* limit : {&one, &minus_one})
      if (p > 0) plots[p].curves.push_back(curve("", *limit, Colour::ink, true));
  }
  return svg_file(plots);
}

std::string presets_picture() {
  const Comparison comparison = compare_presets();
  std::vector<Plot> plots;
  for (std::size_t i = 0; i < comparison.tracks.size(); ++i) {
    const Track& track = comparison.tracks[i];
    plots.push_back(panel(comparison, track.name, {-1, 1.5}));
    plots.back().height = 130;
    plots.back().curves = {curve("", comparison.target, Colour::grey),
                           curve("", track.x, nth_colour(i))};
  }
  return svg_file(plots);
}

nlohmann::ordered_json json_of(const Comparison& comparison) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Track& track : comparison.tracks)
    list.push_back({{"name", track.name},
                    {"seconds_to_target", track.seconds_to_target},
                    {"overshoot", track.overshoot},
                    {"velocity", track.most_velocity},
                    {"acceleration", track.most_acceleration},
                    {"jerk", track.most_jerk}});
  return list;
}

}  // namespace

Comparison compare_filters() {
  Comparison result{rate, jumps(), {}};
  result.tracks = {track("filter", result.target, ours({})),
                   track("filter, smoothness 0", result.target, ours({.smoothness = 0})),
                   track("nutty", result.target, papers())};
  return result;
}

Comparison compare_presets() {
  Comparison result{rate, jumps_and_jitter(), {}};
  for (const FilterPreset& preset : filter_presets())
    result.tracks.push_back(track(std::string(preset.name), result.target, ours(preset.filter)));
  return result;
}

std::vector<NamedText> pictures() {
  return {{"filter.svg", filters_picture()}, {"filter_presets.svg", presets_picture()}};
}

std::string results_json(int indent) {
  const nlohmann::ordered_json results{{"filters", json_of(compare_filters())},
                                       {"presets", json_of(compare_presets())}};
  return results.dump(indent) + "\n";
}

}  // namespace gestik::evaluation::filter
