#include "gestik/solve/fabrik/fabrik.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/solve/fabrik/bones.h"
#include "gestik/solve/kick.h"
#include "gestik/solve/turn.h"

namespace gestik {
namespace fabrik {
namespace {

constexpr Real any_turn = 2 * pi;  // no cap on a joint's turn

/// The step FABRIK is made of: the place at `length` from one point in the direction of another.
Vec3 drawn(const Vec3& from, const Vec3& to, Real length) noexcept {
  const Vec3 way = to - from;
  const Real distance = way.norm();
  if (distance == 0) return from + length * Vec3::UnitX();  // any direction is as good
  return from + length / distance * way;
}

// With h half-way between r and d, the turn is (r . h, r x h) for unit vectors: proportional to
// (|r||d| + r . d, r x d), whose squared length is 2 |r||d| (|r||d| + r . d).
Quat turn_towards(const Vec3& r, const Vec3& d) noexcept {
  const Real size = std::sqrt(r.squaredNorm() * d.squaredNorm());
  const Real w = size + r.dot(d);
  if (w > 0.01 * size) {
    const Real scale = 1 / std::sqrt(2 * size * w);
    const Vec3 v = scale * r.cross(d);
    return {scale * w, v.x(), v.y(), v.z()};
  }
  // Nearly opposite, or one of no length.
  const Vec3 from = normalized_or_zero(r), to = normalized_or_zero(d);
  if (from.isZero(0) || to.isZero(0)) return Quat::Identity();
  return shortest_rotation(from, to);
}

/// The two passes over the bones of one problem.
struct Passes {
  const Problem& problem;
  Bones bones;
  Q q;  ///< of the bones that are not plain, after the last pass outwards; see read_off()

  const Skeleton& skeleton() const noexcept { return problem.skeleton; }
  const Limits& limits(const Bone& bone) const noexcept { return skeleton().limits(bone.joint); }
  Real* value(const Bone& bone) const noexcept {
    return q.data() + skeleton().q_offset(bone.joint);
  }
  Pose motion(const Bone& bone, const Real* coordinate) const noexcept {
    return joint_motion(skeleton(), bone.joint, coordinate);
  }
  const Reach* reach_of(const Bone& bone) const noexcept {
    return std::get_if<Reach>(&bones.pulled[bone.first_goal]);
  }
  template <class F>
  void for_children(const Bone& bone, F&& f) const noexcept {
    for (int c = bone.first_child; c != none; c = bones.all[c].next_sibling) f(bones.all[c]);
  }
  template <class F>
  void for_goals(const Bone& bone, F&& f) const noexcept {
    for (int g = bone.first_goal; g != none; g = bones.next_goal[g]) f(bones.pulled[g]);
  }

  // Inwards: each bone is put where those beyond it and its goals want it; then its joint moves,
  // inside its limits, so that the parent's own joint stays as near as it can to where it was.
  void inwards() noexcept {
    for (int i = static_cast<int>(bones.all.size()) - 1; i >= 0; --i) {
      Bone& bone = bones.all[i];
      bone.wanted = wanted(bone, bones.world[i]);
      if (bone.parent != none) draw_parent(bone);
    }
  }

  Pose wanted(const Bone& bone, const Pose& now) const noexcept {
    if (bone.first_goal == none && bones.all[bone.first_child].next_sibling == none)
      return bones.all[bone.first_child].parent_wanted;
    const bool only_one = bone.first_child == none && bones.next_goal[bone.first_goal] == none;
    if (const Reach* reach = only_one ? reach_of(bone) : nullptr) {
      // A free bone swings round the target; any other is carried there as it is, since its
      // orientation is the one its joint is known to allow.
      if (bone.plain) return {now.q, drawn(reach->target, now.p, bone.length)};
      return {now.q, reach->target - now.q * reach->point_in_joint};
    }
    return fitted(bone, now);
  }

