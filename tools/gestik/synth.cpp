#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "evaluation/csv.h"
#include "evaluation/learnt/evaluate.h"
#include "evaluation/parallel.h"
#include "evaluation/progress.h"
#include "gestik/base/suggest.h"
#include "gestik/learn/file.h"
#include "gestik/model/joint_ops.h"
#include "gestik/model/kinematics.h"
#include "gestik/motion/passes.h"
#include "tools/gestik/character_output.h"
#include "tools/gestik/eval.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct SynthArguments {
  CharacterArgument character;
  OptionText learnt, path, solver, rate, tolerance, threads;
  std::vector<std::string> styles;
  std::string out;
  bool json = false;
};

/// Where the chain's end should go, in its base frame, and what the rest of the body does.
struct PathToFollow {
  std::vector<Vec3> path = {};
  Real rate = 120;
  Clip body = {};  ///< as many frames as the path
  std::vector<std::string> notes = {};
};

Clip still(const Skeleton& skeleton, std::string name, Real rate, std::size_t frames) {
  Clip clip = clip_for(skeleton, std::move(name), rate);
  for (std::size_t f = 0; f < frames; ++f)
    clip.values.insert(clip.values.end(), skeleton.neutral().begin(), skeleton.neutral().end());
  return clip;
}

Pose base_of(const Skeleton& skeleton, JointId root, ConstQ q, std::vector<Pose>& world) {
  forward(skeleton, q, world);
  const JointId parent = skeleton.parent(root);
  return parent == no_joint ? Pose{} : world[static_cast<std::size_t>(parent)];
}

bool is_at_or_below(const Skeleton& skeleton, JointId joint, JointId above) {
  while (joint != no_joint && joint != above) joint = skeleton.parent(joint);
  return joint != no_joint;
}

/// "FILE.bvh:JOINT": where a joint of a captured body was, as seen from its own chain's base. If
/// the body is the character itself, all joints beside the chain do what they did.
PathToFollow path_of_clip(const SynthArguments& arguments, const Character& character,
                          const learn::Chain& chain, const std::string& file,
                          const std::string& joint) {
  CharacterArgument source = arguments.character;
  source.name = file;
  const Loaded loaded = load(source);
  if (loaded.clips.empty()) throw BadInput(fmt::format("{}: there is no motion in it", file));
  const Skeleton& body = loaded.character.skeleton;
  const Clip& clip = loaded.clips.front();
  const Result<Frame> frame = find_frame(loaded.character, joint);
  if (!frame) throw BadInput(fmt::format("{}: {}", file, to_string(frame.error())));
  const JointId root = body.find(chain.skeleton.name(0));
  if (root == no_joint)
    throw BadInput(fmt::format("{}: there is no joint '{}', where the chain begins", file,
                               chain.skeleton.name(0)));
  const int first = learn::starts_with_rest_pose(body, clip) ? 1 : 0;
  PathToFollow wanted{.rate = clip.rate};
  const JointId end = body.find(chain.skeleton.name(chain.end()));
  if (end != no_joint && !is_at_or_below(body, frame->joint, end))
    wanted.notes.push_back(fmt::format("the path is that of '{}', the chain ends at '{}'", joint,
                                       chain.skeleton.name(chain.end())));
  std::vector<Pose> world(static_cast<std::size_t>(body.joint_count()));
  for (int f = first; f < clip.frame_count(); ++f) {
    const Pose base = base_of(body, root, clip.frame(f), world);
    wanted.path.push_back(inverse(base) * (world[static_cast<std::size_t>(frame->joint)] *
                                           frame->joint_from_frame.p));
  }
  if (!check(clip, character.skeleton)) {
    wanted.body = clip;
    wanted.body.values.erase(
        wanted.body.values.begin(),
        wanted.body.values.begin() +
            static_cast<std::ptrdiff_t>(first) * static_cast<std::ptrdiff_t>(clip.columns.size()));
  } else {
    wanted.body = still(character.skeleton, clip.name, clip.rate, wanted.path.size());
  }
  return wanted;
}

