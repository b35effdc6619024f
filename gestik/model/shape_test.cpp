#include "gestik/model/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace gestik {
namespace {

Skeleton two_joints() {
  return *build({{{.name = "root"}, {.name = "arm", .parent = "root", .type = JointType::hinge}}});
}

std::vector<Shape> sound_shapes() {
  return {{"trunk", 0, Capsule{{0, 0, 0}, {0, 1, 0}, 0.1}},
          {"hand", 1, Sphere{{0, 0, 0}, 0.05}},
          {"shield", 1, Cuboid{{}, {0.1, 0.2, 0.01}}}};
}

TEST(Shape, sound_ones_are_taken) {
  EXPECT_FALSE(check(sound_shapes(), {}, two_joints()));
  const std::vector<MayTouch> pairs{{"hand", "trunk"}};
  EXPECT_FALSE(check(sound_shapes(), pairs, two_joints()));
}

TEST(Shape, unsound_ones_are_refused_in_words) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto complaint = [&](std::size_t which, const Shape& shape) {
    std::vector<Shape> shapes = sound_shapes();
    shapes[which] = shape;
    const auto error = check(shapes, {}, two_joints());
    return error ? to_string(*error) : "";
  };
  EXPECT_EQ(complaint(0, {"", 0, Sphere{{0, 0, 0}, 1}}), "every shape needs a name");
  EXPECT_EQ(complaint(0, {"hand", 0, Sphere{{0, 0, 0}, 1}}),
            "shape 'hand': two have this name; rename one");
  EXPECT_EQ(complaint(0, {"x", 2, Sphere{{0, 0, 0}, 1}}), "shape 'x': its joint does not exist");
  for (const Real radius : {0.0, -1.0, nan, infinity}) {
    EXPECT_EQ(complaint(0, {"x", 0, Sphere{{0, 0, 0}, radius}}),
              "shape 'x': its radius must be above zero");
    EXPECT_EQ(complaint(0, {"x", 0, Capsule{{0, 0, 0}, {0, 1, 0}, radius}}),
              "shape 'x': its radius must be above zero");
    EXPECT_EQ(complaint(0, {"x", 0, Cuboid{{}, {1, radius, 1}}}),
              "shape 'x': its half sizes must be three numbers above zero");
  }
  EXPECT_EQ(complaint(0, {"x", 0, Capsule{{0, nan, 0}, {0, 1, 0}, 1}}),
            "shape 'x': its place must be finite numbers of at most 1e30");
  EXPECT_EQ(complaint(0, {"x", 0, Cuboid{{Quat(0, 0, 0, 0), Vec3::Zero()}, {1, 1, 1}}}),
            "shape 'x': its orientation must be a quaternion w, x, y, z that is not zero");
}

TEST(Shape, pairs_that_name_nothing_are_refused) {
  const auto complaint = [&](const MayTouch& pair) {
    const std::vector<MayTouch> pairs{pair};
    const auto error = check(sound_shapes(), pairs, two_joints());
    return error ? to_string(*error) : "";
  };
  EXPECT_EQ(complaint({"hand", "trnk"}),
            "a pair that may touch names the shape 'trnk', which is not there; did you mean "
            "'trunk'?");
  EXPECT_EQ(complaint({"hand", "hand"}),
            "shape 'hand': a pair that may touch names it twice; name two shapes");
}

}  // namespace
}  // namespace gestik
