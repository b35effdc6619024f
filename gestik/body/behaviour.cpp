#include "gestik/body/behaviour.h"

#include <algorithm>
#include <cmath>

#include "gestik/base/suggest.h"
#include "gestik/math/arc_tangent.h"
#include "gestik/math/ellipse.h"
#include "gestik/math/mean_rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// How far outside the ellipse the rectangle around it begins.
constexpr Real rectangle = 1.1;

constexpr int swivel_size = 3;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string pair_of(const Vec2& v) {
  return std::string("(") + std::to_string(v.x()) + ", " + std::to_string(v.y()) + ")";
}

bool is_sound(const Quat& q) {
  return is_finite(q) && !q.coeffs().isZero(0);
}

}  // namespace

// --- building ---

SwingKeys::SwingKeys(const Vec2& ellipse) : ellipse_(ellipse), plane_(rectangle * ellipse) {}

std::optional<Error> SwingKeys::fault_of(const KeyPosture& key) const {
  if (static_cast<int>(key.q.size()) != root_offset())
    return Error{"its posture has " + std::to_string(key.q.size()) + " numbers, its joints need " +
                     std::to_string(root_offset()),
                 ""};
  for (const Real x : key.q)
    if (!is_bounded(x)) return Error{"its posture is not finite", ""};
  for (const Item& item : items_)
    if (item.type == JointType::ball && !is_sound(load_quat(key.q.data() + item.offset)))
      return Error{"its posture holds a zero quaternion", ""};
  if (!is_bounded(key.root.p) || !is_sound(key.root.q))
    return Error{"the place of its root must be finite, and its orientation not zero", ""};
  if (key.swivel.has_value() != has_swivel_)
    return Error{"either all keys have a swivel or none; this one is the odd one out", ""};
  if (key.swivel) {
    const auto [preferred, lo, hi] = *key.swivel;
    if (!is_bounded(preferred) || !is_bounded(lo) || !is_bounded(hi) || lo > preferred ||
        preferred > hi)
      return Error{"its preferred swivel must lie between its lo and hi", ""};
  }
  return std::nullopt;
}

std::vector<Real> SwingKeys::row_of(const KeyPosture& key) const {
  std::vector<Real> row(at(row_size_));
  std::copy(key.q.begin(), key.q.end(), row.begin());
  Real* root = row.data() + root_offset();
  for (int k = 0; k < 3; ++k) root[k] = key.root.p[k];
  store_quat(key.root.q, root + 3);
  const SwivelWish wish = key.swivel.value_or(SwivelWish{});
  Real* swivel = row.data() + swivel_offset();
  swivel[0] = wish.preferred;
  swivel[1] = wish.lo;
  swivel[2] = wish.hi;

  // q and -q are one rotation: the one in the reference's half is taken, so that blends of any
  // three keys agree.
  for (const int r : rotations_) {
    Quat q = normalized_or_identity(load_quat(row.data() + r));
    if (!reference_.empty() && load_quat(reference_.data() + r).dot(q) < 0)
      q.coeffs() = -q.coeffs();
    store_quat(q, row.data() + r);
  }
  return row;
}

std::optional<Error> SwingKeys::insert(const KeyPosture& key) {
  if (auto fault = fault_of(key)) return fault;
  if (!is_bounded(key.swing.x()) || !is_bounded(key.swing.y()) ||
      ellipse_level(key.swing, ellipse_.x(), ellipse_.y()) > 1 + 1e-9)
    return Error{"its swing " + pair_of(key.swing) +
                     " lies outside the shoulder's ellipse of half axes " + pair_of(ellipse_),
                 ""};
  switch (plane_.insert(key.swing)) {
    case Triangulation::Insertion::done:
      break;
    case Triangulation::Insertion::outside:
      return Error{"its swing lies outside the swing plane", ""};
    case Triangulation::Insertion::too_near:
      return Error{"its swing " + pair_of(key.swing) + " is that of another key; move one", ""};
  }
  const std::vector<Real> row = row_of(key);
  rows_.insert(rows_.end(), row.begin(), row.end());
  swings_.push_back(key.swing);
  set_corners();
  return std::nullopt;
}

std::optional<Error> SwingKeys::remove(int key) {
  if (key < 0 || key >= key_count()) return Error{"there is no such key", ""};
  if (key_count() == 1) return Error{"a behaviour needs at least one key; this is the last", ""};
  const int point = Triangulation::corner_count + key;
  plane_.remove(point);
  rows_.erase(rows_.begin() + point * row_size_, rows_.begin() + (point + 1) * row_size_);
  swings_.erase(swings_.begin() + key);
  set_corners();
  return std::nullopt;
}

