#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/html_page.h"
#include "evaluation/learnt/report.h"
#include "evaluation/svg_plot.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::learnt {
namespace {

std::string short_text(Real number) {
  return std::isfinite(number) ? fmt::format("{:.3g}", number) : "∞";
}

/// A share of something that may be nothing but rounding.
std::string ratio_text(Real number, Real of) {
  return of > 1e-6 * number ? short_text(number / of) : "–";
}

std::string_view heading(HoldOut hold_out) {
  switch (hold_out) {
    case HoldOut::none:
      return "Learnt from all of the clips";
    case HoldOut::blocks:
      return "Every second block of 0.2 s held out";
    case HoldOut::others:
      return "Learnt from other motions only";
  }
  return "";
}

class Page {
 public:
  Page(const Plan& plan, const Evaluated& run) : plan_(plan), run_(run) {}

  std::string str() const {
    std::string body = introduction();
    for (const Section& section : run_.sections)
      body += fmt::format("<h2>{}</h2>\n", heading(section.hold_out)) + about(section) +
              errors(section) + poses(section) + times(section) + depths(section) +
              smoothness(section);
    return html_page(fmt::format("Learnt motion: {}", plan_.motions.test.name), body);
  }

 private:
  Real seconds(std::size_t frame) const {
    return static_cast<Real>(frame) / plan_.motions.test.take.rate;
  }
  Side time_side() const { return {.to = seconds(plan_.motions.test.frame_count())}; }

  std::string introduction() const {
    std::vector<std::string> names;
    for (const Motion& motion : plan_.motions.train) names.push_back(escaped(motion.name));
    const std::string options = fmt::format(
        "test <code>{}</code>; train <code>{}</code>; {} to {}; unit {:.4g} m",
        escaped(plan_.motions.test.name), fmt::join(names, " "), escaped(plan_.request.chain.root),
        escaped(plan_.request.chain.end), plan_.motions.unit);
    return fmt::format(
        "<p>The evaluation of Huang, Fratarcangeli, Ding and Pelachaud, <cite>Inverse kinematics "
        "using dynamic joint parameters</cite> (2016), run again. The end of a chain of {} degrees "
        "of freedom follows the path it took in a capture of {} frames, {:.4g} a second, and its "
        "joints are compared with the captured ones. A frame is in place within {} mm of its "
        "target.</p>\n<p>Who may look up the very motion that he is compared with has shown "
        "nothing yet: the nearest captured pose then makes no error at all. It stands in every "
        "table, and the rows about motion that was held out are those that tell.</p>\n{}",
        plan_.motions.chain.skeleton.v_size(), plan_.motions.test.frame_count(),
        plan_.motions.test.take.rate, 1000 * plan_.request.passes.tolerance, origin(options));
  }

  std::string about(const Section& section) const {
    return fmt::format("<p>{} frames were learnt, in {:.1f} MB; {} are compared.</p>\n",
                       section.trained_frames, static_cast<Real>(section.trained_bytes) / 1e6,
                       section.rows.front().score.frames);
  }

  std::string errors(const Section& section) const {
    const Row* const dls1 = find_row(section, "dls1");
    const Row* const nearest = find_row(section, "nearest");
    HtmlTable table(
        "Table 2: errors in the joints and at the end. Degrees are RMS over joint angles, the root "
        "of the mse; a turn is the whole rotation of a joint. Missed are frames out of place whose "
        "target dls1 reaches. Acceleration is the largest of any joint, in shares of the "
        "capture's. The nearest pose is looked up and solves nothing.");
    table.head({{"Method"},
                {"Joint mse, rad²"},
                {"dls1's by it"},
                {"Degrees"},
                {"of nearest's"},
                {"Turn, degrees"},
                {"Distance mse, m²"},
                {"Miss, mm"},
                {"Largest"},
                {"Missed"},
                {"Acceleration"},
                {"µs a frame"}});
    for (const Row& row : section.rows)
      table.row({row.method, short_text(row.score.mse), ratio_text(dls1->score.mse, row.score.mse),
                 short_text(row.score.degrees),
                 ratio_text(row.score.degrees, nearest->score.degrees),
                 short_text(row.score.turn_degrees), short_text(row.score.distance_mse),
                 short_text(1000 * row.score.miss_mean), short_text(1000 * row.score.miss_max),
                 fmt::format("{}", row.missed),
                 row.score.acceleration ? short_text(*row.score.acceleration) : "",
                 short_text(row.us_per_frame)});
    return table.str();
  }

  /// A chain in one frame, seen from the front.
  Plot::Curve chain_curve(std::string label, std::span<const Real> q, std::size_t frame,
                          Colour colour, bool dashed) const {
    const learn::Chain& chain = plan_.motions.chain;
    const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
    std::vector<Pose> world(static_cast<std::size_t>(chain.skeleton.joint_count()));
    forward(chain.skeleton, q.subspan(frame * width, width), world);
    Plot::Curve curve{std::move(label), {}, colour, dashed};
    for (const Pose& pose : world) curve.points.emplace_back(pose.p.x(), pose.p.y());
    const Vec3 end = world.back() * chain.point;
    curve.points.emplace_back(end.x(), end.y());
    return curve;
  }

