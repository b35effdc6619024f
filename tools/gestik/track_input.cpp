#include "tools/gestik/track_input.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>

#include "gestik/goal/at_frame.h"
#include "gestik/io/gestik_json.h"
#include "gestik/io/json_tree.h"

namespace gestik::tool {
namespace {

using Kind = GoalArguments::Kind;

constexpr Real latest = 1e6;  ///< seconds: a slip of the pen must not make a year of frames

bool is_null(const JsonValue& value) {
  return value.kind() == JsonKind::null;
}

Vec3 read_point(JsonReader& read, const JsonValue& value) {
  const Vec3 point = read.vector(value);
  if (!is_bounded(point))
    read.refuse(value,
                in_quotes(value.key()) + " is beyond 1e30, where numbers lose their meaning");
  return point;
}

Target read_target(JsonReader& read, const JsonValue& value, Kind kind) {
  Target target{.kind = kind};
  switch (kind) {
    case Kind::orient:
      target.turn = read.rotation(value);
      return target;
    case Kind::aim_direction:
      target.point = read_point(read, value);
      if (read.ok() && target.point.isZero(0)) read.refuse(value, "[0, 0, 0] is no direction");
      return target;
    case Kind::aim:
    case Kind::reach:
      target.point = read_point(read, value);
      return target;
  }
  return target;
}

/// All that the line names; null is none, so {"aim": null} lets go.
std::optional<std::vector<Target>> read_targets(JsonReader& read, const JsonValue& fields) {
  std::optional<std::vector<Target>> targets;
  for (const auto& [name, kind] :
       {std::pair{"aim", Kind::aim}, std::pair{"aim_direction", Kind::aim_direction},
        std::pair{"orient", Kind::orient}, std::pair{"reach", Kind::reach}}) {
    const JsonValue value = fields[name];
    if (!value) continue;
    if (!targets) targets.emplace();
    if (!is_null(value)) targets->push_back(read_target(read, value, kind));
  }
  const JsonValue aim = fields["aim"], direction = fields["aim_direction"];
  if (aim && !is_null(aim) && direction && !is_null(direction))
    read.refuse(direction,
                "'aim' and 'aim_direction' are two ways to say one thing; leave one out");
  if (const JsonValue symmetric = fields["symmetric"]) {
    const auto orient = [](const Target& target) { return target.kind == Kind::orient; };
    const bool set = read.boolean(symmetric);
    if (!targets || std::none_of(targets->begin(), targets->end(), orient))
      read.refuse(symmetric, "'symmetric' says something about 'orient', which is not given");
    else
      std::find_if(targets->begin(), targets->end(), orient)->symmetric = set;
  }
  return targets;
}

std::vector<Real> read_posture(JsonReader& read, const JsonValue& value,
                               const Character& character) {
  std::vector<Real> q = value.kind() == JsonKind::text
                            ? parse_posture(value.text(), character, false, "'posture'")
                            : read_gestik_posture(read, value, character.skeleton);
  if (!std::all_of(q.begin(), q.end(), [](Real x) { return is_bounded(x); }))
    read.refuse(value, "'posture' holds a number beyond 1e30, where numbers lose their meaning");
  return q;
}

/// A number or a text, to be given back as it came.
Json read_id(JsonReader& read, const JsonValue& value) {
  constexpr std::size_t longest = 200;
  constexpr Real exact = 9007199254740992;  // 2^53: whole numbers up to here are themselves
  if (value.kind() == JsonKind::number) {
    const Real number = value.number();
    if (std::abs(number) <= exact && number == std::floor(number))
      return static_cast<std::int64_t>(number);
    return number;
  }
  const std::string text = read.text(value);
  if (text.size() > longest) read.refuse(value, "'id' is longer than 200 bytes");
  return text;
}

Real read_time(JsonReader& read, const JsonValue& value) {
  const Real t = read.number(value);
  if (read.ok() && !(t >= 0 && t <= latest))
    read.refuse(value, fmt::format("'t' must be from 0 to {} seconds", latest));
  return t;
}

}  // namespace

Goal goal_for(const Frame& end, const Target& target) {
  switch (target.kind) {
    case Kind::reach:
      return reach(end, target.point);
    case Kind::orient: {
      Orient goal = orient(end, target.turn);
      goal.symmetric = target.symmetric;
      return goal;
    }
    case Kind::aim:
      return aim(end, target.point);
    case Kind::aim_direction: {
      Aim goal = aim(end, target.point);
      goal.at_infinity = true;
      return goal;
    }
  }
  return {};
}

Ask parse_ask(std::string_view line, const Character& character) {
  const Result<JsonTree> tree = parse_json(line, "");
  if (!tree) throw BadInput(tree.error().what);
  JsonReader read("");
  const JsonValue fields =
      read.object(tree->root(), {"aim", "aim_direction", "orient", "symmetric", "reach", "posture",
                                 "preset", "end", "id", "t"});
  Ask ask;
  if (const JsonValue t = fields["t"]) ask.t = read_time(read, t);
  if (const JsonValue id = fields["id"]; id && !is_null(id)) ask.id = read_id(read, id);
  ask.targets = read_targets(read, fields);
  if (const JsonValue posture = fields["posture"])
    ask.posture = read_posture(read, posture, character);
  const std::string end = read.text(fields["end"]), preset = read.text(fields["preset"]);
  if (!read.ok()) throw BadInput(read.error().what);
  if (fields["end"]) ask.end = parse_end(end, character);
  if (fields["preset"]) ask.filter = parse_preset(preset);
  return ask;
}

void Lines::wait(Real seconds) {
  const Real whole = std::floor(seconds);
  const timespec time{.tv_sec = static_cast<std::time_t>(whole),
                      .tv_nsec = static_cast<long>((seconds - whole) * 1e9)};
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const nfds_t watched = ended_ ? 0 : 1;
  if (ppoll(&input, watched, &time, nullptr) <= 0) return;

  buffer_.erase(0, begin_);
  begin_ = 0;
  constexpr std::size_t chunk = std::size_t{1} << 16;
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + chunk);
  const ssize_t count = ::read(STDIN_FILENO, buffer_.data() + kept, chunk);
  const int fault = errno;
  buffer_.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count > 0 || (count < 0 && (fault == EINTR || fault == EAGAIN))) return;
  if (count < 0) complain(fmt::format("can't read standard input: {}", std::strerror(fault)));
  ended_ = true;
}

