#include "gestik/learn/model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gestik/learn/blend.h"
#include "gestik/math/matrix.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik::learn {
namespace {

/// A millimetre: no joint is damped less, however well the linear step told where it went.
constexpr Real least_damping2 = 1e-6;

/// Fills a style's sightings, tree and cells from its runs and poses.
class Grower {
 public:
  Grower(const Model& model, Style& style)
      : model_(model),
        style_(style),
        skeleton_(model.chain.skeleton),
        q_(static_cast<std::size_t>(skeleton_.q_size())),
        before_(q_.size()),
        mean_(q_.size()),
        sum_(q_.size()),
        v_(static_cast<std::size_t>(skeleton_.v_size())),
        poses_(static_cast<std::size_t>(skeleton_.joint_count())),
        jacobian_(6, skeleton_.v_size()) {}

  void grow() {
    see();
    style_.tree = Octree(style_.sightings, model_.growth);
    damping2_.resize(style_.frame_count() * v_.size());
    for (const Style::Run& run : style_.runs)
      for (std::uint32_t f = run.first; f < run.first + run.count; ++f)
        find_damping(f, f > run.first);
    style_.cells.reserve(style_.tree.cells().size() * (q_.size() + 3 * v_.size()));
    for (const Octree::Cell& cell : style_.tree.cells()) describe(cell);
  }

 private:
  /// Where the end was in each frame, and how fast it moved within its run.
  void see() {
    style_.sightings.resize(style_.q.size() / q_.size());
    std::vector<Vec3> places;
    for (const Style::Run& run : style_.runs) {
      places.resize(run.count);
      for (std::uint32_t f = 0; f < run.count; ++f) {
        model_.pose(style_, run.first + f, q_);
        places[f] = end_point(model_.chain, q_, poses_);
      }
      for (std::uint32_t f = 0; f < run.count; ++f) {
        const Vec3 velocity = path_velocity(
            f, run.count, run.rate, [&](std::size_t at) -> const Vec3& { return places[at]; });
        Sighting& sighting = style_.sightings[run.first + f];
        for (int k = 0; k < 3; ++k) {
          sighting.place[static_cast<std::size_t>(k)] = static_cast<float>(places[f][k]);
          sighting.velocity[static_cast<std::size_t>(k)] = static_cast<float>(velocity[k]);
        }
      }
    }
  }

  // Eq 11 over the micro-segment that ends in this frame: diag(lambda^2) dtheta = J^T (de - J
  // dtheta), so that lambda_j^2 = |g_j / dtheta_j|. A coordinate that did not move says nothing
  // (NaN here, and left out of the cells' means).
  void find_damping(std::uint32_t frame, bool has_previous) {
    float* const out = damping2_.data() + frame * v_.size();
    std::fill_n(out, v_.size(), std::numeric_limits<float>::quiet_NaN());
    if (!has_previous) return;
    model_.pose(style_, frame - 1, before_);
    model_.pose(style_, frame, q_);
    const Vec3 after = end_point(model_.chain, q_, poses_);
    const Vec3 before = end_point(model_.chain, before_, poses_);
    jacobian(skeleton_, poses_, model_.chain.end(), before, jacobian_);
    offset_between(skeleton_, before_, q_, v_);
    const Eigen::Map<const Vector> step(v_.data(), static_cast<Eigen::Index>(v_.size()));
    const auto linear = jacobian_.topRows<3>();
    const Vec3 rest = (after - before) - linear * step;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      const Real g = linear.col(static_cast<Eigen::Index>(i)).dot(rest);
      if (std::abs(v_[i]) > 1e-12)
        out[i] = static_cast<float>(std::max(std::abs(g / v_[i]), least_damping2));
    }
  }

  template <class F>
  void for_each_pose(const Octree::Cell& cell, F&& f) {
    for (std::uint32_t i = cell.first; i < cell.last; ++i) {
      model_.pose(style_, style_.tree.order()[i], q_);
      f(style_.tree.order()[i]);
    }
  }

