#include "gestik/body/whole_body.h"

#include <algorithm>
#include <cmath>

#include "gestik/math/mean_rotation.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

std::string in_quotes(const std::string& name) {
  return "'" + name + "'";
}

// --- building ---

/// The frame and the limb that ends there.
Result<std::pair<Frame, Limb>> limb_of(const Character& character, const std::string& name) {
  Result<Frame> frame = find_frame(character, name);
  if (!frame) return frame.error();
  const Vec3 up = Vec3::Unit(static_cast<int>(character.up));
  const LimbOr found = limb_at(character.skeleton, frame->joint, up);
  if (!found.reaches_poses())
    return Error{"it does not end a limb: " + std::string(to_string(found.why)), in_quotes(name)};
  if (found.limb.joint != frame->joint)
    return Error{"it sits on the joint " + in_quotes(character.skeleton.name(frame->joint)) +
                     ", its limb ends at " + in_quotes(character.skeleton.name(found.limb.joint)),
                 in_quotes(name)};
  return std::pair{*std::move(frame), found.limb};
}

bool share_joints(const Limb& a, const Limb& b) {
  return std::any_of(a.moved().begin(), a.moved().end(), [&](JointId joint) {
    return std::find(b.moved().begin(), b.moved().end(), joint) != b.moved().end();
  });
}

Result<Behaviour::Arm> arm_from(const Character& character, const ArmDraft& draft) {
  auto found = limb_of(character, draft.hand);
  if (!found) return found.error();
  const auto& [hand, limb] = *found;
  const std::string where = "arm " + in_quotes(draft.hand);
  if (!(draft.weight > 0 && is_bounded(draft.weight)))
    return Error{"its weight must be a number above zero", where};
  Result<SwingKeys> keys = build(character.skeleton, limb.base.joints[0], draft);
  if (!keys) return Error{to_string(keys.error()), where};
  const Real length =
      limb.upper_length() + limb.lower_length() + (hand.joint_from_frame.p - limb.end_point).norm();
  return Behaviour::Arm{hand, limb, length, draft.weight, *std::move(keys)};
}

// --- reaching ---

/// A share of the way from one rotation to another, the shorter way round; see mean_rotation.
Quat between(const Quat& from, const Quat& to, Real share) noexcept {
  if (share <= 0) return from;
  if (share >= 1) return to;
  const Real side = from.dot(to) < 0 ? -1 : 1;
  const std::array<Quat, 2> both{from,
                                 Quat(side * to.w(), side * to.x(), side * to.y(), side * to.z())};
  const std::array<Real, 2> weights{1 - share, share};
  return mean_rotation(both, weights);
}

/// Shares of two poses of a thing.
void mix(JointType type, const Real* other, Real share, Real* into) noexcept {
  if (share >= 1) {
    std::copy_n(other, q_size(type), into);
    return;
  }
  if (type == JointType::ball) {
    store_quat(between(load_quat(into), load_quat(other), share), into);
    return;
  }
  for (int k = 0; k < q_size(type); ++k) into[k] += share * (other[k] - into[k]);
}

/// The body turned about its root joint and shifted, as a row of keys says it.
struct Shift {
  Vec3 p = Vec3::Zero();
  Quat q = Quat::Identity();
};

Pose moved(const Pose& world_from_start, const Vec3& root, const Shift& shift) noexcept {
  return world_from_start * Pose{shift.q, root + shift.p - shift.q * root};
}

/// One reach, step by step; memory is the scratch's.
class BodyReach {
 public:
  BodyReach(const Behaviour& behaviour, const Skeleton& skeleton, const BodyProblem& problem,
            BodyClash* clash, Scratch& scratch, Q q, Pose& world_from_body) noexcept
      : behaviour_(behaviour),
        skeleton_(skeleton),
        problem_(problem),
        clash_(clash),
        scratch_(scratch),
        q_(q),
        stands_(world_from_body),
        before_(scratch.take<Pose>(at(skeleton.joint_count()))),
        now_(scratch.take<Pose>(at(skeleton.joint_count()))),
        asked_(scratch.take<Real>(at(skeleton.joint_count()))),
        value_(scratch.take<Real>(4)) {
    for (std::size_t i = 0; i < problem.targets.size(); ++i)
      rows_[i] = scratch.take<Real>(at(arm(i).keys.row_size()));
    if (clash) stand_at(*clash, stands_);
  }

