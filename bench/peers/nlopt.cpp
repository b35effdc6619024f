#include <algorithm>
#include <memory>
#include <nlopt.hpp>

#include "bench/peers/peers.h"
#include "evaluation/draw.h"
#include "gestik/math/rotation.h"

// NLopt's sequential quadratic programming on the problem as it is: of the poses inside the limits
// that meet the goals the one nearest to the posture (without one, to the seed), with exact
// gradients from our own kinematics. Where it ends in a pose that does not meet the goals it starts
// again from a random one.

namespace gestik::bench {
namespace {

class Slsqp {
 public:
  explicit Slsqp(const Scene& scene)
      : skeleton_(scene.skeleton),
        world_from_joint_(static_cast<std::size_t>(skeleton_.joint_count())),
        jacobian_(6, skeleton_.v_size()),
        x_(static_cast<std::size_t>(skeleton_.q_size())),
        optimizer_(nlopt::LD_SLSQP, static_cast<unsigned>(skeleton_.q_size())) {
    std::vector<Real> lo, hi;
    for (JointId j = 0; j < skeleton_.joint_count(); ++j) {
      if (skeleton_.type(j) == JointType::fixed) continue;
      lo.push_back(skeleton_.limits(j).lo);
      hi.push_back(skeleton_.limits(j).hi);
    }
    optimizer_.set_lower_bounds(lo);
    optimizer_.set_upper_bounds(hi);
    optimizer_.set_min_objective(distance, this);
    const std::vector<Goal>& goals = scene.tasks.front().goals;
    // A quaternion's vector part is half the angle, and three components make a length.
    const Real tolerance = tolerance_of(goals.front()) / 4;
    optimizer_.add_equality_mconstraint(constraints, this,
                                        std::vector<Real>(3 * goals.size(), tolerance));
    optimizer_.set_maxeval(100);
    optimizer_.set_xtol_rel(1e-6);
    optimizer_.set_ftol_rel(1e-6);
  }

  Effort operator()(const Task& task, ConstQ seed, Q out) {
    goals_ = task.goals;
    kept_ = task.posture.empty() ? seed : ConstQ(task.posture);
    std::copy(kept_.begin(), kept_.end(), x_.begin());
    evaluation::Draw draw(1);
    Effort effort;
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      optimize();
      effort.iterations += optimizer_.get_numevals();
      forward(skeleton_, x_, world_from_joint_);
      if (all_met(goals_, world_from_joint_)) break;
      x_ = draw.pose(skeleton_);
    }
    std::copy(x_.begin(), x_.end(), out.begin());
    return effort;
  }

 private:
  /// It throws where rounding stops it; x_ holds the best it has then, and is judged like any
  /// other.
  void optimize() {
    Real value = 0;
    try {
      optimizer_.optimize(x_, value);
    } catch (const std::runtime_error&) {
    }
  }

  static Real distance(unsigned n, const Real* x, Real* gradient, void* self) {
    const ConstQ kept = static_cast<const Slsqp*>(self)->kept_;
    Real sum = 0;
    for (unsigned i = 0; i < n; ++i) {
      const Real d = x[i] - kept[i];
      sum += d * d / 2;
      if (gradient) gradient[i] = d;
    }
    return sum;
  }

  static void constraints(unsigned, Real* result, unsigned n, const Real* x, Real* gradient,
                          void* self) {
    static_cast<Slsqp*>(self)->constrain({x, n}, result, gradient);
  }

  // An orientation's three numbers are the vector part v of e = target^-1 * now, whose scalar part
  // is w. Turning the joint by a small rotation o in its own frame makes it e * (1, o/2), so that v
  // changes by (w o + v x o) / 2.
  void constrain(ConstQ x, Real* result, Real* gradient) {
    forward(skeleton_, x, world_from_joint_);
    for (std::size_t g = 0; g < goals_.size(); ++g) {
      const Pose& pose = world_from_joint_[joint_of(goals_[g])];
      Eigen::Map<Vec3> value(result + 3 * g);
      Eigen::Matrix<Real, 3, Eigen::Dynamic> change;
      if (const Reach* place = std::get_if<Reach>(&goals_[g])) {
        const Vec3 point = pose * place->point_in_joint;
        value = point - place->target;
        jacobian(skeleton_, world_from_joint_, place->joint, point, jacobian_);
        change = jacobian_.topRows<3>();
      } else {
        const Orient& turn = std::get<Orient>(goals_[g]);
        const Quat error = turn.target.conjugate() * pose.q;
        value = error.vec();
        jacobian(skeleton_, world_from_joint_, turn.joint, pose.p, jacobian_);
        Mat3 half_cross;
        for (int k = 0; k < 3; ++k) half_cross.col(k) = error.vec().cross(Vec3::Unit(k)) / 2;
        half_cross.diagonal().array() += error.w() / 2;
        change = half_cross * pose.q.conjugate().toRotationMatrix() * jacobian_.bottomRows<3>();
      }
      if (!gradient) continue;
      using Rows = Eigen::Matrix<Real, 3, Eigen::Dynamic, Eigen::RowMajor>;
      Eigen::Map<Rows>(gradient + 3 * g * x.size(), 3, change.cols()) = change;
    }
  }

  const Skeleton& skeleton_;
  std::vector<Pose> world_from_joint_;
  Jacobian jacobian_;
  std::vector<Real> x_;
  std::span<const Goal> goals_;
  ConstQ kept_;
  nlopt::opt optimizer_;
};

bool fits(const Scene& scene) {
  const auto is_plain = [](const Goal& goal) {
    const Orient* turn = std::get_if<Orient>(&goal);
    return std::holds_alternative<Reach>(goal) || (turn && !turn->symmetric);
  };
  const auto is_ball = [](const Skeleton::Joint& joint) { return joint.type == JointType::ball; };
  const std::vector<Goal>& goals = scene.tasks.front().goals;
  return std::all_of(goals.begin(), goals.end(), is_plain) &&
         std::none_of(scene.skeleton.joints().begin(), scene.skeleton.joints().end(), is_ball);
}

}  // namespace

std::optional<Contender> enter_nlopt_slsqp(const Scene& scene) {
  if (!fits(scene)) return std::nullopt;
  const auto slsqp = std::make_shared<Slsqp>(scene);
  return Contender{"nlopt_slsqp", true, [slsqp](const Task& task, ConstQ seed, Q out) {
                     return (*slsqp)(task, seed, out);
                   }};
}

}  // namespace gestik::bench
