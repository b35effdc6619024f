#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/erik/paper.h"
#include "evaluation/erik/report.h"
#include "evaluation/html_page.h"
#include "evaluation/svg_plot.h"

namespace gestik::evaluation::erik {
namespace {

// ---- Numbers as the paper prints them ----------------------------------------------------------

std::string with_spaces(std::uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, " ");
  return text;
}

std::string error_text(Real error) {
  return fmt::format("{:.6f}", error);
}

std::string percent(Real share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string short_text(Real number) {
  return number >= 100 ? fmt::format("{:.0f}", number) : fmt::format("{:.3g}", number);
}

std::string display_name(std::string_view solver) {
  std::string name(solver);
  if (name == "erik" || name == "dls" || name.starts_with("dls"))
    for (char& c : name) {
      if (c == '_') break;
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
  return name;
}

// ---- What the tables and figures are made of ---------------------------------------------------

struct Measure {
  std::string_view name;
  ExactStatistics Row::*statistics;
  Histogram Row::*bins;
  paper::Normal paper::Comparison::*published;
};
constexpr std::array<Measure, 3> measures{{
    {"Combined error", &Row::combined, &Row::combined_bins, &paper::Comparison::combined},
    {"Orientation error", &Row::orientation, &Row::orientation_bins,
     &paper::Comparison::orientation},
    {"Posture error", &Row::posture, &Row::posture_bins, &paper::Comparison::posture},
}};
constexpr const Measure& orientation_measure = measures[1];

const paper::Effort* published_effort(std::string_view skeleton, std::string_view label) {
  for (const paper::Effort& row : paper::table_8)
    if (row.skeleton == skeleton && row.solver == full_name(label)) return &row;
  return nullptr;
}

const paper::Comparison* published_comparison(std::string_view label) {
  for (const paper::Comparison& row : paper::table_9)
    if (row.solver == full_name(label)) return &row;
  return nullptr;
}

Colour colour_of_skeleton(std::string_view name) {
  constexpr std::array colours{Colour::grey, Colour::red,  Colour::amber, Colour::green,
                               Colour::cyan, Colour::blue, Colour::purple};
  return colours[static_cast<std::size_t>(name.front() - 'A') % colours.size()];
}

Colour colour_of_contender(std::size_t i) {
  constexpr std::array colours{Colour::amber, Colour::blue,  Colour::purple, Colour::cyan,
                               Colour::red,   Colour::green, Colour::grey};
  return colours[i % colours.size()];
}

Real last_error(const Row& row, const Measure& measure) {
  return (row.*measure.statistics).summary().max;
}

/// Where an error axis ends: it shows the threshold and all but a thousandth of the samples; a mark
/// tells the largest.
Real axis_end(const std::vector<const Row*>& rows) {
  Real end = 3 * paper::threshold;
  for (const Row* row : rows)
    for (const Measure& measure : measures)
      end = std::max(end,
                     std::min((row->*measure.bins).percentile(0.999), last_error(*row, measure)));
  return std::ceil(end / paper::threshold) * paper::threshold;
}

std::vector<Plot::Mark> marks_of(const Row& row, const Measure& measure) {
  const Real largest = last_error(row, measure);
  return {{fmt::format("threshold {}", paper::threshold), paper::threshold, true},
          {fmt::format("highest {:.3g}", largest), largest}};
}

std::vector<Real> heights_of(const Histogram& bins, Real scale) {
  std::vector<Real> heights;
  for (const std::uint64_t count : bins.counts())
    heights.push_back(static_cast<Real>(count) * scale);
  return heights;
}

Plot::Curve normal_of(std::string label, const paper::Normal& normal, Real x_max, Colour colour,
                      bool dashed = false) {
  return {std::move(label), normal_density(normal.mean, normal.sd, x_max), colour, dashed};
}

paper::Normal normal_of(const ExactStatistics& statistics) {
  const Summary summary = statistics.summary();
  return {summary.mean, summary.sd};
}

/// For normal distributions of one of the measures, none in it yet.
Plot plot_of_errors(const Measure& measure, Real x_max) {
  return {.title = std::string(measure.name),
          .x_label = "error",
          .y_label = "density",
          .x = {.to = x_max},
          .marks = {{"threshold", paper::threshold, true}}};
}

/// The height for curves that can be read: that of the wide ones. An error that is nearly always
/// zero is a spike, which would flatten all others; it is cut off instead.
Real readable_height(const std::vector<Plot::Curve>& curves) {
  constexpr Real narrowest = paper::threshold / 20;
  const Real spike = 1 / (narrowest * std::sqrt(2 * pi));
  Real highest = 0;
  for (const Plot::Curve& curve : curves) {
    Real top = 0;
    for (const Vec2& point : curve.points) top = std::max(top, point.y());
    if (top < spike) highest = std::max(highest, top);
  }
  return highest > 0 ? 1.05 * highest : spike;
}

// ---- The page ----------------------------------------------------------------------------------

class Page {
 public:
  Page(const Plan& plan, const Tally& tally) : plan_(plan), tally_(tally) {
    for (std::size_t p = 0; p < plan.parts.size(); ++p)
      if (plan.parts[p].skeleton == "C") c_ = p;
  }

  std::string str() const {
    const std::string results = overview() + effort() + histograms() + normals();
    if (plan_.problems)
      return html_page(fmt::format("Posture and orientation: {}", *plan_.problems),
                       own_introduction() + origin(options()) + results);
    return html_page("ERIK's evaluation with Gestik",
                     introduction() + origin(options()) + results + comparison());
  }

 private:
  /// The contender that the figures of all skeletons show: erik, or else the first.
  std::size_t shown(std::size_t p) const {
    const std::vector<Contender>& contenders = plan_.parts[p].contenders;
    for (std::size_t c = 0; c < contenders.size(); ++c)
      if (contenders[c].label == "erik") return c;
    return 0;
  }
  const Row& shown_row(std::size_t p) const { return tally_.part(p).all[shown(p)]; }
  std::string shown_name() const {
    return display_name(plan_.parts.front().contenders[shown(0)].label);
  }

  /// A contender's row as the paper tells it: DLS without the samples that the filter drops.
  const Row& told_row(std::size_t p, std::size_t contender) const {
    const Part& part = plan_.parts[p];
    const bool filtered = !plan_.problems && part.filter && part.contenders[contender].papers_way;
    return (filtered ? tally_.part(p).filtered : tally_.part(p).all)[contender];
  }

  /// "Table 8: ..." where it is the paper's experiment.
  std::string numbered(std::string_view number, std::string_view caption) const {
    return plan_.problems ? std::string(caption) : fmt::format("{}: {}", number, caption);
  }

  std::uint64_t solves() const {
    std::uint64_t samples = 0;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p)
      for (const Row& row : tally_.part(p).all) samples += row.samples();
    return samples;
  }

  /// Which solvers ran on what.
  std::string options() const {
    std::vector<std::string> texts;
    for (const Part& part : plan_.parts) {
      std::vector<std::string> labels;
      for (const Contender& contender : part.contenders) labels.push_back(contender.label);
      const std::string what =
          plan_.problems
              ? fmt::format("{} problems", with_spaces(part.sweep.sample_count()))
              : fmt::format("{} postures × {} targets", with_spaces(part.sweep.posture_count()),
                            with_spaces(part.sweep.targets.size()));
      texts.push_back(
          fmt::format("skeleton {}, {}, {}", part.skeleton, what, fmt::join(labels, " ")));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
  }

  std::string own_introduction() const {
    return fmt::format(
        "<p>The problems of <code>{}</code> on skeleton {}: {} solves. Every error is measured "
        "from the forward kinematics of what a solver returned, with a symmetric end-point, "
        "aggravation 2 and weights of 1 for orientation and 0.2 for posture. The posture error is "
        "already weighted: combined = orientation + posture. The threshold of acceptance is {}. "
        "<code>problems.csv</code> tells what came of each.</p>\n",
        escaped(*plan_.problems), plan_.parts.front().skeleton, with_spaces(solves()),
        paper::threshold);
  }

  std::string introduction() const {
    return fmt::format(
        "<p>The experiment of Ribeiro and Paiva, <cite>Expressive Inverse Kinematics Solving in "
        "Real-time for Virtual and Robotic Interactive Characters</cite> (section 4), run again: "
        "{} "
        "solves. Every error is measured from the forward kinematics of what a solver returned, "
        "with a symmetric end-point, aggravation 2 and weights of 1 for orientation and 0.2 for "
        "posture. As in the paper's Table 9 the posture error is already weighted: combined = "
        "orientation + posture. The threshold of acceptance is {}. Rows on a shaded ground are the "
        "paper's published numbers. Its grids can't be rebuilt, so compare distributions, not "
        "digits.</p>\n",
        with_spaces(solves()), paper::threshold);
  }

  std::string overview() const {
    HtmlTable table("Mean errors, and the shares of samples within the threshold.");
    table.head({{"Skeleton"},
                {"Solver"},
                {"Samples"},
                {"Combined"},
                {"Orientation"},
                {"Posture"},
                {"Orientation within"},
                {"Combined within"},
                {"Limits broken"}});
    for (std::size_t p = 0; p < plan_.parts.size(); ++p)
      for (std::size_t c = 0; c < plan_.parts[p].contenders.size(); ++c) {
        const Row& row = tally_.part(p).all[c];
        table.row({plan_.parts[p].skeleton, display_name(plan_.parts[p].contenders[c].label),
                   with_spaces(row.samples()), error_text(row.combined.summary().mean),
                   error_text(row.orientation.summary().mean),
                   error_text(row.posture.summary().mean), percent(row.share(row.orientation_ok)),
                   percent(row.share(row.accepted)), with_spaces(row.limits_broken)});
      }
    return "<h2>All errors</h2>\n" + table.str();
  }

  std::string effort() const {
    HtmlTable table(
        plan_.problems
            ? "Effort per sample, in microseconds on this machine."
            : "Table 8: effort per sample. Ours in microseconds on this machine; the paper's in "
              "milliseconds, corrected to an Intel i7-7700HQ. Rows of DLS hold the samples that "
              "the filter of Table 9 lets through, where that was run.");
    table.head({{"", 4}, {"Iterations", 4}, {"Time per sample", 6}});
    table.head({{"Skeleton"},
                {"DoFs"},
                {"Postures"},
                {"Samples"},
                {"Min"},
                {"Max"},
                {"Mean"},
                {"S.D."},
                {"Min"},
                {"Max"},
                {"Mean"},
                {"Median"},
                {"S.D."},
                {"Unit"}});
    for (std::size_t p = 0; p < plan_.parts.size(); ++p)
      for (std::size_t c = 0; c < plan_.parts[p].contenders.size(); ++c) add_effort(table, p, c);
    return "<h2>Effort</h2>\n" + table.str();
  }

  void add_effort(HtmlTable& table, std::size_t p, std::size_t c) const {
    const Part& part = plan_.parts[p];
    const std::string& label = part.contenders[c].label;
    const std::string name = fmt::format("{}-{}", part.skeleton, display_name(label));
    const Row& row = told_row(p, c);
    const Summary iterations = row.iterations.summary(), time = row.nanoseconds.summary();
    constexpr Real micro = 1000;  // nanoseconds
    table.row({name, fmt::format("{}", part.character.skeleton.v_size()),
               with_spaces(part.sweep.posture_count()), with_spaces(row.samples()),
               short_text(row.iterations.min()), short_text(iterations.max),
               fmt::format("{:.2f}", iterations.mean), fmt::format("{:.2f}", iterations.sd),
               short_text(row.nanoseconds.min() / micro), short_text(time.max / micro),
               short_text(time.mean / micro), short_text(row.time_bins.percentile(0.5) / micro),
               short_text(time.sd / micro), "µs"});
    if (plan_.problems) return;
    if (const paper::Effort* published = published_effort(part.skeleton, label)) {
      const auto& [min, max, mean, sd] = published->iterations;
      const paper::Spread& ms = published->milliseconds;
      table.row({"the paper", fmt::format("{}", published->dofs), with_spaces(published->postures),
                 with_spaces(published->samples), short_text(min), short_text(max),
                 fmt::format("{:.2f}", mean), fmt::format("{:.2f}", sd), short_text(ms.min),
                 short_text(ms.max), short_text(ms.mean), "", short_text(ms.sd), "ms"},
                "paper");
    }
  }

  /// Skeletons whose errors share one axis; A's are too large for that.
  std::vector<std::size_t> all_but_a() const {
    std::vector<std::size_t> parts;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p)
      if (plan_.parts[p].skeleton != "A") parts.push_back(p);
    return parts;
  }

  Real shared_axis_end() const {
    std::vector<const Row*> rows;
    for (const std::size_t p : all_but_a()) rows.push_back(&shown_row(p));
    return axis_end(rows);
  }

  /// The three skeletons of five links are drawn to one height, as in the paper; 0 for the others.
  Real shared_height(std::size_t p, const Measure& measure) const {
    constexpr int links = 5;
    const auto has_links = [&](std::size_t other) {
      return plan_.parts[other].character.skeleton.v_size() == links;
    };
    if (!has_links(p)) return 0;
    std::uint64_t most = 0;
    for (std::size_t other = 0; other < plan_.parts.size(); ++other) {
      const auto counts = (shown_row(other).*measure.bins).counts();
      if (has_links(other)) most = std::max(most, *std::max_element(counts.begin(), counts.end()));
    }
    return static_cast<Real>(most);
  }

  std::string histograms() const {
    const Real shared = shared_axis_end();
    std::string pictures;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      const Part& part = plan_.parts[p];
      const Row& row = shown_row(p);
      for (const Measure& measure : measures) {
        Plot plot{.title = fmt::format("{}: {}", part.skeleton, measure.name),
                  .x_label = "error",
                  .y_label = "samples",
                  .x = {.to = part.skeleton == "A" ? axis_end({&row}) : shared},
                  .y = {.to = shared_height(p, measure)},
                  .marks = marks_of(row, measure)};
        plot.bars.push_back({"", Row::bin_width, heights_of(row.*measure.bins, 1),
                             colour_of_skeleton(part.skeleton)});
        pictures += svg(plot);
      }
    }
    const std::size_t others = all_but_a().size();
    const bool a_stands_out = others > 0 && others < plan_.parts.size();
    return "<h2>Errors by skeleton</h2>\n" +
           figure(pictures,
                  numbered(
                      "Figure 12",
                      fmt::format("How often each error occurred, solver {}, one row per "
                                  "skeleton. Dashed: the threshold; solid: the highest error "
                                  "(an arrow where it lies beyond the axis).{}",
                                  shown_name(), a_stands_out ? " A has an axis of its own." : "")));
  }

  std::string normals() const {
    if (all_but_a().empty())
      return plan_.problems ? "" : "<p>Figure 11 shows every skeleton but A: none here.</p>\n";
    const Real x_max = shared_axis_end();
    std::string pictures;
    for (const Measure& measure : measures) {
      Plot plot = plot_of_errors(measure, x_max);
      for (const std::size_t p : all_but_a())
        plot.curves.push_back(normal_of(fmt::format("skeleton {}", plan_.parts[p].skeleton),
                                        normal_of(shown_row(p).*measure.statistics), x_max,
                                        colour_of_skeleton(plan_.parts[p].skeleton)));
      plot.y.to = readable_height(plot.curves);
      pictures += svg(plot);
    }
    return figure(
        pictures,
        numbered("Figure 11",
                 fmt::format("Normal distributions of the errors{}, solver {}. Spikes of "
                             "errors that are nearly always zero are cut off.",
                             plan_.problems ? "" : " of every skeleton but A", shown_name())));
  }

  // ---- ERIK and DLS on skeleton C --------------------------------------------------------------

  std::string comparison() const {
    const std::string heading = "<h2>ERIK and DLS on skeleton C</h2>\n";
    if (!c_)
      return heading +
             "<p>Table 9, Figure 10 and Figure 13 compare solvers on skeleton C, which is not part "
             "of this run.</p>\n";
    return heading + filter_text() + table_9() + figure_10() + figure_13();
  }

  std::string filter_text() const {
    const Part& part = plan_.parts[*c_];
    if (!part.filter)
      return fmt::format(
          "<p>The paper drops the samples that DLS can't orient to even without a "
          "posture; for that, add {} to the solvers. Here all samples count.</p>\n",
          filter_label);
    const std::uint64_t kept = tally_.part(*c_).filtered[*part.filter].samples();
    return fmt::format(
        "<p>As in the paper, rows of DLS leave out the samples where DLS with 100 iterations and "
        "no "
        "posture to keep missed the orientation by more than {}, three times the threshold: {} of "
        "{} samples are left ({}; the paper: 71.32 %). DLS's targets are turned upright first: "
        "half round their own axis, where that brings them inside the limits.</p>\n",
        paper::filter, with_spaces(kept), with_spaces(part.sweep.sample_count()),
        percent(static_cast<Real>(kept) / static_cast<Real>(part.sweep.sample_count())));
  }

  std::string table_9() const {
    const Part& part = plan_.parts[*c_];
    HtmlTable table("Table 9: mean and standard deviation of the errors on skeleton C.");
    table.head({{"", 2}, {"Combined error", 2}, {"Orientation error", 2}, {"Posture error", 2}});
    table.head(
        {{"Solver"}, {"Samples"}, {"Mean"}, {"S.D."}, {"Mean"}, {"S.D."}, {"Mean"}, {"S.D."}});
    const auto add = [&](const std::string& name, const Row& row) {
      std::vector<std::string> cells{name, with_spaces(row.samples())};
      for (const Measure& measure : measures) {
        const Summary summary = (row.*measure.statistics).summary();
        cells.insert(cells.end(), {error_text(summary.mean), error_text(summary.sd)});
      }
      table.row(cells);
    };
    for (std::size_t c = 0; c < part.contenders.size(); ++c) {
      const std::string& label = part.contenders[c].label;
      add(display_name(label), told_row(*c_, c));
      if (const paper::Comparison* published = published_comparison(label)) {
        std::vector<std::string> cells{"the paper", ""};
        for (const Measure& measure : measures) {
          const paper::Normal& normal = published->*measure.published;
          cells.insert(cells.end(), {error_text(normal.mean), error_text(normal.sd)});
        }
        table.row(cells, "paper");
      }
      if (part.filter && !part.contenders[c].papers_way)
        add(fmt::format("{}, DLS's samples", display_name(label)), tally_.part(*c_).filtered[c]);
    }
    return table.str();
  }

  std::string figure_10() const {
    const Part& part = plan_.parts[*c_];
    if (!part.filter)
      return fmt::format("<p>Figure 10 needs the solver {}, which is not part of this run.</p>\n",
                         filter_label);
    const Real x_max = paper::filter;
    Plot histogram{.title = "Orientation error",
                   .x_label = "error",
                   .y_label = "share of samples",
                   .x = {.to = x_max},
                   .marks = {{"threshold", paper::threshold, true}},
                   .width = 510,
                   .height = 260};
    Plot normals = histogram;
    normals.title = "Orientation error, normal distributions";
    normals.y_label = "density";
    std::vector<std::size_t> both{shown(*c_), *part.filter};
    if (both[0] == both[1]) both.pop_back();
    for (const std::size_t c : both) {
      const Row& row = told_row(*c_, c);
      const std::string name = display_name(part.contenders[c].label);
      histogram.bars.push_back(
          {name, Row::bin_width,
           heights_of(row.orientation_bins,
                      1 / static_cast<Real>(std::max<std::uint64_t>(row.samples(), 1))),
           colour_of_contender(c)});
      normals.curves.push_back(
          normal_of(name, normal_of(row.orientation), x_max, colour_of_contender(c)));
    }
    add_published(normals, orientation_measure, {part.contenders[both[0]].label});
    normals.y.to = readable_height(normals.curves);
    return figure(svg(histogram) + svg(normals),
                  fmt::format("Figure 10: orientation errors of {} and of DLS without a posture to "
                              "keep, after the filter.",
                              display_name(part.contenders[both[0]].label)));
  }

  /// The paper's own distributions as dashed lines, in the colours of the contenders they are of.
  void add_published(Plot& plot, const Measure& measure,
                     const std::vector<std::string_view>& labels) const {
    const std::vector<Contender>& contenders = plan_.parts[*c_].contenders;
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const std::string& label = contenders[c].label;
      const paper::Comparison* published = published_comparison(label);
      if (!published || std::find(labels.begin(), labels.end(), label) == labels.end()) continue;
      plot.curves.push_back(normal_of(fmt::format("{}, the paper", display_name(label)),
                                      published->*measure.published, plot.x.to,
                                      colour_of_contender(c), true));
    }
  }

