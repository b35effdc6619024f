#pragma once

#include <array>
#include <span>

#include "gestik/learn/model.h"
#include "gestik/solve/solver.h"

namespace gestik {

/// Damped least squares about what motion capture says of the target: the poses in which a chain
/// was seen nearest to it give the start, and how they differ gives the damping. One iteration is
/// one step of the linearised problem. NOTES.md has the formulas.
///
/// What was learnt stands beside the settings, as a view: whoever makes the solver keeps the model.
/// Where there is none, or the problem is not one reach with the model's chain, all of it free to
/// move, the solver is plain damped least squares from the seed.
struct Learnt {
  static constexpr SolverInfo info{
      .name = "learnt",
      .source = "Huang, Fratarcangeli, Ding & Pelachaud 2016",
      .summary =
          "poses as captured near the target, bent to meet it; plain damped least squares "
          "where nothing was learnt",
  };

  bool printed = false;
  int neighbours = 12;
  Real time = 0.05;
  Real spread = 0.03;
  bool covariance = true;
  int depth = 5;
  bool from_seed = false;
  Real damping = 0.03;

  const learn::Model* model = nullptr;
  /// How much each style of the model counts, in its order; empty: all the same. Styles beyond the
  /// end count nothing, and where no style counts nothing was learnt.
  std::span<const Real> style_weights = {};
  /// How fast the target moves, in the chain's base frame, if that is known.
  std::array<Real, 3> velocity = {};
  bool has_velocity = false;

  template <class F>
  static void fields(F&& f) {
    f("printed", &Learnt::printed, Range{0, 1},
      "the paper's method: start, limits and damping of the octree's cell, no neighbours");
    f("neighbours", &Learnt::neighbours, Range{1, 64},
      "how many captured poses nearest to the target make the start");
    f("time", &Learnt::time, Range{0, 10},
      "seconds by which a difference in velocity is weighed beside one in place");
    f("spread", &Learnt::spread, Range{1e-4, 10},
      "by how much (radians, metres) any joint may differ from the neighbours, whatever they say");
    f("covariance", &Learnt::covariance, Range{0, 1},
      "move joints together as they differ among the neighbours, not only each by itself");
    f("depth", &Learnt::depth, Range{0, learn::most_levels - 1},
      "printed: the deepest level of the octree that is asked; 0 knows no limits but the body's");
    f("from_seed", &Learnt::from_seed, Range{0, 1},
      "start from the seed and change it least, as where nothing was learnt");
    f("damping", &Learnt::damping, Range{1e-6, 1e3},
      "damping of the plain steps, in metres per radian");
  }
};

std::size_t scratch_bytes(const Learnt&, const Skeleton&, std::size_t goals) noexcept;
Report solve(const Learnt&, const Problem&, Scratch&, Q out) noexcept;

}  // namespace gestik
