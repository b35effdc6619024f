#include "gestik/solve/limb/reach.h"

#include <algorithm>
#include <string>

#include "gestik/math/sincos.h"

namespace gestik {
namespace {

/// The limb before one target, and what may be asked of a swivel. Swivels are angles about the line
/// to the target here; `offset` is how far one is from the preferred.
class Asker {
 public:
  Asker(const Limb& limb, const Skeleton& skeleton, const PoseTest& test, int most_tests,
        Scratch& scratch, Q q) noexcept
      : limb_(limb), skeleton_(skeleton), test_(test), most_tests_(most_tests), q_(q) {
    const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
    world_ = scratch.take<Pose>(joints);
    carried_ = scratch.take<std::uint8_t>(joints);
    start_ = scratch.take<Real>(q.size());
    std::copy(q.begin(), q.end(), start_.begin());
    forward(skeleton, q, world_);
    mark_carried();
  }

  ConstQ start() const noexcept { return start_; }
  std::span<const Pose> world() const noexcept { return world_; }
  int tests() const noexcept { return tests_; }
  bool spent() const noexcept { return tests_ >= most_tests_; }
  const Clash& clash() const noexcept { return clash_; }
  bool limits_held() const noexcept { return limits_held_; }

  /// Whether limits and test let the limb have this angle.
  bool will_do(const LimbAtTarget& at, const HalfTurn& turn) noexcept {
    ++tests_;
    const Verdict verdict = at.verdict(turn);
    if (verdict == Verdict::outside) return false;
    if (verdict == Verdict::unsure && excess(at, turn).amount > limit_slack) return false;
    limits_held_ = true;
    if (!test_.clash) return true;
    at.write(turn, q_);
    forward(skeleton_.joints(), q_, world_, carried_);
    Clash met = test_.clash(test_.self, world_);
    if (!met && test_.clash_of_end && !at.keeps_end()) met = test_.clash_of_end(test_.self, world_);
    if (met && !clash_) clash_ = met;
    return !met;
  }

  /// An end that does not move while the limb swivels is asked once.
  bool end_is_clear(const LimbAtTarget& at, const HalfTurn& turn) noexcept {
    if (!test_.clash_of_end || !at.keeps_end()) return true;
    at.write(turn, q_);
    forward(skeleton_.joints(), q_, world_, carried_);
    clash_ = test_.clash_of_end(test_.self, world_);
    return !clash_;
  }

  /// The worst broken limit of the limb's joints at an angle.
  struct Worst {
    Real amount = -infinity;
    AtLimit at = AtLimit::none;
    JointId joint = no_joint;
  };
  Worst excess(const LimbAtTarget& at, const HalfTurn& turn) noexcept {
    at.write(turn, q_);
    Worst worst;
    for (const JointId j : limb_.moved()) {
      const Real* const own = q_.data() + skeleton_.q_offset(j);
      if (joint_inside_limits(skeleton_, j, own)) continue;
      const Excess excess = joint_excess(skeleton_, j, own);
      if (excess.amount > worst.amount) worst = {excess.amount, excess.at, j};
    }
    return worst;
  }
  /// How far the limb is from breaking a limit, or beyond: for the close look.
  Worst clearance(const LimbAtTarget& at, const HalfTurn& turn) noexcept {
    ++tests_;
    at.write(turn, q_);
    Worst worst;
    for (const JointId j : limb_.moved()) {
      if (j == limb_.mid) continue;  // it does not swivel
      const Excess excess = joint_excess(skeleton_, j, q_.data() + skeleton_.q_offset(j));
      if (excess.amount > worst.amount) worst = {excess.amount, excess.at, j};
    }
    return worst;
  }

  /// The pose at an angle, brought inside the limits.
  void take(const LimbAtTarget& at, const HalfTurn& turn) noexcept {
    std::copy(start_.begin(), start_.end(), q_.begin());
    at.write(turn, q_);
    for (const JointId j : limb_.moved())
      clamp_joint(skeleton_, j, q_.data() + skeleton_.q_offset(j));
  }

 private:
  void mark_carried() noexcept {
    const JointId first = limb_.base.joints[0];
    for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
      const JointId parent = skeleton_.parent(j);
      carried_[j] = j == first || (j > first && parent >= first && carried_[parent]);
    }
  }

