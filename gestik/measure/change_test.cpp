#include "gestik/measure/change.h"

#include <gtest/gtest.h>

#include <vector>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

Skeleton hinge_slider_ball() {
  SkeletonDraft draft;
  draft.joints = {{.name = "hinge", .type = JointType::hinge},
                  {.name = "slider", .parent = "hinge", .type = JointType::slider},
                  {.name = "ball", .parent = "slider", .type = JointType::ball}};
  return *build(draft);
}

TEST(Change, IsSignedButOfABall) {
  const Skeleton skeleton = hinge_slider_ball();
  const std::vector<Real> from{0.5, 0.1, 1, 0, 0, 0};
  std::vector<Real> to{0.2, 0.3, 0, 0, 0, 0};
  store_quat(axis_angle(Vec3::UnitX(), -0.7), to.data() + 2);
  EXPECT_NEAR(change_of(skeleton, 0, from, to), -0.3, 1e-15);
  EXPECT_NEAR(change_of(skeleton, 1, from, to), 0.2, 1e-15);
  EXPECT_NEAR(change_of(skeleton, 2, from, to), 0.7, 1e-15);
}

TEST(Change, IsLostFromFiveDegreesOrTenMillimetres) {
  const Real degree = pi / 180;
  EXPECT_EQ(loss_of(JointType::hinge, 0), Loss::none);
  EXPECT_EQ(loss_of(JointType::hinge, -1 * degree), Loss::slight);
  EXPECT_EQ(loss_of(JointType::ball, 4.9 * degree), Loss::slight);
  EXPECT_EQ(loss_of(JointType::hinge, -5.1 * degree), Loss::clear);
  EXPECT_EQ(loss_of(JointType::slider, 0.009), Loss::slight);
  EXPECT_EQ(loss_of(JointType::slider, -0.011), Loss::clear);
}

}  // namespace
}  // namespace gestik
