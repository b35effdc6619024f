#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "evaluation/progress.h"
#include "gestik/io/read.h"
#include "gestik/learn/file.h"
#include "gestik/model/kinematics.h"
#include "tools/gestik/arguments.h"
#include "tools/gestik/output.h"
#include "tools/gestik/verbs.h"

namespace gestik::tool {
namespace {

struct LearnArguments {
  std::vector<std::string> clips, styles;
  CharacterArgument reading;
  OptionText root, end, onto, levels, split;
  std::string out;
  bool json = false;
};

Loaded load_named(const CharacterArgument& reading, const std::string& file) {
  CharacterArgument one = reading;
  one.name = file;
  if (!ends_with_ignoring_case(file, ".bvh")) one.unit = one.hinges = std::nullopt;
  return load(one);
}

std::optional<Vec3> tip_of(const Character& character, const std::string& joint) {
  for (const Frame& end : character.ends)
    if (character.skeleton.name(end.joint) == joint && !end.joint_from_frame.p.isZero(0))
      return end.joint_from_frame.p;
  return std::nullopt;
}

learn::Chain chain_of(const LearnArguments& arguments, const Character& character,
                      const std::string& file) {
  Result<learn::Chain> chain = learn::chain_between(
      character.skeleton, *arguments.root, *arguments.end, tip_of(character, *arguments.end));
  if (!chain) throw BadInput(fmt::format("{}: {}", file, to_string(chain.error())));
  return *std::move(chain);
}

/// "swing" for all clips, or one --style for each of them, in order.
std::string style_of(const LearnArguments& arguments, std::size_t clip) {
  if (arguments.styles.empty()) return "";
  return arguments.styles.size() == 1 ? arguments.styles.front() : arguments.styles[clip];
}

/// Bodies are between a doll's and a giant's size: what is not was hardly meant in metres.
std::optional<std::string> unit_note(const learn::Chain& chain) {
  Real length = chain.point.norm();
  for (JointId j = 1; j < chain.skeleton.joint_count(); ++j)
    length += chain.skeleton.parent_from_joint(j).p.norm();
  if (length > 0.05 && length < 5) return std::nullopt;
  return fmt::format(
      "the chain is {:.3g} m long; is --unit missing? distances are weighed in metres", length);
}

learn::Growth growth_of(const LearnArguments& arguments) {
  learn::Growth growth;
  if (arguments.levels)
    growth.levels = parse_count(*arguments.levels, "--levels", 1, learn::most_levels);
  if (arguments.split) growth.split = parse_count(*arguments.split, "--split", 1);
  return growth;
}

ExitCode learn_verb(const LearnArguments& arguments) {
  if (arguments.clips.empty()) throw BadInput("what to learn from? CLIP.bvh ...");
  if (!arguments.root || !arguments.end)
    throw BadInput("which chain? --root JOINT and --end JOINT");
  if (arguments.out.empty()) throw BadInput("say where to write it, with -o FILE");
  if (arguments.out == "-") throw BadInput("what was learnt is no text: -o needs a file's name");
  std::vector<std::string> inputs = arguments.clips;
  if (arguments.onto) inputs.push_back(*arguments.onto);
  check_is_no_input("-o", arguments.out, inputs);
  if (arguments.styles.size() > 1 && arguments.styles.size() != arguments.clips.size())
    throw BadInput("--style is given once for all clips, or once for each, in their order");
  const learn::Growth growth = growth_of(arguments);

  std::optional<learn::Chain> chain;
  if (arguments.onto)
    chain = chain_of(arguments, load_named(arguments.reading, *arguments.onto).character,
                     *arguments.onto);
  std::vector<learn::Take> takes;
  std::vector<std::string> warnings;
  evaluation::Progress progress(arguments.clips.size());
  for (std::size_t c = 0; c < arguments.clips.size(); ++c) {
    const std::string& file = arguments.clips[c];
    const Loaded loaded = load_named(arguments.reading, file);
    warnings.insert(warnings.end(), loaded.warnings.begin(), loaded.warnings.end());
    if (loaded.clips.empty()) throw BadInput(fmt::format("{}: there is no motion in it", file));
    const Skeleton& body = loaded.character.skeleton;
    if (!chain) chain = chain_of(arguments, loaded.character, file);
    const Result<std::vector<JointId>> joints =
        arguments.onto ? learn::find_alike(*chain, body) : learn::find_chain(*chain, body);
    if (!joints)
      throw BadInput(fmt::format("{}: {}{}", file, to_string(joints.error()),
                                 arguments.onto ? "" : "; --onto plays clips on one body's bones"));
    for (const Clip& clip : loaded.clips)
      takes.push_back({.style = style_of(arguments, c),
                       .rate = clip.rate,
                       .q = learn::frames_of(*chain, *joints, body, clip,
                                             learn::starts_with_rest_pose(body, clip) ? 1 : 0)});
    progress.show(c + 1);
  }
  if (const std::optional<std::string> note = unit_note(*chain)) warnings.push_back(*note);
  const Result<learn::Model> model = learn::learn(*std::move(chain), takes, growth);
  if (!model) throw BadInput(to_string(model.error()));
  progress.wipe();
  print_notes(warnings, arguments.reading.quiet);
  const std::string bytes = learn::write_model(*model);
  if (const std::optional<Error> fault = write_file(arguments.out, bytes)) {
    complain(to_string(*fault));
    return exit_cant_write;
  }
  std::size_t cells = 0;
  for (const learn::Style& style : model->styles) cells += style.tree.cells().size();
  if (arguments.json) {
    Json styles = Json::array();
    for (const learn::Style& style : model->styles)
      styles.push_back({{"name", style.name},
                        {"frames", style.frame_count()},
                        {"cells", style.tree.cells().size()}});
    write_json({{"out", arguments.out},
                {"joints", model->chain.skeleton.joint_count()},
                {"dofs", model->chain.skeleton.v_size()},
                {"frames", model->frame_count()},
                {"bytes", bytes.size()},
                {"styles", styles}});
    return exit_reached;
  }
  write_text(fmt::format(
      "learnt {} frames of {} joints, {} degrees of freedom, in {} cells{}\nwrote {}, {:.1f} kB\n",
      model->frame_count(), model->chain.skeleton.joint_count(), model->chain.skeleton.v_size(),
      cells, model->styles.size() > 1 ? fmt::format(" of {} styles", model->styles.size()) : "",
      printable(arguments.out), static_cast<Real>(bytes.size()) / 1000));
  return exit_reached;
}

}  // namespace

Verb add_learn(CLI::App& tool) {
  const auto arguments = std::make_shared<LearnArguments>();
  CLI::App* command = tool.add_subcommand("learn", "learn how a chain moves from captured motion");
  command->add_option("CLIP", arguments->clips, "captures: .bvh files, or .json with clips")
      ->type_name(" ");
  add_text(*command, "--root", arguments->root, {"JOINT", "What", "the chain's first joint"});
  add_text(*command, "--end", arguments->end,
           {"JOINT", "What", "its last joint, whose first child (or end site) follows paths"});
  add_repeated(*command, "--style", arguments->styles,
               {"NAME", "What", "the clips' style: once for all, or once for each in order"});
  add_text(*command, "--onto", arguments->onto,
           {"CHARACTER", "What", "play the clips on this one's bones: they may be of many bodies"});
  add_text(*command, "--levels", arguments->levels,
           {"N", "How", "levels of the octree at most (default 6)"});
  add_text(*command, "--split", arguments->split,
           {"N", "How", "divide cells with more frames than this (default 20)"});
  add_read_options(*command, arguments->reading);
  command->add_option("-o,--out", arguments->out, "where to write what was learnt")
      ->type_name("FILE")
      ->group("Output");
  command->add_flag("--json", arguments->json, "what became of it, as one JSON object")
      ->group("Output");
  command->footer(
      "All clips must be of one body (or --onto): joints of other names, order, types or lengths "
      "are refused\nby name. The rest pose that converters put before a motion is left out. "
      "`gestik synth` uses the file.\n"
      "Exit codes: 0 done, 2 bad input, 1 the file can't be written.\n\n"
      "Example: gestik learn swing1.bvh swing2.bvh --unit 0.056444 --root LowerBack --end "
      "RightForeArm -o swing.learnt");
  return {command, [arguments] { return learn_verb(*arguments); }};
}

}  // namespace gestik::tool
