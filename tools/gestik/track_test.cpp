// Runs `gestik track` as a shell would, feeds it and looks at every frame that comes back.

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <random>
#include <thread>

#include "gestik/io/read.h"
#include "gestik/model/joint_ops.h"
#include "gestik/motion/check.h"
#include "tools/gestik/tool_for_test.h"

namespace {

using namespace tool_test;
using gestik::Character;
using gestik::Clip;

std::vector<Json> frames_of(const std::string& out) {
  std::vector<Json> frames;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    frames.push_back(Json::parse(line, nullptr, false));
    EXPECT_FALSE(frames.back().is_discarded()) << line;
  }
  EXPECT_TRUE(out.empty() || out.back() == '\n');
  return frames;
}

struct Tracked {
  Outcome outcome;
  std::vector<Json> frames;
};

/// At once, at the times that the lines name.
Tracked track(const Words& words, const std::string& input) {
  const Outcome outcome = tool_test::gestik(with(with({"track"}, words), {"--no-wait"}), {}, {},
                                            written("stream", input));
  return {outcome, frames_of(outcome.out)};
}

const Words lamp{"lamp", "--posture", "curious"};

Character character_of(const std::string& name) {
  return name.ends_with(".json") ? gestik::read_character_file(name)->character
                                 : gestik::bundled_character(name)->character;
}

Clip clip_of(const std::vector<Json>& frames, const gestik::Skeleton& skeleton, double rate) {
  Clip clip = clip_for(skeleton, "tracked", rate);
  for (const Json& frame : frames)
    for (gestik::JointId j = 0; j < skeleton.joint_count(); ++j) {
      if (skeleton.type(j) == gestik::JointType::fixed) continue;
      const Json& value = frame.at("q").at(skeleton.name(j));
      if (value.is_array())
        for (const Json& part : value) clip.values.push_back(part.get<double>());
      else
        clip.values.push_back(value.get<double>());
    }
  return clip;
}

/// Every frame is there, on time, inside range, velocity, acceleration and jerk.
void expect_sound(const std::vector<Json>& frames, const std::string& name, double rate) {
  ASSERT_FALSE(frames.empty());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    ASSERT_EQ(frames[f].at("frame"), f);
    ASSERT_EQ(frames[f].at("t"), static_cast<double>(f) / rate);
    ASSERT_TRUE(std::isfinite(frames[f].at("error").get<double>()));
  }
  const Character character = character_of(name);
  const Clip clip = clip_of(frames, character.skeleton, rate);
  ASSERT_FALSE(check(clip, character.skeleton));
  const gestik::MotionCheck found =
      check_motion(clip, character.skeleton, motion_limits(character));
  EXPECT_EQ(found.breaches.size(), 0u) << name;
  for (const gestik::Breach& breach : found.breaches) {
    ADD_FAILURE() << character.skeleton.name(breach.joint) << " at frame " << breach.frame << ": "
                  << to_string(breach.limit) << " " << breach.value << " of " << breach.most;
    break;
  }
}

double number(std::mt19937& random, double lo, double hi) {
  return lo + (hi - lo) * std::generate_canonical<double, 53>(random);
}

template <class T>
const T& one_of(std::mt19937& random, const std::vector<T>& choices) {
  return choices[random() % choices.size()];
}

Json numbers(std::mt19937& random, int count) {
  Json list = Json::array();
  for (int i = 0; i < count; ++i) list.push_back(number(random, -1, 1));
  return list;
}

/// Something to do.
Json wish(std::mt19937& random, const Character& character) {
  const double kind = number(random, 0, 1);
  if (kind < 0.5) return {{"aim", numbers(random, 3)}};
  if (kind < 0.65) return {{"orient", numbers(random, 4)}, {"symmetric", random() % 2 == 0}};
  if (kind < 0.7) return {{"aim_direction", numbers(random, 3)}};
  if (kind < 0.75) return {{"reach", numbers(random, 3)}, {"orient", numbers(random, 4)}};
  if (kind < 0.8) return {{"aim", nullptr}};
  if (kind < 0.9)
    return {{"posture", one_of(random, character.postures).name}, {"aim", numbers(random, 3)}};
  if (kind < 0.95) return {{"end", one_of(random, character.ends).name}};
  return {{"preset", one_of<std::string>(random, {"light", "heavy", "nervous", "calm"})}};
}

