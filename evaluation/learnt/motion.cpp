#include "evaluation/learnt/motion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/io/bvh.h"
#include "gestik/learn/blend.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::learnt {
namespace {

constexpr Real body_height = 1.8;
constexpr Real degrees_per_radian = 180 / pi;

Result<Loaded> read_clip(const std::string& file, Real unit) {
  const Result<std::string> text = read_file(file);
  if (!text) return text.error();
  Result<Loaded> loaded = read_bvh(*text, file, {.unit = unit, .hinges = {}});
  if (loaded && loaded->clips.empty()) return Error{"there is no motion in this file", file};
  return loaded;
}

/// From the lowest to the highest joint or end site at rest.
Real height_of(const Character& character) {
  const Skeleton& skeleton = character.skeleton;
  std::vector<Pose> poses(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, skeleton.neutral(), poses);
  Real low = infinity, high = -infinity;
  const auto take = [&](const Vec3& place) {
    low = std::min(low, place.y());
    high = std::max(high, place.y());
  };
  for (const Pose& pose : poses) take(pose.p);
  for (const Frame& end : character.ends)
    take(poses[static_cast<std::size_t>(end.joint)] * end.joint_from_frame.p);
  return high - low;
}

std::optional<Vec3> tip_of(const Character& character, std::string_view joint) {
  for (const Frame& end : character.ends)
    if (character.skeleton.name(end.joint) == joint && !end.joint_from_frame.p.isZero(0))
      return end.joint_from_frame.p;
  return std::nullopt;
}

Result<Motion> motion_of(const learn::Chain& chain, const Loaded& loaded, const std::string& file) {
  const Skeleton& body = loaded.character.skeleton;
  const Clip& clip = loaded.clips.front();
  const Result<std::vector<JointId>> joints = learn::find_alike(chain, body);
  if (!joints) return Error{to_string(joints.error()), file};
  const int first = learn::starts_with_rest_pose(body, clip) ? 1 : 0;
  Motion motion{.name = loaded.character.name,
                .file = file,
                .take = {.style = "",
                         .rate = clip.rate,
                         .q = learn::frames_of(chain, *joints, body, clip, first)},
                .path = {}};
  motion.path = path_of(chain, motion.take.q);
  return motion;
}

// q = qz * qy * qx, from the half sums and differences of the angles; at gimbal lock one of them is
// free and zero.
std::array<Real, 3> euler_zyx(const Quat& q) noexcept {
  const Real half_difference = std::atan2(q.x() - q.z(), q.w() + q.y());
  const Real half_sum = std::atan2(q.x() + q.z(), q.w() - q.y());
  const Real sum = std::hypot(q.w() + q.y(), q.x() - q.z());
  const Real difference = std::hypot(q.w() - q.y(), q.x() + q.z());
  return {half_sum - half_difference, 2 * std::atan2(sum, difference) - pi / 2,
          half_sum + half_difference};
}

Real squared_on_circle(Real a, Real b) noexcept {
  const Real apart = wrap_angle(a - b);
  return apart * apart;
}

/// A rotation has two triples of Euler angles: the nearer counts.
Real squared_euler(const Quat& captured, const Quat& got) noexcept {
  const std::array<Real, 3> a = euler_zyx(captured), b = euler_zyx(got);
  const Real one =
      squared_on_circle(a[0], b[0]) + squared_on_circle(a[1], b[1]) + squared_on_circle(a[2], b[2]);
  const Real other = squared_on_circle(a[0], b[0] + pi) + squared_on_circle(a[1], pi - b[1]) +
                     squared_on_circle(a[2], b[2] + pi);
  return std::min(one, other);
}

struct Difference {
  Real euler = 0, turn = 0;  ///< squared
};

Difference difference_of(const Skeleton& skeleton, JointId j, ConstQ captured, ConstQ got) {
  const auto at = static_cast<std::size_t>(skeleton.q_offset(j));
  switch (skeleton.type(j)) {
    case JointType::fixed:
      return {};
    case JointType::slider: {
      const Real apart = captured[at] - got[at];
      return {apart * apart, apart * apart};
    }
    case JointType::hinge: {
      const Real squared = squared_on_circle(captured[at], got[at]);
      return {squared, squared};
    }
    case JointType::ball: {
      const Quat a = load_quat(&captured[at]), b = load_quat(&got[at]);
      const Real turn = angle_between(a, b);
      return {squared_euler(a, b), turn * turn};
    }
  }
  return {};
}

ConstQ frame_at(std::span<const Real> q, std::size_t width, std::size_t f) {
  return q.subspan(f * width, width);
}

}  // namespace

std::vector<Vec3> path_of(const learn::Chain& chain, std::span<const Real> q) {
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  std::vector<Pose> poses(static_cast<std::size_t>(chain.skeleton.joint_count()));
  std::vector<Vec3> path;
  for (std::size_t f = 0; f < q.size() / width; ++f)
    path.push_back(learn::end_point(chain, frame_at(q, width, f), poses));
  return path;
}

