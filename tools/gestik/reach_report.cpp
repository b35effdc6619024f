#include "tools/gestik/reach_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "gestik/math/rotation.h"

namespace gestik::tool {
namespace {

std::string_view word_of(LimbFault fault) {
  switch (fault) {
    case LimbFault::none:
      return "none";
    case LimbFault::too_far:
      return "too_far";
    case LimbFault::too_near:
      return "too_near";
    case LimbFault::limit:
      return "limit";
    case LimbFault::clash:
      return "clash";
  }
  return "";
}

Json json_of(const Clash& clash, const Collider& collider) {
  return {collider.name(clash.a), collider.name(clash.b)};
}

/// How much of the behaviour's postures a hand got.
Real share_of(const Errand& errand, const ReachScene& scene, const ReachOutcome& outcome) {
  const int arm = scene.behaviour->find_arm(errand.hand.name);
  return outcome.body->kept * outcome.body->weight[static_cast<std::size_t>(arm)];
}

/// What is wrong with feet and trunk, if anything; of hands there is more to say elsewhere.
std::string body_words(const ReachScene& scene, const BodyReport& report) {
  return describe(*scene.behaviour, scene.skeleton(), BodyProblem{}, report, scene.collider());
}

Json json_of(const Errand& errand, const ReachScene& scene, const ReachOutcome& outcome) {
  const LimbReport& report = errand.report;
  const Skeleton& skeleton = scene.skeleton();
  Json out{{"hand", errand.hand.name},
           {"limb", describe(skeleton, errand.limb)},
           {"reached", report.reached()},
           {"fault", word_of(report.fault)},
           {"reason", words_of(report, skeleton, scene.collider())},
           {"swivel", report.swivel},
           {"preferred_swivel", report.preferred},
           {"tests", report.tests}};
  if (report.fault == LimbFault::limit && report.joint != no_joint) {
    out["joint"] = skeleton.name(report.joint);
    out["limit"] = to_string(report.at);
  }
  if (report.fault == LimbFault::clash)
    out["meet"] = json_of(report.clash, *scene.collider());
  else if (report.fault != LimbFault::none)
    out["amount"] = report.amount;
  if (outcome.body) out["behaviour_share"] = share_of(errand, scene, outcome);
  if (errand.way) {
    Json jumps = Json::array();
    for (const SwivelJump& jump : errand.way->jumps)
      jumps.push_back({{"frame", jump.frame}, {"from", jump.from}, {"to", jump.to}});
    out["frames"] = outcome.clip->frame_count();
    out["frames_missed"] = errand.way->missed;
    out["jumps"] = jumps;
  }
  return out;
}

/// What a report says beyond its hands.
Json json_of(const ReachScene& scene, const ReachOutcome& outcome) {
  const BodyReport& body = *outcome.body;
  Json out{{"name", scene.behaviour->name()},
           {"kept", body.kept},
           {"taken_back", body.kept < 1},
           {"feet_kept", body.feet_kept},
           {"reason", body_words(scene, body)}};
  if (body.clash) out["meet"] = json_of(body.clash, *scene.collider());
  return out;
}

std::string text_of(const Errand& errand, const ReachScene& scene, const ReachOutcome& outcome) {
  const LimbReport& report = errand.report;
  const Skeleton& skeleton = scene.skeleton();
  std::string text =
      fmt::format("{}: {}\n", errand.hand.name, words_of(report, skeleton, scene.collider()));
  text += fmt::format("  swivel {:.2f}°", degrees_of(report.swivel));
  if (report.reached() && std::abs(wrap_angle(report.swivel - report.preferred)) > 1e-9)
    text += fmt::format(", the nearest that {} to {:.2f}°",
                        scene.collider() ? "limits and collisions allow" : "the limits allow",
                        degrees_of(report.preferred));
  text += fmt::format(" ({} test{})\n", report.tests, report.tests == 1 ? "" : "s");
  if (outcome.body)
    text += fmt::format("  {:.0f} % of the behaviour '{}'\n",
                        100 * share_of(errand, scene, outcome), scene.behaviour->name());
  if (!errand.way) return text;
  for (const SwivelJump& jump : errand.way->jumps)
    text += fmt::format("  jumps in frame {}: swivel {:.2f}° to {:.2f}°\n", jump.frame,
                        degrees_of(jump.from), degrees_of(jump.to));
  if (errand.way->missed > 0)
    text += fmt::format("  stands still in {} frames on its way, first in frame {}: {}\n",
                        errand.way->missed, errand.way->first_missed,
                        words_of(errand.way->why, skeleton, scene.collider()));
  return text;
}

std::string text_of(const ReachScene& scene, const ReachOutcome& outcome) {
  std::string text;
  if (outcome.body && outcome.body->kept < 1)
    text += fmt::format(
        "the behaviour was taken back to {:g} % of what it wants: with more of it the body would "
        "collide or the feet could not stay\n",
        100 * outcome.body->kept);
  if (outcome.body && !outcome.body->reached()) {
    const std::string words = body_words(scene, *outcome.body);
    if (!words.empty()) text += words + "\n";
  }
  if (outcome.clash.frames > 0)
    text += fmt::format("on the way {} and {} meet in frame {}; there are {} such frames\n",
                        scene.collider()->name(outcome.clash.pair.a),
                        scene.collider()->name(outcome.clash.pair.b), outcome.clash.first,
                        outcome.clash.frames);
  return text;
}

}  // namespace

bool all_reached(std::span<const Errand> errands, const ReachOutcome& outcome) {
  const bool hands = std::all_of(errands.begin(), errands.end(),
                                 [](const Errand& errand) { return errand.report.reached(); });
  return hands && (!outcome.body || outcome.body->reached());
}

Json report_json(const ReachScene& scene, std::span<const Errand> errands,
                 const ReachOutcome& outcome, bool degrees) {
  Json hands = Json::array();
  for (const Errand& errand : errands) hands.push_back(json_of(errand, scene, outcome));
  Json out{{"character", scene.character.name},
           {"reached", all_reached(errands, outcome)},
           {"hands", hands}};
  if (outcome.body) {
    out["behaviour"] = json_of(scene, outcome);
    out["body"] = {{"position", tool::json_of(outcome.world_from_body.p)},
                   {"orientation", tool::json_of(outcome.world_from_body.q)}};
  }
  if (outcome.clip && scene.collider()) {
    out["clash_on_the_way"] = {{"frames", outcome.clash.frames}};
    if (outcome.clash.frames > 0) {
      const Clash met{outcome.clash.pair.a, outcome.clash.pair.b};
      out["clash_on_the_way"]["first"] = outcome.clash.first;
      out["clash_on_the_way"]["meet"] = json_of(met, *scene.collider());
    }
  }
  out["q"] = q_json(scene.skeleton(), outcome.q, degrees);
  return out;
}

std::string report_text(const ReachScene& scene, std::span<const Errand> errands,
                        const ReachOutcome& outcome) {
  std::string text;
  for (const Errand& errand : errands) text += text_of(errand, scene, outcome);
  return text + text_of(scene, outcome);
}

}  // namespace gestik::tool
