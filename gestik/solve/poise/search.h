#pragma once

#include <algorithm>

#include "gestik/math/rotation.h"
#include "gestik/model/spread.h"
#include "gestik/solve/poise/chain.h"
#include "gestik/solve/poise/poise.h"
#include "gestik/solve/poise/polish.h"

namespace gestik::poise {

/// The largest error there is: added to that of a pose which does not meet the goal, so that one
/// which does is always better.
inline Real largest_error(const Poise& settings) noexcept {
  return 1 + settings.posture_weight;
}

/// The steps that may close in on the goal, in double precision.
inline constexpr int closing_steps = 16;
/// Refinement ends where the best gains less than this share in two steps.
inline constexpr double enough_gain = 0.003;

/// Whether starts can be found in closed form.
template <class Cell>
bool has_closed_form(const Form<Cell>& form) noexcept {
  return form.links >= (form.wish == Wish::orientation ? 3 : 2);
}

/// Longer chains take longer to settle; an aim at a place has to find where the eye will be, too.
inline int steps_of(const Poise& settings, const Form<Float8>& form) noexcept {
  constexpr int least = 4;
  return form.wish == Wish::point ? settings.steps
                                  : std::min(settings.steps, std::max(least, form.links));
}

/// An angle brought between limits that are at most a turn apart.
inline Real kernel_angle(Real angle, Real lo, Real hi, Real posture) noexcept {
  const Real wrapped = angle < lo || angle > hi ? posture + wrap_angle(angle - posture) : angle;
  return std::clamp(wrapped < lo   ? wrapped + 2 * pi
                    : wrapped > hi ? wrapped - 2 * pi
                                   : wrapped,
                    lo, hi);
}

/// The joint's value at which a link is at an angle.
inline Real joint_value(const Link& link, Real turn, Real angle) noexcept {
  return std::clamp(angle + turn - link.zero, link.lo, link.hi);
}

/// Whether limits keep a candidate from the posture, on a chain of more bends than eight starts can
/// tell apart, by a measure to which a bend and its mirror image are the same.
inline bool is_pressed(const Form<Float8>& form, const Ask<Float8>& ask, const State<Float8>& state,
                       int lane) noexcept {
  constexpr int many_bends = 5;
  constexpr float worth_another_look = 3e-3f, touching = 1e-2f;
  const int end = form.last_left_out ? form.links : form.links - 1;
  if (form.measure != Measure::bend || end <= many_bends ||
      state.error->at[lane] < worth_another_look)
    return false;
  int pressed = 0;
  for (int k = 1; k < end; ++k)
    pressed += state.best[k].at[lane] <= ask.links[k].lo.at[lane] + touching ||
               state.best[k].at[lane] >= ask.links[k].hi.at[lane] - touching;
  return pressed >= 2;
}

/// The candidates of one solve and the best of them.
class Search {
 public:
  Search(const Poise& settings, const Problem& problem, const Chain& chain,
         Scratch& scratch) noexcept
      : settings_(settings),
        problem_(problem),
        chain_(chain),
        form_(kernel_form(chain)),
        n_(chain.form.links),
        exact_(take_ask<Double1>(scratch, n_)),
        pose_(take_state<Double1>(scratch, n_)),
        exact_work_(scratch.take<Double1>(static_cast<std::size_t>(refine_cells(n_))).data()),
        turns_(scratch.take<Real>(chain.links.size())),
        best_(scratch.take<Real>(chain.links.size())),
        ask_(take_ask<Float8>(scratch, n_)),
        state_(take_state<Float8>(scratch, n_)),
        work_(
            scratch
                .take<Float8>(static_cast<std::size_t>(std::max(refine_cells(n_), seed_cells(n_))))
                .data()) {}

  static std::size_t bytes(std::size_t links) noexcept {
    const int n = static_cast<int>(links);
    return ask_bytes<Double1>(links) + state_bytes<Double1>(links) +
           Scratch::bytes_for<Double1>(static_cast<std::size_t>(refine_cells(n))) +
           2 * Scratch::bytes_for<Real>(links) + ask_bytes<Float8>(links) +
           state_bytes<Float8>(links) +
           Scratch::bytes_for<Float8>(
               static_cast<std::size_t>(std::max(refine_cells(n), seed_cells(n))));
  }

  Real error() const noexcept { return error_; }
  int passes() const noexcept { return passes_; }
  bool meets_the_goal() const noexcept { return error_ < largest_error(settings_); }

  /// The start is the first best.
  void begin() noexcept {
    const Intent& intent = problem_.intent;
    const Real style = intent.weight > 0 ? settings_.style : 0;
    pose_question(chain_, {problem_.goals.front(), problem_.seed, intent.posture, style}, exact_,
                  turns_);
    copy_to_all(form_, exact_, ask_);
    for (int k = 0; k < n_; ++k)
      pose_.angles[k].at = angle_of(k, problem_.seed[chain_.links[at(k)].q_index]);
    consider(0);
  }

  /// The first round refines what was found in closed form; the others, and that too where nothing
  /// can be found so, begin all over the limits and have to find the goal first.
  void iterate(int round) noexcept {
    const bool closed_form = round == 0 && has_closed_form(form_);
    Float8 scores;
    if (closed_form)
      kernel().seed(form_, ask_, std::clamp(settings_.starts, 1, lanes), state_.angles, scores,
                    work_);
    else
      spread(round);
    passes_ += 1;
    refine(closed_form ? steps_of(settings_, form_) : patient_steps,
           closed_form ? enough_gain : -1);
    consider_best(closed_form);
    // The lowest error may be that of a candidate which can't be brought to the goal; another may
    // be. The eight of the closed form are too much alike for that: spread ones do better.
    for (int lane = 0; lane < lanes && !closed_form && !meets_the_goal(); ++lane)
      consider_lane(lane);
  }

