#pragma once

#include "gestik/collide/collider.h"

namespace gestik {

/// Lets FCL, the Flexible Collision Library, answer for pairs of boxes and meshes:
///
///     build(skeleton, draft, fcl_general_pairs)
///
/// In the library gestik_fcl, which is built with GESTIK_FCL=ON. FCL sees surfaces: of two meshes
/// one of which lies wholly inside the other it says that they do not meet. It allocates as it
/// goes.
GeneralPairs fcl_general_pairs(std::span<const Part>);

}  // namespace gestik
