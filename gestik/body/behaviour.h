#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gestik/body/triangulation.h"
#include "gestik/model/character.h"

/// How a body behaves while a hand reaches: key postures drawn for some directions of the arm, and
/// everything between them by blending.
namespace gestik {

/// What an arm's swivel should be: the preferred angle and the range it is searched in.
struct SwivelWish {
  Real preferred = 0;
  Real lo = -pi;
  Real hi = pi;
};

/// One posture, for one direction of the arm.
struct KeyPosture {
  /// The direction as a swing of the shoulder from its rest: a rotation vector (x, y) in the
  /// shoulder's limit frame, inside its swing ellipse.
  Vec2 swing = Vec2::Zero();
  /// The values of the arm's `joints`, one after the other.
  std::vector<Real> q = {};
  /// How the whole body moves: it turns about its root joint, then shifts.
  Pose root = {};
  std::optional<SwivelWish> swivel = {};
};

/// The keys of one arm.
struct ArmDraft {
  std::string hand = {};  ///< the end-point, link or joint that reaches
  Real weight = 1;        ///< where two arms want one joint, its share against the other's
  std::vector<std::string> joints = {};  ///< whose values the keys hold
  std::vector<KeyPosture> keys = {};
  /// Four, for the corners (-x, -y), (x, -y), (x, y), (-x, y) around the ellipse; their swings are
  /// not looked at. Empty: each corner is like the key nearest to it.
  std::vector<KeyPosture> corners = {};
};

/// A behaviour in words. Nothing here is checked: build() does that.
struct BehaviourDraft {
  std::string name = {};
  Real fullness = 0.8;  ///< how much of the key posture a straight arm gets, in (0, 1]
  std::vector<ArmDraft> arms = {};
  std::vector<std::string> feet = {};  ///< end-points that stay where they are
};

/// The key postures of one arm over its swing plane, ready to be blended; a designer adds and takes
/// away keys one by one. Blending a rotation of three keys takes their mean on the sphere: between
/// two keys it is the straight way with constant speed (slerp).
class SwingKeys {
 public:
  /// One joint's values in a row.
  struct Item {
    JointId joint;
    JointType type;
    int offset;  ///< in a row
  };

  /// The ellipse's half axes; beyond 150 degrees nobody's swings are told apart well.
  const Vec2& ellipse() const noexcept { return ellipse_; }
  static constexpr Real widest_swing = 5 * pi / 6;

  int key_count() const noexcept { return plane_.point_count() - Triangulation::corner_count; }
  Vec2 swing(int key) const noexcept { return swings_[static_cast<std::size_t>(key)]; }
  const Triangulation& plane() const noexcept { return plane_; }
  std::span<const Item> items() const noexcept { return items_; }
  bool has_swivel() const noexcept { return has_swivel_; }

  /// Adds a key, the last of all, or says why not; then nothing has changed.
  std::optional<Error> insert(const KeyPosture&);
  /// Takes a key away; the last one left stays.
  std::optional<Error> remove(int key);

  /// The numbers of a blend: the joints' values, then the root's place and rotation (w, x, y, z),
  /// then the swivel's three.
  int row_size() const noexcept { return row_size_; }
  static constexpr int root_size = 7;
  int root_offset() const noexcept { return row_size_ - root_size - 3; }
  int swivel_offset() const noexcept { return row_size_ - 3; }

  /// The blend for a swing; one outside the ellipse is brought to its edge. `face` is where the
  /// last one lay, to be kept between calls.
  void blend(const Vec2& swing, int& face, std::span<Real> row) const noexcept;

 private:
  friend Result<SwingKeys> build(const Skeleton&, JointId shoulder, const ArmDraft&);
  explicit SwingKeys(const Vec2& ellipse);
  std::optional<Error> fault_of(const KeyPosture&) const;
  std::vector<Real> row_of(const KeyPosture&) const;
  void set_corners();

  Vec2 ellipse_;
  Triangulation plane_;
  std::vector<Vec2> swings_;
  std::vector<Item> items_;
  std::vector<int> rotations_;  ///< where rows hold quaternions
  bool has_swivel_ = false;
  bool own_corners_ = false;
  int row_size_ = 0;
  std::vector<Real> rows_;       ///< one for each point of the plane
  std::vector<Real> reference_;  ///< a row in whose half all rows have their quaternions
};

/// Refuses, naming the key (they count from 1): no key at all, an unknown joint, a posture of the
/// wrong size or with numbers that are not finite, a zero quaternion, a swing outside the ellipse,
/// two keys at one place, corners that are not four, swivels that only some have or whose preferred
/// angle is not in their range; and a shoulder that is not a ball.
Result<SwingKeys> build(const Skeleton&, JointId shoulder, const ArmDraft&);

/// How much of the behaviour a target at this distance gets, of an arm of this length: rising with
/// the square of the distance, `fullness` for a straight arm, never above 1.
Real reach_weight(Real distance, Real arm_length, Real fullness) noexcept;

/// The swing that points a shoulder's arm in a direction given in the shoulder's frame at rest.
Vec2 swing_towards(const Skeleton&, JointId shoulder, const Vec3& direction) noexcept;

}  // namespace gestik
