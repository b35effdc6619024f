#pragma once

#include "gestik/io/read.h"

namespace gestik {

/// A robot description through urdfdom. The robot keeps its own frame, Z up. Every joint keeps its
/// name, and the document's order where that puts parents first; the root link becomes a fixed
/// joint of its own name ("base (root)" where a joint is called "base" too); each link is another
/// name for the joint that carries it. A floating joint becomes three sliders and a ball, a planar
/// one two sliders and a hinge ("base.x", "base.y", ..., the last with the joint's name);
/// continuous is a hinge without limits. Mimic joints stay free and are kept as data. Every leaf
/// link is an end-point that aims along its z.
///
/// A `velocity` limit above zero is kept (Character::motion); 0 is what tools write where nobody
/// knew and counts as none, and of a negative one a warning tells. Accelerations and jerks a URDF
/// can't say: they follow as motion_limits() has it.
///
/// Only what bears on the kinematics is looked at: a robot with broken shapes or masses still
/// loads. Files with two roots, loops or cycles, revolute and prismatic joints without limits, and
/// xacros are refused.
Result<Loaded> read_urdf(std::string_view text, std::string_view file);

}  // namespace gestik
