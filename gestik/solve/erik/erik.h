#pragma once

#include "gestik/solve/solver.h"

namespace gestik {

/// ERIK: the end of a chain of hinges takes an orientation (or aims) while the chain keeps the
/// shape of a posture as well as it can. One iteration makes a candidate: the first by the paper's
/// forward and backward phase, later ones from the best so far with one joint bent another way.
/// NOTES.md lists where we read the paper differently from its print.
struct Erik {
  static constexpr SolverInfo info{
      .name = "erik",
      .source = "Ribeiro & Paiva 2019",
      .summary = "keeps the shape of a posture while the end of a hinge chain looks at its target",
      .reach = false,
      .slider = false,
      .ball = false,
      .many_goals = false,
      .keeps_posture = true,
  };

  // The names and defaults of the paper's hyperparameters; those it does not print are ours.
  int max_iterations = 12;
  Real threshold = 0.04;
  Real orientation_weight = 1.0;
  Real posture_weight = 0.2;
  Real aggravation = 2.0;
  int patience = 2;
  int max_ccd_iterations = 3;
  Real ccd_precision = 1e-5;
  Real disturbance = 0.02;
  bool avoid_edges = true;
  bool offset_trick = true;
  bool ccd_trick = true;
  bool closing_turn = true;

  template <class F>
  static void fields(F&& f) {
    f("max_iterations", &Erik::max_iterations, Range{0, 1000},
      "candidates tried before the best one is taken");
    f("threshold", &Erik::threshold, Range{0, 1}, "combined error that is good enough to stop at");
    f("orientation_weight", &Erik::orientation_weight, Range{0.01, 100},
      "share of the orientation error in the combined error");
    f("posture_weight", &Erik::posture_weight, Range{0, 100},
      "share of the posture error in the combined error");
    f("aggravation", &Erik::aggravation, Range{0.1, 10},
      "how much worse a deviation is one bending joint nearer to the end");
    f("patience", &Erik::patience, Range{1, 1000},
      "candidates without progress that count as non-convergence");
    f("max_ccd_iterations", &Erik::max_ccd_iterations, Range{0, 1000},
      "sweeps of coordinate descent, forward or backward, at most");
    f("ccd_precision", &Erik::ccd_precision, Range{1e-12, 1},
      "squared distance of directions, over 4, at which coordinate descent stops");
    f("disturbance", &Erik::disturbance, Range{0, 1},
      "distance kept from limits and size of the offset trick, radians");
    f("avoid_edges", &Erik::avoid_edges, Range{0, 1},
      "keep intermediate joints off their limits, where chains lock");
    f("offset_trick", &Erik::offset_trick, Range{0, 1},
      "when candidates stop improving, try a slightly different target once");
    f("ccd_trick", &Erik::ccd_trick, Range{0, 1},
      "when they stop again, let coordinate descent bend the best one, or a straight chain");
    f("closing_turn", &Erik::closing_turn, Range{0, 1},
      "bring each candidate's end exactly to the target with small turns of all joints");
  }
};

std::size_t scratch_bytes(const Erik&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Erik&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
