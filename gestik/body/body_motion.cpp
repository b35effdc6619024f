#include "gestik/body/body_motion.h"

#include <algorithm>
#include <cmath>

#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// One way, frame by frame.
class BodyWay {
 public:
  BodyWay(const Reaching& settings, const Behaviour& behaviour, const Skeleton& skeleton,
          const BodyProblem& problem, BodyClash* clash)
      : behaviour_(behaviour),
        skeleton_(skeleton),
        problem_(problem),
        clash_(clash),
        most_turn_(settings.swivel_speed / settings.rate),
        scratch_(scratch_bytes(behaviour, skeleton)),
        before_(at(skeleton.joint_count())),
        now_(at(skeleton.joint_count())),
        q_(problem.start.begin(), problem.start.end()),
        ends_(clip_for(skeleton, "", 1)) {
    forward(skeleton, problem.start, before_);
    for (Pose& pose : before_) pose = problem.world_from_start * pose;
    out_.clip = clip_for(skeleton, "reach", settings.rate);
    out_.report = reach_with_body(behaviour, skeleton, problem, clash, scratch_, q_, last_stands_);
    ends_.values.assign(problem.start.begin(), problem.start.end());
    ends_.values.insert(ends_.values.end(), q_.begin(), q_.end());
    q_.assign(problem.start.begin(), problem.start.end());
    stands_ = problem.world_from_start;
    if (clash) stand_at(*clash, stands_);
    frames_ = std::max(1, static_cast<int>(std::ceil(seconds(settings) * settings.rate)));
  }

  BodyReached run() {
    keep_frame();
    for (int f = 1; f <= frames_; ++f) {
      const Real share = bell_share(static_cast<Real>(f) / frames_);
      move_trunk(share);
      keep_feet(f);
      for (const HandTarget& target : problem_.targets) move_hand(target, f, share);
      keep_frame();
    }
    return std::move(out_);
  }

 private:
  const Behaviour::Arm& arm(const HandTarget& target) const {
    return behaviour_.arms()[at(target.arm)];
  }

  /// That of the hand with the longest way.
  Real seconds(const Reaching& settings) const {
    if (settings.seconds > 0) return settings.seconds;
    Real longest = 0;
    for (const HandTarget& target : problem_.targets) {
      const Frame& hand = arm(target).hand;
      const Vec3 from = before_[at(hand.joint)] * hand.joint_from_frame.p;
      longest = std::max(longest, duration((target.place - from).norm(), arm(target).length));
    }
    return longest;
  }

  /// All joints a share of the way from the start to the pose of the report, but those of arms that
  /// reach: they stay as the frame before has them.
  void move_trunk(Real share) {
    const std::vector<Real> earlier = q_;
    sample(ends_, skeleton_, share, q_);
    clamp_to_limits(skeleton_, q_);
    for (const HandTarget& target : problem_.targets) put_back(arm(target).limb, earlier);
    const Pose& first = problem_.world_from_start;
    stands_ = {first.q.slerp(share, last_stands_.q), first.p + share * (last_stands_.p - first.p)};
  }

  void put_back(const Limb& limb, ConstQ earlier) {
    for (const JointId j : limb.moved())
      std::copy_n(earlier.begin() + skeleton_.q_offset(j), q_size(skeleton_.type(j)),
                  q_.begin() + skeleton_.q_offset(j));
  }

  void keep_feet(int frame) {
    bool kept = true;
    for (const Behaviour::Foot& foot : behaviour_.feet()) {
      const Pose place = inverse(stands_) * before_[at(foot.limb.joint)];
      const Reach reach{.joint = foot.limb.joint, .target = place.p};
      const Orient orient{.joint = foot.limb.joint, .target = place.q};
      kept &= reach_with_limb(foot.limb, skeleton_, reach, &orient, {}, {}, scratch_, q_).reached();
    }
    if (!kept && out_.feet_missed++ == 0) out_.first_feet_missed = frame;
  }

  void move_hand(const HandTarget& target, int frame, Real share) {
    const auto& [hand, limb, length, weight, keys] = arm(target);
    const Pose from = before_[at(hand.joint)] * hand.joint_from_frame;
    const Pose body_from_world = inverse(stands_);
    const Reach reach{.joint = hand.joint,
                      .point_in_joint = hand.joint_from_frame.p,
                      .target = body_from_world * (from.p + share * (target.place - from.p))};
    Orient orient{.joint = hand.joint};
    if (target.turn)
      orient.target = body_from_world.q * from.q.slerp(share, *target.turn) *
                      hand.joint_from_frame.q.conjugate();
    SwivelSearch search;
    search.preferred = out_.report.arms[at(target.arm)].swivel;
    const std::vector<Real> earlier = q_;
    const LimbReport report =
        follow_with_limb(limb, skeleton_, reach, target.turn ? &orient : nullptr, search,
                         most_turn_, test_of(target), scratch_, q_);
    if (!report.reached()) put_back(limb, earlier);
    out_.hands[at(target.arm)].add(frame, report);
  }