  std::string figure_13() const {
    const Part& part = plan_.parts[*c_];
    std::vector<const Row*> rows;
    std::vector<std::string_view> labels;
    for (std::size_t c = 0; c < part.contenders.size(); ++c) {
      rows.push_back(&told_row(*c_, c));
      labels.push_back(part.contenders[c].label);
    }
    const Real x_max = std::min(axis_end(rows), 10 * paper::threshold);
    std::string pictures;
    for (const Measure& measure : measures) {
      Plot plot = plot_of_errors(measure, x_max);
      for (std::size_t c = 0; c < part.contenders.size(); ++c)
        if (part.contenders[c].posture)
          plot.curves.push_back(normal_of(display_name(part.contenders[c].label),
                                          normal_of(rows[c]->*measure.statistics), x_max,
                                          colour_of_contender(c)));
      add_published(plot, measure, labels);
      plot.y.to = readable_height(plot.curves);
      pictures += svg(plot);
    }
    return figure(pictures,
                  "Figure 13: normal distributions of the errors on skeleton C; dashed, those of "
                  "the paper's Table 9.");
  }

  const Plan& plan_;
  const Tally& tally_;
  std::optional<std::size_t> c_;  ///< where skeleton C is
};

}  // namespace

std::string report_page(const Plan& plan, const Tally& tally) {
  return Page(plan, tally).str();
}

}  // namespace gestik::evaluation::erik
