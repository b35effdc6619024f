#pragma once

#include <span>

#include "gestik/base/scratch.h"
#include "gestik/math/types.h"
#include "gestik/solve/poise/kernel.h"
#include "gestik/solve/problem.h"

namespace gestik::poise {

/// One hinge of the chain between a problem's coordinates and the kernel's: its angle there is the
/// joint's, plus `zero`, less whole turns.
struct Link {
  JointId joint;
  int q_index;
  Real zero;
  Real straight;  ///< the kernel's angle at which the chain is bent least here
  Real lo, hi;    ///< of the joint
  Real weight;    ///< of its deviation from the posture
  Real straight_cos = 1, straight_sin = 0;  ///< known where bends are measured
};

/// The chain from the root of a skeleton to the joint of a goal. Joints that are fixed or held have
/// gone into their neighbours.
struct Chain {
  std::span<Link> links;
  Form<Double1> form;
  Pose base;           ///< world from the frame that frame[0] turns in; without links, of the end
  Quat last_from_end;  ///< from the goal's joint to the last frame
  Real scale;          ///< the kernel's lengths are the chain's, times this
};

struct Weights {
  Measure measure;
  Real posture, aggravation, twist;
};

/// How many joints on the way to the goal's may move.
int movable_joints(const Problem&) noexcept;

/// `links` has room for that many.
Chain read_chain(const Problem&, const Weights&, std::span<Link> links) noexcept;

/// The same in single precision.
Form<Float8> single_precision(const Form<Double1>&) noexcept;

/// The same, made simpler where the chain allows it. A last link that takes any angle at no cost is
/// left out: an orientation is only a direction for the others, two numbers to be met instead of
/// three; the kernel turns it when the others are done. And a chain that can be mirrored is marked
/// as such.
Form<Float8> kernel_form(const Chain&) noexcept;

/// What a problem asks of the chain. `style` is between the start, 0, and the posture. `turns` are
/// the angles that the kernel leaves out, one per link.
struct Wanted {
  const Goal& goal;
  ConstQ seed, posture;  ///< no posture: the seed is
  Real style;
};
void pose_question(const Chain&, const Wanted&, const Ask<Double1>&,
                   std::span<Real> turns) noexcept;

/// The same of eight problems, one in each lane: their goals, and the postures (or, with style 0,
/// the seeds) that they want to keep, eight numbers for each coordinate.
void pose_questions(const Chain&, std::span<const Goal, lanes> goals, const Real* kept,
                    const Ask<Double8>&, Double8* turns) noexcept;

/// Puts a question into all lanes, eight into theirs, or one of eight where it stands alone.
void copy_to_all(const Form<Float8>&, const Ask<Double1>&, const Ask<Float8>&) noexcept;
void copy_each(const Form<Float8>&, const Ask<Double8>&, const Ask<Float8>&) noexcept;
void copy_one(const Form<Double1>&, const Ask<Double8>&, int lane, const Ask<Double1>&) noexcept;

template <class Cell>
Ask<Cell> take_ask(Scratch& scratch, int links) noexcept {
  return {scratch.take<AskOfLink<Cell>>(static_cast<std::size_t>(links)).data(),
          scratch.take<Cell>(target_cells).data()};
}
template <class Cell>
constexpr std::size_t ask_bytes(std::size_t links) noexcept {
  return Scratch::bytes_for<AskOfLink<Cell>>(links) + Scratch::bytes_for<Cell>(target_cells);
}
template <class Cell>
State<Cell> take_state(Scratch& scratch, int links) noexcept {
  const auto take = [&](int n) { return scratch.take<Cell>(static_cast<std::size_t>(n)).data(); };
  return {take(links), take(links), take(1)};
}
template <class Cell>
constexpr std::size_t state_bytes(std::size_t links) noexcept {
  return 2 * Scratch::bytes_for<Cell>(links) + Scratch::bytes_for<Cell>(1);
}

}  // namespace gestik::poise
