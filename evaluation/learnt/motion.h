#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gestik/learn/model.h"

namespace gestik::evaluation::learnt {

/// A captured motion of a chain: what is learnt from, and what a result is compared with.
struct Motion {
  std::string name, file;
  learn::Take take;
  std::vector<Vec3> path;  ///< of the chain's end, in its base frame

  std::size_t frame_count() const noexcept { return path.size(); }
};

struct MotionOptions {
  std::string root, end;
  std::optional<Real> unit = std::nullopt;  ///< metres per unit; else the test's body is 1.8 m high
};

/// The test's chain and motion, and those to learn from played on the same bones: joints turn as
/// they did in the capture, whoever's bones they were. The rest pose that converters put before a
/// motion is left out. Refuses clips whose joints differ in name, order or type, by name.
struct Motions {
  learn::Chain chain;
  Motion test;
  std::vector<Motion> train;
  Real unit = 1;
};
Result<Motions> read_motions(const std::string& test, const std::vector<std::string>& train,
                             const MotionOptions&);

/// Where the chain's end is in each frame.
std::vector<Vec3> path_of(const learn::Chain&, std::span<const Real> q);

/// How a motion compares with a captured one.
struct Score {
  Real mse = 0;                      ///< radians^2 over Euler angles: the paper's joint error
  Real degrees = 0;                  ///< its root, RMS over joint angles
  Real turn_degrees = 0;             ///< RMS over joints of the whole rotation between them
  Real distance_mse = 0;             ///< metres^2 from the targets
  Real miss_mean = 0, miss_max = 0;  ///< metres
  /// The largest of any joint, in shares of the capture's; nothing where the capture has none.
  std::optional<Real> acceleration = {};
  std::size_t frames = 0;  ///< that were compared
};

/// `counted` says which frames are compared with the capture; misses and accelerations are of all.
/// Ball joints are compared by the Z, Y, X Euler angles that are nearest to the capture's, the
/// paper's degrees of freedom, hinges by their angles, both on the circle.
Score score_of(const learn::Chain&, const Motion& capture, std::span<const Real> q,
               const std::vector<bool>& counted);

/// The whole rotation of a joint from its zero, in radians, frame by frame: what Figure 13 draws.
std::vector<Real> angles_of(const learn::Chain&, JointId, std::span<const Real> q);

/// Squared Euler error of each frame, summed over the joints: what Figure 11 draws.
std::vector<Real> frame_errors(const learn::Chain&, const Motion& capture, std::span<const Real> q);

/// The largest angular acceleration of any joint, radians / second^2.
Real largest_acceleration(const learn::Chain&, std::span<const Real> q, Real rate);

}  // namespace gestik::evaluation::learnt
