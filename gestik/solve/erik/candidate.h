#pragma once

#include "gestik/solve/erik/erik.h"
#include "gestik/solve/erik/joint_model.h"

namespace gestik::erik {

/// The angles of a chain and the world frames that follow from them: the paper's Solution, and its
/// Posture, which differs only in that it need not keep the limits.
struct Candidate {
  std::span<Real> angles;
  std::span<Quat> frames;  ///< world orientation of each link's frame

  const Quat& end() const noexcept { return frames.back(); }
  Vec3 direction() const noexcept { return y_axis(end()); }
  /// World orientation of the link's basis.
  const Quat& basis(const Chain& chain, int k) const noexcept {
    return k == 0 ? chain.base : frames[k - 1];
  }
};

Candidate take_candidate(Scratch&, int links) noexcept;
void copy(const Candidate& from, const Candidate& to) noexcept;

/// Frames from angles, from link `first` on (ApplyFK).
void apply_forward(const Chain&, const Candidate&, int first = 0) noexcept;

/// Where the goal's joint stands; only its orientation where the goal does not look at its place.
Pose end_pose_for(const Goal&, const Chain&, const Candidate&) noexcept;

/// The rotation that the goal still asks of the end.
Vec3 residual_of(const Chain&, const Candidate&, const Goal&) noexcept;

/// What the chain is asked for.
struct Wish {
  const Goal& goal;
  Candidate posture;
  std::span<const Real> latitudes;  ///< of the posture's links
  Real orientation_weight, posture_weight;
};

/// The cosine of each link's bend, which is all that the posture error looks at (section 3.4.1).
void latitudes_of(const Chain&, const Candidate&, std::span<Real> out) noexcept;

/// Algorithms 4 to 6.
struct Errors {
  Real posture;  ///< in [0, 1]
  Real combined;
};
Errors errors_of(const Chain&, const Candidate&, const Wish&, Real residual,
                 std::span<Real> work) noexcept;

/// The orientation the last link's frame should take, and the direction of its segment. An aim
/// leaves the roll open: it takes the one of `like`, turned the shortest way.
Quat wanted_frame(const Chain&, const Candidate& like, const Goal&) noexcept;

}  // namespace gestik::erik
