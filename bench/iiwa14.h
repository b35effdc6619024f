#pragma once

#include "gestik/model/skeleton.h"

namespace gestik {

/// The KUKA iiwa 14's chain: seven hinges and a fixed flange, as published in its data sheet.
Skeleton iiwa14();

/// Configurations of a hinge chain spread over its limits, the same every time.
std::vector<std::vector<Real>> spread_poses(const Skeleton&, int count);

}  // namespace gestik
