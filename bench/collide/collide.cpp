#include <benchmark/benchmark.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/narrowphase/collision.h>

#include <array>
#include <memory>
#include <vector>

#include "gestik/collide/bodies_for_test.h"
#include "gestik/collide/mesh_tree.h"
#include "gestik/math/random_for_test.h"

/// An arm of three capsules beside a torso of 12,000 triangles, asked of our tree and of FCL: one
/// test, and the search for the swivel nearest to a preferred one at which nothing is met.
namespace gestik {
namespace {

constexpr int targets = 2000;
const Vec3 shoulder(-0.23, 0.52, 0);
constexpr Real upper_arm = 0.29, forearm = 0.26, hand = 0.12;

struct Probe {
  Segment axis;
  Real radius;
};

/// A hand before the search: its wrist, where it points, and the circle of the elbow.
struct Target {
  Vec3 wrist, tip, center, u, v;
  Real circle;

  Probe hand_part() const { return {{wrist, tip}, 0.03}; }
  std::array<Probe, 2> arm(Real swivel) const {
    const Vec3 elbow = center + circle * (std::cos(swivel) * u + std::sin(swivel) * v);
    // The first centimetres below the shoulder always are in touch with it.
    const Vec3 start = shoulder + 0.2 * (elbow - shoulder);
    return {Probe{{start, elbow}, 0.038}, Probe{{elbow, wrist}, 0.034}};
  }
};

struct Body {
  MeshTree tree{torso()};
  std::shared_ptr<fcl::BVHModel<fcl::OBBRSSd>> model =
      std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();

  Body() {
    model->beginModel();
    for (const Triangle& t : tree.triangles()) model->addTriangle(t.a, t.b, t.c);
    model->endModel();
  }
};

const Body& body() {
  static const Body one;
  return one;
}

/// Wrists that the arm reaches outside the torso: anywhere, or within 10 cm of it.
std::vector<Target> make_targets(bool near) {
  Random random(near ? 1 : 2);
  std::vector<Target> result;
  while (result.size() < targets) {
    Target t;
    t.wrist = shoulder + random.uniform(0.1, upper_arm + forearm) * random.direction();
    const Vec3 way = t.wrist - shoulder;
    const Real distance = way.norm();
    if (body().tree.contains(t.wrist)) continue;
    if (near && body().tree.distance({t.wrist, t.wrist}) > 0.1) continue;
    const Vec3 n = way / distance;
    t.tip = t.wrist + hand * random.direction();
    const Real along =
        (distance * distance + upper_arm * upper_arm - forearm * forearm) / (2 * distance);
    if (along * along >= upper_arm * upper_arm) continue;
    t.center = shoulder + along * n;
    t.circle = std::sqrt(upper_arm * upper_arm - along * along);
    t.u = normalized_or_zero(-Vec3::UnitY() + n.y() * n);
    t.v = t.u.cross(n);
    result.push_back(t);
  }
  return result;
}

const std::vector<Target>& targets_of(bool near) {
  static const std::array<std::vector<Target>, 2> all{make_targets(false), make_targets(true)};
  return all[near];
}

struct Ours {
  bool meets(const Probe& p) const { return body().tree.overlaps(p.axis, p.radius); }
};

/// What our tree does without its grid.
struct TreeAlone {
  bool meets(const Probe& p) const { return body().tree.touches(p.axis, p.radius); }
};

struct Fcl {
  bool meets(const Probe& p) const {
    const Vec3 way = p.axis.b - p.axis.a;
    const fcl::Capsuled capsule(p.radius, way.norm());
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear() = shortest_rotation(Vec3::UnitZ(), normalized_or_zero(way)).toRotationMatrix();
    pose.translation() = (p.axis.a + p.axis.b) / 2;
    fcl::CollisionResultd result;
    return fcl::collide(&capsule, pose, body().model.get(), fcl::Transform3d::Identity(),
                        fcl::CollisionRequestd(), result) > 0;
  }
};

template <class Backend>
bool arm_meets(const Backend& backend, const Target& t, Real swivel) {
  for (const Probe& part : t.arm(swivel))
    if (backend.meets(part)) return true;
  return false;
}

template <class Backend, bool near>
void test(benchmark::State& state) {
  const auto& all = targets_of(near);
  std::size_t i = 0;
  int hits = 0, tests = 0;
  for (auto _ : state) {
    const Target& t = all[i++ % all.size()];
    hits += Backend().meets(t.hand_part()) || arm_meets(Backend(), t, 0.5);
    ++tests;
  }
  state.counters["hits"] = static_cast<double>(hits) / tests;
}

/// At most 30 tests to both sides of the preferred swivel; the hand, which does not move, once.
template <class Backend, bool near>
void search(benchmark::State& state) {
  const auto& all = targets_of(near);
  std::size_t i = 0;
  int found = 0, searches = 0, tests = 0;
  for (auto _ : state) {
    const Target& t = all[i++ % all.size()];
    ++searches;
    if (Backend().meets(t.hand_part())) continue;
    for (int k = 0; k < 30; ++k) {
      const Real swivel = 0.5 + 0.1 * ((k + 1) / 2) * (k % 2 ? 1 : -1);
      ++tests;
      if (arm_meets(Backend(), t, swivel)) continue;
      ++found;
      break;
    }
  }
  state.counters["found"] = static_cast<double>(found) / searches;
  state.counters["tests"] = static_cast<double>(tests) / searches;
}

void build_tree(benchmark::State& state) {
  const Mesh mesh = torso();
  for (auto _ : state) benchmark::DoNotOptimize(MeshTree(mesh).triangle_count());
}

BENCHMARK(test<Ours, false>)->Name("one test, anywhere/gestik");
BENCHMARK(test<TreeAlone, false>)->Name("one test, anywhere/tree alone");
BENCHMARK(test<Fcl, false>)->Name("one test, anywhere/fcl");
BENCHMARK(test<Ours, true>)->Name("one test, within 10 cm/gestik");
BENCHMARK(test<TreeAlone, true>)->Name("one test, within 10 cm/tree alone");
BENCHMARK(test<Fcl, true>)->Name("one test, within 10 cm/fcl");
BENCHMARK(search<Ours, false>)->Name("swivel search, anywhere/gestik");
BENCHMARK(search<Fcl, false>)->Name("swivel search, anywhere/fcl");
BENCHMARK(search<Ours, true>)->Name("swivel search, within 10 cm/gestik");
BENCHMARK(search<Fcl, true>)->Name("swivel search, within 10 cm/fcl");
BENCHMARK(build_tree)->Name("set-up/gestik")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace gestik
