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
double with_sign_of(double size, double sign) {
  return std::copysign(size, sign);
}
template <class Link>
void sincos_of_halves(const Double1* angles, int n, Link* links) {
  const std::size_t size = static_cast<std::size_t>(n + n % 2);  // sincos() takes them in pairs
  double half[most_links], sine[most_links], cosine[most_links];
  half[size - 1] = 0;
  for (int k = 0; k < n; ++k) half[k] = 0.5 * angles[k].at;
  gestik::sincos({half, size}, {sine, size}, {cosine, size});
  for (int k = 0; k < n; ++k) links[k].sine.at = sine[k], links[k].cosine.at = cosine[k];
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
  // Far from the goal, a step that forgets the posture costs more of it than need be; close to it,
  // one that does not never quite gets there.
  constexpr int shaping_steps = 8;
  bool closing = false;
  Verdict best = judge();
  for (int i = 0; i < steps && best.angle > enough; ++i) {
    closing = closing || i >= shaping_steps;
    std::copy_n(state.angles, form.links, state.best);
    refinement.step(1e-4, closing);
    Verdict next = judge();
    for (int halving = 0; closing && halving < 3 && !(next.angle < best.angle); ++halving) {
      for (int k = 0; k < form.links; ++k)
        state.angles[k].at = state.best[k].at + (state.angles[k].at - state.best[k].at) / 4;
      next = judge();
    }
    if (next.angle < best.angle) {
      best = next;
      continue;
    }
    std::copy_n(state.best, form.links, state.angles);
    if (closing) return best;
    best = judge();
    closing = true;
  }
  return best;
}

void refine(const Form<Double1>& form, const Ask<Double1>& ask, const State<Double1>& state,
            int steps, Double1* work) noexcept {
  Exact(form, ask, state, work).run(steps, -1);
}

}  // namespace gestik::poise
