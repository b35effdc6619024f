#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

/// A glTF file as far as it bears on skeletons, checked but not interpreted: indices are in range,
/// the nodes are trees, tracks have as many values as they need.
namespace gestik {

struct GltfNode {
  std::string name;  ///< may be empty
  int line = 0;
  int parent = -1;
  std::vector<int> children;
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
};

enum class GltfPath : std::uint8_t { translation, rotation, scale, weights };
enum class GltfStep : std::uint8_t { step, linear, cubic };

/// What one animation does to one part of one node.
struct GltfTrack {
  int node = 0;
  GltfPath path = GltfPath::rotation;
  GltfStep step = GltfStep::linear;
  std::vector<Real> times;  ///< seconds, each later than the one before
  /// For each time three numbers, of a rotation four (x, y, z, w, as the file has them); three
  /// times as many where the step is cubic: tangent in, value, tangent out. None for weights.
  std::vector<Real> values;
};

struct GltfAnimation {
  std::string name;  ///< may be empty
  std::vector<GltfTrack> tracks;
};

struct GltfFile {
  std::vector<GltfNode> nodes;
  std::vector<int> joints;  ///< those that some skin names, each once
  std::vector<GltfAnimation> animations;
  std::vector<std::string> warnings;
};

Result<GltfFile> parse_gltf(std::string_view bytes, std::string_view file);

}  // namespace gestik