  const Limb& limb_;
  const Skeleton& skeleton_;
  const PoseTest& test_;
  int most_tests_, tests_ = 0;
  Q q_;
  std::span<Real> start_;
  std::span<Pose> world_;
  std::span<std::uint8_t> carried_;
  Clash clash_ = {};
  bool limits_held_ = false;
};

/// How far the swivel may go to either side of the preferred one.
struct Room {
  Real up = pi, down = pi;
  bool circle = true;
};

Room room_around(Real swivel, const SwivelSearch& search) noexcept {
  if (search.hi - search.lo >= 2 * pi) return {};
  return {std::max<Real>(0, search.hi - swivel), std::max<Real>(0, swivel - search.lo), false};
}

/// A swivel in the window that is searched: the nearest end, if it is not.
Real within(const SwivelSearch& search, Real swivel) noexcept {
  if (search.hi - search.lo >= 2 * pi || search.hi < search.lo) return swivel;
  return std::clamp(wrap_angle(swivel), search.lo, search.hi);
}

/// The offset from the preferred swivel, nearest to zero, that will do.
class Search {
 public:
  Search(Asker& asker, const LimbAtTarget& at, const SwivelSearch& search, Real preferred) noexcept
      : asker_(asker),
        at_(at),
        search_(search),
        preferred_(preferred),
        zero_(half_turn(at.angle_of(preferred))),
        sign_(at.angle_of(1) - at.angle_of(0)),
        room_(room_around(preferred, search)) {}

  HalfTurn turn(Real offset) const noexcept { return half_turn(at_.angle_of(preferred_ + offset)); }

  std::optional<Real> nearest() noexcept {
    if (will_do(0)) return 0;
    return beside();
  }

  /// Steps to both sides; of two that will do, the nearer one once the edges are known.
  std::optional<Real> beside() noexcept {
    constexpr int block = 16;
    std::array<Real, block> offsets, halves, sines, cosines;
    Real last = 0, step = search_.step;
    bool up_open = room_.up > 0, down_open = room_.down > 0;
    while ((up_open || down_open) && !asker_.spent()) {
      Real offset = last;
      for (int i = 0; i < block; ++i) {
        offset += step;
        step *= search_.growth;
        offsets[i] = std::min(offset, std::max(room_.up, room_.down));
        halves[i] = sign_ * offsets[i] / 2;
      }
      sincos(halves, sines, cosines);
      for (int i = 0; i < block && (up_open || down_open) && !asker_.spent(); ++i) {
        const Real at = offsets[i];
        const bool up = up_open && tried(at, room_.up, {cosines[i], sines[i]}, 1);
        const bool both_ends_meet = room_.circle && at >= pi;
        const bool down =
            down_open && !both_ends_meet && tried(at, room_.down, {cosines[i], -sines[i]}, -1);
        if (up || down) return edge(last, at, up, down);
        up_open = up_open && at < room_.up;
        down_open = down_open && at < room_.down;
        last = at;
      }
    }
    return std::nullopt;
  }

  bool will_do(Real offset) noexcept {
    return !asker_.spent() && asker_.will_do(at_, offset == 0 ? zero_ : turn(offset));
  }

  const Room& room() const noexcept { return room_; }

 private:
  /// The swivel at an offset, or at the bound if that comes first.
  bool tried(Real offset, Real room, const HalfTurn& half, Real side) noexcept {
    if (asker_.spent()) return false;
    if (offset < room) return asker_.will_do(at_, zero_ * half);
    return asker_.will_do(at_, turn(side * room));
  }

  std::optional<Real> edge(Real bad, Real good, bool up, bool down) noexcept {
    const Real above = up ? halved(bad, std::min(good, room_.up), 1) : infinity;
    const Real below = down ? halved(bad, std::min(good, room_.down), -1) : infinity;
    return above <= below ? above : -below;
  }

  Real halved(Real bad, Real good, Real side) noexcept {
    for (int i = 0; i < search_.halvings && !asker_.spent(); ++i) {
      const Real middle = (bad + good) / 2;
      (will_do(side * middle) ? good : bad) = middle;
    }
    return good;
  }