  PoseTest test_of(const HandTarget& target) {
    if (!clash_) return {};
    LimbClash& clash = clash_of_arm(*clash_, problem_.targets, target.arm);
    forward(skeleton_, q_, now_);
    settle(clash, now_);
    return target.turn ? with_still_end(clash) : with_moving_end(clash);
  }

  void keep_frame() {
    out_.clip.values.insert(out_.clip.values.end(), q_.begin(), q_.end());
    out_.world_from_body.push_back(stands_);
  }

  const Behaviour& behaviour_;
  const Skeleton& skeleton_;
  const BodyProblem& problem_;
  BodyClash* clash_;
  Real most_turn_;
  Scratch scratch_;
  std::vector<Pose> before_;  ///< in the world, as it starts
  std::vector<Pose> now_;
  std::vector<Real> q_;
  Clip ends_;  ///< two frames a second apart: the start, and the pose of the report
  Pose stands_, last_stands_;
  int frames_ = 1;
  BodyReached out_;
};

}  // namespace

BodyReached reach_motion(const Reaching& settings, const Behaviour& behaviour,
                         const Skeleton& skeleton, const BodyProblem& problem, BodyClash* clash) {
  return BodyWay(settings, behaviour, skeleton, problem, clash).run();
}

ClashOnTheWay first_clash(const Collider& collider, const Skeleton& skeleton, const Clip& clip,
                          std::span<const Pose> world_from_body) {
  ClashOnTheWay out;
  Placement placement = placement_for(collider);
  std::vector<Pose> joints(at(skeleton.joint_count()));
  for (int f = 0; f < clip.frame_count(); ++f) {
    forward(skeleton, clip.frame(f), joints);
    place(collider, joints, placement, world_from_body.empty() ? nullptr : &world_from_body[at(f)]);
    const std::optional<Pair> met = first_overlap(collider, collider.pairs(), placement);
    if (met && out.frames++ == 0) {
      out.first = f;
      out.pair = *met;
    }
  }
  return out;
}

namespace {

constexpr int root_joints = 4;  ///< x, y, z and the ball
constexpr int root_size = 7;

/// "body", or with as many underscores as make it new.
std::string free_name(const Skeleton& skeleton) {
  std::string name = "body";
  const auto taken = [&](const char* part) { return skeleton.find(name + part) != no_joint; };
  while (taken("") || taken(".x") || taken(".y") || taken(".z")) name += '_';
  return name;
}

SkeletonDraft with_free_root(const Skeleton& skeleton) {
  const std::string name = free_name(skeleton);
  SkeletonDraft draft;
  const std::array<const char*, 3> parts{".x", ".y", ".z"};
  for (int axis = 0; axis < 3; ++axis)
    draft.joints.push_back({.name = name + parts[at(axis)],
                            .parent = axis == 0 ? "" : name + parts[at(axis - 1)],
                            .type = JointType::slider,
                            .axis = Vec3::Unit(axis)});
  draft.joints.push_back({.name = name, .parent = name + ".z", .type = JointType::ball});
  for (JointDraft& joint : draft_of(skeleton).joints) {
    if (joint.parent.empty()) joint.parent = name;
    draft.joints.push_back(std::move(joint));
  }
  return draft;
}

}  // namespace

Character with_free_root(const Character& character) {
  Character freed = character;
  freed.skeleton = *build(with_free_root(character.skeleton));
  const std::array<Real, root_size> still{0, 0, 0, 1, 0, 0, 0};
  for (Frame& frame : freed.ends) frame.joint += root_joints;
  for (Frame& frame : freed.links) frame.joint += root_joints;
  for (Shape& shape : freed.shapes) shape.joint += root_joints;
  for (Posture& posture : freed.postures)
    posture.q.insert(posture.q.begin(), still.begin(), still.end());
  for (Mimic& mimic : freed.mimics) {
    mimic.joint += root_joints;
    mimic.source += root_joints;
  }
  if (!freed.motion.empty())
    for (JointId j = root_joints - 1; j >= 0; --j)
      freed.motion.insert(freed.motion.begin(), motion_limits(freed.skeleton.type(j)));
  return freed;
}

Clip with_free_root(const Clip& clip, const Character& freed,
                    std::span<const Pose> world_from_body) {
  Clip out = clip_for(freed.skeleton, clip.name, clip.rate);
  for (int f = 0; f < clip.frame_count(); ++f) {
    const Pose& stands = world_from_body[at(f)];
    out.values.insert(out.values.end(), {stands.p.x(), stands.p.y(), stands.p.z(), stands.q.w(),
                                         stands.q.x(), stands.q.y(), stands.q.z()});
    const ConstQ q = clip.frame(f);
    out.values.insert(out.values.end(), q.begin(), q.end());
  }
  return out;
}

}  // namespace gestik