  void describe(const Octree::Cell& cell) {
    find_mean(cell);
    style_.cells.insert(style_.cells.end(), mean_.begin(), mean_.end());
    std::vector<Real> lo(v_.size(), infinity), hi(v_.size(), -infinity), sum(v_.size(), 0);
    std::vector<int> count(v_.size(), 0);
    for_each_pose(cell, [&](std::uint32_t frame) {
      offset_between(skeleton_, mean_, q_, v_);
      for (std::size_t i = 0; i < v_.size(); ++i) {
        lo[i] = std::min(lo[i], v_[i]);
        hi[i] = std::max(hi[i], v_[i]);
        const float damping2 = damping2_[frame * v_.size() + i];
        if (std::isnan(damping2)) continue;
        sum[i] += std::sqrt(Real(damping2));
        ++count[i];
      }
    });
    const Real slack = model_.growth.slack;
    for (const Real x : lo) style_.cells.push_back(static_cast<float>(x - slack));
    for (const Real x : hi) style_.cells.push_back(static_cast<float>(x + slack));
    for (std::size_t i = 0; i < v_.size(); ++i) {
      const Real damping = count[i] > 0 ? sum[i] / count[i] : std::sqrt(least_damping2);
      style_.cells.push_back(static_cast<float>(damping * damping));
    }
  }

  // Eqs 9 and 10: poses count less the farther they are from the plain mean. Offsets from it take
  // the place of angles, so nothing wraps.
  void find_mean(const Octree::Cell& cell) {
    std::fill(sum_.begin(), sum_.end(), 0);
    std::vector<Real> reference(q_.size());
    model_.pose(style_, style_.tree.order()[cell.first], reference);
    for_each_pose(cell, [&](std::uint32_t) { add_to_blend(skeleton_, reference, q_, 1, sum_); });
    finish_blend(skeleton_, reference, sum_, cell.last - cell.first, mean_);

    std::vector<Real> shift(v_.size(), 0), weights(v_.size(), 0);
    for_each_pose(cell, [&](std::uint32_t) {
      offset_between(skeleton_, mean_, q_, v_);
      for (std::size_t i = 0; i < v_.size(); ++i) {
        const Real weight = std::max<Real>(0, 2 * pi - std::abs(v_[i]));
        shift[i] += weight * v_[i];
        weights[i] += weight;
      }
    });
    for (std::size_t i = 0; i < v_.size(); ++i)
      shift[i] = weights[i] > 0 ? shift[i] / weights[i] : 0;
    integrate(skeleton_, mean_, shift, mean_);
  }

  const Model& model_;
  Style& style_;
  const Skeleton& skeleton_;
  std::vector<Real> q_, before_, mean_, sum_, v_;
  std::vector<Pose> poses_;
  Jacobian jacobian_;
  std::vector<float> damping2_;  ///< per frame and tangent coordinate; NaN where unknown
};

/// Frames per second; a billion of them, or of seconds for one, is a damaged file.
constexpr Real slowest_rate = 1e-9;

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

std::string take_name(std::size_t index) {
  return "take " + std::to_string(index + 1);
}

std::optional<Error> check_take(const Skeleton& skeleton, const Take& take, std::size_t index) {
  const auto width = static_cast<std::size_t>(skeleton.q_size());
  if (!(take.rate >= slowest_rate && take.rate <= 1 / slowest_rate))
    return Error{"its rate must be a number of frames per second above zero", take_name(index)};
  if (std::any_of(take.style.begin(), take.style.end(), is_control))
    return Error{"the name of its style has control characters in it", take_name(index)};
  if (take.q.empty()) return Error{"it has no frames", take_name(index)};
  if (take.q.size() % width != 0)
    return Error{"it ends in the middle of a frame", take_name(index)};
  for (std::size_t i = 0; i < take.q.size(); ++i)
    if (!(std::abs(take.q[i]) <= 1e6))
      return Error{"frame " + std::to_string(i / width) +
                       " has a number that is no angle, turn or " + "place: '" +
                       skeleton.coordinate_name(static_cast<int>(i % width)) + "'",
                   take_name(index)};
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    if (joint.type != JointType::ball) continue;
    for (std::size_t f = 0; f < take.q.size() / width; ++f)
      if (load_quat(&take.q[f * width + static_cast<std::size_t>(joint.q_offset)])
              .coeffs()
              .isZero(0))
        return Error{"frame " + std::to_string(f) + " has a zero quaternion: '" +
                         skeleton.coordinate_name(joint.q_offset) + "'",
                     take_name(index)};
  }
  return std::nullopt;
}

/// Between two poses as floats of one joint.
bool differs(JointType type, const float* a, const float* b) {
  constexpr float same = 1e-6F;
  float apart = 0, opposite = 0;
  for (int k = 0; k < q_size(type); ++k) {
    apart = std::max(apart, std::abs(a[k] - b[k]));
    opposite = std::max(opposite, std::abs(a[k] + b[k]));
  }
  return apart > same && !(type == JointType::ball && opposite <= same);
}

