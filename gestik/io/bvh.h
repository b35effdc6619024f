#pragma once

#include "gestik/io/read.h"

namespace gestik {

/// Motion capture. Y is up. Channels may come in any order: positions become sliders (added to the
/// joint's offset, before it turns), rotations one ball joint or hinges in the file's order
/// (BvhOptions), so that "Zrotation Yrotation Xrotation" is Rz * Ry * Rx. Channel degrees become
/// radians. A joint of several parts is "Hips.x", "Hips.y", "Hips.z" (positions) and "Hips.rz",
/// "Hips.ry", ... (rotations), the last part carrying the plain name; one without channels is
/// fixed. There are no limits. A ball's twist axis points to its joint's first child. A ball's
/// quaternion keeps its sign from frame to frame.
///
/// Each end site is an end-point "Hand_end" that aims away from its joint; a joint with nothing
/// below it is one by its own name. A second joint of the same name gets a number and a warning.
/// A file without MOTION, or without frames, is a character without a clip.
Result<Loaded> read_bvh(std::string_view text, std::string_view file, const BvhOptions& = {});

/// A clip as BVH. The clip must fit the character's skeleton; one without frames is written as the
/// neutral pose. `unit` as in BvhOptions. Read again with the same unit, every joint of the file
/// stands where the joint of its name stood, in every frame.
///
/// Parts that read_bvh would make of one joint become one joint again, hinges as the channels they
/// came from. All other joints become one BVH joint each: hinges and sliders along x, y or z as one
/// channel; those along other axes, balls, and joints that are turned at rest as position channels
/// X, Y, Z and rotation channels Z, Y, X, whose angles run on past 180 degrees rather than jump.
/// Limits, postures, links, aims and the names of end-points have no place in a BVH and are left
/// out, and so is an end-point's own orientation.
Result<std::string> write_bvh(const Character&, const Clip&, Real unit = 1);

}  // namespace gestik
