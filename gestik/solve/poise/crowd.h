#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "gestik/model/joint_ops.h"
#include "gestik/solve/poise/batch.h"
#include "gestik/solve/poise/search.h"

namespace gestik::poise {

inline int target_rows(const Goal& goal) noexcept {
  return std::holds_alternative<Orient>(goal) ? 4 : 3;
}

inline bool all_bounded(ConstQ numbers) noexcept {
  return std::all_of(numbers.begin(), numbers.end(), [](Real x) { return is_bounded(x); });
}

/// Of a goal that is normalized() but for its target. False where that makes no sense.
inline bool set_target(Goal& goal, ConstQ numbers) noexcept {
  if (!all_bounded(numbers)) return false;
  const bool zero = std::all_of(numbers.begin(), numbers.end(), [](Real x) { return x == 0; });
  if (Orient* orient = std::get_if<Orient>(&goal)) {
    orient->target = normalized_or_identity(Quat(numbers[0], numbers[1], numbers[2], numbers[3]));
    return !zero;
  }
  Aim& aim = *std::get_if<Aim>(&goal);
  aim.target = Vec3(numbers[0], numbers[1], numbers[2]);
  if (aim.at_infinity) aim.target = normalized_or_zero(aim.target);
  return !(zero && aim.at_infinity);
}

/// The numbers of eight characters of a batch, side by side: row by row, eight in each.
class Octet {
 public:
  Octet(const PoiseBatch& batch, Scratch& scratch) noexcept
      : batch_(batch),
        size_(static_cast<std::size_t>(batch.skeleton.q_size())),
        postures_(scratch.take<Real>(batch.postures.empty() ? 0 : size_ * lanes)),
        seeds_(scratch.take<Real>(size_ * lanes)) {
    goals_.fill(normalized(batch.goal));
  }
  static std::size_t bytes(std::size_t q_size) noexcept {
    return 2 * Scratch::bytes_for<Real>(q_size * lanes);
  }

  /// Nonsense is replaced by the neutral pose, so that it disturbs no one else.
  void read(std::span<const std::size_t, lanes> characters) noexcept {
    const std::size_t rows = static_cast<std::size_t>(target_rows(batch_.goal));
    std::array<Real, 4 * lanes> targets;
    gather(batch_.targets, characters, Q(targets).first(rows * lanes));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::array<Real, 4> target{};
      for (std::size_t r = 0; r < rows; ++r) target[r] = targets[r * lanes + lane];
      sound_[lane] = set_target(goals_[lane], Q(target).first(rows));
    }
    take(batch_.postures, characters, postures_);
    if (!batch_.seeds.empty())
      take(batch_.seeds, characters, seeds_);
    else if (!postures_.empty())
      std::copy(postures_.begin(), postures_.end(), seeds_.begin());
    else
      for (std::size_t lane = 0; lane < lanes; ++lane) be_neutral(lane, seeds_);
    for (const Skeleton::Joint& joint : batch_.skeleton.joints()) clamp(joint);
  }

  bool sound(std::size_t lane) const noexcept { return sound_[lane]; }
  std::span<const Goal, lanes> goals() const noexcept { return goals_; }
  ConstQ postures() const noexcept { return postures_; }
  ConstQ seeds() const noexcept { return seeds_; }  ///< inside their limits

  static void column(ConstQ rows, std::size_t lane, Q out) noexcept {
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = rows[r * lanes + lane];
  }

