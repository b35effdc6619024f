#pragma once

#include <span>

#include "gestik/goal/goal.h"

/// Solvers that work joint by joint bring the end of a long chain only part of the way to its
/// target, about the same part each time: the joints near the root hardly notice. So the next time
/// it is pulled beyond the target, by as much as the last pull fell short.
namespace gestik {

/// How one goal is pulled. Only a reach is; other goals stay what they are.
struct Lead {
  Real times = 1;            ///< how many times its error it is pulled
  Vec3 gap = Vec3::Zero();   ///< its error ...
  Vec3 from = Vec3::Zero();  ///< ... and its place before the iteration
};

/// Sets the targets of `pulled`, which are the same goals otherwise, for the next iteration. Each
/// goal's joint is its index in `world`.
void pull(std::span<const Goal> goals, std::span<const Pose> world, std::span<Lead> leads,
          std::span<Goal> pulled) noexcept;

/// Learns from where the iteration brought the goals: a lead grows as the pull fell short, up to
/// `most`, and is 1 again when the goal came no nearer.
void learn(std::span<const Goal> goals, std::span<const Pose> world, Real most,
           std::span<Lead> leads) noexcept;

}  // namespace gestik
