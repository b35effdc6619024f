#include "gestik/solve/quasi_newton/quasi_newton.h"

#include <algorithm>

#include "gestik/math/svd.h"
#include "gestik/solve/descent.h"

namespace gestik {
namespace {

/// What the last steps s taught of the curvature: y, by how much the gradient grew on each.
class Curvature {
 public:
  Curvature(int memory, Eigen::Index size, Scratch& scratch) noexcept
      : moves_(take_matrix(scratch, size, memory)),
        growths_(take_matrix(scratch, size, memory)),
        curvature_(take_vector(scratch, memory)),
        share_(take_vector(scratch, memory)),
        work_(take_vector(scratch, size)) {}

  static std::size_t bytes(int memory, int size) noexcept {
    const std::size_t m = static_cast<std::size_t>(memory), n = static_cast<std::size_t>(size);
    return 2 * Scratch::bytes_for<Real>(m * n) + 2 * Scratch::bytes_for<Real>(m) +
           Scratch::bytes_for<Real>(n);
  }

  bool empty() const noexcept { return count_ == 0; }
  void forget() noexcept { count_ = 0; }

  void learn(const VectorMap& move, const VectorMap& growth) noexcept {
    newest_ = (newest_ + 1) % moves_.cols();
    moves_.col(newest_) = move;
    growths_.col(newest_) = growth;
    count_ = std::min(count_ + 1, moves_.cols());
  }

  // The two loops of L-BFGS among the open ways: with K the projection onto them, pairs are K s and
  // K y, and H0 is a multiple of the inverse metric. K s . K y = s . K y, and whatever is open
  // already needs no K in a product.
  void newton(const Descent& descent, VectorMap direction) noexcept {
    Real scale = 0;
    direction = descent.slope();
    for (Eigen::Index age = 0; age < count_; ++age) {
      const Eigen::Index i = index(age);
      work_ = growths_.col(i);
      descent.keep_open(work_);
      curvature_[i] = product(moves_.col(i), work_);
      if (!taught_something(i)) continue;
      share_[i] = product(moves_.col(i), direction) / curvature_[i];
      direction -= share_[i] * work_;
      if (scale == 0) scale = curvature_[i] / length2(work_, descent.ease());
    }
    direction.array() *= (scale > 0 ? scale : 1) * descent.ease().array();
    for (Eigen::Index age = count_ - 1; age >= 0; --age) {
      const Eigen::Index i = index(age);
      if (!taught_something(i)) continue;
      work_ = moves_.col(i);
      descent.keep_open(work_);
      direction += (share_[i] - product(growths_.col(i), direction) / curvature_[i]) * work_;
    }
  }

 private:
  template <class A, class B>
  static Real product(const A& a, const B& b) noexcept {
    return dot(a.data(), b.data(), a.size());
  }
  static Real length2(const VectorMap& y, const VectorMap& ease) noexcept {
    Real sum = 0;
    for (Eigen::Index i = 0; i < y.size(); ++i) sum += ease[i] * y[i] * y[i];
    return sum;
  }

  Eigen::Index index(Eigen::Index age) const noexcept {
    return (newest_ + moves_.cols() - age) % moves_.cols();
  }

  /// Where the objective bends down, or what it teaches is no more than rounding, a pair would turn
  /// the direction uphill.
  bool taught_something(Eigen::Index i) const noexcept {
    return curvature_[i] > 1e-10 * product(moves_.col(i), moves_.col(i));
  }

  MatrixMap moves_, growths_;
  VectorMap curvature_, share_, work_;
  Eigen::Index newest_ = 0, count_ = 0;
};

}  // namespace

std::size_t scratch_bytes(const QuasiNewton& settings, const Skeleton& skeleton,
                          std::size_t) noexcept {
  return Descent::bytes(skeleton) + Curvature::bytes(settings.memory, skeleton.v_size()) +
         Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.v_size()));
}

Report solve(const QuasiNewton& settings, const Problem& problem, Scratch& scratch,
             Q out) noexcept {
  Descent descent({.decrease = settings.decrease,
                   .reduction = settings.reduction,
                   .max_turn = settings.max_turn,
                   .relative = settings.relative,
                   .patience = settings.patience,
                   .kick = settings.kick},
                  problem, scratch, out);
  const Eigen::Index size = problem.skeleton.v_size();
  Curvature curvature(settings.memory, size, scratch);
  const VectorMap direction = take_vector(scratch, size);
  while (descent.begin()) {
    if (descent.fresh())
      curvature.forget();
    else
      curvature.learn(descent.move(), descent.growth());
    curvature.newton(descent, direction);
    const bool downhill = dot(direction.data(), descent.slope().data(), size) > 0;
    if (downhill && !curvature.empty() && descent.search(direction, 1)) continue;
    curvature.forget();
    descent.steepest(direction);
    descent.search(direction, descent.optimistic_step(direction));
  }
  return descent.report();
}

}  // namespace gestik
