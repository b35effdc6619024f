#include "gestik/solve/learnt/prior.h"

#include <algorithm>
#include <cmath>

#include "gestik/learn/blend.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik::learnt {
namespace {

using Eigen::Index;
using learn::Model;
using learn::Octree;
using learn::Style;

/// Neighbours nearer than this (metres) weigh alike: a capture tells no places apart below.
constexpr Real same_place = 0.002;
/// Beside a covariance in square radians: what a step may leave of the way to the target, squared.
constexpr Real neighbour_noise = 1e-6;

std::size_t most_neighbours(const Learnt& settings) noexcept {
  if (settings.model == nullptr || settings.printed) return 0;
  return static_cast<std::size_t>(settings.neighbours) * settings.model->styles.size();
}

Real weight_of(const Learnt& settings, std::size_t style) noexcept {
  if (settings.style_weights.empty()) return 1;
  if (style >= settings.style_weights.size()) return 0;
  const Real weight = settings.style_weights[style];
  return weight > 0 && weight <= largest_number ? weight : 0;
}

/// The goal, if what was learnt may say something about it.
const Reach* goal_of(const Learnt& settings, const Problem& problem) noexcept {
  if (settings.model == nullptr || problem.goals.size() != 1) return nullptr;
  return std::get_if<Reach>(&problem.goals.front());
}

/// The model's chain in the problem's skeleton, a joint for each of its own. Walks from the goal's
/// joint to the root, the chain's last joint to its first: no names needed.
bool find_chain(const Model& model, const Problem& problem, const Reach& goal,
                std::span<JointId> joints) noexcept {
  const learn::Chain& chain = model.chain;
  const Skeleton& skeleton = problem.skeleton;
  constexpr Real same_point = 1e-9;
  if ((goal.point_in_joint - chain.point).lpNorm<Eigen::Infinity>() > same_point) return false;
  JointId j = goal.joint;
  for (JointId c = chain.end(); c >= 0; --c, j = skeleton.parent(j)) {
    if (j == no_joint || !learn::same_joint(chain.skeleton, c, skeleton, j)) return false;
    if (skeleton.type(j) != JointType::fixed && !may_move(problem, j)) return false;
    joints[static_cast<std::size_t>(c)] = j;
  }
  return true;
}

Pose world_from_base(const Problem& problem, JointId root, Scratch& scratch) noexcept {
  const JointId parent = problem.skeleton.parent(root);
  if (parent == no_joint) return {};
  const Scratch::Frame frame(scratch);
  const auto poses = scratch.take<Pose>(static_cast<std::size_t>(problem.skeleton.joint_count()));
  forward(problem.skeleton, problem.seed, poses);
  return poses[static_cast<std::size_t>(parent)];
}

/// What a model says, in the chain's own coordinates.
struct Said {
  Q mean;
  VectorMap diagonal, lo, hi;
  MatrixMap deviations;
  Index columns = 0;
  bool boxed = false;
};

/// A neighbour and the style it is of.
struct Known {
  const Style* style;
  Octree::Neighbour neighbour;
  Real weight;
};

// The neighbours' mean, each weighed by 1 / distance^2, and how they differ from it. With the
// target met exactly by one of them, that one is the mean.
bool ask_neighbours(const Learnt& settings, const Vec3& target, Scratch& scratch,
                    Said& said) noexcept {
  const Model& model = *settings.model;
  const Skeleton& skeleton = model.chain.skeleton;
  const Scratch::Frame frame(scratch);
  const auto known = scratch.take<Known>(most_neighbours(settings));
  const auto found = scratch.take<Octree::Neighbour>(static_cast<std::size_t>(settings.neighbours));
  const Vec3 velocity(settings.velocity[0], settings.velocity[1], settings.velocity[2]);
  const bool moving = settings.has_velocity && velocity.allFinite();
  std::size_t count = 0;
  for (std::size_t s = 0; s < model.styles.size(); ++s) {
    const Style& style = model.styles[s];
    const Real share = weight_of(settings, s);
    if (share == 0) continue;
    const std::size_t near =
        style.tree.nearest(style.sightings, target, moving ? velocity : Vec3(Vec3::Zero()),
                           moving ? settings.time : 0, found);
    for (std::size_t i = 0; i < near; ++i)
      known[count++] = {&style, found[i], share / (found[i].distance2 + same_place * same_place)};
  }
  if (count == 0) return false;

  const std::span<const Known> all = known.first(count);
  const Known& first = *std::max_element(
      all.begin(), all.end(), [](const Known& a, const Known& b) { return a.weight < b.weight; });
  const Q reference = scratch.take<Real>(said.mean.size());
  const Q pose = scratch.take<Real>(said.mean.size());
  model.pose(*first.style, first.neighbour.point, reference);
  std::fill(said.mean.begin(), said.mean.end(), 0);
  Real weights = 0;
  for (const Known& each : all) {
    // The nearest's weight is one: sums stay near one however far away they all are.
    const Real weight = each.weight / first.weight;
    model.pose(*each.style, each.neighbour.point, pose);
    learn::add_to_blend(skeleton, reference, pose, weight, said.mean);
    weights += weight;
  }
  learn::finish_blend(skeleton, reference, said.mean, weights, said.mean);
  for (JointId c = 0; c < skeleton.joint_count(); ++c)
    said.diagonal.segment(skeleton.v_offset(c), v_size(skeleton.type(c)))
        .setConstant(model.moves[static_cast<std::size_t>(c)] ? settings.spread * settings.spread
                                                              : 0);
  if (!settings.covariance) return true;
  const Real scale = 1 / std::sqrt(static_cast<Real>(count));
  for (const Known& each : all) {
    model.pose(*each.style, each.neighbour.point, pose);
    auto column = said.deviations.col(said.columns++);
    learn::chord_between(skeleton, said.mean, pose,
                         {column.data(), static_cast<std::size_t>(column.size())});
    column *= scale;
  }
  return true;
}

// Eqs 6 to 12: the cell's mean as the start, its limits, and lambda^2 as the damping. In the dual
// form damping is the inverse of a covariance. Several styles: means and dampings are blended, and
// every one of them may go as far as it was seen to.
bool ask_cell(const Learnt& settings, const Vec3& target, Scratch& scratch, Said& said) noexcept {
  const Model& model = *settings.model;
  const Skeleton& skeleton = model.chain.skeleton;
  const Scratch::Frame frame(scratch);
  const Q reference = scratch.take<Real>(said.mean.size());
  const Q pose = scratch.take<Real>(said.mean.size());
  VectorMap shift = take_vector(scratch, said.diagonal.size());
  const auto each_style = [&](auto&& f) {
    for (std::size_t s = 0; s < model.styles.size(); ++s) {
      const Style& style = model.styles[s];
      const Real weight = weight_of(settings, s);
      if (weight == 0 || style.frame_count() == 0) continue;
      const std::size_t cell = style.tree.cell_at(target, settings.depth);
      const Model::CellView view = model.cell(style, cell);
      std::copy(view.mean.begin(), view.mean.end(), pose.begin());
      for (const Skeleton::Joint& joint : skeleton.joints())
        if (joint.type == JointType::ball)
          store_quat(normalized_or_identity(load_quat(&pose[joint.q_offset])),
                     &pose[joint.q_offset]);
      f(view, weight, style.tree.cells()[cell].level);
    }
  };
  Real weights = 0;
  std::fill(said.mean.begin(), said.mean.end(), 0);
  said.diagonal.setZero();
  each_style([&](const Model::CellView& view, Real weight, int) {
    if (weights == 0) std::copy(pose.begin(), pose.end(), reference.begin());
    learn::add_to_blend(skeleton, reference, pose, weight, said.mean);
    for (Index i = 0; i < said.diagonal.size(); ++i)
      said.diagonal[i] += weight * Real(view.damping2[static_cast<std::size_t>(i)]);
    weights += weight;
  });
  if (weights == 0) return false;
  learn::finish_blend(skeleton, reference, said.mean, weights, said.mean);
  said.diagonal = (said.diagonal / weights).cwiseInverse();
  said.boxed = true;
  said.lo.setConstant(infinity);
  said.hi.setConstant(-infinity);
  each_style([&](const Model::CellView& view, Real, int level) {
    if (level == 0) said.boxed = false;  // the top level has the body's own limits
    learn::offset_between(skeleton, said.mean, pose,
                          {shift.data(), static_cast<std::size_t>(shift.size())});
    for (Index i = 0; i < shift.size(); ++i) {
      said.lo[i] = std::min(said.lo[i], shift[i] + Real(view.lo[static_cast<std::size_t>(i)]));
      said.hi[i] = std::max(said.hi[i], shift[i] + Real(view.hi[static_cast<std::size_t>(i)]));
    }
  });
  return true;
}

Said take_said(const Learnt& settings, const Skeleton& chain, Scratch& scratch) noexcept {
  const Index v = chain.v_size();
  return {.mean = scratch.take<Real>(static_cast<std::size_t>(chain.q_size())),
          .diagonal = take_vector(scratch, v),
          .lo = take_vector(scratch, v),
          .hi = take_vector(scratch, v),
          .deviations = take_matrix(scratch, v, static_cast<Index>(most_neighbours(settings)))};
}

/// From the chain's coordinates to the skeleton's.
void scatter(const Said& said, const Skeleton& chain, std::span<const JointId> joints,
             const Skeleton& skeleton, Prior& prior) noexcept {
  prior.columns = said.columns;
  prior.boxed = said.boxed;
  prior.diagonal.setZero();
  prior.deviations.leftCols(said.columns).setZero();
  prior.lo.setConstant(-infinity);
  prior.hi.setConstant(infinity);
  for (JointId c = 0; c < chain.joint_count(); ++c) {
    const JointId j = joints[static_cast<std::size_t>(c)];
    std::copy_n(said.mean.begin() + chain.q_offset(c), q_size(chain.type(c)),
                prior.mean.begin() + skeleton.q_offset(j));
    const Index size = v_size(chain.type(c)), from = chain.v_offset(c), to = skeleton.v_offset(j);
    prior.diagonal.segment(to, size) = said.diagonal.segment(from, size);
    prior.deviations.block(to, 0, size, said.columns) =
        said.deviations.block(from, 0, size, said.columns);
    if (!said.boxed) continue;
    prior.lo.segment(to, size) = said.lo.segment(from, size);
    prior.hi.segment(to, size) = said.hi.segment(from, size);
  }
}

}  // namespace

