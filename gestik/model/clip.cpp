#include "gestik/model/clip.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// Part of the way between two joint values.
void blend_joint(JointType type, const Real* from, const Real* to, Real share, Real* out) noexcept {
  Real v[3];
  difference_joint(type, from, to, v);
  for (int k = 0; k < v_size(type); ++k) v[k] *= share;
  integrate_joint(type, from, v, out);
}

}  // namespace

Clip clip_for(const Skeleton& skeleton, std::string name, Real rate) {
  Clip clip{.name = std::move(name), .rate = rate};
  for (int i = 0; i < skeleton.q_size(); ++i) clip.columns.push_back(skeleton.coordinate_name(i));
  return clip;
}

std::optional<Error> check(const Clip& clip, const Skeleton& skeleton) {
  const std::string where = "clip '" + clip.name + "'";
  if (!(clip.rate > 0) || std::isinf(clip.rate))
    return Error{"its rate must be a number above zero", where};
  if (static_cast<int>(clip.columns.size()) != skeleton.q_size())
    return Error{"it has " + std::to_string(clip.columns.size()) + " columns, the skeleton needs " +
                     std::to_string(skeleton.q_size()),
                 where};
  for (int i = 0; i < skeleton.q_size(); ++i)
    if (clip.columns[i] != skeleton.coordinate_name(i))
      return Error{"column " + std::to_string(i + 1) + " is '" + clip.columns[i] +
                       "', the skeleton has '" + skeleton.coordinate_name(i) + "' there",
                   where};
  if (clip.columns.empty()) {  // a skeleton that can't move
    if (!clip.values.empty()) return Error{"it has values but no columns", where};
    return std::nullopt;
  }
  if (clip.values.size() % clip.columns.size() != 0)
    return Error{"its last frame is incomplete", where};
  for (std::size_t i = 0; i < clip.values.size(); ++i)
    if (!std::isfinite(clip.values[i]))
      return Error{"frame " + std::to_string(i / clip.columns.size()) + ", column '" +
                       clip.columns[i % clip.columns.size()] + "' is not finite",
                   where};
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    if (joint.type != JointType::ball) continue;
    for (int f = 0; f < clip.frame_count(); ++f)
      if (load_quat(clip.frame(f).data() + joint.q_offset).coeffs().isZero(0)) {
        const JointId j = skeleton.joint_of_coordinate(joint.q_offset);
        return Error{"frame " + std::to_string(f) + ", joint '" + skeleton.name(j) +
                         "' is a zero quaternion",
                     where};
      }
  }
  return std::nullopt;
}

void sample(const Clip& clip, const Skeleton& skeleton, Real seconds, Q out) noexcept {
  const int last = clip.frame_count() - 1;
  if (last < 0) return;  // nothing to move, or no frame
  const Real at =
      std::clamp(std::isnan(seconds) ? 0 : seconds * clip.rate, 0.0, static_cast<Real>(last));
  const int before = static_cast<int>(at);
  const int after = std::min(before + 1, last);
  for (const Skeleton::Joint& joint : skeleton.joints())
    blend_joint(joint.type, clip.frame(before).data() + joint.q_offset,
                clip.frame(after).data() + joint.q_offset, at - before,
                out.data() + joint.q_offset);
}

}  // namespace gestik