/// Lines of seconds,x,y,z in the character's world, straight from one to the next.
PathToFollow path_of_csv(const Character& character, JointId root, const std::string& file,
                         Real rate) {
  constexpr Real most_numbers = 1 << 24;  // that our readers take
  const Result<std::string> text = read_file(file);
  if (!text) throw BadInput(to_string(text.error()));
  const auto rows = evaluation::read_number_rows(*text, file);
  if (!rows) throw BadInput(to_string(rows.error()));
  for (std::size_t r = 0; r < rows->size(); ++r) {
    const evaluation::NumberRow& row = (*rows)[r];
    if (row.numbers.size() != 4)
      throw BadInput(fmt::format("{}:{}: a line is seconds,x,y,z; this one has {} numbers", file,
                                 row.line, row.numbers.size()));
    if (r > 0 && row.numbers[0] <= (*rows)[r - 1].numbers[0])
      throw BadInput(fmt::format("{}:{}: times must grow from line to line", file, row.line));
  }
  const Real start = rows->front().numbers[0], length = rows->back().numbers[0] - start;
  if (length * rate * character.skeleton.q_size() > most_numbers)
    throw BadInput(fmt::format("{}: {} s at {} frames a second are more than a file holds", file,
                               length, rate));
  std::vector<Pose> world(static_cast<std::size_t>(character.skeleton.joint_count()));
  const Pose world_from_base =
      base_of(character.skeleton, root, character.skeleton.neutral(), world);
  PathToFollow wanted{.rate = rate};
  std::size_t at = 0;
  // To the nearest: times are often written rounded, and the last frame must not be lost by that.
  const auto frames = static_cast<std::size_t>(length * rate + 0.5) + 1;
  for (std::size_t f = 0; f < frames; ++f) {
    const Real time = start + static_cast<Real>(f) / rate;
    while (at + 2 < rows->size() && (*rows)[at + 1].numbers[0] <= time) ++at;
    const std::vector<Real>& a = (*rows)[at].numbers;
    const std::vector<Real>& b = (*rows)[std::min(at + 1, rows->size() - 1)].numbers;
    const Real share = b[0] > a[0] ? std::clamp((time - a[0]) / (b[0] - a[0]), 0.0, 1.0) : 0;
    const Vec3 from(a[1], a[2], a[3]), to(b[1], b[2], b[3]);
    wanted.path.push_back(inverse(world_from_base) * Vec3(from + share * (to - from)));
  }
  wanted.body = still(character.skeleton, "synth", rate, frames);
  return wanted;
}

/// "CLIP.bvh:JOINT" or "FILE.csv", without the joint.
std::string path_file(const std::string& path) {
  return ends_with_ignoring_case(path, ".csv") ? path : path.substr(0, path.rfind(':'));
}

