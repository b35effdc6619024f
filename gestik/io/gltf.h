#pragma once

#include "gestik/io/read.h"

namespace gestik {

/// The skeleton of a glTF 2.0 file, .glb or .gltf, and its animations. Y is up, lengths are metres.
///
/// The nodes that the file's skins name as joints become ball joints without limits, each by its
/// node's name (a node without one is "node 7"; a second of the same name gets a number and a
/// warning). Skins that share joints, such as two hands on one rig, are one skeleton; roots that
/// have no joint above them in common hang on a fixed joint "root". Nodes above and between joints
/// are part of the offsets, scales too: every joint stands where the file's own pose puts it, which
/// is the neutral pose. A ball's twist axis points to its first child; a joint with nothing below
/// it is an end-point by its name that aims away from its parent.
///
/// Animations become clips: of each joint its rotation. A ball does not move or grow, so what
/// moves, scales or morphs is left out, and a warning says how far. Their rate is that of the
/// closest keys, from 1 to 120 frames a second. Animations whose numbers are in another file or
/// compressed are left out with a warning: the skeleton does not need them.
///
/// Meshes, materials and pictures are not looked at. Nothing but the bytes given is read.
Result<Loaded> read_gltf(std::string_view bytes, std::string_view file);

}  // namespace gestik
