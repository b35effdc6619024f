#pragma once

#include "gestik/model/skeleton.h"

/// Means and differences of poses near each other, joint by joint. A free hinge (its limits leave a
/// whole turn) counts on the circle, so that 359 and 1 degree are two apart; a ball's quaternion
/// counts whatever its sign. All poses have the skeleton's q_size; nothing allocates.
namespace gestik::learn {

/// v such that from (+) v = to, the shortest way round.
void offset_between(const Skeleton&, ConstQ from, ConstQ to, V out) noexcept;

/// The same with a ball's rotation as a chord, 2 sin(angle / 2) about its axis: equal to third
/// order, and without a transcendental function.
void chord_between(const Skeleton&, ConstQ from, ConstQ to, V out) noexcept;

/// Adds a pose to a weighted sum, `sum` zero to begin with: quaternions on the side of the
/// reference's, free hinges as the turn from it.
void add_to_blend(const Skeleton&, ConstQ reference, ConstQ pose, Real weight, Q sum) noexcept;

/// The mean from the sum and the sum of the weights: the chordal mean for balls. Where there is
/// none (weights of zero, opposite rotations) a joint stays at the reference. May write in place.
void finish_blend(const Skeleton&, ConstQ reference, ConstQ sum, Real weights, Q out) noexcept;

}  // namespace gestik::learn