PathToFollow wanted_of(const SynthArguments& arguments, const Character& character,
                       const learn::Chain& chain, JointId root) {
  const std::string& text = *arguments.path;
  if (ends_with_ignoring_case(text, ".csv")) {
    const Real rate = arguments.rate ? parse_within(*arguments.rate, "--rate", 1e-3, 1e5) : 120;
    return path_of_csv(character, root, text, rate);
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
    throw BadInput("--path is CLIP.bvh:JOINT, or a FILE.csv of lines seconds,x,y,z");
  if (arguments.rate) throw BadInput("--rate is for a path from a .csv; a clip has its own");
  return path_of_clip(arguments, character, chain, path_file(text), text.substr(colon + 1));
}

learn::Model read_learnt(const std::string& file) {
  const Result<std::string> bytes = read_file(file);
  if (!bytes) throw BadInput(to_string(bytes.error()));
  Result<learn::Model> model = learn::read_model(*bytes, file);
  if (!model) throw BadInput(to_string(model.error()));
  return *std::move(model);
}

/// "NAME" or "NAME=WEIGHT"; styles that are not named count nothing.
std::vector<Real> style_weights(const SynthArguments& arguments, const learn::Model& model) {
  if (arguments.styles.empty()) return {};
  std::vector<std::string_view> names;
  for (const learn::Style& style : model.styles) names.push_back(style.name);
  std::vector<Real> weights(model.styles.size(), 0);
  for (const std::string& text : arguments.styles) {
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    const int style = model.find_style(name);
    if (style < 0)
      throw BadInput(fmt::format(
          "--style: nothing was learnt of '{}'{} ({})", name, did_you_mean(name, names),
          names.size() == 1 && names.front().empty() ? "what was learnt has no named styles"
                                                     : fmt::format("there is {}", listed(names))));
    weights[static_cast<std::size_t>(style)] =
        equals == std::string::npos ? 1 : parse_within(text.substr(equals + 1), "--style", 0, 1e6);
  }
  if (std::all_of(weights.begin(), weights.end(), [](Real weight) { return weight == 0; }))
    throw BadInput("--style: no style has a weight above zero");
  return weights;
}

/// The character's own limits on the learnt chain's bones.
learn::Chain chain_in(const learn::Chain& learnt, const std::vector<JointId>& joints,
                      const Skeleton& body) {
  SkeletonDraft draft = draft_of(learnt.skeleton);
  for (std::size_t j = 0; j < joints.size(); ++j) draft.joints[j].limits = body.limits(joints[j]);
  Result<Skeleton> skeleton = build(draft);
  if (!skeleton) throw BadInput(to_string(skeleton.error()));
  return {*std::move(skeleton), learnt.point};
}

ExitCode synth_verb(const SynthArguments& arguments) {
  if (!arguments.learnt) throw BadInput("what was learnt? --learnt FILE");
  if (!arguments.path) throw BadInput("where to? --path CLIP.bvh:JOINT or --path FILE.csv");
  if (arguments.out.empty())
    throw BadInput("say where to write it, with -o OUT.bvh or -o OUT.json");
  (void)format_of(arguments.out);
  check_is_no_input("-o", arguments.out,
                    {*arguments.learnt, arguments.character.name, path_file(*arguments.path)});
  if (arguments.out == "-" && arguments.json)
    throw BadInput("-o - prints the motion: --json can't print beside it");
  const Loaded loaded = load(arguments.character);
  const Skeleton& body = loaded.character.skeleton;
  const learn::Model model = read_learnt(*arguments.learnt);
  const Result<std::vector<JointId>> joints = learn::find_chain(model.chain, body);
  if (!joints) throw BadInput(fmt::format("{}: {}", *arguments.learnt, to_string(joints.error())));
  const learn::Chain chain = chain_in(model.chain, *joints, body);
  const std::vector<Real> weights = style_weights(arguments, model);
  AnySolver solver = Learnt{.model = &model, .style_weights = weights};
  if (arguments.solver) {
    const std::optional<AnySolver> other = find_solver(*arguments.solver);
    if (!other)
      throw BadInput(
          fmt::format("--solver: there is no solver '{}'; see gestik solvers", *arguments.solver));
    if (!std::holds_alternative<Learnt>(*other)) solver = *other;
  }
  PassSettings settings;
  if (arguments.tolerance)
    settings.tolerance = parse_within(*arguments.tolerance, "--tolerance", 1e-9, 1e3);
  const int threads = parse_threads(arguments.threads, evaluation::available_threads());
  PathToFollow wanted = wanted_of(arguments, loaded.character, chain, joints->front());

  evaluation::Progress progress(passes_of(settings).size());
  std::uint64_t done = 0;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point started = Clock::now();
  const Result<std::vector<Real>> q =
      follow_path({.solver = solver,
                   .skeleton = chain.skeleton,
                   .joint = chain.end(),
                   .point = chain.point,
                   .rate = wanted.rate,
                   .settings = settings},
                  wanted.path, evaluation::learnt::blocks_on(threads),
                  [&](const Pass&, std::span<const Real>) { progress.show(++done); });
  const Real seconds = std::chrono::duration<Real>(Clock::now() - started).count();
  progress.wipe();
  if (!q) throw BadInput(to_string(q.error()));

  const std::vector<Vec3> reached = evaluation::learnt::path_of(chain, *q);
  std::size_t in_place = 0;
  Real farthest = 0;
  const auto width = static_cast<std::size_t>(chain.skeleton.q_size());
  for (std::size_t f = 0; f < reached.size(); ++f) {
    const Real miss = (reached[f] - wanted.path[f]).norm();
    in_place += miss <= settings.tolerance;
    farthest = std::max(farthest, miss);
    for (JointId c = 0; c < chain.skeleton.joint_count(); ++c)
      std::copy_n(q->begin() + static_cast<std::ptrdiff_t>(f * width) + chain.skeleton.q_offset(c),
                  q_size(chain.skeleton.type(c)),
                  wanted.body.values.begin() +
                      static_cast<std::ptrdiff_t>(f * wanted.body.columns.size()) +
                      body.q_offset((*joints)[static_cast<std::size_t>(c)]));
  }
  const std::string text = character_text(loaded.character, {&wanted.body, 1}, arguments.out,
                                          parse_unit(arguments.character));
  print_notes(loaded.warnings, arguments.character.quiet);
  print_notes(wanted.notes, arguments.character.quiet);
  const ExitCode code = in_place == reached.size() ? exit_reached : exit_not_reached;
  if (!write_character(arguments.out, text)) return code;
  if (arguments.json) {
    write_json({{"out", arguments.out},
                {"frames", reached.size()},
                {"in_place", in_place},
                {"largest_miss", farthest},
                {"frames_per_second", static_cast<Real>(reached.size()) / seconds}});
    return code;
  }
  write_text(
      fmt::format("{} frames, {} in place, {:.3g} mm off at most; {:.0f} frames a second\n"
                  "wrote {}\n",
                  reached.size(), in_place, 1000 * farthest,
                  static_cast<Real>(reached.size()) / seconds, printable(arguments.out)));
  return code;
}

}  // namespace

