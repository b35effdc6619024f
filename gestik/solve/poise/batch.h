#pragma once

#include "gestik/solve/poise/poise.h"

namespace gestik {

/// Many characters of one skeleton with goals of one kind, side by side: what they have in common
/// is read once. With the setting `starts` at 1, eight of them are worked out at a time (on chains
/// of up to 16 links, unless the style mixes seed and posture). Numbers lie coordinate by
/// coordinate, the characters next to each other: the number of character c in row r is at [r *
/// count + c]. Each gets the answer, bit for bit, that run() with poise would give it alone.
struct PoiseBatch {
  const Skeleton& skeleton;
  const Goal& goal;  ///< an orient or aim; all but its target counts
  std::size_t count;
  std::span<const Real> targets;         ///< w, x, y, z of an orient, x, y, z of an aim
  std::span<const Real> postures = {};   ///< q_size rows; empty: none
  std::span<const Real> seeds = {};      ///< q_size rows; empty: the postures, or the neutral pose
  std::span<const Real> per_joint = {};  ///< as in Intent, for all
};

/// Whether sizes fit, what all have in common makes sense and poise takes such a problem.
bool batch_fits(const PoiseBatch&) noexcept;

std::size_t batch_scratch_bytes(const PoiseBatch&) noexcept;

/// Solves characters [first, first + some) of a batch that fits. Blocks touch nothing of each
/// other: run them on as many threads as you like, each with its own scratch. `out` holds q_size
/// rows, `status` one per character. A character whose numbers make no sense gets bad_problem and a
/// legal pose.
void solve_block(const Poise&, const PoiseBatch&, std::size_t first, std::size_t some, Scratch&,
                 std::span<Real> out, std::span<Status> status) noexcept;

}  // namespace gestik
