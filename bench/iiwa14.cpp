#include "bench/iiwa14.h"

#include <array>

#include "gestik/math/rotation.h"

namespace gestik::bench {

Skeleton iiwa14() {
  struct Row {
    const char* name;
    Vec3 position;
    Real roll, pitch, yaw, range;
  };
  const std::array<Row, 7> rows{{
      {"joint_1", {0, 0, 0.1575}, 0, 0, 0, 2.96706},
      {"joint_2", {0, 0, 0.2025}, pi / 2, 0, pi, 2.0944},
      {"joint_3", {0, 0.2045, 0}, pi / 2, 0, pi, 2.96706},
      {"joint_4", {0, 0, 0.2155}, pi / 2, 0, 0, 2.0944},
      {"joint_5", {0, 0.1845, 0}, -pi / 2, pi, 0, 2.96706},
      {"joint_6", {0, 0, 0.2155}, pi / 2, 0, 0, 2.0944},
      {"joint_7", {0, 0.081, 0}, -pi / 2, pi, 0, 3.05433},
  }};
  SkeletonDraft draft;
  std::string parent;
  for (const Row& row : rows) {
    const Quat turn = axis_angle(Vec3::UnitZ(), row.yaw) * axis_angle(Vec3::UnitY(), row.pitch) *
                      axis_angle(Vec3::UnitX(), row.roll);
    draft.joints.push_back({.name = row.name,
                            .parent = parent,
                            .type = JointType::hinge,
                            .parent_from_joint = {turn, row.position},
                            .axis = Vec3::UnitZ(),
                            .limits = {.lo = -row.range, .hi = row.range}});
    parent = row.name;
  }
  draft.joints.push_back(
      {.name = "flange", .parent = parent, .parent_from_joint = {Quat::Identity(), {0, 0, 0.045}}});
  return std::move(*build(draft));
}

}  // namespace gestik::bench
