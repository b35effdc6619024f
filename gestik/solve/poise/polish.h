#pragma once

#include "gestik/solve/poise/kernel.h"

namespace gestik::poise {

/// How good a candidate is.
struct Verdict {
  double angle;  ///< that the goal still asks for
  double error;  ///< orientation and posture, weighted
};

/// Brings a candidate, in place, closer to the goal until its angle is at most `enough` or `steps`
/// have been made; only steps that bring it closer are kept.
Verdict close_in(const Form<Double1>&, const Ask<Double1>&, const State<Double1>&, double enough,
                 int steps, Double1* work, int& passes) noexcept;

/// The same steps as the kernel's, one candidate in double precision.
void refine(const Form<Double1>&, const Ask<Double1>&, const State<Double1>&, int steps,
            Double1* work) noexcept;

}  // namespace gestik::poise
