#include <cstdio>

#include "gestik/goal/at_frame.h"
#include "gestik/io/read.h"
#include "gestik/solve/run.h"

int main() {
  using namespace gestik;
  const Loaded lamp = *bundled_character("lamp");
  const Skeleton& skeleton = lamp.character.skeleton;
  const ConstQ curious = find_posture(lamp.character, "curious")->q;
  const Goal goals[] = {aim(lamp.character.ends[0], {0.4, 0.3, 0.5})};

  const Problem problem{skeleton, goals, {curious}, curious};
  const AnySolver solver = default_solver(problem);
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> q(curious.size());
  const Report report = run(solver, problem, scratch, q);

  std::printf("%s:", to_string(report.status).data());
  for (const Real angle : q) std::printf(" %.3f", angle);
  std::printf(" radians\n");
}
