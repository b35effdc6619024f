#include <cmath>

#include "fuzz/target.h"
#include "gestik/learn/file.h"
#include "gestik/solve/run.h"

using namespace gestik;

namespace {

/// What was read is asked, in and far outside of what it knows.
void solve_with(const learn::Model& model) {
  const AnySolver solver = Learnt{.model = &model};
  const Skeleton& skeleton = model.chain.skeleton;
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> q(static_cast<std::size_t>(skeleton.q_size()));
  for (const Vec3& target : {Vec3(0, 0, 0), Vec3(0.3, -0.2, 0.1), Vec3(1e9, 0, -1e9)}) {
    const Goal goal =
        Reach{.joint = model.chain.end(), .point_in_joint = model.chain.point, .target = target};
    (void)run(solver, {.skeleton = skeleton, .goals = {&goal, 1}, .budget = {20}}, scratch, q);
    if (!inside_limits(skeleton, q)) fuzz::fail("a pose outside the limits");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<learn::Model> model = learn::read_model(fuzz::text_of(data, size), "fuzz.learnt");
  if (!model) return 0;
  const std::string bytes = learn::write_model(*model);
  const Result<learn::Model> again = learn::read_model(bytes, "again.learnt");
  if (!again) fuzz::fail("what was written is refused: " + to_string(again.error()));
  if (learn::write_model(*again) != bytes) fuzz::fail("writing again gives other bytes");
  for (const learn::Style& style : model->styles)
    for (const float x : style.cells)
      if (std::isnan(x)) fuzz::fail("a cell holds NaN");
  solve_with(*model);
  return 0;
}
