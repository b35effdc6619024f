#include "fuzz/target.h"
#include "gestik/collide/mesh_tree.h"
#include "gestik/io/obj.h"

using namespace gestik;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<LoadedMesh> loaded = read_obj(fuzz::text_of(data, size), "fuzz.obj");
  if (!loaded) return 0;
  if (const auto fault = check(loaded->mesh)) fuzz::fail(to_string(*fault));
  const MeshTree tree(loaded->mesh);
  // A corner of the first triangle touches the surface, whatever the surface is.
  const Vec3 corner = tree.triangles()[0].a;
  if (!tree.touches({corner, corner}, 1e-3) || !tree.overlaps({corner, corner}, 1e-3))
    fuzz::fail("a corner of the mesh does not touch it");
  return 0;
}