Result<Motions> read_motions(const std::string& test, const std::vector<std::string>& train,
                             const MotionOptions& options) {
  Real unit = options.unit.value_or(1);
  Result<Loaded> loaded = read_clip(test, unit);
  if (!loaded) return loaded.error();
  if (!options.unit) {
    const Real height = height_of(loaded->character);
    if (!(height > 0)) return Error{"the body has no height at rest: give its unit", test};
    unit = body_height / height;
    loaded = read_clip(test, unit);
    if (!loaded) return loaded.error();
  }
  Result<learn::Chain> chain =
      learn::chain_between(loaded->character.skeleton, options.root, options.end,
                           tip_of(loaded->character, options.end));
  if (!chain) return Error{to_string(chain.error()), test};
  Result<Motion> captured = motion_of(*chain, *loaded, test);
  if (!captured) return captured.error();
  Motions motions{*std::move(chain), *std::move(captured), {}, unit};
  for (const std::string& file : train) {
    if (file == test) {
      motions.train.push_back(motions.test);
      continue;
    }
    const Result<Loaded> other = read_clip(file, unit);
    if (!other) return other.error();
    Result<Motion> motion = motion_of(motions.chain, *other, file);
    if (!motion) return motion.error();
    motions.train.push_back(*std::move(motion));
  }
  return motions;
}

Real largest_acceleration(const learn::Chain& chain, std::span<const Real> q, Real rate) {
  const Skeleton& skeleton = chain.skeleton;
  const auto width = static_cast<std::size_t>(skeleton.q_size());
  const std::size_t frames = q.size() / width;
  std::vector<Real> before(static_cast<std::size_t>(skeleton.v_size())), after(before.size());
  Real largest = 0;
  for (std::size_t f = 1; f + 1 < frames; ++f) {
    learn::offset_between(skeleton, frame_at(q, width, f - 1), frame_at(q, width, f), before);
    learn::offset_between(skeleton, frame_at(q, width, f), frame_at(q, width, f + 1), after);
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      Real squared = 0;
      for (int k = 0; k < v_size(skeleton.type(j)); ++k) {
        const auto i = static_cast<std::size_t>(skeleton.v_offset(j) + k);
        squared += (after[i] - before[i]) * (after[i] - before[i]);
      }
      largest = std::max(largest, std::sqrt(squared));
    }
  }
  return largest * rate * rate;
}

std::vector<Real> frame_errors(const learn::Chain& chain, const Motion& capture,
                               std::span<const Real> q) {
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  std::vector<Real> errors;
  for (std::size_t f = 0; f < capture.frame_count(); ++f) {
    Real sum = 0;
    for (JointId j = 0; j < chain.skeleton.joint_count(); ++j)
      sum += difference_of(chain.skeleton, j, frame_at(capture.take.q, width, f),
                           frame_at(q, width, f))
                 .euler;
    errors.push_back(sum);
  }
  return errors;
}

Score score_of(const learn::Chain& chain, const Motion& capture, std::span<const Real> q,
               const std::vector<bool>& counted) {
  const Skeleton& skeleton = chain.skeleton;
  const auto width = static_cast<std::size_t>(skeleton.q_size());
  const std::vector<Vec3> got = path_of(chain, q);
  Score score;
  int moving = 0;
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    moving += skeleton.type(j) != JointType::fixed;
  Real turn = 0;
  for (std::size_t f = 0; f < got.size(); ++f) {
    const Real miss = (got[f] - capture.path[f]).norm();
    score.miss_mean += miss;
    score.distance_mse += miss * miss;
    score.miss_max = std::max(score.miss_max, miss);
    if (!counted[f]) continue;
    ++score.frames;
    for (JointId j = 0; j < skeleton.joint_count(); ++j) {
      const Difference difference =
          difference_of(skeleton, j, frame_at(capture.take.q, width, f), frame_at(q, width, f));
      score.mse += difference.euler;
      turn += difference.turn;
    }
  }
  const Real frames = static_cast<Real>(std::max<std::size_t>(1, score.frames));
  const Real all = static_cast<Real>(std::max<std::size_t>(1, got.size()));
  score.mse /= frames * skeleton.v_size();
  score.degrees = std::sqrt(score.mse) * degrees_per_radian;
  score.turn_degrees = std::sqrt(turn / (frames * moving)) * degrees_per_radian;
  score.miss_mean /= all;
  score.distance_mse /= all;
  const Real captured = largest_acceleration(chain, capture.take.q, capture.take.rate);
  const Real mine = largest_acceleration(chain, q, capture.take.rate);
  if (captured > 0) score.acceleration = mine / captured;
  return score;
}

std::vector<Real> angles_of(const learn::Chain& chain, JointId j, std::span<const Real> q) {
  const Skeleton& skeleton = chain.skeleton;
  const auto width = static_cast<std::size_t>(skeleton.q_size());
  std::vector<Real> angles;
  for (std::size_t f = 0; f < q.size() / width; ++f) {
    const Real* const value = q.data() + f * width + skeleton.q_offset(j);
    angles.push_back(skeleton.type(j) == JointType::ball
                         ? angle_between(load_quat(value), Quat::Identity())
                         : (skeleton.type(j) == JointType::fixed ? 0 : *value));
  }
  return angles;
}

}  // namespace gestik::evaluation::learnt
