#include "evaluation/erik/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluation/erik/measured_solve.h"
#include "evaluation/erik/paper.h"
#include "gestik/base/suggest.h"
#include "gestik/io/read.h"

namespace gestik::evaluation::erik {
namespace {

constexpr std::array<std::string_view, 7> skeletons{"A", "B", "C", "D", "E", "F", "G"};

/// Names once each, in the order given.
std::vector<std::string> without_twins(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  return once;
}

Result<std::vector<std::string>> skeleton_names(const Request& request) {
  std::vector<std::string> names;
  for (const std::string& name : request.skeletons) {
    if (name == "all")
      names.insert(names.end(), skeletons.begin(), skeletons.end());
    else if (std::find(skeletons.begin(), skeletons.end(), name) != skeletons.end())
      names.push_back(name);
    else
      return Error{fmt::format("no skeleton of the paper is called '{}'{} (there are {}, and all)",
                               name, did_you_mean(name, skeletons), fmt::join(skeletons, ", ")),
                   ""};
  }
  return without_twins(names);
}

Result<std::vector<Contender>> contenders(const Request& request, std::string_view skeleton) {
  std::vector<std::string> names;
  for (const std::string& name : request.solvers) {
    if (name != "paper") {
      names.push_back(name);
      continue;
    }
    names.emplace_back("erik");
    const std::vector<std::string_view> variants = paper_variants();
    if (skeleton == "C") names.insert(names.end(), variants.begin(), variants.end());
  }
  std::vector<Contender> list;
  for (const std::string& name : names) {
    Result<Contender> contender = find_contender(name);
    if (!contender) return contender.error();
    const auto is_it = [&](const Contender& other) {
      return full_name(other.label) == full_name(name);
    };
    if (std::any_of(list.begin(), list.end(), is_it)) continue;
    list.push_back(*std::move(contender));
  }
  if (request.bound) list.push_back(bound_contender());
  return list;
}

std::size_t paper_postures(std::string_view skeleton) {
  for (const paper::Effort& row : paper::table_8)
    if (row.skeleton == skeleton) return row.postures;
  return 0;
}

Result<Sweep> sweep_for(const Request& request, std::string_view name, const Skeleton& skeleton,
                        JointId end) {
  if (request.problems) {
    const Result<std::string> text = read_file(*request.problems);
    if (!text) return text.error();
    return read_problems(*text, *request.problems, skeleton);
  }
  Sweep sweep{.q_size = static_cast<std::size_t>(skeleton.q_size())};
  const std::size_t published = paper_postures(name);
  sweep.postures =
      posture_grid(skeleton, end, request.full ? published : request.postures, published);
  sweep.targets = target_grid(request.full ? paper::orientations : request.orientations);
  return sweep;
}

std::optional<std::size_t> filter_of(const std::vector<Contender>& contenders) {
  for (std::size_t i = 0; i < contenders.size(); ++i)
    if (contenders[i].label == filter_label) return i;
  return std::nullopt;
}

/// The same skeleton with these limits on every joint.
Result<Skeleton> with_limits(const Skeleton& skeleton, Real limit) {
  SkeletonDraft draft = draft_of(skeleton);
  for (JointDraft& joint : draft.joints) joint.limits = {.lo = -limit, .hi = limit};
  return build(draft);
}

Result<Part> make_part(const Request& request, const std::string& name) {
  Result<Loaded> loaded = bundled_character(name);
  if (!loaded) return loaded.error();
  if (request.limits) {
    Result<Skeleton> narrow = with_limits(loaded->character.skeleton, *request.limits);
    if (!narrow) return narrow.error();
    loaded->character.skeleton = *std::move(narrow);
  }
  Result<Frame> end = find_frame(loaded->character, "end");
  if (!end) return end.error();
  Result<Sweep> sweep = sweep_for(request, name, loaded->character.skeleton, end->joint);
  if (!sweep) return sweep.error();
  Result<std::vector<Contender>> list = contenders(request, name);
  if (!list) return list.error();
  const std::optional<std::size_t> filter = filter_of(*list);
  return Part{name,
              std::move(loaded->character),
              *std::move(end),
              *std::move(sweep),
              *std::move(list),
              filter,
              request.repeat};
}

/// Whether every solver takes problems of this kind, tried on the first one.
std::optional<Error> try_out(const Part& part) {
  MeasuredSolve solve(part);
  for (const Contender& contender : part.contenders) {
    const Report report = solve.try_out(contender);
    if (report.status != Status::unsupported && report.status != Status::bad_problem) continue;
    return Error{std::string(to_string(report.fault)),
                 fmt::format("{} on skeleton {}", contender.label, part.skeleton)};
  }
  return std::nullopt;
}

/// Tells files of problems apart.
std::uint64_t fingerprint(const Sweep& sweep) {
  std::uint64_t hash = 0;
  const auto mix = [&](Real x) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const Real x : sweep.postures) mix(x);
  for (const Quat& target : sweep.targets)
    for (const Real x : target.coeffs()) mix(x);
  return hash;
}

Checkpoint::Options options_of(const Plan& plan) {
  Checkpoint::Options options{{"program", "gestik " GESTIK_VERSION}, {"evaluation", "erik"}};
  std::vector<std::string_view> names;
  for (const Part& part : plan.parts) names.push_back(part.skeleton);
  options.emplace_back("skeletons", fmt::format("{}", fmt::join(names, ",")));
  for (const Part& part : plan.parts) {
    std::vector<std::string_view> labels;
    for (const Contender& contender : part.contenders) labels.push_back(contender.label);
    options.emplace_back(fmt::format("solvers-on-{}", part.skeleton),
                         fmt::format("{}", fmt::join(labels, ",")));
    options.emplace_back(fmt::format("postures-of-{}", part.skeleton),
                         fmt::format("{}", part.sweep.posture_count()));
    options.emplace_back(fmt::format("targets-of-{}", part.skeleton),
                         fmt::format("{}", part.sweep.targets.size()));
    options.emplace_back(fmt::format("problems-of-{}", part.skeleton),
                         fmt::format("{:x}", fingerprint(part.sweep)));
  }
  return options;
}

}  // namespace

Result<Plan> make_plan(const Request& request) {
  const Result<std::vector<std::string>> names = skeleton_names(request);
  if (!names) return names.error();
  if (request.problems && names->size() != 1)
    return Error{"problems are for one skeleton: say for which", *request.problems};
  Plan plan{.problems = request.problems};
  for (const std::string& name : *names) {
    Result<Part> part = make_part(request, name);
    if (!part) return part.error();
    plan.parts.push_back(*std::move(part));
    if (std::optional<Error> refusal = try_out(plan.parts.back())) return *std::move(refusal);
  }
  plan.options = options_of(plan);
  if (request.limits) plan.options.emplace_back("limits", fmt::format("{}", *request.limits));
  if (request.repeat > 1) plan.options.emplace_back("repeat", fmt::format("{}", request.repeat));
  return plan;
}

}  // namespace gestik::evaluation::erik