  // Where many children and goals take hold of a bone: the rigid motion that brings the points
  // they hold closest to where they want them. Its translation takes centroid to centroid (the
  // sub-base of the survey), its rotation is the best turn about that. The bone's own joint,
  // weighing little, decides what is left open.
  Pose fitted(const Bone& bone, const Pose& now) const noexcept {
    constexpr Real staying = 0.01;
    const auto each_point = [&](auto&& f) {
      for_children(bone,
                   [&](const Bone& child) { f(child.rest.p, child.anchor, child.place_weight); });
      for_goals(bone, [&](const Goal& goal) {
        if (const Reach* reach = std::get_if<Reach>(&goal))
          f(reach->point_in_joint, reach->target, reach->weight);
      });
    };
    Vec3 held = Vec3::Zero(), target = Vec3::Zero();
    Real weight = 0;
    each_point([&](const Vec3& point, const Vec3& place, Real w) {
      held += w * point;
      target += w * place;
      weight += w;
    });
    Wish wish;
    if (weight > 0) {
      held /= weight;
      target /= weight;
      each_point([&](const Vec3& point, const Vec3& place, Real w) {
        wish.add({now.q * (point - held), place - target, w});
      });
      wish.add({now.q * -held, now.p - target, staying * weight});
    }
    for_children(bone, [&](const Bone& child) {
      wish.add(now.q, child.parent_wanted.q, child.frame_weight);
    });
    for_goals(bone, [&](const Goal& goal) {
      if (!std::holds_alternative<Reach>(goal)) add_goal(goal, now, now.p, wish);
    });
    const Quat turned = normalized_or_identity(best_turn(wish) * now.q);
    return {turned, weight > 0 ? Vec3(target - turned * held) : now.p};
  }

  void draw_parent(Bone& bone) const noexcept {
    const Bone& parent = bones.all[bone.parent];
    const Pose& now = bones.world[bone.parent];
    const Pose& here = bone.wanted;
    bone.anchor = here.p;
    if (parent.plain) {
      bone.parent_wanted = {now.q, drawn(here.p, now.p, parent.length)};
    } else if (bone.type == JointType::slider) {
      const Quat turned = here.q * bone.rest.q.conjugate();
      const Vec3 axis = here.q * bone.axis;
      const Vec3 unslid = here.p - turned * bone.rest.p;
      const Real slide = std::clamp(axis.dot(unslid - now.p), limits(bone).lo, limits(bone).hi);
      bone.parent_wanted = {turned, unslid - slide * axis};
      bone.anchor -= slide * axis;
    } else {
      const Quat turned = parent_turned(bone, parent, now);
      bone.parent_wanted = {turned, here.p - turned * bone.rest.p};
    }
  }

  // Seen from the bone, the parent turns the other way: the joint's own move with the wish
  // reversed.
  Quat parent_turned(const Bone& bone, const Bone& parent, const Pose& now) const noexcept {
    const Pose& here = bone.wanted;
    std::array<Real, 4> moved{};
    std::copy_n(value(bone), q_size(bone.type), moved.begin());
    const auto turned = [&]() -> Quat {
      return here.q * (bone.rest.q * motion(bone, moved.data()).q).conjugate();
    };
    const Quat start = bone.free ? now.q : turned();
    Wish wish;
    wish.add({start * -bone.rest.p, now.p - here.p, bone.place_weight});
    wish.add(start, now.q, parent.frame_weight);
    if (bone.free) return best_turn(wish) * start;
    if (bone.type == JointType::hinge)
      moved[0] =
          best_hinge(wish.reversed(), here.q * bone.axis, moved[0], limits(bone), 1, any_turn);
    else
      turn_ball(wish.reversed(), skeleton(), bone.joint, here.q, moved.data(), 1, any_turn);
    return turned();
  }

  // Outwards: from the root, each joint moves, inside its limits, so that the bones beyond find
  // their seats where the pass inwards left them. This is a forward pass: the pose is whole and
  // legal when it ends.
  void outwards() noexcept {
    for (std::size_t i = 0; i < bones.all.size(); ++i) {
      Bone& bone = bones.all[i];
      if (bone.plain)
        point(bone, bones.world[i]);
      else
        follow(bone, bones.world[i]);
    }
  }

  Pose seat(const Bone& bone) const noexcept {
    return bone.parent == none ? bone.rest : bones.world[bone.parent] * bone.rest;
  }

  void point(Bone& bone, Pose& now) const noexcept {
    const bool after_plain = bone.parent != none && bones.all[bone.parent].plain;
    now.p = after_plain ? bones.all[bone.parent].tip : seat(bone).p;
    const bool last = bone.first_child == none;
    bone.tip = drawn(now.p, last ? reach_of(bone)->target : bones.all[bone.first_child].anchor,
                     bone.length);
    if (last) turn_to_tip(bone, now);
  }

