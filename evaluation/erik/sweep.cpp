#include "evaluation/erik/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluation/csv.h"
#include "evaluation/erik/paper.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"

namespace gestik::evaluation::erik {
namespace {

std::size_t power(std::size_t base, std::size_t exponent) {
  std::size_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// The root above 1 of x^(sides + 1) = x + 1, by halving: the same on every machine.
Real spreading_root(std::size_t sides) {
  Real below = 1, above = 2;
  for (int i = 0; i < 60; ++i) {
    const Real middle = (below + above) / 2;
    Real high = middle;
    for (std::size_t k = 0; k < sides; ++k) high *= middle;
    (high < middle + 1 ? below : above) = middle;
  }
  return below;
}

/// The fewest steps from `steps`, `more` at a time, that make a grid of at least `wanted` points.
std::size_t enough_steps(std::size_t sides, std::size_t wanted, std::size_t steps,
                         std::size_t more) {
  while (sides > 0 && power(steps, sides) < wanted) steps += more;
  return steps;
}

bool is_twister(const Skeleton& skeleton, JointId j) {
  return skeleton.axis(j).cross(Vec3::UnitY()).norm() < 1e-9;
}

/// The hinges of the chain that the postures sweep.
std::vector<JointId> swept_joints(const Skeleton& skeleton, JointId end) {
  std::vector<JointId> chain;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j))
    if (skeleton.type(j) == JointType::hinge) chain.insert(chain.begin(), j);
  if (!chain.empty() && is_twister(skeleton, chain.back())) chain.pop_back();
  if (!chain.empty() && is_twister(skeleton, chain.front())) chain.erase(chain.begin());
  return chain;
}

// The end looks along its own Y, up when nothing is bent. Rolled about Y, pitched about X and yawed
// about the vertical, it looks at the angle `pitch` from straight up in the direction `yaw`: all
// directions, and twice, since the pitch goes all the way round.
Quat target(Real yaw, Real pitch, Real roll) {
  return axis_angle(Vec3::UnitY(), yaw) * axis_angle(Vec3::UnitX(), pitch) *
         axis_angle(Vec3::UnitY(), roll);
}

/// What is wrong with a line's numbers, or nothing; they go to the end of the sweep.
std::optional<std::string> add_problem(std::span<const Real> numbers, Sweep& sweep) {
  const std::size_t wanted = 4 + sweep.q_size;
  if (numbers.size() != wanted)
    return fmt::format("{} numbers, but a target w,x,y,z and {} angles are {}", numbers.size(),
                       sweep.q_size, wanted);
  const Quat wish(numbers[0], numbers[1], numbers[2], numbers[3]);
  if (wish.coeffs().isZero(0))
    return "a zero quaternion is no orientation; 1,0,0,0 leaves the end unturned";
  sweep.targets.push_back(normalized_or_identity(wish));
  sweep.postures.insert(sweep.postures.end(), numbers.begin() + 4, numbers.end());
  return std::nullopt;
}

}  // namespace

// Point i lies in the cell of i * (a, a^2, a^3, ...) modulo 1, where 1/a is the root of
// x^(sides + 1) = x + 1: with one side the golden section, and as evenly spread with more. A cell
// that was met before is passed over. Fractions are whole numbers modulo 2^32, the same everywhere.
std::vector<Real> grid_points(std::size_t sides, std::size_t steps, std::size_t wanted) {
  Real a = 1;
  std::vector<std::uint32_t> stride(sides), at(sides, 0);
  for (std::uint32_t& fraction : stride)
    fraction = static_cast<std::uint32_t>((a /= spreading_root(sides)) * 0x1p32);

  const std::size_t total = power(steps, sides);
  std::vector<bool> met(total, false);
  std::vector<std::size_t> cell(sides);
  std::vector<Real> points;
  for (std::size_t left = std::min(wanted, total); left > 0;) {
    std::size_t index = 0;
    for (std::size_t k = 0; k < sides; ++k) {
      cell[k] = steps * at[k] >> 32;
      index = index * steps + cell[k];
      at[k] += stride[k];
    }
    if (met[index]) continue;
    met[index] = true;
    --left;
    for (const std::size_t c : cell)
      points.push_back(static_cast<Real>(c) / static_cast<Real>(steps - 1));
  }
  return points;
}

std::size_t Sweep::task_count() const noexcept {
  return paired ? (targets.size() + problems_per_task - 1) / problems_per_task : posture_count();
}

Sweep::Task Sweep::task(std::size_t index) const noexcept {
  if (!paired) return {{index, 0}, targets.size()};
  const std::size_t first = index * problems_per_task;
  return {{first, first}, std::min(problems_per_task, targets.size() - first)};
}

std::vector<Real> posture_grid(const Skeleton& skeleton, JointId end, std::size_t wanted,
                               std::size_t finest) {
  const std::vector<JointId> joints = swept_joints(skeleton, end);
  const std::size_t sides = joints.size();
  const std::vector<Real> points =
      grid_points(sides, enough_steps(sides, std::max(wanted, finest), 2, 1), wanted);
  const ConstQ neutral = skeleton.neutral();
  std::vector<Real> postures;
  for (std::size_t at = 0; at < points.size(); at += sides) {
    std::vector<Real> q(neutral.begin(), neutral.end());
    for (std::size_t k = 0; k < sides; ++k) {
      const Limits& limits = skeleton.limits(joints[k]);
      q[static_cast<std::size_t>(skeleton.q_offset(joints[k]))] =
          std::lerp(std::max(limits.lo, -pi), std::min(limits.hi, pi), points[at + k]);
    }
    postures.insert(postures.end(), q.begin(), q.end());
  }
  return postures;
}

std::vector<Quat> target_grid(std::size_t wanted) {
  std::vector<Quat> targets;
  constexpr std::size_t along_axes = 24;
  if (wanted >= along_axes)
    for (const Real yaw : {-pi, -pi / 2, 0.0, pi / 2}) {
      for (const Real pitch : {-pi, 0.0}) targets.push_back(target(yaw, pitch, 0));
      for (const Real roll : {-pi, -pi / 2, 0.0, pi / 2})
        targets.push_back(target(yaw, pi / 2, roll));
    }
  const std::size_t steps = enough_steps(3, std::max(wanted, paper::orientations), 5, 4);
  const std::vector<Real> points = grid_points(3, steps, wanted - targets.size());
  const auto angle = [&](std::size_t at) { return std::lerp(-pi, pi, points[at]); };
  for (std::size_t at = 0; at < points.size(); at += 3)
    targets.push_back(target(angle(at), angle(at + 1), angle(at + 2)));
  return targets;
}

Result<Sweep> read_problems(std::string_view text, std::string_view file,
                            const Skeleton& skeleton) {
  const Result<std::vector<NumberRow>> rows = read_number_rows(text, file);
  if (!rows) return rows.error();
  Sweep sweep{.q_size = static_cast<std::size_t>(skeleton.q_size()), .paired = true};
  for (const NumberRow& row : *rows) {
    if (std::optional<std::string> wrong = add_problem(row.numbers, sweep))
      return error_at(file, row.line, *std::move(wrong));
    sweep.lines.push_back(row.line);
  }
  return sweep;
}

}  // namespace gestik::evaluation::erik
