#include <algorithm>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainiksolverpos_nr_jl.hpp>
#include <kdl/chainiksolvervel_pinv.hpp>
#include <memory>

#include "bench/peers/kdl_chain.h"
#include "bench/peers/peers.h"
#include "evaluation/draw.h"
#include "gestik/math/rotation.h"

// Orocos KDL's solvers of positions. Both end where their seed leads them; the usual remedy, and
// the one here, is to start again from a random pose until the answer is good.

namespace gestik::bench {
namespace {

/// What KDL can be asked: one point of one joint, with or without its orientation.
struct Asked {
  const Reach* place;
  const Orient* turn = nullptr;

  Real tolerance() const {
    return turn ? std::min(place->tolerance, turn->tolerance) : place->tolerance;
  }
  KDL::Frame frame() const {
    return kdl_frame({turn ? turn->target : Quat(Quat::Identity()), place->target});
  }
};

std::optional<Asked> asked_by(const Task& task) {
  const Reach* place = std::get_if<Reach>(&task.goals.front());
  if (!place || task.goals.size() > 2) return std::nullopt;
  if (task.goals.size() == 1) return Asked{place};
  const Orient* turn = std::get_if<Orient>(&task.goals.back());
  if (!turn || turn->symmetric || turn->joint != place->joint) return std::nullopt;
  return Asked{place, turn};
}

/// What every task of a scene asks, as the first one has it; nothing where KDL can't be asked.
std::optional<Asked> asked_by(const Scene& scene) {
  const auto has = [&](JointType type) {
    return std::any_of(scene.skeleton.joints().begin(), scene.skeleton.joints().end(),
                       [&](const Skeleton::Joint& joint) { return joint.type == type; });
  };
  return has(JointType::slider) ? std::nullopt : asked_by(scene.tasks.front());
}

/// The chain, its forward kinematics and the search over starts that both solvers share.
class Restarts {
 public:
  Restarts(const Scene& scene, const Asked& asked)
      : chain_(scene.skeleton, asked.place->joint, asked.place->point_in_joint),
        forward_(chain_.chain()),
        start_(chain_.joint_count()),
        found_(chain_.joint_count()) {}

  const KdlChain& chain() const { return chain_; }
  KDL::ChainFkSolverPos& forward_solver() { return forward_; }

  /// solve(start, frame, found) from the seed, then from random poses, until what it finds is there
  /// and inside the limits.
  template <class Solve>
  void operator()(const Task& task, ConstQ seed, Q out, Solve&& solve) {
    const Asked asked = *asked_by(task);
    const KDL::Frame wanted = asked.frame();
    evaluation::Draw draw(1);
    chain_.to_angles(seed, start_);
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      solve(start_, wanted, found_);
      for (unsigned i = 0; i < found_.rows(); ++i) found_(i) = wrap_angle(found_(i));
      if (is_good(asked, wanted)) break;
      for (unsigned i = 0; i < start_.rows(); ++i)
        start_(i) = draw.between(chain_.lowest()(i), chain_.highest()(i));
    }
    std::copy(seed.begin(), seed.end(), out.begin());
    chain_.from_angles(found_, out);
  }

 private:
  bool is_good(const Asked& asked, const KDL::Frame& wanted) {
    for (unsigned i = 0; i < found_.rows(); ++i)
      if (!(found_(i) >= chain_.lowest()(i) && found_(i) <= chain_.highest()(i))) return false;
    KDL::Frame reached;
    forward_.JntToCart(found_, reached);
    const KDL::Twist miss = KDL::diff(reached, wanted);
    return miss.vel.Norm() <= asked.tolerance() &&
           (!asked.turn || miss.rot.Norm() <= asked.tolerance());
  }

  KdlChain chain_;
  KDL::ChainFkSolverPos_recursive forward_;
  KDL::JntArray start_, found_;
};

/// Metres and radians count the same; where no orientation is asked for, radians don't count.
Eigen::Matrix<Real, 6, 1> weights(const Asked& asked) {
  Eigen::Matrix<Real, 6, 1> all = Eigen::Matrix<Real, 6, 1>::Ones();
  if (!asked.turn) all.tail<3>().setZero();
  return all;
}

struct Lma {
  Restarts restarts;
  KDL::ChainIkSolverPos_LMA solver;

  Lma(const Scene& scene, const Asked& asked)
      : restarts(scene, asked),
        solver(restarts.chain().chain(), weights(asked), asked.tolerance()) {}
};

struct NrJl {
  static constexpr unsigned iterations = 100;  // KDL's own default

  Restarts restarts;
  KDL::ChainIkSolverVel_pinv step;
  KDL::ChainIkSolverPos_NR_JL solver;

  /// KDL compares each component with its eps, we the length of three.
  NrJl(const Scene& scene, const Asked& asked)
      : restarts(scene, asked),
        step(restarts.chain().chain()),
        solver(restarts.chain().chain(), restarts.chain().lowest(), restarts.chain().highest(),
               restarts.forward_solver(), step, iterations, asked.tolerance() / 2) {}
};

}  // namespace

std::optional<Contender> enter_kdl_lma(const Scene& scene) {
  const std::optional<Asked> asked = asked_by(scene);
  if (!asked) return std::nullopt;
  const auto lma = std::make_shared<Lma>(scene, *asked);
  return Contender{"kdl_lma", true, [lma](const Task& task, ConstQ seed, Q out) {
                     Effort effort;
                     lma->restarts(task, seed, out,
                                   [&](const KDL::JntArray& start, const KDL::Frame& wanted,
                                       KDL::JntArray& found) {
                                     lma->solver.CartToJnt(start, wanted, found);
                                     effort.iterations += lma->solver.lastNrOfIter;
                                   });
                     return effort;
                   }};
}

std::optional<Contender> enter_kdl_nr_jl(const Scene& scene) {
  const std::optional<Asked> asked = asked_by(scene);
  if (!asked || !asked->turn) return std::nullopt;
  const auto nr_jl = std::make_shared<NrJl>(scene, *asked);
  return Contender{"kdl_nr_jl", true, [nr_jl](const Task& task, ConstQ seed, Q out) {
                     nr_jl->restarts(task, seed, out,
                                     [&](const KDL::JntArray& start, const KDL::Frame& wanted,
                                         KDL::JntArray& found) {
                                       nr_jl->solver.CartToJnt(start, wanted, found);
                                     });
                     return Effort{};
                   }};
}

}  // namespace gestik::bench
