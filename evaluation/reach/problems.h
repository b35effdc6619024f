#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gestik/model/character.h"

namespace gestik::evaluation::reach {

/// Poses that the end of a robot should take, and where each solve starts.
struct Problems {
  std::vector<Pose> targets = {};  ///< of the end, in the robot's root frame
  std::size_t q_size = 0;
  std::vector<Real> seeds = {};  ///< q_size numbers for each target
  /// Targets that the joints given beside them miss by more than a millimetre or a thousandth of a
  /// radian: a sign of another robot or another end.
  std::size_t misplaced = 0;

  std::size_t size() const noexcept { return targets.size(); }
  ConstQ seed(std::size_t i) const noexcept { return {seeds.data() + i * q_size, q_size}; }
};

/// Files as the CoIKS benchmark has them, with or without a line of names.
///     targets: problem_id,px,py,pz,qw,qx,qy,qz and, if known, the joints that take the end there
///     seeds:   problem_id,q1,q2,...
/// Joints are those from the root to the end, in this order; the others stay at rest. Without
/// seeds every solve starts at the rest pose inside the limits.
struct ProblemFiles {
  std::string targets;
  std::optional<std::string> seeds = std::nullopt;
};
Result<Problems> read_problems(const ProblemFiles&, const Skeleton&, const Frame& end);

/// How far the end is from a pose: metres, and radians of the rotation between them.
struct Miss {
  Real distance, turn;
};
Miss miss_of(const Frame& end, std::span<const Pose> world_from_joint, const Pose& target) noexcept;

}  // namespace gestik::evaluation::reach
