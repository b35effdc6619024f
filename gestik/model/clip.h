#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gestik/model/skeleton.h"

namespace gestik {

/// Sampled motion: one row of coordinates per frame at a fixed rate. The column names are the
/// coordinate names of the skeleton it moves ("elbow", "hip.w", ...), so a clip can be matched by
/// name.
struct Clip {
  std::string name = {};
  Real rate = 0;  ///< frames per second, above zero
  std::vector<std::string> columns = {};
  std::vector<Real> values = {};  ///< frame after frame, columns.size() numbers each

  int frame_count() const noexcept {
    return columns.empty() ? 0 : static_cast<int>(values.size() / columns.size());
  }
  ConstQ frame(int f) const noexcept {
    return {values.data() + static_cast<std::size_t>(f) * columns.size(), columns.size()};
  }
  /// From the first frame to the last, in seconds.
  Real duration() const noexcept {
    return frame_count() > 1 ? static_cast<Real>(frame_count() - 1) / rate : 0;
  }
};

/// An empty clip for a skeleton: its columns named, no frames yet.
Clip clip_for(const Skeleton&, std::string name, Real rate);

/// Nothing when the clip's columns are the skeleton's coordinates, in its order, and its rate and
/// values are sound: what must hold before a frame is used as a q. Else what differs first.
std::optional<Error> check(const Clip&, const Skeleton&);

/// The pose at a time in seconds, clamped to the clip: linear between frames, the shortest way on
/// the sphere for balls. The clip must fit the skeleton and have a frame. Frames must be finite.
void sample(const Clip&, const Skeleton&, Real seconds, Q out) noexcept;

}  // namespace gestik
