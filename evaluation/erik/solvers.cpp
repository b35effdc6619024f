#include "evaluation/erik/solvers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gestik/base/suggest.h"

namespace gestik::evaluation::erik {
namespace {

/// The paper's variants of Dls::of_erik_paper().
struct Variant {
  std::string_view label;
  int iterations;
  bool posture;
};
constexpr std::array<Variant, 5> variants{{
    {"dls", 100, true},
    {"dls100", 100, true},
    {"dls200", 200, true},
    {"dls400", 400, true},
    {filter_label, 100, false},
}};

Error unknown(std::string_view name) {
  std::vector<std::string_view> names = contender_names();
  names.push_back("paper");
  return {fmt::format("no solver is called '{}'{} (there is {})", name, did_you_mean(name, names),
                      fmt::join(names, ", ")),
          ""};
}

}  // namespace

Result<Contender> find_contender(std::string_view name) {
  for (const Variant& variant : variants)
    if (variant.label == name)
      return Contender{.label = std::string(name),
                       .solver = Dls::of_erik_paper(),
                       .budget = {variant.iterations},
                       .posture = variant.posture,
                       .papers_way = true};
  std::optional<AnySolver> solver = find_solver(name);
  if (!solver) return unknown(name);
  if (Poise* poise = std::get_if<Poise>(&*solver)) *poise = Poise::of_erik_paper();
  return Contender{.label = std::string(name), .solver = *solver};
}

Contender bound_contender() {
  return {.label = "bound", .solver = Poise::of_erik_paper(), .bound = true};
}

std::string_view full_name(std::string_view label) noexcept {
  return label == "dls" ? "dls100" : label;
}

std::vector<std::string_view> contender_names() {
  std::vector<std::string_view> names;
  for (const AnySolver& solver : all_solvers()) names.push_back(info_of(solver).name);
  for (const Variant& variant : variants)
    if (!find_solver(variant.label)) names.push_back(variant.label);
  return names;
}

std::vector<std::string_view> paper_variants() {
  return {"dls100", "dls200", "dls400", filter_label};
}

// The paper turns the target by pi about its Z "so that when the target is facing forward its
// Y-axis will always be facing down, and up when it is facing backward". In its DH frames (Table 6)
// the end looks along Z, which is our Y, so this is half a turn about the end's own Y, which the
// symmetric error does not see. The axis it speaks of is the one that points forward when nothing
// is bent: our Z. Without the fourth and fifth joint, skeleton C reaches every direction at the
// angle p from straight up by yawing at most 90 degrees either way and pitching forward (p above
// zero) or backward (below); the end's Z then rises by -sin(p): down forward, up backward. Half a
// turn's freedom in the last joint reaches exactly the rolls on that side. So this picks, of the
// two, the one inside the limits.
Quat upright(const Quat& target) noexcept {
  const Vec3 looks = target * Vec3::UnitY(), front = target * Vec3::UnitZ();
  const bool forward = looks.z() >= 0;
  const bool wrong = forward ? front.y() > 0 : front.y() < 0;
  return wrong ? Quat(target * Quat(0, 0, 1, 0)) : target;
}

}  // namespace gestik::evaluation::erik