  Asker& asker_;
  const LimbAtTarget& at_;
  const SwivelSearch& search_;
  Real preferred_;
  HalfTurn zero_;
  Real sign_;
  Room room_;
};

/// Where the limits are broken least, over all swivels there are: samples, then every dip between
/// them narrowed down by golden sections. The first offset, in the order of their distance, that
/// breaks none; else the best.
struct Dip {
  Real offset = 0;
  Asker::Worst worst{.amount = infinity};
};

Dip close_look(Asker& asker, const LimbAtTarget& at, const Search& search) noexcept {
  constexpr int samples = 96, narrowings = 44;
  const Room room = search.room();
  const Real lo = -room.down, width = room.up + room.down;
  std::array<Real, samples + 2> level;
  const auto offset_of = [&](Real i) { return lo + width * i / samples; };
  const auto look = [&](Real offset) { return asker.clearance(at, search.turn(offset)); };
  for (int i = 0; i <= samples; ++i) level[i] = look(offset_of(i)).amount;
  Dip best;
  for (int i = 0; i <= samples; ++i) {
    const Real before = i > 0 ? level[i - 1] : room.circle ? level[samples - 1] : infinity;
    const Real after = i < samples ? level[i + 1] : room.circle ? level[1] : infinity;
    if (level[i] > before || level[i] > after || asker.spent()) continue;
    constexpr Real golden = 0.6180339887498949;
    Real a = offset_of(room.circle ? i - 1 : std::max(i - 1, 0));
    Real b = offset_of(room.circle ? i + 1 : std::min(i + 1, samples));
    // Another that fits would have to be nearer.
    const Real nearest = a < 0 && b > 0 ? 0 : std::min(std::abs(a), std::abs(b));
    if (best.worst.amount <= limit_slack && nearest >= std::abs(best.offset)) continue;
    Real c = b - golden * (b - a), d = a + golden * (b - a);
    Asker::Worst at_c = look(c), at_d = look(d);
    for (int k = 0; k < narrowings && std::min(at_c.amount, at_d.amount) > 0 && !asker.spent();
         ++k) {
      if (at_c.amount < at_d.amount) {
        b = d, d = c, at_d = at_c;
        c = b - golden * (b - a), at_c = look(c);
      } else {
        a = c, c = d, at_c = at_d;
        d = a + golden * (b - a), at_d = look(d);
      }
    }
    const bool first = at_c.amount < at_d.amount;
    Dip dip{first ? c : d, first ? at_c : at_d};
    if (level[i] < dip.worst.amount) dip = {offset_of(i), look(offset_of(i))};  // not one dip alone
    const bool fits = dip.worst.amount <= limit_slack, best_fits = best.worst.amount <= limit_slack;
    if (fits && best_fits ? std::abs(dip.offset) < std::abs(best.offset)
                          : dip.worst.amount < best.worst.amount)
      best = dip;
  }
  return best;
}

/// A target as the limb sees it.
struct Seen {
  LimbTarget target;
  Vec3 lower;
};

// The joint that the goals are for hangs on the limb's last one by what the start has between them.
Seen seen_by(const Limb& limb, const Asker& asker, const Reach& reach, const Orient* orient,
             const Quat& turn) noexcept {
  const std::span<const Pose> world = asker.world();
  const Pose base_from_world = inverse(world_from_base(limb, world));
  if (!orient) {
    const Vec3 point = world[reach.joint] * reach.point_in_joint;
    return {{.place = base_from_world * reach.target}, inverse(world[limb.mid]) * point};
  }
  const Pose last_from_goal = inverse(world[limb.joint]) * world[reach.joint];
  const Pose goal{turn, reach.target - turn * reach.point_in_joint};
  const Pose last = base_from_world * goal * inverse(last_from_goal);
  return {{.place = last * limb.end_point, .turn = last.q, .oriented = true}, limb.lower};
}

/// One target: the bends that bring the end to its distance, one after the other, each with its
/// search, then with a close look.
class Attempt {
 public:
  Attempt(const Limb& limb, const Skeleton& skeleton, const Seen& seen,
          const SwivelSearch& settings, Asker& asker, Real preferred, int most_bends = 2) noexcept
      : limb_(limb),
        settings_(settings),
        asker_(asker),
        at_(limb, skeleton, asker.start(), seen.target, seen.lower),
        bends_(std::min(at_.bends(), most_bends)) {
    report_.preferred = report_.swivel = preferred;
  }

  const LimbReport& report() const noexcept { return report_; }
  bool bends_as_before() const noexcept { return bend_ == 0; }

  void solve() noexcept {
    choose(0);
    if (at_.bend(0).fault != LimbFault::none) {
      tell_bend(at_.bend(0));
      take(Search(asker_, at_, settings_, report_.preferred).nearest().value_or(0));
      report_.cut_short = asker_.spent();
    } else if (!asker_.end_is_clear(at_, turn(report_.preferred))) {
      tell_clash();
      take(0);
    } else if (!search()) {
      explain();
    }
  }

