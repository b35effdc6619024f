#pragma once

#include "gestik/body/whole_body.h"
#include "tools/gestik/arguments.h"

/// How a body behaves and what is in its way, from the words of a command line.
namespace gestik::tool {

/// A bundled name, or a path. A bundled name wins over a file of that very name.
Behaviour parse_behaviour(const std::string& text, const Character&);

/// The body's own shapes and, if there are any, obstacles.
struct Surroundings {
  Collider collider;
  std::vector<std::string> warnings = {};
};

/// `obstacles`: an OBJ file, in the character's own axes and metres, if one was given. What is no
/// part of the `limbs` that reach may touch the obstacles that it touches at the start: feet stand
/// on a floor. A limb without shapes would go through everything: it is refused.
Surroundings parse_surroundings(const OptionText& obstacles, const Character&, ConstQ start,
                                std::span<const Limb> limbs);

/// "right_forearm would meet wall.obj"; what is no clash as describe() has it.
std::string words_of(const LimbReport&, const Skeleton&, const Collider*);

/// What a limb looks at while it swivels, but for some joints and what they carry.
LimbClash clash_of(const Limb&, const Skeleton&, const Collider&, Placement&,
                   std::span<const JointId> except);

/// These joints and all below them.
std::vector<JointId> with_all_below(const Skeleton&, std::span<const JointId>);

}  // namespace gestik::tool