std::string garbage(std::mt19937& random) {
  if (random() % 2 == 0) {
    std::string bytes(random() % 200, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    std::replace(bytes.begin(), bytes.end(), '\n', 'n');
    return bytes + "#";
  }
  return one_of<std::string>(
      random, {"{", "null", "[]", "{\"aim\":[1,2]}", "{\"aim\":[NaN,0,0]}", "{\"aim\":[1e999,0,0]}",
               "{\"aim\":[1e31,0,0]}", "{\"orient\":[0,0,0,0]}", "{\"posture\":\"nobody\"}",
               "{\"posture\":{\"nothing\":1}}", "{\"posture\":7}", "{\"preset\":\"mad\"}",
               "{\"end\":\"tail of nothing\"}", "{\"aim\":\"there\"}", "{\"id\":[1]}", "{\"t\":-1}",
               "{\"aim\":[0,0,1],\"aim\":[0,0,1]}", "{\"symmetric\":true}", "{\"amm\":[0,0,1]}"});
}

TEST(Track, ComesToRestWhereItAims) {
  const Tracked run = track(lamp, R"({"aim": [0.4, 0.3, 0.5], "id": "look"})");  // no line's end
  EXPECT_EQ(run.outcome.code, 0) << run.outcome.err;
  EXPECT_EQ(run.outcome.err, "");
  expect_sound(run.frames, "lamp", 60);
  const Json& first = run.frames.front();
  EXPECT_EQ(first.at("q").at("elbow"), 0.75) << "it starts in its posture";
  EXPECT_EQ(first.at("id"), "look");
  EXPECT_EQ(first.at("status"), "following");
  const Json& last = run.frames.back();
  EXPECT_EQ(last.at("status"), "reached");
  EXPECT_LT(last.at("error"), 1e-3);
  EXPECT_FALSE(last.contains("id"));
  EXPECT_LT(last.at("t"), 4.0);
  const std::size_t size = run.frames.size();
  for (const auto& [joint, value] : last.at("q").items())
    EXPECT_NEAR(value.get<double>(), run.frames[size - 10].at("q").at(joint).get<double>(), 1e-4);
}

TEST(Track, TheSameInputGivesTheSameOutput) {
  std::mt19937 random(1);
  std::string input;
  for (int i = 0; i < 50; ++i) {
    Json line = wish(random, character_of("lamp"));
    line["t"] = 0.1 * i;
    input += line.dump() + "\n";
  }
  const Tracked once = track(lamp, input), again = track(lamp, input);
  EXPECT_EQ(once.outcome.out, again.outcome.out);
  EXPECT_EQ(once.outcome.err, "");
  EXPECT_GT(once.frames.size(), 300u);
}

TEST(Track, BadLinesAreNamedAndChangeNothing) {
  std::mt19937 random(2);
  std::string clean, spoilt;
  int line = 0, bad = 0;
  for (int i = 0; i < 100; ++i) {
    Json asked = wish(random, character_of("lamp"));
    asked["t"] = i;
    clean += asked.dump() + "\n";
    spoilt += asked.dump() + "\r\n\n";
    line += 2;
    for (int k = static_cast<int>(random() % 4); k > 0; --k, ++bad)
      spoilt += garbage(random) + "\n";
  }
  const Tracked expected = track(lamp, clean), run = track(lamp, spoilt);
  EXPECT_EQ(run.outcome.code, 0);
  EXPECT_EQ(run.outcome.out, expected.outcome.out);
  const std::string& err = run.outcome.err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), bad) << err;
}

TEST(Track, RefusesAPostureOfTheFileThatIsTooFar) {
  Json file = Json::parse(crane);
  file["postures"]["far"] = {{"rail", 1e31}};
  const Tracked run = track({written("far.json", file.dump())}, R"({"posture": "far"})");
  EXPECT_EQ(run.outcome.code, 0);
  EXPECT_TRUE(contains(run.outcome.err, "beyond 1e30")) << run.outcome.err;
}

