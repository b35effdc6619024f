#pragma once

#include "gestik/model/skeleton.h"

namespace gestik::bench {

/// The KUKA iiwa 14's chain: seven hinges and a fixed flange, as published in its data sheet.
Skeleton iiwa14();

}  // namespace gestik::bench
