#pragma once

#include "gestik/io/read.h"

namespace gestik {

/// A robot description through urdfdom. The robot keeps its own frame, Z up. Every joint keeps its
/// name; the root link becomes a fixed joint of its own name; each link is another name for the
/// joint that carries it. A floating joint becomes three sliders and a ball, a planar one two
/// sliders and a hinge ("base.x", "base.y", ..., the last with the joint's name); continuous is a
/// hinge without limits. Mimic joints stay free and are kept as data. Every leaf link is an
/// end-point that aims along its z.
Result<Loaded> read_urdf(std::string_view text, std::string_view file);

}  // namespace gestik