TEST(Track, SaysWhatIsWrongWithALine) {
  const auto said = [](const std::string& line, const std::string& what) {
    const Tracked run = track(lamp, "\n" + line);
    EXPECT_EQ(run.outcome.code, 0);
    EXPECT_EQ(run.outcome.err.find("gestik: standard input:2: "), 0u) << run.outcome.err;
    EXPECT_TRUE(contains(run.outcome.err, what)) << run.outcome.err;
  };
  said("what?", "not sound JSON");
  said(R"({"aim": [NaN, 0, 1]})", "not sound JSON");
  said(R"({"aim": [1, 2]})", "'aim' must be an array of 3 numbers, but has 2");
  said(R"({"amm": [1, 2, 3]})", "did you mean 'aim'?");
  said(R"({"aim": [1, 2, 3e30]})", "beyond 1e30");
  said(R"({"aim": [1, 2, 3], "aim_direction": [1, 2, 3]})", "leave one out");
  said(R"({"aim_direction": [0, 0, 0]})", "no direction");
  said(R"({"orient": [0, 0, 0, 0]})", "zero quaternion");
  said(R"({"symmetric": true})", "'orient', which is not given");
  said(R"({"posture": "couriuos"})", "did you mean 'curious'?");
  said(R"({"posture": {"elbwo": 1}})", "did you mean 'elbow'?");
  said(R"({"posture": {"elbow": 1e31}})", "beyond 1e30");
  said(R"({"preset": "clam"})", "did you mean 'calm'?");
  said(R"({"end": "haed"})", "did you mean 'head'?");
  said(R"({"t": 1e9})", "'t' must be from 0");
  said(R"({"id": [1]})", "'id' must be a text");
  said(std::string(300'000, '['), "longer than");
}

TEST(Track, AFloodOfBadLinesIsCounted) {
  std::string input;
  for (int i = 0; i < 130; ++i) input += "no\n";
  const std::string err = track(lamp, input).outcome.err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 11) << err;
  EXPECT_TRUE(contains(err, "standard input:10: ")) << err;
  EXPECT_TRUE(contains(err, "and 120 more bad lines")) << err;
}

TEST(Track, NothingInIsNothingToDo) {
  for (const std::string& input : {std::string(), std::string("\n"), std::string("{}")}) {
    const Tracked run = track(lamp, input);
    EXPECT_EQ(run.outcome.code, 0);
    EXPECT_EQ(run.outcome.err, "");
    EXPECT_EQ(run.frames.back().at("status"), "holding");
    EXPECT_EQ(run.frames.back().at("q"), run.frames.front().at("q"));
    EXPECT_LT(run.frames.back().at("t"), 1.0);
  }
}

TEST(Track, TakesAnotherPostureOnTheWay) {
  const Tracked run = track(lamp, R"({"t": 0, "aim": [0.4, 0.3, 0.5]}
{"t": 3, "posture": "shy"}
{"t": 6, "aim": null}
{"t": 9, "posture": {"elbow": 1, "head_turn": 0.25}})");
  expect_sound(run.frames, "lamp", 60);
  const auto at = [&](double t) { return run.frames.at(static_cast<std::size_t>(t * 60) - 1); };
  EXPECT_EQ(at(3).at("status"), "reached");
  EXPECT_EQ(at(6).at("status"), "reached");
  EXPECT_GE(at(6).at("q").at("elbow").get<double>(), at(3).at("q").at("elbow").get<double>() + 0.3)
      << "shy bends the elbow";
  EXPECT_EQ(at(9).at("status"), "holding");
  EXPECT_NEAR(at(9).at("q").at("elbow").get<double>(), 2.1, 1e-3);
  const Json& q = run.frames.back().at("q");
  EXPECT_NEAR(q.at("elbow").get<double>(), 1, 1e-3);
  EXPECT_NEAR(q.at("head_turn").get<double>(), 0.25, 1e-3);
  EXPECT_NEAR(q.at("base_yaw").get<double>(), 0, 1e-3) << "joints left out are neutral";
}

double fastest(const std::vector<Json>& frames, const std::string& joint, double rate) {
  double fastest = 0;
  for (std::size_t f = 1; f < frames.size(); ++f)
    fastest = std::max(fastest, rate * std::abs(frames[f].at("q").at(joint).get<double>() -
                                                frames[f - 1].at("q").at(joint).get<double>()));
  return fastest;
}

TEST(Track, PresetsAndSettingsShapeTheMotion) {
  const std::string lie_down = R"({"posture": "sleepy"})", calm_down = R"({"preset": "heavy"})";
  constexpr double heavy_speed = 0.25 * 3.5;  // the elbow's
  EXPECT_GT(fastest(track(lamp, lie_down).frames, "elbow", 60), heavy_speed);
  const Tracked heavy = track(with(lamp, {"--preset", "heavy"}), lie_down);
  EXPECT_LE(fastest(heavy.frames, "elbow", 60), heavy_speed * (1 + 1e-9));
  EXPECT_EQ(track(lamp, calm_down + "\n" + lie_down).outcome.out, heavy.outcome.out);
  EXPECT_EQ(track(with(lamp, {"--set", "responsiveness=0.25", "--set", "smoothness=0.1"}), lie_down)
                .outcome.out,
            heavy.outcome.out);
  const Tracked slow = track(with(lamp, {"--set", "speed=0.3"}), lie_down);
  EXPECT_GT(slow.frames.back().at("t"), (2.45 - 0.75) / 0.3) << "the elbow's way";
}

TEST(Track, RunsForAsLongAsAsked) {
  const Tracked run = track(with(lamp, {"--duration", "2", "--rate", "50"}), "");
  EXPECT_EQ(run.frames.size(), 101u);
  expect_sound(run.frames, "lamp", 50);
}

/// Targets, postures, presets and ends at random, in random order and pace.
TEST(Track, EveryFrameKeepsTheLimits) {
  for (const auto& [name, rate] : {std::pair<std::string, double>{"lamp", 1000},
                                   {"snake", 100},
                                   {"humanoid", 30},
                                   {crane_file(), 60}}) {
    const Character character = character_of(name);
    std::mt19937 random(3);
    std::string input;
    for (double t = 0; t < 10; t += number(random, 0, 0.7)) {
      Json line = wish(random, character);
      line["t"] = t;
      input += line.dump() + "\n";
    }
    const Tracked run = track({name, "--rate", std::to_string(rate), "--preset", "nervous"}, input);
    EXPECT_EQ(run.outcome.code, 0) << run.outcome.err;
    EXPECT_EQ(run.outcome.err, "");
    expect_sound(run.frames, name, rate);
  }
}

/// Ten minutes of targets, one line in twenty of which is garbage. Every sound one is answered in
/// the very frame it is for.
TEST(Track, LastsForTenMinutes) {
  std::mt19937 random(4);
  const Character character = character_of("lamp");
  std::string input;
  std::vector<std::size_t> due;
  for (double t = 0; t < 600; t += number(random, 0.03, 0.4)) {
    if (random() % 20 == 0) {
      input += garbage(random) + "\n";
      continue;
    }
    Json line = wish(random, character);
    line["t"] = t;
    line["id"] = due.size();
    due.push_back(static_cast<std::size_t>(std::ceil(t * 60)));
    input += line.dump() + "\n";
  }
  const Tracked run = track(lamp, input);
  EXPECT_EQ(run.outcome.code, 0);
  ASSERT_GT(run.frames.size(), 36'000u);
  expect_sound(run.frames, "lamp", 60);
  std::size_t answered = 0;
  for (std::size_t i = 0; i < due.size(); ++i)
    answered += run.frames.at(due[i]).value("id", Json()) == Json(i);
  EXPECT_EQ(answered, due.size());
}

TEST(Track, RefusesWhatItDoesNotKnow) {
  const Words words = with({"track"}, lamp);
  expect_refused({"track"}, "which character?");
  expect_refused({"track", "lamp", "--posture", "couriuos"}, "did you mean 'curious'?");
  expect_refused(with(words, {"--preset", "hevy"}), "did you mean 'heavy'?");
  expect_refused(with(words, {"--end", "haed"}), "did you mean 'head'?");
  expect_refused(with(words, {"--set", "smothness=1"}), "did you mean 'smoothness'?");
  expect_refused(with(words, {"--set", "smoothness=11"}), "outside 0 .. 10");
  expect_refused(with(words, {"--set", "steps=1.5"}), "whole number");
  expect_refused(with(words, {"--set", "patience"}), "name=value");
  for (const char* bad : {"0", "-1", "1001", "nan", "fast", ""})
    expect_refused(with(words, {"--rate", bad}), "--rate");
  for (const char* bad : {"-1", "nan", "long"})
    expect_refused(with(words, {"--duration", bad}), "--duration");
  expect_refused(with(words, {"--nowait"}), "did you mean '--no-wait'?");
}

// ---- with a clock ------------------------------------------------------------------------------

using Clock = std::chrono::steady_clock;

/// The tool between two pipes: what is sent goes in at once, what comes out is noted with its time.
class Live {
 public:
  explicit Live(const Words& words) {
    const std::string in = pipe_called("in_pipe"), out = pipe_called("out_pipe");
    input_ = open(in.c_str(), O_RDWR | O_CLOEXEC);
    const int output = open(out.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    child_ = start(with({"track"}, words), {out, err_, in});
    fcntl(output, F_SETFL, 0);
    reader_ = std::thread([this, output] { read_all(output); });
  }
  ~Live() { finish(); }

  pid_t child() const { return child_; }
  void send(const std::string& text) {
    EXPECT_EQ(write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  struct Heard {
    Clock::time_point at;
    std::string line;
  };

  /// Ends the input and waits for the tool.
  int finish() {
    if (input_ >= 0) {
      close(input_);
      input_ = -1;
      code_ = exit_code_of(child_);
      reader_.join();
    }
    return code_;
  }
  const std::vector<Heard>& heard() const { return heard_; }
  std::string err() const { return contents_of(err_); }

 private:
  static std::string pipe_called(const char* name) {
    const std::string path = (folder() / name).string();
    fs::remove(path);
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    return path;
  }

  void read_all(int output) {
    std::string rest;
    std::array<char, 4096> bytes;
    for (ssize_t count; (count = read(output, bytes.data(), bytes.size())) > 0;) {
      const Clock::time_point now = Clock::now();
      rest.append(bytes.data(), static_cast<std::size_t>(count));
      for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
        heard_.push_back({now, rest.substr(0, end)});
    }
    close(output);
  }

  const std::string err_ = (folder() / "live_err").string();
  int input_ = -1, code_ = -1;
  pid_t child_ = 0;
  std::thread reader_;
  std::vector<Heard> heard_;
};

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::vector<Json> frames_of(const Live& live) {
  std::string text;
  for (const Live::Heard& heard : live.heard()) text += heard.line + "\n";
  return frames_of(text);
}

/// A machine that is busy with other things may be late once; a tool that drifts always is.
constexpr int attempts = 4;

TEST(TrackLive, KeepsTheRateUnderAFlood) {
  double off = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Live live(with(lamp, {"--rate", "50", "--duration", "3"}));
    std::string flood;
    for (int i = 0; i < 200; ++i)
      flood += R"({"aim": [0.4, 0.3, 0.5]})"
               "\nrubbish\n";
    for (int i = 0; i < 20; ++i) live.send(flood), sleep(0.1);
    EXPECT_EQ(live.finish(), 0) << live.err();
    ASSERT_EQ(live.heard().size(), 151u);
    expect_sound(frames_of(live), "lamp", 50);
    off = std::abs(seconds_between(live.heard().front().at, live.heard().back().at) - 3);
    if (off < 0.02) break;
  }
  EXPECT_LT(off, 0.02) << "one frame";
}

TEST(TrackLive, AnswersInTheNextFrame) {
  constexpr double frame = 1.0 / 25;
  double worst = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Live live(with(lamp, {"--rate", "25"}));
    std::mt19937 random(5);
    std::vector<Clock::time_point> sent;
    for (int i = 0; i < 20; ++i) {
      sleep(number(random, 0.05, 0.15));
      sent.push_back(Clock::now());
      live.send(Json{{"aim", numbers(random, 3)}, {"id", i}}.dump() + "\n");
    }
    EXPECT_EQ(live.finish(), 0) << live.err();
    worst = 0;
    std::size_t answered = 0;
    for (const Live::Heard& heard : live.heard())
      if (const Json json = Json::parse(heard.line); json.contains("id")) {
        worst = std::max(worst, seconds_between(sent.at(json.at("id")), heard.at));
        ++answered;
      }
    EXPECT_EQ(answered, sent.size());
    expect_sound(frames_of(live), "lamp", 25);
    if (worst < 1.5 * frame) break;
  }
  EXPECT_LT(worst, 1.5 * frame);
}

TEST(TrackLive, StopsAtASignal) {
  Live live(lamp);
  live.send("{\"aim\": [0.4, 0.3, 0.5]}\n");
  sleep(0.3);
  kill(live.child(), SIGINT);
  sleep(0.1);
  EXPECT_EQ(live.finish(), 130) << live.err();
  EXPECT_TRUE(contains(live.err(), "stopped after")) << live.err();
  expect_sound(frames_of(live), "lamp", 60);
}

TEST(TrackLive, AWaitThatIsNoClocksStopsAtASignalToo) {
  Live live(with(lamp, {"--no-wait"}));
  sleep(0.2);
  kill(live.child(), SIGINT);
  sleep(0.3);
  EXPECT_EQ(live.finish(), 130) << live.err();
}

TEST(TrackLive, EndsQuietlyWhenItsReaderLeaves) {
  const std::string out = (folder() / "left_pipe").string();
  ASSERT_EQ(mkfifo(out.c_str(), 0600), 0);
  const int reader = open(out.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const Outcome outcome = tool_test::gestik(
      with({"track"}, with(lamp, {"--duration", "60"})), out,
      [&](pid_t) { sleep(0.2), close(reader); }, "/dev/null");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
