#include <fmt/format.h>

#include <algorithm>

#include "evaluation/html_page.h"
#include "evaluation/mocap/report.h"
#include "evaluation/svg_plot.h"

namespace gestik::evaluation::mocap {
namespace {

std::string short_text(Real number) {
  return fmt::format("{:.3g}", number);
}

/// A share of something that may be nothing.
std::string ratio_text(Real number, Real of) {
  return of > 0 ? short_text(number / of) : number > 0 ? "∞" : "1";
}

class Page {
 public:
  Page(const Plan& plan, const Evaluated& run) : plan_(plan), run_(run), rows_(rows_of(run)) {}

  std::string str() const {
    return html_page(fmt::format("Following a capture: {}", plan_.capture.name),
                     introduction() + best() + errors() + claims() + distances() + budgets());
  }

 private:
  std::size_t interval_count() const { return plan_.request.intervals.size(); }
  Real interval(std::size_t i) const { return plan_.request.intervals[i]; }
  const std::string& name(std::size_t s) const { return plan_.solvers[s].name; }

  std::string introduction() const {
    std::vector<std::string> goals;
    for (const Frame& goal : plan_.capture.goals) goals.push_back(escaped(goal.name));
    const Capture& capture = plan_.capture;
    const std::string effort =
        plan_.request.iterations.empty()
            ? fmt::format("as many iterations as fit into {} µs on this machine",
                          plan_.request.slot_us)
            : std::string("a given number of iterations");
    return fmt::format(
        "<p>The experiment of Engell-Nørregård and Erleben, <cite>A projected back-tracking "
        "line-search for constrained interactive inverse kinematics</cite> (section 5), run again. "
        "A body of {} degrees of freedom, {} of which the capture moves, follows {} through {} "
        "frames, {:.4g} a second. Joint limits are the capture's own ranges, widened by a tenth. "
        "Every solve starts from the pose before it and has {}; goals count as met within {} m. "
        "Lengths are metres of a body scaled by {:.4g}.</p>\n"
        "<p>The same numbers again on any machine: <code>--iterations {}</code></p>\n{}",
        capture.skeleton.v_size(), capture.movable, fmt::join(goals, ", "), capture.frame_count(),
        capture.rate, effort, plan_.request.tolerance, capture.unit,
        escaped(iterations_text(plan_, run_)), origin(options()));
  }

  std::string options() const {
    std::vector<std::string> names;
    for (const NamedSolver& named : plan_.solvers) names.push_back(named.name);
    return fmt::format("clip <code>{}</code>, every {} s{}; {}",
                       escaped(plan_.request.capture.clip),
                       fmt::join(plan_.request.intervals, ", "),
                       plan_.request.capture.free_root ? ", free root" : "", fmt::join(names, " "));
  }

  std::string best() const {
    std::string text = "<ul>\n";
    const std::vector<std::vector<std::size_t>> orders = ranking(rows_);
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const std::size_t winner = orders[i].front();
      text += fmt::format(
          "<li>Every {} s <b>{}</b> is best, with a median error of {} m²; then {}."
          "</li>\n",
          interval(i), escaped(name(winner)), short_text(rows_[winner][i].error.median),
          followers(orders[i], i));
    }
    return text + "</ul>\n";
  }

  /// "lm (2.5 times as much), ...": all that follow the best.
  std::string followers(const std::vector<std::size_t>& order, std::size_t i) const {
    std::vector<std::string> texts;
    for (const std::size_t s : std::span(order).subspan(1))
      texts.push_back(
          fmt::format("{} ({} times as much)", escaped(name(s)),
                      ratio_text(rows_[s][i].error.median, rows_[order.front()][i].error.median)));
    return texts.empty() ? "nobody" : fmt::format("{}", fmt::join(texts, ", "));
  }

  std::string boxes(std::string_view what, Box Row::*box, const Side& side) const {
    std::string pictures;
    for (std::size_t i = 0; i < interval_count(); ++i) {
      BoxPlot plot{.title = fmt::format("Every {} s", interval(i)),
                   .x_label = std::string(what),
                   .x = side,
                   .width = 352};
      for (std::size_t s = 0; s < rows_.size(); ++s)
        plot.rows.push_back({name(s), rows_[s][i].*box, nth_colour(s)});
      pictures += svg(plot);
    }
    return pictures;
  }

