// The body of a kernel's source; see kernel.h.

#include "gestik/solve/poise/lanes.h"
#include "gestik/solve/poise/refine.h"
#include "gestik/solve/poise/seeds.h"

namespace gestik::poise::GESTIK_POISE_PATH {
namespace {

int refine(const Form<Float8>& form, const Ask<Float8>& ask, const State<Float8>& state, int steps,
           double gain, Float8* work) {
  Refinement<Lanes, Float8> refinement(form, ask, state, work);
  return refinement.run(steps, gain);
}

void seed(const Form<Float8>& form, const Ask<Float8>& ask, int lane, Float8* angles,
          Float8& scores, Float8* work) {
  Seeding seeding(form, ask, lane);
  seeding.run(angles, scores, work);
}

}  // namespace

extern const Kernel kernel{seed, refine};

}  // namespace gestik::poise::GESTIK_POISE_PATH