  /// Goes on from the swivel found towards another, as far as every swivel between will do.
  void go_towards(Real wanted, Real most) noexcept {
    constexpr Real pace = 0.02;
    const Real way = std::clamp(wrap_angle(wanted - report_.swivel), -most, most);
    const int steps = static_cast<int>(std::ceil(std::abs(way) / pace));
    Real reached = report_.swivel;
    for (int i = 1; i <= steps; ++i) {
      const Real next = report_.swivel + way * i / steps;
      if (!asker_.will_do(at_, turn(next))) break;
      reached = next;
    }
    take(reached - report_.preferred);
  }

 private:
  HalfTurn turn(Real swivel) const noexcept { return half_turn(at_.angle_of(swivel)); }

  void choose(int bend) noexcept {
    bend_ = bend;
    at_.choose(bend);
  }

  void take(Real offset) noexcept {
    const Real swivel = report_.preferred + offset;
    asker_.take(at_, turn(swivel));
    report_.swivel = wrap_angle(swivel);
    report_.tests = asker_.tests();
  }

  /// Either bend at the preferred swivel, then each with a search of its own.
  bool search() noexcept {
    for (int i = 0; i < bends_; ++i) {
      if (i > 0) choose(i);
      if (asker_.spent() || !asker_.will_do(at_, turn(report_.preferred))) continue;
      take(0);
      return true;
    }
    if (beside(settings_)) return true;
    if (!settings_.close_look || asker_.limits_held()) return false;
    SwivelSearch comb = settings_;
    comb.step = pi / 64;
    comb.growth = 1;
    return beside(comb);
  }

  bool beside(const SwivelSearch& settings) noexcept {
    for (int i = 0; i < bends_; ++i) {
      if (bends_ > 1) choose(i);
      if (const auto offset = Search(asker_, at_, settings, report_.preferred).beside()) {
        take(*offset);
        return true;
      }
    }
    return false;
  }

  /// Why no swivel was found, or the one that was missed.
  void explain() noexcept {
    Dip best;
    int best_bend = 0;
    for (int i = 0; i < bends_ && settings_.close_look && !asker_.limits_held(); ++i) {
      if (asker_.spent()) break;
      choose(i);
      Search search(asker_, at_, settings_, report_.preferred);
      const Dip dip = close_look(asker_, at_, search);
      if (dip.worst.amount <= limit_slack && search.will_do(dip.offset)) {
        take(dip.offset);
        return;
      }
      if (dip.worst.amount < best.worst.amount) {
        best = dip;
        best_bend = i;
      }
    }
    report_.cut_short = asker_.spent();
    choose(best_bend);
    if (asker_.clash()) {
      tell_clash();
    } else {
      if (best.worst.joint == no_joint) best.worst = asker_.excess(at_, turn(report_.preferred));
      report_.fault = LimbFault::limit;
      report_.joint = best.worst.joint;
      report_.at = best.worst.at;
      report_.amount = best.worst.amount;
    }
    take(best.offset);
  }

  void tell_bend(const BendChoice& bend) noexcept {
    report_.fault = bend.fault;
    report_.amount = bend.miss;
    if (bend.fault != LimbFault::limit) return;
    report_.joint = limb_.mid;
    report_.at = bend.excess.at;
    report_.amount = bend.excess.amount;
  }

  void tell_clash() noexcept {
    report_.fault = LimbFault::clash;
    report_.clash = asker_.clash();
  }

  const Limb& limb_;
  const SwivelSearch& settings_;
  Asker& asker_;
  LimbAtTarget at_;
  int bends_;
  LimbReport report_;
  int bend_ = 0;
};

}  // namespace

std::size_t reach_scratch_bytes(const Skeleton& skeleton) noexcept {
  const std::size_t joints = static_cast<std::size_t>(skeleton.joint_count());
  return Scratch::bytes_for<Pose>(joints) + Scratch::bytes_for<std::uint8_t>(joints) +
         Scratch::bytes_for<Real>(static_cast<std::size_t>(skeleton.q_size()));
}