std::size_t Prior::bytes(const Learnt& settings, const Skeleton& skeleton) noexcept {
  const auto v = static_cast<std::size_t>(skeleton.v_size());
  return Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size())) +
         3 * Scratch::bytes_for<Real>(v) + Scratch::bytes_for<Real>(v * most_neighbours(settings));
}

Prior Prior::take(const Learnt& settings, const Skeleton& skeleton, Scratch& scratch) noexcept {
  const Index v = skeleton.v_size();
  return {.mean = scratch.take<Real>(static_cast<std::size_t>(skeleton.q_size())),
          .diagonal = take_vector(scratch, v),
          .deviations = take_matrix(scratch, v, static_cast<Index>(most_neighbours(settings))),
          .lo = take_vector(scratch, v),
          .hi = take_vector(scratch, v)};
}

void set_plain(const Learnt& settings, const Problem& problem, Prior& prior) noexcept {
  const Skeleton& skeleton = problem.skeleton;
  const std::span<const Real> per_joint = problem.intent.per_joint;
  prior.columns = 0;
  prior.about_mean = prior.boxed = false;
  prior.noise = settings.damping * settings.damping;
  prior.diagonal.setZero();
  for (JointId j = 0; j < skeleton.joint_count(); ++j) {
    if (!may_move(problem, j)) continue;
    const Real hold =
        per_joint.empty() ? 1 : std::max<Real>(1, per_joint[static_cast<std::size_t>(j)]);
    prior.diagonal.segment(skeleton.v_offset(j), v_size(skeleton.type(j))).setConstant(1 / hold);
  }
}