 private:
  void gather(std::span<const Real> rows, std::span<const std::size_t, lanes> characters,
              Q out) const noexcept {
    for (std::size_t r = 0; r < out.size() / lanes; ++r)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        out[r * lanes + lane] = rows[r * batch_.count + characters[lane]];
  }
  void take(std::span<const Real> rows, std::span<const std::size_t, lanes> characters,
            Q out) noexcept {
    gather(rows, characters, out);
    const auto refuse = [&](std::size_t lane) {
      sound_[lane] = false;
      be_neutral(lane, out);
    };
    if (!all_bounded(out))
      for (std::size_t i = 0; i < out.size(); ++i)
        if (!is_bounded(out[i])) refuse(i % lanes);
    if (out.empty()) return;
    for (const Skeleton::Joint& joint : batch_.skeleton.joints())
      for (std::size_t lane = 0; lane < lanes && joint.type == JointType::ball; ++lane) {
        bool zero = true;
        for (std::size_t r = 0; r < 4; ++r)
          zero = zero && out[(static_cast<std::size_t>(joint.q_offset) + r) * lanes + lane] == 0;
        if (zero) refuse(lane);
      }
  }
  void clamp(const Skeleton::Joint& joint) noexcept {
    Real* const rows = seeds_.data() + static_cast<std::size_t>(joint.q_offset) * lanes;
    const JointId j = static_cast<JointId>(&joint - batch_.skeleton.joints().data());
    if (joint.type != JointType::ball) {
      const Limits& limits = batch_.skeleton.limits(j);
      for (int i = 0; i < q_size(joint.type) * lanes; ++i)
        rows[i] = std::clamp(rows[i], limits.lo, limits.hi);
      return;
    }
    for (int lane = 0; lane < lanes; ++lane) {
      std::array<Real, 4> q;
      for (int r = 0; r < 4; ++r) q[static_cast<std::size_t>(r)] = rows[r * lanes + lane];
      clamp_joint(batch_.skeleton, j, q.data());
      for (int r = 0; r < 4; ++r) rows[r * lanes + lane] = q[static_cast<std::size_t>(r)];
    }
  }
  void be_neutral(std::size_t lane, Q out) const noexcept {
    for (std::size_t r = 0; r < size_; ++r) out[r * lanes + lane] = batch_.skeleton.neutral()[r];
  }

  const PoiseBatch& batch_;
  const std::size_t size_;
  Q postures_, seeds_;
  std::array<Goal, lanes> goals_;
  std::array<bool, lanes> sound_{};
};

/// Eight characters, one in each lane of the kernel: what poise with a single start finds for most
/// of them.
class Crowd {
 public:
  Crowd(const Poise& settings, const Chain& chain, Scratch& scratch) noexcept
      : settings_(settings),
        chain_(chain),
        form_(kernel_form(chain)),
        n_(chain.form.links),
        exact_(take_ask<Double8>(scratch, n_)),
        turns_(take_cells<Double8>(scratch, n_)),
        ask_(take_ask<Float8>(scratch, n_)),
        state_(take_state<Float8>(scratch, n_)),
        starts_(take_cells<Float8>(scratch, n_)),
        work_(take_cells<Float8>(scratch, work_cells(n_))),
        one_(take_ask<Double1>(scratch, n_)),
        pose_(take_state<Double1>(scratch, n_)),
        exact_work_(take_cells<Double1>(scratch, refine_cells(n_))) {}

  static std::size_t bytes(std::size_t links) noexcept {
    const int n = static_cast<int>(links);
    return ask_bytes<Double8>(links) + Scratch::bytes_for<Double8>(links) +
           ask_bytes<Float8>(links) + state_bytes<Float8>(links) +
           Scratch::bytes_for<Float8>(links) +
           Scratch::bytes_for<Float8>(static_cast<std::size_t>(work_cells(n))) +
           ask_bytes<Double1>(links) + state_bytes<Double1>(links) +
           Scratch::bytes_for<Double1>(static_cast<std::size_t>(refine_cells(n)));
  }

  /// Whether characters can be solved so. A mix of start and posture weighs links otherwise in each
  /// of them.
  static bool takes(const Poise& settings, const Chain& chain, bool with_posture) noexcept {
    return settings.starts == 1 && chain.form.links <= each_links && has_closed_form(chain.form) &&
           (!with_posture || settings.style == 0 || settings.style == 1);
  }

  /// Whether the first pivot may give perfect starts: a link that costs nothing. It is worth while
  /// to ask for those at first and then for the others, eight that need more side by side.
  bool has_easy_ones() const noexcept {
    bool free = false;
    for (int k = 1; k + 1 < n_; ++k) free = free || chain_.links[at(k)].weight == 0;
    return free && form_.measure == Measure::bend;
  }

  /// Whether both ends turn about the line of such a target. Those who ask for it are scored
  /// otherwise: eight of them go together.
  bool is_upright(const Quat& target) const noexcept {
    if (form_.last_left_out) return false;  // one of them is not there
    const Quat t = chain_.base.q.conjugate() * target * chain_.last_from_end.conjugate();
    const Real x = t.x() * t.z() + t.w() * t.y(), y = t.y() * t.z() - t.w() * t.x();
    const Real size = t.squaredNorm();
    return 4 * (x * x + y * y) < 1e-7 * size * size;
  }

