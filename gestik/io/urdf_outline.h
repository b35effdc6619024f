#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gestik/base/result.h"

/// The first pass over a URDF, before urdfdom sees it. urdfdom gives no line numbers, formats words
/// of the file as printf patterns, and neither it nor its XML library survives every tree (deep
/// nesting, cycles). So the file is checked here, line by line, and urdfdom gets a clean copy of
/// what bears on the kinematics.
namespace gestik {

struct UrdfLink {
  std::string name;
  int line = 0;
  int parent_joint = -1;  ///< index of the joint that carries it; -1 for the root
  bool is_leaf = true;
};

/// A joint's elements as checked text; empty where the file has none.
struct UrdfJoint {
  std::string name, type;
  int line = 0;
  int parent = -1, child = -1;  ///< indices of links
  std::string xyz, rpy, axis;
  std::string lower, upper, velocity;
  bool has_limit = false;
  struct Mimic {
    std::string joint, multiplier, offset;
  };
  std::optional<Mimic> mimic;
};

/// A tree that hangs together, in document order.
struct UrdfOutline {
  std::string name;
  std::vector<UrdfLink> links;
  std::vector<UrdfJoint> joints;
  std::unordered_map<std::string, int> joint_by_name;
  int root = 0;  ///< the link that no joint carries
};

Result<UrdfOutline> outline_urdf(std::string_view text, std::string_view file);

/// The outline as a URDF of its own, without shapes, masses and whatever else a file may hold.
std::string kinematics_of(const UrdfOutline&);

}  // namespace gestik
