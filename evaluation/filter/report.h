#pragma once

#include <string>
#include <vector>

#include "evaluation/output_folder.h"
#include "gestik/motion/filter.h"

/// The motion filter beside the ERIK paper's, and its presets, on targets that jump: docs/MOTION.md
/// shows the pictures. Everything is the same on every run.
namespace gestik::evaluation::filter {

/// One way to follow a target, and what its samples came to.
struct Track {
  std::string name;
  std::vector<Real> x;                             ///< a sample each 1/rate seconds
  std::vector<Real> velocity, acceleration, jerk;  ///< differences, as shares of their limits
  Real seconds_to_target = 0;                      ///< from the first jump to within 2 % of it
  Real overshoot = 0;                              ///< beyond the first target, of the way there
  Real most_velocity = 0, most_acceleration = 0, most_jerk = 0;
};

struct Comparison {
  Real rate = 0;
  std::vector<Real> target;
  std::vector<Track> tracks;
};

Comparison compare_filters();  ///< ours as it comes, ours at its fastest, the paper's
Comparison compare_presets();

/// filter.svg and filter_presets.svg.
std::vector<NamedText> pictures();

std::string results_json(int indent);

}  // namespace gestik::evaluation::filter
