#include "evaluation/reach/problems.h"

#include <fmt/format.h>

#include <algorithm>

#include "evaluation/csv.h"
#include "gestik/io/read.h"
#include "gestik/io/text.h"
#include "gestik/math/rotation.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"

namespace gestik::evaluation::reach {
namespace {

constexpr std::size_t id_column = 1, pose_columns = 7;

/// Where the coordinates of the joints from the root to the end stand in q.
std::vector<int> chain_coordinates(const Skeleton& skeleton, JointId end) {
  std::vector<JointId> chain;
  for (JointId j = end; j != no_joint; j = skeleton.parent(j)) chain.insert(chain.begin(), j);
  std::vector<int> coordinates;
  for (const JointId j : chain)
    for (int i = 0; i < q_size(skeleton.type(j)); ++i)
      coordinates.push_back(skeleton.q_offset(j) + i);
  return coordinates;
}

class Reader {
 public:
  Reader(const Skeleton& skeleton, const Frame& end)
      : skeleton_(skeleton),
        end_(end),
        coordinates_(chain_coordinates(skeleton, end.joint)),
        poses_(static_cast<std::size_t>(skeleton.joint_count())) {
    problems_.q_size = static_cast<std::size_t>(skeleton.q_size());
  }

  std::optional<Error> read_targets(const std::string& file) {
    const Result<std::vector<NumberRow>> rows = read_rows(file);
    if (!rows) return rows.error();
    const std::size_t short_row = id_column + pose_columns;
    const std::size_t long_row = short_row + coordinates_.size();
    for (const NumberRow& row : *rows) {
      const std::size_t columns = row.numbers.size();
      if (columns != short_row && columns != long_row)
        return error_at(file, row.line,
                        fmt::format("{} columns; a number, a pose px,py,pz,qw,qx,qy,qz and, if "
                                    "known, the {} joints up to '{}' are {} or {}",
                                    columns, coordinates_.size(), end_.name, short_row, long_row));
      if (columns != rows->front().numbers.size())
        return error_at(
            file, row.line,
            fmt::format("{} columns, but {} before", columns, rows->front().numbers.size()));
      if (std::optional<std::string> wrong = add_target(row.numbers))
        return error_at(file, row.line, *std::move(wrong));
    }
    return std::nullopt;
  }

  std::optional<Error> read_seeds(const std::string& file) {
    const Result<std::vector<NumberRow>> rows = read_rows(file);
    if (!rows) return rows.error();
    if (rows->size() != ids_.size())
      return Error{
          fmt::format("{} seeds for {} targets; there must be as many", rows->size(), ids_.size()),
          file};
    for (std::size_t i = 0; i < rows->size(); ++i) {
      const auto& [line, numbers] = (*rows)[i];
      if (numbers.size() != id_column + coordinates_.size())
        return error_at(
            file, line,
            fmt::format("{} columns; a number and the {} joints up to '{}' are {}", numbers.size(),
                        coordinates_.size(), end_.name, id_column + coordinates_.size()));
      if (numbers.front() != ids_[i])
        return error_at(file, line,
                        fmt::format("the seed of problem {}, where the targets have problem {}",
                                    numbers.front(), ids_[i]));
      add_seed(std::span(numbers).subspan(id_column));
    }
    return std::nullopt;
  }

  void start_at_rest() {
    for (std::size_t i = 0; i < ids_.size(); ++i) add_seed({});
  }

  Problems take() { return std::move(problems_); }

 private:
  static Result<std::vector<NumberRow>> read_rows(const std::string& file) {
    const Result<std::string> text = read_file(file);
    if (!text) return text.error();
    return read_number_rows(*text, file);
  }

  std::optional<std::string> add_target(std::span<const Real> numbers) {
    const Quat turn(numbers[4], numbers[5], numbers[6], numbers[7]);
    if (turn.coeffs().isZero(0))
      return "a zero quaternion is no orientation; 1,0,0,0 is the root's own";
    ids_.push_back(numbers[0]);
    problems_.targets.push_back(
        {normalized_or_identity(turn), {numbers[1], numbers[2], numbers[3]}});
    const std::span<const Real> joints = numbers.subspan(id_column + pose_columns);
    problems_.misplaced += !joints.empty() && is_misplaced(joints);
    return std::nullopt;
  }

  bool is_misplaced(std::span<const Real> joints) {
    constexpr Real slack = 1e-3;
    forward(skeleton_, whole_q(joints), poses_);
    const auto [distance, turn] = miss_of(end_, poses_, problems_.targets.back());
    return !(distance <= slack && turn <= slack);
  }

  void add_seed(std::span<const Real> joints) {
    const std::vector<Real> q = whole_q(joints);
    problems_.seeds.insert(problems_.seeds.end(), q.begin(), q.end());
  }

  /// The chain's joints as given, all others at rest.
  std::vector<Real> whole_q(std::span<const Real> joints) const {
    const ConstQ rest = skeleton_.neutral();
    std::vector<Real> q(rest.begin(), rest.end());
    for (std::size_t i = 0; i < joints.size(); ++i)
      q[static_cast<std::size_t>(coordinates_[i])] = joints[i];
    return q;
  }

  const Skeleton& skeleton_;
  const Frame& end_;
  std::vector<int> coordinates_;
  std::vector<Pose> poses_;
  std::vector<Real> ids_;
  Problems problems_;
};

}  // namespace

Miss miss_of(const Frame& end, std::span<const Pose> world_from_joint,
             const Pose& target) noexcept {
  const Pose world_from_end =
      world_from_joint[static_cast<std::size_t>(end.joint)] * end.joint_from_frame;
  return {(target.p - world_from_end.p).norm(), angle_between(world_from_end.q, target.q)};
}

Result<Problems> read_problems(const ProblemFiles& files, const Skeleton& skeleton,
                               const Frame& end) {
  Reader reader(skeleton, end);
  if (std::optional<Error> fault = reader.read_targets(files.targets)) return *std::move(fault);
  if (!files.seeds)
    reader.start_at_rest();
  else if (std::optional<Error> fault = reader.read_seeds(*files.seeds))
    return *std::move(fault);
  return reader.take();
}

}  // namespace gestik::evaluation::reach
