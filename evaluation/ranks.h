#pragma once

#include "gestik/measure/exact_statistics.h"

namespace gestik::evaluation {

/// The copies of this program that work on one thing together: `mpirun -n N gestik eval ...` in a
/// build with GESTIK_MPI, else this one alone. Make it once, at the start of a verb; it ends MPI
/// when it goes. Every rank must call any() and gather() equally often.
class Ranks {
 public:
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const noexcept { return rank_; }
  int count() const noexcept { return count_; }
  bool first() const noexcept { return rank_ == 0; }  ///< the one that prints and writes

  /// Whether any rank says so.
  bool any(bool mine) const;

  /// Every rank's words, in order, on the first; nothing on the others.
  std::vector<Words> gather(const Words& mine) const;

  /// The first's words, on every rank.
  Words from_first(Words words) const;

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace gestik::evaluation