LimbReport reach_with_limb(const Limb& limb, const Skeleton& skeleton, const Reach& reach,
                           const Orient* orient, const SwivelSearch& search, const PoseTest& test,
                           Scratch& scratch, Q q) noexcept {
  const Scratch::Frame frame(scratch);
  Asker asker(limb, skeleton, test, search.tests, scratch, q);
  const Quat now = asker.world()[reach.joint].q;
  const auto solve_for = [&](const Quat& turn) {
    const Seen seen = seen_by(limb, asker, reach, orient, turn);
    const Real preferred =
        within(search, search.preferred ? *search.preferred
                                        : swivel_of(limb, skeleton, asker.start(), seen.lower));
    Attempt attempt(limb, skeleton, seen, search, asker, preferred);
    attempt.solve();
    return attempt.report();
  };
  if (!orient || !orient->symmetric)
    return solve_for(orient ? orient->target : Quat(Quat::Identity()));
  const Quat nearer = nearest_target(*orient, now);
  const LimbReport report = solve_for(nearer);
  if (report.reached()) return report;
  const LimbReport other = solve_for(nearer * axis_angle(orient->symmetry_axis, pi));
  return other.reached() ? other : solve_for(nearer);
}

LimbReport follow_with_limb(const Limb& limb, const Skeleton& skeleton, const Reach& reach,
                            const Orient* orient, const SwivelSearch& search, Real most_turn,
                            const PoseTest& test, Scratch& scratch, Q q) noexcept {
  const Scratch::Frame frame(scratch);
  Asker asker(limb, skeleton, test, search.tests, scratch, q);
  const Quat turn =
      orient ? nearest_target(*orient, asker.world()[reach.joint].q) : Quat(Quat::Identity());
  const Seen seen = seen_by(limb, asker, reach, orient, turn);
  const Real now = within(search, swivel_of(limb, skeleton, asker.start(), seen.lower));
  const auto go_on = [&](Attempt& attempt) {
    const Real moved = std::abs(wrap_angle(attempt.report().swivel - now));
    if (search.preferred)
      attempt.go_towards(within(search, *search.preferred), std::max<Real>(0, most_turn - moved));
    return attempt.report();
  };
  // First whatever is in reach without a jump, the bend kept, with a comb that misses little.
  SwivelSearch near = search;
  near.step = most_turn / 64;
  near.growth = 1;
  near.close_look = false;
  const bool circle = search.hi - search.lo >= 2 * pi;
  near.lo = circle ? now - most_turn : std::max(search.lo, now - most_turn);
  near.hi = circle ? now + most_turn : std::min(search.hi, now + most_turn);
  Attempt nearby(limb, skeleton, seen, near, asker, now, 1);
  nearby.solve();
  if (nearby.report().reached()) return go_on(nearby);

  Attempt anywhere(limb, skeleton, seen, search, asker, now);
  anywhere.solve();
  LimbReport report = anywhere.report();
  if (!report.reached()) return report;
  report.jumped =
      std::abs(wrap_angle(report.swivel - now)) > most_turn || !anywhere.bends_as_before();
  return report.jumped ? report : go_on(anywhere);
}

namespace {

std::string rounded(Real value, const char* unit) {
  std::string text = std::to_string(std::round(value * 1e4) / 1e4);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text.append(" ").append(unit);
}

std::string limit_words(const Skeleton& skeleton, const LimbReport& report) {
  std::string text(report.joint == no_joint ? "a joint" : skeleton.name(report.joint));
  text.append(" would be ")
      .append(rounded(report.amount * 180 / pi, "degrees"))
      .append(" beyond its ");
  const bool ball = report.joint != no_joint && skeleton.type(report.joint) == JointType::ball;
  switch (report.at) {
    case AtLimit::none:
      return text.append("limits");
    case AtLimit::lo:
      return text.append(ball ? "lower twist limit" : "lower limit");
    case AtLimit::hi:
      return text.append(ball ? "upper twist limit" : "upper limit");
    case AtLimit::swing:
      return text.append("swing limit");
  }
  return text;
}

}  // namespace

std::string describe(const Skeleton& skeleton, const LimbReport& report) {
  if (report.cut_short) return "the search was cut short";
  switch (report.fault) {
    case LimbFault::none:
      return "reached";
    case LimbFault::too_far:
      return std::string("too far by ").append(rounded(report.amount, "m"));
    case LimbFault::too_near:
      return std::string("too near by ").append(rounded(report.amount, "m"));
    case LimbFault::limit:
      return limit_words(skeleton, report);
    case LimbFault::clash:
      return std::string("something is in the way (")
          .append(std::to_string(report.clash.a))
          .append(" and ")
          .append(std::to_string(report.clash.b))
          .append(" would meet)");
  }
  return "";
}

}  // namespace gestik
