#include "fuzz/target.h"
#include "gestik/math/rotation.h"
#include "gestik/solve/run.h"
#include "tools/gestik/track_input.h"

using namespace gestik;

namespace {

/// Whatever a line asks for, the tracker can be asked for it.
void require_sound(const tool::Ask& ask, const Character& character) {
  if (ask.t && !(*ask.t >= 0 && is_finite(*ask.t))) fuzz::fail("a time that never comes");
  const Frame end = ask.end.value_or(character.ends.front());
  std::vector<Goal> goals;
  for (const tool::Target& target : ask.targets.value_or(std::vector<tool::Target>{}))
    goals.push_back(tool::goal_for(end, target));
  const Skeleton& skeleton = character.skeleton;
  const Problem problem{.skeleton = skeleton,
                        .goals = goals,
                        .intent = {.posture = ask.posture ? ConstQ(*ask.posture) : ConstQ()},
                        .budget = {.iterations = 1}};
  const AnySolver solver = default_solver(problem);
  Scratch scratch(scratch_bytes(solver, skeleton, goals.size()));
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  const Report report = run(solver, problem, scratch, q);
  if (report.status == Status::bad_problem) fuzz::fail(std::string(to_string(report.fault)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Character characters[] = {bundled_character("lamp")->character,
                                         bundled_character("humanoid")->character};
  for (const Character& character : characters) {
    try {
      require_sound(tool::parse_ask(fuzz::text_of(data, size), character), character);
    } catch (const tool::BadInput&) {
      continue;  // and any other exception is a finding
    }
  }
  return 0;
}