  std::string errors() const {
    std::vector<Real> ends;
    for (const std::vector<Row>& rows : rows_)
      for (const Row& row : rows) {
        ends.push_back(row.error.low);
        ends.push_back(row.max_error);
      }
    HtmlTable table("Summed squared error of all goals, in square metres.");
    table.head({{"Solver"},
                {"Every, s"},
                {"Median"},
                {"First quartile"},
                {"Third quartile"},
                {"Largest"},
                {"All goals met"},
                {"Iterations"},
                {"Budget"},
                {"Median µs"},
                {"Limits broken"}});
    for (std::size_t i = 0; i < interval_count(); ++i)
      for (std::size_t s = 0; s < rows_.size(); ++s) {
        const Row& row = rows_[s][i];
        table.row(
            {name(s), fmt::format("{}", interval(i)), short_text(row.error.median),
             short_text(row.error.quartile_1), short_text(row.error.quartile_3),
             short_text(row.max_error),
             fmt::format("{:.1f} %", 100 * static_cast<Real>(row.reached) /
                                         static_cast<Real>(std::max<std::size_t>(row.samples, 1))),
             fmt::format("{:.1f}", row.mean_iterations),
             fmt::format("{}", run_.solvers[s].iterations), fmt::format("{:.1f}", row.median_us),
             fmt::format("{}", row.limits_broken)});
      }
    return "<h2>Errors</h2>\n" +
           figure(boxes("summed squared error, m²", &Row::error, logarithmic_side(ends)),
                  "Figures 8 to 10: the summed squared errors of all goals. Boxes hold the middle "
                  "half, lines the rest but for outliers, which are crosses; errors are drawn "
                  "on a logarithmic scale.") +
           table.str();
  }

  std::optional<std::size_t> find(std::string_view solver) const {
    for (std::size_t s = 0; s < plan_.solvers.size(); ++s)
      if (name(s) == solver) return s;
    return std::nullopt;
  }

  static bool tighter(const Box& mine, const Box& other) {
    return mine.median < other.median && mine.spread() < other.spread();
  }

  std::string claims() const {
    const std::optional<std::size_t> ours = find("line_search");
    if (!ours) return "";
    HtmlTable table(
        "The paper finds a lower median and a tighter spread than those of the Jacobian transpose "
        "and the pseudo-inverse. Numbers are theirs divided by line_search's: the claim holds "
        "where "
        "the first two are above 1. A solver whose first iteration does not fit into the slot "
        "takes "
        "it all the same, and longer.");
    table.head({{"Beside"}, {"Every, s"}, {"Median"}, {"Spread"}, {"Time"}, {"Holds"}});
    for (const std::string_view other : {"fixed_transpose", "transpose", "clamped_pinv", "pinv"}) {
      const std::optional<std::size_t> theirs = find(other);
      for (std::size_t i = 0; theirs && i < interval_count(); ++i) {
        const Row& mine = rows_[*ours][i];
        const Row& row = rows_[*theirs][i];
        table.row({std::string(other), fmt::format("{}", interval(i)),
                   ratio_text(row.error.median, mine.error.median),
                   ratio_text(row.error.spread(), mine.error.spread()),
                   ratio_text(row.median_us, mine.median_us),
                   tighter(mine.error, row.error) ? "yes" : "no"});
      }
    }
    return "<h2>The paper's claim</h2>\n" + table.str();
  }

  std::string distances() const {
    Real far = 0;
    for (const std::vector<Row>& rows : rows_)
      for (const Row& row : rows) far = std::max(far, row.distance.high);
    return "<h2>Distance from the capture</h2>\n" +
           figure(boxes("mean distance, m", &Row::distance, {.to = far}),
                  "How far joints and end sites are from where the capture has them, on the mean. "
                  "The goals leave most of a body free: a pose may meet them all and differ.");
  }

  std::string budgets() const {
    Plot plot{.title = fmt::format("Every {} s", *std::max_element(plan_.request.intervals.begin(),
                                                                   plan_.request.intervals.end())),
              .x_label = "microseconds for a pose",
              .y_label = "median error, m²",
              .width = 700,
              .height = 320};
    std::vector<Real> times, errors;
    for (std::size_t s = 0; s < run_.solvers.size(); ++s) {
      Plot::Curve curve{name(s), {}, nth_colour(s), s >= 8};
      for (const Trial& trial : run_.solvers[s].trials) {
        curve.points.emplace_back(trial.microseconds, trial.error);
        times.push_back(trial.microseconds);
        errors.push_back(trial.error);
      }
      if (!curve.points.empty()) plot.curves.push_back(std::move(curve));
    }
    if (plot.curves.empty()) return "";
    plot.x = logarithmic_side(times);
    plot.y = logarithmic_side(errors);
    plot.marks.push_back({"the slot", plan_.request.slot_us, true});
    return "<h2>Error and time</h2>\n" +
           figure(
               svg(plot),
               "How the median error falls with the time given, from the budgets of 1, 2, 4, ... "
               "iterations that were tried to find those that fit the slot.");
  }

  const Plan& plan_;
  const Evaluated& run_;
  std::vector<std::vector<Row>> rows_;
};

}  // namespace

std::string report_page(const Plan& plan, const Evaluated& run) {
  return Page(plan, run).str();
}

}  // namespace gestik::evaluation::mocap
