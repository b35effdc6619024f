#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gestik/collide/mesh.h"

namespace gestik {

struct LoadedMesh {
  Mesh mesh;                          ///< sound: check() has nothing to say
  std::vector<std::string> warnings;  ///< what was passed over, in words
};

/// A Wavefront OBJ file: its vertices and faces, all groups and objects as one mesh. Faces of more
/// than three corners become fans, so they should be convex. Colours, textures, normals and
/// materials are left aside without a word; lines, points and curved surfaces with one. Refuses,
/// with the line: numbers that are none or not finite, vertices that are not there, faces of fewer
/// than three corners or of no area; and a file without faces or a closed surface that is inside
/// out.
Result<LoadedMesh> read_obj(std::string_view text, std::string_view file);

/// The same from a file, whose name ends in .obj.
Result<LoadedMesh> read_mesh_file(const std::string& path);

}  // namespace gestik
