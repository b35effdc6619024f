#pragma once

#include <kdl/chain.hpp>
#include <kdl/jntarray.hpp>

#include "gestik/model/skeleton.h"

namespace gestik {

/// The same chain for Orocos KDL: one segment per joint from the root to `end`, hinges and fixed
/// joints only.
KDL::Chain kdl_chain(const Skeleton&, JointId end);

KDL::JntArray kdl_array(ConstQ);

}  // namespace gestik