  /// The first round, of which a candidate in closed form is already refined.
  void go_on_from(const State<Float8>& refined, int lane) noexcept {
    for (float& error : state_.error->at) error = refined.error->at[lane];
    for (int k = 0; k < n_; ++k)
      for (float& angle : state_.best[k].at) angle = refined.best[k].at[lane];
    consider_best(true);
  }

  void write(Q out) const noexcept {
    for (int k = 0; k < n_; ++k) out[chain_.links[at(k)].q_index] = best_[at(k)];
  }

 private:
  static constexpr int patient_steps = 24;
  static std::size_t at(int k) noexcept { return static_cast<std::size_t>(k); }

  Real angle_of(int k, Real q) const noexcept {
    return kernel_angle(q + chain_.links[at(k)].zero - turns_[at(k)], exact_.links[k].lo.at,
                        exact_.links[k].hi.at, exact_.links[k].posture.at);
  }

  /// Starts all over the limits; the first of all is the posture.
  void spread(int round) noexcept {
    for (int lane = 0; lane < lanes; ++lane)
      for (int k = 0; k < n_; ++k) {
        Real q;
        spread_joint(problem_.skeleton, chain_.links[at(k)].joint,
                     static_cast<std::uint32_t>(round * lanes + lane), &q);
        const bool posture = round == 0 && lane == 0;
        state_.angles[k].at[lane] =
            static_cast<float>(posture ? std::clamp(exact_.links[k].posture.at,
                                                    exact_.links[k].lo.at, exact_.links[k].hi.at)
                                       : angle_of(k, q));
      }
  }

  void consider_best(bool closed_form) noexcept {
    const int best = best_lane();
    consider_lane(best);
    if (!closed_form || !is_pressed(form_, ask_, state_, best)) return;
    bend_back_one_by_one(best);
    refine(steps_of(settings_, form_), enough_gain);
    consider_lane(best_lane());
  }

  void refine(int steps, double gain) noexcept {
    for (float& error : state_.error->at) error = 1e9f;
    passes_ += kernel().refine(form_, ask_, state_, steps, gain, work_);
  }

  /// Eight starts like a candidate, each with one link bent to its other side.
  void bend_back_one_by_one(int from) noexcept {
    for (int k = 0; k < n_; ++k) {
      const float angle = state_.best[k].at[from];
      const float other = std::clamp(2 * ask_.links[k].straight.at[from] - angle,
                                     ask_.links[k].lo.at[from], ask_.links[k].hi.at[from]);
      for (int lane = 0; lane < lanes; ++lane)
        state_.angles[k].at[lane] = k == 1 + lane % (n_ - 2) ? other : angle;
    }
  }

  int best_lane() const noexcept {
    int best = 0;
    for (int lane = 1; lane < lanes; ++lane)
      if (state_.error->at[lane] < state_.error->at[best]) best = lane;
    return best;
  }

  void consider_lane(int lane) noexcept {
    for (int k = 0; k < n_; ++k) pose_.angles[k].at = static_cast<Real>(state_.best[k].at[lane]);
    consider(closing_steps);
  }

  /// Takes the pose, brought closer, if it is better than the best.
  void consider(int steps) noexcept {
    for (int k = 0; k < n_; ++k)
      pose_.angles[k].at =
          std::clamp(pose_.angles[k].at, exact_.links[k].lo.at, exact_.links[k].hi.at);
    const Real tolerance = tolerance_of(problem_.goals.front());
    const Verdict verdict =
        close_in(chain_.form, exact_, pose_, 0.5 * tolerance, steps, exact_work_, passes_);
    const Real error =
        verdict.angle <= tolerance ? verdict.error : largest_error(settings_) + verdict.error;
    if (!(error < error_)) return;
    error_ = error;
    for (int k = 0; k < n_; ++k)
      best_[at(k)] = joint_value(chain_.links[at(k)], turns_[at(k)], pose_.angles[k].at);
  }

  const Poise& settings_;
  const Problem& problem_;
  const Chain& chain_;
  const Form<Float8> form_;
  const int n_;
  Ask<Double1> exact_;
  State<Double1> pose_;
  Double1* exact_work_;
  std::span<Real> turns_, best_;
  Ask<Float8> ask_;
  State<Float8> state_;
  Float8* work_;
  Real error_ = infinity;
  int passes_ = 0;
};

inline Weights weights_of(const Poise& settings) noexcept {
  return {settings.measure == 1 ? Measure::bend : Measure::signed_angle, settings.posture_weight,
          settings.aggravation, settings.twist};
}

/// Rounds until the goal is met, as many as there may be. `first_round` is called with the search
/// instead of the first.
template <class F>
Report run_rounds(Search& search, int budget, F&& first_round) noexcept {
  Report report{.status = Status::out_of_budget};
  const int most = std::min(budget, Poise::info.iterations);
  search.begin();
  while (report.iterations < most && report.status == Status::out_of_budget) {
    if (report.iterations == 0)
      first_round(search);
    else
      search.iterate(report.iterations);
    ++report.iterations;
    if (search.meets_the_goal())
      report.status = Status::reached;
    else if (report.iterations == Poise::info.iterations)
      report.status = Status::stalled;
  }
  report.error = search.error();
  report.passes = search.passes();
  return report;
}
inline Report run_rounds(Search& search, int budget) noexcept {
  return run_rounds(search, budget, [](Search& s) { s.iterate(0); });
}

}  // namespace gestik::poise
