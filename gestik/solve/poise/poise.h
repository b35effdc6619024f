#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// The pose nearest to a posture that meets the goal: a chain of hinges takes an orientation or
/// aims, within its limits, and of all ways to do so takes almost the best one. One iteration looks
/// at eight candidates side by side; there is a second one only where the first does not meet the
/// goal. NOTES.md says how.
struct Poise {
  static constexpr SolverInfo info{
      .name = "poise",
      .source = "Gestik",
      .summary = "the pose nearest to a posture that takes an orientation or aims, in microseconds",
      .reach = false,
      .slider = false,
      .ball = false,
      .many_goals = false,
      .keeps_posture = true,
      .iterations = 16,
  };

  Real style = 1;
  int measure = 0;
  Real aggravation = 2;
  Real twist = 0.1;
  Real posture_weight = 0.2;
  int starts = 8;
  int steps = 8;

  /// Minimises what the ERIK paper measures.
  static constexpr Poise of_erik_paper() noexcept { return {.measure = 1}; }

  template <class F>
  static void fields(F&& f) {
    f("style", &Poise::style, Range{0, 1},
      "0: the goal only, from the start the shortest way; 1: the posture as far as the goal "
      "allows");
    f("measure", &Poise::measure, Range{0, 1},
      "0: a joint deviates by its angle; 1: by its bend, either way, as the ERIK paper measures");
    f("aggravation", &Poise::aggravation, Range{0.1, 10},
      "how much worse a deviation is one bending joint nearer to the end");
    f("twist", &Poise::twist, Range{0, 1},
      "what the twist of the first and last link counts beside a bend (measure 0)");
    f("posture_weight", &Poise::posture_weight, Range{0, 1},
      "the posture beside a goal that can't be met");
    f("starts", &Poise::starts, Range{1, 8},
      "candidates that are refined; 1 is faster in a batch, else fewer are not");
    f("steps", &Poise::steps, Range{0, 100},
      "refinements of a candidate at most; n links take n, 4 at least (aims at a place: all)");
  }
};

/// Whether the chain is one it takes; its info has been looked at before.
bool poise_takes(const Problem&) noexcept;

std::size_t scratch_bytes(const Poise&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Poise&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