bool hold_still(const Learnt& settings, const Problem& problem, Scratch& scratch,
                Prior& prior) noexcept {
  const Reach* const goal = goal_of(settings, problem);
  if (goal == nullptr || settings.printed) return false;
  const Scratch::Frame frame(scratch);
  const Skeleton& chain = settings.model->chain.skeleton;
  const auto joints = scratch.take<JointId>(static_cast<std::size_t>(chain.joint_count()));
  if (!find_chain(*settings.model, problem, *goal, joints)) return false;
  bool held = false;
  for (std::size_t c = 0; c < joints.size(); ++c) {
    if (settings.model->moves[c]) continue;
    const JointId j = joints[c];
    const Index size = v_size(problem.skeleton.type(j));
    prior.diagonal.segment(problem.skeleton.v_offset(j), size).setZero();
    held = held || size > 0;
  }
  return held;
}

std::size_t set_learnt_bytes(const Learnt& settings, const Skeleton& skeleton) noexcept {
  if (settings.model == nullptr) return 0;
  const Skeleton& chain = settings.model->chain.skeleton;
  const auto joints = static_cast<std::size_t>(chain.joint_count());
  const auto q = static_cast<std::size_t>(chain.q_size()),
             v = static_cast<std::size_t>(chain.v_size());
  return Scratch::bytes_for<JointId>(joints) +
         Scratch::bytes_for<Pose>(static_cast<std::size_t>(skeleton.joint_count())) +
         3 * Scratch::bytes_for<Real>(q) + 4 * Scratch::bytes_for<Real>(v) +
         Scratch::bytes_for<Real>(v * most_neighbours(settings)) +
         Scratch::bytes_for<Known>(most_neighbours(settings)) +
         Scratch::bytes_for<Octree::Neighbour>(static_cast<std::size_t>(settings.neighbours));
}

bool set_learnt(const Learnt& settings, const Problem& problem, Scratch& scratch,
                Prior& prior) noexcept {
  const Reach* const goal = goal_of(settings, problem);
  if (goal == nullptr || settings.from_seed) return false;
  const Scratch::Frame frame(scratch);
  const Model& model = *settings.model;
  const Skeleton& chain = model.chain.skeleton;
  const auto joints = scratch.take<JointId>(static_cast<std::size_t>(chain.joint_count()));
  if (!find_chain(model, problem, *goal, joints)) return false;
  const Vec3 target = inverse(world_from_base(problem, joints.front(), scratch)) * goal->target;
  Said said = take_said(settings, chain, scratch);
  const bool knows = settings.printed ? ask_cell(settings, target, scratch, said)
                                      : ask_neighbours(settings, target, scratch, said);
  if (!knows) return false;
  std::copy(problem.seed.begin(), problem.seed.end(), prior.mean.begin());
  scatter(said, chain, joints, problem.skeleton, prior);
  for (const JointId j : joints)
    if (may_move(problem, j))
      clamp_joint(problem.skeleton, j,
                  &prior.mean[static_cast<std::size_t>(problem.skeleton.q_offset(j))]);
  prior.about_mean = !settings.printed;
  prior.noise = settings.printed ? 1 : neighbour_noise;
  return true;
}

}  // namespace gestik::learnt
