#pragma once

#include <string>
#include <unordered_map>

namespace gestik {

/// Hands out each name once: a second "Hand" is "Hand_2".
class Names {
 public:
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    while (!taken_.emplace(name, 1).second) name = wanted + "_" + std::to_string(++taken_[wanted]);
    return name;
  }

 private:
  std::unordered_map<std::string, int> taken_;
};

}  // namespace gestik