/// A corner that nobody drew is like the key nearest to it.
void SwingKeys::set_corners() {
  if (own_corners_) return;
  for (int c = 0; c < Triangulation::corner_count; ++c) {
    int best = Triangulation::corner_count;
    for (int p = best + 1; p < plane_.point_count(); ++p)
      if ((plane_.point(p) - plane_.point(c)).squaredNorm() <
          (plane_.point(best) - plane_.point(c)).squaredNorm())
        best = p;
    std::copy_n(rows_.begin() + best * row_size_, row_size_, rows_.begin() + c * row_size_);
  }
}

Result<SwingKeys> build(const Skeleton& skeleton, JointId shoulder, const ArmDraft& draft) {
  if (skeleton.type(shoulder) != JointType::ball)
    return Error{"its base must be a ball, whose swings the keys are drawn for; this is a " +
                     std::string(to_string(skeleton.type(shoulder))),
                 "joint '" + skeleton.name(shoulder) + "'"};
  if (draft.keys.empty()) return Error{"it has no keys; a behaviour needs at least one", ""};
  if (!draft.corners.empty() && draft.corners.size() != at(Triangulation::corner_count))
    return Error{
        "it has " + std::to_string(draft.corners.size()) + " corners; draw all four or none", ""};
  const Limits& limits = skeleton.limits(shoulder);
  SwingKeys keys({std::min(limits.swing_x, SwingKeys::widest_swing),
                  std::min(limits.swing_y, SwingKeys::widest_swing)});

  int size = 0;
  for (const std::string& name : draft.joints) {
    const JointId joint = skeleton.find(name);
    if (joint == no_joint) {
      std::vector<std::string_view> names;
      for (JointId j = 0; j < skeleton.joint_count(); ++j) names.push_back(skeleton.name(j));
      return Error{"there is no joint '" + name + "'" + did_you_mean(name, names), ""};
    }
    for (const SwingKeys::Item& item : keys.items_)
      if (item.joint == joint) return Error{"it names the joint '" + name + "' twice", ""};
    const JointType type = skeleton.type(joint);
    if (type == JointType::fixed)
      return Error{"the joint '" + name + "' is fixed and has no value; leave it out", ""};
    keys.items_.push_back({joint, type, size});
    if (type == JointType::ball) keys.rotations_.push_back(size);
    size += q_size(type);
  }
  keys.rotations_.push_back(size + 3);
  keys.row_size_ = size + SwingKeys::root_size + swivel_size;
  keys.has_swivel_ = draft.keys.front().swivel.has_value();
  keys.own_corners_ = !draft.corners.empty();

  // Corners come first in the plane; until they are known they are like the first key.
  for (int c = 0; c < Triangulation::corner_count; ++c) {
    const bool own = keys.own_corners_;
    const KeyPosture& key = own ? draft.corners[at(c)] : draft.keys.front();
    if (auto fault = keys.fault_of(key))
      return Error{fault->what, own ? "corner " + std::to_string(c + 1) : "key 1"};
    const std::vector<Real> row = keys.row_of(key);
    if (c == 0) keys.reference_ = row;
    keys.rows_.insert(keys.rows_.end(), row.begin(), row.end());
  }
  for (std::size_t i = 0; i < draft.keys.size(); ++i)
    if (auto fault = keys.insert(draft.keys[i]))
      return Error{fault->what, "key " + std::to_string(i + 1)};
  return keys;
}

// --- blending ---

void SwingKeys::blend(const Vec2& swing, int& face, std::span<Real> row) const noexcept {
  const bool outside = ellipse_level(swing, ellipse_.x(), ellipse_.y()) > 1;
  const Triangulation::Place place =
      plane_.locate(outside ? nearest_on_ellipse(swing, ellipse_.x(), ellipse_.y()) : swing, face);
  face = place.face;
  std::array<const Real*, 3> from;
  for (std::size_t k = 0; k < 3; ++k) from[k] = rows_.data() + place.points[k] * row_size_;
  const auto& w = place.weights;
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = w[0] * from[0][i] + w[1] * from[1][i] + w[2] * from[2][i];
  for (const int r : rotations_) {
    const std::array<Quat, 3> turns{load_quat(from[0] + r), load_quat(from[1] + r),
                                    load_quat(from[2] + r)};
    store_quat(mean_rotation(turns, w), row.data() + r);
  }
}

Real reach_weight(Real distance, Real arm_length, Real fullness) noexcept {
  const Real share = distance / arm_length;
  return share > 0 ? std::min<Real>(1, fullness * share * share) : 0;
}

// In the limit frame the arm at rest lies along z. The smallest rotation from z to the direction d
// is about z x d = (-d_y, d_x, 0), by the angle of (d_z, |z x d|).
Vec2 swing_towards(const Skeleton& skeleton, JointId shoulder, const Vec3& direction) noexcept {
  const Vec3 d = skeleton.joint_from_limit(shoulder).conjugate() * direction;
  const Real sine = std::hypot(d.x(), d.y());
  if (sine == 0) return d.z() >= 0 ? Vec2(0, 0) : Vec2(pi, 0);
  return arc_tangent(sine, d.z()) / sine * Vec2(-d.y(), d.x());
}

}  // namespace gestik