  BodyReport run() noexcept {
    forward(skeleton_.joints(), problem_.start, before_, behaviour_.needed());
    for (std::size_t i = 0; i < problem_.targets.size(); ++i) ask(i);
    const int steps = std::max(1, problem_.reductions);
    for (int taken = 0; taken <= steps; ++taken) {
      report_.kept = 1 - static_cast<Real>(taken) / steps;
      if (stand(report_.kept)) break;
    }
    reach();
    return report_;
  }

 private:
  const Behaviour::Arm& arm(std::size_t target) const noexcept {
    return behaviour_.arms()[at(problem_.targets[target].arm)];
  }

  /// What the behaviour says for one target, and how much of it counts: by the direction and the
  /// distance from the shoulder, where the start has it.
  void ask(std::size_t i) noexcept {
    const Behaviour::Arm& a = arm(i);
    const Pose base = world_from_base(a.limb, before_);
    const Vec3 target =
        inverse(base) * (inverse(problem_.world_from_start) * problem_.targets[i].place);
    int face = 0;
    a.keys.blend(swing_towards(skeleton_, a.limb.base.joints[0], target), face, rows_[i]);
    report_.weight[at(problem_.targets[i].arm)] =
        reach_weight(target.norm(), a.length, behaviour_.fullness());
  }

  /// Takes up the share of the behaviour and puts the feet where they were. Whether all is well.
  bool stand(Real kept) noexcept {
    report_.clash = {};
    std::copy(problem_.start.begin(), problem_.start.end(), q_.begin());
    std::fill(asked_.begin(), asked_.end(), Real{0});
    Shift shift;
    Real weight_before = 0;
    for (std::size_t i = 0; i < problem_.targets.size(); ++i) {
      const Real share = kept * report_.weight[at(problem_.targets[i].arm)];
      const Real weight = arm(i).weight;
      take_up(i, share, weight);
      const Shift wanted = shift_of(i, share);
      const Real part = weight / (weight_before + weight);
      shift = {shift.p + part * (wanted.p - shift.p), between(shift.q, wanted.q, part)};
      weight_before += weight;
    }
    stands_ = moved(problem_.world_from_start, skeleton_.parent_from_joint(0).p, shift);
    stands_.q = normalized_or_identity(stands_.q);
    return keep_feet() && trunk_is_clear();
  }

  /// The joints of one arm's keys, from the start towards the blend; where an arm before it has
  /// asked for a joint already, the two share it by their weights.
  void take_up(std::size_t i, Real share, Real weight) noexcept {
    for (const SwingKeys::Item& item : arm(i).keys.items()) {
      const int offset = skeleton_.q_offset(item.joint);
      std::copy_n(problem_.start.begin() + offset, q_size(item.type), value_.begin());
      mix(item.type, rows_[i].data() + item.offset, share, value_.data());
      Real& asked = asked_[at(item.joint)];
      asked += weight;
      mix(item.type, value_.data(), weight / asked, q_.data() + offset);
      clamp_joint(skeleton_, item.joint, q_.data() + offset);
    }
  }

  Shift shift_of(std::size_t i, Real share) const noexcept {
    const Real* row = rows_[i].data() + arm(i).keys.root_offset();
    return {share * Vec3(row[0], row[1], row[2]),
            between(Quat::Identity(), load_quat(row + 3), share)};
  }

  bool keep_feet() noexcept {
    report_.feet_kept = true;
    for (std::size_t i = 0; i < behaviour_.feet().size(); ++i) {
      const auto& [frame, limb] = behaviour_.feet()[i];
      const Pose foot = inverse(stands_) * (problem_.world_from_start * before_[at(limb.joint)]);
      LimbClash* test = clash_ ? &clash_->feet[i] : nullptr;
      report_.feet[i] = reach_with(limb, Vec3::Zero(), foot.p, &foot.q, search_of_foot(limb), test);
      report_.feet_kept = report_.feet_kept && report_.feet[i].reached();
    }
    return report_.feet_kept;
  }

