// The body of a kernel's source; see kernel.h.

#include "gestik/solve/poise/lanes.h"
#include "gestik/solve/poise/pivot.h"
#include "gestik/solve/poise/refine.h"
#include "gestik/solve/poise/seeds.h"
#include "gestik/solve/poise/seeds_of_each.h"

namespace gestik::poise::GESTIK_POISE_PATH {
namespace {

int refine(const Form<Float8>& form, const Ask<Float8>& ask, const State<Float8>& state, int steps,
           double gain, Float8* work) {
  Refinement<Lanes, Float8> refinement(form, ask, state, work);
  return refinement.run(steps, gain);
}

void seed(const Form<Float8>& form, const Ask<Float8>& ask, int starts, Float8* angles,
          Float8& scores, Float8* work) {
  Seeding seeding(form, ask, starts);
  seeding.run(angles, scores, work);
}

unsigned seed_each(const Form<Float8>& form, const Ask<Float8>& ask, bool perfect_ones,
                   Float8* angles, Float8* work) {
  SeedingOfEach seeding(form, ask);
  return seeding.run(perfect_ones, angles, work);
}

void refine_each(const Form<Float8>& form, const Ask<Float8>& ask, const State<Float8>& state,
                 unsigned who, int steps, double gain, Float8* work) {
  Refinement<Lanes, Float8> refinement(form, ask, state, work);
  refinement.run_each(mask_of(who), steps, gain);
}

void rest(const Form<Float8>& form, const Ask<Float8>& ask, const Float8* angles, Float8& sines,
          Float8* work) {
  const State<Float8> state{const_cast<Float8*>(angles), nullptr, nullptr};
  Refinement<Lanes, Float8> refinement(form, ask, state, work);
  refinement.forward();
  const Rotation<Lanes>& r = refinement.rest;
  store(sqrt(r.x * r.x + r.y * r.y + r.z * r.z), sines);
}

}  // namespace

extern const Kernel kernel{seed, seed_each, refine, refine_each, rest};

}  // namespace gestik::poise::GESTIK_POISE_PATH
