#include <benchmark/benchmark.h>

#include <stdexcept>
#include <vector>

#include "gestik/body/whole_body.h"
#include "gestik/io/behaviour_json.h"
#include "gestik/io/read.h"
#include "gestik/math/random_for_test.h"
#include "gestik/model/kinematics.h"

/// The humanoid reaches with its right hand: behaviour, two legs and an arm, beside one forward
/// pass of its skeleton.
namespace gestik {
namespace {

struct Scene {
  Character character = bundled_character("humanoid")->character;
  Behaviour behaviour = *build(character, *bundled_behaviour("normal", character.skeleton));
  Collider collider = *build(character.skeleton, collider_draft(character));
  BodyClash clash = body_clash(collider, behaviour);
  Scratch scratch{scratch_bytes(behaviour, character.skeleton)};
  std::vector<Real> start = find_posture(character, "stand")->q;
  std::vector<Real> q = start;
  Pose stands;
  std::vector<HandTarget> targets;

  explicit Scene(bool turned) {
    Random random(1);
    while (targets.size() < 1000) {
      Vec3 direction = random.direction();
      direction.z() = std::abs(direction.z());
      HandTarget target{.arm = 0,
                        .place = Vec3(-0.17, 1.46, 0) + random.uniform(0.25, 0.65) * direction};
      if (!reach(target, nullptr).reached()) continue;
      if (turned) {
        // As the hand came to lie: an orientation that can be had.
        std::vector<Pose> world(static_cast<std::size_t>(character.skeleton.joint_count()));
        forward(character.skeleton, q, world);
        const Frame& hand = behaviour.arms()[0].hand;
        target.turn =
            stands.q * world[static_cast<std::size_t>(hand.joint)].q * hand.joint_from_frame.q;
      }
      targets.push_back(target);
    }
  }

  BodyReport reach(const HandTarget& target, BodyClash* with) {
    const BodyProblem problem{.start = start, .targets = std::span(&target, 1)};
    return reach_with_body(behaviour, character.skeleton, problem, with, scratch, q, stands);
  }
};

template <bool turned, bool collides>
void whole_body(benchmark::State& state) {
  Scene scene(turned);
  std::size_t i = 0;
  int reached = 0, count = 0;
  for (auto _ : state) {
    const HandTarget& target = scene.targets[i++ % scene.targets.size()];
    reached += scene.reach(target, collides ? &scene.clash : nullptr).reached();
    ++count;
  }
  state.counters["reached"] = static_cast<double>(reached) / count;
}

void forward_pass(benchmark::State& state) {
  const Scene scene(false);
  std::vector<Pose> world(static_cast<std::size_t>(scene.character.skeleton.joint_count()));
  for (auto _ : state) {
    forward(scene.character.skeleton, scene.start, world);
    benchmark::DoNotOptimize(world.data());
    benchmark::ClobberMemory();
  }
}

void blend(benchmark::State& state) {
  const Scene scene(false);
  const SwingKeys& keys = scene.behaviour.arms()[0].keys;
  std::vector<Real> row(static_cast<std::size_t>(keys.row_size()));
  Random random(2);
  for (auto _ : state) {
    int face = 0;
    keys.blend({random.uniform(-1, 1), random.uniform(-1, 1)}, face, row);
    benchmark::DoNotOptimize(row.data());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(forward_pass)->Name("forward pass of the humanoid");
BENCHMARK(blend)->Name("blend of a behaviour");
BENCHMARK(whole_body<false, false>)->Name("whole body, a place");
BENCHMARK(whole_body<true, false>)->Name("whole body, a place and an orientation");
BENCHMARK(whole_body<false, true>)->Name("whole body, a place, self-collisions");
BENCHMARK(whole_body<true, true>)->Name("whole body, a place and an orientation, self-collisions");

}  // namespace
}  // namespace gestik