  /// A knee points where it pointed; that of a straight leg, which points nowhere, as it bends by
  /// nature.
  SwivelSearch search_of_foot(const Limb& limb) const noexcept {
    const Vec3 hip = world_from_base(limb, before_).p;
    const Vec3 ankle = before_[at(limb.joint)] * limb.end_point;
    const Real straight = limb.upper_length() + limb.lower_length();
    SwivelSearch search;
    search.preferred =
        (ankle - hip).norm() > 0.9999 * straight ? 0 : swivel_of(limb, skeleton_, problem_.start);
    return search;
  }

  bool trunk_is_clear() noexcept {
    if (!clash_) return true;
    forward(skeleton_, q_, now_);
    const PoseTest test = with_still_end(clash_->trunk);
    report_.clash = test.clash(test.self, now_);
    return !report_.clash;
  }

  /// The arms, one after the other: each looks at those before it and, where it is the last with a
  /// target, at all others.
  void reach() noexcept {
    for (std::size_t i = 0; i < problem_.targets.size(); ++i) {
      const Behaviour::Arm& a = arm(i);
      const int number = problem_.targets[i].arm;
      const Pose hand = a.hand.joint_from_frame;
      const Pose body_from_world = inverse(stands_);
      const Vec3 place = body_from_world * problem_.targets[i].place;
      Quat turn;
      if (problem_.targets[i].turn)
        turn = body_from_world.q * *problem_.targets[i].turn * hand.q.conjugate();
      SwivelSearch search = problem_.search;
      if (a.keys.has_swivel()) {
        const Real* wish = rows_[i].data() + a.keys.swivel_offset();
        search.preferred = wish[0];
        search.lo = wish[1];
        search.hi = wish[2];
      }
      LimbReport& report = report_.arms[at(number)];
      report = reach_with(a.limb, hand.p, place, problem_.targets[i].turn ? &turn : nullptr, search,
                          clash_ ? &clash_of_arm(*clash_, problem_.targets, number) : nullptr);
      report_.hands_reached = report_.hands_reached && report.reached();
    }
  }

  LimbReport reach_with(const Limb& limb, const Vec3& point, const Vec3& place, const Quat* turn,
                        const SwivelSearch& search, LimbClash* test) noexcept {
    if (!test && set_directly(limb, point, place, turn, search))
      return {.preferred = *search.preferred, .swivel = *search.preferred, .tests = 1};
    const Reach goal{.joint = limb.joint, .point_in_joint = point, .target = place};
    const Orient orient{.joint = limb.joint, .target = turn ? *turn : Quat(Quat::Identity())};
    PoseTest asked;
    if (test) {
      forward(skeleton_, q_, now_);
      settle(*test, now_);
      asked = turn ? with_still_end(*test) : with_moving_end(*test);
    }
    return reach_with_limb(limb, skeleton_, goal, turn ? &orient : nullptr, search, asked, scratch_,
                           q_);
  }

  /// Where only limits are in the way and the preferred swivel keeps them, as it nearly always
  /// does, the closed form is all it takes. False, and nothing is written, otherwise.
  bool set_directly(const Limb& limb, const Vec3& point, const Vec3& place, const Quat* turn,
                    const SwivelSearch& search) noexcept {
    if (!search.preferred) return false;
    const Pose base_from_body =
        inverse(pose_of(limb.base_parent, no_joint) * limb.parent_from_base);
    LimbTarget target{base_from_body * place, Quat::Identity(), turn != nullptr};
    Vec3 lower = limb.lower;
    if (turn) {
      target.turn = base_from_body.q * *turn;
      target.place += target.turn * (limb.end_point - point);
    } else {
      lower = pose_of(limb.joint, limb.mid) * point;
    }
    LimbAtTarget at_target(limb, skeleton_, q_, target, lower);
    at_target.choose(0);
    const HalfTurn half = half_turn(at_target.angle_of(*search.preferred));
    if (at_target.bend(0).fault != LimbFault::none || at_target.verdict(half) != Verdict::inside)
      return false;
    at_target.write(half, q_);
    return true;
  }

