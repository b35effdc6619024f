#include "gestik/collide/fcl.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/distance.h>

namespace gestik {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

/// One for each part; none for a capsule.
using Geometries = std::vector<Geometry>;

Geometry geometry(const Part& part) {
  switch (part.kind) {
    case Part::Kind::capsule:
      return nullptr;
    case Part::Kind::box:
      return std::make_shared<fcl::Boxd>(2 * part.half);
    case Part::Kind::mesh: {
      auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
      model->beginModel();
      for (const Triangle& t : part.tree->triangles()) model->addTriangle(t.a, t.b, t.c);
      model->endModel();
      return model;
    }
  }
  return nullptr;
}

fcl::Transform3d transform(const Pose& pose) {
  fcl::Transform3d result = fcl::Transform3d::Identity();
  result.linear() = pose.q.toRotationMatrix();
  result.translation() = pose.p;
  return result;
}

const fcl::CollisionGeometryd* geometry_of(const void* self, int solid) {
  return (*static_cast<const Geometries*>(self))[static_cast<std::size_t>(solid)].get();
}

bool overlap(const void* self, Pair pair, const Pose& a, const Pose& b) noexcept {
  fcl::CollisionResultd result;
  return fcl::collide(geometry_of(self, pair.a), transform(a), geometry_of(self, pair.b),
                      transform(b), fcl::CollisionRequestd(), result) > 0;
}

Real distance(const void* self, Pair pair, const Pose& a, const Pose& b) noexcept {
  if (overlap(self, pair, a, b)) return 0;
  fcl::DistanceResultd result;
  fcl::distance(geometry_of(self, pair.a), transform(a), geometry_of(self, pair.b), transform(b),
                fcl::DistanceRequestd(), result);
  return std::max(Real{0}, result.min_distance);
}

}  // namespace

GeneralPairs fcl_general_pairs(std::span<const Part> parts) {
  auto geometries = std::make_shared<Geometries>();
  for (const Part& part : parts) geometries->push_back(geometry(part));
  return {geometries, distance, overlap};
}

}  // namespace gestik
