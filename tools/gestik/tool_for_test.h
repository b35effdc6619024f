#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

/// What the tests that run the tool share.
namespace tool_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

inline std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder of its own for every test program: tests run side by side.
inline const fs::path& folder() {
  static const fs::path path = [] {
    std::string name = (fs::temp_directory_path() / "gestik_cli_XXXXXX").string();
    return fs::path(mkdtemp(name.data()));
  }();
  return path;
}

class RemoveFolder : public testing::Environment {
  void TearDown() override { fs::remove_all(folder()); }
};
inline const auto* const remove_folder = testing::AddGlobalTestEnvironment(new RemoveFolder);

inline std::string written(const std::string& name, const std::string& text) {
  const fs::path path = folder() / name;
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

struct Outcome {
  int code = -1;  ///< below zero: killed by that signal
  std::string out, err;
};

/// Files that stand for a program's streams; no `in`: the test's own.
struct Streams {
  std::string out, err, in = {};
};

inline pid_t start(const Words& words, const Streams& streams) {
  Words line{GESTIK_TOOL};
  line.insert(line.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  if (!streams.in.empty())
    posix_spawn_file_actions_addopen(&actions, 0, streams.in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, streams.out.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, streams.err.c_str(), flags, 0600);
  pid_t child = 0;
  const int failed = posix_spawn(&child, GESTIK_TOOL, &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failed, 0);
  return child;
}

inline int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Standard output goes to a file of its own if none is named.
inline Outcome gestik(const Words& words, const std::string& out_path = {},
                      const std::function<void(pid_t)>& meanwhile = {},
                      const std::string& in_path = {}) {
  const std::string out = out_path.empty() ? (folder() / "out").string() : out_path;
  const std::string err = (folder() / "err").string();
  const pid_t child = start(words, {out, err, in_path});
  if (meanwhile) meanwhile(child);
  const int code = exit_code_of(child);
  return {code, out_path.empty() ? contents_of(out) : std::string(), contents_of(err)};
}

/// Until there is such a file, or for ten seconds: a tool that refuses its words makes none.
inline void wait_for(const fs::path& path) {
  const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!fs::exists(path) && std::chrono::steady_clock::now() < late)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// One JSON value and nothing else on standard output.
inline Json json_of(const Words& words, int code = 0) {
  const Outcome outcome = gestik(with(words, {"--json"}));
  EXPECT_EQ(outcome.code, code) << outcome.err;
  const Json json = Json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out;
  return json;
}

/// Exit code 2, nothing on standard output, one line on standard error that says `said`.
inline void expect_refused(const Words& words, const std::string& said) {
  const Outcome outcome = gestik(words);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.find("gestik: "), 0u) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(said), std::string::npos)
      << "expected '" << said << "' in: " << outcome.err;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A slider, then a hinge with a bent-off tool: every frame differs from its joint's.
inline constexpr const char* crane = R"({
  "gestik": 1, "name": "crane", "up": "z",
  "joints": [
    {"name": "rail", "type": "slider", "axis": [1, 0, 0], "limits": {"lo": -1, "hi": 1}},
    {"name": "turn", "parent": "rail", "type": "hinge", "position": [0, 0, 1], "axis": [0, 0, 1],
     "limits": {"lo": -2, "hi": 2}},
    {"name": "wrist", "parent": "turn", "type": "ball", "position": [1, 0, 0]},
    {"name": "eye", "parent": "turn", "type": "hinge", "position": [0, 0, 1], "axis": [1, 0, 0]}
  ],
  "ends": [
    {"name": "tool", "joint": "wrist", "position": [0.5, 0, 0], "orientation": [1, 0, 0, 1],
     "aim": [0, 0, 1]},
    {"name": "lens", "joint": "eye", "position": [0, 0.1, 0], "aim": [0, 1, 0]}
  ],
  "links": [{"name": "cabin", "joint": "turn", "position": [0, 0.25, 0]}],
  "postures": {"rest": {}, "bent": {"turn": 0.5, "wrist": [1, 1, 0, 0]}},
  "mimics": [{"joint": "rail", "source": "turn", "multiplier": 0.4, "offset": 0.05}],
  "clips": [
    {"name": "slide", "rate": 2,
     "columns": ["rail", "turn", "wrist.w", "wrist.x", "wrist.y", "wrist.z", "eye"],
     "frames": [[0, 0, 1, 0, 0, 0, 0], [0.5, 0.2, 1, 0, 0, 0, 0]]}
  ]
})";

inline std::string crane_file() {
  return written("crane.json", crane);
}

/// Two hinges that bend the same way, and the names of three links.
inline constexpr const char* arm_urdf = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base_link"/><link name="upper_link"/><link name="hand_link"/>
  <joint name="shoulder" type="revolute">
    <parent link="base_link"/><child link="upper_link"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper_link"/><child link="hand_link"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>
)";

/// A root and a joint, all of which turn and move, for two frames.
inline constexpr const char* small_bvh = R"(HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
0 90 0 0 0 0 0 0 0
0 91 0 10 0 0 0 20 0
)";

}  // namespace tool_test
