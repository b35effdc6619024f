#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gestik/model/character.h"

namespace gestik::evaluation::mocap {

struct CaptureOptions {
  std::string clip;                         ///< a BVH file
  std::optional<Real> unit = std::nullopt;  ///< metres per unit of the file; else see body_height
  std::vector<std::string> goals = {};      ///< joints or end sites; empty for the default_goals
  bool free_root = false;                   ///< no limits on where the root is and how it is turned
};

/// Without a unit a body is taken to be this high at rest, as the paper does, in metres.
inline constexpr Real body_height = 1.8;

/// The hands, feet, pelvis and head, by the names that the CMU database's files give them.
std::vector<std::string> default_goals();

/// A captured motion, and a body that could have made it: one hinge for each rotation channel of
/// the file, one slider for each position channel, in the file's order. Each may go as far as it
/// goes in the capture, and `margin` of that range farther, half on either side. So there is a pose
/// inside the limits for every frame: the captured one.
///
/// A first frame in which most of the joints that are turned in the second one are at exactly zero
/// is the rest pose that converters put before the motion; it is no part of it. Angles that jump by
/// a whole turn go on instead.
struct Capture {
  static constexpr Real margin = 0.1;

  std::string name;
  Skeleton skeleton;
  std::vector<Frame> goals;
  /// Joints and end sites that are in places of their own: where a pose is compared.
  std::vector<Frame> places;
  Real rate = 0;        ///< frames per second
  std::vector<Real> q;  ///< frame after frame
  int movable = 0;      ///< degrees of freedom whose limits leave room
  Real unit = 1;
  std::vector<std::string> warnings;

  std::size_t q_size() const noexcept { return static_cast<std::size_t>(skeleton.q_size()); }
  std::size_t frame_count() const noexcept { return q.size() / q_size(); }
  ConstQ frame(std::size_t f) const noexcept { return {q.data() + f * q_size(), q_size()}; }
};
Result<Capture> read_capture(const CaptureOptions&);

}  // namespace gestik::evaluation::mocap
