#pragma once

#include "gestik/io/read.h"

namespace gestik {

/// Motion capture. Channels may come in any order: positions become sliders (added to the joint's
/// offset), rotations one ball joint or hinges in the file's order (BvhOptions). Channel degrees
/// become radians. A joint of several parts is "Hips.x", "Hips.y", "Hips.z" (positions) and
/// "Hips.rz", "Hips.ry", ... (rotations), the last part carrying the plain name. End sites become
/// end-points.
Result<Loaded> read_bvh(std::string_view text, std::string_view file, const BvhOptions& = {});

/// A clip as BVH, one BVH joint per group of parts that read_bvh would make, every rotation as Z,
/// Y, X. `unit` as in BvhOptions. The clip must fit the character's skeleton.
Result<std::string> write_bvh(const Character&, const Clip&, Real unit = 1);

}  // namespace gestik
