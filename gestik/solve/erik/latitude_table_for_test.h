#pragma once

#include <cmath>
#include <vector>

#include "gestik/math/rotation.h"

namespace gestik::erik {

/// The paper's latitude look-up table (section 3.4.1): what the closed form in joint_model.cpp is
/// measured against. For angles from lo to hi in small steps it keeps the latitude of the segment's
/// tip, in one table for each hemisphere, and answers with the angle of the nearest latitude,
/// linear between neighbours of one branch.
class LatitudeTable {
 public:
  LatitudeTable(const Vec3& axis, const Vec3& segment, Real lo, Real hi, Real step)
      : hemisphere_(axis.cross(Vec3::UnitY())), step_(step) {
    const int steps = static_cast<int>(std::ceil((hi - lo) / step));
    for (int i = 0; i <= steps; ++i) {
      const Real angle = lo + (hi - lo) * i / steps;
      const Vec3 tip = axis_angle(axis, angle) * segment;
      side(tip).push_back({(tip.y() + 1) / 2, angle});
    }
  }

  /// The angle whose tip has the target's latitude in the target's hemisphere; NaN where the table
  /// has no entry at all on that side.
  Real angle_for(const Vec3& target) const {
    const Real latitude = (target.y() + 1) / 2;
    const std::vector<Entry>& entries = target.dot(hemisphere_) < 0 ? negative_ : positive_;
    Real best_angle = std::numeric_limits<Real>::quiet_NaN(), best_miss = infinity;
    const auto offer = [&](Real angle, Real miss) {
      if (miss < best_miss) best_miss = miss, best_angle = angle;
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
      offer(entries[i].angle, std::abs(entries[i].latitude - latitude));
      if (i == 0) continue;
      const Entry &a = entries[i - 1], &b = entries[i];
      if (b.angle - a.angle > 1.5 * step_) continue;  // the other end of the range lies between
      const Real share = (latitude - a.latitude) / (b.latitude - a.latitude);
      if (share >= 0 && share <= 1) offer(a.angle + share * (b.angle - a.angle), 0);
    }
    return best_angle;
  }

 private:
  struct Entry {
    Real latitude, angle;
  };
  // sign(0) is +1, and the poles belong to both sides.
  std::vector<Entry>& side(const Vec3& tip) {
    return tip.dot(hemisphere_) < 0 ? negative_ : positive_;
  }

  Vec3 hemisphere_;
  Real step_;
  std::vector<Entry> positive_, negative_;
};

}  // namespace gestik::erik