  /// Of one joint alone, in the moved frame of one above it or (no_joint) the body's.
  Pose pose_of(JointId joint, JointId above) const noexcept {
    Pose pose;
    for (; joint != above; joint = skeleton_.parent(joint))
      pose = skeleton_.parent_from_joint(joint) *
             joint_motion(skeleton_, joint, q_.data() + skeleton_.q_offset(joint)) * pose;
    return pose;
  }

  const Behaviour& behaviour_;
  const Skeleton& skeleton_;
  const BodyProblem& problem_;
  BodyClash* clash_;
  Scratch& scratch_;
  Q q_;
  Pose& stands_;
  std::span<Pose> before_, now_;
  std::span<Real> asked_;  ///< for each joint, the weights of the arms that have asked for it
  std::span<Real> value_;
  std::array<std::span<Real>, Behaviour::most_limbs> rows_;
  BodyReport report_;
};

void say(std::string& text, const std::string& name, const Skeleton& skeleton,
         const LimbReport& report, const Collider* collider) {
  text += text.empty() ? "" : "\n";
  text += name + ": ";
  if (report.fault == LimbFault::clash && collider)
    text += collider->name(report.clash.a) + " would meet " + collider->name(report.clash.b);
  else
    text += describe(skeleton, report);
}

}  // namespace

int Behaviour::find_arm(std::string_view hand) const noexcept {
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (arms_[i].hand.name == hand) return static_cast<int>(i);
  return -1;
}

Result<Behaviour> build(const Character& character, const BehaviourDraft& draft) {
  Behaviour result;
  result.name_ = draft.name;
  result.fullness_ = draft.fullness;
  if (!(draft.fullness > 0 && draft.fullness <= 1))
    return Error{"its fullness must be above 0 and at most 1", ""};
  if (draft.arms.empty()) return Error{"it has no arm; a behaviour needs one with its keys", ""};
  if (draft.arms.size() > at(Behaviour::most_limbs) ||
      draft.feet.size() > at(Behaviour::most_limbs))
    return Error{"it has more than four arms or feet", ""};
  std::vector<std::pair<std::string, Limb>> limbs;
  const auto add = [&](const std::string& name, const Limb& limb) -> std::optional<Error> {
    for (const auto& [other, taken] : limbs)
      if (share_joints(limb, taken))
        return Error{"it is on the same limb as " + in_quotes(other), in_quotes(name)};
    limbs.emplace_back(name, limb);
    return std::nullopt;
  };
  for (const ArmDraft& one : draft.arms) {
    Result<Behaviour::Arm> arm = arm_from(character, one);
    if (!arm) return arm.error();
    if (auto fault = add(one.hand, arm->limb)) return *std::move(fault);
    result.arms_.push_back(*std::move(arm));
  }
  const std::vector<Limb> known =
      find_limbs(character.skeleton, Vec3::Unit(static_cast<int>(character.up))).limbs;
  for (const std::string& one : draft.feet) {
    auto found = limb_of(character, one);
    if (!found) return found.error();
    // A neck is built like a limb too, but nobody stands on his head by mistake.
    if (std::none_of(known.begin(), known.end(),
                     [&](const Limb& limb) { return limb.joint == found->second.joint; }))
      return Error{"it is not the end of a leg, so it can't be kept as a foot", in_quotes(one)};
    if (auto fault = add(one, found->second)) return *std::move(fault);
    result.feet_.push_back({found->first, found->second});
  }
  const Skeleton& skeleton = character.skeleton;
  result.needed_.assign(at(skeleton.joint_count()), 0);
  const auto need = [&](JointId joint) {
    for (; joint != no_joint; joint = skeleton.parent(joint)) result.needed_[at(joint)] = 1;
  };
  for (const Behaviour::Arm& arm : result.arms_) need(arm.limb.base_parent);
  for (const Behaviour::Foot& foot : result.feet_) need(foot.limb.joint);
  return result;
}

