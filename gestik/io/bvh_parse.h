#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gestik/base/result.h"
#include "gestik/math/types.h"

/// A BVH file as it stands: its own names, units and degrees, checked but not interpreted.
namespace gestik {

struct BvhChannel {
  int axis = 0;  ///< 0, 1, 2 for x, y, z
  bool rotates = false;
  int column = 0;  ///< in the rows of the motion
};

struct BvhJoint {
  std::string name;
  int parent = -1;  ///< index; parents come first
  int line = 0;
  Vec3 offset = Vec3::Zero();
  std::vector<BvhChannel> channels;
  Vec3 towards = Vec3::Zero();  ///< the offset of its first child or end site
};

/// A place at the end of a chain: an End Site, or a joint that has nothing below it.
struct BvhEnd {
  int joint = 0;
  Vec3 offset = Vec3::Zero();
  bool is_joint = false;
};

struct BvhMotion {
  Real frame_time = 0;       ///< seconds
  std::vector<Real> values;  ///< row after row, one number per channel
};

struct BvhFile {
  std::vector<BvhJoint> joints;
  std::vector<BvhEnd> ends;
  int columns = 0;
  std::optional<BvhMotion> motion;
};

/// Reads without recursion, whatever the depth. Keywords in any case, white space of any kind,
/// names with spaces; sizes in the file are compared with what is there, never trusted.
Result<BvhFile> parse_bvh(std::string_view text, std::string_view file);

}  // namespace gestik