Verb add_synth(CLI::App& tool) {
  const auto arguments = std::make_shared<SynthArguments>();
  CLI::App* command =
      tool.add_subcommand("synth", "let a chain follow a path as it learnt to move");
  add_character(*command, arguments->character);
  add_text(*command, "--learnt", arguments->learnt,
           {"FILE", "What", "what `gestik learn` wrote for this body"});
  add_text(*command, "--path", arguments->path,
           {"CLIP.bvh:JOINT|FILE.csv", "What",
            "the way of the chain's end: a joint's in a capture, or lines of seconds,x,y,z, in "
            "metres where the character stands at rest"});
  add_text(*command, "--rate", arguments->rate,
           {"FPS", "What", "frames per second, for a path from a .csv (default 120)"});
  add_repeated(*command, "--style", arguments->styles,
               {"NAME[=WEIGHT]", "How", "only these of the styles learnt, blended (default: all)"});
  add_text(*command, "--solver", arguments->solver,
           {"NAME", "How", "another solver in learnt's place"});
  add_text(*command, "--tolerance", arguments->tolerance,
           {"METRES", "How", "a frame this near its target is in place (default 0.001)"});
  add_text(*command, "--threads", arguments->threads,
           {"N", "How", "how many at once (default: all); the motion is the same"});
  command->add_option("-o,--out", arguments->out, "a .json or .bvh file; - prints JSON")
      ->type_name("FILE")
      ->group("Output");
  command->add_flag("--json", arguments->json, "what became of it, as one JSON object")
      ->group("Output");
  command->footer(
      "A capture's path is taken as seen from the base of its own chain; if the capture is of this "
      "very body,\nthe joints beside the chain do what they did there, else they rest. Targets far "
      "from everything that was\nlearnt are met by plain damped least squares from the nearest "
      "poses, those out of reach as well as may be.\n"
      "Exit codes: 0 every frame is in place, 3 not all are (it is written all the same), 2 bad "
      "input,\n1 the file can't be written.\n\n"
      "Example: gestik synth swing1.bvh --unit 0.056444 --learnt swing.learnt --path "
      "swing3.bvh:RightHand -o out.bvh");
  return {command, [arguments] { return synth_verb(*arguments); }};
}

}  // namespace gestik::tool