void find_moving(Model& model) {
  const Skeleton& skeleton = model.chain.skeleton;
  const auto width = static_cast<std::size_t>(skeleton.q_size());
  const float* const first = model.styles.front().q.data();
  for (const Skeleton::Joint& joint : skeleton.joints()) {
    bool moves = false;
    for (const Style& style : model.styles)
      for (std::size_t at = 0; at < style.q.size() && !moves; at += width)
        moves = differs(joint.type, style.q.data() + at + joint.q_offset, first + joint.q_offset);
    model.moves.push_back(moves);
  }
  if (std::find(model.moves.begin(), model.moves.end(), true) == model.moves.end())
    model.moves.assign(model.moves.size(), true);
}

std::optional<Error> check_growth(const Growth& growth) {
  if (growth.split < 1) return Error{"a cell is split above at least 1 point", ""};
  if (growth.levels < 1 || growth.levels > most_levels)
    return Error{"a tree has 1 to " + std::to_string(most_levels) + " levels", ""};
  if (!(growth.slack >= 0 && growth.slack <= pi)) return Error{"the slack is 0 to pi", ""};
  return std::nullopt;
}

}  // namespace

void Model::pose(const Style& style, std::uint32_t frame, Q out) const noexcept {
  const float* const from = style.q.data() + std::size_t{frame} * out.size();
  std::copy_n(from, out.size(), out.begin());
  for (const Skeleton::Joint& joint : chain.skeleton.joints())
    if (joint.type == JointType::ball)
      store_quat(normalized_or_identity(load_quat(&out[joint.q_offset])), &out[joint.q_offset]);
}

Model::CellView Model::cell(const Style& style, std::size_t index) const noexcept {
  const auto q = static_cast<std::size_t>(chain.skeleton.q_size());
  const auto v = static_cast<std::size_t>(chain.skeleton.v_size());
  const std::span<const float> all = std::span(style.cells).subspan(index * (q + 3 * v), q + 3 * v);
  return {all.first(q), all.subspan(q, v), all.subspan(q + v, v), all.subspan(q + 2 * v, v)};
}

std::size_t Model::frame_count() const noexcept {
  std::size_t count = 0;
  for (const Style& style : styles) count += style.frame_count();
  return count;
}

std::size_t Model::bytes() const noexcept {
  std::size_t bytes = sizeof(Model);
  for (const Style& style : styles)
    bytes += style.q.capacity() * sizeof(float) + style.cells.capacity() * sizeof(float) +
             style.sightings.capacity() * sizeof(Sighting) +
             style.tree.cells().size() * sizeof(Octree::Cell) +
             style.tree.order().size() * sizeof(std::uint32_t);
  return bytes;
}

int Model::find_style(std::string_view name) const noexcept {
  for (std::size_t s = 0; s < styles.size(); ++s)
    if (styles[s].name == name) return static_cast<int>(s);
  return -1;
}

Result<Model> learn(Chain chain, std::span<const Take> takes, const Growth& growth) {
  if (auto fault = check_growth(growth)) return *fault;
  if (takes.empty()) return Error{"there is no motion to learn from", ""};
  Model model{.chain = std::move(chain), .growth = growth, .styles = {}};
  const auto width = static_cast<std::size_t>(model.chain.skeleton.q_size());
  std::size_t frames = 0;
  for (std::size_t t = 0; t < takes.size(); ++t) {
    const Take& take = takes[t];
    if (auto fault = check_take(model.chain.skeleton, take, t)) return *fault;
    frames += take.q.size() / width;
    if (frames > most_frames)
      return Error{"there are more than " + std::to_string(most_frames) + " frames", ""};
    int s = model.find_style(take.style);
    if (s < 0) {
      if (model.styles.size() == most_styles)
        return Error{"there are more than " + std::to_string(most_styles) + " styles", ""};
      s = static_cast<int>(model.styles.size());
      model.styles.emplace_back().name = take.style;
    }
    Style& style = model.styles[static_cast<std::size_t>(s)];
    style.runs.push_back({take.rate, static_cast<std::uint32_t>(style.q.size() / width),
                          static_cast<std::uint32_t>(take.q.size() / width)});
    for (const Real x : take.q) style.q.push_back(static_cast<float>(x));
  }
  for (Style& style : model.styles) {
    style.q.shrink_to_fit();
    Grower(model, style).grow();
  }
  find_moving(model);
  return model;
}

}  // namespace gestik::learn
