#include "gestik/solve/erik/candidate.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/math/sincos.h"
#include "gestik/measure/erik_error.h"

namespace gestik::erik {

Candidate take_candidate(Scratch& scratch, int links) noexcept {
  const std::size_t n = static_cast<std::size_t>(links);
  return {scratch.take<Real>(n), scratch.take<Quat>(n)};
}

void copy(const Candidate& from, const Candidate& to) noexcept {
  std::copy(from.angles.begin(), from.angles.end(), to.angles.begin());
  std::copy(from.frames.begin(), from.frames.end(), to.frames.begin());
}

void apply_forward(const Chain& chain, const Candidate& candidate, int first) noexcept {
  ++chain.passes;
  constexpr int block = 16;
  std::array<Real, block> half, sine, cosine;
  Quat frame = candidate.basis(chain, first);
  for (int begin = first; begin < chain.size(); begin += block) {
    const int count = std::min(block, chain.size() - begin);
    for (int i = 0; i < count; ++i) half[i] = candidate.angles[begin + i] / 2;
    const std::size_t size = static_cast<std::size_t>(count);
    sincos({half.data(), size}, {sine.data(), size}, {cosine.data(), size});
    for (int i = 0; i < count; ++i) {
      const Link& link = chain.links[begin + i];
      frame = frame * Quat(cosine[i] * link.rest.coeffs() + sine[i] * link.rest_axis.coeffs());
      candidate.frames[begin + i] = frame;
    }
  }
}

Pose end_pose_for(const Goal& goal, const Chain& chain, const Candidate& candidate) noexcept {
  Pose end{candidate.end() * chain.frame_from_end, Vec3::Zero()};
  const Aim* aim = std::get_if<Aim>(&goal);
  if (!aim || aim->at_infinity) return end;
  end.p = chain.base_origin + candidate.end() * chain.end_offset;
  for (int k = 0; k < chain.size(); ++k) end.p += candidate.basis(chain, k) * chain.links[k].offset;
  return end;
}

void latitudes_of(const Chain& chain, const Candidate& candidate, std::span<Real> out) noexcept {
  Vec3 below = y_axis(chain.base);
  for (int k = 0; k < chain.size(); ++k) {
    const Vec3 above = y_axis(candidate.frames[k]);
    out[k] = below.dot(above);
    below = above;
  }
}

Vec3 residual_of(const Chain& chain, const Candidate& candidate, const Goal& goal) noexcept {
  return residual_vector(goal, end_pose_for(goal, chain, candidate));
}

Errors errors_of(const Chain& chain, const Candidate& candidate, const Wish& wish, Real residual,
                 std::span<Real> work) noexcept {
  latitudes_of(chain, candidate, work);
  Errors errors{};
  for (int k = 0; k < chain.size(); ++k)
    errors.posture += chain.links[k].weight / 2 * std::abs(work[k] - wish.latitudes[k]);
  errors.combined =
      wish.orientation_weight * orientation_error(residual) + wish.posture_weight * errors.posture;
  return errors;
}

Quat wanted_frame(const Chain& chain, const Candidate& like, const Goal& goal) noexcept {
  if (const Orient* orient = std::get_if<Orient>(&goal))
    return nearest_target(*orient, like.end() * chain.frame_from_end) *
           chain.frame_from_end.conjugate();
  return exp(residual_vector(goal, end_pose_for(goal, chain, like))) * like.end();
}

}  // namespace gestik::erik