  void turn_to_tip(const Bone& bone, Pose& now) const noexcept {
    now.q = turn_towards(now.q * bone.arm, bone.tip - now.p) * now.q;
  }

  void follow(const Bone& bone, Pose& now) noexcept {
    const Pose at = seat(bone);
    Real* const coordinate = value(bone);
    const Pose start = at * motion(bone, coordinate);
    switch (bone.type) {
      case JointType::fixed:
        break;
      case JointType::hinge:
        *coordinate = best_hinge(wish(bone, start), at.q * bone.axis, *coordinate, limits(bone),
                                 bone.share, any_turn);
        break;
      case JointType::slider: {
        const Real wanted = *coordinate + bone.share * slide_wish(bone, start).best();
        *coordinate = std::clamp(wanted, limits(bone).lo, limits(bone).hi);
        break;
      }
      case JointType::ball:
        if (bone.free)
          store_quat(
              normalized_or_identity(at.q.conjugate() * best_turn(wish(bone, start)) * start.q),
              coordinate);
        else
          turn_ball(wish(bone, start), skeleton(), bone.joint, start.q, coordinate, bone.share,
                    any_turn);
        break;
    }
    now = at * motion(bone, coordinate);
  }

  Wish wish(const Bone& bone, const Pose& start) const noexcept {
    Wish wish;
    for_children(bone, [&](const Bone& child) {
      wish.add({start.q * child.rest.p, child.anchor - start.p, child.place_weight});
    });
    for_goals(bone, [&](const Goal& goal) { add_goal(goal, start, start.p, wish); });
    if (bone.first_child != none) wish.add(start.q, bone.wanted.q, bone.frame_weight);
    return wish;
  }

  SlideWish slide_wish(const Bone& bone, const Pose& start) const noexcept {
    const Vec3 axis = start.q * bone.axis;
    SlideWish wish;
    for_children(bone, [&](const Bone& child) {
      wish.add(axis.dot(child.anchor - start * child.rest.p), child.place_weight);
    });
    for_goals(bone, [&](const Goal& goal) { add_goal(goal, start, axis, wish); });
    return wish;
  }

  /// Rotations of the plain bones, each the smallest from what it was.
  void read_off() noexcept {
    for (std::size_t i = 0; i < bones.all.size(); ++i) {
      const Bone& bone = bones.all[i];
      if (!bone.plain) continue;
      Pose& now = bones.world[i];
      if (bone.first_child != none) turn_to_tip(bone, now);
      const Quat unturned =
          bone.parent == none ? bone.rest.q : Quat(bones.world[bone.parent].q * bone.rest.q);
      store_quat(normalized_or_identity(unturned.conjugate() * now.q), value(bone));
    }
  }

  /// Puts all bones where q has them.
  void place() noexcept {
    for (std::size_t i = 0; i < bones.all.size(); ++i)
      bones.world[i] = seat(bones.all[i]) * motion(bones.all[i], value(bones.all[i]));
  }

  void iterate(Real most_lead) noexcept {
    pull(bones.goals, bones.world, bones.leads, bones.pulled);
    inwards();
    outwards();
    learn(bones.goals, bones.world, most_lead, bones.leads);
  }

  // A chain of bones of lengths l ends at distances from L = sum l down to l_max - (L - l_max)
  // from its root, if that is above zero. A target outside this shell is out of reach, and the
  // pose nearest to it is a straight line towards it: stretched out, or folded with the longest
  // bone towards the target and all others back. Sliders change the lengths, so there the question
  // stays open, as it does between several goals.
  bool out_of_reach() const noexcept {
    const Reach* reach = only_reach();
    if (!reach) return false;
    const Real distance = (reach->target - bones.all[0].rest.p).norm();
    const Real whole = bones.all[0].reach, longest = longest_bone();
    return distance > whole + reach->tolerance || distance < 2 * longest - whole - reach->tolerance;
  }

  const Reach* only_reach() const noexcept {
    const bool slides = std::any_of(bones.all.begin(), bones.all.end(), [](const Bone& bone) {
      return bone.type == JointType::slider;
    });
    return problem.goals.size() == 1 && bones.goals.size() == 1 && !slides
               ? std::get_if<Reach>(&bones.goals[0])
               : nullptr;
  }

