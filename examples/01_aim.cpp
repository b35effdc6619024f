#include <cstdio>

#include "gestik/io/read.h"
#include "gestik/solve/run.h"

int main() {
  using namespace gestik;
  const Result<Loaded> loaded = bundled_character("lamp");
  if (!loaded) return std::puts(to_string(loaded.error()).c_str()), 2;
  const Character& lamp = loaded->character;
  const Frame& head = lamp.ends.front();
  const std::vector<Real>& curious = find_posture(lamp, "curious")->q;

  const Goal goals[] = {Aim{.joint = head.joint,
                            .axis_in_joint = head.joint_from_frame.q * head.aim,
                            .point_in_joint = head.joint_from_frame.p,
                            .target = {0.4, 0.3, 0.5}}};
  const AnySolver solver = Ccd{};
  Scratch scratch(scratch_bytes(solver, lamp.skeleton, std::size(goals)));
  std::vector<Real> q(curious.size());
  const Report report = run(solver, {lamp.skeleton, goals, {curious}, curious, {}}, scratch, q);

  std::printf("%s after %d sweeps:", to_string(report.status).data(), report.iterations);
  for (const Real angle : q) std::printf(" %.3f", angle);
  std::puts("");
  return report.status == Status::reached ? 0 : 3;
}