BodyClash body_clash(const Collider& collider, const Behaviour& behaviour) {
  BodyClash result;
  result.placement = placement_for(collider);
  // What a limb moves while it swivels, and its end.
  const auto split = [](const Limb& limb) {
    const auto joints = limb.moved();
    return std::pair{std::vector<JointId>(joints.begin(), joints.end() - 1),
                     std::vector<JointId>{limb.joint}};
  };
  const auto clash_of = [&](const Limb& limb, const std::vector<JointId>& except) {
    const auto [moving, end] = split(limb);
    std::vector<JointId> end_except = except;
    end_except.insert(end_except.end(), moving.begin(), moving.end());
    return LimbClash{&collider, nullptr, pairs_of(collider, moving, except),
                     pairs_of(collider, end, end_except), nullptr};
  };
  const auto add = [](std::vector<JointId>& joints, const Limb& limb) {
    joints.insert(joints.end(), limb.moved().begin(), limb.moved().end());
  };
  std::vector<JointId> arms;
  for (const Behaviour::Arm& arm : behaviour.arms()) add(arms, arm.limb);
  result.trunk = rest_clash(collider, result.placement, arms);
  for (std::size_t i = 0; i < behaviour.arms().size(); ++i) {
    std::vector<JointId> later;
    for (std::size_t j = i + 1; j < behaviour.arms().size(); ++j)
      add(later, behaviour.arms()[j].limb);
    result.arms.push_back(clash_of(behaviour.arms()[i].limb, {}));
    result.arms_first.push_back(clash_of(behaviour.arms()[i].limb, later));
  }
  for (std::size_t i = 0; i < behaviour.feet().size(); ++i) {
    std::vector<JointId> later = arms;
    for (std::size_t j = i + 1; j < behaviour.feet().size(); ++j)
      add(later, behaviour.feet()[j].limb);
    result.feet.push_back(clash_of(behaviour.feet()[i].limb, later));
  }
  return result;
}

void stand_at(BodyClash& clash, const Pose& world_from_body) noexcept {
  const auto bind = [&](LimbClash& one) {
    one.placement = &clash.placement;
    one.world_from_body = &world_from_body;
  };
  bind(clash.trunk);
  for (auto* some : {&clash.feet, &clash.arms, &clash.arms_first})
    std::for_each(some->begin(), some->end(), bind);
}

LimbClash& clash_of_arm(BodyClash& clash, std::span<const HandTarget> targets, int arm) noexcept {
  const bool last = std::none_of(targets.begin(), targets.end(),
                                 [&](const HandTarget& target) { return target.arm > arm; });
  return (last ? clash.arms : clash.arms_first)[at(arm)];
}

std::size_t scratch_bytes(const Behaviour& behaviour, const Skeleton& skeleton) noexcept {
  const std::size_t joints = at(skeleton.joint_count());
  std::size_t bytes = reach_scratch_bytes(skeleton) + 2 * Scratch::bytes_for<Pose>(joints) +
                      Scratch::bytes_for<Real>(joints) + Scratch::bytes_for<Real>(4);
  for (const Behaviour::Arm& arm : behaviour.arms())
    bytes += Scratch::bytes_for<Real>(at(arm.keys.row_size()));
  return bytes;
}

BodyReport reach_with_body(const Behaviour& behaviour, const Skeleton& skeleton,
                           const BodyProblem& problem, BodyClash* clash, Scratch& scratch, Q q,
                           Pose& world_from_body) noexcept {
  const Scratch::Frame frame(scratch);
  return BodyReach(behaviour, skeleton, problem, clash, scratch, q, world_from_body).run();
}

std::string describe(const Behaviour& behaviour, const Skeleton& skeleton,
                     const BodyProblem& problem, const BodyReport& report,
                     const Collider* collider) {
  std::string text;
  for (const HandTarget& target : problem.targets)
    if (!report.arms[at(target.arm)].reached())
      say(text, behaviour.arms()[at(target.arm)].hand.name, skeleton, report.arms[at(target.arm)],
          collider);
  for (std::size_t i = 0; i < behaviour.feet().size(); ++i)
    if (!report.feet[i].reached())
      say(text, behaviour.feet()[i].foot.name, skeleton, report.feet[i], collider);
  if (report.clash && collider)
    text += (text.empty() ? "" : "\n") + collider->name(report.clash.a) + " meets " +
            collider->name(report.clash.b) + " whatever the behaviour";
  return text;
}

}  // namespace gestik
