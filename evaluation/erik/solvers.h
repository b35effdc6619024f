#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gestik/solve/run.h"

namespace gestik::evaluation::erik {

/// A solver as it takes part in the comparison.
struct Contender {
  std::string label;
  AnySolver solver;
  Budget budget = {};
  bool posture = true;  ///< whether it is given the posture to keep
  /// As the paper runs DLS: it knows nothing of symmetric end-points, so its targets are turned
  /// upright(), and it starts from the neutral pose. The others are told that the end is symmetric
  /// and start from the posture.
  bool papers_way = false;
  bool bound = false;  ///< no solver: best_known()
};

/// A solver of the registry by its name, or one of the paper's variants of DLS: dls100 (or just
/// dls), dls200 and dls400 with so many iterations, dls100_nopost without a posture.
Result<Contender> find_contender(std::string_view name);

/// The best pose known, as a row beside the solvers'.
Contender bound_contender();

/// The label, or what it is short for: dls is dls100.
std::string_view full_name(std::string_view label) noexcept;

/// All names that find_contender() knows, for the help.
std::vector<std::string_view> contender_names();

/// The variants of DLS that the paper compares on skeleton C. The last filters the others' samples.
inline constexpr std::string_view filter_label = "dls100_nopost";
std::vector<std::string_view> paper_variants();

/// The target, or its twin turned half round its own Y, whichever skeleton C can reach with ease
/// (section 4.0.4).
Quat upright(const Quat& target) noexcept;

}  // namespace gestik::evaluation::erik
