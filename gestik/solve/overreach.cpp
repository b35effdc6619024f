#include "gestik/solve/overreach.h"

#include <algorithm>

namespace gestik {

void pull(std::span<const Goal> goals, std::span<const Pose> world, std::span<Lead> leads,
          std::span<Goal> pulled) noexcept {
  for (std::size_t g = 0; g < goals.size(); ++g) {
    const Reach* reach = std::get_if<Reach>(&goals[g]);
    if (!reach) continue;
    Lead& lead = leads[g];
    lead.from = world[reach->joint] * reach->point_in_joint;
    lead.gap = reach->target - lead.from;
    std::get_if<Reach>(&pulled[g])->target = lead.from + lead.times * lead.gap;
  }
}

void learn(std::span<const Goal> goals, std::span<const Pose> world, Real most,
           std::span<Lead> leads) noexcept {
  constexpr Real least_gain = 0.05;  // one iteration raises a lead at most twentyfold
  for (std::size_t g = 0; g < goals.size(); ++g) {
    const Reach* reach = std::get_if<Reach>(&goals[g]);
    if (!reach) continue;
    Lead& lead = leads[g];
    const Vec3 moved = world[reach->joint] * reach->point_in_joint - lead.from;
    const Real before = lead.gap.squaredNorm();
    const bool nearer = (lead.gap - moved).squaredNorm() < before;
    const Real gain = nearer ? std::max(moved.dot(lead.gap) / before, least_gain) : 1;
    lead.times = nearer ? std::clamp<Real>(lead.times / gain, 1, most) : 1;
  }
}

}  // namespace gestik
