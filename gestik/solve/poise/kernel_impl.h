// The body of a kernel's source; see kernel.h.

#include "gestik/solve/poise/lanes.h"
#include "gestik/solve/poise/pivot.h"
#include "gestik/solve/poise/refine.h"
#include "gestik/solve/poise/seeds.h"
#include "gestik/solve/poise/seeds_of_each.h"

namespace gestik::poise::GESTIK_POISE_PATH {
namespace {

// The last link's own rotation is what remains of the target when those of the others are taken
// from it. Where they do not meet the direction that is more than a turn about the last axis: of
// its matrix, atan2(yx - xy, xx + yy) is the turn that leaves least.
void turn_last(const Form<Float8>& form, const Ask<Float8>& ask, Float8* angles) {
  Column first{load(ask.target[8]), load(ask.target[9]), load(ask.target[10])};
  Column second{load(ask.target[11]), load(ask.target[12]), load(ask.target[13])};
  const int last = form.links;
  for (int k = 0; k < last; ++k) {
    Lanes sine, cosine;
    sincos(load(angles[k]), sine, cosine);
    const Lanes tilt_cos = whole_tilt_cos(form, k + 1), tilt_sin = whole_tilt_sin(form, k + 1);
    first = tilt_first(turn_first(first, cosine, -sine), tilt_cos, -tilt_sin);
    second = tilt_first(turn_first(second, cosine, -sine), tilt_cos, -tilt_sin);
  }
  // Into its range, which is at least one period wide.
  const Lanes period = form.symmetric ? 3.141592654f : 6.283185307f;
  const Lanes lo = load(ask.links[last].lo), hi = load(ask.links[last].hi);
  Lanes angle = atan2(first.y - second.x, first.x + second.y);
  angle = angle + period * max(rounded_up((lo - angle) / period), Lanes(0));
  angle = angle - period * max(rounded_up((angle - hi) / period), Lanes(0));
  store(min(max(angle, lo), hi), angles[last]);
}

int refine(const Form<Float8>& form, const Ask<Float8>& ask, const State<Float8>& state, int steps,
           double gain, Float8* work) {
  Refinement<Lanes, Float8> refinement(form, ask, state, work);
  const int made = refinement.run(steps, gain);
  if (form.last_left_out) turn_last(form, ask, state.best);
  return made;
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
  if (form.last_left_out) turn_last(form, ask, state.best);
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
