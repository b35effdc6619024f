#pragma once

#include <variant>

#include "gestik/solve/ccd/ccd.h"
#include "gestik/solve/chain/chain.h"
#include "gestik/solve/erik/erik.h"
#include "gestik/solve/fabrik/fabrik.h"
#include "gestik/solve/jacobian/dls.h"
#include "gestik/solve/jacobian/pinv.h"
#include "gestik/solve/jacobian/sdls.h"
#include "gestik/solve/jacobian/transpose.h"
#include "gestik/solve/learnt/learnt.h"
#include "gestik/solve/limb/limb.h"
#include "gestik/solve/line_search/line_search.h"
#include "gestik/solve/lm/lm.h"
#include "gestik/solve/poise/poise.h"
#include "gestik/solve/quasi_newton/quasi_newton.h"

namespace gestik {

/// The one list of solvers. Adding one here puts it on the command line, into the law tests, the
/// benchmarks, the bindings and the studio.
using AnySolver = std::variant<Ccd, Chain, Dls, Erik, Fabrik, Learnt, LimbSolver, Lm, Pinv, Poise,
                               Sdls, Transpose, LineSearch, QuasiNewton>;

}  // namespace gestik
