#include "gestik/model/shape.h"

#include <algorithm>

#include "gestik/base/suggest.h"
#include "gestik/math/rotation.h"

namespace gestik {
namespace {

constexpr const char* out_of_place = "its place must be finite numbers of at most 1e30";
constexpr const char* no_radius = "its radius must be above zero";

/// Above zero, and no more than squares can bear.
bool is_length(Real x) {
  return x > 0 && is_bounded(x);
}

std::optional<std::string> fault_in(const Sphere& sphere) {
  if (!is_bounded(sphere.center)) return out_of_place;
  if (!is_length(sphere.radius)) return no_radius;
  return std::nullopt;
}

std::optional<std::string> fault_in(const Capsule& capsule) {
  if (!is_bounded(capsule.a) || !is_bounded(capsule.b)) return out_of_place;
  if (!is_length(capsule.radius)) return no_radius;
  return std::nullopt;
}

std::optional<std::string> fault_in(const Cuboid& box) {
  if (!is_bounded(box.pose.p)) return out_of_place;
  if (!is_finite(box.pose.q) || box.pose.q.coeffs().isZero(0))
    return "its orientation must be a quaternion w, x, y, z that is not zero";
  for (int k = 0; k < 3; ++k)
    if (!is_length(box.half[k])) return "its half sizes must be three numbers above zero";
  return std::nullopt;
}

std::string where_is(const std::string& shape) {
  return "shape '" + shape + "'";
}

}  // namespace

std::optional<std::string> fault_of(const Volume& volume) {
  return std::visit([](const auto& v) { return fault_in(v); }, volume);
}

std::optional<Error> check(std::span<const Shape> shapes, std::span<const MayTouch> may_touch,
                           const Skeleton& skeleton) {
  std::vector<std::string_view> names;
  for (const Shape& shape : shapes) {
    if (shape.name.empty()) return Error{"every shape needs a name", ""};
    if (shape.joint < 0 || shape.joint >= skeleton.joint_count())
      return Error{"its joint does not exist", where_is(shape.name)};
    if (const auto fault = fault_of(shape.volume)) return Error{*fault, where_is(shape.name)};
    names.push_back(shape.name);
  }
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end())
    return Error{"two have this name; rename one", where_is(std::string(*twin))};

  for (const MayTouch& pair : may_touch) {
    for (const std::string& name : pair)
      if (!std::binary_search(names.begin(), names.end(), name))
        return Error{"a pair that may touch names the shape '" + name + "', which is not there" +
                         did_you_mean(name, names),
                     ""};
    if (pair[0] == pair[1])
      return Error{"a pair that may touch names it twice; name two shapes", where_is(pair[0])};
  }
  return std::nullopt;
}

}  // namespace gestik
