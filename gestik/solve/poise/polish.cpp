#include "gestik/solve/poise/polish.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/sincos.h"

#define GESTIK_POISE_PATH exact
#define GESTIK_INLINE inline

namespace gestik::poise::exact {
namespace {

// What refine.h asks of a number, of a double.
double load(const Double1& from) {
  return from.at;
}
void store(double a, Double1& to) {
  to.at = a;
}
double select(bool m, double yes, double no) {
  return m ? yes : no;
}
bool any(bool m) {
  return m;
}
double abs(double a) {
  return std::abs(a);
}
double min(double a, double b) {
  return a < b ? a : b;
}
double max(double a, double b) {
  return a > b ? a : b;
}
double sqrt(double a) {
  return std::sqrt(a);
}
double lowest(const Double1& cell) {
  return cell.at;
}
double with_turned_sign(double a, double b) {
  return std::signbit(b) ? -a : a;
}
void sincos(double x, double& sine, double& cosine) {
  gestik::sincos({&x, 1}, {&sine, 1}, {&cosine, 1});
}

}  // namespace
}  // namespace gestik::poise::exact

#include "gestik/solve/poise/refine.h"

namespace gestik::poise {

using Exact = exact::Refinement<double, Double1>;

Verdict close_in(const Form<Double1>& form, const Ask<Double1>& ask, const State<Double1>& state,
                 double enough, int steps, Double1* work, int& passes) noexcept {
  Exact refinement(form, ask, state, work);
  const auto judge = [&]() -> Verdict {
    ++passes;
    refinement.forward();
    return {refinement.angle(), refinement.error()};
  };
  Verdict best = judge();
  for (int i = 0; i < steps && best.angle > enough; ++i) {
    std::copy_n(state.angles, form.links, state.best);
    refinement.step(1e-4);
    const Verdict next = judge();
    if (!(next.angle < best.angle)) {
      std::copy_n(state.best, form.links, state.angles);
      break;
    }
    best = next;
  }
  return best;
}

void refine(const Form<Double1>& form, const Ask<Double1>& ask, const State<Double1>& state,
            int steps, Double1* work) noexcept {
  Exact(form, ask, state, work).run(steps, 0);
}

}  // namespace gestik::poise