  void solve(const Octet& octet, bool easy_ones) noexcept {
    const bool keeps = !octet.postures().empty() && settings_.style > 0;
    const ConstQ kept = keeps ? octet.postures() : octet.seeds();
    pose_questions(chain_, octet.goals(), kept.data(), exact_, turns_);
    copy_each(form_, exact_, ask_);
    found_ = kernel().seed_each(form_, ask_, easy_ones, state_.angles, work_);
    if (found_ == 0) return;
    for (float& error : state_.error->at) error = 1e9f;
    kernel().refine_each(form_, ask_, state_, found_, steps_of(settings_, form_), enough_gain,
                         work_);
    kernel().rest(form_, ask_, state_.best, rest_, work_);
    for (int k = 0; k < n_; ++k) {
      const Link& link = chain_.links[at(k)];
      for (int lane = 0; lane < lanes; ++lane) {
        const Real q = octet.seeds()[at(link.q_index * lanes + lane)];
        starts_[k].at[lane] = static_cast<float>(
            kernel_angle(q + link.zero - turns_[k].at[lane], exact_.links[k].lo.at[lane],
                         exact_.links[k].hi.at[lane], exact_.links[k].posture.at[lane]));
      }
    }
    kernel().rest(form_, ask_, starts_, rest_of_start_, work_);
  }

  enum class Found : std::uint8_t {
    too_little,  ///< a start that meets the goal may be better, so may be another pose where limits
                 ///< press on the chain, or the goal is not met
    pose,
    pose_for_sure,  ///< which takes the orientation with half of the tolerance to spare
  };
  /// Puts what was found for a character into `out`.
  Found write(int lane, const Goal& goal, Q out) noexcept {
    // Single precision sees the angle to a few millionths, unless the eye is close to its target.
    const Real unsure = form_.wish == Wish::point ? 1e-2 : 1e-5;
    const Real tolerance = tolerance_of(goal), enough = 0.5 * tolerance;
    if (!found(lane) || is_pressed(form_, ask_, state_, lane) ||
        2 * static_cast<Real>(rest_of_start_.at[lane]) < tolerance + unsure)
      return Found::too_little;
    // For aims, and for limits many turns away, it is not asked whether the goal is met.
    constexpr Real far = 20;
    Real moved = 0;
    bool is_near = chain_.form.wish == Wish::orientation && enough < 0.5;
    for (int k = 0; k < n_; ++k) {
      const Real angle = static_cast<Real>(state_.best[k].at[lane]);
      pose_.angles[k].at =
          std::clamp(angle, exact_.links[k].lo.at[lane], exact_.links[k].hi.at[lane]);
      moved += std::abs(pose_.angles[k].at - angle);
      is_near = is_near && std::abs(angle) < far;
    }
    const bool for_sure =
        is_near && 2.1 * static_cast<Real>(rest_.at[lane]) + moved + unsure < enough;
    if (!for_sure) {
      int passes = 0;
      copy_one(chain_.form, exact_, lane, one_);
      const Verdict verdict =
          close_in(chain_.form, one_, pose_, enough, closing_steps, exact_work_, passes);
      if (!(verdict.angle <= tolerance)) return Found::too_little;
    }
    for (int k = 0; k < n_; ++k) {
      const Link& link = chain_.links[at(k)];
      out[at(link.q_index)] = joint_value(link, turns_[k].at[lane], pose_.angles[k].at);
    }
    return for_sure ? Found::pose_for_sure : Found::pose;
  }

  bool found(int lane) const noexcept { return (found_ >> lane & 1) != 0; }
  const State<Float8>& refined() const noexcept { return state_; }

 private:
  static std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }
  static int work_cells(int n) noexcept { return std::max(refine_cells(n), seed_each_cells); }
  template <class Cell>
  static Cell* take_cells(Scratch& scratch, int count) noexcept {
    return scratch.take<Cell>(at(count)).data();
  }

  const Poise& settings_;
  const Chain& chain_;
  const Form<Float8> form_;
  const int n_;
  Ask<Double8> exact_;
  Double8* turns_;
  Ask<Float8> ask_;
  State<Float8> state_;
  Float8* starts_;
  Float8* work_;
  Ask<Double1> one_;
  State<Double1> pose_;
  Double1* exact_work_;
  unsigned found_ = 0;
  Float8 rest_, rest_of_start_;
};

}  // namespace gestik::poise