std::optional<Line> Lines::next() {
  const std::size_t stop = buffer_.find('\n', begin_);
  const bool whole = stop != std::string::npos;
  const std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (!whole && !ended_) {
    if (rest.size() > longest) {
      too_long_ = true;
      begin_ = buffer_.size();
    }
    return std::nullopt;
  }
  if (!whole && rest.empty() && !too_long_) return std::nullopt;
  const std::string_view text = whole ? rest.substr(0, stop - begin_) : rest;
  begin_ = whole ? stop + 1 : buffer_.size();
  const bool too_long = too_long_ || text.size() > longest;
  too_long_ = false;
  return Line{++number_, too_long ? std::string_view() : text, too_long};
}

void Complaints::add(long line, std::string_view what, Real now) {
  count_to(now);
  if (said_ >= most_in_a_second) {
    ++unsaid_;
    return;
  }
  ++said_;
  complain(fmt::format("standard input:{}: {}", line, what));
}

void Complaints::count_to(Real now) {
  if (now < since_ + 1) return;
  say_rest();
  since_ = now;
  said_ = 0;
}

void Complaints::say_rest() {
  if (unsaid_ > 0) complain(fmt::format("and {} more bad lines", unsaid_));
  unsaid_ = 0;
}

}  // namespace gestik::tool
