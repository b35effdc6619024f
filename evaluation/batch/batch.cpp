#include "evaluation/batch/batch.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "evaluation/erik/sweep.h"
#include "evaluation/parallel.h"
#include "gestik/io/read.h"
#include "gestik/solve/poise/batch.h"
#include "gestik/solve/run.h"

namespace gestik::evaluation::batch {
namespace {

/// The characters' numbers, one after the other and side by side.
struct Crowd {
  std::size_t q_size, count;
  std::vector<Quat> targets;
  std::vector<Real> postures;                   ///< posture by posture
  std::vector<Real> target_rows, posture_rows;  ///< row by row, as PoiseBatch wants them
  ConstQ posture(std::size_t c) const { return ConstQ(postures).subspan(c * q_size, q_size); }
};

/// As many of the paper's postures as targets, each with its own.
Crowd gather(const Skeleton& skeleton, JointId end, std::size_t count) {
  Crowd crowd{static_cast<std::size_t>(skeleton.q_size()), count, {}, {}, {}, {}};
  const std::vector<Real> grid = erik::posture_grid(skeleton, end, count, count);
  const std::vector<Quat> targets = erik::target_grid(count);
  const std::size_t postures = grid.size() / crowd.q_size;
  crowd.posture_rows.resize(crowd.q_size * count);
  crowd.target_rows.resize(4 * count);
  for (std::size_t c = 0; c < count; ++c) {
    // Neighbours on the grids have little in common then.
    const std::size_t p = c * 7919 % postures;
    const Quat& target = crowd.targets.emplace_back(targets[c % targets.size()]);
    for (std::size_t r = 0; r < crowd.q_size; ++r) {
      crowd.postures.push_back(grid[p * crowd.q_size + r]);
      crowd.posture_rows[r * count + c] = crowd.postures.back();
    }
    const Real numbers[]{target.w(), target.x(), target.y(), target.z()};
    for (std::size_t r = 0; r < 4; ++r) crowd.target_rows[r * count + c] = numbers[r];
  }
  return crowd;
}

/// How long a run takes, for one character.
template <class F>
Real microseconds(std::size_t count, F&& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  const std::chrono::duration<Real, std::micro> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<Real>(count);
}

Result<Row> measure(const Request& request, const std::string& name, const Control& control) {
  const Result<Loaded> loaded = bundled_character(name);
  if (!loaded) return loaded.error();
  const Skeleton& skeleton = loaded->character.skeleton;
  const Result<Frame> frame = find_frame(loaded->character, "end");
  const Goal like =
      Orient{.joint = frame ? frame->joint : skeleton.joint_count() - 1, .symmetric = true};
  if (!batch_fits({skeleton, like, 0, {}}))
    return Error{"poise takes no such chain", "character '" + name + "'"};
  const Crowd crowd = gather(skeleton, joint_of(like), request.count);
  const PoiseBatch batch{skeleton, like, crowd.count, crowd.target_rows, crowd.posture_rows};

  const AnySolver solver = request.poise;
  Scratch scratch(scratch_bytes(solver, skeleton, 1));
  std::vector<Real> alone(crowd.q_size * crowd.count), together(alone.size());
  std::vector<Status> status(crowd.count);
  const auto solve_alone = [&](const AnySolver& by) {
    Real error = 0;
    for (std::size_t c = 0; c < crowd.count; ++c) {
      Goal goal = like;
      std::get<Orient>(goal).target = crowd.targets[c];
      const Q out = Q(alone).subspan(c * crowd.q_size, crowd.q_size);
      error += run(by, {skeleton, {&goal, 1}, {crowd.posture(c)}, crowd.posture(c)}, scratch, out)
                   .error /
               static_cast<Real>(crowd.count);
    }
    return error;
  };
  Poise of_eight = request.poise;
  of_eight.starts = 8;
  Row row{name, skeleton.joint_count(), crowd.count, 0, infinity, infinity, infinity, 0, 0, 0};
  row.error_of_eight = solve_alone(of_eight);
  constexpr std::size_t block = 1024;
  const std::size_t blocks = (crowd.count + block - 1) / block;
  std::vector<Scratch> rooms;
  for (int i = 0; i < request.threads; ++i) rooms.emplace_back(batch_scratch_bytes(batch));
  const auto solve_all = [&](int threads) {
    for_each_task(blocks, threads, [&](std::size_t task, std::size_t worker) {
      const std::size_t first = task * block;
      solve_block(request.poise, batch, first, std::min(block, crowd.count - first), rooms[worker],
                  together, status);
    });
  };
  // The fastest of some runs; in turns, for a processor's pace changes from one second to the next.
  const auto keep_least = [&](Real& least, auto&& run) {
    if (!control.stop()) least = std::min(least, microseconds(crowd.count, run));
  };
  for (int i = 0; i < request.repeat; ++i) {
    keep_least(row.alone_us, [&] { row.error = solve_alone(solver); });
    keep_least(row.together_us, [&] { solve_all(1); });
    keep_least(row.side_by_side_us, [&] { solve_all(request.threads); });
  }
  for (std::size_t c = 0; c < crowd.count; ++c) {
    row.reached += status[c] == Status::reached;
    for (std::size_t r = 0; r < crowd.q_size; ++r)
      row.most_apart = std::max(
          row.most_apart, std::abs(together[r * crowd.count + c] - alone[c * crowd.q_size + r]));
  }
  return row;
}

}  // namespace

Result<std::vector<Row>> evaluate(const Request& request, const Control& control) {
  std::vector<Row> rows;
  for (const std::string& name : request.characters) {
    Result<Row> row = measure(request, name, control);
    if (!row) return row.error();
    if (control.stop()) break;
    rows.push_back(*row);
  }
  return rows;
}

std::string results_json(const Request& request, const std::vector<Row>& rows, int indent) {
  nlohmann::ordered_json all;
  all["threads"] = request.threads;
  visit_fields(request.poise, [&](std::string_view field, const auto& value, Range,
                                  std::string_view) { all["poise"][std::string(field)] = value; });
  for (const Row& row : rows)
    all["rows"].push_back({{"character", row.character},
                           {"joints", row.joints},
                           {"count", row.count},
                           {"reached", row.reached},
                           {"alone_us", row.alone_us},
                           {"together_us", row.together_us},
                           {"side_by_side_us", row.side_by_side_us},
                           {"most_apart", row.most_apart},
                           {"error", row.error},
                           {"error_of_eight", row.error_of_eight}});
  return all.dump(indent) + "\n";
}

}  // namespace gestik::evaluation::batch
