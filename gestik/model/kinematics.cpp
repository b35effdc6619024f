#include "gestik/model/kinematics.h"

#include <algorithm>
#include <array>

#include "gestik/math/sincos.h"
#include "gestik/model/joint_ops.h"

namespace gestik {
namespace {

/// R(q) v by two cross products: v + 2w (u x v) + 2 u x (u x v).
inline Vec3 rotate(const Quat& q, const Vec3& v) noexcept {
  const Vec3 u = q.vec();
  const Vec3 t = 2 * u.cross(v);
  return v + q.w() * t + u.cross(t);
}

}  // namespace

// A hinge at angle t with half angle h has local rotation rest * (cos h, sin h axis). Quaternion
// products are linear, so that is cos h * rest + sin h * (rest * (0, axis)), with both quaternions
// known from build(): one product per joint in all. The half angles of a block of joints go through
// the batched sincos first.
//
// A chain waits for one product after another, so the pose of the joint before stays in plain
// numbers (a joint whose parent is another one fetches it back; a root's parent, no_joint, is "the
// one before" the first), and every sum is a tree of two levels: this is a tenth faster than
// the same in Eigen types.
void forward(std::span<const Skeleton::Joint> joints, ConstQ q, std::span<Pose> world_from_joint,
             std::span<const std::uint8_t> needed) noexcept {
  constexpr int block = 32;
  const auto skipped = [&](int j) { return !needed.empty() && !needed[j]; };
  const int count = static_cast<int>(joints.size());
  std::array<Real, block> half, sine, cosine;
  Real w = 1, x = 0, y = 0, z = 0;  // the rotation ...
  Real px = 0, py = 0, pz = 0;      // ... and the place of the joint before
  JointId before = no_joint;
  for (int first = 0; first < count; first += block) {
    const int last = std::min(first + block, count);
    std::size_t hinges = 0;
    for (int j = first; j < last; ++j)
      if (joints[j].type == JointType::hinge && !skipped(j))
        half[hinges++] = 0.5 * q[joints[j].q_offset];
    if (hinges % 2 == 1) half[hinges++] = 0;  // sincos() takes them in pairs
    sincos({half.data(), hinges}, sine, cosine);

    std::size_t hinge = 0;
    for (int j = first; j < last; ++j) {
      if (skipped(j)) continue;
      const Skeleton::Joint& joint = joints[j];
      Real lw = joint.rest.w(), lx = joint.rest.x(), ly = joint.rest.y(), lz = joint.rest.z();
      Real ox = joint.offset.x(), oy = joint.offset.y(), oz = joint.offset.z();
      switch (joint.type) {
        case JointType::fixed:
          break;
        case JointType::hinge: {
          const Real c = cosine[hinge], s = sine[hinge];
          lw = c * lw + s * joint.rest_axis.w();
          lx = c * lx + s * joint.rest_axis.x();
          ly = c * ly + s * joint.rest_axis.y();
          lz = c * lz + s * joint.rest_axis.z();
          ++hinge;
          break;
        }
        case JointType::slider: {
          const Real distance = q[joint.q_offset];
          ox += distance * joint.slide.x();
          oy += distance * joint.slide.y();
          oz += distance * joint.slide.z();
          break;
        }
        case JointType::ball: {
          const Quat local = joint.rest * load_quat(&q[joint.q_offset]);
          lw = local.w();
          lx = local.x();
          ly = local.y();
          lz = local.z();
          break;
        }
      }
      if (joint.parent != before) {
        const Pose parent = joint.parent == no_joint ? Pose{} : world_from_joint[joint.parent];
        w = parent.q.w();
        x = parent.q.x();
        y = parent.q.y();
        z = parent.q.z();
        px = parent.p.x();
        py = parent.p.y();
        pz = parent.p.z();
      }
      // p += R(q) o as in rotate(), then q *= l.
      const Real tx = 2 * (y * oz - z * oy), ty = 2 * (z * ox - x * oz), tz = 2 * (x * oy - y * ox);
      px += (ox + w * tx) + (y * tz - z * ty);
      py += (oy + w * ty) + (z * tx - x * tz);
      pz += (oz + w * tz) + (x * ty - y * tx);
      const Real qw = w, qx = x, qy = y, qz = z;
      w = (qw * lw - qx * lx) - (qy * ly + qz * lz);
      x = (qw * lx + qx * lw) + (qy * lz - qz * ly);
      y = (qw * ly + qy * lw) + (qz * lx - qx * lz);
      z = (qw * lz + qz * lw) + (qx * ly - qy * lx);
      before = j;
      Pose& world = world_from_joint[j];
      world.q = Quat(w, x, y, z);
      world.p = Vec3(px, py, pz);
    }
  }
}

void forward(const Skeleton& skeleton, ConstQ q, std::span<Pose> world_from_joint) noexcept {
  forward(skeleton.joints(), q, world_from_joint);
}

std::vector<Pose> poses(const Skeleton& skeleton, ConstQ q) {
  std::vector<Pose> world_from_joint(static_cast<std::size_t>(skeleton.joint_count()));
  forward(skeleton, q, world_from_joint);
  return world_from_joint;
}

void integrate(const Skeleton& skeleton, ConstQ q, ConstV v, Q out) noexcept {
  for (const Skeleton::Joint& joint : skeleton.joints())
    integrate_joint(joint.type, q.data() + joint.q_offset, v.data() + joint.v_offset,
                    out.data() + joint.q_offset);
}

void difference(const Skeleton& skeleton, ConstQ from, ConstQ to, V out) noexcept {
  for (const Skeleton::Joint& joint : skeleton.joints())
    difference_joint(joint.type, from.data() + joint.q_offset, to.data() + joint.q_offset,
                     out.data() + joint.v_offset);
}

void clamp_to_limits(const Skeleton& skeleton, Q q) noexcept {
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (skeleton.type(j) != JointType::fixed)
      clamp_joint(skeleton, j, q.data() + skeleton.q_offset(j));
}

bool inside_limits(const Skeleton& skeleton, ConstQ q) noexcept {
  for (JointId j = 0; j < skeleton.joint_count(); ++j)
    if (!joint_inside_limits(skeleton, j, q.data() + skeleton.q_offset(j))) return false;
  return true;
}

// A turn about the world axis a through o moves a point r at a x (r - o); a slide along a moves it
// at a. A ball's tangent is a rotation vector in its own moved frame: its three axes are the
// columns of the world rotation.
void jacobian(const Skeleton& skeleton, std::span<const Pose> world_from_joint, JointId joint,
              const Vec3& world_point, Eigen::Ref<Jacobian> out) noexcept {
  out.setZero();
  const std::span<const Skeleton::Joint> joints = skeleton.joints();
  for (JointId j = joint; j != no_joint; j = joints[j].parent) {
    const Skeleton::Joint& at = joints[j];
    const Pose& world = world_from_joint[j];
    switch (at.type) {
      case JointType::fixed:
        break;
      case JointType::hinge: {
        const Vec3 axis = rotate(world.q, at.axis);
        out.col(at.v_offset) << axis.cross(world_point - world.p), axis;
        break;
      }
      case JointType::slider:
        out.col(at.v_offset).head<3>() = rotate(world.q, at.axis);
        break;
      case JointType::ball: {
        const Mat3 axes = world.q.toRotationMatrix();
        const Vec3 arm = world_point - world.p;
        for (int k = 0; k < 3; ++k) out.col(at.v_offset + k) << axes.col(k).cross(arm), axes.col(k);
        break;
      }
    }
  }
}

}  // namespace gestik