  /// How far a bone of a chain reaches to the next one, or to the goal.
  Real length(std::size_t i) const noexcept {
    const Real beyond = i + 1 < bones.all.size() ? bones.all[i + 1].reach : 0;
    return bones.all[i].reach - beyond;
  }
  Real longest_bone() const noexcept {
    Real longest = 0;
    for (std::size_t i = 0; i < bones.all.size(); ++i) longest = std::max(longest, length(i));
    return longest;
  }

  /// Lays the chain on the straight line that is nearest to a target out of reach, as far as the
  /// limits let it.
  void straighten() noexcept {
    Reach& reach = *std::get_if<Reach>(&bones.pulled[0]);
    const Real longest = longest_bone(), whole = bones.all[0].reach;
    const bool folded = (reach.target - bones.all[0].rest.p).norm() < whole;
    const Vec3 origin = bones.all[0].rest.p;
    Vec3 direction = normalized_or_zero(reach.target - origin);
    if (direction.isZero(0)) direction = Vec3::UnitX();  // at the root itself any will do
    Vec3 place = origin;
    bool found_longest = false;
    for (std::size_t i = 0; i < bones.all.size(); ++i) {
      bones.all[i].anchor = place;
      bones.all[i].wanted = bones.world[i];
      const bool forth = !folded || (!found_longest && length(i) == longest);
      found_longest |= folded && forth;
      place += (forth ? 1 : -1) * length(i) * direction;
    }
    reach.target = place;
    outwards();
  }
};

}  // namespace
}  // namespace fabrik

std::size_t scratch_bytes(const Fabrik&, const Skeleton& skeleton, std::size_t goals) noexcept {
  return fabrik::bytes_of_bones(skeleton, goals) +
         Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size())) +
         Scratch::bytes_for<Pose>(static_cast<std::size_t>(skeleton.joint_count()));
}

// It ends when every goal is met, when `patience` iterations together bring less than one in a
// hundred and all kicks are used up, or with the budget.
Report solve(const Fabrik& settings, const Problem& problem, Scratch& scratch, Q out) noexcept {
  constexpr int patience = 10;
  constexpr Real worthwhile = 0.99;
  const Skeleton& skeleton = problem.skeleton;
  fabrik::Passes passes{problem, fabrik::take_bones(problem, scratch),
                        scratch.take<Real>(static_cast<std::size_t>(skeleton.q_size()))};
  const fabrik::Bones& bones = passes.bones;
  const auto poses = scratch.take<Pose>(static_cast<std::size_t>(skeleton.joint_count()));

  std::copy(problem.seed.begin(), problem.seed.end(), passes.q.begin());
  std::copy(problem.seed.begin(), problem.seed.end(), out.begin());
  forward(skeleton, out, poses);
  Report report{
      .status = Status::out_of_budget, .passes = 1, .error = goal_error(problem.goals, poses)};
  const auto ended = [&](Status status) {
    report.status = status;
    return report;
  };
  if (report.error == 0) return ended(Status::reached);
  if (bones.all.empty()) return ended(Status::stalled);
  passes.place();

  const bool hopeless = passes.out_of_reach();
  const int kicks = hopeless || settings.kick == 0 ? 0 : settings.kicks;
  Real lowest = report.error, mark = report.error;
  int idle = 0, kicked = 0;
  while (report.iterations < problem.budget.iterations) {
    const bool straight = hopeless && report.iterations == 0;
    if (straight)
      passes.straighten();
    else
      passes.iterate(settings.overreach);
    ++report.iterations;
    ++report.passes;
    const Real error = goal_error(bones.goals, bones.world);
    if (error < lowest) {
      lowest = error;
      passes.read_off();
      forward(skeleton, passes.q, poses);
      ++report.passes;
      const Real judged = goal_error(problem.goals, poses);
      if (judged < report.error) {
        report.error = judged;
        std::copy(passes.q.begin(), passes.q.end(), out.begin());
      }
      if (report.error == 0) return ended(Status::reached);
    }
    if (straight && bones.all[0].plain) return ended(Status::stalled);  // nothing is nearer
    idle = error < worthwhile * mark ? 0 : idle + 1;
    if (idle == 0) mark = error;
    if (idle < patience) continue;
    if (kicked == kicks) return ended(Status::stalled);
    std::copy(out.begin(), out.end(), passes.q.begin());
    kick(problem, settings.kick, kicked++, passes.q);
    passes.place();
    for (Lead& lead : bones.leads) lead.times = 1;
    mark = infinity;
    idle = 0;
  }
  return report;
}

}  // namespace gestik