  std::string poses(const Section& section) const {
    constexpr std::size_t shown = 6;
    const Row* const learnt = find_row(section, "learnt");
    const Row* const dls1 = find_row(section, "dls1");
    std::vector<Plot> plots;
    Real low_x = infinity, high_x = -infinity, low_y = infinity, high_y = -infinity;
    for (std::size_t k = 0; k < shown; ++k) {
      const std::size_t frame = (2 * k + 1) * plan_.motions.test.frame_count() / (2 * shown);
      Plot plot{.title = fmt::format("{:.2f} s", seconds(frame)), .width = 232, .height = 232};
      plot.curves.push_back(chain_curve("dls1", dls1->q, frame, Colour::grey, true));
      plot.curves.push_back(
          chain_curve("captured", plan_.motions.test.take.q, frame, Colour::red, false));
      plot.curves.push_back(chain_curve("learnt", learnt->q, frame, Colour::blue, false));
      for (const Plot::Curve& curve : plot.curves)
        for (const Vec2& point : curve.points) {
          low_x = std::min(low_x, point.x()), high_x = std::max(high_x, point.x());
          low_y = std::min(low_y, point.y()), high_y = std::max(high_y, point.y());
        }
      plots.push_back(std::move(plot));
    }
    const Real size = round_up(std::max({high_x - low_x, high_y - low_y, 1e-3}));
    const auto around = [&](Real low, Real high) {
      const Real tenth = size / 10;
      const Real from = tenth * std::round((low + high - size) / 2 / tenth);
      return Side{.from = from, .to = from + size};
    };
    std::string pictures;
    for (Plot& plot : plots) {
      plot.x = around(low_x, high_x);
      plot.y = around(low_y, high_y);
      pictures += svg(plot);
    }
    return figure(
        pictures,
        "The chain in six frames, in its base frame, seen along z: metres across and up.");
  }

  std::string times(const Section& section) const {
    HtmlTable table(
        "Table 1: milliseconds for the whole path, by pass. dls1 and dls2 solve frame after frame "
        "and have no passes.");
    table.head({{"Method"},
                {"Threads"},
                {"Crude"},
                {"Alignment"},
                {"Retargeting"},
                {"Correction"},
                {"Closing"},
                {"Sum"},
                {"Faster"}});
    Real alone = 0;
    for (const PassTimes& each : section.times) {
      if (each.threads == 1) alone = each.sum();
      table.row({each.method, fmt::format("{}", each.threads), short_text(each.crude),
                 short_text(each.align), short_text(each.retarget), short_text(each.correct),
                 short_text(each.close), short_text(each.sum()), ratio_text(alone, each.sum())});
    }
    for (const std::string_view method : {"dls1", "dls2", "nearest"}) {
      const Row* const row = find_row(section, method);
      table.row({std::string(method), "1", "", "", "", "", "",
                 short_text(row->us_per_frame *
                            static_cast<Real>(plan_.motions.test.frame_count()) / 1000),
                 ""});
    }
    return table.str();
  }

  std::string depths(const Section& section) const {
    if (section.depths.empty()) return "";
    const Row* const nearest = find_row(section, "nearest");
    HtmlTable table(
        "Table 3: the printed method with its octree asked no deeper than this; at depth 0 limits "
        "are the body's own.");
    table.head({{"Depth"}, {"Degrees"}, {"Joint mse, rad²"}, {"Milliseconds"}});
    Plot plot{.title = "Squared error of all joint angles",
              .x_label = "seconds",
              .y_label = "radians²",
              .x = time_side(),
              .width = 700,
              .height = 280};
    std::vector<Real> all;
    for (const DepthRow& row : section.depths) {
      table.row({fmt::format("{}", row.depth), short_text(row.score.degrees),
                 short_text(row.score.mse), short_text(row.milliseconds)});
      Plot::Curve curve{
          fmt::format("depth {}", row.depth), {}, nth_colour(static_cast<std::size_t>(row.depth))};
      for (std::size_t f = 0; f < row.errors.size(); ++f) {
        curve.points.emplace_back(seconds(f), row.errors[f]);
        all.push_back(row.errors[f]);
      }
      plot.curves.push_back(std::move(curve));
    }
    table.row({"nearest", short_text(nearest->score.degrees), short_text(nearest->score.mse), ""});
    plot.y = logarithmic_side(all);
    return table.str() +
           figure(svg(plot), "Figure 11: the error over time at each depth of the octree.");
  }

  std::string smoothness(const Section& section) const {
    Plot plot{.title = fmt::format("How {} turns", escaped(plan_.request.chain.end)),
              .x_label = "seconds",
              .y_label = "degrees",
              .x = time_side(),
              .width = 700,
              .height = 300};
    Real low = infinity, high = -infinity;
    for (std::size_t c = 0; c < section.smoothness.size(); ++c) {
      Plot::Curve curve{
          section.smoothness[c].label, {}, nth_colour(c), c + 1 == section.smoothness.size()};
      for (std::size_t f = 0; f < section.smoothness[c].radians.size(); ++f) {
        const Real degrees = section.smoothness[c].radians[f] * 180 / pi;
        low = std::min(low, degrees);
        high = std::max(high, degrees);
        curve.points.emplace_back(seconds(f), degrees);
      }
      plot.curves.push_back(std::move(curve));
    }
    plot.y = {.from = low, .to = high > low ? high : low + 1};
    return figure(svg(plot),
                  "Figure 13: the last joint after the passes of learnt, and as it was captured.");
  }

  const Plan& plan_;
  const Evaluated& run_;
};

}  // namespace

std::string report_page(const Plan& plan, const Evaluated& run) {
  return Page(plan, run).str();
}

}  // namespace gestik::evaluation::learnt
